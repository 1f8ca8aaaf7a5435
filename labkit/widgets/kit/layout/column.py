"""A graph from top to bottom in one column, for little room. What the last box follows from, its spine, stands at the left, one
below the other and joined by a straight line; all others are set in, above what uses them, and reach it along lanes.

There are two kinds of lanes: right of the spine's line for what passes no box of the spine, one for each box that they lead to;
and left of the spine for what passes some, one for each box that they come from.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from . import Point

LINE = 14.0  # px from the left side of a box to the line that goes down from it
BESIDE = 11.0  # px free beside a line
APART = 8.0  # px between lanes
TIGHT, GAP = 6.0, 15.0  # px between rows: where nothing leads straight from one to the next, and where something does
MOST_LANES = 9
OFF = 6.0  # px from the middle of a side, where something arrives there and something leaves

Link = tuple[int, int]


@dataclass(frozen=True)
class Column:
    """Where the boxes stand: `boxes` (left, top, width), all of one `high`; `routes`: of each edge, px from the top left corner.

    `inset`: where those begin that are not in the spine. `below`: px left free below each box.
    """

    boxes: list[tuple[float, float, float]]
    routes: list[list[Point]]
    width: float
    height: float
    inset: float


def column(
    order: Sequence[int], edges: Sequence[Link], widths: Sequence[float], below: Sequence[float], high: float,
    first: Collection[int] = (), least: float = 0.0,
) -> Column | None:  # fmt: skip
    """The boxes in an `order` in which each edge leads down; None where it would need more than `MOST_LANES` lanes.

    `widths`: what each box needs; all end at one side, at least `least` px from the left. `below`: px to be left free below each
    box. `first`: the boxes from which the spine leads, if it can.

    >>> drawn = column([0, 1, 2], [(0, 2), (1, 2)], [40, 40, 40], [0, 0, 0], 20)
    >>> drawn.boxes
    [(0.0, 0.0, 76.0), (36.0, 26.0, 40.0), (0.0, 61.0, 76.0)]
    >>> drawn.routes
    [[(14.0, 20.0), (14.0, 61.0)], [(36.0, 36.0), (25.0, 36.0), (25.0, 61.0)]]
    """
    place, spine = {v: row for row, v in enumerate(order)}, spine_of(order, edges, first)
    lanes = _Lanes(place, spine, edges)
    if lanes.count > MOST_LANES:
        return None
    left, inset = lanes.left, lanes.inset
    whole = max([least, *(width + (left if v in spine else inset) for v, width in enumerate(widths))])
    tops, y = {}, 0.0
    joined = {(place[u], place[v]) for u, v in edges}
    for row, v in enumerate(order):
        tops[v] = y
        nothing = (row, row + 1) not in joined and row + 1 < len(order) and order[row + 1] not in spine
        y += high + max(TIGHT + below[v], TIGHT if nothing else GAP)
    starts = {v: left if v in spine else inset for v in order}
    boxes = [(starts[v], tops[v], whole - starts[v]) for v in range(len(order))]
    routes = [lanes.route(edge, boxes, high) for edge in edges]
    return Column(boxes, routes, whole, max([0.0, *(tops[v] + high + below[v] for v in order)]), inset)


def spine_of(order: Sequence[int], edges: Iterable[Link], first: Collection[int] = ()) -> set[int]:
    """The boxes on the longest way, one that leads from the boxes `first` where there is one.

    >>> sorted(spine_of([0, 1, 2, 3], [(0, 1), (1, 2), (3, 2)])), sorted(spine_of([0, 1, 3, 2], [(0, 1), (1, 2), (3, 2)], [3]))
    ([0, 1, 2], [2, 3])
    """
    parents: dict[int, list[int]] = {v: [] for v in order}
    for u, v in edges:
        parents[v].append(u)
    history = dict.fromkeys(order, 0)
    for v in order:
        far = len(order) if v in first else 0
        history[v] = max([far, *(history[u] + 1 for u in parents[v])])
    found = set[int]()
    at = max(order, key=lambda v: history[v], default=None)
    while at is not None:
        found.add(at)
        at = max(parents[at], key=lambda v: history[v], default=None)
    return found


class _Lanes:
    """`inner` and `outer`: the lane of each edge that has one, by what it shares it with; 0 is next to the boxes."""

    def __init__(self, place: dict[int, int], spine: set[int], edges: Sequence[Link]):
        self.place, self.spine = place, spine
        rows = sorted(place[v] for v in spine)
        self._straight = set(pairwise(rows))
        inner: dict[int, list[int]] = {}
        outer: dict[int, list[int]] = {}
        for u, v in edges:
            a, b = place[u], place[v]
            if self._is_straight(u, v):
                continue
            passes = any(a < row < b for row in rows)
            shared = outer.setdefault(u, []) if passes else inner.setdefault(v, [])
            shared += [a, b]
        self.inner, self.outer = _apart(inner), _apart(outer)
        ins, outs = (max(lanes.values(), default=-1) + 1 for lanes in (self.inner, self.outer))
        self.count = ins + outs
        self.left = APART * outs + (4 if outs else 0.0)
        self.inset = self.left + LINE + (BESIDE + APART * (ins - 1) + BESIDE if ins else BESIDE)
        sides = [(u, v) for u, v in edges if not self._is_straight(u, v)]
        self._leave = {u for u, v in sides if u not in spine or u in self.outer}
        self._arrive = {v for u, v in sides if v not in spine or self._goes_outside(u, v)}

    def _is_straight(self, u, v):
        a, b = self.place[u], self.place[v]
        if u in self.spine and v in self.spine:
            return (a, b) in self._straight
        return b == a + 1 and u not in self.spine and v not in self.spine

    def _goes_outside(self, u, v):
        a, b = self.place[u], self.place[v]
        return any(a < self.place[w] < b for w in self.spine)

    def route(self, edge: Link, boxes: Sequence[tuple[float, float, float]], high: float) -> list[Point]:
        """The points of an edge, from its first box to its second."""
        u, v = edge
        (x, y, _), (x_end, y_end, _) = boxes[u], boxes[v]
        if self._is_straight(u, v):
            return [(x + LINE, y + high), (x + LINE, y_end)]
        outside = self._goes_outside(u, v)
        lane = 4 + APART * (max(self.outer.values()) - self.outer[u]) if outside else self._inside(v)
        leaves, arrives = self._side(u, y, high, 1), self._side(v, y_end, high, -1)
        start = [(lane, y + high)] if u in self.spine and not outside else [(x, leaves), (lane, leaves)]
        end = [(lane, y_end)] if v in self.spine and not outside else [(lane, arrives), (x_end, arrives)]
        return [*start, *end]

    def _inside(self, v):
        return self.inset - BESIDE - APART * self.inner[v]

    def _side(self, v, top, high, way):
        """The height at which something leaves a box at its side (`way` 1), or arrives there (-1)."""
        both = v in self._leave and v in self._arrive
        return top + high / 2 + (OFF * way if both else 0.0)


def _apart(groups: dict[int, list[int]]) -> dict[int, int]:
    """A lane for each group of rows, none for two that are at the same height; short ones are next to the boxes."""
    lanes: dict[int, int] = {}
    taken: list[list[tuple[int, int]]] = []
    for key, rows in sorted(groups.items(), key=lambda group: (max(group[1]) - min(group[1]), min(group[1]))):
        low, high = min(rows), max(rows)
        lane = next((i for i, spans in enumerate(taken) if all(high <= a or b <= low for a, b in spans)), len(taken))
        taken += [[]] if lane == len(taken) else []
        taken[lane].append((low, high))
        lanes[key] = lane
    return lanes
