"""What the views of a graph share: boxes placed in a panel, cards, edges with arrow heads, labels beside them.

Only the forward graph is laid out. What belongs to its derivative stands below each box, or mirrored to the right: so it
is always clear which derivative belongs to which op.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise

from ...kit.boxes import (
    BELOW,
    CARD,
    EDGE,
    HALF,
    LABEL,
    PAD,
    VALUE,
    Climb,
    arrow,
    card,
    fits,
    label_width,
    name_width,
    value_width,
)
from ...kit.layout import Layout, Point, layout
from ...kit.layout.channels import Channels, climbing, entries, right_sides
from ...kit.layout.rows import Rows
from ...kit.scene import Changes, Mark, Panel, When, only, rect, text
from . import cards, travels
from .broken import broken
from .cards import Gradients, pulses
from .colours import Colours
from .units import Unit, Units

SUM = 15.0  # the line of a sum below a card
ALWAYS: When = {}
NEVER: Changes = []
FORWARDS, BACK = -3.0, 4.0  # px by which edges forwards and back run beside the middle of a lane that they share
GAP = 44.0  # px between columns, at least


def nothing(box: Mark) -> Iterable[Mark]:
    """What is laid over a box: nothing."""
    return ()


class View:
    """Boxes placed in a panel, marks collected.

    `rooms`: for a box, px that its cards need besides what its own texts need. `twins`: the boxes with a second card
    below the first. `labels`: of each edge the text that stands beside it. `room`: px, a wider drawing is
    cut into rows; None: as wide as a page. `top`, `bottom`: px left free above and below.
    """

    def __init__(
        self,
        units: Units,
        rooms: Mapping[Unit, Iterable[float]],
        *,
        twins: Collection[Unit] = (),
        labels: Sequence[str] = (),
        room: float | None = None,
    ):
        self.units, self.gradients, self.twins, self.colours = units, Gradients(units), twins, Colours(units)
        self.marks: list[Mark] = []
        self.tokens: list[Mark] = []
        self.top = self.bottom = EDGE
        self.gap = GAP
        sizes = [(self._width(u, rooms.get(u, ())), self._height(u)) for u in units.units]
        edges = [(e.start.index, e.end.index) for e in units.edges]
        drawn = layout(sizes, edges, column_gap=GAP, row_gap=16.0, first=_arguments(units))
        middles = [y + HALF for _, y, _, _ in drawn.boxes]
        self._entries = entries(partial(_arrives, drawn, edges), [end for _, end in edges], middles, 15.0)
        beside = labels or [""] * len(edges)
        words = [words or edge.words for edge, words in zip(units.edges, beside, strict=True)]
        channels = Channels(drawn, dict(self._laid_out(drawn)), _wide(drawn, edges, words))
        self.layout: Layout = drawn.spaced(channels.widths(GAP))
        places, lines = right_sides(self.layout), channels.lines(self.layout)
        self._routes = {key: climbing(points, key, places, lines) for key, points in self._laid_out(self.layout)}
        self.rows = Rows.of(self.layout, edges, room, list(self._routes.values()))

    def _laid_out(self, drawn) -> Iterator[tuple[tuple[int, bool], list[Point]]]:
        """The routes in a layout: of each edge, and of its way back where that stands below."""
        twins = bool(self.twins)
        for k, edge in enumerate(self.units.edges):
            yield (k, False), drawn.route(k, HALF, HALF + self._entries[k], FORWARDS if twins else 0.0)
            if edge.start in self.twins and edge.end in self.twins:
                start, end = BELOW + HALF, BELOW + HALF + self._entries[k]
                yield (k, True), drawn.route(k, start, end, BACK)

    def _width(self, unit, rooms):
        value = value_width(self.units.roomy(cards.value(unit)))
        return max([46.0, name_width(cards.short(unit)), value, *rooms]) + PAD

    def _height(self, unit):
        return CARD + (BELOW + (SUM if self.gradients.sums(unit) else 0) if unit in self.twins else 0)

    @property
    def width(self) -> float:
        """Of the panel, px."""
        return self.rows.width + 2 * EDGE

    @property
    def height(self) -> float:
        """Of the panel, px."""
        return self.rows.height + self.top + self.bottom

    def box(self, unit: Unit) -> tuple[float, float, float]:
        """`(left, top, width)` of a box's first card."""
        x, y, width, _ = self.layout.boxes[unit.index]
        x, y = self.rows.place((x, y))
        return x + EDGE, y + self.top, width

    def route(self, k: int, back: bool = False) -> list[Point | None]:
        """The points of edge `k`, or of its way `back` between the cards below; None where it goes on in the next row."""
        return [point and self._inside(point) for point in self.rows.route(self._routes[k, back])]

    def _inside(self, point: Point) -> Point:
        return point[0] + EDGE, point[1] + self.top

    def crossings(self, k: int, words: str, back: bool = False) -> list[Climb]:
        """The parts of a route where a label has room: what is level, and the climbs, all in gaps between columns."""
        edge, found = self.units.edges[k], list[Climb]()
        first, last = (self.layout.ranks[unit.index] for unit in (edge.start, edge.end))
        columns = self.layout.columns
        gaps = [(right, left) for (_, right), (left, _) in zip(columns[first:last], columns[first + 1 :], strict=False)]
        for start, end in pairwise(self.rows.direct(self._routes[k, back])):
            if any(right <= start[0] + 0.01 and end[0] <= left + 0.01 for right, left in gaps):
                at, then, *_ = self.rows.route([start, end])  # of what leads on in another row the part before it turns
                found += [(self._inside(at), self._inside(then))] if at and then else []
        return [part for part in found if fits(words, part)]

    # ---- marks ----

    def forward(self) -> None:
        """The forward half: edges, then cards over them."""
        for k, edge in enumerate(self.units.edges):
            points = self.route(k)
            if not edge.uses:
                wrong = edge.start.lead.index in self.units.story.marked
                first = all(other.uses or other.end is not edge.end for other in self.units.edges[:k])
                self.marks += broken(points, edge.words if first else "", wrong)
                continue
            self.arrow(points, "edge", "head", pulses([self.units.ran[edge.end]]))
            ends = self._middle(self.box(edge.start)), self._middle(self.box(edge.end))
            self.tokens += travels.forward(self.units, edge, [ends[0], *points, ends[1]])
        for unit in self.units.units:
            self._forward_card(unit)

    def arrow(self, points: Sequence[Point | None], role: str, head: str, states: Changes, back: bool = False) -> None:
        """A route with an arrow head at its end, or at its start for what flows back."""
        line, end = arrow(points, role, head, back)
        self.marks += [line.varying("step", state=states), end.varying("step", state=calm(states))]

    def edge_below(self, k: int, states: Changes) -> None:
        """The way back of edge `k`, between the cards below the boxes, and what travels along it."""
        points, edge = self.route(k, back=True), self.units.edges[k]
        self.arrow(points, "backedge", "backhead", states, back=True)
        start, end = ((x, y + BELOW, w) for x, y, w in map(self.box, (edge.start, edge.end)))
        self.tokens += travels.back(self.gradients, edge, [self._middle(start), *points, self._middle(end)])

    def edge_mirrored(self, k: int, states: Changes, whole: float) -> None:
        """The way back of edge `k` in the mirror image to the right, `whole` px being the width of both."""
        points = [point and (whole - point[0], point[1]) for point in self.route(k)]
        edge = self.units.edges[k]
        self.arrow(points[::-1], "backedge", "backhead", states)
        start, end = ((whole - x - w, y, w) for x, y, w in map(self.box, (edge.start, edge.end)))
        self.tokens += travels.back(self.gradients, edge, [self._middle(start), *points, self._middle(end)])

    def _middle(self, place):
        """Where the value of a card stands."""
        x, y, width = place
        return x + width / 2, y + VALUE

    def _forward_card(self, unit):
        x, y, w = self.box(unit)
        ran = self.units.ran.get(unit, 0)
        values = [(0, ""), (ran, cards.value(unit))] if ran else [(0, cards.value(unit))]
        marked = not unit.chip and bool(self.units.story.marked.intersection(unit.nodes))
        happens = [*([ran] if ran else []), *([self.units.last] if marked and self.units.story.ending else [])]
        states = pulses(happens, "pending" if ran else "") if happens else []
        if unit.block or unit.lead.cut is not None:  # drawn as a pile
            pile = rect(x + 4, y - 4, w, CARD, "group", 4, link=f"n{unit.index}")
            self.marks.append(pile.varying("step", state=calm(states)))
        title = cards.short(unit)
        pill = unit.lead.leaf and unit.lead.cut is None
        self.card((x, y, w), f"n{unit.index}", self._role(unit), title, states, values, pill,
                  over=partial(self.colours.of_value, unit))  # fmt: skip

    def _role(self, unit):
        if not unit.chip and (self.units.story.bad in unit.nodes or self.units.story.marked.intersection(unit.nodes)):
            return "bad"
        if unit.lead.leaf:
            return "chip" if unit.chip else "leaf"
        if unit.block:
            return "group"
        return "loss" if unit.lead.output else "derived" if unit.lead.derives else "op"

    def gradient_role(self, unit: Unit) -> str:
        """How the card of a box's gradient looks."""
        return "bad" if self.units.story.bad_gradient in unit.nodes and not unit.chip else "back"

    def card(
        self, place: tuple[float, float, float], link: str, role: str, title: str, states: Changes, values: Changes,
        pill: bool = False, when: When = ALWAYS, over: Callable[[Mark], Iterable[Mark]] = nothing,
    ) -> None:  # fmt: skip
        """A box with a title and, below it, a text that changes with the steps; between them what is laid `over` the box."""
        names = calm(states) if any(name for _, name in calm(states)) else []
        empty_before = all(name in ("", "pending") for _, name in names)  # so there is no text to be faint
        box, name, value = only(when, card(*place, role, title, "", pill, link))
        value = value.varying("step", state=[] if empty_before else names, text=values)
        value = travels.arriving(value, self.units)
        box, name = box.varying("step", state=states), name.varying("step", state=names)
        self.marks += [box, *only(when, over(box)), name, value]

    def gradient_card(self, unit: Unit, x: float, y: float, title: str) -> None:
        """The card of a box's gradient, which is as wide as the box."""
        states, values = pulses(self.gradients.times(unit)), self.gradients.texts(unit)
        place, role = (x, y, self.box(unit)[2]), self.gradient_role(unit)
        self.card(place, f"g{unit.index}", role, title, states, values, unit.lead.leaf,
                  over=partial(self.colours.of_gradient, unit))  # fmt: skip

    def edges_back(self) -> Iterator[tuple[int, Changes]]:
        """The number of each edge along which something goes back, and the states of the way there."""
        for k, edge in enumerate(self.units.edges):
            if edge.end in self.units.walked and self.units.sent_along(edge):
                yield k, pulses([self.units.walked[edge.end]])

    def label(self, x: float, y: float, words: str, states: Changes = NEVER) -> None:
        """A local slope beside an edge."""
        self.marks.append(text(x, y, words, "slope", "middle").varying("step", state=states))

    def panel(self, name, title, when, width=None, height=None) -> Panel:
        """All marks as a panel."""
        whole = bool(self.rows.cuts)
        size = width or self.width, height or self.height
        return Panel(name, title, *size, self.marks, when, tokens=self.tokens, whole=whole)


def calm(states: Changes) -> Changes:
    """How texts and arrow heads vary: as their box, but nothing happens to them at the moment itself.

    >>> calm([(0, "pending"), (2, "now"), (3, ""), (4, "now"), (5, "")])
    [(0, 'pending'), (2, '')]
    """
    quiet = [(at, "" if name == "now" else name) for at, name in states]
    return [(at, name) for i, (at, name) in enumerate(quiet) if not i or quiet[i - 1][1] != name]


def _arguments(units: Units) -> list[int]:
    """The boxes of what the user gave, where there are parameters of modules besides: their way is the one to follow."""
    leaves = [unit for unit in units.units if unit.lead.leaf and not unit.chip]
    own = [unit.index for unit in leaves if "." not in unit.lead.title]
    return own if len(own) < len(leaves) else []


def _arrives(drawn: Layout, edges: Sequence[tuple[int, int]], k: int) -> float:
    """The height at which edge `k` comes to the gap before its last column."""
    left, _ = drawn.columns[drawn.ranks[edges[k][1]]]
    return [y for x, y in drawn.route(k, HALF) if x < left - 0.01][-1]


def _wide(drawn: Layout, edges: Sequence[tuple[int, int]], labels: Sequence[str]) -> dict[int, float]:
    """Px that the labels need in each gap, those of edges that cross no other gap."""
    found: dict[int, float] = {}
    for (start, end), words in zip(edges, labels, strict=False):
        gap = drawn.ranks[start]
        if words and drawn.ranks[end] == gap + 1:
            found[gap] = max(found.get(gap, 0.0), min(label_width(words), LABEL) + 14)
    return found
