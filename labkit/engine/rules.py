"""Derivatives that the engine's nodes take in place of autograd's: from the result, where PyTorch and MindSpore do.

So what a tape says it saves, what a picture shows and what a program computes are one thing. The rules are the engine's
alone: to autograd's own functions nothing changes.
"""

import autograd.numpy as anp
from autograd import core
from autograd.core import primitive_jvps, primitive_vjps


def _from_result(slope):
    """The vjp and the jvp of an elementwise op whose derivative is `slope(result)`."""
    vjp = lambda argnums, ans, args, kwargs: lambda g: (g * slope(ans),)
    jvp = lambda argnums, gs, ans, args, kwargs: gs[0] * slope(ans)
    return vjp, jvp


_OWN = {
    anp.tanh: _from_result(lambda y: 1 - y * y),
    anp.sqrt: _from_result(lambda y: 0.5 / y),
    anp.reciprocal: _from_result(lambda y: -y * y),
    anp.tan: _from_result(lambda y: 1 + y * y),
}
OWN_VJPS = {op: vjp for op, (vjp, _) in _OWN.items()}
OWN_JVPS = {op: jvp for op, (_, jvp) in _OWN.items()}


def vjp_of(fun):
    """The rule of a primitive, as autograd's table has it: `rule(argnums, ans, args, kwargs)` gives the pullback.

    Raises NotImplementedError where there is none.
    """
    rule = OWN_VJPS.get(fun) or primitive_vjps.get(fun)
    if rule is None:
        raise _no_rule(fun)
    return rule


def pullback(fun, argnums, ans, args, kwargs):
    """What takes the gradient of `ans`, the result of `fun`, to those of the arguments at `argnums`.

    Raises NotImplementedError where `fun` has no rule, or none for this call.
    """
    rule = vjp_of(fun)
    try:
        return rule(argnums, ans, args, kwargs)
    except (KeyError, NotImplementedError, TypeError) as error:
        if _from_inside(error):
            raise
        raise _no_rule(fun, argnums, kwargs) from error


def pushforward(rule, fun, argnums, tangents, ans, args, kwargs):
    """The tangent of `ans`, the result of `fun`, by its forward `rule`. Raises NotImplementedError as `pullback` does."""
    try:
        return rule(argnums, tangents, ans, args, kwargs)
    except (KeyError, NotImplementedError, TypeError) as error:
        if _from_inside(error):
            raise
        raise _no_rule(fun, argnums, kwargs) from error


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


def jvp_of(fun):
    """The forward rule of a primitive, `rule(argnums, tangents, ans, args, kwargs)`, or None."""
    return OWN_JVPS.get(fun) or primitive_jvps.get(fun)
