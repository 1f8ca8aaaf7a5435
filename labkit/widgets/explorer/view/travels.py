"""What travels along the edges of a graph view, as tokens: values on the way forwards, gradients on the way back.

A gradient starts as what has arrived at a box; where the edge's slope stands it becomes the product; where something has
arrived before, it is added. A box that several edges lead into sends a token along each, an edge that stands for several
uses carries one for each, shortly one after the other. Along an edge that goes on in another row of a large graph nothing
travels.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import asin, sin

import numpy as np

from ...kit.layout import Point, path
from ...kit.scene import STEP, Mark, Motion, rect, text
from ...kit.words import clipped, on_card
from .cards import Gradients
from .units import Edge, Units

ARRIVES = 0.75 * STEP  # when a token is there, and the number on the card changes
ONE_AFTER_OTHER = 0.13 * STEP
MOST = 3  # tokens along one edge; of more uses one carries the sum
HEIGHT, PAD, LETTER = 19.0, 12.0, 7.3  # px


def forward(units: Units, edge: Edge, points: Sequence[Point | None]) -> Iterator[Mark]:
    """The value that an edge carries when the box at its end runs."""
    value = edge.start.lead.value
    if value is not None:
        yield from _token(points, units.ran[edge.end], "valuetoken", [(_carried(value),) * 2])


def back(gradients: Gradients, edge: Edge, points: Sequence[Point | None], crossing: float = 0.5) -> Iterator[Mark]:
    """What goes back along an edge when the box at its end is walked, points being given in the edge's own direction."""
    units = gradients.units
    sent = units.sent_along(edge)
    if not sent:
        return
    step, first = units.walked[edge.end], units.steps_of[edge.end][0]
    parts = [s.value for s in sent] if len(sent) <= MOST else [sent[-1].total]
    before = any(when < step for when, _ in gradients.totals(edge.start))
    arrived = on_card(first.gradient, short=True)
    words = [(arrived, _added(value, before or i > 0)) for i, value in enumerate(parts)]
    yield from _token(points, step, "token", words, 1.0 - crossing, backwards=True)


def seed(units: Units, points: Sequence[Point | None], words: str) -> Iterator[Mark]:
    """What the way back starts with, along an arrow."""
    return _token(points, units.seed, "token", [(words, words)])


def arriving(mark: Mark, units: Units) -> Mark:
    """A text of a card or below it, which changes when a token has arrived; where the way back starts, at once."""
    if "text" not in mark.vary.get("step", {}):
        return mark
    moved = mark.moving("step", ARRIVES, 0.0, "text")
    return replace(moved, moves=[Motion("step", "text", length=0.0, position=units.seed), *moved.moves])


def _carried(value):
    """What goes forwards: few numbers as they are, of more the shape."""
    return on_card(value).partition(" ‖")[0]


def _added(value, more):
    """A single number that is added to others has a sign."""
    words = on_card(value, short=True)
    return f"+{words}" if more and np.size(value) == 1 and words[:1].isdigit() else words


def _token(points, step, role, words, crossing=0.5, backwards=False):
    whole = [point for point in points if point]
    if len(whole) < len(points):
        return
    whole = _below_names(whole)
    ends = (1.0, 0.0) if backwards else (0.0, 1.0)
    length, along = ARRIVES - ONE_AFTER_OTHER * (len(words) - 1), path(whole)
    for i, (first, then) in enumerate((clipped(a, 22), clipped(b, 22)) for a, b in words):
        start, width = i * ONE_AFTER_OTHER, max(len(first), len(then)) * LETTER + PAD
        going = Motion("step", "along", start, length, step, *ends, along)
        there = Motion("step", "text", start + length * _when(crossing), 0.0, step, first, then)
        yield rect(-width / 2, -HEIGHT / 2, width, HEIGHT, role, HEIGHT / 2, moves=[going])
        yield text(0, 4, first, "tokentext", "middle", moves=[going, there])


def _below_names(points: Sequence[Point]) -> list[Point]:
    """A way whose level parts at both ends are at the height of the values in the cards: so no token passes over a name.

    >>> _below_names([(0, 29), (9, 20), (30, 20), (30, 80), (50, 80), (60, 89)])
    [(0, 29), (9, 29), (30, 29), (30, 89), (50, 89), (60, 89)]
    """
    found = list(points)
    for way in (range(1, len(points) - 1), range(len(points) - 2, 0, -1)):
        first = points[way[0]][1] if way else 0.0
        for i in way:
            if points[i][1] != first:
                break
            found[i] = points[i][0], points[0 if way.step > 0 else -1][1]
    return found


def _when(share):
    """At which part of its time an even start and end (`kit.motion.part`) has brought a motion to `share`."""
    return 0.5 - sin(asin(1 - 2 * share) / 3)
