"""What the cards of a graph say, and when: values, gradients, nodes of PyTorch's tape; and what is to be read behind them."""

from typing import Any

import numpy as np

from ....engine import Summary
from ....realtape import in_bytes
from ...kit.words import brief, clipped, in_full, listed, minus
from ..run.moves import MOVES
from ..run.story import Node, Story
from .said import Said, value_of
from .units import Arrival, Edge, Unit, Units

LONGEST = 26  # letters of a card's first line
MOST_ADDED = 3  # numbers that are seen added up


def title(unit: Unit) -> str:
    """The first line of a card, in full."""
    return unit.block.title if unit.block else unit.lead.title


def short(unit: Unit, most: int = LONGEST) -> str:
    """The first line as a card has room for: of a call whose class makes it too long the name alone."""
    words = title(unit)
    return clipped(words.partition(": ")[0] if len(words) > most else words, most)


def value(unit: Unit, say: Said) -> str:
    """The second line: the user's name and the value, or the shape where the value is not kept."""
    node = unit.lead
    name = "" if unit.block or node.leaf else clipped(node.name, 16)
    words = value_of(say, node)
    return f"{name}{' =' if np.size(node.value) == 1 else ''} {words}" if name else words


def gradient_name(unit: Unit) -> str:
    """The name of the gradient at a box: `x.grad`, `∂h`, or `∂tanh` where the user gave no name."""
    return f"∂ {short(unit, LONGEST - 2)}" if unit.block else unit.lead.gradient_name


def slope(units: Units, edge: Edge, say: Said) -> str:
    """The local derivative along an edge, `×0.487`, or `×(1 + 2)` for two uses; "" where it is not one number."""
    if edge.start.block or edge.end.block:
        return ""
    steps = [(units.story.step_of.get(node), place) for node, place in edge.uses]
    parts = [(step, sent) for step, place in steps if step for sent in step.sent if sent.place == place]
    if not 0 < len(parts) <= MOST_ADDED or any(sent.slope is None for _, sent in parts):
        return ""
    words = [say.slope(step, sent, "(" if k else "n") for k, (step, sent) in enumerate(parts)]
    return f"×{words[0]}" if len(words) == 1 else f"×({' + '.join(words)})"


class Gradients:
    """What has come to each box by which step."""

    def __init__(self, units: Units):
        self.units = units

    def arrivals(self, unit: Unit) -> list[Arrival]:
        """The contributions to the gradient of the value that a box shows."""
        return self.units.arrivals.get(unit.lead.index, [])

    def totals(self, unit: Unit) -> list[tuple[int, Any]]:
        """`(step, sum so far)` at a box, once per step."""
        return list({a.when: a.total for a in self.arrivals(unit)}.items())

    def texts(self, unit: Unit, say: Said) -> list[tuple[int, str]]:
        """The gradient on its card from which step on."""
        return [(t, say.value(total, "d")) for t, total in self.totals(unit)]

    def sums(self, unit: Unit, say: Said) -> list[tuple[int, str]]:
        """`1.48 + 1.42` under a card where several contributions meet, once the second has come; of tensors, how many."""
        arrived, shown = self.arrivals(unit), dict[int, str]()
        for count, arrival in enumerate(arrived[1:], 2):
            single = np.size(arrival.value) == 1 and not isinstance(arrival.value, Summary)
            shown[arrival.when] = f"sum of {count}"
            if single and count <= MOST_ADDED:
                shown[arrival.when] = " + ".join(
                    say.value(a.value, "(" if k else "n") for k, a in enumerate(arrived[:count])
                )
        return list(shown.items())


# ---- what is behind a card ----


def behind(units: Units, unit: Unit) -> list[str]:
    """What there is to be read of a box, its name first."""
    return [title(unit), *_facts(unit, units.story), *(() if unit.block else unit.lead.fate)]


def behind_gradient(units: Units, unit: Unit, gradients: Gradients) -> list[str]:
    """What there is to be read of the gradient at a box."""
    arrived, node = gradients.totals(unit), unit.lead
    if not arrived and node.fate and not unit.block:
        return [node.grad_fn, *_facts(unit, units.story), *node.fate]
    if not arrived:
        return [f"{gradient_name(unit)}: no gradient"]
    total = arrived[-1][1]
    more = () if unit.block or not node.fate else (*node.facts, *node.fate)
    return [f"{gradient_name(unit)}: {brief(total)}", *_back_facts(unit, units, gradients, total), *more]


def _facts(unit: Unit, story: Story) -> list[str]:
    node = unit.lead
    lines = [f"{node.dtype} {list(node.shape)}" if node.shape else f"{node.dtype}, one number"] if node.dtype else []
    if node.value is not None:
        lines += _in_full(node.value)
    if unit.folded:
        return [*lines, *_block_facts(unit, story)]
    if not node.leaf:
        done = [story.nodes[i] for i in unit.nodes if story.nodes[i].op not in MOVES] or [node]
        lines += [line for one in done for line in _op_facts(one, story)]
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
    return [*lines, *([node.line] if node.line else [])]


def _back_facts(unit: Unit, units: Units, gradients: Gradients, total) -> list[str]:
    lines = _in_full(total)
    parts = gradients.arrivals(unit)
    if len(parts) > 1:
        lines.append(f"Sum of {listed(f'{brief(a.value)} {_from(a, units)}' for a in parts)}.")
    if unit.block or unit.lead.leaf:
        return lines
    for step in units.steps_of.get(unit, []):
        lines += [f"Rule: {step.rule}."] if step.rule else []
        lines += [f"Runs {listed(step.ops)}."] if step.ops else []
    return lines


def _from(arrival, units):
    return "from outside" if arrival.source is None else f"from {units.story.nodes[arrival.source].called}"


LONGEST_SLOT = 16  # letters


def has_node(units: Units, unit: Unit) -> bool:
    """Whether a box has a node on the tape: a leaf that is not used, or can have no gradient, has none."""
    if not unit.block and not unit.lead.grad_fn:
        return False
    if not unit.lead.leaf or unit.lead.index in units.arrivals:
        return True
    return unit.lead.differentiable and any(unit is edge.start for edge in units.edges)


def saves(units: Units, unit: Unit) -> str:
    """What a box's node saves, in words; "" where nothing. Of a folded block how many bytes, where that is known."""
    if unit.block:
        held = dict(pair for i in unit.nodes for pair in units.story.nodes[i].held)
        return f"saves {in_bytes(sum(held.values()))}" if held else ""
    lead = unit.lead
    slots = () if lead.leaf else lead.slots or tuple(("", what) for what in lead.keeps)
    named = [_saved_name(units, unit, *slot) for slot in slots[:2]]
    return f"saves {', '.join(named)}{' …' if len(slots) > 2 else ''}" if slots else ""


def _saved_name(units, unit, place, what):
    """PyTorch's name for the place where something is kept, and what the user calls that, if it is short."""
    if isinstance(what, str):
        return clipped(what, LONGEST_SLOT)
    node = units.story.nodes[what]
    label = node.title if node.leaf else node.name
    if node is unit.lead:
        return place or "result"
    both = f"{place} = {label}" if place and label and label != place else place or label or "input"
    return both if len(both) <= LONGEST_SLOT else place or clipped(both, LONGEST_SLOT)


def frees(unit: Unit) -> bool:
    """Whether the backward pass of a box frees anything."""
    return unit.lead.keeps != () if not unit.block else True


def freed(units: Units, unit: Unit) -> bool:
    """Whether what a box saved has been let go."""
    nodes = [units.story.nodes[i] for i in unit.nodes]
    return any(units.story.released if node.freed is None else node.freed for node in nodes)


def node_name(unit: Unit, most: int = LONGEST) -> str:
    """What the tape calls the node of a box; of a long name what is read first."""
    if unit.block:
        return short(unit, most)
    name = unit.lead.grad_fn
    name = name if len(name) <= most else name.removesuffix("Backward0")
    return name if len(name) <= most else f"{name[: most - 1]}…"
