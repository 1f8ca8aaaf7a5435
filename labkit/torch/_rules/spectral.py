"""Eigenvalues and vectors, orthogonal factors, singular values, pseudo-inverses and exponentials of matrices, by NumPy."""

import math

import autograd.numpy as anp
import numpy as np

from ...engine import getval
from .core import fused, op
from .moving import transpose, tril
from .products import bmm
from .solving import solve_triangular


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


def _qr_back(q, r, g, mixed):
    """What both factors send back: (g + q times the symmetric matrix of the lower half of `mixed`) r^-T."""
    sent = bmm(q, tril(mixed, 0) + _turned(tril(mixed, -1)))
    sent = sent if g is None else sent + g
    return _turned(solve_triangular(r, _turned(sent), True))


@op("LinalgSvdBackward0", lambda ans, a: lambda g: _singular_back(ans, a, g), tensors="A", saves="S U Vh")
def singular_values(a):
    """In descending order."""
    return np.linalg.svd(a, compute_uv=False)


def _singular_back(values, a, g):
    """u diag(g) v^T, with the eigenvectors v of the smaller of a^T a and a a^T, and u of them."""
    if a.shape[-2] < a.shape[-1]:
        return _turned(_singular_back(values, _turned(a), g))
    vectors = eigenvectors(bmm(_turned(a), a))[..., ::-1]
    return bmm(_times(bmm(a, vectors), g / values), _turned(vectors))


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
