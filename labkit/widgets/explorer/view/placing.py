"""Where the boxes of a view stand and how the edges run: across the page, or down a narrow one. What belongs to a box, its
twin, stands below it, or beside it."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Protocol

from ...kit.boxes import BELOW, CARD, HALF, HIGH, LABEL, Climb, fits, label_width
from ...kit.layout import Layout, Point, layout
from ...kit.layout.channels import Channels, climbing, entries, right_sides
from ...kit.layout.column import LINE, Column, column
from ...kit.layout.rows import Rows

FORWARDS, BACK = -3.0, 4.0  # px by which edges forwards and back run beside the middle of a lane that they share
GAP = 44.0  # px between columns, at least
NARROW = 420.0  # px: in a window of 420 texts of 11 px are still read; for so little room a graph leads down
LOW = 34.0  # px, how high a card is there
MIDDLE = 20.0  # px between a box and its twin beside it

Place = tuple[float, float, float]  # left, top, width
Link = tuple[int, int]


@dataclass
class Wanted:
    """What is to be placed: of each box how wide it must be, what it needs below it, and whether it has a twin; `edges` between
    boxes, with the text of each. `first`: the boxes whose way is the one to follow; `order`: one in which all edges lead on."""

    widths: Sequence[float]
    below: Sequence[float]
    twins: Collection[int]
    edges: Sequence[Link]
    labels: Sequence[str]
    first: Collection[int]
    order: Sequence[int]


class Placing(Protocol):
    """Places in px from the top left corner of what is drawn, which is `width` by `height`; a card is `card` px high."""

    card: float

    @property
    def width(self) -> float: ...
    @property
    def height(self) -> float: ...
    def box(self, i: int) -> Place:
        """A box."""
        ...

    def twin(self, i: int) -> Place:
        """What belongs to it."""
        ...

    def tie(self, i: int, x: float) -> tuple[Point, Point]:
        """The line from a box to its twin; `x`: px from the box's left side, where it leads down."""
        ...

    def note(self, i: int, x: float) -> Point:
        """Where a text beside the line begins."""
        ...

    def total(self, i: int) -> tuple[Point, str]:
        """Where a text about the twin stands, and by which anchor."""
        ...

    def route(self, k: int, back: bool) -> list[Point | None]:
        """An edge, or its way back between twins; None where it goes on in the next row."""
        ...

    def crossings(self, k: int, words: str, back: bool) -> list[Climb]:
        """The parts of a route where a label has room."""
        ...

    def row(self, i: int) -> tuple[int, float]:
        """The row that a box is in, and how high all that belongs to it is."""
        ...


class Across:
    """Columns from left to right, in rows of about `room` px."""

    card = CARD

    def __init__(self, wanted: Wanted, room: float | None):
        self._edges, self._twins = wanted.edges, wanted.twins
        heights = [CARD + (BELOW + more if i in wanted.twins else 0) for i, more in enumerate(wanted.below)]
        sizes = [*zip(wanted.widths, heights, strict=True)]
        drawn = layout(sizes, wanted.edges, column_gap=GAP, row_gap=16.0, first=wanted.first)
        middles = [y + HALF for _, y, _, _ in drawn.boxes]
        arrives = partial(_arrives, drawn, wanted.edges)
        self._entries = entries(arrives, [end for _, end in wanted.edges], middles, 15.0)
        channels = Channels(drawn, dict(self._laid_out(drawn)), _wide(drawn, wanted.edges, wanted.labels))
        self.layout: Layout = drawn.spaced(channels.widths(GAP))
        places, lines = right_sides(self.layout), channels.lines(self.layout)
        self._routes = {key: climbing(points, key, places, lines) for key, points in self._laid_out(self.layout)}
        self.rows = Rows.of(self.layout, wanted.edges, room, list(self._routes.values()))
        self.width, self.height = self.rows.width, self.rows.height

    def _laid_out(self, drawn) -> Iterator[tuple[tuple[int, bool], list[Point]]]:
        """The routes in a layout: of each edge, and of its way back where that stands below."""
        twins = bool(self._twins)
        for k, (u, v) in enumerate(self._edges):
            yield (k, False), drawn.route(k, HALF, HALF + self._entries[k], FORWARDS if twins else 0.0)
            if u in self._twins and v in self._twins:
                yield (k, True), drawn.route(k, BELOW + HALF, BELOW + HALF + self._entries[k], BACK)

    def box(self, i: int) -> Place:
        x, y, width, _ = self.layout.boxes[i]
        return *self.rows.place((x, y)), width

    def twin(self, i: int) -> Place:
        x, y, width = self.box(i)
        return x, y + BELOW, width

    def tie(self, i: int, x: float) -> tuple[Point, Point]:
        left, y, _ = self.box(i)
        return (left + x, y + CARD), (left + x, y + BELOW)

    def note(self, i: int, x: float) -> Point:
        left, y, _ = self.box(i)
        return left + x + 5, y + CARD + 16

    def total(self, i: int) -> tuple[Point, str]:
        x, y, width = self.twin(i)
        return (x + width / 2, y + CARD + 12), "middle"

    def route(self, k: int, back: bool) -> list[Point | None]:
        return self.rows.route(self._routes[k, back])

    def crossings(self, k: int, words: str, back: bool) -> list[Climb]:
        """What is level, and the climbs, all in gaps between columns."""
        found, columns = list[Climb](), self.layout.columns
        first, last = (self.layout.ranks[i] for i in self._edges[k])
        gaps = [(right, left) for (_, right), (left, _) in zip(columns[first:last], columns[first + 1 :], strict=False)]
        for start, end in pairwise(self.rows.direct(self._routes[k, back])):
            if any(right <= start[0] + 0.01 and end[0] <= left + 0.01 for right, left in gaps):
                at, then, *_ = self.rows.route([start, end])  # of what leads on in another row the part before it turns
                found += [(at, then)] if at and then else []
        return [part for part in found if fits(words, part)]

    def row(self, i: int) -> tuple[int, float]:
        x, _, _, high = self.layout.boxes[i]
        return self.rows.row(x), high


class Down:
    """One column from top to bottom, twins beside it as its mirror image."""

    card = LOW

    def __init__(self, drawn: Column, wanted: Wanted):
        self._drawn, self._twins, self._edges = drawn, bool(wanted.twins), wanted.edges
        self._below = wanted.below
        self.width = drawn.width * 2 + MIDDLE if self._twins else drawn.width
        self.height = drawn.height

    @classmethod
    def of(cls, wanted: Wanted, room: float) -> "Down | None":
        """None where it needs much more than the room."""
        least = (0.92 * room - MIDDLE) / 2
        widths = [min(width, 1.1 * least) for width in wanted.widths]
        drawn = column(wanted.order, wanted.edges, widths, wanted.below, LOW, wanted.first, least)
        found = drawn and cls(drawn, wanted)
        return found if found and found.width <= 1.2 * room else None

    def box(self, i: int) -> Place:
        return self._drawn.boxes[i]

    def twin(self, i: int) -> Place:
        x, y, width = self.box(i)
        return self.width - x - width, y, width

    def tie(self, i: int, x: float) -> tuple[Point, Point]:
        left, y, width = self.box(i)
        return (left + width, y + LOW / 2), (left + width + MIDDLE, y + LOW / 2)

    def note(self, i: int, x: float) -> Point:
        _, y, _ = self.box(i)
        return self._drawn.inset + LINE + 6, y + LOW + 12

    def total(self, i: int) -> tuple[Point, str]:
        x, y, _ = self.twin(i)
        return (x + 2, y + LOW + self._below[i] - 3), "start"

    def route(self, k: int, back: bool) -> list[Point | None]:
        points = self._drawn.routes[k]
        return [(self.width - x, y) for x, y in points] if back else [*points]

    def crossings(self, k: int, words: str, back: bool) -> list[Climb]:
        """Beside where an edge begins, below the box, or where it ends, above that if nothing stands there."""
        if not back:
            return []
        points, (u, v), half = self.route(k, back), self._edges[k], label_width(words) / 2
        (x, y, width), (_, y_end, _) = self.twin(u), self.twin(v)
        (first, _), (last, _) = points[0] or (0.0, 0.0), points[-1] or (0.0, 0.0)
        spots = [(min(first, x + width) - half - 7, y + LOW + 12)]
        if last < self.twin(v)[0] + self.twin(v)[2] and y_end - self._ends_before(y_end) >= HIGH + 1:
            spots.append((last - half - 7, y_end - 4))
        return [(spot, spot) for spot in spots]

    def _ends_before(self, y):
        """Where what stands above a height ends."""
        ends = [top + LOW + below for (_, top, _), below in zip(self._drawn.boxes, self._below, strict=True) if top < y]
        return max(ends, default=0.0)

    def row(self, i: int) -> tuple[int, float]:
        return 0, LOW


def _arrives(drawn: Layout, edges: Sequence[Link], k: int) -> float:
    """The height at which edge `k` comes to the gap before its last column."""
    left, _ = drawn.columns[drawn.ranks[edges[k][1]]]
    return [y for x, y in drawn.route(k, HALF) if x < left - 0.01][-1]


def _wide(drawn: Layout, edges: Sequence[Link], labels: Sequence[str]) -> dict[int, float]:
    """Px that the labels need in each gap, those of edges that cross no other gap."""
    found: dict[int, float] = {}
    for (start, end), words in zip(edges, labels, strict=False):
        gap = drawn.ranks[start]
        if words and drawn.ranks[end] == gap + 1:
            found[gap] = max(found.get(gap, 0.0), min(label_width(words), LABEL) + 14)
    return found
