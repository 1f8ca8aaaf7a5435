"""A network's gradients in a float format: one run is recorded, and computed again with results held in that format.

Which results? Where the network itself computes in two bytes (`auto_mixed_precision`, `to_float`, autocast), those and no
others. Else: the parameters, and all up to the last product of matrices; the loss that follows stays wide, as automatic
mixed precision does it (P. Micikevicius et al., "Mixed Precision Training", 2018). How? In the formats that NumPy computes
in, by NumPy in that format; in the others each op is computed in float64 and its result rounded. At which loss scale? At
one (`Outcome`), and at the scales 1, 2, 4 ... (`Sweep`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ....engine import Record, cast, getval, inside, isbox, leaves, new_box, new_level, reverse_pass, two_bytes, vjp_of
from ....precision import Format, format_of, rounded, statistics
from ....tracing import plain_function

NATIVE = ("float16", "float32", "float64")
PRODUCTS = ("matmul", "dense", "dot", "tensordot", "einsum", "inner", "conv2d")
Gradients = dict[str, np.ndarray]


class Run:
    """One run of a loss, to be differentiated in any format and at any scale: a function, a Cell or a Module that returns one
    number, or it first of several outputs. It is left as it is.

    Differentiated are its named parameters and those in `outside`; for a function without any, its floating arguments.
    `loss`: what it returned. `parameters`: `{name: array}` of what is differentiated.

    Raises TypeError where nothing floating can be differentiated, ValueError where the loss is not a number.
    """

    def __init__(self, fun: Callable, args: Sequence[Any], outside: Sequence[Any] | None = None):
        if not callable(fun):
            text = "LossScaleLab: expected a function, a Cell or a Module, but got {kind}"
            raise TypeError(text.format(kind=type(fun).__name__))
        plain, values, names = plain_function(fun, args, {}, list(outside or []), "LossScaleLab(f, x)")
        first, arrays = len(args) if len(values) > len(args) else 0, [np.asarray(v) for v in values]
        floating = [i for i, v in enumerate(arrays) if v.dtype.kind == "f" or two_bytes(v.dtype)]
        if not any(i >= first for i in floating):
            text = (
                "LossScaleLab: expected floating parameters or arguments to differentiate, but {function} has these "
                "inputs: {names}; make them float arrays or parameters"
            )
            raise TypeError(text.format(function=plain.__name__, names=", ".join(names) or "none"))
        level = new_level()
        self._log: list[Record] = []
        roots = {i: Record.new_root(arrays[i], names[i], self._log) for i in floating}
        with np.errstate(all="ignore"), inside(level):
            boxes = {i: new_box(arrays[i], level, root) for i, root in roots.items()}
            output = plain(*(boxes.get(i, value) for i, value in enumerate(values)))
        self._end, self.loss = _loss(output, level)
        self._roots = {names[i]: root for i, root in roots.items() if i >= first}
        self.parameters = {name: root.value for name, root in self._roots.items()}
        self._held = _nodes_in_format(self._log, self._roots.values())
        self._forward: dict[str, dict[Record, _Op]] = {}

    def gradients(self, of: str | Format, scale: float = 1.0) -> Gradients:
        """`{name: gradient}` of `scale` times the loss, in the format `of`; float64 arrays, not divided by the scale.

        >>> run = Run(lambda w: w * 2.0**-30, [np.float64(3.0)])
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
            got = {n: found.get(ops[root], np.zeros(np.shape(root.value))) for n, root in self._roots.items()}
            return {name: np.asarray(ops[self._roots[name]].hold(g), np.float64) for name, g in got.items()}


def _loss(output, level):
    """The node and the value of the loss among what a function returned."""
    found = leaves(output)
    if not found or np.size(first := found[0]._value if isbox(found[0]) else found[0]) != 1:
        text = "LossScaleLab: expected a loss, one number, as the first output, but got an array of shape {shape}; take its mean"
        none = "LossScaleLab: expected a loss, one number, as the first output, but the function returned no number"
        raise ValueError(text.format(shape=np.shape(first)) if found else none)
    if not isbox(found[0]) or found[0]._trace != level:
        raise ValueError("LossScaleLab: the loss does not depend on any parameter, so every gradient is 0")
    return found[0]._node, float(first)


def _floating(value):
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"


def _nodes_in_format(log, parameters):
    """The nodes whose values are held in the format."""
    if any(two_bytes(node.dtype) for node in log):
        return {node for node in log if two_bytes(node.dtype)}
    held = {node for node in log if node.op in PRODUCTS}
    if not held:
        return {node for node in log if node.shape} | set(parameters)
    for node in reversed(log):  # parents come before their children
        if node in held:
            held.update(node.parents)
    return held | set(parameters)


class _Op:
    """A recorded op, computed again: a node for `reverse_pass`. `hold` is what becomes of its value and its gradient."""

    __slots__ = ("argnums", "args", "dtype", "fun", "hold", "id", "kwargs", "parents", "value")

    def __init__(self, node, of, parents, held):
        self.id, self.fun, self.kwargs, self.argnums = node.id, node.fun, node.kwargs, node.argnums
        self.parents = parents
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


FATES = ("flushed", "subnormal", "normal", "overflowed")
FEWEST_POWERS, MOST_POWERS = 16, 40
TOLERATED = 0.001  # a scale counts as safe while no larger share is flushed
DOTS = 128


@dataclass(frozen=True)
class Outcome:
    """What became of gradients at `scale`. Those that are exactly 0 by themselves are not counted: nothing of them is lost.

    `counts` (4,): how many met each of FATES. `large`: how many are too large for the format by themselves, as
    exact numbers times the scale; the others that overflowed were lost in the backward pass. `finite`: whether all
    gradients are, those that are 0 by themselves among them; if not, the step is skipped.
    """

    scale: float
    counts: np.ndarray
    large: int = 0
    finite: bool = True

    @property
    def size(self) -> int:
        """How many gradients count."""
        return int(self.counts.sum())

    def count(self, fate: str) -> int:
        """How many gradients met a fate."""
        return int(self.counts[FATES.index(fate)])

    def share(self, fate: str) -> float:
        """The same as a share of all that count."""
        return self.count(fate) / max(self.size, 1)

    @property
    def safe(self) -> bool:
        """Whether all are finite, and hardly any is flushed."""
        return self.finite and self.share("flushed") <= TOLERATED


def fates(held: np.ndarray, of: str) -> np.ndarray:
    """Which of FATES each gradient met that is held in a format."""
    size = np.abs(held)
    return np.select([~np.isfinite(size), size >= format_of(of).min_normal, size > 0], [3, 2, 1], 0)


def outcome(exact: Gradients, held: Gradients, of: str, scale: float = 1.0) -> Outcome:
    """Compare `held`, gradients in a format at a scale, with the `exact` and unscaled ones.

    >>> found = outcome({"w": np.array([1.0, 2.0**-30])}, {"w": np.array([1.0, 0.0])}, "float16")
    >>> found.counts.tolist(), found.finite
    ([1, 0, 1, 0], True)
    """
    before, after = _flat(exact), _flat({name: held[name] for name in exact})
    counts = np.bincount(fates(after, of)[before != 0], minlength=len(FATES))
    large = int(np.sum(np.abs(before) * scale > format_of(of).max))
    return Outcome(scale, counts, large, bool(np.all(np.isfinite(after))))


class Captured:
    """Gradients that were captured elsewhere, as a run that can be asked for them in a format: they are rounded to it."""

    def __init__(self, gradients: Mapping[str, Any]):
        self.parameters: Gradients = {}
        for name, given in gradients.items():
            inner = given.__engine_value__() if hasattr(given, "__engine_value__") else given
            array = np.asarray(getval(inner))
            if array.dtype.kind not in "fiu":
                text = "LossScaleLab: expected an array or a tensor for {name!r}, but got {kind}"
                raise TypeError(text.format(name=name, kind=type(given).__name__))
            self.parameters[str(name)] = array.astype(np.float64)

    def gradients(self, of: str, scale: float = 1.0) -> Gradients:
        """`{name: gradient}` times the scale, rounded to the format `of`."""
        with np.errstate(over="ignore"):
            return {name: rounded(g * scale, of) for name, g in self.parameters.items()}


class Sweep:
    """The gradients of one run at the scales 1, 2, 4 ..., in each of `formats`.

    `exact`: the gradients. `outcomes`: `{format: [Outcome by power]}`. `dots` (n,): some that stand for all, evenly spaced by
    rank, the smallest and the largest among them; `held`: `{format: (scales, n)}`, what is held of these. `safe`: `{format:
    (first, last)}` power at which nothing overflows and hardly anything is flushed, or None.

    Raises ValueError where gradients are infinite or nan before any format, or all 0.
    """

    def __init__(self, run: Run | Captured, formats: Sequence[str]):
        self.exact = run.gradients("float64")
        every = statistics(list(self.exact.values()))
        _check(self.exact, every)
        narrow = [of for of in formats if format_of(of).exponent_bits < format_of("float32").exponent_bits]
        wanted = max((np.log2(every.largest_scale(of)) + 3 for of in narrow), default=0)  # two after the first overflow
        places, powers = _places(_flat(self.exact)), range(int(np.clip(wanted, FEWEST_POWERS, MOST_POWERS)) + 1)
        self.dots = _flat(self.exact)[places]
        self.held: dict[str, np.ndarray] = {}
        self.outcomes: dict[str, list[Outcome]] = {}
        self.safe: dict[str, tuple[int, int] | None] = {}
        for of in formats:
            held = [run.gradients(of, 2.0**power) for power in powers]
            self.held[of] = np.array([_flat(g)[places] for g in held])
            found = [outcome(self.exact, g, of, 2.0**power) for power, g in enumerate(held)]
            safe = [power for power, o in enumerate(found) if o.safe]
            self.outcomes[of], self.safe[of] = found, (safe[0], safe[-1]) if safe else None


def _flat(gradients):
    return np.concatenate([np.ravel(g) for g in gradients.values()])


def _check(exact, found):
    if found.nans or found.infinite:
        where = ", ".join(name for name, g in exact.items() if not np.all(np.isfinite(g)))
        text = (
            "LossScaleLab: expected finite gradients, but in {where} {nans} are nan and {infinite} infinite, already in float64: "
            "no loss scale helps; look for a division by 0 or the logarithm of 0"
        )
        raise ValueError(text.format(where=where, nans=found.nans, infinite=found.infinite))
    if found.zeros == found.size:
        raise ValueError("LossScaleLab: all {n} gradients are 0, so there is nothing to scale".format(n=found.size))


def _places(flat):
    """Where the gradients are that stand for all."""
    order = np.argsort(np.abs(flat), kind="stable")[np.count_nonzero(flat == 0) :]
    count = min(DOTS, len(order))
    return order[np.linspace(0, len(order) - 1, count).astype(int)]
