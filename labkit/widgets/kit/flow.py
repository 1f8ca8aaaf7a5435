"""Where the cards of a graph and their wires are; a card has a value and, below it, its gradient."""

from collections.abc import Sequence
from itertools import pairwise, product
from typing import Any

from .layout import Point, layout

WIDE, HALF, HIGH, EDGE = 112.0, 46.0, 92.0, 14.0  # px: of a card, of the part with the value, and around everything
PITCH = 11.0  # px between the ends of two wires
ROOM = 50.0, 44.0  # px from one spot to the next, across or down


def flow(
    parents: Sequence[Sequence[int]], upright: bool, gap: float, wide: float = WIDE, high: float = HIGH
) -> dict[str, Any]:
    """`parents` are those of each node, one for each use; `gap`: px between ranks; `wide`, `high`: px of a card.

    `boxes`: the left upper corner of each card; `wires`: of each use the wire `forward` and `back`, each with its `points` and
    as a `path`, and a `spot` on the latter that is not close to another; `width`, `height`.
    """
    pairs = [(parent, node) for node, those in enumerate(parents) for parent in those]
    edges = list(dict.fromkeys(pairs))
    size = (high, wide) if upright else (wide, high)
    drawn = layout([size] * len(parents), edges, column_gap=gap, row_gap=18.0, lane=26.0)
    middles = (wide / 4, wide * 3 / 4) if upright else (HALF / 2, HALF * 3 / 2)
    ends = list(zip(*(_offsets(pairs, drawn.boxes, side) for side in (0, 1)), strict=True))
    place = {edge: k for k, edge in enumerate(edges)}
    wires, spots = [], list[Point]()
    for pair, (leaves, enters) in zip(pairs, ends, strict=True):
        forward, back = (
            [_turned(p, upright) for p in drawn.route(place[pair], middle + leaves, middle + enters, shift)]
            for middle, shift in zip(middles, (-6.0, 6.0), strict=True)
        )
        spots.append(_spot(back, spots[-40:], upright, gap))
        wires.append({"forward": _written(forward, upright), "back": _written(back, upright), "spot": spots[-1]})
    width, height = _turned((drawn.width + EDGE, drawn.height + EDGE), upright)
    boxes = [_turned((x, y), upright) for x, y, _, _ in drawn.boxes]
    return {"boxes": boxes, "wires": wires, "width": width, "height": height}


def _turned(point: Point, upright: bool) -> Point:
    x, y = (round(one + EDGE, 1) for one in point)
    return (y, x) if upright else (x, y)


def _offsets(pairs, boxes, side):
    """px from the middle at which each wire starts (`side` 0) or ends, among those at the same card, by where they lead."""
    found, ends = [0.0] * len(pairs), dict[int, list[int]]()
    for k, pair in enumerate(pairs):
        ends.setdefault(pair[side], []).append(k)
    for wires in ends.values():
        pitch = min(PITCH, (HALF - 12) / max(len(wires) - 1, 1))
        for i, k in enumerate(sorted(wires, key=lambda k: boxes[pairs[k][1 - side]][1])):
            found[k] = pitch * (i - (len(wires) - 1) / 2)
    return found


def _written(points, upright):
    text = "M{:g} {:g}".format(*points[0])
    for p, q in pairwise(points):
        x, y = (p[0] + q[0]) / 2, (p[1] + q[1]) / 2
        bend = (p[0], y, q[0], y) if upright else (x, p[1], x, q[1])  # it begins and ends along the ranks
        text += "C{:g} {:g} {:g} {:g} {:g} {:g}".format(*bend, *q)
    return {"points": points, "path": text}


def _spot(points, others, upright, gap):
    """A place on a wire between two ranks, as far as it takes from others; at best in the middle of its last gap."""
    pieces = [(p, q) for p, q in pairwise(points) if abs(p[upright] - q[upright]) > gap - 1] or [*pairwise(points)]
    found = [_along(p, q, t, upright) for (p, q), t in product(reversed(pieces[-3:]), (0.5, 0.34, 0.66, 0.2, 0.8))]
    return max(found, key=lambda spot: min([1.0, *(_apart(spot, other) for other in others)]))


def _apart(one: Point, other: Point) -> float:
    return max(abs(a - b) / room for a, b, room in zip(one, other, ROOM, strict=True))


def _along(p, q, t, upright):
    slow, fast = 1.5 * t * (1 - t) + t**3, 3 * t * t - 2 * t**3  # along the ranks, and across
    shares = (fast, slow) if upright else (slow, fast)
    return tuple(round(a + (b - a) * share, 1) for a, b, share in zip(p, q, shares, strict=True))
