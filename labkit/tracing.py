"""`trace` and `check_gradient` for plain functions and for both dialects.

A dialect is known by what its objects can do, not by import: a tensor answers `__engine_value__` (its array) and
`__engine_wrap__` (a tensor around another array), a network `__engine_parameters__` (its named parameters) and
`__engine_parts__` (its named cells or modules, see `labkit.engine.scope`), and a parameter `__engine_bind__` (hold
another array for a while, in this thread). A network with random numbers of its own has `__engine_unmoved__`, a context that
leaves them as they were.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any

import numpy as np

from . import engine, gradcheck
from .engine import argument_names, check_function

_BY_KEYWORD = "trace: expected the inputs by position, but got {kwargs} by keyword"


def trace(fun: Callable, parameters: Any = None) -> Callable[..., engine.Graph]:
    """Turn `fun` into a function that returns the `Graph` of its run instead of its value.

    `fun` takes arrays, numbers or tensors of a dialect; a Cell's or Module's parameters become inputs under their own
    names, and so do those given in `parameters` (a list, for a function that uses parameters from outside). Keyword
    arguments are passed on as they are, without a gradient. The graph prints as a table and has `.forward`,
    `.backward`, `.joint`, `.steps`, `.value` and `.gradients`.

    >>> graph = trace(lambda x, y: x**2 + y)(3.0, 2.0)
    >>> {name: float(g) for name, g in graph.gradients.items()}
    {'x': 6.0, 'y': 1.0}
    """

    check_function("trace(f)(x)", fun, ANY)
    if parameters is not None and not isinstance(parameters, (list, tuple)):
        raise TypeError(_NO_PARAMETERS.format(kind=type(parameters).__name__))

    def traced(*args: Any, **kwargs: Any) -> engine.Graph:
        if kwargs and not args:
            raise TypeError(_BY_KEYWORD.format(kwargs=", ".join(kwargs)))
        plain, values, names = plain_function(fun, args, kwargs, parameters)
        return engine.record(plain, *values, names=names)

    return wraps(fun)(traced) if hasattr(fun, "__name__") else traced


def check_gradient(fun: Callable, *args: Any, tolerance: float | None = None) -> gradcheck.GradientCheck:
    """Compare the gradient of `fun` at `args` with central differences: true or false, and printable.

    Step and tolerance follow the coarsest dtype in play (see `labkit.gradcheck`); the parameters of a Cell or Module
    are checked too. Raises TypeError where nothing is floating.

    >>> print(bool(check_gradient(lambda x: x**3, 2.0)))
    True
    """
    plain, values, _ = plain_function(fun, args, {}, None, "check_gradient(f, x)")
    return gradcheck.check_gradient(plain, *values, tolerance=tolerance)


ANY = "a function, a Cell or a Module"
_NO_PARAMETERS = (
    "trace: expected a list of parameters after the function, but got {kind}. Inputs come later: trace(f)(x)"
)
_NO_PARAMETER = "{caller}: expected parameters of a dialect, but got {kind} at position {place}"
_NO_RESULT = "{caller}: expected {name} to return a value, but it returned None"
_NO_NUMBER = "{caller}: expected a real number, an array or a tensor for {name!r}, but got {kind}"


def plain_function(fun, args, kwargs, parameters, usage="trace(f)(x)") -> tuple[Callable, list, list[str]]:
    """`fun` as a function of arrays alone, the arrays (arguments, then parameters), and their names."""
    check_function(usage, fun, ANY)
    caller = usage.partition("(")[0]
    named = list(fun.__engine_parameters__()) if hasattr(fun, "__engine_parameters__") else []
    for i, parameter in enumerate(parameters or []):
        if not hasattr(parameter, "__engine_bind__"):
            raise TypeError(_NO_PARAMETER.format(caller=caller, kind=type(parameter).__name__, place=i))
        if all(parameter is not known for _, known in named):
            named.append((getattr(parameter, "name", None) or f"parameter{i}", parameter))
    body = getattr(fun, "construct", None) or getattr(fun, "forward", None) or fun
    names = argument_names(body, len(args)) + [name for name, _ in named]

    def plain(*values):
        with holding([parameter for _, parameter in named], values[len(args) :]):
            output = fun(*(wrapped_like(a, v) for a, v in zip(args, values, strict=False)), **kwargs)
            if output is None:
                raise TypeError(_NO_RESULT.format(caller=caller, name=plain.__name__))
            return engine.map_leaves(value_of, output)

    plain.__name__, vars(plain)["__wrapped__"] = getattr(fun, "__name__", type(fun).__name__), fun
    values = [value_of(a) for a in args] + [value_of(p) for _, p in named]
    for name, value in zip(names, values, strict=True):
        if np.asarray(engine.getval(value)).dtype.kind in "OSUc":
            raise TypeError(_NO_NUMBER.format(caller=caller, name=name, kind=type(value).__name__))
    return plain, values, names


@contextmanager
def holding(parameters, values) -> Iterator[None]:
    """Inside, each parameter holds its value, in this thread."""
    with ExitStack() as stack:
        for parameter, value in zip(parameters, values, strict=True):
            stack.enter_context(parameter.__engine_bind__(value))
        yield


def value_of(leaf) -> Any:
    return leaf.__engine_value__() if hasattr(leaf, "__engine_value__") else leaf


def wrapped_like(like, value) -> Any:
    return like.__engine_wrap__(value) if hasattr(like, "__engine_wrap__") else value
