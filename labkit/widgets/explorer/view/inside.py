"""Inside a step: the arrays that come in, what is done with them, and what comes out, as numbers.

Forwards an op's operands and its result. On the way back, for each operand, what arrived, the rule that its numbers bear out
(`run/rules.py`), and what leaves: a matrix product is seen with its factors.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice, pairwise, zip_longest

import numpy as np

from ...kit.arrays import Tiles
from ...kit.scene import Link, Mark, Panel, arrow_head, line, text, width_of
from ...kit.words import clipped, number
from ..run.forms import plain
from ..run.rules import SIGNS, bare, formula_of, merged, operands, product_of, rules_of
from .cards import short
from .cells import cell_links, cell_marks, product_in
from .units import Unit, Units

TITLE, NOTE = "Inside this step", "Square tiles are positive, round ones negative."
LAYOUTS = {"inside": 1180.0, "inside, middle": 760.0, "inside, narrow": 420.0}  # px
MOST_BOXES = 60
MOST_MARKS, MOST_LIGHT = 1400, 400  # of light ones twice as many, where no numbers are written
MOST_GROUPS, MOST_OPERANDS = 4, 4
MOST_CELLS = 250  # of products, that can be pointed at
BACK = "g transposed back"
LEFT, GAP, APART = 8.0, 8.0, 34.0  # px: of the panel, beside a sign, between groups
ABOVE, HEAD = 20.0, 20.0  # px, the note above all, the line above a group


@dataclass(frozen=True)
class Group:
    """Things in a row, arrays and signs between them ("→" is an arrow), below a line of `words`; `links`: of the arrays."""

    words: str
    parts: Sequence[Tiles | str]
    links: Sequence[str | None]
    cells: str = ""  # what the links of a product's cells begin with

    @cached_property
    def widths(self) -> list[float]:
        """Of each part, px."""
        return [
            part.width if isinstance(part, Tiles) else 26.0 if part == "→" else width_of(part, 15)
            for part in self.parts
        ]

    @cached_property
    def width(self) -> float:
        """Px."""
        widths = self.widths
        return max(sum(widths) + GAP * (len(widths) - 1), width_of(self.words, 12.5))

    @cached_property
    def height(self) -> float:
        """Px."""
        return HEAD + max(part.height for part in self.parts if isinstance(part, Tiles))

    def marks(self, x: float, y: float) -> Iterator[Mark]:
        """With its left upper corner at (x, y)."""
        links, middle, places = iter(self.links), y + HEAD + (self.height - HEAD) / 2, list[tuple[float, float]]()
        yield text(x, y + 12, self.words, "plain")
        for part, width in zip(self.parts, self.widths, strict=True):
            if isinstance(part, Tiles):
                places.append((x, middle - part.height / 2))
                yield from part.marks(*places[-1], link=next(links))
            elif part == "→":
                yield line(x, middle, x + width - 5, middle, "inkline")
                yield arrow_head(x + width, middle, 1, 0, "inkhead")
            else:
                yield text(x + width / 2, middle + 5, part, "place", "middle")
            x += width + GAP
        if self.cells and (product := product_in(self.parts)):
            yield from cell_marks(product, places, self.cells)

    def plainer(self, room: float) -> "Group":
        """The same with fewer numbers written, where it is wider than `room`: first those of what is done with."""
        if self.width <= room:
            return self
        last = max(i for i, part in enumerate(self.parts) if isinstance(part, Tiles))
        for keep in (last, None):
            parts = [
                replace(p, words=p.words and i == keep) if isinstance(p, Tiles) else p for i, p in enumerate(self.parts)
            ]
            found = replace(self, parts=parts)
            if found.width <= room:
                break
        return found


def inside(units: Units, light: bool = False, beside: float = 0.0) -> tuple[list[Panel], dict[str, Link]]:
    """The panel, with layouts for less room, and what is behind the cells of products; nothing where all are single numbers,
    steps are very many, or no numbers went along them. `light`: with fewer marks, for a picture that is held beside others, or
    that is drawn again and again. `beside`: px that stand beside it on a wide page."""
    if len(units.ops) > MOST_BOXES or not _has_arrays(units) or not units.story.stepped:
        return [], {}
    steps = {step: [group for group in groups if group.parts] for step, groups in _steps(units)}
    behind = {} if light else _with_cells(steps)
    rooms = {name: room for name, room in reversed(LAYOUTS.items()) if not (light and "middle" in name)}
    found = None
    for name, room in rooms.items():
        panel = _panel(
            steps,
            name,
            room - (beside if name == "inside" else 0.0),
            MOST_LIGHT if light else MOST_MARKS,
            3 * len(behind),
        )
        found = replace(panel, narrow=found) if panel and (found is None or found.width < 0.9 * panel.width) else found
    return ([replace(found, name="inside")], behind) if found else ([], {})


def _with_cells(steps) -> dict[str, Link]:
    """Mark the groups that are products, as far as there are not too many cells; what is behind these."""
    found: dict[str, Link] = {}
    for step, groups in steps.items():
        for k, group in enumerate(groups):
            product, name = product_in(group.parts), f"cell {step} {k}"
            if product and product.result.read and len(found) + np.size(product.result.value) <= MOST_CELLS:
                groups[k] = replace(group, cells=name)
                found |= cell_links(product, name, step)
    return found


def _has_arrays(units):
    sizes = (np.prod(node.shape) for node in units.story.nodes)
    return any(size > 1 for size in sizes)


def _panel(steps, name, room, most, besides):
    """With numbers, if there are no more marks than `most` then, `besides` those of cells; None where there are more without.
    What no array says leaves the step before in sight."""
    for words in (True, False):
        limit = (most if words or most == MOST_MARKS else 2 * most) + besides
        fitted = {step: [_fitted(group, room, words) for group in groups] for step, groups in steps.items()}
        placed = {step: list(_placed(groups, room)) for step, groups in fitted.items() if groups}
        ends = dict(pairwise(placed))
        every = (mark for step, found in placed.items() for mark in _at(step, found, ends.get(step)))
        marks = list(islice(every, limit + 1))
        if marks and len(marks) <= limit:
            corners = [(x + group.width, y + group.height) for found in placed.values() for group, x, y in found]
            width, height = max(x for x, _ in corners) + 6, max(y for _, y in corners) + 6
            note = text(LEFT, 11, NOTE, "note")
            return Panel(name, TITLE, max(width, LEFT + width_of(NOTE, 11.5)), height, [*marks, note], live=True)
    return None


def _fitted(group, room, words):
    if not words:
        group = replace(
            group, parts=[replace(part, words=False) if isinstance(part, Tiles) else part for part in group.parts]
        )
    return group.plainer(room - 2 * LEFT)


def _placed(groups: Iterable[Group], room: float) -> Iterator[tuple[Group, float, float]]:
    """In lines, as many side by side as there is room for."""
    x, y, low = LEFT, ABOVE, ABOVE
    for group in groups:
        if x > LEFT and x + group.width > room - LEFT:
            x, y = LEFT, low + 10
        yield group, x, y
        x, low = x + group.width + APART, max(low, y + group.height)


def _at(step, found, end) -> Iterator[Mark]:
    """Marks that are seen from a step to another, of the last one to the end."""
    states = [*([(0, "hidden")] if step else []), (step, ""), *([(end, "hidden")] if end else [])]
    for mark in chain.from_iterable(group.marks(x, y) for group, x, y in found):
        yield mark.varying("step", state=states)


# ---- what there is to be seen ----


def _steps(units: Units) -> Iterator[tuple[int, Iterable[Group]]]:
    yield 0, [_start(units)]
    for unit, step in units.ran.items():
        yield step, [_forward(units, unit)]
    if units.goes_back:
        yield units.seed, [_seed(units)]
    for unit, step in units.walked.items():
        many = sum(len(each.sent) for each in units.steps_of[unit]) > MOST_GROUPS + 1
        yield step, [_through(units, unit)] if many and unit.block else list(islice(_back(units, unit), MOST_GROUPS))


def _start(units):
    leaves = [unit for unit in units.units if unit.lead.leaf and not unit.chip and unit.lead.value is not None]
    shown = leaves[:MOST_OPERANDS]
    words = "What goes in" if len(leaves) <= len(shown) else f"What goes in; {len(leaves) - len(shown)} more"
    return Group(words, [_tiles(u.lead.title, u.lead) for u in shown], [f"n{u.index}" for u in shown])


def _forward(units, unit: Unit):
    node, story = unit.lead, units.story
    product = product_of(story, node) if _alone(story, unit) and (unit.block or node.title not in SIGNS) else []
    if product:
        written = [part for sign, named in zip(" ·+++", product, strict=False) for part in (sign, Tiles(*named))][1:]
        whole = [*written, "=", _tiles(short(unit), node)]
        return Group(f"Forward: {short(unit)}", whole, [None] * len(product) + [f"n{unit.index}"])
    if unit.block:
        starts = list(dict.fromkeys(edge.start for edge in units.into.get(unit, ())))
        given = [(start.lead.title if start.lead.leaf else short(start), start.lead) for start in starts]
        given += [(story.nodes[i].title.rpartition(".")[2], story.nodes[i]) for i in unit.inside]
    else:
        named = operands(story, node)[: len(node.parents)]
        pairs = zip(named, node.parents, strict=True)
        given = [(name, story.nodes[p]) for (name, _), p in dict.fromkeys(((n, 0), p) for (n, _), p in pairs)]
    given = given[:MOST_OPERANDS]
    signs: tuple[str, ...] = ("",)
    if len(node.parents) == len(given) == 2 and not unit.block:
        signs = (SIGNS.get(node.title, ""),)
    tiles = [_tiles(name, operand) for name, operand in given]
    parts: list[Tiles | str] = []
    for tile, sign in zip_longest(tiles, ("", *signs)[: len(tiles)], fillvalue=""):
        parts += [sign, tile] if sign else [tile]
    parts += ["=" if all(signs) else "→", _tiles(short(unit) if unit.block else formula_of(story, node), node)]
    links = [_link(units, operand.index, "n") for _, operand in given]
    return Group(f"Forward: {short(unit)}", parts, [*links, f"n{unit.index}"])


def _alone(story, unit: Unit) -> bool:
    """Whether a box does nothing but what its last op does, with what is given or only turned around."""
    within = {p for p in unit.lead.parents if p in unit.nodes}
    return len(within) + 1 == len(unit.nodes) and all(len(story.nodes[i].parents) == 1 for i in within)


def _seed(units):
    outputs = units.story.outputs[:MOST_OPERANDS]
    tiles = [Tiles(node.gradient_name, node.seed, node.shape) for node in outputs]
    return Group("What the way back starts with", tiles, [_link(units, node.index, "g") for node in outputs])


def _back(units: Units, unit: Unit) -> Iterator[Group]:
    """A group for each operand to which something goes; in a folded block what is only transposed goes there at once."""
    story, through = units.story, set[int]()
    for step in units.steps_of[unit]:
        for sent, rule in zip(step.sent, rules_of(story, step), strict=True):
            on = story.step_of.get(sent.parent) if sent.parent in unit.nodes and rule and rule.sign == "·" else None
            if step.node in through:
                continue
            if on and rule and [r and r.words for r in rules_of(story, on)] == [BACK]:
                through.add(on.node)
                told, value = merged(rule, sent.value)
                yield _group(units, unit, step, on.sent[0], told, value)
            else:
                yield _group(units, unit, step, sent, rule, sent.value)


def _through(units, unit: Unit) -> Group:
    """Of a folded block of many steps what arrives at it, and what it sends on."""
    steps = units.steps_of[unit]
    leaving = {sent.parent: sent.total for step in steps for sent in step.sent if sent.parent not in unit.nodes}
    shown = dict(list(leaving.items())[:MOST_OPERANDS])
    more = f"; {len(leaving) - len(shown)} more" if len(leaving) > len(shown) else ""
    tiles = [Tiles(units.story.nodes[i].gradient_name, total) for i, total in shown.items()]
    links = [f"g{unit.index}", *(_link(units, i, "g") for i in shown)]
    return Group(
        f"{len(steps)} steps inside: what arrives, and what leaves{more}",
        [Tiles("g", steps[0].gradient), "→", *tiles],
        links,
    )


def _group(units, unit, step, sent, rule, value):
    node, parts = units.story.nodes[sent.parent], list[Tiles | str]()
    for name, factor in rule.factors if rule else ():
        parts += [rule.sign] if parts else []
        parts.append(Tiles(name, factor))
    more = "+= " if sent.total is not sent.value and not np.array_equal(sent.total, sent.value) else ""
    there = Tiles(f"{more}{node.gradient_name}", value)
    parts = [*parts, "=", there] if parts else [Tiles("g", step.gradient), "→", there]
    how = rule.words if rule else "" if sent.slope is None else f"g × {number(sent.slope)}"
    if not rule and plain(step.gradient) and plain(value) and not np.any(step.gradient) and not np.any(value):
        how = "only zeros, as g is"
    called = clipped(node.name or node.title, 22)
    named = [part.name for part in parts if isinstance(part, Tiles)][:-1]
    links = [f"g{unit.index}" if name in ("g", "gᵀ") and step is units.steps_of[unit][0] else None for name in named]
    return Group(f"{called} gets {how}" if how else f"To {called}", parts, [*links, _link(units, sent.parent, "g")])


def _tiles(name, node):
    return Tiles(bare(name), node.value, node.shape, missing=node.instead or "not kept")


def _link(units, index, kind):
    home = units.home.get(index)
    return f"{kind}{home.index}" if home and home.lead.index == index else None
