"""The derivative rules of the engine's nodes; autograd's own tables stay unchanged.

Some are computed from the saved result, as in PyTorch and MindSpore, so that a tape, a picture and a program agree on what is
saved. Those of arithmetic skip the sum over broadcast axes if nothing was broadcast; a quotient's rule has PyTorch's and
MindSpore's order of operations. A rule gets `argnums`, the saved result `ans`, `args` and `kwargs`, and returns the function of
the upstream gradient `g`.
"""

from collections.abc import Callable
from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd import core
from autograd.core import primitive_jvps, primitive_vjps

from .numpy_rules import NUMPY_VJPS, TRANSPOSED, _norm, unbroadcast_f


def _of_two(*rules):
    """The vjp of an op of two operands that broadcast, from what its rules send to each."""

    def vjp(argnums, ans, args, kwargs):
        if len(argnums) == 1:
            x, pull = args[argnums[0]], rules[argnums[0]](*args)
            if not _not_broadcast(x, ans):
                pull = unbroadcast_f(x, pull)
            return lambda g: (pull(g),)
        first, second = (
            rule(*args) if _not_broadcast(x, ans) else unbroadcast_f(x, rule(*args))
            for x, rule in zip(args, rules, strict=True)
        )
        return lambda g: (first(g), second(g))

    return vjp


def _not_broadcast(x, ans):
    """Whether an operand that is a plain array surely has the shape of the result, so that there is nothing to sum."""
    return type(x) is np.ndarray is type(ans) and x.shape == ans.shape and 1 not in x.shape and x.dtype.kind == "f"


_ARITHMETIC = {
    anp.add: _of_two(lambda x, y: lambda g: g, lambda x, y: lambda g: g),
    anp.subtract: _of_two(lambda x, y: lambda g: g, lambda x, y: lambda g: -g),
    anp.multiply: _of_two(lambda x, y: lambda g: y * g, lambda x, y: lambda g: x * g),
    anp.true_divide: _of_two(lambda x, y: lambda g: g / y, lambda x, y: lambda g: -g * ((x / y) / y)),
}
_ARITHMETIC[anp.divide] = _ARITHMETIC[anp.true_divide]  # one function of NumPy's, and two primitives


def _from_result(derivative):
    """The vjp and the jvp of an elementwise op whose derivative is `derivative(result)`."""
    vjp = lambda argnums, ans, args, kwargs: lambda g: (g * derivative(ans),)
    jvp = lambda argnums, gs, ans, args, kwargs: gs[0] * derivative(ans)
    return vjp, jvp


_OWN = {
    anp.tanh: _from_result(lambda y: 1 - y * y),
    anp.sqrt: _from_result(lambda y: 0.5 / y),
    anp.reciprocal: _from_result(lambda y: -y * y),
    anp.tan: _from_result(lambda y: 1 + y * y),
}


OWN_VJPS = _ARITHMETIC | {op: vjp for op, (vjp, _) in _OWN.items()} | NUMPY_VJPS
OWN_JVPS = {op: jvp for op, (_, jvp) in _OWN.items()}


def vjp_of(fun) -> Callable:
    """The rule of a primitive, the engine's own or autograd's: `rule(argnums, ans, args, kwargs)` gives the pullback.

    Raises NotImplementedError where there is none.
    """
    rule = OWN_VJPS.get(fun) or primitive_vjps.get(fun)
    if rule is None:
        raise _no_rule(fun)
    return rule


def pullback(fun, argnums, ans, args, kwargs) -> Callable:
    """What takes the gradient of `ans`, the result of `fun`, to those of the arguments at `argnums`.

    Raises NotImplementedError where `fun` has no rule, or none for this call.
    """
    rule = vjp_of(fun)
    if kwargs or fun is _norm:
        _check_options(fun, args, kwargs)
    try:
        return rule(argnums, ans, args, kwargs)
    except (KeyError, NotImplementedError, TypeError) as error:
        if _from_inside(error):
            raise
        raise _no_rule(fun, argnums, kwargs) from error


def pushforward(rule, fun, argnums, tangents, ans, args, kwargs) -> Any:
    """The tangent of `ans`, the result of `fun`, by its forward `rule`. Raises NotImplementedError as `pullback` does."""
    if kwargs or fun is _norm:
        _check_options(fun, args, kwargs)
    try:
        return _stretched(rule(argnums, tangents, ans, args, kwargs), ans)
    except (KeyError, NotImplementedError, TypeError) as error:
        if _from_inside(error):
            raise
        raise _no_rule(fun, argnums, kwargs) from error


def _stretched(tangent, ans):
    """A tangent in the shape of its value: some of autograd's rules answer in that of an argument which the op broadcast."""
    shape = getattr(ans, "shape", None)
    fits = shape is None or getattr(tangent, "shape", shape) == shape
    return tangent if fits else anp.broadcast_to(tangent, shape)


def _check_options(fun, args, kwargs):
    """Raise NotImplementedError for options that autograd's rules do not heed: their answers would be wrong."""
    if kwargs.get("where", True) is not True:
        instead = "Choose with np.where, such as np.sum(np.where(mask, x, 0))"
        raise NotImplementedError(f"{fun.__name__}: the derivative knows nothing of where=. {instead}")
    if "initial" in kwargs and fun in _EXTREMES:
        name = fun.__name__.removeprefix("a")
        instead = f"Write np.{name}imum(np.{name}(x), initial)"
        raise NotImplementedError(f"{name}: the derivative knows nothing of initial=. {instead}, of autograd.numpy")
    if fun is _norm and (args[1:2] == (np.inf,) or kwargs.get("ord") == np.inf):
        raise NotImplementedError("norm has no derivative rule for ord=inf. Write np.max(np.abs(x)), of autograd.numpy")


_EXTREMES = (anp.max, anp.min, anp.amax, anp.amin)


def _from_inside(error):
    """Whether a rule ran and raised this in its own words; else it could not be called."""
    end = error.__traceback__
    while end.tb_next is not None:
        end = end.tb_next
    return end.tb_frame.f_code.co_filename not in (__file__, core.__file__)


def _no_rule(fun, argnums=(), kwargs=()):
    name, known = getattr(fun, "__name__", "op"), fun in primitive_vjps
    where = f" with respect to argument {' and '.join(map(str, argnums))}" if known else ""
    called = f", called with {', '.join(f'{key}=' for key in kwargs)}" if known and kwargs else ""
    return NotImplementedError(
        f"{name} has no derivative rule{where}{called}: declare one with labkit.custom_vjp({name}, lambda ans, g, x: (...,)), "
        "or compute it with functions that have one"
    )


def jvp_of(fun) -> Callable | None:
    """The forward rule of a primitive, `rule(argnums, tangents, ans, args, kwargs)`, or None."""
    return OWN_JVPS.get(fun) or (None if fun in TRANSPOSED else primitive_jvps.get(fun))
