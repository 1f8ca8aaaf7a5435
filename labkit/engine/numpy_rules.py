"""The engine's own derivative rules for functions of NumPy; autograd's own table does not change.

Rules of elementwise functions are computed from the saved result, as in PyTorch and MindSpore, so that a tape, a picture and a
program agree on what is saved. Those of arithmetic skip the sum over broadcast axes if nothing was broadcast. The others
replace rules of autograd that are wrong, or raise an error that does not name the cause: shapes (broadcast_to, tile, repeat,
roll, concatenate, diagonal, sort), factors of zero (prod, det), the norm of zeros, sinc at 0, indices that einsum has twice.
"""

import string
from collections.abc import Callable
from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd.core import primitive_vjps
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


def _unconcatenate(argnums, ans, args, kwargs):
    """The part of g that belongs to each array. (autograd takes no axis=None.)"""
    axis, shapes = args[0], [anp.shape(a) for a in args[1:]]
    ends = np.cumsum([0, *[np.prod(shape, dtype=int) if axis is None else shape[axis] for shape in shapes]]).tolist()
    place = (slice(None),) * ((axis or 0) % anp.ndim(ans))
    return lambda g: tuple(anp.reshape(g[(*place, slice(*ends[i - 1 : i + 1]))], shapes[i - 1]) for i in argnums)


def _undiagonal(ans, x, offset=0, axis1=0, axis2=1):
    """g on the diagonal, zeros elsewhere. (autograd takes the last two axes only.)"""
    n, m = (anp.shape(x)[axis] for axis in (axis1, axis2))
    places = np.arange(n * m).reshape(n, m).diagonal(offset)
    return lambda g: anp.moveaxis(
        anp.tensordot(g, np.eye(n * m)[places].reshape(-1, n, m), 1), (-2, -1), (axis1, axis2)
    )


def _unsort(ans, x, axis=-1):
    """Each g at the place where its number was. (autograd takes one axis only.)"""
    places = list(np.indices(anp.shape(x), sparse=True))
    places[axis] = np.argsort(anp.argsort(x, axis=axis), axis=axis)
    return lambda g: g[tuple(places)]


def _kept(x, axis):
    """The axes that a reduction removes, and the shape of its result with these axes at length 1."""
    axes = tuple(range(anp.ndim(x))) if axis is None else tuple(a % anp.ndim(x) for a in np.atleast_1d(axis))
    return axes, tuple(1 if i in axes else n for i, n in enumerate(anp.shape(x)))


def _unproduct(ans, x, axis=None, keepdims=False):
    """g times the product of the other factors. (autograd divides by x, which may be 0.)"""
    axes, kept = _kept(x, axis)
    if np.all(x):
        return lambda g: anp.reshape(g, kept) * anp.reshape(ans, kept) / x
    order = [*(i for i in range(anp.ndim(x)) if i not in axes), *axes]
    moved = anp.transpose(x, order)
    n = int(np.prod([anp.shape(x)[a] for a in axes]))
    rows = anp.reshape(moved, (-1, 1, n))
    others = anp.reshape(anp.prod(anp.where(np.eye(n, dtype=bool), 1.0, rows), axis=-1), anp.shape(moved))
    return lambda g: anp.reshape(g, kept) * anp.transpose(others, np.argsort(order))


def _undet(ans, x):
    """g times the cofactors. (autograd inverts x, which may be singular.)"""
    spread = lambda value: anp.reshape(value, (*anp.shape(value), 1, 1))
    if np.all(ans):
        return lambda g: spread(g * ans) * anp.swapaxes(anp.linalg.inv(x), -1, -2)
    rest = [np.delete(np.arange(len(x[..., 0, :])), i) for i in range(anp.shape(x)[-1])]
    minor = lambda i, j: (-1) ** (i + j) * anp.linalg.det(x[..., rest[i][:, None], rest[j]])
    rows = [anp.stack([minor(i, j) for j in range(len(rest))], axis=-1) for i in range(len(rest))]
    return lambda g: spread(g) * anp.stack(rows, axis=-2)


def _unnorm(argnums, ans, args, kwargs):
    """g along x, and 0 where x is 0. (autograd divides by the norm, which may be 0.)"""
    x, order, axis = (*args, None, None)[:3]
    order, axis = kwargs.get("ord", order), kwargs.get("axis", axis)
    vector = np.ndim(axis) == 0 and (axis is not None or anp.ndim(x) == 1)
    _, kept = _kept(x, axis)
    if order == 1 and vector:
        return lambda g: (anp.reshape(g, kept) * anp.sign(x),)
    if not (order in (None, "fro") or (order == 2 and vector)):
        return primitive_vjps[_norm](argnums, ans, args, kwargs)
    norm = anp.reshape(ans, kept)
    return lambda g: (anp.reshape(g, kept) * x / anp.where(norm == 0, 1.0, norm),)


def _unsinc(ans, x):
    """(cos(pi x) - sinc(x)) / x, and its tangent near 0, where autograd divides by 0."""
    near = abs(x) < 1e-4
    slope = anp.where(near, -(np.pi**2) / 3 * x, (anp.cos(np.pi * x) - ans) / anp.where(near, 1.0, x))
    return lambda g: g * slope


def _uneinsum(argnums, ans, args, kwargs):
    """autograd's rule, with an identity matrix for each index that an operand has twice: "ii" is "ij,ij"."""
    if not isinstance(args[0], str):
        raise NotImplementedError(
            'einsum: the derivative needs the subscripts as a string. Write np.einsum("ij,jk->ik", a, b)'
        )
    given, result, _ = anp.parse_einsum_input(*args)
    terms, pairs, identities = given.split(","), [], []
    unused = iter(sorted({*string.ascii_letters} - {*given, *result}))
    for place, term in enumerate(terms):
        for k, index in enumerate(term):
            if index in term[:k]:
                pairs.append(index + next(unused))
                term = term[:k] + pairs[-1][1] + term[k + 1 :]
                identities.append(np.eye(anp.shape(args[place + 1])[k]))
        terms[place] = term
    same = (",".join(terms + pairs) + "->" + result, *args[1:], *identities) if pairs else args
    return primitive_vjps[anp.einsum](argnums, ans, same, kwargs)


_where = next(op for op in primitive_vjps if op.__name__ == "where")  # `anp.where` itself may be a wrapper of it
_norm = next(op for op in primitive_vjps if op.__name__ == "norm")
NUMPY_VJPS: dict[Callable, Callable] = (
    _ARITHMETIC
    | {op: vjp for op, (vjp, _) in _OWN.items()}
    | {
        anp.tile: _by_argument(_untile),
        anp.repeat: _by_argument(_unrepeat),
        anp.roll: _by_argument(_unroll),
        anp.concatenate_args: _unconcatenate,
        anp.diagonal: _by_argument(_undiagonal),
        anp.sort: _by_argument(_unsort),
        anp.broadcast_to: _by_argument(lambda ans, x, shape: unbroadcast_f(x, lambda g: g)),
        anp.prod: _by_argument(_unproduct),
        anp.linalg.det: _by_argument(_undet),
        anp.sinc: _by_argument(_unsinc),
        anp.einsum: _uneinsum,
        _norm: _unnorm,
        _where: _by_argument(
            lambda ans, c, x, y: lambda g: anp.zeros_like(c),
            lambda ans, c, x, y: unbroadcast_f(x, lambda g: anp.where(c, g, anp.zeros_like(g))),
            lambda ans, c, x, y: unbroadcast_f(y, lambda g: anp.where(c, anp.zeros_like(g), g)),
        ),
    }
)
TRANSPOSED = {
    anp.prod,
    anp.linalg.det,
    anp.sort,
    anp.sinc,
    _norm,
}  # autograd's jvp is wrong, too: these rules are transposed
NUMPY_JVPS = {op: jvp for op, (_, jvp) in _OWN.items()}
