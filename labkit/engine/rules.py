"""Derivatives that the engine's nodes take in place of autograd's: from the result, where PyTorch and MindSpore do.

So what a tape says it saves, what a picture shows and what a program computes are one thing. The rules are the engine's
alone: to autograd's own functions nothing changes.
"""

import autograd.numpy as anp
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
    """The rule of a primitive, as autograd's table has it: `rule(argnums, ans, args, kwargs)` gives the pullback."""
    return OWN_VJPS.get(fun) or primitive_vjps[fun]


def jvp_of(fun):
    """The forward rule of a primitive, `rule(argnums, tangents, ans, args, kwargs)`, or None."""
    return OWN_JVPS.get(fun) or primitive_jvps.get(fun)
