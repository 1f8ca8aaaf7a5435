"""The arcs of MindSpore's graph: from each value that the backward half uses to the op that uses it, around all boxes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from math import dist

from ...kit.boxes import CARD, EDGE
from ...kit.layout import Point
from ...kit.scene import Changes, path, text
from ...kit.strokes import spot
from ...kit.words import clipped
from .shared import View
from .units import Unit, Units

MIDDLE = 160.0  # px between the two halves
MOST_NAMED = 10  # arcs that have room for names
ROUND = 9.0  # px, of the corners


@dataclass(eq=False)
class _Arc:
    """The value of the box `home`, or one inside it, is used by the backward of the box `user`; `over`: above all boxes."""

    home: Unit
    user: Unit
    words: str
    over: bool = True


class Arcs:
    """The arcs of a view. `whole`: the width of the two halves together; `above`, `below`: what the arcs need, all px."""

    def __init__(self, view: View):
        self.view, self.whole = view, 2 * view.width + MIDDLE
        self.arcs = _arcs(view.units)
        self.named = len(self.arcs) <= MOST_NAMED
        self.step = 15.0 if self.named else max(3.0, min(9.0, 150.0 / len(self.arcs)))
        self.free = _first_and_last(view)
        for arc in self.arcs:
            over, under = (sum(unit not in self.free[side] for unit in (arc.home, arc.user)) for side in (True, False))
            arc.over = over <= under
        ranks = view.layout.ranks
        self.arcs.sort(key=lambda a: (-ranks[a.home.index], -ranks[a.user.index], a.home.index))
        self.above, self.below = (self.step * sum(a.over is side for a in self.arcs) for side in (True, False))
        self.ports = Counter(
            port for arc in self.arcs for port in (("from", arc.home, arc.over), ("to", arc.user, arc.over))
        )
        self.used: Counter = Counter()
        self.turns = {rank: count() for rank in range(len(view.layout.columns))}

    def draw(self) -> None:
        """Add the marks to the view; arcs of later columns run closer to the boxes."""
        lanes = {True: count(1), False: count()}
        for arc in self.arcs:
            lane = next(lanes[arc.over]) * self.step
            self._draw(arc, self.view.top - lane + 4 if arc.over else self.view.height + lane + 2)

    def _draw(self, arc, y):
        start = self._end(arc.home, "from", arc.over, y)
        end = [(self.whole - x, at) for x, at in self._end(arc.user, "to", arc.over, y)]
        states = _kept(self.view.units.ran.get(arc.home, 0), self.view.units.walked[arc.user])
        self.view.marks.append(path(_rounded([*start, *reversed(end)]), "saved").varying("step", state=states))
        if self.named and arc.words:
            words = text(self.whole / 2 - MIDDLE / 4, y + 4, arc.words, "savedtext", "middle")
            named = [(at, "" if name == "now" else name) for at, name in states]
            self.view.marks.append(words.varying("step", state=named))

    def _end(self, unit, which, over, y) -> list[Point]:
        """From a box to its lane at the height y: straight, or through the gap beside its column."""
        left, top, width = self.view.box(unit)
        if unit in self.free[over]:
            port = (which, unit, over)
            room = min(10.0, (width - 16) / self.ports[port])
            x = left + width / 2 - (self.used[port] - (self.ports[port] - 1) / 2) * room
            self.used[port] += 1
            return [(x, top if over else top + CARD), (x, y)]
        rank = self.view.layout.ranks[unit.index]
        turn = self.view.layout.columns[rank][1] + EDGE + 8 + next(self.turns[rank]) * 6 % max(self.view.gap - 16, 6)
        side = top + (8 if over else CARD - 8)
        return [(left + width, side), (turn, side), (turn, y)]


def used_by(units: Units) -> dict[Unit, tuple[str, Changes]]:
    """For each box whose backward uses values: in words which, and the states of their being kept."""
    found: dict[Unit, list[_Arc]] = {}
    for arc in _arcs(units):
        found.setdefault(arc.user, []).append(arc)
    kept = {
        user: _kept(max(units.ran.get(arc.home, 0) for arc in arcs), units.walked[user]) for user, arcs in found.items()
    }
    return {user: (_told(user, arcs), kept[user]) for user, arcs in found.items()}


def _told(user: Unit, arcs: Sequence[_Arc]):
    names = list(dict.fromkeys("its result" if arc.home is user else arc.words for arc in arcs))
    return f"uses {', '.join(names[:2])}{' …' if len(names) > 2 else ''}"


def _kept(since: int, used: int) -> Changes:
    """The states of a value that is there since a step, and used at another."""
    after: Changes = [(used, "now"), (used + 1, "released")]
    return [(0, "pending"), (since, ""), *after] if since else [(0, ""), *after]


def _arcs(units: Units) -> list[_Arc]:
    """One for each box and box whose backward uses a value of it."""
    found: dict[tuple[Unit, Unit], list[int]] = {}
    for user in units.walked:
        for node in dict.fromkeys(i for n in user.nodes for i in units.story.nodes[n].saved):
            home = units.home.get(node)
            if home is not None:
                found.setdefault((home, user), []).append(node)
    return [_Arc(home, user, _words(units, nodes)) for (home, user), nodes in found.items()]


def _words(units, nodes):
    if len(nodes) > 1:
        return f"{len(nodes)} values"
    node = units.story.nodes[nodes[0]]
    return clipped(node.name or (node.title if node.leaf else node.op), 12)


def _first_and_last(view):
    """The boxes with no other above them in their column (True), and with none below (False)."""
    columns: dict[int, list[Unit]] = {}
    for unit in view.units.units:
        columns.setdefault(view.layout.ranks[unit.index], []).append(unit)
    return {
        side: {end(column, key=lambda u: view.box(u)[1]) for column in columns.values()}
        for side, end in ((True, min), (False, max))
    }


def _rounded(points: Sequence[Point]) -> str:
    """A path through the points with round corners."""
    words = [f"M{spot(points[0])}"]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        start, end = (_towards(corner, other) for other in (before, after))
        words.append(f"L{spot(start)}C{spot(corner)} {spot(corner)} {spot(end)}")
    return "".join([*words, f"L{spot(points[-1])}"])


def _towards(corner, other):
    """The place from which a corner is rounded."""
    part = min(ROUND, dist(corner, other) / 2) / (dist(corner, other) or 1.0)
    return corner[0] + (other[0] - corner[0]) * part, corner[1] + (other[1] - corner[1]) * part
