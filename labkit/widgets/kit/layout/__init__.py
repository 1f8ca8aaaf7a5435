"""The places of a graph's boxes: a layered layout from left to right.

Its steps are those of K. Sugiyama et al. ("Methods for visual understanding of hierarchical system structures", 1981):

1. `_ranks`: the column of each box, by its longest path from a leaf; what leaves alone feed stands next to its use.
2. `_with_lanes`: an edge gets a lane in every column that it crosses, an item of its own, so that all links join
   neighbours. The edges from one box share their lanes: a parameter used in many places is one line that branches.
3. `reorder`: the order within the columns, by barycentre and transposition, for few crossings.
4. `_settle`: the heights. Items form chains, each following its main parent, the one with the longest history; a chain
   is a straight line wherever no longer one is in its way, so the longest, the spine, always is.
5. `Layout.route`: an edge keeps to its lane inside a column and changes its height in the gaps between columns alone,
   so it never crosses a box.

n boxes can need n^2 lanes. So there are at most `MOST_LANES`; beyond, the boxes whose edges reach farthest send them by
the bus instead: rows below the whole drawing, which take no part in steps 3 and 4.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import pairwise

from .lanes import Items, Near, find_tops

MOST_LANES = 20_000

Point = tuple[float, float]
_NO_EDGE = "layout: expected edges between {count} nodes, counted from 0, but got ({u}, {v})"


@dataclass(frozen=True)
class Layout:
    """What `layout` returns. All lengths are in px, measured from the top left corner.

    `boxes`: (left, top, width, height) of each node. `width`, `height`: of the whole drawing. `columns`: (left, right)
    of each column. `ranks`: the column of each node. `crossings`: how often the links between neighbouring columns
    cross, lanes included, the bus not.
    """

    boxes: list[tuple[float, float, float, float]]
    width: float
    height: float
    columns: list[tuple[float, float]]
    ranks: list[int]
    crossings: int
    _edges: list[tuple[int, int]] = field(repr=False)
    _lanes: dict[int, list[float]] = field(repr=False)  # the heights of a node's lanes, from left to right
    _bus: dict[int, float] = field(repr=False)  # the height of a node's row there

    def route(self, k: int, start: float | None = None, end: float | None = None, shift: float = 0.0) -> list[Point]:
        """The points of edge `k`, from the right side of its first box to the left side of its second.

        `start` and `end`: px below the tops of the two boxes, by default half their heights. `shift`: px by which the
        edge runs below the middle of its lanes, which are as high as `lane` in `layout`.

        >>> layout([(40, 20), (60, 20), (40, 20)], [(0, 1), (1, 2), (0, 2)]).route(2, start=15)
        [(40.0, 15.0), (96.0, 36.0), (156.0, 36.0), (212.0, 10.0)]
        """
        u, v = self._edges[k]
        (x, y, width, height), (x_end, y_end, _, height_end) = self.boxes[u], self.boxes[v]
        y += height / 2 if start is None else start
        y_end += height_end / 2 if end is None else end
        (_, right), *crossed, (left, _) = self.columns[self.ranks[u] : self.ranks[v] + 1]
        points = [(x + width, y)] + ([(right, y)] if x + width < right else [])
        lanes = [self._bus[u]] * len(crossed) if u in self._bus else self._lanes.get(u, [])
        for column, lane in zip(crossed, lanes, strict=False):
            points += [(side, lane + shift) for side in column]
        return points + ([(left, y_end)] if left < x_end else []) + [(x_end, y_end)]


def layout(
    sizes: Sequence[tuple[float, float]],
    edges: Iterable[tuple[int, int]],
    *,
    column_gap: float = 56.0,
    row_gap: float = 18.0,
    lane: float = 14.0,
    first: Collection[int] = (),
) -> Layout:
    """Place boxes of `sizes`, (width, height) each, so that every edge (u, v) leads to a column farther right.

    `edges` are pairs of positions in `sizes`; a pair may come twice. All lengths are in px: `column_gap` between
    columns, `row_gap` between boxes one below the other, `lane` the height that an edge takes in a column it crosses.
    Boxes in line have their tops at one height; the longest line follows
    what leads from the boxes `first`. The same input always gives the same layout. Raises ValueError for an
    edge to a node that is not there and for a cycle.

    >>> drawn = layout([(40, 20), (60, 20), (40, 20)], [(0, 1), (1, 2), (0, 2)])
    >>> drawn.boxes, drawn.height, drawn.crossings
    ([(0.0, 0.0, 40, 20), (96.0, 0.0, 60, 20), (212.0, 0.0, 40, 20)], 43.0, 0)
    """
    edges = list(edges)
    links = list(dict.fromkeys(edges))
    history, ranks = _ranks(len(sizes), links)
    history = _leading(history, links, first) if first else history
    items, bus = _with_lanes(history, ranks, links)
    tops, height, crossings = find_tops(items, [h for _, h in sizes], row_gap, lane)
    columns = _columns([w for w, _ in sizes], ranks, column_gap)
    boxes = []
    for rank, top, (w, h) in zip(ranks, tops, sizes, strict=False):
        left, right = columns[rank]
        boxes.append((left + (right - left - w) / 2, top, w, h))
    lanes = {u: [tops[v] + lane / 2 for v in numbers] for u, numbers in items.lanes.items() if numbers}
    rows = {u: height + row_gap + lane * (row + 0.5) for u, row in _rows(bus).items()}
    height = max(rows.values()) + lane / 2 if rows else height
    width = columns[-1][1] if columns else 0.0
    return Layout(boxes, width, height, columns, ranks, crossings, edges, lanes, rows)


# ---- columns ----


def _ranks(n: int, links: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """The longest path to each box, and its column."""
    for u, v in links:
        if not (0 <= u < n and 0 <= v < n):
            raise ValueError(_NO_EDGE.format(count=n, u=u, v=v))
    parents, children = _neighbours(n, links)
    order = _parents_first(parents, children)
    history, latest, free = [0] * n, [0] * n, [True] * n
    for v in order:
        history[v] = max((history[u] + 1 for u in parents[v]), default=0)
    for u in reversed(order):
        latest[u] = min((latest[v] - 1 for v in children[u]), default=history[u])
    ranks = history.copy()
    for v in order:  # leaves are free, and what has leaves alone behind it and room ahead
        free[v] = not parents[v] or (latest[v] > history[v] and all(free[u] for u in parents[v]))
    for u in reversed(order):
        if free[u] and children[u]:
            ranks[u] = min(ranks[v] for v in children[u]) - 1
    return history, ranks


def _leading(history: list[int], links: list[tuple[int, int]], first: Collection[int]) -> list[int]:
    """The longest paths, those from the boxes `first` being longer than all others."""
    parents, children = _neighbours(len(history), links)
    reached = set(first)
    for u in _parents_first(parents, children):
        if u in reached:
            reached.update(children[u])
    return [h + len(history) * (v in reached) for v, h in enumerate(history)]


def _neighbours(n: int, links: Iterable[tuple[int, int]]) -> tuple[Near, Near]:
    """The parents and the children of each of `n` items."""
    parents: Near = [[] for _ in range(n)]
    children: Near = [[] for _ in range(n)]
    for u, v in links:
        parents[v].append(u)
        children[u].append(v)
    return parents, children


def _parents_first(parents: Near, children: Near) -> list[int]:
    waiting = [len(near) for near in parents]
    order = [v for v, count in enumerate(waiting) if not count]
    for u in order:  # it grows meanwhile
        for v in children[u]:
            waiting[v] -= 1
            if not waiting[v]:
                order.append(v)
    if len(order) < len(parents):
        walk = [next(v for v, count in enumerate(waiting) if count)]
        while walk[-1] not in walk[:-1]:
            walk.append(next(u for u in parents[walk[-1]] if waiting[u]))
        cycle = " -> ".join(str(v) for v in walk[walk.index(walk[-1]) :][::-1])
        raise ValueError("layout: expected a graph without cycles, but got {cycle}".format(cycle=cycle))
    return order


def _with_lanes(history: list[int], ranks: list[int], links: list[tuple[int, int]]) -> tuple[Items, dict[int, range]]:
    """The items; and for each box that goes by bus, the columns that its edges cross."""
    reach = ranks.copy()
    for u, v in links:
        reach[u] = max(reach[u], ranks[v] - 1)
    lanes, bus, n = {}, {}, len(ranks)
    for u in sorted(range(n), key=lambda u: reach[u] - ranks[u]):
        crossed = range(ranks[u] + 1, reach[u] + 1)
        if n + len(crossed) <= len(ranks) + MOST_LANES:
            lanes[u] = range(n, n + len(crossed))
            n += len(crossed)
        else:
            bus[u] = crossed
    steps = [step for u, numbers in lanes.items() for step in pairwise([u, *numbers])]
    for u, v in links:
        before = ranks[v] - ranks[u] - 2  # the lane that the link comes from
        if before < 0 or u in lanes:
            steps.append((u if before < 0 else lanes[u][before], v))
    rank = ranks + [ranks[u] + 1 + i for u, numbers in lanes.items() for i in range(len(numbers))]
    past = history + [history[u] for u, numbers in lanes.items() for _ in numbers]
    return Items(rank, past, *_neighbours(n, steps), lanes), bus


def _columns(widths: list[float], ranks: list[int], gap: float) -> list[tuple[float, float]]:
    """The left and the right side of each column."""
    widest = [0.0] * (max(ranks, default=-1) + 1)
    for rank, width in zip(ranks, widths, strict=True):
        widest[rank] = max(widest[rank], width)
    columns, left = [], 0.0
    for width in widest:
        columns.append((left, left + width))
        left += width + gap
    return columns


def _rows(bus: dict[int, range]) -> dict[int, int]:
    """The row of each box that goes by bus; behind the end of one, another may begin."""
    rows: dict[int, int] = {}
    ends: list[tuple[int, int]] = []  # the last column in which a row is taken, and the row
    for u, crossed in sorted(bus.items(), key=lambda entry: entry[1].start):
        rows[u] = heappop(ends)[1] if ends and ends[0][0] < crossed.start else len(ends)
        heappush(ends, (crossed.stop - 1, rows[u]))
    return rows
