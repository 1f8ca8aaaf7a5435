"""Inside a step: the arrays that come in, what is done with them, and what comes out.

Forwards an op's operands and its result. In the backward pass, for each operand, the upstream gradient, the rule that its numbers
bear out (`run/rules.py`), and what is sent: a matrix product is seen with its factors.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from ...kit.words import brief, clipped, shape
from ..run.rules import SIGNS, Seen, bare, formula_of, operands, passed, product_of
from .cards import short
from .said import Said
from .units import Unit, Units

MOST_BOXES = 60
MOST_GROUPS, MOST_OPERANDS = 4, 4
Group = dict[
    str, Any
]  # `words`, and `parts`: signs, and arrays as `{"name", "array"}`, or with a `text` in place of their numbers


def inside(units: Units, say: Said) -> dict[int, list[Group]]:
    """The groups of each step; none where all are single numbers, steps are very many, or no numbers went along them."""
    sizes = (np.prod(node.shape) for node in units.story.nodes)
    if len(units.ops) > MOST_BOXES or not any(size > 1 for size in sizes):
        return {}
    return dict(_Groups(units, say).steps())


class _Groups:
    def __init__(self, units: Units, say: Said):
        self.units, self.story, self.say = units, units.story, say

    def tiles(self, name: str, value: Any, dims: Any = (), missing: str = "not kept") -> Any:
        place = self.say.array_seen(value) if isinstance(value, Seen) else self.say.array(value)
        if place is not None:
            return {"name": name, "array": place}
        value = value.numbers if isinstance(value, Seen) else value
        return {"name": name, "text": f"{shape(dims)}: {missing}".lstrip(": ") if value is None else brief(value)}

    def of(self, name, node):
        return self.tiles(bare(name), node.value, node.shape)

    def steps(self) -> Iterator[tuple[int, list[Group]]]:
        units = self.units
        yield 0, [self.start()]
        for unit, step in units.ran.items():
            yield step, [self.forward(unit)]
        if units.goes_back:
            yield units.seed, [self.seed()]
        for unit, step in units.walked.items():
            many = sum(len(each.sent) for each in units.steps_of[unit]) > MOST_GROUPS + 1
            yield step, [self.through(unit)] if many and unit.block else list(islice(self.back(unit), MOST_GROUPS))

    def start(self):
        leaves = [unit for unit in self.units.units if unit.lead.leaf and unit.lead.value is not None]
        shown = leaves[:MOST_OPERANDS]
        words = "What goes in" if len(leaves) <= len(shown) else f"What goes in; {len(leaves) - len(shown)} more"
        return _group(words, [self.of(u.lead.title, u.lead) for u in shown])

    def forward(self, unit: Unit):
        node, story, head = unit.lead, self.story, f"Forward: {short(unit)}"
        product = product_of(story, node) if _alone(story, unit) and (unit.block or node.title not in SIGNS) else []
        if product:
            written = [
                part
                for sign, (name, value) in zip(" ·+++", product, strict=False)
                for part in (sign, self.tiles(name, value))
            ]
            return _group(head, [*written[1:], "=", self.of(short(unit), node)])
        if unit.block:
            starts = list(dict.fromkeys(edge.start for edge in self.units.into.get(unit, ())))
            given = [(start.lead.title if start.lead.leaf else short(start), start.lead) for start in starts]
            given += [(story.nodes[i].title.rpartition(".")[2], story.nodes[i]) for i in unit.inside]
        else:
            named = operands(story, node)[: len(node.parents)]
            pairs = zip(named, node.parents, strict=True)
            given = [(name, story.nodes[p]) for (name, _), p in dict.fromkeys(((n, 0), p) for (n, _), p in pairs)]
        given = given[:MOST_OPERANDS]
        both = len(node.parents) == len(given) == 2 and not unit.block
        sign = SIGNS.get(node.title, "") if both else ""
        parts: list[Any] = []
        for k, (name, operand) in enumerate(given):
            parts += [sign, self.of(name, operand)] if k and sign else [self.of(name, operand)]
        result = self.of(short(unit) if unit.block else formula_of(story, node), node)
        return _group(head, [*parts, "=" if sign else "→", result])

    def seed(self):
        outputs = self.story.outputs[:MOST_OPERANDS]
        return _group(
            "What the backward pass starts with", [self.tiles(n.gradient_name, n.seed, n.shape) for n in outputs]
        )

    def back(self, unit: Unit) -> Iterator[Group]:
        """A group for each operand to which something goes."""
        for passed_on in passed(self.story, self.units.steps_of[unit], unit.nodes):
            yield self.sent(*passed_on)

    def through(self, unit: Unit):
        """Of a folded block of many steps its upstream gradient, and what it sends."""
        steps = self.units.steps_of[unit]
        leaving = {sent.parent: sent.total for step in steps for sent in step.sent if sent.parent not in unit.nodes}
        shown = dict(list(leaving.items())[:MOST_OPERANDS])
        more = f"; {len(leaving) - len(shown)} more" if len(leaving) > len(shown) else ""
        tiles = [self.tiles(self.story.nodes[i].gradient_name, total) for i, total in shown.items()]
        words = f"{len(steps)} steps inside: the upstream gradient, and what is sent{more}"
        return _group(words, [self.tiles("g", steps[0].gradient), "→", *tiles])

    def sent(self, step, sent, rule):
        node, parts = self.story.nodes[sent.parent], list[Any]()
        for name, factor in rule.factors if rule else ():
            parts += [rule.sign] if parts else []
            parts.append(self.tiles(name, factor))
        more = "+= " if sent.total is not sent.value and not np.array_equal(sent.total, sent.value) else ""
        there = self.tiles(f"{more}{node.gradient_name}", sent.value)
        parts = [*parts, "=", there] if parts else [self.tiles("g", step.gradient), "→", there]
        how = rule.words if rule else "" if sent.slope is None else f"g × {self.say.slope(step, sent)}"
        called = clipped(node.name or node.title, 22)
        return _group(f"{called} gets {how}" if how else f"To {called}", parts)


def _group(words, parts):
    return {"words": words, "parts": parts}


def _alone(story, unit: Unit) -> bool:
    """Whether a box does nothing but what its last op does, with what is given or only turned around."""
    within = {p for p in unit.lead.parents if p in unit.nodes}
    return len(within) + 1 == len(unit.nodes) and all(len(story.nodes[i].parents) == 1 for i in within)
