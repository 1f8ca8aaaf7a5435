"""What a step of the chain rule did with the gradient g that arrived, in words: forms that are tried on the step's numbers.

A form is told only where it gives the numbers that were sent, whatever the op is called. So an op that nobody foresaw has
words, too, and what no form fits has none.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from ....ops import FUNCTIONS
from ...kit.words import clipped
from .forms import Edge, plain, turned
from .story import Named, Node, Rule, Sent, Step, Story

MOST_STEPS = 600
TURNED = "g transposed back"
_NEAR = {8: 1e-9, 4: 1e-4, 2: 0.02}  # by the bytes of a number
LONGEST = 14  # letters of a name
MOST_WRITTEN, LONGEST_WRITTEN = 20, 36  # nodes, letters of a formula
SIGNS = {"+": "+", "−": "−", "×": "×", "÷": "÷", "@": "·"}


def rules_of(story: Story, step: Step) -> tuple[Rule | None, ...]:
    """For each of what a step sends how it was made of what arrived; None where no form fits, or numbers are not known.

    A story keeps them. One of very many steps has none: nobody reads them all.
    """
    if len(story.steps) > MOST_STEPS:
        return (None,) * len(step.sent)
    if step.node not in story.rules:
        story.rules[step.node] = _rules(story, step)
    return story.rules[step.node]


def passed(
    story: Story, steps: Sequence[Step], within: Collection[int]
) -> Iterator[tuple[Step, Sent, Rule | None, Any]]:
    """What each of the steps of a box sends, with how it was made, and the numbers: what is only transposed on its way out is
    told at once. `within`: the nodes of the box."""
    through = set[int]()
    for step in steps:
        for sent, rule in zip(step.sent, rules_of(story, step), strict=True):
            on = story.step_of.get(sent.parent) if sent.parent in within and rule and rule.sign == "·" else None
            if step.node in through:
                continue
            if on and rule and [r and r.words for r in rules_of(story, on)] == [TURNED]:
                through.add(on.node)
                yield step, on.sent[0], *merged(rule, sent.value)
            else:
                yield step, sent, rule, sent.value


def _rules(story, step):
    node = story.nodes[step.node]
    if not plain(step.gradient) or not np.any(step.gradient):
        return (None,) * len(step.sent)
    others, result = operands(story, node), (_name(story, node), node.value)
    with np.errstate(all="ignore"):
        return tuple(_rule(story, node, step.gradient, sent, others, result) for sent in step.sent)


def _rule(story, node, g, sent, others, result):
    if not plain(sent.value) or (np.size(g) == np.size(sent.value) == 1):
        return None
    bytes_ = 2 if node.dtype in ("float16", "bfloat16") else min(g.dtype.itemsize, sent.value.dtype.itemsize)
    known = [named for named in others if plain(named[1])]
    given = others[sent.place] if sent.place < len(others) else ("", None)
    edge = Edge(
        np.asarray(g, float), np.asarray(sent.value, float), known, given, result, node, _NEAR.get(bytes_, 1e-4)
    )
    return next(edge.forms(), None)


# ---- names ----


def operands(story: Story, node: Node) -> list[Named]:
    """The name and the value of each operand of an op, as formulas call it: a letter where the name says nothing."""
    different = dict.fromkeys(node.parents, "")
    names = [_name(story, story.nodes[p]) for p in different]
    letters = (letter for letter in "abcdefhijklmnopqrstuvwxyz" if letter not in story.names)
    for p, name in zip(different, names, strict=True):
        different[p] = name if name and names.count(name) == 1 else next(letters, "its input")
    return [(different[p], story.nodes[p].value) for p in node.parents] + [*node.given]


def formula_of(story: Story, node: Node) -> str:
    """What a value is called where it stands alone: `x·w`; the title of its op, where no formula is short."""
    return bare(_name(story, node)) or node.title


def bare(name: str) -> str:
    """A name without the brackets around all of it.

    >>> bare("(x + b)"), bare("(x + b)ᵀ")
    ('x + b', '(x + b)ᵀ')
    """
    return name[1:-1] if name.startswith("(") and name.find(")") == len(name) - 1 else name


def _name(story, node, deep=0):
    if len(node.parents) == 1 and not node.name and deep < 2 and _transposes(story, node):
        inner = _name(story, story.nodes[node.parents[0]], deep + 1)
        return turned(inner) if inner else ""
    name = node.title.rpartition(".")[2] if node.leaf else node.name or node.title
    if name in ("g", "") or not name.replace("_", "").replace(" ", "").isalnum():
        return _formula(story, node, deep) if deep < 2 else ""
    return clipped(name, LONGEST)


def _formula(story, node, deep):
    """A sum or a product as it is written: `(x·w)`, `(2 x)`; "" where that is long, or an operand has no name."""
    sign = node.title.strip("0123456789.−e ") or "−"
    names = [_name(story, story.nodes[p], deep + 1) for p in node.parents]
    if sign not in SIGNS or not all(names):
        return ""
    if sign in "+−":  # a product needs no brackets there
        names = [name.strip("()") if "·" in name or "×" in name else name for name in names]
    words = f" {SIGNS[sign]} ".join(names) if len(names) == 2 else f"{names[0]} {node.title}"
    words = f"{node.title} {names[0]}" if len(names) == 1 and node.title.endswith(sign) else words
    return f"({words})".replace(" · ", "·") if len(words) <= LONGEST - 2 and len(names) < 3 else ""


def written(story: Story) -> str:
    """The formula of a run with one result; "" where it is long, or an op has no sign or name in formulas.

    >>> from .recorded import of_function
    >>> written(of_function(lambda x, y: (x * y + x) ** 2 * (x - y), [1.0, 2.0]))
    '(x·y + x)²·(x − y)'
    """
    words, binds = dict[int, str](), dict[int, int]()  # the stronger an op binds, the fewer brackets
    for node in story.nodes if len(story.nodes) <= MOST_WRITTEN and len(story.outputs) == 1 else ():
        strength = {"+": 0, "−": 0, "×": 1, "÷": 1, "@": 1}.get(node.title, 2)
        parts = [words.get(p, "") for p in node.parents]
        if node.leaf:
            words[node.index] = node.title
        elif not all(parts):
            return ""
        elif len(parts) == 2 and node.title in SIGNS:
            sides = [
                f"({w})" if binds[p] < strength + k * (node.title in "−÷") else w
                for k, (w, p) in enumerate(zip(parts, node.parents, strict=True))
            ]
            words[node.index] = f" {node.title} ".join(sides).replace(" × ", "·").replace(" @ ", "·")
        elif len(parts) == 1 and node.title in ("pow 2", "pow 3"):
            inner = parts[0] if binds[node.parents[0]] == 2 else f"({parts[0]})"
            words[node.index] = f"{inner}{'²' if node.title == 'pow 2' else '³'}"
        elif len(parts) == 1 and node.title in FUNCTIONS:
            words[node.index] = f"{node.title}({parts[0]})"
        else:
            return ""
        binds[node.index] = strength
    found = words.get(story.outputs[0].index, "") if words else ""
    return found if len(found) <= LONGEST_WRITTEN else ""


def _transposes(story, node):
    """Whether an op gives its operand with rows and columns exchanged, or sends what comes back so."""
    parent = story.nodes[node.parents[0]]
    if len(node.shape) != 2 or parent.shape != node.shape[::-1]:
        return False
    if plain(node.value) and plain(parent.value):
        return np.array_equal(node.value, np.transpose(parent.value))
    step = story.step_of.get(node.index)
    return bool(step and len(step.sent) == 1 and plain(step.gradient) and plain(step.sent[0].value)) and (
        np.array_equal(step.gradient, np.transpose(step.sent[0].value))
    )  # fmt: skip


def merged(outer: Rule, value: np.ndarray) -> tuple[Rule, np.ndarray]:
    """What goes through a transposition, told at once: of a product the turned factors in the other order."""
    (left, right) = ((turned(name), np.swapaxes(factor, -1, -2)) for name, factor in outer.factors)
    head = outer.words.removesuffix(f"{outer.factors[0][0]}·{outer.factors[1][0]}")
    return Rule(f"{head}{right[0]}·{left[0]}", (right, left), outer.sign), np.transpose(value)


# ---- a product, as what it sent back tells it ----

_PLAIN = {"mm", "bmm", "matmul", "@"}  # to which nothing is added


def product_of(story: Story, node: Node) -> list[Named]:
    """The two factors of a matrix product, and what is added to it, if what the node sent back bears that out, and its value,
    where that is known; else []."""
    step = story.step_of.get(node.index)
    pair, added = list[Named](), list[Named]()
    for sent, rule in zip(step.sent, rules_of(story, step), strict=True) if step else ():
        name, value = operands(story, node)[sent.place]
        own = name, _worth(story, story.nodes[sent.parent]) if value is None else value
        if rule and rule.factors and rule.sign == "·" and rule.words == "·".join(name for name, _ in rule.factors):
            pair = pair or _factors(own, *rule.factors)
        elif rule and (rule.words == "g unchanged" or rule.words.startswith("g summed over")):
            added.append(own)
        else:
            return []
    if not pair or not (added or plain(node.value) or node.op in _PLAIN):
        return []
    found = [*pair, *added]
    return found if all(plain(value) for _, value in found) and _gives(found, node) else []


def _factors(own: Named, first: Named, second: Named) -> list[Named]:
    """What was multiplied, if `own` gets the product of `first` and `second`, one of which is g."""
    if "g" in (first[0], second[0]):
        return [_turn(first), own] if second[0] == "g" else [own, _turn(second)]
    return [second, _turn(own)] if first[0] == "gᵀ" else [_turn(own), first] if second[0] == "gᵀ" else []


def _turn(named: Named) -> Named:
    name, value = named
    return turned(name), None if value is None else np.swapaxes(value, -1, -2)


def _worth(story, node):
    """A value, of what only turns rows and columns around from what it was given."""
    given = story.nodes[node.parents[0]].value if len(node.parents) == 1 and _transposes(story, node) else None
    return np.transpose(np.asarray(given)) if plain(given) else node.value


def _gives(found, node):
    """Whether that has the shape of a node, and its value if that is known."""
    (_, left), (_, right), *added = found
    if np.ndim(left) < 2 or np.ndim(right) < 2 or left.shape[-1] != right.shape[-2]:
        return False
    result = sum((value for _, value in added), np.matmul(left, right))
    return result.shape == node.shape and (
        not plain(node.value) or np.allclose(result, node.value, rtol=1e-3, atol=1e-3 * np.abs(result).max())
    )
