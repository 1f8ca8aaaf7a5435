"""Where edges climb in the gaps between the columns of a layout: each on a line of its own, in the order that crosses least.

An edge arrives level in the middle of its box; those from above or below it arrive beside that.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from . import Layout, Point

APART = 7.0  # px between two lines
BEFORE, AFTER = 10.0, 17.0  # px free beside the lines of a gap: at its left, and at its right, where arrows end
STEP = 8.0  # px up to which an edge changes its height in one sweep through the gap
MOST = 24  # lines of a gap that are put in order

Route = Sequence[Point]


@dataclass
class Channels:
    """The lines of all gaps. `routes`: of each edge, by what it is called, in px of the layout; `wide`: px that the labels of
    a gap, counted from the left, need beside its lines. `lines`: for an edge and a gap, where it climbs."""

    layout: Layout
    routes: Mapping[Hashable, Route]
    wide: Mapping[int, float] = field(default_factory=dict)

    def __post_init__(self):
        gaps: dict[int, list[tuple[Hashable, float, float]]] = {}
        places = {round(right, 3): i for i, (_, right) in enumerate(self.layout.columns)}
        for key, route in self.routes.items():
            for (x, y), (_, y_end) in pairwise(route):
                if abs(y - y_end) > STEP and (gap := places.get(round(x, 3))) is not None:
                    gaps.setdefault(gap, []).append((key, y, y_end))
        self.order = {gap: _ordered(climbs) for gap, climbs in gaps.items()}

    def widths(self, least: float) -> list[float]:
        """How wide each gap should be."""
        return [max(least, self.wide.get(gap, 0.0) + self._inside(gap)) for gap in range(len(self.layout.columns) - 1)]

    def _inside(self, gap):
        count = min(len(self.order.get(gap, ())), MOST)
        return BEFORE + AFTER + APART * (count - 1) if count else 0.0

    def lines(self, layout: Layout) -> dict[tuple[Hashable, int], float]:
        """For an edge and a gap: where it climbs in a `layout` whose gaps are as wide as that."""
        found = {}
        for gap, keys in self.order.items():
            left, right = layout.columns[gap][1] + BEFORE, layout.columns[gap + 1][0] - AFTER
            apart = min(APART, (right - left) / max(len(keys) - 1, 1))
            for place, key in enumerate(reversed(keys)):
                found[key, gap] = right - apart * place
        return found


def right_sides(layout: Layout) -> dict[float, int]:
    """The number of each column by its right side, px."""
    return {round(right, 3): i for i, (_, right) in enumerate(layout.columns)}


def climbing(
    route: Route, key: Hashable, places: Mapping[float, int], lines: Mapping[tuple[Hashable, int], float]
) -> list[Point]:
    """A route with its climbs on their lines: level, straight up or down, level. `places`: the `right_sides` of its layout."""
    found = [route[0]]
    for (x, y), (x_end, y_end) in pairwise(route):
        line = lines.get((key, places.get(round(x, 3), -1)))
        found += [(line, y), (line, y_end)] if line is not None and abs(y - y_end) > STEP else []
        found.append((x_end, y_end))
    return found


def entries(heights: Callable[[int], float], ends: Sequence[int], middles: Sequence[float], room: float) -> list[float]:
    """How far from the middle of its box each edge arrives. `heights(k)`: from where edge `k` comes; `middles`: of the boxes.

    One that comes level arrives in the middle, the others above or below it, within `room` px; without one that is level
    they are spread around the middle.
    """
    into: dict[int, list[int]] = {}
    for k, end in enumerate(ends):
        into.setdefault(end, []).append(k)
    offsets = [0.0] * len(ends)
    for end, found in into.items():
        away = {k: heights(k) - middles[end] for k in found}
        level = min(found, key=lambda k: abs(away[k]))
        found.sort(key=lambda k: away[k])
        base = found.index(level) if abs(away[level]) <= STEP else (len(found) - 1) / 2
        most = max(base, len(found) - 1 - base, 1)
        for place, k in enumerate(found):
            offsets[k] = (place - base) * min(9.0, room / most)
    return offsets


def _ordered(climbs: Iterable[tuple[Hashable, float, float]]) -> list[Hashable]:
    """From left to right, each put where it crosses the fewest of those before it."""
    climbs = sorted(climbs, key=lambda climb: (climb[2] < climb[1], climb[1]))
    if len(climbs) > MOST:
        return [key for key, _, _ in climbs]
    placed: list[tuple[Hashable, float, float]] = []
    for climb in climbs:
        costs = [
            sum(_crossings(other, climb) for other in placed[:i])
            + sum(_crossings(climb, other) for other in placed[i:])
            for i in range(len(placed) + 1)
        ]
        placed.insert(len(costs) - 1 - costs[::-1].index(min(costs)), climb)
    return [key for key, _, _ in placed]


def _crossings(left, right) -> int:
    """How often two climbs cross, `left` being left of `right`: by the level part behind `left`, and before `right`."""
    _, start, end = left
    _, begin, stop = right
    return (min(begin, stop) <= end <= max(begin, stop)) + (min(start, end) <= begin <= max(start, end))
