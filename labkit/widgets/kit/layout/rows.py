"""A layout wider than a page, cut into rows like lines of text. An edge that leaves a row is led around to the next one: out at
the right, back between the rows, in at the left. Where that would be many lines, it is cut there."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from math import ceil

from . import Layout, Point

PAGE = 1130.0  # px, the width that needs no rows
FLAT = 1.2  # width to height of a drawing that one page does not hold
FEW, SLACK = 4, 1.2  # so few rows may be so many times as wide: a little smaller, they are fewer
ROW_GAP = 26.0  # px between rows
IN = 24.0  # px that an edge comes from before the first column of a row
APART = 7.0  # px between lines that are led around
MOST = 8  # lines that are led around
TAIL = 0.35  # of a row's width: how far from the even place it may end

Turns = Sequence[Sequence[Point]]


@dataclass(frozen=True)
class Rows:
    """Where the points of a `layout` are when it is cut at `cuts` (px from its left side), ends not included.

    `tops`, `heights`: of the rows, in the layout; `starts`: where they begin, from the top of all. One row is as the layout.
    `turns`: at each cut the heights, before and after, of what is led around there; [] where edges are cut.
    """

    layout: Layout
    cuts: Sequence[float]
    tops: Sequence[float]
    heights: Sequence[float]
    starts: Sequence[float]
    turns: Turns = ()

    @classmethod
    def of(
        cls, layout: Layout, edges: Sequence[tuple[int, int]], widest: float | None = None,
        routes: Sequence[Sequence[Point]] | None = None,
    ) -> "Rows":  # fmt: skip
        """Rows of at most about `widest` px: by default what a page holds, or for many rows what keeps them in proportion.

        `routes`: what is drawn between the boxes, by default the routes of the layout.
        """
        area = layout.width * (layout.height + ROW_GAP)
        widest = widest or max(PAGE, (FLAT * area) ** 0.5 if area > FLAT * PAGE**2 else PAGE)
        most = SLACK * widest if layout.width <= FEW * widest else widest
        if layout.width <= most:
            return cls(layout, [], [0.0], [layout.height], [0.0])
        cuts = _cuts(layout.columns, _crossing(layout, edges), most - _gap(layout) - IN)
        routes = [layout.route(k) for k in range(len(edges))] if routes is None else routes
        begins = _begins(layout, cuts)
        routes = [_direct(cuts, begins, route) for route in routes]
        tops, bottoms = [layout.height] * (len(cuts) + 1), [0.0] * (len(cuts) + 1)
        for x, low, high in _spans(layout, routes):
            row = bisect_right(cuts, x)
            tops[row], bottoms[row] = min(tops[row], low), max(bottoms[row], high)
        heights = [bottom - top for top, bottom in zip(tops, bottoms, strict=True)]
        turns = [found if len(found) <= MOST else [] for found in _turns(cuts, routes)]
        between = [h + ROW_GAP + APART * len(found) for h, found in zip(heights[:-1], turns, strict=True)]
        return cls(layout, cuts, tops, heights, [*accumulate(between, initial=0.0)], turns)

    @property
    def width(self) -> float:
        """Of all rows, px."""
        ends = [*self.cuts, self.layout.width]
        return max(
            self.place((end - 0.01, 0.0))[0] + (self._out(row) if end in self.cuts else 0.01)
            for row, end in enumerate(ends)
        )

    def _out(self, row):
        """Px behind the last column of a row."""
        gap = self._begins[row] - self.cuts[row]
        return max(APART * len(self.turns[row]) + IN / 2, gap - 2 * IN / 3) if self.turns[row] else gap

    def _in(self, row):
        """Px before the first column of a row."""
        return (APART * len(self.turns[row - 1]) + IN if self.turns[row - 1] else IN) if row else 0.0

    @property
    def height(self) -> float:
        """Of all rows, px."""
        return self.starts[-1] + self.heights[-1]

    def row(self, x: float) -> int:
        """The row that a place of the layout is in."""
        return bisect_right(self.cuts, x)

    def place(self, point: Point, row: int | None = None) -> Point:
        """Where a point of the layout is (in a row that it may lie beyond)."""
        (x, y), row = point, self.row(point[0]) if row is None else row
        left = self._begin(row) - self._in(row)
        return x - left, y - self.tops[row] + self.starts[row]

    def _begin(self, row):
        """Where the first column of a row begins in the layout."""
        return self._begins[row - 1] if row else 0.0

    @cached_property
    def _begins(self):
        return _begins(self.layout, self.cuts)

    def route(self, points: Sequence[Point]) -> list[Point | None]:
        """A route of the layout; None where it is cut and goes on in the next row."""
        found: list[Point | None] = [self.place(points[0])]
        for start, end in pairwise(self.direct(points)):
            before, after = self.row(start[0]), self.row(end[0])
            for row in range(before, after):
                found += self._around(row, start[1], end[1]) if self.turns[row] else self._cut(row, end[1])
            found.append(self.place(end))
        return found

    def direct(self, points: Sequence[Point]) -> list[Point]:
        """A route without the climbs where a row ends: there it is led around."""
        return _direct(self.cuts, self._begins, points)

    def _cut(self, row, y):
        out, begin = self.cuts[row] + self._out(row) - 6, self._begin(row + 1) - self._in(row + 1) + 4
        return [self.place((out, y), row), None, self.place((begin, y), row + 1)]

    def _around(self, row, y, y_end):
        """From the end of a row to the beginning of the next: the upper ones outermost at the right, innermost at the left."""
        turns = self.turns[row]
        key, last = (round(y, 2), round(y_end, 2)), len(turns) - 1
        place, arrives = turns.index(key), sorted(turns, key=lambda turn: turn[::-1]).index(key)
        right, top = self.place((self.cuts[row] + self._out(row) - 4 - APART * place, y), row)
        left, bottom = self.place((self._begin(row + 1) - IN + 6 - APART * (last - arrives), y_end), row + 1)
        between = self.starts[row] + self.heights[row] + ROW_GAP / 2 + APART * (last - place)
        return [(right, top), (right, between), (left, between), (left, bottom)]


def _begins(layout, cuts):
    """Where the column behind each cut begins."""
    lefts = [left for left, _ in layout.columns]
    return [lefts[bisect_right(lefts, cut)] for cut in cuts]


def _direct(cuts, begins, points):
    def climbs(x):
        before = bisect_left(cuts, x) - 1
        return before >= 0 and x < begins[before] - 0.01

    return [p for p in points if not climbs(p[0])]


def _gap(layout: Layout) -> float:
    """Between columns."""
    return layout.columns[1][0] - layout.columns[0][1] if len(layout.columns) > 1 else 0.0


def _crossing(layout: Layout, edges: Iterable[tuple[int, int]]) -> list[int]:
    """How many edges cross the gap behind each column."""
    steps = [0] * (len(layout.columns) + 1)
    for u, v in edges:
        steps[layout.ranks[u]] += 1
        steps[layout.ranks[v]] -= 1
    return [*accumulate(steps)]


def _cuts(columns: Sequence[Point], crossing: Sequence[int], widest: float) -> list[float]:
    """The right sides of the columns behind which a row ends: rows about as long as one another, none much wider than `widest`,
    and of the places near that those where the fewest edges cross."""
    cuts, left, last = list[float](), 0.0, -1
    while (rest := columns[-1][1] - left) > widest:
        even = rest / ceil(rest / widest)
        end = bisect_right(columns, left + widest, lo=last + 1, key=lambda column: column[1])
        fitting = range(last + 1, min(max(end, last + 2), len(columns) - 1))
        near = [c for c in fitting if abs(columns[c][1] - left - even) <= TAIL * even] or fitting[-1:]
        if not near:
            break
        last = min(near, key=lambda c: (crossing[c], abs(columns[c][1] - left - even)))
        cuts.append(columns[last][1] + 0.5)
        left = columns[last + 1][0]
    return cuts


def _turns(cuts: Sequence[float], routes: Sequence[Sequence[Point]]) -> list[list[Point]]:
    """The heights before and after each cut of the routes across it, from the top."""
    found: list[set[Point]] = [set() for _ in cuts]
    for points in routes:
        for (x, y), (x_end, y_end) in pairwise(points):
            for row in range(bisect_right(cuts, x), bisect_right(cuts, x_end)):
                found[row].add((round(y, 2), round(y_end, 2)))
    return [sorted(heights) for heights in found]


def _spans(layout: Layout, routes: Sequence[Sequence[Point]]) -> Iterator[tuple[float, float, float]]:
    """`(x, top, bottom)` of all boxes and routes."""
    yield from ((x, y, y + height) for x, y, _, height in layout.boxes)
    for route in routes:
        yield from ((x, y, y) for x, y in route)
