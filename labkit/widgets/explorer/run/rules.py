"""What a step of the chain rule did with the upstream gradient g, in words: by its op, so that they hold for other inputs.

A matrix product is told with its factors, where these give the numbers that were sent.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import permutations, product
from typing import Any, NamedTuple

import numpy as np

from ....engine import Summary
from ....ops import FUNCTIONS, op_of_node, words_of
from ...kit.words import clipped, minus, shape
from .moves import MOVES, PRODUCTS
from .story import Named, Node, Rule, Sent, Step, Story

MOST_STEPS, MOST = 600, 1 << 16  # steps, and numbers of an array, that are looked at
TURNED = "g transposed back"
_NEAR = {8: 1e-9, 4: 1e-4, 2: 0.02}  # by the bytes of a number
LONGEST = 14  # letters of a name
MOST_WRITTEN, LONGEST_WRITTEN = 20, 36  # nodes, letters of a formula
SIGNS = {"+": "+", "−": "−", "×": "×", "÷": "÷", "@": "·"}
_RAISED = {"^2": "²", "^3": "³"}
_ADDED = {"add", "sub", "subtract", "rsub", "neg", "negative", "addmm", "linear", "dense", "bias_add"}
_MULTIPLIED = PRODUCTS | {"dot", "addmm", "linear", "dense", "einsum", "tensordot", "inner", "outer"}
_PLACED = MOVES | {
    "getitem",
    "take",
    "gather",
    "index",
    "concatenate",
    "concat",
    "cat",
    "stack",
    "flip",
    "roll",
    "sort",
    "pad",
}


class Seen(NamedTuple):
    """Numbers of a value in another shape or order: those at `places`, which count them as they are in memory."""

    base: Any
    places: np.ndarray

    @property
    def numbers(self) -> np.ndarray:
        """As an array."""
        return np.ravel(self.base)[self.places]

    @property
    def turned(self) -> "Seen":
        """With rows and columns exchanged."""
        return Seen(self.base, np.swapaxes(self.places, -1, -2))


def seen(value: Any, rows: bool = False) -> Seen:
    """A value as a matrix, a vector being a column; `rows`: rows of rows as rows."""
    places = np.arange(np.size(value)).reshape(np.shape(value))
    return Seen(
        value, places[:, None] if places.ndim == 1 else places.reshape(-1, places.shape[-1]) if rows else places
    )


def plain(value: Any) -> bool:
    """Whether all its numbers are known, real and finite, and not too many."""
    if value is None or isinstance(value, Summary) or not 0 < np.size(value) <= MOST:
        return False
    return np.asarray(value).dtype.kind in "fiub" and bool(np.isfinite(value).all())


def turned(name: str) -> str:
    """The name of a matrix whose rows and columns are exchanged.

    >>> turned("w"), turned("wᵀ")
    ('wᵀ', 'w')
    """
    return name[:-1] if name.endswith("ᵀ") else f"{name}ᵀ"


def rules_of(story: Story, step: Step) -> tuple[Rule | None, ...]:
    """For each of what a step sends how it was made of the upstream gradient; None where there is no rule.

    A story keeps them. One of very many steps has none: no reader reads them all.
    """
    if len(story.steps) > MOST_STEPS:
        return (None,) * len(step.sent)
    if step.node not in story.rules:
        node, others = story.nodes[step.node], operands(story, story.nodes[step.node])
        with np.errstate(all="ignore"):
            story.rules[step.node] = tuple(_rule(node, step.gradient, sent, others) for sent in step.sent)
    return story.rules[step.node]


def passed(story: Story, steps: Sequence[Step], within: Collection[int]) -> Iterator[tuple[Step, Sent, Rule | None]]:
    """What each of the steps of a box sends, with how it was made: what is only transposed on its way out is told at once.
    `within`: the nodes of the box."""
    through = set[int]()
    for step in steps:
        for sent, rule in zip(step.sent, rules_of(story, step), strict=True):
            on = story.step_of.get(sent.parent) if sent.parent in within and rule and rule.sign == "·" else None
            if step.node in through:
                continue
            if on and rule and [r and r.words for r in rules_of(story, on)] == [TURNED]:
                through.add(on.node)
                left, right = ((turned(name), factor.turned) for name, factor in rule.factors)
                yield step, on.sent[0], Rule(f"{right[0]}·{left[0]}", (right, left), "·")
            else:
                yield step, sent, rule


# ---- by the op ----


def _rule(node, g, sent, others):
    if not plain(g) or not plain(sent.value) or (np.size(g) == np.size(sent.value) == 1):
        return None
    g, s, op = np.asarray(g), np.asarray(sent.value), op_of_node(node.grad_fn) if node.op not in FUNCTIONS else node.op
    own = others[sent.place][0] if sent.place < len(others) else "its input"
    others = [one for k, one in enumerate(others) if k != sent.place and plain(one[1])]
    near = 0.02 if node.dtype in ("float16", "bfloat16") else _NEAR.get(min(g.dtype.itemsize, s.dtype.itemsize), 1e-4)
    if node.op in _MULTIPLIED and (known := _product(g, s, sent.place, others, near)):
        return known
    if node.op in _ADDED or node.title in ("+", "−"):
        below = (node.title == "−" and sent.place) or node.op in ("neg", "negative") or node.title.endswith(" −")
        signs = (-1, 1) if below else (1, -1)
        return next((_summed(c, g, s) for c in signs if _fits(_unbroadcast(c * g, s.shape), s, near)), None)
    if node.op in _PLACED:
        return Rule(_placed(g, s, node.title))
    if node.op in ("sum", "mean", "reduce_sum", "reduce_mean") and s.size > g.size:
        n = s.size // g.size
        each = f"for each of {n}{' numbers' if g.size == 1 else ''}"
        return Rule(f"g{f' / {n}' if 'mean' in node.op else ''} {each}")
    if "×" in node.title or "÷" in node.title:
        return _scaled(node, g, s, own, others, sent.place)
    if node.title in ("pow 2", "pow 3", "square"):
        return Rule(f"g × 3 {own}²" if node.title == "pow 3" else f"g × 2 {own}")
    words = words_of(node.op if node.op in FUNCTIONS else op) if {node.op, op} & set(FUNCTIONS) else ""
    for power, sign in _RAISED.items():
        words = words.replace(power, sign)
    return Rule(minus(re.sub(r"\bx\b", own, words))) if words else None


def _scaled(node, g, s, own, others, place):
    """Of a product or a quotient of numbers."""
    other, value = others[0] if len(others) == 1 else (node.title.strip("×÷ "), None)
    more = f", {_over(g, s.shape)}" if np.shape(g) != s.shape else ""
    if "×" in node.title:
        live = value is not None and np.size(value) > 1 and not more and np.shape(value) == s.shape
        return Rule(f"g × {other}{more}", (("g", g), (other, value)) if live else (), "×")
    below = node.title.startswith("÷") and place == 0
    return Rule(f"g / {other}{more}" if below else f"−g × {other} / {own}²{more}")


def _summed(c, g, s):
    sign = "−" if c < 0 else ""
    return Rule(f"{sign}g {_over(g, s.shape)}" if g.size > s.size else f"{sign}g" if sign else "g unchanged")


def _over(array, dims) -> str:
    """In words, over what an array is summed to be of a shape."""
    lost = [i for i, n in enumerate(array.shape) if n > 1 and (i < array.ndim - len(dims) or dims[i - array.ndim] != n)]
    if np.prod(dims) == 1 and (array.ndim == 1 or len(lost) > 1):
        return "summed up"
    if array.ndim == 2 and lost:
        return f"summed over {array.shape[lost[0]]} {('rows', 'columns')[lost[0]]}"
    return f"summed over {'axis' if len(lost) == 1 else 'axes'} {' and '.join(map(str, lost))}"


def _placed(g, s, title) -> str:
    """Of an op that only moves numbers."""
    if g.size == s.size:
        if g.ndim == s.ndim and g.ndim > 1 and any(np.array_equal(g.transpose(axes), s) for axes in _orders(g.ndim)):
            return TURNED
        return (
            f"g reshaped to {shape(s.shape) or 'one number'}"
            if np.array_equal(g.ravel(), s.ravel())
            else "g moved back to its places"
        )
    if g.size < s.size:
        return f"g at {title}, 0 elsewhere" if title.endswith("]") else "g at its places, 0 elsewhere"
    summed = _unbroadcast(g, s.shape)
    return f"g {_over(g, s.shape)}" if summed is not None and np.allclose(summed, s, rtol=1e-4) else "its part of g"


def _orders(n):
    return [axes for axes in permutations(range(n)) if axes != tuple(range(n))] if n <= 4 else []


def _unbroadcast(array, dims):
    """Summed over what was repeated to come from a shape to the array's; None where it cannot be of that shape."""
    if array.ndim < len(dims):
        return None
    found = array.sum(tuple(range(array.ndim - len(dims)))) if array.ndim > len(dims) else array
    ones = tuple(i for i, (n, m) in enumerate(zip(dims, found.shape, strict=True)) if n == 1 != m)
    found = found.sum(ones, keepdims=True) if ones else found
    return found if found.shape == tuple(dims) else None


def _fits(found, s, near) -> bool:
    return (
        found is not None
        and found.shape == s.shape
        and bool(np.abs(found - s).max() <= near * max(np.abs(s).max(), 1e-300))
    )


# ---- matrix products ----


def _product(g, s, place, others, near):
    """g with another operand, in the order and turned as the numbers bear out."""
    for (name, value), rows in product(others, (False, True)):
        if not np.ndim(value) or not g.ndim or (rows and not s.ndim < g.ndim == np.ndim(value)):
            continue
        a, b = ("g", seen(g, rows)), (name, seen(value, rows))
        first, second = (a, _turn(b)), (_turn(b), a)
        for left, right in (
            *((first, second) if not place else (second, first)),
            (a, b),
            (_turn(a), b),
            (b, a),
            (b, _turn(a)),
        ):
            if _meet(left[1].places, right[1].places):
                found = left[1].numbers @ right[1].numbers
                if _fits(
                    found[:, 0] if s.ndim == 1 and found.shape[1:] == (1,) else _unbroadcast(found, s.shape), s, near
                ):
                    return Rule(f"{left[0]}·{right[0]}", (left, right), "·")
    return None


def _meet(a, b) -> bool:
    """Whether matrices of these shapes can be multiplied, or stacks of as many."""
    return a.shape[-1] == b.shape[-2] and a.shape[:-2] == b.shape[:-2]


def _turn(named):
    return turned(named[0]), named[1].turned


def product_of(story: Story, node: Node) -> list[tuple[str, Any]]:
    """The two factors of a matrix product, and what is added to it, if they give the value of a node, where that is known."""
    if node.op not in _MULTIPLIED or not plain(node.value):
        return []
    known = [
        (name, _worth(story, story.nodes[p]) if value is None else value)
        for (name, value), p in zip(operands(story, node), node.parents, strict=False)
    ]
    for a, b in permutations([one for one in known if plain(one[1]) and np.ndim(one[1]) > 1], 2):
        added = [one for one in known if one is not a and one is not b]
        left, right = (a[0], seen(a[1])), (b[0], seen(b[1]))
        for second in (right, _turn(right)):
            if _meet(left[1].places, second[1].places):
                found = left[1].numbers @ second[1].numbers
                if all(plain(value) and np.shape(value) in (found.shape, found.shape[-1:]) for _, value in added):
                    found = found + sum(value for _, value in added)
                    if _fits(found, np.asarray(node.value), 1e-3):
                        return [left, second, *added]
    return []


def _worth(story, node):
    """A value, of what only turns rows and columns around from what it was given."""
    given = story.nodes[node.parents[0]].value if len(node.parents) == 1 and _transposes(story, node) else None
    return np.transpose(np.asarray(given)) if plain(given) else node.value


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
        elif node.op == "getitem":
            words[node.index] = f"{parts[0]}[{node.title.partition('[')[2]}"
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
