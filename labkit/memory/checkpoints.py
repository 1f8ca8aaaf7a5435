"""Checkpointing: keep a function's inputs instead of everything it computes, and run it again for its derivative.

A chain of n steps keeps n values. Cut into s segments, each of them a checkpoint, it keeps s inputs and, while one
segment is differentiated, its n/s inner values: least for s = sqrt(n) (T. Chen et al., "Training deep nets with sublinear
memory cost", 2016; A. Griewank, 1992). The price is one more forward pass.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from autograd.extend import defvjp_argnums, primitive

from ..dialects.packed_arrays import forms, pack, unpack
from ..engine import check_function, dtype_of, isbox, leaves, map_leaves, vjp
from ..tracing import ANY, holding, value_of, wrapped_like

LOST = (
    "checkpoint: the function reads a value that is being differentiated and is not one of its arguments; its gradient "
    "would be lost. Pass it as an argument (parameters of a network: checkpoint the Cell or Module itself, or name "
    "them with labkit.checkpoint(fun, parameters=[...]))"
)

_NO_OUTPUT = "checkpoint: expected arrays or numbers as outputs, but got {kind}"


def as_one_op(fun) -> Callable:
    """`fun` as one op of the graph whose inside is not kept: its derivative runs it again, on the arguments kept.

    Values that are differentiated must be among the positional arguments; the outputs are arrays or numbers, nested in
    tuples, lists and dicts as you like (several travel as one array, in their common dtype). The same arguments have to
    give the same outputs, so no random numbers inside. Raises ValueError where `fun` reads a value under
    differentiation that is not an argument, for its gradient would be lost.

    >>> from labkit.engine import grad
    >>> float(grad(as_one_op(lambda x: x**2 * x))(2.0))
    12.0
    """

    @wraps(fun)
    def checkpointed(*args, **kwargs):
        levels = [level for a in args for level in _levels(a)]
        if not levels:
            return fun(*args, **kwargs)
        segment = _Segment(fun, kwargs, min(levels))
        return segment.unpack(_apply(segment, *args))

    return checkpointed


def _levels(value):
    """The levels of the boxes around a value, outermost first."""
    while isbox(value):
        yield value._trace
        value = value._value


@dataclass(eq=False, repr=False)
class _Segment:
    """One call: the function to run, and how its outputs lie in one array."""

    fun: Callable
    kwargs: dict
    level: int

    def __repr__(self) -> str:
        return getattr(self.fun, "__name__", "function")

    def run(self, *args):
        return self.fun(*args, **self.kwargs)

    def pack(self, output):
        """The outputs as one array, a single one as it is; remembers their places."""
        parts = leaves(output)
        for part in parts or [None]:
            if dtype_of(part) is None:
                raise TypeError(_NO_OUTPUT.format(kind=type(part).__name__))
            if any(level >= self.level for level in _levels(part)):
                raise ValueError(LOST)
        self.tree, self.forms = map_leaves(lambda leaf: None, output), forms(parts)
        return parts[0] if len(parts) == 1 else pack(parts)

    def pieces(self, packed):
        """The outputs, or their gradients, taken out of the packed array."""
        return [packed] if len(self.forms) == 1 else unpack(packed, self.forms)

    def unpack(self, packed):
        """The outputs in the structure in which the function returned them."""
        parts = iter(self.pieces(packed))
        return map_leaves(lambda leaf: next(parts), self.tree)


@primitive
def _apply(segment, *args):
    return segment.pack(segment.run(*args))


def _run_again(argnums, ans, args, kwargs):
    segment = args[0]

    def pull(g):
        def again(*values):
            given = dict(zip(argnums, values, strict=True))
            return segment.run(*(given.get(i, arg) for i, arg in enumerate(args) if i))

        _, back = vjp(again, *(args[i] for i in argnums))
        return back(segment.pieces(g))

    return pull


_apply.__name__ = "checkpoint"
defvjp_argnums(_apply, _run_again)


def checkpoint(fun: Callable, parameters: Any = None) -> Callable:
    """`fun` as one op that keeps its inputs alone: what it computes inside is computed again for the derivative.

    `fun` takes arrays, numbers or tensors of a dialect; the parameters of a Cell or Module become inputs of the op, and
    so do those given in `parameters` (a list, for a function that uses parameters from outside). Run with the same
    inputs, `fun` has to give the same outputs: no dropout inside. Raises ValueError where `fun` reads another value
    that is being differentiated.

    >>> import labkit
    >>> square = checkpoint(lambda x: x * x)
    >>> float(labkit.grad(square)(3.0))
    6.0
    """
    check_function("checkpoint(f)(x)", fun, ANY)

    def checkpointed(*args: Any, **kwargs: Any) -> Any:
        inner = _bound(fun, parameters or ())
        tensors = [t for t in (*args, *inner) if hasattr(t, "__engine_wrap__")]

        def plain(*values):
            with holding(inner, values[len(args) :]):
                output = fun(*map(wrapped_like, args, values[: len(args)]), **kwargs)
                return map_leaves(value_on_tape, output)

        plain.__name__ = getattr(fun, "__name__", type(fun).__name__)
        output = as_one_op(plain)(*map(value_on_tape, (*args, *inner)))
        return map_leaves(lambda leaf: wrapped_like(tensors[0], leaf), output) if tensors else output

    return wraps(fun)(checkpointed) if hasattr(fun, "__name__") else checkpointed


def _bound(fun, parameters):
    """The parameters of `fun` and the additional ones given, each once."""
    own = fun.__engine_parameters__() if hasattr(fun, "__engine_parameters__") else []
    return list({id(p): p for p in (*(p for _, p in own), *parameters)}.values())


def value_on_tape(leaf: Any) -> Any:
    """The value as an op sees it: on the tape, where its dialect has one and is recording."""
    return leaf._recorded() if hasattr(leaf, "_recorded") else value_of(leaf)
