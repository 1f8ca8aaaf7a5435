"""The graph of one run: forward, backward, both together, and the chain rule step by step.

The backward graph is recorded, not imitated. `record` runs the function under two recorders, one inside the other; the
reverse pass over the inner graph works on values boxed by the outer one, so every op of the derivative becomes an
ordinary node of the outer graph, next to the forward ops it was derived from; it starts with a `ones_like` per output.
"""

import inspect
from dataclasses import dataclass, field

import numpy as np
from autograd.extend import primitive

from .box_errors import run
from .boxes import new_box
from .checks import check_function, check_output
from .dtypes import Array, getval, isbox
from .levels import inside, new_level
from .printing import label, table
from .record_node import Record
from .reverse import reverse_pass
from .scope import scopes_of
from .summary import Summary, summarised
from .trees import leaves, map_leaves
from .user_code import last_call


@dataclass(frozen=True)
class Contribution:
    """What one chain-rule step sends to one parent: `value`, and `total`, the running sum at that parent after it."""

    parent: Record
    argnum: int
    value: np.ndarray
    total: np.ndarray


@dataclass(frozen=True)
class Step:
    """One application of the chain rule: `gradient` is the upstream gradient of `node`; `contributions` go to its parents.

    `backward` are the nodes of the joint graph that this step ran.
    """

    node: Record
    gradient: np.ndarray
    contributions: tuple[Contribution, ...]
    backward: tuple[Record, ...] = field(repr=False)


class Graph:
    """What `record` returns.

    `inputs`, `outputs`: forward nodes. `forward`: all forward nodes in the order they ran, inputs first. `backward`: the
    ops of the reverse pass in the order they ran. `joint`: forward and backward as one graph of plain values.
    `steps`: the chain rule, last op first. `value`: the function's output. `gradients`: `{label of input: gradient}`.
    Arrays of the backward pass with more than a million numbers are kept as summaries, except the gradients.
    """

    def __init__(self, name, inputs, forward, joint, outputs, value, steps, totals, targets):
        self.name, self.inputs, self.forward, self.joint = name, inputs, forward, joint
        self.outputs, self.value, self.steps = outputs, value, steps
        self.backward = joint[len(forward) :]
        label(forward, self.backward, targets)
        zeros = {node: np.zeros(node.shape, node.dtype) for node in inputs}
        self.gradients = {node.label: _plain(totals.get(node, zeros[node])) for node in inputs}

    def __repr__(self):
        return self.table()

    def table(self, most=400) -> str:
        """The run as a table: a line per op, then a line per chain-rule contribution.

        Of more than `most` ops the first and the last are shown; with `most=None` all of them.
        """
        return table(self, most)


def record(fun, *args, names=None, **kwargs) -> Graph:
    """Run `fun(*args, **kwargs)` once, differentiate it once, and return the `Graph` of both.

    `args` are numbers or arrays of numbers, not complex; `names` name them (otherwise the names of `fun`'s parameters do).
    Raises TypeError for outputs none of which is numeric. The derivative is that of the sum of all elements of all outputs.

    >>> graph = record(lambda x, y: x**2 + y, 3.0, 2.0)
    >>> [node.op for node in graph.forward], float(graph.gradients["x"])
    (['input', 'input', 'power', 'add'], 6.0)
    """
    check_function("trace(f)(x)", fun)
    names = checked_names(names, fun, args)
    with scopes_of(fun), np.errstate(all="ignore"), inside(new_level()) as outer:
        try:
            return _recorded(fun, args, names, kwargs, outer)
        finally:
            last_call.frame = None


def _recorded(fun, args, names, kwargs, outer):
    joint: list[Record] = []
    forward: list[Record] = []
    inner = new_level()
    lifted = _boxed([_numeric(a, name) for a, name in zip(args, names, strict=True)], names, outer, joint)
    boxes = _boxed(lifted, names, inner, forward)
    value = run(fun, boxes, kwargs)
    check_output(fun, value)
    outputs = [leaf._node for leaf in leaves(value) if isbox(leaf) and leaf._trace == inner]
    seeds = [ones_like(node.value) for node in outputs]
    steps = _Steps(joint, {seed._node: node for seed, node in zip(seeds, outputs, strict=True)})
    totals = reverse_pass(outputs, seeds, steps.observe)
    for seed in seeds:
        seed._node.shorten()
    value, inputs = map_leaves(getval, value), [box._node for box in boxes]
    name = getattr(fun, "__name__", "function")
    return Graph(name, inputs, forward, joint, outputs, value, steps.found, totals, steps.targets)


def _boxed(values, names, level, log):
    """Each value in a box at `level`, with a root of its name in `log`."""
    roots = [Record.new_root(value, name, log) for value, name in zip(values, names, strict=True)]
    return [new_box(value, level, root) for value, root in zip(values, roots, strict=True)]


class _Steps:
    """Collects the steps of a backward pass in `found`, and in `targets`, for each op of `joint` that computes a gradient, the
    forward node whose gradient it is."""

    def __init__(self, joint, targets):
        self.joint, self.targets, self.found, self.ran = joint, targets, [], len(joint)

    def observe(self, node, gradient, contributions):
        ops = self.joint[self.ran :]
        for op in ops:
            op.shorten()
        places = iter(zip(node.argnums, node.parents, strict=True))  # a parent that gets nothing is passed over
        parts = [
            Contribution(parent, next(argnum for argnum, at in places if at is parent), *_shown(g, total))
            for parent, g, total in contributions
        ]
        for parent, *values in contributions:
            for value in values:
                self.targets.setdefault(getattr(value, "_node", None), parent)
        self.found.append(Step(node, _kept(gradient), tuple(parts), tuple(ops)))
        self.ran = len(self.joint)


@primitive
def ones_like(x) -> Array:
    """The gradient of an output with respect to itself."""
    return np.ones_like(x)


def checked_names(names, fun, args) -> list[str]:
    """`names`, one for each of `args`; where none are given, those that `fun` gives them."""
    if not names:
        return argument_names(fun, len(args))
    if isinstance(names, str) or len(names) != len(args):
        raise ValueError(
            "names: expected {count}, one per argument, but got {names!r}".format(count=len(args), names=names)
        )
    return list(names)


def argument_names(fun, count) -> list[str]:
    """The names of the first `count` positional parameters of `fun`; `arg0`, `arg1` ... where it names none."""
    try:
        kinds = inspect.signature(fun).parameters.values()
        names = [p.name for p in kinds if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][:count]
    except (TypeError, ValueError):
        names = []
    return names + [f"arg{i}" for i in range(len(names), count)]


def _numeric(value, name):
    array = getval(value)
    dtype = np.asarray(array).dtype
    if dtype.kind not in "fiub" and dtype.name not in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
        text = "record: expected a number or a numeric array for {name!r}, but got {kind}"
        raise TypeError(text.format(name=name, kind=type(array).__name__))
    return array if hasattr(array, "dtype") else np.asarray(array)


def _plain(value):
    return np.asarray(getval(value))


def _kept(value):
    """A copy of a value of the backward pass, or the summary of a large one."""
    seen = getattr(getattr(value, "_node", None), "value", value)
    seen = seen if isinstance(seen, Summary) else summarised(_plain(value))
    return seen.copy() if isinstance(seen, np.ndarray) else seen


def _shown(g, total):
    """A contribution and its running sum; the same array where nothing was added."""
    value = _kept(g)
    return value, (value if total is g else _kept(total))
