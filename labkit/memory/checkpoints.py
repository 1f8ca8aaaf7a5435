"""A function as one op that keeps its inputs alone."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from ..engine import check_function, map_leaves
from ..tracing import ANY, holding, value_of, wrapped_like
from .recomputation import as_one_op


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
