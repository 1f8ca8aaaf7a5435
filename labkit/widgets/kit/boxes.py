"""Cards in a graph, the arrows between them, and the places of the labels next to these."""

from collections.abc import Iterable, Iterator, Sequence
from math import ceil
from typing import TypeVar

from .layout import Layout, Point, path
from .scene import Mark, arrow_head, rect, text, width_of
from .scene import path as drawn

CARD = 40.0  # the height of a card
BELOW = 64.0  # from the top of a card to the top of the one that belongs to it
EDGE = 6.0  # free room at the panel's border
PAD = 18.0
HALF = CARD / 2
PART = 400.0
HIGH = 13.0  # px, of a label


Climb = tuple[Point, Point]
Words = TypeVar("Words", bound=str)


def name_width(words: str) -> float:
    """Of the first line of a card, px: by its letters, for it fills its box."""
    return 12.5 * sum(map(_letter, words))


def _letter(letter):
    """Its width as a part of the size, in bold and in one of the wider fonts."""
    if letter in "mwMW%@…→":
        return 1.03
    if letter in " fijlrtI.,:;'|()[]/-":
        return 0.44
    return 0.82 if letter.isupper() or letter in "+−×÷=<>∑" else 0.7


def value_width(words: str) -> float:
    """Of the second line of a card, px."""
    return width_of(words, 12, mono=True)


def label_width(words: str) -> float:
    """Of a slope's text, px."""
    return width_of(words, 11.5, bold=True)


def card(
    x: float,
    y: float,
    w: float,
    role: str,
    title: str,
    value: str,
    pill: bool,
    link: str | None = None,
    high: float = CARD,
) -> Iterator[Mark]:
    """A box with a title and, below it, a value. A `pill` has round ends, as leaves have."""
    first, second = (17, 33) if high == CARD else (0.4 * high, 0.83 * high)
    yield rect(x, y, w, high, role, high / 2 if pill else 4, link=link)
    yield text(x + w / 2, y + first, title, "name", "middle", link=link)
    yield text(x + w / 2, y + second, value, "value", "middle", link=link)


def arrow(points: Sequence[Point | None], role: str, head: str, back: bool = False) -> Iterator[Mark]:
    """A route, and an arrow head at its end, or at its start for what flows back."""
    yield drawn(path(points), role)
    (x, y), (u, v) = [point or (0.0, 0.0) for point in (points[:2] if back else points[:-3:-1])]  # a route has its ends
    upright = x == u and y != v
    yield arrow_head(x, y, 0 if upright else -1 if back else 1, (-1 if y < v else 1) if upright else 0, head)


def spread_entries(layout: Layout, ends: Sequence[int], widest: float, room: float) -> list[float]:
    """How far from the middle of its box each edge ends: several edges into one box are spread, upper ones first.

    `ends`: the box at which each edge ends. Two edges are `widest` px apart, or less where all need the `room`.
    """
    into: dict[int, list[int]] = {}
    for k, end in enumerate(ends):
        into.setdefault(end, []).append(k)
    offsets = [0.0] * len(ends)
    for found in into.values():
        found.sort(key=lambda k: layout.route(k)[-2][1])
        for place, k in enumerate(found):
            offsets[k] = (place - (len(found) - 1) / 2) * min(widest, room / len(found))
    return offsets


def placed_labels(wanted: Iterable[tuple[list[Climb], Words]], clear: float = HIGH) -> list[tuple[float, float, Words]]:
    """The places of labels next to the parts of their routes that cross a gap: `(x, y of the baseline, words)`, none over
    another, and as many px as `clear` above or below it if there is a place; where there is no room for one, it is left out."""
    found: list[tuple[float, float, Words]] = []
    taken: dict[tuple[int, int], list[tuple[float, float, float]]] = {}  # middle, baseline, half the width, by where
    for crossings, words in sorted((w for w in wanted if w[0]), key=lambda w: min(map(_steepness, w[0]))):
        half, places = label_width(words) / 2 + 2, list(_spots(crossings))
        for (x, y), apart in [(spot, apart) for apart in dict.fromkeys((clear, HIGH)) for spot in places]:
            part, row, reach = int(x // PART), int(y // HIGH), ceil(apart / HIGH)  # no label is wider, or higher
            near = (taken.get((part + i, row + k), ()) for i in (-1, 0, 1) for k in range(-reach, reach + 1))
            if all(abs(x - u) >= half + other or abs(y - v) >= apart for spots in near for u, v, other in spots):
                taken.setdefault((part, row), []).append((x, y, half))
                found.append((x, y, words))
                break
    return found


def _steepness(crossing):
    (_, y1), (_, y2) = crossing
    return abs(y1 - y2)


def _spots(crossings):
    """Baselines to try: above the flat parts, then along the climbs, from the middle outwards."""
    for (x1, y1), (x2, y2) in sorted(crossings, key=_steepness):
        x = (x1 + x2) / 2
        if (x1, y1) == (x2, y2):  # a place for a label alone
            yield x, y1
        elif abs(y1 - y2) < 12:
            yield from ((x, (y1 + y2) / 2 - 6), (x, (y1 + y2) / 2 + 14))
        else:
            yield from ((x, y1 + (y2 - y1) * part + 4) for part in (0.5, 0.35, 0.65, 0.2, 0.8))
