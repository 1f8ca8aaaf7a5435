"""Eigenvalues and vectors, orthogonal factors, singular values, pseudo-inverses and exponentials of matrices, by NumPy."""

import math

import autograd.numpy as anp
import numpy as np

from ...engine import getval
from .core import fused, op
from .moving import transpose, tril
from .products import bmm
from .solving import solve_triangular
from .special import underived


def _turned(x):
    return transpose(x, -1, -2)


def _times(x, row):
    """A matrix times a diagonal one, of which `row` is the diagonal."""
    return x * anp.expand_dims(row, -2)


@op("LinalgEighBackward0", lambda ans, a: lambda g: _of_values(eigenvectors(a), g), tensors="A", saves="eigenvectors")
def eigenvalues(a):
    """Those of symmetric matrices, in ascending order."""
    return np.linalg.eigh(a)[0]


@op(
    "LinalgEighBackward0",
    lambda ans, a: lambda g: _of_vectors(ans, eigenvalues(a), g),
    tensors="A",
    saves="eigenvectors",
)
def eigenvectors(a):
    """Those of symmetric matrices, as columns."""
    return np.linalg.eigh(a)[1]


def _of_values(vectors, g):
    return bmm(_times(vectors, g), _turned(vectors))


def _of_vectors(vectors, values, g):
    apart = anp.expand_dims(values, -2) - anp.expand_dims(values, -1)
    same = np.eye(vectors.shape[-1], dtype=bool)
    turned = bmm(_turned(vectors), g) * anp.where(same, 0, 1 / anp.where(same, 1, apart)).astype(vectors.dtype)
    return bmm(bmm(vectors, turned), _turned(vectors))


@op(
    "LinalgQrBackward0",
    lambda ans, a: lambda g: _qr_back(ans, triangle(a), g, -bmm(_turned(g), ans)),
    tensors="A",
    saves="Q R",
)
def orthogonal(a):
    """The orthonormal columns of Q R = a, as many as `a` has."""
    return np.linalg.qr(a)[0]


@op(
    "LinalgQrBackward0",
    lambda ans, a: lambda g: _qr_back(orthogonal(a), ans, None, bmm(ans, _turned(g))),
    tensors="A",
    saves="Q R",
)
def triangle(a):
    return np.linalg.qr(a)[1]


@fused("LinalgQrBackward0", "A", saves="Q R", name="orthogonal")
def wide_orthogonal(a):
    """The same of a matrix with more columns than rows: that of its first columns."""
    return orthogonal(a[..., : a.shape[-2]])


@fused("LinalgQrBackward0", "A", saves="Q R", name="triangle")
def wide_triangle(a):
    square, rest = a[..., : a.shape[-2]], a[..., a.shape[-2] :]
    return anp.concatenate([triangle(square), bmm(_turned(orthogonal(square)), rest)], -1)


def _no_qr(text):
    def vjp(*args):
        raise RuntimeError(text)

    return vjp


NOT_COMPLETE = "The QR decomposition is not differentiable when mode='complete' and nrows > ncols."
WITHOUT_Q = (
    "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use linalg.qr(A, "
    "mode='reduced') if you are going to differentiate through linalg.qr."
)


@op("LinalgQrBackward0", _no_qr(NOT_COMPLETE), tensors="A", saves="Q R", name="orthogonal")
def all_orthogonal(a):
    """As many orthonormal columns as `a` has rows."""
    return np.linalg.qr(a, "complete")[0]


@op("LinalgQrBackward0", _no_qr(NOT_COMPLETE), tensors="A", saves="Q R", name="triangle")
def whole_triangle(a):
    """With as many rows as `a`."""
    return np.linalg.qr(a, "complete")[1]


@op("LinalgQrBackward0", _no_qr(WITHOUT_Q), tensors="A", saves="Q R", name="triangle")
def triangle_alone(a):
    return np.linalg.qr(a, "r")


@op("LinalgQrBackward0", _no_qr(WITHOUT_Q), tensors="A", saves="Q R", name="orthogonal")
def no_orthogonal(a):
    return np.zeros(0, a.dtype)


@op("GeqrfBackward0", underived("geqrf"), tensors="self")
def reflections(a):
    """R, and below it the vectors of the reflections that lead to it, without their first element, which is 1."""
    return np.swapaxes(np.linalg.qr(a, "raw")[0], -1, -2)


@op("GeqrfBackward0", underived("geqrf"), tensors="self")
def reflected(a):
    """How much of its vector each reflection takes away."""
    return np.linalg.qr(a, "raw")[1]


@fused("LinalgHouseholderProductBackward0", "input tau", name="householder_product")
def householder_product(a, tau):
    """The first columns of the product of reflections 1 - tau v v^T, of vectors as `reflections` has them."""
    rows, columns = a.shape[-2:]
    vectors, made = tril(a, -1) + np.eye(rows, columns, dtype=a.dtype), np.eye(rows, columns, dtype=a.dtype)
    made = made + a * 0
    for k in reversed(range(tau.shape[-1])):
        vector = vectors[..., k, None]
        made = made - tau[..., k, None, None] * bmm(vector, bmm(_turned(vector), made))
    return made


def _qr_back(q, r, g, mixed):
    """What both factors send back: (g + q times the symmetric matrix of the lower half of `mixed`) r^-T."""
    sent = bmm(q, tril(mixed, 0) + _turned(tril(mixed, -1)))
    sent = sent if g is None else sent + g
    return _turned(solve_triangular(r, _turned(sent), True))


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
    """What singular values, left and right vectors (as columns) send back: u (diag(values) + mixed) v^T, and what is beside
    the vectors' space, divided by the values (J. Townsend, Differentiating the Singular Value Decomposition, 2016)."""
    u, s, v = left_vectors(a, False), singular_values(a), _turned(right_vectors(a, False))
    if values is not None:
        return bmm(_times(u, values), _turned(v))
    if left is not None:
        mixed = _times(_apart(bmm(_turned(u), left), s), s)
        beside = left - bmm(u, bmm(_turned(u), left))
        return bmm(bmm(u, mixed) + _times(beside, 1 / s), _turned(v))
    mixed = _turned(_times(_turned(_apart(bmm(_turned(v), right), s)), s))
    beside = right - bmm(v, bmm(_turned(v), right))
    return bmm(u, bmm(mixed, _turned(v)) + _turned(_times(beside, 1 / s)))


def _apart(x, values):
    """The difference of a matrix and its transpose, over that of the squares of two singular values each."""
    squares, same = values * values, np.eye(values.shape[-1], dtype=bool)
    apart = anp.expand_dims(squares, -2) - anp.expand_dims(squares, -1)
    return (x - _turned(x)) * anp.where(same, 0, 1 / anp.where(same, 1, apart)).astype(x.dtype)


@op(
    "LinalgPinvBackward0",
    lambda ans, a, *_: lambda g: _pinv_back(ans, a, g),
    others="rcond hermitian",
    saves="result self",
)
def pinv(a, rcond, hermitian=False):
    """The matrix of the shortest x that bring a @ x nearest to b, for each b: values below `rcond` of the largest count as 0."""
    return np.linalg.pinv(np.tril(a) + np.swapaxes(np.tril(a, -1), -1, -2) if hermitian else a, rcond)


def _pinv_back(ans, a, g):
    back = _turned(g)
    inner = bmm(ans, back)
    outer = bmm(_turned(ans), inner)
    rest = bmm(bmm(back - bmm(a, inner), ans), _turned(ans))
    return rest - _turned(bmm(inner, ans)) + outer - bmm(bmm(outer, ans), a)


@op("LinalgLstsqBackward0", lambda ans, a, b: lambda g: _pinv_back(_inverse(a), a, bmm(g, _turned(b))),
    lambda ans, a, b: lambda g: bmm(_turned(_inverse(a)), g), tensors="self b", saves="b self solution")  # fmt: skip
def nearest(a, b):
    """The shortest x that brings a @ x nearest to b."""
    return np.matmul(np.linalg.pinv(a, _eps(a)), b) if a.ndim > 2 else np.linalg.lstsq(a, b, rcond=None)[0]


def _inverse(a):
    return pinv(a, _eps(a))


def _eps(a):
    return float(np.finfo(a.dtype).eps) * max(a.shape[-2:])


@fused("LinalgMatrixExpBackward0", name="matrix_exp")
def matrix_exp(a):
    """The exponential series of a / 2^k, squared k times."""
    size = float(np.max(np.abs(getval(a)).sum(-2), initial=0.0))
    squarings = max(0, math.ceil(math.log2(size)) + 1) if size else 0
    small, term = a / 2**squarings, np.eye(a.shape[-1], dtype=a.dtype)
    total = term
    for k in range(1, 18 if a.dtype == np.float64 else 11):
        term = anp.matmul(small, term) / k
        total = total + term
    for _ in range(squarings):
        total = anp.matmul(total, total)
    return total
