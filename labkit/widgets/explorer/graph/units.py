"""The boxes of a graph view, how they hang together, when each is reached, and where it is drawn.

A *unit* is what one box shows: a leaf, an op, a folded block, or a chip for the second and later uses of a leaf (so that
a parameter used everywhere does not pull the picture together). Cards have one size, so that no number moves anything.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ...kit.layout import Point, layout
from ..run.folding import Block, Part, told
from ..run.story import Node, Sent, Step, Story

FEW_LEAVES = 3  # of a block that have boxes of their own
FEW_BLOCKS = 8  # that each have a box for a leaf that they share


@dataclass(eq=False)
class Unit:
    """One box. `nodes`: indices of the nodes it stands for; `block`: the folded block, if it is one; `chip`: whether it
    stands for a further use of its leaf; `inside`: leaves that a block uses, but for those with an edge to it; `lead`:
    the node whose value the box shows."""

    index: int
    nodes: tuple[int, ...]
    block: Block | None = None
    chip: bool = False
    inside: tuple[int, ...] = ()
    lead: Node = field(init=False)

    @property
    def folded(self) -> bool:
        """Whether it is a block in which more happens than one op."""
        return self.block is not None and not self.block.moves


@dataclass(eq=False)
class Edge:
    """From one box to another: `uses` are `(node, place)` of the uses behind it, a place counting the node's parents; none where
    a path may have been cut, of which `words` tell."""

    start: Unit
    end: Unit
    uses: list[tuple[int, int]]
    words: str = ""


class Arrival(NamedTuple):
    """A gradient that arrives at a node by the step `when`: `value`, the sum `total` there then, from the node `source`,
    or from the outside (None) where the way back starts."""

    when: int
    value: np.ndarray
    total: np.ndarray
    source: int | None


class Units:
    """The boxes and edges for the visible parts of a story, and the steps at which each one is reached.

    Step 0: nothing has run; 1 to `forward`: a box runs; `seed`: the outputs get their gradient; then one step for each
    box that is walked back, and one for what the story says at last, until `last`. `ran[unit]`, `walked[unit]` are those
    steps, `at[step]` the unit.

    `parts`: what is seen.
    """

    def __init__(self, story: Story, parts: Sequence[Part]):
        self.story = story
        self.units: list[Unit] = []
        self.home: dict[int, Unit] = {}  # node -> the box that stands for it; of a leaf its pill
        for part in parts:
            members = tuple(part.ops) if isinstance(part, Block) else (part,)
            unit = self._unit(members, block=part if isinstance(part, Block) else None)
            self.home.update(dict.fromkeys(members, unit))
        self.ops = list(self.units)
        self.edges = _Edges(self).all()
        self._set_leads()
        self._number()

    def _unit(self, nodes, **more):
        unit = Unit(len(self.units), nodes, **more)
        self.units.append(unit)
        return unit

    def _set_leads(self):
        """A box shows its last node that something outside uses, or that is an output; one with a gradient, if it can."""
        reached = {sent.parent for step in self.story.steps for sent in step.sent}
        leaving: dict[Unit, list[int]] = {u: [i for i in u.nodes if self.story.nodes[i].output] for u in self.units}
        for edge in self.edges:
            leaving[edge.start] += [self.story.nodes[node].parents[place] for node, place in edge.uses]
        for unit, nodes in leaving.items():
            back = [i for i in nodes if i in reached or self.story.nodes[i].output]
            unit.lead = self.story.nodes[max(back or nodes or unit.nodes)]

    def _number(self):
        self.ran = {unit: i for i, unit in enumerate(self.ops, 1)}
        self.forward, self.seed = len(self.ops), len(self.ops) + 1
        stepped = {step.node: step for step in self.story.steps}
        self.steps_of: dict[Unit, list[Step]] = {
            u: [stepped[i] for i in reversed(u.nodes) if i in stepped] for u in self.ops
        }
        back = [unit for unit in reversed(self.ops) if self.steps_of[unit]]
        self.walked = {unit: self.seed + i for i, unit in enumerate(back, 1)}
        self.goes_back = bool(back) or any(n.leaf for n in self.story.outputs)
        self.last = (self.seed + len(back) if self.goes_back else self.forward) + bool(self.story.ending)
        self.at = {step: unit for unit, step in (*self.ran.items(), *self.walked.items())}

    def told(self, unit: Unit) -> str:
        """What a folded block holds; "" for another box."""
        return told(unit.block, self.story.nodes) if unit.block else ""

    @cached_property
    def into(self) -> dict[Unit, list[Edge]]:
        """The edges into each box."""
        found: dict[Unit, list[Edge]] = {}
        for edge in self.edges:
            found.setdefault(edge.end, []).append(edge)
        return found

    @cached_property
    def cuts(self) -> list[Edge]:
        """The paths that are not there and whose parameters get no gradient for it, of those whose end is known."""
        return [edge for edge in self.edges if not edge.uses and edge.start.lead.index in self.story.marked]

    @cached_property
    def users(self) -> dict[Unit, set[Unit]]:
        """The boxes that use each box."""
        found: dict[Unit, set[Unit]] = {}
        for edge in self.edges:
            found.setdefault(edge.start, set()).add(edge.end)
        return found

    @property
    def places(self) -> list[int]:
        """Where each step is on a time line that is the same however the story is folded."""
        end = len(self.story.nodes)
        forward = [max(unit.nodes) for unit in self.ops]
        back = [2 * end - self.steps_of[unit][-1].node for unit in self.walked]
        ending = [2 * end + 1] if self.story.ending else []
        return [-1, *forward, *([end, *back] if self.goes_back else []), *ending]

    @cached_property
    def arrivals(self) -> dict[int, list[Arrival]]:
        """What arrives at each node whose value a box shows, in order."""
        found: dict[int, list[Arrival]] = {}
        shown = {unit.lead.index for unit in self.units}
        for node in self.story.outputs if self.goes_back else ():
            found[node.index] = [Arrival(self.seed, node.seed, node.seed, None)]
        for unit, when in self.walked.items():
            for step in self.steps_of[unit]:
                for sent in step.sent:
                    if sent.parent in shown:
                        arrival = Arrival(when, sent.value, sent.total, step.node)
                        found.setdefault(sent.parent, []).append(arrival)
        return found

    def sent_along(self, edge: Edge) -> list[Sent]:
        """What goes back along an edge, one for each use that sends something."""
        return [sent for node, place in edge.uses for sent in self._sent.get(node, ()) if sent.place == place]

    @cached_property
    def _sent(self) -> dict[int, tuple[Sent, ...]]:
        """What each node sends."""
        return {step.node: step.sent for step in self.story.steps}


class _Edges:
    """Makes the edges of `units`, and on the way pills and chips for the leaves."""

    def __init__(self, units: Units):
        self.units, self.nodes = units, units.story.nodes
        self.edges: dict[tuple[int, int], Edge] = {}
        self.used: set[int] = set()  # leaves whose pill has an edge
        self.chips: dict[tuple[int, int], Unit] = {}  # by leaf and by the box that uses it
        self.users: dict[int, set[Unit]] = {}  # the boxes that use each leaf

    def all(self) -> list[Edge]:
        """All edges, in the order of the uses behind them."""
        self._make_pills()
        for node in self.nodes:
            for place, parent in enumerate(node.parents):
                end = self.units.home[node.index]
                start = self._start(parent, end)
                if start is not None and start is not end:
                    edge = self.edges.setdefault((start.index, end.index), Edge(start, end, []))
                    edge.uses.append((node.index, place))
        return [*self.edges.values(), *self._broken()]

    def _broken(self):
        """To where a path may have been cut, which nothing uses."""
        home, cuts = self.units.home, [(node.index, *cut) for node in self.nodes for cut in node.cut or ()]
        return [Edge(home[i], home[end], [], words) for i, end, words in cuts if end in home]

    def _make_pills(self):
        """A box for each leaf, but for those that blocks alone use: one, of more than a few or of a parameter of a module; or
        the same ones, of more than a few leaves."""
        users: dict[int, set[Unit]] = {leaf.index: set() for leaf in self.units.story.leaves}
        for node in self.nodes:
            for parent in node.parents:
                if parent in users:
                    users[parent].add(self.units.home[node.index])
        self.users = users
        together = Counter((frozenset(using), self._own(leaf)) for leaf, using in users.items())
        for leaf, using in users.items():
            many = together[frozenset(using), self._own(leaf)] > FEW_LEAVES
            alone = many or (len(using) == 1 and not self._own(leaf))
            if using and alone and all(user.folded for user in using) and not self.nodes[leaf].output:
                for user in using:
                    user.inside += (leaf,)
            else:
                self.units.home[leaf] = self.units._unit((leaf,))

    def _own(self, leaf):
        """Whether the user gave a leaf itself; a parameter of a module has that in its name."""
        return "." not in self.nodes[leaf].title

    def _start(self, parent, end):
        """The box an edge from the node `parent` starts at: its own, or a chip for a leaf's later uses by other ops."""
        start = self.units.home.get(parent)
        if start is None or not self.nodes[parent].leaf or (start.index, end.index) in self.edges:
            return start
        if parent not in self.used:
            self.used.add(parent)
            return start
        if end.folded and not (self._own(parent) and sum(unit.folded for unit in self.users[parent]) <= FEW_BLOCKS):
            end.inside += (parent,) if parent not in end.inside else ()
            return None
        if (parent, end.index) not in self.chips:
            self.chips[parent, end.index] = self.units._unit((parent,), chip=True)
        return self.chips[parent, end.index]


HIGH, APART, FOOT = 42.0, 10.0, 16.0  # px: of a card, between a value and its gradient, for a line below both
WIDTHS = {False: 136.0, True: 164.0}  # px of a card: of numbers, and where there are arrays or long names
GAPS = {False: 66.0, True: 46.0}  # px between ranks, from left to right and from top to bottom
EDGE = 12.0  # px
Path = list[list[float]]


def places(units: Units, twins: set[Any], wide: float, upright: bool) -> dict[str, Any]:
    """`boxes`: the left upper corner of each; `forward`, `back`: SVG paths of each edge; `labels`: where its slope is written;
    `width`, `height`. The gradient is below its value, or right of it where ranks go from top to bottom."""
    edges = [(edge.start.index, edge.end.index) for edge in units.edges]
    whole = [
        (2 * wide + APART if u in twins else wide, HIGH + FOOT)
        if upright
        else (wide, 2 * HIGH + APART + FOOT if u in twins else HIGH)
        for u in units.units
    ]
    sizes = [(high, across) if upright else (across, high) for across, high in whole]
    drawn = layout(sizes, edges, column_gap=GAPS[upright], row_gap=14.0, lane=22.0)
    own, other = (wide / 2, wide + APART + wide / 2) if upright else (HIGH / 2, HIGH + APART + HIGH / 2)
    boxes = [(y, x) if upright else (x, y) for x, y, _, _ in drawn.boxes]
    forward, back, labels = list[str](), list[str](), list[list[float]]()
    for k, edge in enumerate(units.edges):
        both = edge.start in twins and edge.end in twins
        forward.append(_path(_cut(drawn.route(k, own, own, -5.0), upright and FOOT), upright))
        points = _cut(drawn.route(k, other, other, 5.0), upright and FOOT) if both else []
        back.append(_path(points, upright) if points else "")
        labels.append(_label(points, labels, upright, len(units.users.get(edge.start, ())) > 1))
    width, height = (drawn.height, drawn.width) if upright else (drawn.width, drawn.height)
    return {
        "boxes": [[_tenth(x + EDGE), _tenth(y + EDGE)] for x, y in boxes], "forward": forward, "back": back,
        "labels": labels, "width": width + 2 * EDGE, "height": height + 2 * EDGE,
    }  # fmt: skip


def _cut(points: list[Point], foot: float) -> list[Point]:
    """A route that begins at the card and not at the line below it."""
    return [(points[0][0] - foot, points[0][1]), *points[1:]] if foot else points


def _path(points: Sequence[Point], upright: bool) -> str:
    """An SVG path that starts and ends along the ranks."""
    at = [(_tenth(x + EDGE), _tenth(y + EDGE)) for x, y in points]
    text = f"M{_spot(at[0], upright)}"
    for (x, y), (u, v) in pairwise(at):
        middle = _tenth((x + u) / 2)
        spots = ((middle, y), (middle, v), (u, v))
        text += f"L{_spot((u, v), upright)}" if y == v else "C" + " ".join(_spot(spot, upright) for spot in spots)
    return text


def _spot(point, upright):
    x, y = reversed(point) if upright else point
    return f"{x:g} {y:g}"


def _label(points: list[Point], others: list[list[float]], upright: bool, late: bool) -> list[float]:
    """The middle of the first gap of a route, or of the last one; moved where another label is."""
    if not points:
        return []
    (x, y), (u, v) = points[-2:] if late else points[:2]
    if late and u - x < GAPS[upright] / 2 and len(points) > 2:
        (x, y), (u, v) = points[-3:-1]
    across, along = _tenth((x + u) / 2 + EDGE), _tenth((y + v) / 2 + EDGE)
    spot = [along, across] if upright else [across, along]
    while any(other and abs(other[0] - spot[0]) < 60 and abs(other[1] - spot[1]) < 15 for other in others):
        spot[1] += 15
    return spot


def _tenth(value: float) -> float:
    return round(value, 1) + 0.0
