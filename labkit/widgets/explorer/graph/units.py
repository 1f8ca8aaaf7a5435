"""The boxes of a graph view, how they hang together, when each is reached, and where it is drawn.

A *unit* is what one box shows: a leaf, an op, or a folded block. Cards have one size, so that no number moves anything.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...kit.flow import flow
from ..run.folding import Block, Part
from ..run.story import Node, Sent, Step, Story

FEW_LEAVES = 3  # of a block that have boxes of their own
FEW_BLOCKS = 8  # that each have a box for a leaf that they share


@dataclass(eq=False)
class Unit:
    """One box. `nodes`: indices of the nodes it stands for; `block`: the folded block, if it is one; `inside`: leaves that a
    block uses, but for those with an edge to it; `lead`: the node whose value the box shows."""

    index: int
    nodes: tuple[int, ...]
    block: Block | None = None
    inside: tuple[int, ...] = ()
    lead: Node = field(init=False)

    @property
    def folded(self) -> bool:
        """Whether it is a block in which more happens than one op."""
        return self.block is not None and not self.block.moves


@dataclass(eq=False)
class Edge:
    """From one box to another: `uses` are `(node, place)` of the uses behind it, a place counting the node's parents."""

    start: Unit
    end: Unit
    uses: list[tuple[int, int]]


class Arrival(NamedTuple):
    """A contribution to the gradient of a node in the step `when`: `value`, the sum `total` with it, from the node `source`,
    or None where the backward pass starts."""

    when: int
    value: np.ndarray
    total: np.ndarray
    source: int | None


class Units:
    """The boxes and edges for the visible parts of a story, and the steps at which each one is reached.

    Step 0: nothing has run; 1 to `forward`: a box runs; `seed`: the outputs get their gradient; then one step for each
    box in the backward pass, and one for what the story says at last, until `last`. `ran[unit]`, `walked[unit]` are those
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

    @cached_property
    def into(self) -> dict[Unit, list[Edge]]:
        """The edges into each box."""
        found: dict[Unit, list[Edge]] = {}
        for edge in self.edges:
            found.setdefault(edge.end, []).append(edge)
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
        """The contributions to the gradient of each node whose value a box shows, in order."""
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
    """Makes the edges of `units`, and on the way boxes for the leaves."""

    def __init__(self, units: Units):
        self.units, self.nodes = units, units.story.nodes
        self.edges: dict[tuple[int, int], Edge] = {}
        self.used: set[int] = set()  # leaves whose box has an edge
        self.users: dict[int, set[Unit]] = {}  # the boxes that use each leaf

    def all(self) -> list[Edge]:
        """All edges, by the box that they lead to."""
        self._make_pills()
        for node in self.nodes:
            for place, parent in enumerate(node.parents):
                end = self.units.home[node.index]
                start = self._start(parent, end)
                if start is not None and start is not end:
                    edge = self.edges.setdefault((start.index, end.index), Edge(start, end, []))
                    edge.uses.append((node.index, place))
        return sorted(self.edges.values(), key=lambda edge: edge.end.index)

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
        """The box an edge from the node `parent` starts at; None where a block that uses a shared leaf names it alone."""
        start = self.units.home.get(parent)
        if start is None or not self.nodes[parent].leaf or (start.index, end.index) in self.edges:
            return start
        many = parent in self.used and end.folded
        self.used.add(parent)
        if many and not (self._own(parent) and sum(unit.folded for unit in self.users[parent]) <= FEW_BLOCKS):
            end.inside += (parent,) if parent not in end.inside else ()
            return None
        return start


HIGH, FOOT = 88.0, 15.0  # px: of a card and its gradient, and of a line below
WIDTHS = {False: 124.0, True: 140.0}  # px of a card: of numbers, and where there are arrays or long names
GAPS = {False: 62.0, True: 44.0}  # px between ranks, from left to right and from top to bottom


def places(units: Units, wide: float, upright: bool) -> dict[str, Any]:
    """`boxes`: the left upper corner of each; `forward`, `back`: SVG paths of each edge; `labels`: where its slope is written;
    `width`, `height`. A gradient is below its value."""
    parents: list[list[int]] = [[] for _ in units.units]
    for edge in units.edges:
        parents[edge.end.index].append(edge.start.index)
    drawn = flow(parents, upright, GAPS[upright], wide, HIGH + FOOT * (not upright))
    paths = {way: [wire[way]["path"] for wire in drawn["wires"]] for way in ("forward", "back")}
    labels = [wire["spot"] for wire in drawn["wires"]]
    return {**{key: drawn[key] for key in ("boxes", "width", "height")}, **paths, "labels": labels}
