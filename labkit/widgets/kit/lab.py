"""The base class of labs that compute in the page: a Jupyter widget with typed traits, words, a still picture, and a saved
page.
"""

import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from . import module
from .shown import Shown
from .traits import AnyWidget, Trait, traits


class Lab(Shown, AnyWidget):
    """The base of labs that compute in the page.

    A subclass names its state in `state_names`, which are traits that are synced when the reader lets go; `path` is its module.
    Its `data` is what Python computes for it, its `words` templates of what it says.
    """

    path: ClassVar[Path]
    state_names: tuple[str, ...]
    words: ClassVar[Mapping[str, str]]
    data: Trait = traits.Dict().tag(sync=True)
    still: Trait = traits.Unicode().tag(sync=True)

    def __init__(self, title: str, data: Mapping[str, Any], **state: Any):
        self._title = title
        known = {**data, "title": title, "words": dict(self.words)}
        super().__init__(data=known, still=f"still-{secrets.token_hex(8)}", **state)

    @property
    def title(self) -> str:
        """What the lab is called."""
        return self._title

    @property
    def state(self) -> dict[str, Any]:
        """Where the lab is, `{name: value}`. It can be written as JSON, and set: what it does not name stays.

        Setting it raises KeyError for a name that there is not; nothing has changed then.
        """
        return {key: getattr(self, key) for key in self.state_names}

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        self.state_with(**state)
        before = self.state
        try:
            for key, value in state.items():
                setattr(self, key, value)
        except Exception:
            for key, value in before.items():
                setattr(self, key, value)
            raise

    def state_with(self, **state: Any) -> dict[str, Any]:
        """The state, with other values of some names. Raises KeyError for a name that there is not."""
        if unknown := [key for key in state if key not in self.state_names]:
            text = "state: expected some of {names}, but got {name!r}"
            raise KeyError(text.format(names=", ".join(self.state_names), name=unknown[0]))
        return {**self.state, **state}

    def html(self, theme: str = "auto", **state: Any) -> str:
        """A page of the lab that needs neither Python nor a network, in its state but for `state`.

        `theme`: "light", "dark", or "auto" as the reader's.
        """
        if theme not in ("auto", "light", "dark"):
            raise not_one_of("theme", ("auto", "light", "dark"), theme)
        values = {"data": self.data, "still": "", **self.state_with(**state)}
        return module.document(
            self.title, self.path, values, self.svg("light", **state), {"auto": ""}.get(theme, f" {theme}")
        )

    @property
    def player(self) -> Any:
        """The Jupyter widget, which is the lab itself."""
        return self

    @property
    def closed(self) -> bool:
        """Whether it can be shown no more."""
        return self.comm is None

    @property
    def output(self) -> dict[str, Any]:
        """What a notebook output says to show this widget."""
        return {"model_id": self.model_id, "version_major": 2, "version_minor": 0}


def not_one_of(name: str, known: Iterable[str], got: Any) -> ValueError:
    """The error for an argument that is none of the known values.

    >>> not_one_of("rule", ["forward", "central"], "left")
    ValueError("rule: expected one of 'forward', 'central', but got 'left'")
    """
    text = "{name}: expected one of {known}, but got {got!r}"
    return ValueError(text.format(name=name, known=", ".join(map(repr, known)), got=got))


def digits(value: float, most: int) -> str:
    """A number with at most so many digits, and a true minus sign.

    >>> digits(0.54030230586, 7), digits(-2.0, 7)
    ('0.5403023', '−2')
    """
    return f"{value:.{most}g}".replace("-", "−")


def plain(values: Any) -> Any:
    """Arrays of numbers as lists that can be written as JSON: what is not finite becomes "nan", "inf" or "-inf".

    >>> plain(np.array([[1.5, np.nan]]))
    [[1.5, 'nan']]
    """
    if np.ndim(values):
        return [plain(value) for value in values]
    return float(values) if np.isfinite(values) else str(float(values))
