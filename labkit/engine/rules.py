"""Derivatives that the engine's nodes take in place of autograd's, to which nothing changes.

Some come from the result, where PyTorch and MindSpore do: so what a tape says it saves, what a picture shows and what a
program computes are one thing. Some put right what autograd answers wrongly where shapes differ. Those of arithmetic skip
the work for broadcasting where nothing was broadcast; a quotient's is computed in the order that PyTorch and MindSpore have.
"""

from collections.abc import Callable
from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd import core
from autograd.core import primitive_jvps, primitive_vjps
from autograd.extend import defvjp, primitive
from autograd.numpy.numpy_vjps import unbroadcast


def two_bytes(dtype) -> bool:
    """Whether a dtype is float16 or bfloat16.

    >>> two_bytes(np.dtype(np.float16)), two_bytes(np.dtype(np.int16)), two_bytes(None)
    (True, False, False)
    """
    return dtype is not None and dtype.itemsize == 2 and dtype.kind in "fV"


def unbroadcast_f(target, rule) -> Callable:
    """`rule`, its answer summed over the dimensions in which the op stretched `target`."""
    if not hasattr(target, "dtype"):
        target = np.asarray(target)
    shape, is_complex = target.shape, target.dtype.kind == "c"
    stretched = 1 in shape  # or maybe so; autograd sums over all these dimensions

    def pull(g):
        g = rule(g)
        kind = g.dtype.kind if getattr(g, "shape", None) == shape else "c"
        if kind in "iu" or (kind != "c" and not stretched):  # a sum would make int64 of an int32
            return g
        if two_bytes(getattr(g, "dtype", None)):
            added = len(g.shape) - len(shape)
            axes = tuple(i for i in range(len(g.shape)) if i < added or shape[i - added] == 1)
            return anp.reshape(sum_once(g, axes), shape) if axes else g
        return unbroadcast(g, (shape, len(shape), None, is_complex))

    return pull


@primitive
def sum_once(x, axes) -> Any:
    """The sum of two-byte floats over `axes`, which stay: added up in float32, as PyTorch and MindSpore do, and rounded once."""
    return np.sum(x, axis=axes, keepdims=True, dtype=np.float32).astype(x.dtype)


sum_once.__name__ = "sum"
defvjp(sum_once, lambda ans, x, axes: lambda g: anp.broadcast_to(g, anp.shape(x)))


def _of_two(*rules):
    """The vjp of an op of two operands that broadcast, from what its rules send to each."""

    def vjp(argnums, ans, args, kwargs):
        if len(argnums) == 1:
            x, pull = args[argnums[0]], rules[argnums[0]](*args)
            if not _is_as(x, ans):
                pull = unbroadcast_f(x, pull)
            return lambda g: (pull(g),)
        first, second = (
            rule(*args) if _is_as(x, ans) else unbroadcast_f(x, rule(*args))
            for x, rule in zip(args, rules, strict=True)
        )
        return lambda g: (first(g), second(g))

    return vjp


def _is_as(x, ans):
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


def _by_argument(*makers):
    """The vjp of an op from one rule for each of its arguments, as autograd's `defvjp` takes them."""

    def rule(argnums, ans, args, kwargs):
        pulls = [makers[i](ans, *args, **kwargs) for i in argnums]
        return lambda g: tuple(pull(g) for pull in pulls)

    return rule


def _untile(ans, x, reps):
    """The sum over the copies. (autograd takes one number for the first axis, NumPy for the last.)"""
    shape = (1,) * (anp.ndim(ans) - anp.ndim(x)) + anp.shape(x)
    blocks = [n for whole, part in zip(anp.shape(ans), shape, strict=True) for n in (whole // max(part, 1), part)]
    copies = tuple(range(0, len(blocks), 2))
    return lambda g: anp.reshape(anp.sum(anp.reshape(g, blocks), axis=copies), anp.shape(x))


def _unrepeat(ans, x, repeats, axis=None):
    """The sum over the copies. (autograd mistakes an axis counted from the end, and takes a single number of copies only.)"""
    shape = anp.shape(x)
    place = 0 if axis is None else axis % len(shape)
    length = anp.size(x) if axis is None else shape[place]
    copies = np.repeat(np.eye(length), repeats, axis=0)
    return lambda g: anp.reshape(anp.moveaxis(anp.tensordot(g, copies, axes=(place, 0)), -1, place), shape)


def _unroll(ans, x, shift, axis=None):
    """Moved back. (autograd takes no tuple of shifts.)"""
    back = tuple(-n for n in shift) if isinstance(shift, (tuple, list)) else -shift
    return lambda g: anp.roll(g, back, axis)


_where = next(op for op in primitive_vjps if op.__name__ == "where")  # `anp.where` itself may be a wrapper of it
OWN_VJPS = (
    _ARITHMETIC
    | {op: vjp for op, (vjp, _) in _OWN.items()}
    | {
        anp.tile: _by_argument(_untile),
        anp.repeat: _by_argument(_unrepeat),
        anp.roll: _by_argument(_unroll),
        _where: _by_argument(
            lambda ans, c, x, y: lambda g: anp.zeros_like(c),
            lambda ans, c, x, y: unbroadcast_f(x, lambda g: anp.where(c, g, anp.zeros_like(g))),
            lambda ans, c, x, y: unbroadcast_f(y, lambda g: anp.where(c, anp.zeros_like(g), g)),
        ),
    }
)
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
_norm = next(op for op in primitive_vjps if op.__name__ == "norm")


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
    return OWN_JVPS.get(fun) or primitive_jvps.get(fun)
