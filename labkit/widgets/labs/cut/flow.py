"""Where the cards, the wires and the scissors are, with ranks from left to right or from top to bottom."""

from itertools import pairwise, product
from typing import Any

from ...kit.layout import Point, layout
from .run import Cuts

WIDE, HALF, HIGH, EDGE = 112.0, 46.0, 92.0, 14.0  # px: of a card, of the part with the value, and around everything
GAP, PITCH = 84.0, 11.0  # px between ranks, between the ends of two wires
ROOM = 50.0, 44.0  # px from one pair of scissors to the next, across or down


def flow(found: Cuts, upright: bool) -> dict[str, Any]:
    """`boxes`: the left upper corner of each card; `wires`: of each use the wire `forward` and `back`, each with its `points` and
    as a `path`, and the `spot` of its scissors; `width`, `height`."""
    nodes, uses = found.story.nodes, found.uses
    pairs = [(nodes[use.node].parents[use.place], use.node) for use in uses]
    edges = list(dict.fromkeys(pairs))
    gap = GAP - 24.0 * upright
    drawn = layout(
        [(HIGH, WIDE) if upright else (WIDE, HIGH)] * len(nodes), edges, column_gap=gap, row_gap=18.0, lane=26.0
    )
    middles = (WIDE / 4, WIDE * 3 / 4) if upright else (HALF / 2, HALF * 3 / 2)
    wires, spots = [], list[Point]()
    for k, (start, end) in enumerate(pairs):
        leaves = _offset(
            k, [i for i, pair in enumerate(pairs) if pair[0] == start], [drawn.boxes[pair[1]][1] for pair in pairs]
        )
        enters = _offset(
            k, [i for i, pair in enumerate(pairs) if pair[1] == end], [drawn.boxes[pair[0]][1] for pair in pairs]
        )
        at = edges.index((start, end))
        forward, back = (
            [
                _turned((x + EDGE, y + EDGE), upright)
                for x, y in drawn.route(at, middle + leaves, middle + enters, shift)
            ]
            for middle, shift in zip(middles, (-6.0, 6.0), strict=True)
        )
        spots.append(_spot(back, spots, upright, gap))
        wires.append({"forward": _written(forward, upright), "back": _written(back, upright), "spot": spots[-1]})
    width, height = _turned((drawn.width + 2 * EDGE, drawn.height + 2 * EDGE), upright)
    boxes = [_turned((x + EDGE, y + EDGE), upright) for x, y, _, _ in drawn.boxes]
    return {"boxes": boxes, "wires": wires, "width": width, "height": height}


def _turned(point: Point, upright: bool) -> Point:
    x, y = (round(one, 1) for one in point)
    return (y, x) if upright else (x, y)


def _offset(k, others, places):
    """px from the middle at which the end of a wire is, among `others` at the same card, by where these lead."""
    order = sorted(others, key=lambda i: (places[i], i))
    return PITCH * (order.index(k) - (len(order) - 1) / 2)


def _written(points, upright):
    text = "M{:g} {:g}".format(*points[0])
    for p, q in pairwise(points):
        text += "C{:g} {:g} {:g} {:g} {:g} {:g}".format(*_bend(p, q, upright), *q)
    return {"points": points, "path": text}


def _bend(p: Point, q: Point, upright: bool) -> tuple[float, ...]:
    """The two control points between the ends of a piece, which begins and ends along the ranks."""
    x, y = (p[0] + q[0]) / 2, (p[1] + q[1]) / 2
    return (p[0], y, q[0], y) if upright else (x, p[1], x, q[1])


def _spot(points, others, upright, gap):
    """A place on a wire between two ranks, as far as it takes from other scissors; at best in the middle of its last gap."""
    pieces = [(p, q) for p, q in pairwise(points) if abs(p[upright] - q[upright]) > gap - 1] or [*pairwise(points)]
    found = [_along(p, q, t, upright) for (p, q), t in product(reversed(pieces), (0.5, 0.34, 0.66, 0.2, 0.8))]
    return max(found, key=lambda spot: min([1.0, *(_apart(spot, other) for other in others)]))


def _apart(one: Point, other: Point) -> float:
    return max(abs(a - b) / room for a, b, room in zip(one, other, ROOM, strict=True))


def _along(p, q, t, upright):
    slow, fast = 1.5 * t * (1 - t) + t**3, 3 * t * t - 2 * t**3  # along the ranks, and across
    shares = (fast, slow) if upright else (slow, fast)
    return tuple(round(a + (b - a) * share, 1) for a, b, share in zip(p, q, shares, strict=True))
