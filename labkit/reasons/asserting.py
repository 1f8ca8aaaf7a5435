"""`assert_gradients`: does every trainable parameter get a gradient that changes it?"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, nullcontext
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..engine import getval, record
from ..realtape import PACKED, Spread, array_of, is_real_module, is_real_tensor, reached, read, touched, unchanged
from ..tracing import plain_function
from .asking import why
from .causes import ROUNDED
from .flow import finite, largest, plain
from .reading import Reading, Unreadable
from .real import RealReading
from .run import is_functional
from .tape import TapeReading, is_taped
from .words import at

EPS = float(np.finfo(np.float32).eps)
MOST_NAMED = 6


class GradientError(AssertionError):
    """A trainable parameter would not learn, or the loss is not what it seems; the message is the answer of `labkit.why`."""


class _Seen(NamedTuple):
    """Of a backward pass: the gradients by parameter's `id`; how much of both signs was summed up in them; and what is said of
    a broadcast, "" for none."""

    gradients: dict[int, np.ndarray]
    summed: dict[int, float]
    broadcast: str = ""


def assert_gradients(loss: Any, model: Any, *, except_for: Iterable[str] = (), broadcast: bool = True) -> None:
    """Raise a `GradientError` where a parameter of `model` that requires a gradient would not learn from `loss`; else do nothing.

    It raises where a gradient is None, zero, not finite, or so small that a step with learning rate 1 moves the weights by less
    than rounding; where the loss is not finite or no scalar; where `backward()` would raise an error; and where a column of n
    numbers met a row of n, so that the loss is of n times n pairs. The message is the answer of `labkit.why`. A bias is no
    error where a normalisation or a softmax after it makes its gradient zero.

    `loss`: a tensor of the installed PyTorch or of `labkit.torch`, before `backward()`; or a function without arguments that
    computes it, which is what the MindSpore dialect needs, and by which the message can name the line. `model`: a module or cell,
    or parameters, in a list or by name in a dict. `except_for`: the names of parameters, or of modules, that need not learn from
    this loss. `broadcast=False` allows a loss of all pairs, for programs that mean it.

    One backward pass is computed. Nothing changes: no `.grad`, no statistics of a BatchNorm, no random numbers; no hook of a
    tensor runs, and `backward()` can be called afterwards.

    >>> import labkit.torch as torch
    >>> model = torch.nn.Linear(2, 1)
    >>> x, y = torch.tensor([[1.0, 2.0], [3.0, 5.0]]), torch.tensor([[1.0], [0.0]])
    >>> assert_gradients(((model(x) - y) ** 2).mean(), model)
    >>> try:
    ...     assert_gradients(((model(x).detach() - y) ** 2).mean(), model)
    ... except GradientError as error:
    ...     print(str(error).splitlines()[0])
    2 of 2 trainable parameters would not learn.
    """
    names = [*except_for]
    if _is_model(loss) and not _is_model(model) and (callable(model) or _is_tensor(model)):
        raise TypeError(_SWAPPED.format(loss=type(loss).__name__, model=type(model).__name__))
    trained = {n: p for n, p in _parameters(model).items() if getattr(p, "requires_grad", True)}
    asked = {n: p for n, p in trained.items() if not any(n == one or n.startswith(f"{one}.") for one in names)}
    if not asked:
        raise GradientError("There is nothing to train: no parameter of the model requires a gradient.")
    with ExitStack() as stack:
        fun, value = (loss, None) if callable(loss) and not _is_tensor(loss) else (None, loss)
        if fun is not None and not is_functional(next(iter(asked.values()))):
            value = _called(fun, model, asked, stack)
        look = partial(why, loss) if fun is None else partial(_asked_of_run, fun, stack)
        _check(look, _seen(fun if value is None else value, model, asked, look, broadcast), asked)


def _is_tensor(value):
    return is_real_tensor(value) or is_taped(value) or is_functional(value)


def _is_model(value):
    return is_real_module(value) or hasattr(type(value), "__engine_parameters__")


def _asked_of_run(fun, stack, parameter):
    stack.close()  # the run that was checked is put back before the next one
    return why(fun, parameter)


def _parameters(model) -> dict[str, Any]:
    if is_real_module(model):
        return dict(model.named_parameters())
    if hasattr(type(model), "__engine_parameters__"):
        return dict(model.__engine_parameters__())
    if isinstance(model, Mapping):
        return dict(model)
    given = [model] if _is_tensor(model) else [*model]
    return {getattr(p, "name", None) or f"parameter {i}": p for i, p in enumerate(given)}


def _called(fun, model, asked, stack):
    """The loss of a function, run in a way that everything is put back when `stack` is closed."""
    if is_real_tensor(next(iter(asked.values()))):
        used = reached(fun).values()
        modules = [m for m in (model, *used) if is_real_module(m)]
        tensors = [t for t in (*used, *asked.values()) if is_real_tensor(t)]
        stack.enter_context(unchanged(modules, tensors, held=touched(fun)))
    else:
        stack.enter_context(getattr(model, "__engine_unmoved__", nullcontext)())
        for parameter in asked.values():
            stack.callback(setattr, parameter, "grad", parameter.grad)
    return _loss_of(fun)


def _loss_of(fun):
    output = fun()
    return output[0] if isinstance(output, tuple) and output else output


def _check(look, seen, asked):
    weights = {name: _numbers(p) for name, p in asked.items()}
    most = max(map(largest, weights.values()))
    found = {name: _fault(seen.gradients.get(id(p)), weights[name], most) for name, p in asked.items()}
    failing = [name for name, fault in found.items() if fault]
    if len(failing) < len(asked):
        failing = [n for n in failing if not _is_taken_out(found[n], asked[n], weights[n], seen, look)]
    if not failing and seen.broadcast:
        raise GradientError(seen.broadcast)
    if not failing:
        return
    lines = ["{count} of {all} trainable parameters would not learn.".format(count=len(failing), all=len(asked))]
    for fault in dict.fromkeys(found[name] for name in failing):
        names = [name for name in failing if found[name] == fault]
        lines += [_FAULTS[fault].format(names=_listed(names)), f"{names[0]}: {look(asked[names[0]])}"]
    raise GradientError("\n".join(lines))


_SWAPPED = "assert_gradients(loss, model): expected the loss first, but got {loss} and {model}"
_FAULTS = {
    "None": "No gradient: {names}.",
    "zero": "The gradient is zero: {names}.",
    "nan": "The gradient is not finite: {names}.",
    "small": "The gradient moves the weights by less than rounding: {names}.",
}


def _listed(names):
    return ", ".join([*names[:MOST_NAMED], *["..."] * (len(names) > MOST_NAMED)])


def _fault(gradient, weight, most):
    """The fault of a gradient, "" for none."""
    if gradient is None:
        return "None"
    if not finite(gradient):
        return "nan"
    norm, own = (float(np.linalg.norm(plain(array).ravel())) for array in (gradient, weight))
    if norm == 0:
        return "zero"
    exact = min(EPS, float(np.finfo(weight.dtype).eps)) if weight.dtype.kind in "fc" else EPS
    return "small" if norm < exact * (own or most) else ""


def _is_taken_out(fault, parameter, weight, seen, look):
    """Whether this is a bias that a later op removes again: the contributions to its gradient cancel."""
    gradient = seen.gradients.get(id(parameter))
    if fault not in ("zero", "small") or weight.ndim > 1 or gradient is None:
        return False
    size = float(np.abs(plain(gradient)).sum())
    return size < ROUNDED * EPS * seen.summed.get(id(parameter), 0.0) or look(parameter).cause == "cancelled"


def _numbers(parameter):
    return array_of(parameter) if is_real_tensor(parameter) else np.asarray(getval(parameter.__engine_value__()))


# ---- one backward pass ----

_NO_LOSS = "assert_gradients(loss, model): expected a loss or a function that computes it, but got a {kind}"
_NO_SCALAR = "backward() takes a scalar, and this loss has shape {shape}: take its sum or mean."


def _seen(value, model, asked, look, broadcast) -> _Seen:
    first = next(iter(asked.values()))
    if is_functional(first):
        return _recorded(value, model, asked, look, broadcast)
    if not (is_taped(value) or is_real_tensor(value)):
        raise TypeError(_NO_LOSS.format(kind=type(value).__name__))
    reading: Any = (TapeReading if is_taped(value) else RealReading)(value, first)
    numbers = reading.numbers(value)
    if numbers.size != 1:
        raise GradientError(_NO_SCALAR.format(shape=list(numbers.shape)))
    if not finite(numbers) or reading.released or reading.problem() is not None:
        _refuse(look, reading, asked)
    try:
        with _unmoved(reading, model):
            gradients, summed = _walk(reading, {id(p) for p in asked.values()})
    except Unreadable:
        _refuse(look, reading, asked)
    return _Seen(gradients, summed, _broadcast(reading, value) if broadcast else "")


def _refuse(look, reading, asked):
    """Raise the answer of `why` for a loss whose backward pass raises an error, or that is not finite."""
    leaves = {id(reading.variable(node)) for node in reading.order if reading.variable(node) is not None}
    first = next((p for p in asked.values() if id(p) in leaves), next(iter(asked.values())))
    where = "" if not reading.released else "\nCall assert_gradients before backward(), which frees the graph."
    raise GradientError(f"{look(first)}{where}") from None


def _unmoved(reading, model):
    """What a backward pass that runs the user's code may change is put back: that of a Function, or of a hook that unpacks."""
    if isinstance(reading, TapeReading):
        return getattr(model, "__engine_unmoved__", nullcontext)()
    own = any(hasattr(n, "_forward_cls") or any(s.state == PACKED for s in reading.slots[n]) for n in reading.order)
    return unchanged([model] if is_real_module(model) else [], []) if own else nullcontext()


def _walk(reading: Reading, wanted: set[int]):
    """The gradients of the leaves with these ids, and the sums of the sizes of what their last ops got."""
    ends = {node: reading.variable(node) for node in reading.order}
    ends = {node: leaf for node, leaf in ends.items() if leaf is not None and id(leaf) in wanted}
    leading = set(ends)
    for node in reading.order:
        if any(way.node in leading for way in reading.ways(node)):
            leading.add(node)
    totals: dict[Any, dict[int, Any]] = {node: {} for node in leading}
    summed: dict[int, float] = defaultdict(float)
    if reading.end in totals:
        totals[reading.end][reading.root()] = reading.start()
    for node in reversed(reading.order):
        arrived = totals.get(node)
        if not arrived or node in ends:
            continue
        with reading.quiet():
            for way, g in zip(reading.ways(node), reading.sent(node, arrived), strict=False):
                if g is None or way.node not in leading:
                    continue
                fitted = reading.fit(node, g, way)
                slots = totals[way.node]
                slots[way.nr] = fitted if way.nr not in slots else slots[way.nr] + fitted
                if way.node in ends and len(ends[way.node].shape) < 2:
                    summed[id(ends[way.node])] += float(abs(reading.first(arrived)).sum())
        totals.pop(node)
    found = {id(leaf): reading.numbers(g) for node, leaf in ends.items() for g in totals[node].values()}
    return found, summed


# ---- a function of the MindSpore dialect ----


def _recorded(fun, model, asked, look, broadcast) -> _Seen:
    if not callable(fun) or _is_tensor(fun):
        raise TypeError(
            "assert_gradients(loss, model): a MindSpore tensor does not record how it was computed; pass a function, "
            "such as lambda: loss_fn(net(x), y)"
        )
    with getattr(model, "__engine_unmoved__", nullcontext)():
        run, values, names = plain_function(
            lambda: _loss_of(fun), (), {}, [*asked.values()], "assert_gradients(loss, model)"
        )
        with np.errstate(all="ignore"):
            graph = record(run, *values, names=names)
    if not all(finite(getval(node.value)) for node in graph.outputs):
        raise GradientError(str(look(next(iter(asked.values())))))
    ends = {end: id(p) for p, end in zip(asked.values(), graph.inputs, strict=True)}
    found = {key: np.asarray(getval(graph.gradients[end.label])) for end, key in ends.items()}
    summed: dict[int, float] = defaultdict(float)
    for step in graph.steps:
        for sent in step.contributions:
            if sent.parent in ends:
                summed[ends[sent.parent]] += float(np.abs(plain(step.gradient)).sum())
    shapes = [(node.op, node.line, node.args) for node in graph.forward if node.fun is not None]
    return _Seen(found, summed, _column_and_row(shapes) if broadcast else "")


# ---- a broadcast that nobody meant ----

_PAIRS = (
    "{op}{at} broadcasts a column of shape [{n}, 1] with a row of shape [{n}], so the loss is computed from {n} × {n} pairs. Give"
    " both the same shape, for instance with squeeze(1) or unsqueeze(1)."
)


def _broadcast(reading, loss):
    if isinstance(reading, TapeReading):
        known = [(*reading.named(n), n.known()[0]) for n in reading.order if hasattr(n, "known")]
        return _column_and_row(known)
    if any(map(_is_square, reading.order)):
        for node in read([loss]).nodes:
            spread = None if node.spread is None else Spread(*node.spread)
            if spread is not None and spread.sure:
                return _PAIRS.format(op=node.op, at="", n=spread.side)
    return ""


def _is_square(node):
    """Whether an op of the installed PyTorch makes n times n of n times 1."""
    made, *given = (
        [*getattr(n, "_input_metadata", ())][nr:] for n, nr in ((node, 0), *node.next_functions) if n is not None
    )
    dims = tuple(made[0].shape) if len(made) == 1 else ()
    if len(dims) != 2 or dims[0] != dims[1] or dims[0] < 2:
        return False
    return any(kinds and tuple(kinds[0].shape) in (dims[:1], (dims[0], 1)) for kinds in given)


def _before_expand(array):
    """The shape that an array had before it was expanded, as losses do with their arguments."""
    expanded = [n > 1 and step == 0 for n, step in zip(array.shape, array.strides, strict=True)]
    dims = tuple(1 if gone else n for n, gone in zip(array.shape, expanded, strict=True))
    return dims[1:] if expanded[0] else dims


def _column_and_row(ops):
    """Of `(op, place, arguments)`: the first that takes a column and as many numbers in a row."""
    for op, place, args in ops:
        arrays = [a for a in map(getval, args) if isinstance(a, np.ndarray) and a.ndim and a.dtype.kind == "f"]
        row, *others = sorted(map(_before_expand, arrays), key=len) or [()]
        if len(row) == 1 and row[0] > 1 and others == [(row[0], 1)]:
            return _PAIRS.format(op=op, at=at(place), n=row[0])
    return ""
