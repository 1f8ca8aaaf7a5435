"""Looks up and calls the derivative rule of an op: the engine's own (`numpy_rules`) or autograd's, whose tables stay unchanged.

A rule gets `argnums`, the saved result `ans`, `args` and `kwargs`, and returns the function of the upstream gradient `g`.
"""

from collections.abc import Callable
from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd import core
from autograd.core import primitive_jvps, primitive_vjps

from .numpy_rules import NUMPY_JVPS, NUMPY_VJPS, TRANSPOSED, _norm


def vjp_of(fun) -> Callable:
    """The rule of a primitive, the engine's own or autograd's: `rule(argnums, ans, args, kwargs)` gives the pullback.

    Raises NotImplementedError where there is none.
    """
    rule = NUMPY_VJPS.get(fun) or primitive_vjps.get(fun)
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
    """Raise NotImplementedError for options that autograd's rules ignore, because their gradients would be wrong."""
    if kwargs.get("where", True) is not True:
        raise NotImplementedError(_NO_WHERE.format(name=fun.__name__))
    if "initial" in kwargs and fun in _EXTREMES:
        raise NotImplementedError(_NO_INITIAL.format(name=fun.__name__.removeprefix("a")))
    if fun is _norm and (args[1:2] == (np.inf,) or kwargs.get("ord") == np.inf):
        raise NotImplementedError("norm has no derivative rule for ord=inf. Write np.max(np.abs(x)), of autograd.numpy")


_NO_WHERE = "{name} has no derivative rule for where=. Choose with np.where, such as np.sum(np.where(mask, x, 0))"
_NO_INITIAL = "{name} has no derivative rule for initial=. Write np.{name}imum(np.{name}(x), initial)"
_NO_RULE = "{call} has no derivative rule for argument {places}: declare one with labkit.custom_vjp"
_NO_RULES = "{name} has no derivative rule: declare one with labkit.custom_vjp({name}, lambda ans, g, x: (...,))"
_EXTREMES = (anp.max, anp.min, anp.amax, anp.amin)


def _from_inside(error):
    """Whether a rule ran and raised this in its own words; else it could not be called."""
    end = error.__traceback__
    while end.tb_next is not None:
        end = end.tb_next
    return end.tb_frame.f_code.co_filename not in (__file__, core.__file__)


def _no_rule(fun, argnums=(), kwargs=()):
    name = getattr(fun, "__name__", "op")
    if fun not in primitive_vjps:
        return NotImplementedError(_NO_RULES.format(name=name))
    call = f"{name}({', '.join(['...', *(f'{key}=' for key in kwargs)])})"
    return NotImplementedError(_NO_RULE.format(call=call, places=", ".join(map(str, argnums))))


def jvp_of(fun) -> Callable | None:
    """The forward rule of a primitive, `rule(argnums, tangents, ans, args, kwargs)`, or None."""
    return NUMPY_JVPS.get(fun) or (None if fun in TRANSPOSED else primitive_jvps.get(fun))
