"""How a cut edge looks: the run forwards with a ring on every use, and the way back below it."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ...kit.boxes import CARD, EDGE, HALF, PAD, arrow, card, name_width, placed_labels, spread_entries, value_width
from ...kit.grips import Along, Grip
from ...kit.layout import Layout, Point, layout
from ...kit.layout import path as routed
from ...kit.scene import STEP, Link, Mark, Panel, circle, path, rect, text
from ...kit.words import brief, clipped, joined, number
from .names import changing, gradient_name, slopes, ways
from .run import Cuts, Use
from .walk import ARRIVES, WALK, Walk

GAP, HEAD = 50.0, 22.0  # px between columns, and for the heading of a half
SIDE = 9  # points on either side of what fills a card


class Graph:
    """The panel with the graph, forwards and back. `labels`: the names of the uses."""

    def __init__(self, found: Cuts, labels: Sequence[str]):
        self.found, self.labels, self.nodes, self.walk = found, labels, found.story.nodes, Walk(found)
        self.pairs: dict[tuple[int, int], list[Use]] = {}
        for use in found.uses:
            self.pairs.setdefault((self.nodes[use.node].parents[use.place], use.node), []).append(use)
        sizes = [(self._width(node), CARD) for node in self.nodes]
        self.layout: Layout = layout(sizes, list(self.pairs), column_gap=GAP, row_gap=16.0)
        self.ends = spread_entries(self.layout, [end for _, end in self.pairs], 14.0, 30.0)
        self.back = self.layout.height + HEAD + 18.0  # px by which the way back stands lower

    def panel(self) -> Panel:
        """With every value, gradient, edge and ring."""
        width = self.width
        height = self.back + HEAD + self.layout.height + EDGE
        tokens = [token for k, uses in enumerate(self.pairs.values()) for token in self._tokens(k, uses)]
        title = "Click a ring to cut there; drag the sign, or an input"
        return Panel("graph", title, width, height, list(self._marks()), tokens=tokens)

    def _tokens(self, k, uses):
        rings = [(x, y + self.back) for x, y in (self._ring(k, uses, i) for i in range(len(uses)))]
        return self.walk.tokens(uses, self._route(k, self.back), rings, self.width)

    @property
    def width(self) -> float:
        """Of the panel, px."""
        return max(self.layout.width, 320.0) + 2 * EDGE

    def grip(self) -> Grip:
        """The sign that cuts: from its place in the corner it is dragged onto an edge."""
        spots = {
            use: self._ring(k, uses, i) for k, uses in enumerate(self.pairs.values()) for i, use in enumerate(uses)
        }
        home = [self._home, *(spots[use] for use in self.found.uses)]
        return Grip("cut", "graph", "The cut", "cut", home, bare=True)

    def scrubs(self, values: Mapping[str, float]) -> Iterator[Grip]:
        """The inputs, dragged sideways on their cards."""
        for node in self.found.story.leaves if values else ():
            x, y, w, h = self.layout.boxes[node.index]
            spot, area = (x + w / 2 + EDGE, y + HEAD + h - 2.0), (x + EDGE, y + HEAD, w, h)
            free = {"x": Along.scrubbed(node.title, values[node.title], spot[0])}
            yield Grip(f"input {node.title}", "graph", node.title, by="x", at=spot, free=free, area=area, stays=True)

    @property
    def _home(self):
        """Where the sign is kept when nothing is cut."""
        return self.width - 24.0, 12.0

    def _ring(self, k, uses, i):
        return between(*self._gap(k), (i + 1) / (len(uses) + 1))

    def _marks(self) -> Iterator[Mark]:
        x, y = self._home
        yield rect(x - 19, y - 10, 38, 20, "bad", 4, when={"cut": [0]})
        yield text(x, y + 4, "stop", "signtext", "middle", when={"cut": [0]})
        for k, uses in enumerate(self.pairs.values()):
            yield from arrow(self._route(k), "edge", "head")
            alive = ["" if self.walk.passed(run, uses, walk) else "pending" for run, walk in self.walk.each()]
            for mark in arrow(self._route(k, self.back), "backedge", "backhead", back=True):
                yield mark.following(self.walk.joint, state=alive).moving(WALK, ARRIVES, 0.0, "state")
        for link, _, _, way in ways(self.found):
            yield path(" ".join(self._drawn(use, lower) for use in way for lower in (0.0, self.back)), "way", link=link)
        for node in self.nodes:
            yield from self._cards(node)
        yield from self._slopes()
        for k, uses in enumerate(self.pairs.values()):
            yield from self._rings(k, uses)
        yield text(EDGE, 13, "Forward: values, which no cut changes", "note")
        yield text(EDGE, self.back + 13, "Backward: gradients", "note")

    def _drawn(self, use, lower):
        """The edge of a use, as a path."""
        return routed(self._route(next(k for k, uses in enumerate(self.pairs.values()) if use in uses), lower))

    def _texts(self, node):
        """What the gradient card of a node says, for every cut and step of the walk."""
        for run, walk in self.walk.each():
            arrived = self.walk.arrived(run, node.index, walk)
            yield brief(arrived) if arrived is not None else "no path" if self.walk.over(walk) else ""

    def _width(self, node):
        lines = [name_width(clipped(node.title)), name_width(gradient_name(node)), value_width(_value(node))]
        return max([46.0, *lines, *map(value_width, self._texts(node))]) + PAD

    def _route(self, k, lower=0.0) -> list[Point]:
        points = self.layout.route(k, CARD / 2, CARD / 2 + self.ends[k])
        return [(x + EDGE, y + HEAD + lower) for x, y in points]

    def _gap(self, k, lower=0.0) -> tuple[Point, Point]:
        """The part of a route that crosses the last gap between columns."""
        points, (_, node) = self._route(k, lower), list(self.pairs)[k]
        left = self.layout.columns[self.layout.ranks[node]][0] + EDGE
        at = next(i for i, (x, _) in enumerate(points) if abs(x - left) < 0.01)
        return points[at - 1], points[at]

    def _slopes(self) -> Iterator[Mark]:
        """The local derivative beside each edge back; a use that is cut counts 0."""
        known, wanted, varied = slopes(self.found), [], {}
        for k, uses in enumerate(self.pairs.values()):
            widest = " " * k + _slope_words(uses, known, None)  # the spaces tell equal words apart
            wanted.append(([self._gap(k, self.back)], widest))
            texts = [_slope_words(uses, known, run.use) for run in self.found.runs]
            looks = [
                "wrongtext" if run.use in uses else "" if run.open & set(uses) else "dim" for run in self.found.runs
            ]
            varied[widest] = changing(text=texts, state=looks)
        for x, y, words in placed_labels(wanted, 22.0):
            yield text(x, y, "", "slope", "middle").varying("cut", **varied[words])

    def _rings(self, k, uses) -> Iterator[Mark]:
        """A ring on every use; where it is cut, a sign."""
        for i, use in enumerate(uses):
            x, y = self._ring(k, uses, i)
            at, link = self.found.uses.index(use) + 1, _key(use)
            here, elsewhere = {"cut": [at]}, {"cut": [p for p in range(len(self.found.runs)) if p != at]}
            yield circle(x, y, 5.5, "op", link=link, when=elsewhere)
            yield rect(x - 19, y - 10, 38, 20, "bad", 4, link=link, when=here)
            yield text(x, y + 4, "stop", "signtext", "middle", link=link, when=here)

    def links(self) -> dict[str, Link]:
        """What is behind each ring, where a click cuts, and each path."""
        return {
            _key(use): Link(f"cut {label}", [f"cut {label}", "stop_gradient at this use alone"], go={"cut": at})
            for at, (use, label) in enumerate(zip(self.found.uses, self.labels, strict=True), 1)
        } | {link: Link(f"path {words}") for link, words, *_ in ways(self.found)}

    def _cards(self, node) -> Iterator[Mark]:
        x, y, w, _ = self.layout.boxes[node.index]
        x, y, texts, joint = x + EDGE, y + HEAD, list(self._texts(node)), self.walk.joint
        role = "leaf" if node.leaf else "loss" if node.output else "op"
        yield from card(x, y, w, role, clipped(node.title), _value(node), node.leaf)
        usual = texts[joint[WALK] - 1]  # at the end of the walk, with nothing cut
        changed = [self.walk.over(walk) and words != usual for words, (_, walk) in zip(texts, self.walk.each())]
        states = ["pending" if w in ("", "no path") else "lit" if c else "" for w, c in zip(texts, changed)]
        faint = ["dim" if name == "pending" else "" for name in states]
        box, name, value = card(x, y + self.back, w, "back", gradient_name(node), "", node.leaf)
        moves = (WALK, ARRIVES, 0.0, "state")
        yield box.following(joint, state=states).moving(*moves)
        filled = [
            _level(x, y + self.back, w, HALF if node.leaf else 4.0, share) for share in self.walk.levels(node.index)
        ]
        level = path(filled[0], "turn").following(joint, d=filled)
        yield level.moving(WALK, ARRIVES, STEP - ARRIVES, "d")
        yield name.following(joint, state=faint).moving(*moves)
        told = value.following(joint, state=faint, text=texts).moving(*moves)
        yield told.moving(WALK, ARRIVES, 0.0, "text")


def _level(x, y, w, r, share):
    """The lower part of a card with corners of radius `r`, as high as a share of it: an outline of always as many points."""
    heights = np.linspace(0, share * CARD, SIDE)
    off = np.maximum(0, r - np.minimum(heights, CARD - heights))
    inset = r - np.sqrt(np.maximum(0, r * r - off * off))
    up = [(x + w - i, y + CARD - h) for i, h in zip(inset, heights, strict=True)]
    down = [(x + i, y + CARD - h) for i, h in zip(inset[::-1], heights[::-1], strict=True)]
    return [*up, *down]


def _value(node):
    shown = brief(node.value)
    return f"{clipped(node.name, 16)} = {shown}" if node.name and not node.leaf else shown


def _slope_words(uses, known, cut):
    """`×3`, `×(3 + 0)` where the second use is cut; of tensors only what is cut."""
    factors = [0.0 if use == cut else known.get(use) for use in uses]
    if any(f is None for f in factors):
        return "cut" if cut in uses else ""
    words = joined(map(number, factors))
    return f"×{words}" if len(factors) == 1 else f"×({words})"


def _key(use):
    return f"use{use.node}-{use.place}"


def between(start: Point, end: Point, part: float) -> Point:
    """The point at a `part` of an edge: on a straight line, or on the curve that `layout.path` draws.

    >>> between((0, 0), (10, 0), 0.25), between((0, 0), (10, 8), 0.5)
    ((2.5, 0.0), (5.0, 4.0))
    """
    (x1, y1), (x2, y2), rest = start, end, 1 - part
    if y1 == y2:
        return x1 * rest + x2 * part, float(y1)
    low, high = rest**2 * (1 + 2 * part), part**2 * (1 + 2 * rest)  # of a cubic that begins and ends level
    bend = 3 * rest * part * (x1 + x2) / 2
    return rest**3 * x1 + bend + part**3 * x2, low * y1 + high * y2
