"""The clipping lab: what clipping does to a gradient, and to the path of training."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ...kit.grips import Grip
from ...kit.page import packed
from ...kit.picture import Picture
from ...kit.scene import Caption, Dial, Link, Panel, Scene, only
from ...kit.symbolic import Inputs, resolved
from . import ball, cliff

TITLE = "Clipping a gradient: shorter, or turned as well"


class ClippingLab(Picture):
    """Two parts, one shown at a time: dial `part` chooses.

    1. "Ball and box": a gradient and a limit to drag to any number, here as in a saved page. Clipping by norm keeps its
       direction, by value turns it.
    2. "Over a cliff": training a recurrent unit with and without clipping, from a start and with a limit to drag.

    `part` is the title of the part to start with. Raises ValueError where there is no such part.

    >>> ClippingLab(part="Over a cliff").state["part"]
    1
    """

    plays_at_once = True

    def __init__(self, part: str | None = None):
        self._inputs = {**ball.START, **cliff.START}
        parts = self._parts()
        self._start = _place(part, parts)
        super().__init__(together(TITLE, parts, self._start))

    def _parts(self, inputs=None):
        """Both parts for inputs, by default as they are."""
        given = self._inputs if inputs is None else inputs
        return [_resolved(part, tuple((name, given[name]) for name in part.START)) for part in (ball, cliff)]

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
        parts = [ball.scene(of), cliff.scene(of)]
        return str(packed({"program": of.program.written(), "made": resolved(together(TITLE, parts, self._start))[1]}))


@lru_cache(8)
def _resolved(part: Any, inputs: tuple[tuple[str, float], ...]) -> Scene:
    """A part for its inputs."""
    return resolved(part.scene(Inputs(dict(inputs))))[0]


def together(title: str, parts: Sequence[Scene], start: int = 0) -> Scene:
    """One scene of several, with a dial `part` that chooses which one is shown. Their dials need different names."""
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


def _place(title, parts):
    """Which of the parts has this title."""
    titles = [part.title for part in parts]
    if title is not None and title not in titles:
        raise ValueError(f"part: expected one of {', '.join(map(repr, titles))}, but got {title!r}")
    return 0 if title is None else titles.index(title)
