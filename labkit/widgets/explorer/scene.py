"""The scene of the graph explorer: a story, folded in a certain way, as panels over one slider."""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..kit.scene import Caption, Dial, Link, Panel, Scene, changes, only
from ..kit.words import listed, paragraph
from .asks import asks, what_it_is_about
from .panels import VIEWS, about, detailed, fits, graphs, is_graph, layouts, where_chosen
from .real_words import real_sentences
from .run.folding import Part, paths, visible
from .run.rules import written
from .run.story import Story
from .view import covers, weights
from .view.broken import MEND, mending
from .view.cards import links
from .view.colours import Colours
from .view.folded import OWN, WAY, told_folded
from .view.pairs import pairs
from .view.scrubbed import scrubbed
from .view.slopes import slopes
from .view.standing import rings
from .view.units import Units
from .ways import bar, key_of, number_of_boxes
from .words import graph_sentences, labels, sentences, tape_sentences

MOST_FOR_ALL_VIEWS = 200  # boxes; above, only the view asked for is drawn
MOST_ASKED = 1000  # boxes
TOLD = "told"  # the link of what is told first


@dataclass(frozen=True)
class FoldedStory:
    """How a story is shown: its `parts`, the keys of those `opened`, and the `view` at first.

    A click on a folded block adds it to `base` (default: what is opened). `ways`: the ways of folding that there are, as
    `key_of` writes them; None: all of them.
    """

    story: Story
    parts: Sequence[Part]
    opened: frozenset[str]
    view: str
    base: frozenset[str] | None = None
    ways: Container[str] | None = None

    def units(self, varies: bool = False) -> Units:
        """Its boxes; `varies`: the reader may change inputs."""
        return Units(self.story, visible(self.parts, self.opened), self.parts, varies)

    def fits(self) -> bool:
        """Whether the graph is in sight on a wide page, with a curve below it, and read easily."""
        return fits(self.units(), self.view)

    def leads_to(self, way: str) -> bool:
        """Whether there is this way of folding."""
        return self.ways is None or way in self.ways

    def scene(self, notice: str = "", fields: dict[str, str] | None = None) -> Scene:
        """The scene; `notice` goes before the story's own, `fields` are the numbers that the reader may change."""
        varies = bool(fields) and self.opened >= set(paths(self.parts))  # dragged where nothing is folded
        return _Drawn(self, self.units(varies), fields or {}).scene(notice)


@dataclass(frozen=True)
class _Drawn:
    """What a scene is put together from."""

    shown: FoldedStory
    units: Units
    fields: dict[str, str]

    def scene(self, notice: str) -> Scene:
        story, units, dials, captions = self.shown.story, self.units, self._dials(), _captions(self.units, self.offered)
        joins, ways, joined, instead = mending(units)
        if joins:
            dials = [replace(dials[0], shows={MEND: 0}), *dials[1:], *joins]
            captions = _with_the_cut_joined(captions, joined, units.last)
        asked = what_it_is_about(units)
        return Scene(
            story.heading or _titled(story),
            description(units),
            dials,
            self._panels(),
            captions,
            self._links() | ways,
            paragraph(notice, *story.notices),
            self.fields,
            grips=self._grips(),
            told_at={"step": max(asked)} if asked else {},
            notice_at=({MEND: {1: instead}} if joins else {}) | _folded(units),
            notice_link=TOLD if story.notices and self._told() else "",
        )

    @cached_property
    def offered(self) -> list[str]:
        """The views that the reader may choose."""
        if self.shown.story.taped:
            return ["chain", "tape"]
        return list(VIEWS) if len(self.units.units) <= MOST_FOR_ALL_VIEWS else [self.shown.view]

    @cached_property
    def graphs(self) -> list[Panel]:
        return graphs(self.units, self.offered)

    @cached_property
    def colours(self) -> Colours:
        return Colours(self.units)

    @cached_property
    def within(self):
        """The curve of norms, what it is due to, and what is inside of the steps."""
        seen = next((panel.width for panel in self.graphs if panel.name == self.shown.view), 0.0)
        return detailed(self.units, seen, self.units.varies or self.shown.base is not None)

    @cached_property
    def square(self):
        return pairs(self.units)

    @cached_property
    def bar(self):
        return bar(self.units, self.shown.parts, self.shown.opened, self.shown.leads_to)

    def _panels(self):
        curve, why, (within, _) = self.within
        drawn, words = ([p for p in self.graphs if (p.name == "program") is is_program] for is_program in (False, True))
        legends, curves = list(self.colours.panels()), [*([curve.panel] if curve.panel else []), *why]
        story = self.shown.story
        first = story.coloured or (story.verdict and story.retained)  # colours and curve are what is to be seen
        seen = [*legends, *curves, *drawn, *words] if first else [*drawn, *words, *legends, *curves]
        inside = [*within, *slopes(self.units, where_chosen(self.offered))]
        return [*self.bar[0], *self.square[0], *seen, *inside, *about(story)]

    def _dials(self):
        return [*_dials(self.shown, self.units, self.offered, self.graphs), *self.colours.dials(), *self.square[1]]

    def _links(self):
        """What is behind the cards and the other marks."""
        far = {mark.link or "" for panel in self.graphs for mark in panel.far}
        behind = self._behind_cards() | dict(self.within[0].links()) | self.within[2][1] | covers.links(self.units, far)
        behind |= weights.links(self.units)
        return behind | self.square[2] | self.bar[1] | self._told()

    def _told(self):
        """Where a click on what is told first leads: to the box that it is about, and its lines in the program."""
        units, story = self.units, self.shown.story
        node = next((story.nodes[i] for i in sorted(story.marked) if story.nodes[i].parents), None)
        unit = units.home.get(node.index) if node else None
        if node is None or unit is None:
            return {}
        program = {"program": 1} if node.lines and any(panel.name == "program" for panel in self.graphs) else {}
        step = units.ran[unit] if program else units.walked.get(unit, units.ran[unit])
        words = f"Show {node.title}{' in the program' if program else ''}"
        return {
            TOLD: Link(
                words, [words], go={**program, "step": step}, reveals=("program", f"n{unit.index}") if program else ()
            )
        }

    def _behind_cards(self):
        """Of the cards; a click on a folded block unfolds it."""
        shown, found, known = self.shown, links(self.units), paths(self.shown.parts)
        base = shown.opened if shown.base is None else shown.base
        for unit in self.units.units:
            way = key_of(base | set(known[unit.block.key])) if unit.block else ""
            for name in (f"n{unit.index}", f"g{unit.index}"):
                if unit.block and name in found and shown.leads_to(way):
                    found[name] = replace(found[name], tip=[*found[name].tip, "Click to unfold."], go={}, opens=way)
        return found

    def _grips(self):
        """Inputs are dragged on their cards; where there are none, and no curve of steps, the step is."""
        curve, every = self.within[0], [drawn for panel in self.graphs for drawn in layouts(panel)]
        if self.fields or curve.panel:
            found = scrubbed(self.units, every, self.fields)
        else:
            found = rings(self.units, [drawn for panel in self.graphs if is_graph(panel) for drawn in layouts(panel)])
        return [*found, *curve.grips(), *self.square[3]]


def _folded(units):
    told = told_folded(units)
    return {WAY: {OWN: told}} if told else {}


def _titled(story):
    return f"The gradient of {story.name}, step by step".replace("<lambda>", written(story) or "a function")


def _with_the_cut_joined(captions, joined, last):
    said = [change for change in captions[0].texts if change[0] < last]
    return [*only({MEND: [0]}, captions), Caption("step", [*said, (last, joined)], {MEND: [1]})]


def description(units: Units) -> str:
    """What the picture shows, in two sentences."""
    story = units.story
    if story.about:
        return story.about[0]
    ops = sum(not n.leaf for n in story.nodes)
    folding = f", folded into {number_of_boxes(units)}," if len(units.ops) < ops else ""
    leaves = f" from {listed(n.title for n in story.leaves)}" if story.leaves else ""
    steps = len(story.steps)
    back = "1 step of the chain rule leads" if steps == 1 else f"{steps or 'no'} steps of the chain rule lead"
    return f"A graph of {ops} op{'' if ops == 1 else 's'}{folding}{leaves} to the result; {back} back."


def _dials(shown, units, offered, panels):
    start = units.last if units.story.retained else 0  # a real tape is there already
    asked = asks(units) if len(units.ops) <= MOST_ASKED else {}  # nobody predicts more steps
    dials = [Dial("step", "Step", labels(units), start=start, asks=asked, places=units.places)]
    if len(offered) > 1:
        start = offered.index(shown.view)
        dials.append(Dial("view", "View", [VIEWS[v] for v in offered], "choice", start))
    if any(p.name == "tape" for p in panels) and _retains(units):
        taped = {"view": [i for i, v in enumerate(offered) if v in ("tape", "both")]} if len(offered) > 1 else {}
        dials.append(Dial("retain", "retain_graph=True", ["released", "retained"], "toggle", when=taped))
    if any(p.name == "program" for p in panels):
        dials.append(Dial("program", "Program", ["hidden", "shown"], "toggle"))
    return dials


def _retains(units):
    """Whether the reader may choose if what a tape saved stays."""
    return bool(units.walked) and not units.story.retained


def _captions(units, offered):
    besides = paragraph(*units.story.about[1:])
    captions = [
        Caption("step", changes((real_sentences if units.story.retained else sentences)(units))),
        *([Caption("step", [(0, f"\n{besides}")])] if besides else []),
    ]
    for name in offered:
        when = {"view": [offered.index(name)]} if len(offered) > 1 else {}
        if name == "tape" and units.story.retained:
            continue
        if name == "tape" and _retains(units):
            captions += [
                Caption("step", tape_sentences(units, bool(retain)), {**when, "retain": [retain]}) for retain in (0, 1)
            ]
        elif name == "tape" and not units.story.released:
            captions.append(Caption("step", tape_sentences(units, True), when))
        elif name == "graph":
            captions.append(Caption("step", graph_sentences(units), when))
    return captions
