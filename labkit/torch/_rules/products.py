"""Products of vectors and matrices."""

import autograd.numpy as anp
import numpy as np

from ...engine import unbroadcast_f
from .core import op
from .moving import reshape, t, transpose


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


@op("AddmmBackward0",
    lambda ans, c, a, b, beta, alpha: unbroadcast_f(c, lambda g: g if beta == 1 else g * beta),
    lambda ans, c, a, b, beta, alpha: lambda g: _scaled(mm(g, t(b)), alpha),
    lambda ans, c, a, b, beta, alpha: lambda g: _scaled(mm(t(a), g), alpha),
    tensors="self mat1 mat2", others="beta alpha", saves="mat1<mat2 mat2<mat1")  # fmt: skip
def addmm(c, a, b, beta, alpha):
    return beta * c + alpha * np.matmul(a, b)


def _scaled(x, factor):
    return x if factor == 1 else x * factor
