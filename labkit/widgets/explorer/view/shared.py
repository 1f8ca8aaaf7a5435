"""What the views of a graph share: boxes placed in a panel, cards, edges with arrow heads, labels beside them.

Only the forward graph is laid out. What belongs to its derivative stands below each box, or mirrored to the right: so it
is always clear which derivative belongs to which op.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from ...kit.boxes import EDGE, PAD, Climb, arrow, card, name_width, value_width
from ...kit.layout import Layout, Point
from ...kit.layout.rows import Rows
from ...kit.scene import Changes, Mark, Panel, When, line, only, rect, text
from ...kit.words import clipped
from . import cards, travels, weights
from .broken import JOINED, MEND, before, broken, gap, later
from .cards import Gradients, going, pulses
from .colours import Colours
from .folded import ALL, OWN, WAY, folded
from .placing import GAP, NARROW, Across, Down, Place, Placing, Wanted
from .units import Unit, Units

SUM, LABELS, NOTE = 15.0, 15.0, 14.0  # px, the line of a sum below a card, of slopes, and of what a node saves
CUT = 44.0  # px below a card whose path may have been cut
ALWAYS: When = {}
NEVER: Changes = []
HALFWAY = 0.725  # of a card, from its top to the middle of its second line


def nothing(box: Mark) -> Iterable[Mark]:
    """What is laid over a box: nothing."""
    return ()


class View:
    """Boxes placed in a panel, marks collected.

    `rooms`: for a box, px that its cards need besides what its own texts need. `twins`: the boxes with a second card
    below the first, or beside it. `labels`: of each edge the text that stands beside it; `noted`: boxes with a text between
    both cards. `room`: px, a wider drawing is cut into rows, and for a narrow page leads down; None: as wide as a page. `top`,
    `bottom`: px left free above and below.
    """

    def __init__(
        self,
        units: Units,
        rooms: Mapping[Unit, Iterable[float]],
        *,
        twins: Collection[Unit] = (),
        labels: Sequence[str] = (),
        noted: Collection[Unit] = (),
        room: float | None = None,
    ):
        self.units, self.gradients, self.twins, self.colours = units, Gradients(units), twins, Colours(units)
        self.marks: list[Mark] = []
        self.tokens: list[Mark] = []
        self.top = self.bottom = EDGE
        self.gap = GAP
        beside = labels or [""] * len(units.edges)
        labels = [words or edge.words for edge, words in zip(units.edges, beside, strict=True)]
        self.placing = self._placed([self._width(u, rooms.get(u, ())) for u in units.units], labels, noted, room)

    def _placed(self, widths, labels, noted, room) -> Placing:
        units, twins = self.units, {unit.index for unit in self.twins}
        edges = [(e.start.index, e.end.index) for e in units.edges]
        sums = {unit for unit in self.twins if self.gradients.sums(unit)}
        wanted = Wanted(widths, [SUM * (u in sums) for u in units.units], twins, edges, labels, _arguments(units), ())
        down = None
        if room is not None and room <= NARROW:
            named = {edge.start for edge, words in zip(units.edges, labels, strict=False) if words and edge.uses}
            cuts = {edge.end: edge.start for edge in units.edges if not edge.uses}.values()
            below = [
                max(SUM * (u in sums) + LABELS * (u in named) + NOTE * (u in noted), CUT * (u in cuts))
                for u in units.units
            ]
            down = Down.of(replace(wanted, below=below, order=_in_order(units)), room)
        return down or Across(wanted, room)

    def _width(self, unit, rooms):
        value = value_width(self.units.roomy(cards.value(unit)))
        other = value_width(folded(self.units, unit))
        joined = value_width(JOINED) if any(edge.start is unit for edge in self.units.cuts) else 0.0
        bars = weights.room(self.units, unit) if unit in self.twins else 0.0
        return max([46.0, name_width(cards.short(unit)), value, joined, other, *rooms]) + PAD + bars

    @property
    def layout(self) -> Layout:
        """The layout in columns, of what leads across."""
        return self._across.layout

    @property
    def rows(self) -> Rows:
        """The rows of what leads across."""
        return self._across.rows

    @property
    def _across(self) -> Across:
        assert isinstance(self.placing, Across)
        return self.placing

    @property
    def width(self) -> float:
        """Of the panel, px."""
        return self.placing.width + 2 * EDGE

    @property
    def height(self) -> float:
        """Of the panel, px."""
        return self.placing.height + self.top + self.bottom

    def box(self, unit: Unit) -> Place:
        """`(left, top, width)` of a box's first card."""
        return self._moved(self.placing.box(unit.index))

    def twin(self, unit: Unit) -> Place:
        """`(left, top, width)` of its second card."""
        return self._moved(self.placing.twin(unit.index))

    def _moved(self, place):
        x, y, width = place
        return x + EDGE, y + self.top, width

    def route(self, k: int, back: bool = False) -> list[Point | None]:
        """The points of edge `k`, or of its way `back` between the second cards; None where it goes on in the next row."""
        return [point and self._inside(point) for point in self.placing.route(k, back)]

    def _inside(self, point: Point) -> Point:
        return point[0] + EDGE, point[1] + self.top

    def crossings(self, k: int, words: str, back: bool = False) -> list[Climb]:
        """The parts of a route where a label has room."""
        return [(self._inside(at), self._inside(then)) for at, then in self.placing.crossings(k, words, back)]

    def tie(self, unit: Unit, x: float | None = None) -> Mark:
        """The dotted line between both cards of a box; `x`: px from its left side, by default the middle."""
        start, end = self.placing.tie(unit.index, self.box(unit)[2] / 2 if x is None else x)
        return line(*self._inside(start), *self._inside(end), "saved")

    def note(self, unit: Unit, words: str, role: str, x: float) -> Mark:
        """A text beside that line."""
        return text(*self._inside(self.placing.note(unit.index, x)), words, role)

    def total(self, unit: Unit, role: str) -> Mark:
        """An empty text below the second card of a box."""
        place, anchor = self.placing.total(unit.index)
        return text(*self._inside(place), "", role, anchor)

    # ---- marks ----

    def forward(self) -> None:
        """The forward half: edges, then cards over them."""
        for k, edge in enumerate(self.units.edges):
            points = self.route(k)
            if not edge.uses:
                alone = all(other.uses or other.end is not edge.end for other in self.units.edges[k + 1 :])
                wrong = edge in self.units.cuts
                marks = broken(points, edge.words if alone else "", wrong)
                self.marks += gap(points, marks, self.units) if wrong else marks
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
        start, end = map(self.twin, (edge.start, edge.end))
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
        return x + width / 2, y + HALFWAY * self.placing.card

    def _forward_card(self, unit):
        x, y, w = self.box(unit)
        ran = self.units.ran.get(unit, 0)
        values = [(0, ""), (ran, cards.value(unit))] if ran else [(0, cards.value(unit))]
        marked = not unit.chip and bool(self.units.story.marked.intersection(unit.nodes))
        happens = [*([ran] if ran else []), *([self.units.last] if marked and self.units.story.ending else [])]
        states = pulses(happens, "pending" if ran else "") if happens else []
        if unit.block or unit.lead.cut is not None:  # drawn as a pile
            pile = rect(x + 4, y - 4, w, self.placing.card, "group", 4, link=f"n{unit.index}")
            self.marks.append(pile.varying("step", state=calm(states)))
        title = cards.short(unit)
        pill = unit.lead.leaf and unit.lead.cut is None
        begin, cut = len(self.marks), any(edge.start is unit for edge in self.units.cuts)
        looks: list[tuple[When, str, Changes]] = [(ALWAYS, self._role(unit), values)]
        if cut:
            looks = [({MEND: [0]}, self._role(unit), values), ({MEND: [1]}, "back", [(0, JOINED)])]
        elif told := folded(self.units, unit):
            plain = "loss" if unit.lead.output else "op"
            looks = [({WAY: [ALL]}, self._role(unit), values), ({WAY: [OWN]}, plain, [(0, ""), (ran, told)])]
        for when, role, said in looks:
            self.card((x, y, w), f"n{unit.index}", role, title, states, said, pill, when,
                      over=partial(self.colours.of_value, unit))  # fmt: skip
        if cut:
            self.marks[begin - 1 :] = [later(mark, self.units) for mark in self.marks[begin - 1 :]]
        elif any(edge.end is unit for edge in self.units.cuts):
            self.marks[begin:] = [later(mark, self.units) for mark in self.marks[begin:]]
            begin = len(self.marks)
            role = "leaf" if unit.lead.leaf else "group" if unit.block else "op"
            self.card((x, y, w), f"n{unit.index}", role, title.partition(": no ")[0], states, values, pill)
            self.marks[begin:] = [before(mark, self.units) for mark in self.marks[begin:]]

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
        box, name, value = only(when, card(*place, role, fitted(title, place[2]), "", pill, link, self.placing.card))
        value = value.varying("step", state=[] if empty_before else names, text=values)
        value = travels.arriving(value, self.units)
        box, name = box.varying("step", state=states), name.varying("step", state=names)
        self.marks += [box, *only(when, over(box)), name, value]

    def gradient_card(self, unit: Unit, title: str, at: tuple[float, float] | None = None) -> None:
        """The card of a box's gradient, which is as wide as the box; `at`: its left upper corner, if it is not the twin's."""
        states = going(self.gradients.times(unit), self.gradients.nil(unit))
        values = self.gradients.texts(unit)
        place, role = (*at, self.box(unit)[2]) if at else self.twin(unit), self.gradient_role(unit)
        self.card(place, f"g{unit.index}", role, title, states, values, unit.lead.leaf,
                  over=partial(self.colours.of_gradient, unit))  # fmt: skip
        self.weights(unit, place)

    def weights(self, unit: Unit, place: Place) -> None:
        """How long the gradients are of what a box holds."""
        (x, y, wide), high = place, self.placing.card
        self.marks += weights.bars(self.units, unit, x + wide, y + high - 4, high - 10)

    def edges_back(self) -> Iterator[tuple[int, Changes]]:
        """The number of each edge along which something goes back, and the states of the way there."""
        for k, edge in enumerate(self.units.edges):
            if edge.end in self.units.walked and self.units.sent_along(edge):
                yield k, going([self.units.walked[edge.end]], self.units.sends_nothing(edge))

    def label(self, x: float, y: float, words: str, states: Changes = NEVER) -> None:
        """A local slope beside an edge."""
        self.marks.append(text(x, y, words, "slope", "middle").varying("step", state=states))

    def panel(self, name, title, when, width=None, height=None) -> Panel:
        """All marks as a panel."""
        down = isinstance(self.placing, Down)
        whole, title = down or bool(self.rows.cuts), title.replace("below", "beside") if down else title
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


def _in_order(units: Units) -> list[int]:
    """The boxes as they ran, each leaf above its first use; the user's own first one above all, below what may have led there."""
    found: dict[int, None] = {}

    def put(unit):
        for edge in units.into.get(unit, ()):
            if edge.start.lead.leaf and edge.start.index not in found:
                put(edge.start)
        found[unit.index] = None

    for unit in [*(units.units[i] for i in _arguments(units)[:1]), *units.ops, *units.units]:
        put(unit)
    return [*found]


def fitted(words: str, width: float) -> str:
    """A title as a card of so many px has room for."""
    while words and name_width(words) > width - 4:
        before = words
        words = clipped(words.partition(": ")[0], min(len(words) - 1, 60))
        if words == before:
            break
    return words
