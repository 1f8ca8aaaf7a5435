"""The picture of a graph on which engines run: the forward cards, and below each the gradient that an engine has for it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ...kit.boxes import BELOW, CARD, HALF, arrow, card, label_width, name_width, placed_labels, value_width
from ...kit.layout import layout
from ...kit.layout.rows import Rows
from ...kit.scene import Link, Mark, Panel, circle, line, only, rect, text, width_of
from ...kit.strokes import Point
from ...kit.words import clipped, heat, in_full, listed
from . import seen
from .plays import TRIES, SliderPlay, When

SIGN, RING = 15.0, 4.0  # the line of a sign below a card; between a card and the second outline around it
MARGIN, TOP = 6.0, 10.0
SUSPECT = 8.0  # px: the radius of the sign on a card that may be suspected
ARCH = 16.0  # px: for an edge that passes over the boxes
STUB = 30.0  # px: of an edge where its row ends
BACK = 4.0  # px by which edges back run below those forwards, where they share a lane


NARROW = 470.0  # px: what a phone has room for


class Stage:
    """One graph, laid out once for all engines that run on it. `name`: of the panel; `key`: before the names of `links`, which
    say what is behind its cards. `slim`: in rows, for a phone. `least`: width and height that its panel has at least, px."""

    def __init__(self, name: str, key: str, runs: Sequence[SliderPlay], slim: bool = False, least: Point = (0.0, 0.0)):
        self.name, self.key, self.runs, self.slim, self.least = name, key, runs, slim, least
        self.bench = runs[0].play.passes[0].bench
        self.nodes = self.bench.story.nodes
        self.edges = list(dict.fromkeys((p, n.index) for n in self.nodes for p in n.parents))
        self.signs = [[seen.below(run.play, node.index) for run in runs] for node in self.nodes]
        self.ghosts = [next((seen.right_one(run.play, node.index) for run in runs), "") for node in self.nodes]
        self.labels = [self._widest_slope(k, edge) for k, edge in enumerate(self.edges)]
        sizes = [(self._width(node), self._height(node)) for node in self.nodes]
        gap = min(max(34.0, *(label_width(words) + 14 for words in self.labels)), 140.0)
        self.layout = layout(sizes, self.edges, column_gap=gap, row_gap=14)
        self.over = self._over()
        ways = [way(k) for way in (self._forward, self._way_back) for k in range(len(self.edges))]
        self.rows = Rows.of(self.layout, self.edges, NARROW / 1.1 if slim else self.layout.width, ways)
        self.arches = TOP + (0.0 if self.rows.cuts else ARCH * len(set(self.over.values())))
        self.size = max(self.own[0], least[0]), max(self.own[1], least[1])
        self.left = MARGIN + (self.size[0] - self.own[0]) / 2
        self.top = self.arches
        self.boxes = [(*self._at(self.rows.place((x, y))), w) for x, y, w, _ in self.layout.boxes]
        self.links = {
            self._link(node): Link(f"{node.title}: {node.value_line}", self._facts(node), heat(node.value))
            for node in self.nodes
        }

    @property
    def hunted(self) -> bool:
        """Whether the first wrong node is looked for in one of the runs."""
        return any(run.hunted for run in self.runs)

    @property
    def own(self) -> Point:
        """The width and the height that the graph needs, px."""
        return self.rows.width + 2 * MARGIN, self.rows.height + self.arches + 4

    def panel(self, title: str, when: When) -> Panel:
        """The picture, seen at the positions `when` of the dials; in rows where a phone has no room for it."""
        found = Panel(self.name, title, *self.size, list(self._marks()), when)
        if self.size[0] <= NARROW or self.slim:
            return found
        small = Stage(f"{self.name}, narrow", self.key, self.runs, slim=self.own[0] > NARROW)
        return replace(found, narrow=small.panel(title, when))

    def _link(self, node):
        return f"{self.key} n{node.index}"

    # ---- sizes ----

    def _width(self, node):
        i, plays = node.index, [run.play for run in self.runs]
        values = {v for play in plays for v in (*seen.gradients(play, i), *seen.value_lines(play, i))}
        inside = [46.0, *map(name_width, (clipped(node.title), node.gradient_name)), *map(value_width, values)]
        rows = {row for run in self.signs[i] for row in run}
        under = [max(width_of(how, 11.5, mono=True), width_of(sent, 11.5, mono=True), width_of(sign, 12, bold=True))
                 for how, sent, sign in rows]  # fmt: skip
        under.append(width_of(self.ghosts[i], 12, bold=True))
        badge = width_of("first wrong", 12, bold=True) + 8 if any(seen.is_first(play, i) for play in plays) else 0.0
        return max(max(inside) + 18, badge, *under)

    def _height(self, node):
        rows = [row for run in self.signs[node.index] for row in run]
        lines = max(bool(how) + (bool(sent) or bool(sign) or self.hunted) for how, sent, sign in rows)
        return BELOW + CARD + (RING + lines * SIGN if lines else 0.0)

    # ---- edges ----

    def _marks(self) -> Iterator[Mark]:
        for k in range(len(self.edges)):
            yield from arrow(self._drawn(self._forward(k)), "edge", "head")
        for run in self.runs:
            for k, edge in enumerate(self.edges):
                route, head = arrow(self._drawn(self._way_back(k)), "backedge", "backhead", back=True)
                states = seen.flows(run.play, edge)
                yield from only(run.when, [_with_states(route, run, states), _with_states(head, run, _calm(states))])
        for node in self.nodes:
            yield from self._node(node)
            for run, signs in zip(self.runs, self.signs[node.index], strict=True):
                yield from only(run.when, self._gradient(run, node, signs))
        yield from self._slopes()

    def _over(self) -> dict[int, float]:
        """How high above all boxes an edge forwards passes by, where no box is above it in any column; else it would run through
        the gradients below. Edges from one box share a height."""
        ranks, boxes = self.layout.ranks, self.layout.boxes
        tops = [min(y for (_, y, *_), rank in zip(boxes, ranks) if rank == column) for column in range(max(ranks) + 1)]
        far = {
            k: u
            for k, (u, v) in enumerate(self.edges)
            if ranks[v] - ranks[u] > 1 and boxes[u][1] == tops[ranks[u]] and boxes[v][1] == tops[ranks[v]]
        }
        senders = sorted(dict.fromkeys(far.values()), key=lambda u: -ranks[u])
        return {k: -ARCH * (senders.index(u) + 0.5) for k, u in far.items()}

    def _forward(self, k):
        """An edge forwards: along its lane, or over the boxes."""
        route = self.layout.route(k, HALF, self._entry(*self.edges[k]), -3)
        if k not in self.over:
            return route
        ends = [
            i for i, (x, _) in enumerate(route) if any(abs(x - side) < 0.01 for c in self._between(k) for side in c)
        ]
        return [(x, self.over[k] if i in ends else y) for i, (x, y) in enumerate(route)]

    def _between(self, k):
        """The columns that an edge passes by."""
        first, last = (self.layout.ranks[i] for i in self.edges[k])
        return self.layout.columns[first + 1 : last]

    def _way_back(self, k):
        return self.layout.route(k, BELOW + HALF, BELOW + HALF, BACK)

    def _drawn(self, route):
        """A route of the layout where it is in the panel; None where it is cut."""
        return [point and self._at(point) for point in self.rows.route(route)]

    def _at(self, point):
        return point[0] + self.left, point[1] + self.top

    def _entry(self, start, end):
        """How far below the top of its card an edge ends: several edges into one are spread, upper ones first."""
        over = {self.edges[k][0] for k in self.over if self.edges[k][1] == end}
        senders = sorted(dict.fromkeys(self.nodes[end].parents), key=lambda p: (p not in over, self.layout.boxes[p][1]))
        spread = min(10.0, 26.0 / len(senders))
        return HALF + (senders.index(start) - (len(senders) - 1) / 2) * spread

    # ---- cards ----

    def _node(self, node) -> Iterator[Mark]:
        """The card forwards; its value is one for each run where training changes it."""
        x, y, w = self.boxes[node.index]
        role, link = "leaf" if node.leaf else "loss" if node.output else "op", self._link(node)
        box, name, value = card(x, y, w, role, clipped(node.title), "", node.leaf, link)
        yield from (box, name, line(x + w / 2, y + CARD, x + w / 2, y + BELOW, "saved"))
        if all(len(run.play.passes) == 1 for run in self.runs):
            yield replace(value, text=node.value_line)
            return
        for run in self.runs:
            values = value.following(run.slider, text=seen.value_lines(run.play, node.index))
            yield from only(run.when, [values])

    def _facts(self, node):
        facts = [node.title, f"{node.dtype} {list(node.shape)}"]
        facts += [in_full(node.value, 8)] if np.size(node.value) > 1 else []
        facts += [] if node.leaf else [f"{node.op}({', '.join(map(self.bench.called, node.parents))})"]
        users = self.bench.users(node.index)
        facts += [f"Used by {listed(map(self.bench.called, users))}."] if users else []
        return [*facts, *([node.line] if node.line else [])]

    def _gradient(self, run, node, signs) -> Iterator[Mark]:
        """The card of a node's gradient in one run, and below it how that came about and what it should be."""
        x, y, w = self.boxes[node.index]
        top, middle, states = y + BELOW, x + w / 2, seen.looks(run.play, node.index)
        cards = list(card(x, top, w, "back", node.gradient_name, "", node.leaf, self._link(node)))
        cards[2] = cards[2].following(run.slider, text=seen.gradients(run.play, node.index))
        if run.hunted and "wrong" in states:
            yield from only(run.open, _looking(cards, run, seen.looks(run.play, node.index, known=False)))
            yield from only(run.over, _looking(cards, run, states))
        else:
            yield from _looking(cards, run, states)
        if run.hunted:
            yield from only(run.open, self._suspect(x + w - 4, top + 2, self._link(node)))
        ghosts: When = {run.hunt: list(range(1, TRIES))} if run.hunted else {}
        untold: When = {run.hunt: [0]} if run.hunted else {}
        columns = [*zip(*signs, strict=True), [self.ghosts[node.index] if run.hunted else ""] * len(signs)]
        whens: tuple[When, ...] = ({}, untold, run.over, ghosts)
        for column, (words, role, seen_when) in enumerate(
            zip(columns, ("sum", "sum", "badtext", "savedtext"), whens, strict=True)
        ):
            if any(words):
                ys = [top + CARD + RING + 12 + (SIGN if column and how else 0) for how, *_ in signs]
                said = text(middle, ys[0], "", role, "middle").following(run.slider, text=words, y=ys)
                yield from only(seen_when, [said])
        if seen.is_first(run.play, node.index):  # a second outline around it, and the words above it
            r = (HALF if node.leaf else 4) + RING
            ring = rect(x - RING, top - RING, w + 2 * RING, CARD + 2 * RING, "badline", r)
            for mark in only(run.over, (ring, text(middle, top - 9, "first wrong", "badtext", "middle"))):
                yield mark.seen_from(run.slider, run.play.first)

    def _suspect(self, x, y, link) -> Iterator[Mark]:
        """A sign that this card can be clicked, while the first wrong one is looked for."""
        yield circle(x, y, SUSPECT, "chip", link=link)
        yield text(x, y + 4, "?", "name", "middle", link=link)

    # ---- local slopes ----

    def _slopes(self) -> Iterator[Mark]:
        """The local derivatives beside the edges, where everything is one number; training changes them."""
        once = [run for run in self.runs if len(run.play.passes) == 1]
        groups = [(once[0], [p for run in once for p in run.when["engine"]])] if once else []
        groups += [(run, run.when["engine"]) for run in self.runs if run not in once]
        for x, y, label in placed_labels((self._crossings(k), label) for k, label in enumerate(self.labels) if label):
            for run, engines in groups:
                words = seen.slopes(run.play, self.edges[label.edge])
                mark = text(x, y, words[0], "slope", "middle", when={"engine": engines})
                yield mark.following(run.slider, text=words) if len(set(words)) > 1 else mark

    def _widest_slope(self, k, edge):
        """The text that needs the most room beside edge k, of all engines and moments."""
        label = _OnEdge(max((words for run in self.runs for words in seen.slopes(run.play, edge)), key=len))
        label.edge = k
        return label

    def _crossings(self, k):
        """The parts of the way back along edge k beside which its label may stand: where it passes by columns, else the gap."""
        between = [side for _, side in self._between(k)] or [
            self.layout.columns[self.layout.ranks[self.edges[k][0]]][1]
        ]
        starts = [left for left, _ in self._between(k)] or between
        pairs = pairwise(self._way_back(k))
        found = [(a, b) for a, b in pairs if any(abs(a[0] - x) < 0.01 for x in starts) and b[0] - a[0] > 1]
        return [self._in_row(a, b) for a, b in found]

    def _in_row(self, a, b):
        """A part of a way in the panel; of one that goes on in the next row, where it begins."""
        row = self.rows.row(a[0])
        end = b if self.rows.row(b[0]) == row else (a[0] + STUB, a[1])
        return self._at(self.rows.place(a, row)), self._at(self.rows.place(end, row))


class _OnEdge(str):
    """A label, with the number of the edge that it belongs to."""

    edge: int


def _with_states(mark, run, states) -> Mark:
    """A mark whose state changes with the slider of a run."""
    return mark.following(run.slider, state=states) if set(states) - {""} else mark


def _looking(cards, run, states) -> Iterator[Mark]:
    """A box, its name and its value, as they look at every moment."""
    for mark, how in zip(cards, (states, _calm(states), _calm(states)), strict=True):
        yield _with_states(mark, run, how)


def _calm(states):
    """How texts and arrow heads look: as their box, but nothing happens to them at the moment itself."""
    return ["" if name in ("now", "wrong") else name for name in states]
