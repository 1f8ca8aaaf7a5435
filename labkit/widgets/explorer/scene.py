"""The scene of the graph explorer: a story, folded in a certain way, as panels over one slider."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isfinite
from textwrap import wrap

from ..kit.grips import Along, Grip
from ..kit.scene import Caption, Dial, Link, Mark, Panel, Scene, changes, text, width_of
from ..kit.words import listed, paragraph
from .asks import asks
from .real_words import real_sentences
from .run.folding import Part, blocks, paths, visible
from .run.story import Story
from .view import covers
from .view.cards import links
from .view.chain import chain
from .view.colours import Colours
from .view.graph import graph, graph_in_rows
from .view.inside import inside
from .view.norms import Curve
from .view.pairs import pairs
from .view.placing import NARROW
from .view.program import program
from .view.standing import rings
from .view.tape import tape
from .view.units import Units
from .words import graph_sentences, labels, sentences, tape_sentences

VIEWS = {"chain": "chain rule", "tape": "PyTorch tape", "graph": "MindSpore graph", "both": "tape and graph"}
MOST_FOR_ALL_VIEWS = 200  # boxes; above, only the view asked for is drawn
LINE, SHORT_LINE = 110, 56  # characters of a line about a story
MOST_ASKED = 1000  # boxes
MOST_NAMED = 12  # unfolded blocks
MOST_FITTING = 60  # boxes that are measured
PAGE_WIDTH, SIGHT = 1230.0, 400.0  # px, of a window of 1280 by 800 for a graph
BAR = 900.0  # px, the longest row of names of unfolded blocks
ROOMS = (760.0, NARROW)  # px, for which there are layouts besides that for a wide page
NOTE = 12.5  # px, the largest that a note is written
LEAST_WIDE = 900.0  # px
APART = 24.0  # px between panels in a row
MOST_TWICE = 80  # boxes
SIDE_BY_SIDE = 900.0  # px, the widest that MindSpore's graph is with its halves side by side
_PANELS = {"chain": (chain, ("chain",)), "tape": (tape, ("tape", "both")), "graph": (graph_in_rows, ("graph", "both"))}


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

    def scene(self, notice: str = "", fields: dict[str, str] | None = None) -> Scene:
        """The scene; `notice` goes before the story's own, `fields` are the numbers that the reader may change."""
        units = self.units(
            varies=bool(fields) and self.opened >= set(paths(self.parts))
        )  # dragged where nothing is folded
        offered = self._offered(units)
        panels, colours = _panels(units, offered), Colours(units)
        seen = next((panel.width for panel in panels if panel.name == self.view), 0.0)
        curve, within = _detailed(units, seen, units.varies or self.base is not None)
        behind = self._links(units) | dict(curve.links())
        behind |= covers.links(units, {mark.link or "" for panel in panels for mark in panel.far})
        bar = _bar(self, units)
        notices = paragraph(notice, *self.story.notices)
        title = self.story.heading or f"The gradient of {self.story.name}, step by step".replace(
            "<lambda>", "a function"
        )
        dials = [*_dials(self, units, offered, panels), *colours.dials()]
        shown, words = ([p for p in panels if (p.name == "program") is is_program] for is_program in (False, True))
        legends = list(colours.panels())  # first where they are what is to be seen
        curves, first = [curve.panel] if curve.panel else [], self.story.coloured
        graphs = [*legends, *curves, *shown, *words] if first else [*shown, *words, *legends, *curves]
        details = [*within, *pairs(units)]
        captions = _captions(units, offered)
        scrubbed = fields or curve.panel
        grips = [*(_scrubbed(units, panels, fields or {}) if scrubbed else _rings(units, panels)), *curve.grips()]
        panels = [*bar[0], *graphs, *details, *about(self.story)]
        links = behind | bar[1]
        return Scene(title, description(units), dials, panels, captions, links, notices, fields or {}, grips=grips)

    def fits(self) -> bool:
        """Whether the graph is in sight on a wide page, with a curve below it, and read easily."""
        units = self.units()
        if len(units.units) > MOST_FITTING:
            return False
        make, _ = _PANELS["chain" if self.view == "both" else self.view]
        panel = make(units, {})
        return panel.height * min(1.0, PAGE_WIDTH / panel.width) <= SIGHT

    def _offered(self, units):
        """The views that the reader may choose."""
        if self.story.taped:
            return ["chain", "tape"]
        return list(VIEWS) if len(units.units) <= MOST_FOR_ALL_VIEWS else [self.view]

    def _links(self, units):
        """What is behind the cards; a click on a folded block unfolds it."""
        found, known = links(units), paths(self.parts)
        base = self.opened if self.base is None else self.base
        for unit in units.units:
            way = key_of(base | set(known[unit.block.key])) if unit.block else ""
            for name in (f"n{unit.index}", f"g{unit.index}"):
                if unit.block and name in found and self.leads_to(way):
                    found[name] = replace(found[name], tip=[*found[name].tip, "Click to unfold."], go={}, opens=way)
        return found

    def leads_to(self, way: str) -> bool:
        """Whether there is this way of folding."""
        return self.ways is None or way in self.ways


def key_of(opened: frozenset[str]) -> str:
    """A way of folding as one text, which is not empty; `opened_by` is the way back."""
    return "|".join(sorted(opened)) or "|"


def opened_by(key: str, parts: Sequence[Part]) -> frozenset[str]:
    """The keys in a text, those that there are, each with the blocks around it."""
    known = paths(parts)
    return frozenset(around for part in key.split("|") for around in known.get(part, ()))


def without(opened: frozenset[str], key: str, parts: Sequence[Part]) -> frozenset[str]:
    """What stays unfolded when a block is folded."""
    known = paths(parts)
    return frozenset(o for o in opened if key not in known.get(o, ()))


def description(units: Units) -> str:
    """What the picture shows, in two sentences."""
    story = units.story
    if story.about:
        return story.about[0]
    ops = sum(not n.leaf for n in story.nodes)
    folding = f", folded into {_boxes(units)}," if len(units.ops) < ops else ""
    leaves = f" from {listed(n.title for n in story.leaves)}" if story.leaves else ""
    steps = len(story.steps)
    back = "1 step of the chain rule leads" if steps == 1 else f"{steps or 'no'} steps of the chain rule lead"
    return f"A graph of {ops} op{'' if ops == 1 else 's'}{folding}{leaves} to the result; {back} back."


def _panels(units, offered):
    panels = []
    for make, seen_in in _PANELS.values():
        where = [i for i, view in enumerate(offered) if view in seen_in]
        if where:
            when = {"view": where} if len(offered) > 1 else {}
            rooms = ROOMS if len(units.units) <= MOST_TWICE else ()
            layouts = [_wide(make, units, when), *(make(units, when, room) for room in rooms)]
            panels.append(_laid_out([_explained(panel) for panel in layouts]))
    shown, slim = (program(units, {"program": [1]}, room) for room in (None, NARROW))
    if shown and slim:
        panels.append(replace(shown, narrow=_narrow(slim)) if shown.width > NARROW else shown)
    return panels


def _wide(make, units, when):
    """The layout for a wide page: of MindSpore's graph both halves side by side, where there is room."""
    mirrored = graph(units, when) if make is graph_in_rows else None
    return mirrored if mirrored and mirrored.width <= SIDE_BY_SIDE else make(units, when)


def _laid_out(layouts):
    """A panel, with those of its layouts that are narrower than the one before."""
    first, *others = layouts
    narrower = [panel for before, panel in pairwise(layouts) if panel.width < 0.9 * before.width]
    found = None
    for panel in reversed(narrower if others else []):
        found = replace(_narrow(panel) if found is None else replace(panel, name=f"{panel.name}, middle"), narrow=found)
    return replace(first, narrow=found)


def _detailed(units, wide, light):
    """The curve of norms, and what is inside the steps: side by side where that is lower, or else as wide as the graph."""
    wider, alone = Curve(units, min(max(wide, LEAST_WIDE), PAGE_WIDTH)), inside(units, light)
    curve = Curve(units)
    if units.story.coloured or not (curve.panel and wider.panel):
        return wider, alone
    beside = inside(units, light, curve.panel.width + APART)
    stacked, abreast = wider.panel.height + sum(p.height for p in alone), max(p.height for p in (curve.panel, *beside))
    return (wider, alone) if wide > LEAST_WIDE and stacked < abreast else (curve, beside)


def _explained(panel):
    """A panel whose title says what ‖·‖ is, where that is written."""
    changing = (words for mark in panel.marks for _, words in mark.vary.get("step", {}).get("text", []))
    said = any("\u2016" in words for words in (*(mark.text for mark in panel.marks), *changing))
    return replace(panel, title=f"{panel.title}; \u2016·\u2016 is the norm") if said else panel


def _layouts(panel):
    """A panel, and its other layouts."""
    return [panel, *_layouts(panel.narrow)] if panel else []


def _narrow(panel):
    return replace(panel, name=f"{panel.name}, narrow")


def _scrubbed(units, panels, fields) -> Iterator[Grip]:
    """The inputs on their cards: dragged to the right they grow."""
    numbers = {name: float(words) for name, words in fields.items() if isfinite(float(words))}
    ends = {"step": (units.seed, units.last)} if units.goes_back else {}
    cards = {f"n{u.index}": u.lead for u in units.units if u.lead.leaf and u.lead.title in numbers and not u.chip}
    for panel in (shown for each in panels for shown in _layouts(each)):
        boxes = {m.link: m.at for m in panel.marks if m.tag == "rect" and m.link in cards}
        for link, at in boxes.items():
            name, x, whole = cards[link].title, at["x"] + at["width"] / 2, cards[link].value.dtype.kind in "iu"
            free = {"x": Along.scrubbed(name, numbers[name], x, whole)}
            spot = (x, at["y"] + at["height"] - 2)  # its sign is below the card, clear of digits
            yield Grip(
                f"{name} {panel.name}",
                panel.name,
                name,
                at=spot,
                by="x",
                free=free,
                stays=True,
                when=panel.when,
                ends=ends,
            )


def _rings(units, panels):
    """Where no input can be dragged, the step."""
    return rings(units, [shown for each in panels if each.name in _PANELS for shown in _layouts(each)])


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


def about(story: Story) -> list[Panel]:
    """What a story is about, as a panel below the others; the page tells the rest under "more". [] where there is nothing."""
    told = story.about[:1]
    return [replace(_words(told, LINE), narrow=_narrow(_words(told, SHORT_LINE)))] if told else []


def _words(sentences, letters):
    lines = [line for sentence in sentences for line in wrap(sentence, letters)]
    marks: list[Mark] = [text(4, 14 + 16 * i, line, "note") for i, line in enumerate(lines)]
    return Panel("about", "", max(width_of(line, NOTE) for line in lines) + 8, 16 * len(lines) + 6, marks)


# ---- a row with the names of what is unfolded, to fold it again ----


def _boxes(units):
    return "1 box" if len(units.ops) == 1 else f"{len(units.ops)} boxes"


def _bar(shown: FoldedStory, units: Units):
    """`([the panel], links)`, or `([], {})` where nothing is folded and nothing can be."""
    titles = {b.key: b.title for b in blocks(shown.parts) if b.key in shown.opened}
    ops = sum(not n.leaf for n in shown.story.nodes)
    folded = any(unit.block for unit in units.units)
    words = f"{ops} ops, folded into {_boxes(units)}; click a pile to unfold it." if folded else ""
    several, single = len(titles) > 1, titles if len(titles) <= MOST_NAMED else {}
    ways = {f"fold {key}": (f"▾ {title}", without(shown.opened, key, shown.parts)) for key, title in single.items()}
    if several:
        ways["fold all"] = ("▾ all", frozenset())
    ways = {name: (label, opened) for name, (label, opened) in ways.items() if shown.leads_to(key_of(opened))}
    if not ways and not words:
        return [], {}
    panel, found = _placed_bar(words, ways, BAR)
    return [
        replace(panel, narrow=_narrow(_placed_bar(words, ways, NARROW)[0])) if panel.width > NARROW else panel
    ], found


def _placed_bar(words, ways, widest):
    marks: list[Mark] = [text(4, 14, words, "note")] if words else []
    x, y, found = (width_of(words, 11.5) + 20 if words else 4.0), 14.0, {}
    for name, (label, opened) in ways.items():
        width = width_of(label, 12, bold=True)
        if x + width > widest and x > 4:
            x, y = 4.0, y + 18
        marks.append(text(x, y, label, "forwardtext", link=name))
        found[name] = Link(f"Fold {label[2:]}", [f"Fold {label[2:]}"], opens=key_of(opened))
        x += width + 18
    return Panel("fold", "", widest if y > 14 else x, y + 6, marks, live=True), found
