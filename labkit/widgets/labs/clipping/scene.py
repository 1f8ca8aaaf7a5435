"""The clipping lab: what clipping does to a gradient, to all of them, to the path of training, and where it belongs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ...kit.grips import Grip
from ...kit.page import packed
from ...kit.picture import Picture
from ...kit.scene import Caption, Dial, Link, Panel, Scene, only
from ...kit.symbolic import Inputs, resolved
from . import ball, cliff, norms, order_view
from .gradients import default_gradients, gradients_of

TITLE = "Clipping a gradient: shorter, or turned as well"


class ClippingLab(Picture):
    """Four parts, one shown at a time: dial `part` chooses.

    1. "Ball and box": a gradient and a limit to drag to any number, here as in a saved page. Clipping by norm keeps its
       direction, by value turns it.
    2. "Every parameter": the norms of all gradients before and after. One global norm keeps their ratios.
    3. "Over a cliff": training a recurrent unit with and without clipping, from a start and with a limit to drag.
    4. "In which order": unscale, reduce, clip and check as cards to drag, for two workers, in all 24 orders.

    `ClippingLab()` shows a network that reads digits in part 2. `ClippingLab(fun, *args)` shows your own gradients there and
    starts with them: `fun` is a Cell or Module that returns its loss (the gradients of its parameters), or a function (those
    of its arguments); of several outputs the sum is differentiated. `gradients` holds them, `{name: array}`. `part` is the
    title of the part to start with.

    Raises TypeError for what cannot be called or is not numeric, ValueError where there is nothing to differentiate by or no
    such part, and whatever `fun` raises. Gradients that are not finite are named in the picture.

    >>> lab = ClippingLab(lambda a, b: 3 * a + 4 * b, 1.0, 1.0)
    >>> lab.gradients
    {'a': array(3.), 'b': array(4.)}
    """

    plays_at_once = True

    def __init__(self, fun: Callable | None = None, *args: Any, part: str | None = None):
        if fun is None and args:
            raise TypeError(
                "ClippingLab: expected a function before its arguments: ClippingLab(fun, *args), or nothing"
            )
        self.gradients = default_gradients() if fun is None else gradients_of(fun, *args)
        self._inputs = {**ball.START, **cliff.START}
        self._fixed = norms.scene(self.gradients), order_view.scene()
        parts = self._parts()
        self._start = _place(part, parts, otherwise=0 if fun is None else 1)
        super().__init__(together(TITLE, parts, self._start))

    def _parts(self, inputs=None):
        """The four parts for inputs, by default as they are."""
        given = self._inputs if inputs is None else inputs
        first, third = (_resolved(part, tuple((name, given[name]) for name in part.START)) for part in (ball, cliff))
        return [first, self._fixed[0], third, self._fixed[1]]

    @property
    def inputs(self) -> Mapping[str, float]:
        """The gradient and the limit of the first part; start and limit of the training over the cliff."""
        return self._inputs

    def fill(self, inputs: Mapping[str, float], at: Mapping[str, int] | None = None) -> None:
        """Other ones. Raises ValueError for what has no place in the picture."""
        ball.checked(inputs)
        cliff.checked(inputs)
        self._inputs = dict(inputs)
        parts = self._parts()
        if at is not None:  # nothing else is seen
            unseen = (replace(part, panels=(), captions=(), grips=()) for part in parts)
            parts = [
                part if i == at["part"] else other for i, (part, other) in enumerate(zip(parts, unseen, strict=True))
            ]
        self.scene = together(TITLE, parts, self._start)

    def scene_at(self, inputs: Mapping[str, float]) -> Scene:
        """The picture for other inputs."""
        return together(TITLE, self._parts(inputs), self._start)

    def reach(self) -> str:
        """All that follows from the inputs, which the page computes."""
        of = Inputs(self._inputs)
        parts = [ball.scene(of), self._fixed[0], cliff.scene(of), self._fixed[1]]
        return str(packed({"program": of.program.written(), "made": resolved(together(TITLE, parts, self._start))[1]}))


@lru_cache(8)
def _resolved(part: Any, inputs: tuple[tuple[str, float], ...]) -> Scene:
    """A part for its inputs."""
    return resolved(part.scene(Inputs(dict(inputs))))[0]


def together(title: str, parts: Sequence[Scene], start: int = 0) -> Scene:
    """One scene of several, with a dial `part` that chooses which one is shown. Their dials need different names.

    >>> scene = together("Both", [norms.scene(default_gradients()), order_view.scene()])
    >>> [dial.name for dial in scene.dials]
    ['part', 'norm_limit', 'lit', 'order', 'rule', 'overflow']
    """
    over = {dial.name: 0 for part in parts for dial in part.dials if dial.start and dial.start == len(dial.values) - 1}
    dials = [Dial("part", "Part", [part.title for part in parts], "choice", start, resets=over)]
    panels: list[Panel] = []
    captions: list[Caption] = []
    links: dict[str, Link] = {}
    grips: list[Grip] = []
    fields: dict[str, str] = {}
    for i, part in enumerate(parts):
        dials += only({"part": [i]}, part.dials)
        panels += only({"part": [i]}, part.panels)
        captions += only({"part": [i]}, part.captions)
        links.update(part.links)
        fields |= part.fields
        grips += only({"part": [i]}, part.grips)
    where = {name: {"part": [i]} for i, part in enumerate(parts) for name in part.fields}
    notices = " ".join(part.notice for part in parts if part.notice)
    return Scene(
        title,
        " ".join(part.description for part in parts),
        dials,
        panels,
        captions,
        links,
        notices,
        fields=fields,
        fields_at=where,
        grips=grips,
    )


def _place(title, parts, otherwise):
    """Which of the parts has this title."""
    titles = [part.title for part in parts]
    if title is not None and title not in titles:
        raise ValueError(f"part: expected one of {', '.join(map(repr, titles))}, but got {title!r}")
    return otherwise if title is None else titles.index(title)
