"""A network's gradients in a float format: one run is recorded, and computed again with results held in that format.

Which results? Where the network itself computes in two bytes (`auto_mixed_precision`, `to_float`, autocast), those and no
others. Else: the parameters, and all up to the last product of matrices; the loss that follows stays wide, as automatic
mixed precision does it (P. Micikevicius et al., "Mixed Precision Training", 2018). How? In the formats that NumPy computes
in, by NumPy in that format; in the others each op is computed in float64 and its result rounded.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from autograd.tracer import notrace_primitives

from ....engine import Record, cast, inside, isbox, leaves, new_box, new_level, reverse_pass, vjp_of
from ....precision import Format, format_of, rounded
from ....tracing import plain_function

NATIVE = ("float16", "float32", "float64")
PRODUCTS = ("matmul", "dense", "dot", "tensordot", "einsum", "inner", "conv2d")
Gradients = dict[str, np.ndarray]
NONE: Gradients = {}


class Network:
    """A loss to be differentiated: a function, a Cell or a Module that returns one number, or it first of several outputs.

    Differentiated are its named parameters and those in `parameters`, which it uses from outside; for a function without
    any, its floating arguments.
    """

    def __init__(self, fun: Callable, parameters: Sequence[Any] | None = None):
        if not callable(fun):
            raise TypeError(f"LossScaleLab: expected a function, a Cell or a Module, but got {type(fun).__name__}")
        self.fun, self.outside = fun, list(parameters or [])

    def run(self, args: Sequence[Any], parameters: Mapping[str, np.ndarray] = NONE) -> "HeldRun":
        """The run at `args`, with `parameters` in place of its own. The network itself is left as it is.

        Raises TypeError where nothing floating can be differentiated, ValueError where the loss is not a number.
        """
        plain, values, names = plain_function(self.fun, args, {}, self.outside, "LossScaleLab(f, x)")
        first = len(args) if len(values) > len(args) else 0
        floating = [i for i, v in enumerate(values) if np.asarray(v).dtype.kind == "f" or _narrow(np.asarray(v).dtype)]
        wanted = [i for i in floating if i >= first]
        if not wanted:
            raise TypeError(
                f"LossScaleLab: expected floating parameters or arguments to differentiate, but {plain.__name__} has "
                f"{', '.join(names) or 'none at all'}; make them float arrays or parameters"
            )
        names = _without_prefix(names, wanted)
        for i in wanted if parameters else ():
            values[i] = parameters[names[i]]

        def of_floating(*given):
            every = list(values)
            for i, value in zip(floating, given, strict=True):
                every[i] = value
            return plain(*every)

        held = [np.asarray(values[i]) for i in floating]
        return HeldRun(of_floating, held, [names[i] for i in floating], [names[i] for i in wanted])


def _without_prefix(names, places):
    """The names, those at `places` without the cells that all of them have in common."""
    inside = [names[i].split(".")[:-1] for i in places]
    common = 0
    while len({tuple(cells[: common + 1]) for cells in inside}) == 1 and min(map(len, inside)) > common:
        common += 1
    return [".".join(name.split(".")[common:]) if i in places else name for i, name in enumerate(names)]


class HeldRun:
    """One run of `fun` at `values` called `names`, to be differentiated for `wanted` in any format and at any scale.

    `loss`: what it returned. `parameters`: `{name: array}` of the wanted ones.
    """

    def __init__(self, fun, values, names, wanted):
        level = new_level()
        self._log: list[_Node] = []
        roots = [_Node.new_root(v, n, self._log) for v, n in zip(values, names, strict=True)]
        with np.errstate(all="ignore"), inside(level):
            output = fun(*(new_box(v, level, root) for v, root in zip(values, roots, strict=True)))
        self._end, self.loss = _loss(output, level)
        self._roots = {n: root for n, root in zip(names, roots, strict=True) if n in wanted}
        self.parameters = {n: root.value for n, root in self._roots.items()}
        self._held = _nodes_in_format(self._log, self._roots.values())
        self._forward: dict[str, dict[Record, _Op]] = {}

    def gradients(self, of: str | Format, scale: float = 1.0) -> Gradients:
        """`{name: gradient}` of `scale` times the loss, in the format `of`; float64 arrays, not divided by the scale.

        >>> run = Network(lambda w: w * 2.0**-30).run([np.float64(3.0)])
        >>> [float(run.gradients("float16", scale)["w"]) for scale in (1, 2**10)], float(run.gradients("float64")["w"])
        ([0.0, 9.5367431640625e-07], 9.313225746154785e-10)
        """
        kind: Format = format_of(of)
        with np.errstate(all="ignore"):
            if kind.name not in self._forward:
                self._forward[kind.name] = _forward(self._log, self._held, kind)
            ops = self._forward[kind.name]
            end = ops[self._end]
            found = reverse_pass([end], [end.hold(np.full(np.shape(end.value), scale))])
            zero = {name: np.zeros(np.shape(value)) for name, value in self.parameters.items()}
            got = {name: found.get(ops[root], zero[name]) for name, root in self._roots.items()}
            return {name: np.asarray(ops[self._roots[name]].hold(g), np.float64) for name, g in got.items()}


def _loss(output, level):
    """The node and the value of the loss among what a function returned."""
    found = leaves(output)
    if not found or np.size(first := found[0]._value if isbox(found[0]) else found[0]) != 1:
        got = f"an array of shape {np.shape(first)}" if found else "nothing"
        raise ValueError(
            f"LossScaleLab: expected a loss, one number, as the first output, but got {got}; take its mean"
        )
    if not isbox(found[0]) or found[0]._trace != level:
        raise ValueError("LossScaleLab: the loss does not depend on any parameter, so every gradient is 0")
    return found[0]._node, float(first)


def _floating(value):
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"


def _narrow(dtype):
    return getattr(dtype, "name", "") in ("float16", "bfloat16")


def _nodes_in_format(log, parameters):
    """The nodes whose values are held in the format."""
    if any(_narrow(node.dtype) for node in log):
        return {node for node in log if _narrow(node.dtype)}
    held = {node for node in log if node.op in PRODUCTS}
    if not held:
        return {node for node in log if node.shape} | set(parameters)
    for node in reversed(log):  # parents come before their children
        if node in held:
            held.update(node.parents)
    return held | set(parameters)


class _Node(Record):
    """A recorded op without the user's name for its result, which takes time to find."""

    __slots__ = ()

    def __init__(self, value, fun, args, kwargs, argnums, parents):
        self._fill(value, fun, args, kwargs, argnums, parents, None, None, parents[0].log)


notrace_primitives[_Node] = notrace_primitives[Record]


class _Op:
    """A recorded op, computed again: a node for `reverse_pass`. `hold` is what becomes of its value and its gradient."""

    __slots__ = ("argnums", "args", "dtype", "fun", "hold", "id", "kwargs", "parents", "value")

    def __init__(self, node, of, parents, held):
        self.id, self.fun, self.kwargs, self.argnums, self.parents = (
            node.id,
            node.fun,
            node.kwargs,
            node.argnums,
            parents,
        )
        self.hold, self.dtype = _holder(node.dtype, of, held)
        args = list(node.args)
        for i, parent in zip(node.argnums, parents, strict=True):
            args[i] = parent.value
        if held and node.op in PRODUCTS:  # data that the network holds as constants are cast for a product as well
            args = [a if i in node.argnums or not _floating(a) else self.hold(a) for i, a in enumerate(args)]
        self.args = tuple(args)
        if node.fun is None:
            self.value = self.hold(node.value)
        else:  # the format takes the place of what the network casts to
            self.value = self.hold(args[0] if node.fun is cast else node.fun(*args, **node.kwargs))

    def vjp(self, g):
        g = self.hold(g)
        return (g,) if self.fun is cast else vjp_of(self.fun)(self.argnums, self.value, self.args, self.kwargs)(g)


@lru_cache(maxsize=128)
def _holder(dtype, of, held):
    """`(hold, dtype)`: the function that puts a value into the format, and the dtype that the engine keeps it in."""
    if dtype is None or np.dtype(dtype).kind in "iub":
        return (lambda v: v), None
    if of.name in NATIVE:
        kept = of.dtype if held else np.promote_types(dtype, of.dtype)
        return (lambda v: np.asarray(v).astype(kept, copy=False)), kept
    return (lambda v: rounded(v, of) if held else np.asarray(v, np.float64)), None


def _forward(log, held, of):
    ops: dict[Record, _Op] = {}
    for node in log:
        ops[node] = _Op(node, of, [ops[parent] for parent in node.parents], node in held)
    return ops
