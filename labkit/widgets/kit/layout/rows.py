"""A layout wider than a page, cut into rows like lines of text: an edge leaves one row and enters the next at its height."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from . import Layout, Point

PAGE = 1130.0  # px, the width that needs no rows
FLAT = 1.2  # width to height of a drawing that one page does not hold
ROW_GAP = 26.0  # px between rows
IN = 24.0  # px that an edge comes from before the first column of a row; behind the last it has the gap between columns
TAIL = 0.35  # the last part of a row, in which it may end


@dataclass(frozen=True)
class Rows:
    """Where the points of a `layout` are when it is cut at `cuts` (px from its left side), ends not included.

    `tops`, `heights`: of the rows, in the layout; `starts`: where they begin, from the top of all. One row is as the layout.
    """

    layout: Layout
    cuts: Sequence[float]
    tops: Sequence[float]
    heights: Sequence[float]
    starts: Sequence[float]

    @classmethod
    def of(cls, layout: Layout, edges: Sequence[tuple[int, int]], widest: float | None = None) -> "Rows":
        """Rows of at most about `widest` px: by default what a page holds, or for many rows what keeps them in proportion."""
        area = layout.width * (layout.height + ROW_GAP)
        widest = widest or max(PAGE, (FLAT * area) ** 0.5 if area > FLAT * PAGE**2 else PAGE)
        if layout.width <= widest * 1.1:
            return cls(layout, [], [0.0], [layout.height], [0.0])
        cuts = _cuts(layout.columns, _crossing(layout, edges), widest - _gap(layout) - IN)
        tops, bottoms = [layout.height] * (len(cuts) + 1), [0.0] * (len(cuts) + 1)
        for x, low, high in _spans(layout, edges):
            row = bisect_right(cuts, x)
            tops[row], bottoms[row] = min(tops[row], low), max(bottoms[row], high)
        heights = [bottom - top for top, bottom in zip(tops, bottoms, strict=True)]
        return cls(layout, cuts, tops, heights, [*accumulate((h + ROW_GAP for h in heights[:-1]), initial=0.0)])

    @property
    def width(self) -> float:
        """Of all rows, px."""
        ends = [*self.cuts, self.layout.width]
        return max(self.place((end - 0.01, 0.0))[0] + (_gap(self.layout) if end in self.cuts else 0.01) for end in ends)

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
        left = self.cuts[row - 1] - IN if row else 0.0
        return x - left, y - self.tops[row] + self.starts[row]

    def route(self, points: Sequence[Point]) -> list[Point | None]:
        """A route of the layout; None where it goes on in the next row."""
        found: list[Point | None] = [self.place(points[0])]
        for start, end in pairwise(points):
            before, after = self.row(start[0]), self.row(end[0])
            if before != after:
                found += [self.place((self.cuts[before] + _gap(self.layout) - 6, end[1]), before), None]
                found += [self.place((self.cuts[after - 1] - IN + 4, end[1]), after)]
            found.append(self.place(end))
        return found


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
    """The right sides of the columns behind which a row ends: in its last part, where the fewest edges cross."""
    cuts, left, last = list[float](), 0.0, -1
    while columns[-1][1] - left > widest:
        end = bisect_right(columns, left + widest, lo=last + 1, key=lambda column: column[1])
        fitting = range(last + 1, min(max(end, last + 2), len(columns) - 1))
        late = [c for c in fitting if columns[c][1] - left >= (1 - TAIL) * widest] or fitting[-1:]
        if not late:
            break
        last = min(late, key=lambda c: (crossing[c], -c))
        cuts.append(columns[last][1] + 0.5)
        left = columns[last + 1][0]
    return cuts


def _spans(layout: Layout, edges: Sequence[tuple[int, int]]) -> Iterator[tuple[float, float, float]]:
    """`(x, top, bottom)` of all boxes and routes."""
    yield from ((x, y, y + height) for x, y, _, height in layout.boxes)
    for k in range(len(edges)):
        yield from ((x, y, y) for x, y in layout.route(k))
