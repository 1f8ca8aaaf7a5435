"""What the cards of a graph view say and when: texts, states, and the links behind them. The views only place them."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ....engine import Summary
from ...kit.boxes import LABEL, Label, label_width
from ...kit.scene import Changes, Link
from ...kit.words import brief, clipped, heat, in_full, joined, listed, minus, norm, number, on_card
from ..run.story import Node, Story
from .units import Arrival, Edge, Unit, Units

LONGEST_SUM, STEADY_SUM = 26, 16  # letters; of inputs that may change
LONGEST = 26  # letters of a card's first line
NONE = "∅ all 0"  # of a gradient


def title(unit: Unit) -> str:
    """The first line of a card, in full."""
    return unit.block.title if unit.block else unit.lead.title


def short(unit: Unit, most: int = LONGEST) -> str:
    """The first line as a card has room for: of a call whose class makes it too long the name alone."""
    words = title(unit)
    return clipped(words.partition(": ")[0] if len(words) > most else words, most)


def value(unit: Unit) -> str:
    """The second line: the user's name and the value, or the shape where the value is not kept."""
    return unit.lead.brief if unit.block else unit.lead.value_line


def gradient_name(unit: Unit) -> str:
    """The name of what arrives at a box: `x.grad`, `∂h`, or `∂tanh` where the user gave no name."""
    if unit.block:
        return f"∂ {short(unit, LONGEST - 2)}"
    return f"+= {unit.lead.gradient_name}" if unit.chip else unit.lead.gradient_name


def slope(units: Units, edge: Edge) -> str:
    """The local derivative along an edge, `×0.487`, or `×(1 + 2)` for two uses; "" where it is not one number.

    Where the label would lie on the boxes beside it, the sum stands for its parts.
    """
    slopes = [sent.slope for sent in units.sent_along(edge)]
    if not slopes or edge.start.block or edge.end.block or any(s is None for s in slopes):
        return ""
    words = joined(map(number, slopes))
    words = f"×{words}" if len(slopes) == 1 else f"×({words})"
    said = words if len(slopes) < 4 and label_width(words) <= LABEL else f"×{number(sum(slopes))}"
    return Label(said, words if len(slopes) < 4 else said) if units.varies else said


def going(times: Iterable[int], nil: bool) -> Changes:
    """States of a gradient that arrives at `times`, or of a way on which it goes; `nil`: of one that is 0."""
    happens = list(times)
    return [(0, "pending"), (min(happens), "nil")] if nil and happens else pulses(happens)


def pulses(times: Iterable[int], before: str = "pending", after: str = "") -> Changes:
    """States of something that happens at `times`: `before` the first, "now" at each, `after` in between.

    >>> pulses([2, 4])
    [(0, 'pending'), (2, 'now'), (3, ''), (4, 'now'), (5, '')]
    """
    happens = sorted(set(times))
    found: Changes = [(0, before)]
    for t in happens:
        found += [(t, "now"), (t + 1, after)]
    return [(t, s) for i, (t, s) in enumerate(found) if i + 1 == len(found) or found[i + 1][0] != t]


class Gradients:
    """What has arrived at each box by which step."""

    def __init__(self, units: Units):
        self.units = units
        self._chip_edges = {edge.start: edge for edge in units.edges if edge.start.chip}

    def arrivals(self, unit: Unit) -> list[Arrival]:
        """What arrives at the value that a box shows; at a chip what this use alone sends."""
        units = self.units
        if not unit.chip:
            return units.arrivals.get(unit.lead.index, [])
        edge = self._chip_edges[unit]
        sent = units.sent_along(edge)
        if not sent:
            return []
        summaries = [s.value for s in sent if isinstance(s.value, Summary)]
        if len(sent) == 1:
            total: Any = sent[0].value
        elif summaries:
            total = summaries[0].unknown(summaries[0])
        else:
            total = np.sum([s.value for s in sent], axis=0, dtype=sent[0].value.dtype)
        return [Arrival(units.walked[edge.end], total, total, edge.end.lead.index)]

    def totals(self, unit: Unit) -> list[tuple[int, Any]]:
        """`(step, sum so far)` at a box, once per step."""
        return list({a.when: a.total for a in self.arrivals(unit)}.items())

    def nil(self, unit: Unit) -> bool:
        """Whether nothing but 0 arrives at a box."""
        totals = self.totals(unit)
        return bool(totals) and all(norm(total) == 0 for _, total in totals)

    def times(self, unit: Unit) -> list[int]:
        """The steps at which something arrives at a box, or it is walked back."""
        walked = [self.units.walked[unit]] if unit in self.units.walked else []
        return [when for when, _ in self.totals(unit)] + walked

    def texts(self, unit: Unit) -> Changes:
        """The gradient on its card, step by step."""
        none = NONE if self.nil(unit) else ""
        return [
            (0, ""),
            *(
                (t, (none if np.size(total) > 1 else "") or on_card(total, short=True))
                for t, total in self.totals(unit)
            ),
        ]

    def sums(self, unit: Unit) -> Changes:
        """`1.48 + 1.42` under a card where several contributions meet, once the second has come; of tensors, how many."""
        arrived = self.arrivals(unit)
        if len(arrived) < 2:
            return []
        shown: dict[int, str] = {}
        for count, arrival in enumerate(arrived, 1):
            if np.size(arrival.value) == 1 and not isinstance(arrival.value, Summary):
                words = joined(number(a.value) for a in arrived[max(count - 4, 0) : count])
                words = f"… + {words}" if count > 4 else words
                most = STEADY_SUM if self.units.varies else LONGEST_SUM
                shown[arrival.when] = words if len(words) <= most else f"sum of {count}"
            else:
                shown[arrival.when] = f"sum of {count}"
            if count == 1:
                shown[arrival.when] = ""
        return [(0, ""), *shown.items()]


# ---- what is behind a card ----


def links(units: Units) -> dict[str, Link]:
    """What is behind each card: `n3` for the box with index 3, `g3` for its gradient."""
    gradients, found = Gradients(units), {}
    for unit in units.units:
        node = unit.lead
        seen = units.ran.get(unit) or min((units.ran.get(user, 0) for user in units.users.get(unit, ())), default=0)
        go = {"step": seen} if seen else {}  # a leaf is seen where it is used first
        head = f"{node.title} (used again)" if unit.chip else title(unit)
        tip = [head, *_facts(unit, units.story)]
        found[f"n{unit.index}"] = Link(
            f"{head}: {value(unit)}", tip, [] if node.value is None else heat(node.value), go, name=head,
            known=go if unit in units.ran else {},
            details=() if unit.block else node.fate,
        )  # fmt: skip
        found[f"g{unit.index}"] = _back_link(unit, units, gradients)
    return found


def _back_link(unit, units, gradients):
    arrived = gradients.totals(unit)
    if not arrived and unit.lead.fate and not unit.block:
        node = unit.lead
        tip = [node.grad_fn, *_facts(unit, units.story)]
        return Link(f"{node.grad_fn}: {tip[1]}", tip, name=node.grad_fn, details=node.fate)
    if not arrived:
        words = f"{gradient_name(unit)}: nothing arrives"
        return Link(words, [words])
    when, total = arrived[-1]
    words = f"{gradient_name(unit)}: {brief(total)}"
    tip, go = [words, *_back_facts(unit, units, gradients, total)], {"step": when}
    details = () if unit.block or not unit.lead.fate else (*unit.lead.facts, *unit.lead.fate)
    return Link(words, tip, heat(total), go, name=gradient_name(unit), known=go, details=details)


def _facts(unit: Unit, story: Story) -> list[str]:
    node = unit.lead
    lines = [f"{node.dtype} {list(node.shape)}" if node.shape else f"{node.dtype}, one number"] if node.dtype else []
    if node.value is not None:
        lines += _in_full(node.value)
    if unit.block:
        return [*lines, *_block_facts(unit, story)]
    if not node.leaf:
        lines += _op_facts(node, story)
    else:
        lines += node.facts
    return lines


def _in_full(value):
    """The elements of a tensor, where they are few; what a summary says."""
    if isinstance(value, Summary):
        return [minus(value.describe())]
    return [in_full(value, 8)] if 1 < np.size(value) <= 8 else []


def _block_facts(unit: Unit, story: Story) -> list[str]:
    inside = [story.nodes[i] for i in unit.inside]
    lines = [f"{len(unit.nodes)} ops", *(f"{leaf.title}: {leaf.brief}" for leaf in inside[:6])]
    return [*lines, *([f"and {len(inside) - 6} more leaves"] if len(inside) > 6 else [])]


def _op_facts(node: Node, story: Story) -> list[str]:
    kept = listed(story.nodes[i].called for i in node.saved)
    lines = [f"{node.op}({', '.join(story.nodes[p].called for p in node.parents[:8])})"]
    if node.facts:
        return [*lines, *node.facts]
    lines.append(f"Its derivative uses {kept}." if kept else "Its derivative uses no value of the run.")
    lines += [f"Part of the derivative of {node.derives}."] if node.derives else []
    return [*lines, *_source(story, node.lines), *([node.line] if node.line else [])]


def _back_facts(unit: Unit, units: Units, gradients: Gradients, total) -> list[str]:
    lines = _in_full(total)
    parts = gradients.arrivals(unit)
    if len(parts) > 1:
        lines.append(f"Sum of {listed(f'{brief(a.value)} {_from(a, units)}' for a in parts)}.")
    if unit.block or unit.lead.leaf:
        return lines
    source = _source(units.story, unit.lead.back_lines)
    for step in units.steps_of.get(unit, []):
        lines += [f"Rule: {step.rule}."] if step.rule else []
        lines += [f"Runs {listed(step.ops)}."] if step.ops and not source else []
    return [*lines, *source]


def _from(arrival, units):
    return "from outside" if arrival.source is None else f"from {units.story.nodes[arrival.source].called}"


def _source(story: Story, numbers: Iterable[int]) -> list[str]:
    """Lines of the program, without their comments."""
    rows = story.program.splitlines()
    code = [rows[n - 1].partition("  #")[0].strip() for n in numbers]
    return [f"In the program: {'; '.join(code[:4])}{' …' if len(code) > 4 else ''}"] if code else []
