"""Displays a widget in a notebook, with a still for other readers, and saves it as a file."""

import base64
import os
import sys
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from ...messages.install_hints import in_browser


class Shown:
    """The base of widgets: a subclass has a `title`, `describe`, `svg`, `html`, and a `player`, its Jupyter widget."""

    shows_player = True  # in a notebook, below the still picture

    @property
    def title(self) -> str:
        """What it is called."""
        raise NotImplementedError

    def describe(self, **dials: Any) -> str:
        """The picture in words."""
        raise NotImplementedError

    def svg(self, theme: str = "light", **dials: Any) -> str:
        """The picture as plain SVG."""
        raise NotImplementedError

    def html(self, theme: str = "auto", **dials: Any) -> str:
        """A page that needs no Python."""
        raise NotImplementedError

    def images(self) -> dict[str, Any]:
        """What else a notebook output has of the still picture, by MIME type."""
        return {}

    @property
    def player(self) -> Any:
        """The Jupyter widget."""
        raise NotImplementedError

    @property
    def writers(self) -> dict[str, Any]:
        """What writes a file, by its ending."""
        return {".svg": self.svg, ".html": self.html}

    def save(self, path: str | Path, theme: str | None = None, **dials: Any) -> Path:
        """Write the picture to a file, by its ending: .svg, .html (which plays), for most .png and .gif. Returns the path.

        Raises ValueError for another ending, FileNotFoundError where the folder does not exist.
        """
        path = Path(path)
        kinds = self.writers
        if path.suffix.lower() not in kinds:
            *others, last = kinds
            text = "save: expected a name that ends in {others} or {last}, but got {name!r}"
            raise ValueError(text.format(others=", ".join(others), last=last, name=path.name))
        if not path.parent.is_dir():
            raise FileNotFoundError(
                "save: there is no folder {folder!r}; make it first".format(folder=str(path.parent))
            )
        given: dict[str, Any] = {**({} if theme is None else {"theme": theme}), **dials}
        content = kinds[path.suffix.lower()](**given)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def __repr__(self) -> str:
        return self.describe()

    def __str__(self) -> str:
        return str(self.describe())

    def _ipython_display_(self) -> None:
        from IPython.display import display

        shell = notebook_shell()
        if shell is None:
            print(self.describe())
            return
        if "LABKIT_PAGES" in os.environ:
            display(self._page(Path(os.environ["LABKIT_PAGES"])), raw=True)
            return
        if player_installed():
            close_previous(self.player, shell)
            display({"application/vnd.jupyter.widget-view+json": self.player.output}, raw=True)
        data, metadata = self.still_bundle()  # last, for its PNG can take seconds
        display(data, metadata=metadata, raw=True)

    def _page(self, folder):
        """A notebook output for a site: the widget as a saved page in `folder`, in a frame."""
        name = f"{1 + len(list(folder.glob('*.html')))}.html"
        self.save(folder / name)
        address = f"{os.environ.get('LABKIT_PAGES_ADDRESS', folder.as_posix())}/{name}"
        look = 'class="labkit-page" loading="lazy" style="width: 100%; height: 420px; border: 0"'
        frame = f'<iframe title="{escape(self.title)}" src="{address}" {look}></iframe>'
        return {"text/plain": self.describe(), "text/html": frame}

    def still_bundle(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The still picture as a notebook output: data and metadata by MIME type. The live widget hides it."""
        words, image = self.describe(), base64.b64encode(self.svg().encode()).decode()
        mark = f' data-labkit="{self.player.still}"' if self.shows_player and player_installed() else ""
        data: dict[str, Any] = {"text/plain": words}
        data["text/html"] = (
            f'<img{mark} alt="{escape(words)}" style="max-width: 100%" src="data:image/svg+xml;base64,{image}">'
        )
        data |= self.images()
        return data, {"image/png": {"alt": words}} if "image/png" in data else {}


_shown: dict[str, tuple[Any, list[Any]]] = {}  # cell -> its execution, the widgets it shows


def close_previous(player: Any, shell: Any) -> None:
    """Close the widgets that only earlier executions of the running cell have shown: their output is gone."""
    parent = getattr(shell, "parent_header", None) or {}
    parent = shell.get_parent() if hasattr(shell, "get_parent") else parent
    cell, execution = (parent.get("metadata") or {}).get("cellId"), (parent.get("header") or {}).get("msg_id")
    if not cell:
        return
    before, players = _shown.get(cell, (execution, []))
    gone, players = (players, []) if before != execution else ([], players)
    _shown[cell] = execution, [*players, player]
    shown = [one for _, players in _shown.values() for one in players]
    for old in gone:
        if old not in shown and not old.closed:
            old.layout.close()  # that every Jupyter widget brings along
            old.close()


def notebook_shell() -> Any:
    """The shell of the notebook in which this runs; None anywhere else."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return shell if hasattr(shell, "kernel") else None


def _installed(package):
    from importlib.util import find_spec

    return find_spec(package) is not None


@cache
def player_installed() -> bool:
    """Whether the Jupyter widget can be shown."""
    return _installed("anywidget")


@cache
def paints_png() -> bool:
    """Whether a still picture brings a PNG: needs matplotlib, and not in a browser, which shows the SVG and starts slowly."""
    return _installed("matplotlib") and not in_browser()
