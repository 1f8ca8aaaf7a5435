"""Products of vectors and matrices, inverses, linear equations, determinants and singular values."""

import autograd.numpy as anp
import numpy as np
from autograd.extend import defvjp_argnums, primitive

from ...engine import dtype_of, unbroadcast_f
from ...ops import in_float32, known, select
from .declaration import op
from .shape import reshape, t, transpose


def _product(name, names="self mat2"):
    first, second = names.split()

    @op(name, lambda ans, a, b: lambda g: _left(g, a, b), lambda ans, a, b: lambda g: _right(g, a, b),
        tensors=names, saves=f"{first}<{second} {second}<{first}")  # fmt: skip
    def fun(a, b):
        return np.matmul(a, b)

    return fun


def _left(g, a, b):
    if anp.ndim(b) == 1:
        return g * b if anp.ndim(a) == 1 else outer(g, b)
    return (mm if anp.ndim(b) == 2 else bmm)(g, _swapped(b))


def _right(g, a, b):
    if anp.ndim(b) == 1:
        return g * a if anp.ndim(a) == 1 else mv(_swapped(a), g)
    return (mm if anp.ndim(a) == 2 else bmm)(_swapped(a), g)


def _swapped(x):
    return t(x) if anp.ndim(x) == 2 else transpose(x, -1, -2)


def outer(a, b):
    """Every product of an element of `a` with one of `b`."""
    return reshape(a, (-1, 1)) * reshape(b, (1, -1))


mm, bmm = _product("MmBackward0"), _product("BmmBackward0")
mv, dot = _product("MvBackward0", "self vec"), _product("DotBackward0", "self tensor")


def _einsum_vjp(argnums, ans, args, kwargs):
    *inputs, output = args[0].replace("->", ",").split(",")

    def pull(g, k):
        """By operand `k`: the sums of products of `g` with all others, and with ones for a letter that it has alone."""
        others = [i for i in range(len(inputs)) if i != k]
        alone = [c for c in inputs[k] if c not in output + "".join(inputs[i] for i in others)]
        ones = np.ones([anp.shape(args[k + 1])[inputs[k].index(c)] for c in alone], dtype_of(g))
        letters = ",".join([output, *(inputs[i] for i in others), "".join(alone)])
        return einsum(f"{letters}->{inputs[k]}", g, *(args[i + 1] for i in others), ones)

    return lambda g: tuple(pull(g, i - 1) for i in argnums)


einsum = primitive(in_float32(lambda equation, *arrays: np.einsum(equation, *arrays, optimize=True)))
einsum.__name__ = "einsum"
defvjp_argnums(known(einsum, "EinsumBackward0"), _einsum_vjp)


@op("AddmmBackward0", lambda ans, c, a, b, beta, alpha: unbroadcast_f(c, lambda g: g if beta == 1 else g * beta),
    lambda ans, c, a, b, beta, alpha: lambda g: _scaled(mm(g, t(b)), alpha),
    lambda ans, c, a, b, beta, alpha: lambda g: _scaled(mm(t(a), g), alpha), tensors="self mat1 mat2",
    others="beta alpha", saves="mat1<mat2 mat2<mat1")  # fmt: skip
def addmm(c, a, b, beta, alpha):
    return beta * c + alpha * np.matmul(a, b)


def _scaled(x, factor):
    return x if factor == 1 else x * factor


@op("LinalgCrossBackward0", lambda ans, x, y, dim: lambda g: cross(y, g, dim), lambda ans, x, y, dim: lambda g: cross(g, x, dim),
    tensors="self other", others="dim", saves="self<other other<self", broadcasts=True)  # fmt: skip
def cross(x, y, dim):
    """The cross products of vectors along `dim`."""
    x, y = np.broadcast_arrays(x, y)
    turned = [[np.roll(v, -k, dim) for k in (1, 2)] for v in (x, y)]
    return turned[0][0] * turned[1][1] - turned[0][1] * turned[1][0]


def _turned(x):
    return transpose(x, -1, -2)


@op("LinalgInvExBackward0", lambda ans, a: lambda g: -bmm(_turned(ans), bmm(g, _turned(ans))), saves="result",
    tensors="A")  # fmt: skip
def inv(a):
    return np.linalg.inv(a)


@op("LinalgSolveExBackward0", lambda ans, a, b: lambda g: -bmm(solve(_turned(a), g), _turned(ans)),
    lambda ans, a, b: lambda g: solve(_turned(a), g), tensors="A B", saves="A result")  # fmt: skip
def solve(a, b):
    """The matrix x with a @ x = b, for batches of one shape."""
    return np.linalg.solve(a, b)


@op("LinalgDetBackward0", lambda ans, a: lambda g: _wide(g * ans) * _turned(inv(_regular(a, ans))), tensors="A",
    saves="A result")  # fmt: skip
def det(a):
    return np.linalg.det(a)


def _regular(a, ans):
    """The matrices, but the identity for a singular one, whose gradient is 0 in PyTorch."""
    return select(_wide(ans) == 0, np.eye(a.shape[-1], dtype=dtype_of(a)), a)


def _wide(g):
    return anp.reshape(g, (*anp.shape(g), 1, 1))


def _times(x, row):
    """A matrix times a diagonal one, of which `row` is the diagonal."""
    return x * anp.expand_dims(row, -2)


_SVD = {"tensors": "A", "others": "full_matrices", "saves": "S U Vh"}


@op("LinalgSvdBackward0", lambda ans, a, full=False: lambda g: _of_parts(a, values=g), **_SVD)
def singular_values(a, full=False):
    """In descending order."""
    return np.linalg.svd(a, compute_uv=False)


@op("LinalgSvdBackward0", lambda ans, a, full: lambda g: _of_parts(a, left=_first(g, a)), **_SVD)
def left_vectors(a, full):
    """As columns; with `full` as many as `a` has rows."""
    return np.linalg.svd(a, full)[0]


@op("LinalgSvdBackward0", lambda ans, a, full: lambda g: _of_parts(a, right=_first(_turned(g), a)), **_SVD)
def right_vectors(a, full):
    """As rows; with `full` as many as `a` has columns."""
    return np.linalg.svd(a, full)[2]


def _first(columns, a):
    """Those columns that belong to singular values."""
    return columns[..., : min(a.shape[-2:])]


def _of_parts(a, values=None, left=None, right=None):
    """What singular values, left and right vectors (as columns) send back: u (diag(values) + mixed) v^T, and the part outside
    the vectors' space, divided by the values (J. Townsend, Differentiating the Singular Value Decomposition, 2016)."""
    u, s, v = left_vectors(a, False), singular_values(a), _turned(right_vectors(a, False))
    if values is not None:
        return bmm(_times(u, values), _turned(v))
    if left is not None:
        mixed = bmm(u, _times(_apart(bmm(_turned(u), left), s), s))
        return bmm(mixed + _outside(u, left, s), _turned(v))
    mixed = _turned(_times(_turned(_apart(bmm(_turned(v), right), s)), s))
    return bmm(u, bmm(mixed, _turned(v)) + _turned(_outside(v, right, s)))


def _outside(vectors, g, s):
    """The part of `g` outside the space of the `vectors`, over the values: none where they span all."""
    square = vectors.shape[-1] == vectors.shape[-2]
    return 0 * g if square else _times(g - bmm(vectors, bmm(_turned(vectors), g)), 1 / s)


def _apart(x, values):
    """The difference of a matrix and its transpose, over that of the squares of two singular values each."""
    squares, same = values * values, np.eye(values.shape[-1], dtype=bool)
    apart = anp.expand_dims(squares, -2) - anp.expand_dims(squares, -1)
    return (x - _turned(x)) * anp.where(same, 0, 1 / anp.where(same, 1, apart)).astype(x.dtype)
