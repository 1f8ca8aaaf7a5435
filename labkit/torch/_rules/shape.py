"""Moving elements: shapes, orders, slices, joins. What NumPy can view is a view."""

from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd.extend import defvjp_argnums, primitive

from ...engine import dtype_of
from ...ops import known
from .declaration import mover


def axes_of(ndim, axis):
    """The axes meant by None, one or several, counted from 0."""
    if axis is None:
        return tuple(range(ndim))
    return tuple(a % max(ndim, 1) for a in ((axis,) if isinstance(axis, int) else axis))


def spread(g, x, axis):
    """A reduced `g` with its axes back, of length 1."""
    axes = axes_of(anp.ndim(x), axis)
    shape = tuple(1 if i in axes else n for i, n in enumerate(anp.shape(x)))
    return g if anp.shape(g) == shape else reshape(g, shape)


def _mover(name, kernel, inverse, others="dims") -> Any:
    def fun(x, *how):
        return kernel(x, *how)

    return mover(name, lambda ans, x, *how: lambda g: inverse(g, anp.shape(x), *how), others=others)(fun)


def _back(g, shape, *how):
    return reshape(g, shape)


reshape = _mover("ViewBackward0", np.reshape, _back, "size")
reshape_alias = _mover("ReshapeAliasBackward0", np.reshape, _back, "size")
reshape_copied = _mover("UnsafeViewBackward0", np.reshape, _back, "size")
whole_slice = _mover("SliceBackward0", lambda x: x[...], lambda g, shape: g, "")
alias = _mover("AliasBackward0", lambda x: x[...], lambda g, shape: g, "")
squeeze_all = _mover("SqueezeBackward0", np.reshape, _back, "size")
squeeze_dim = _mover("SqueezeBackward1", np.squeeze, _back, "dim")
squeeze_product = _mover("SqueezeBackward4", np.squeeze, _back, "dim")
squeeze_dims = _mover("SqueezeBackward2", np.squeeze, _back, "dim")
unsqueeze = _mover("UnsqueezeBackward0", np.expand_dims, _back, "dim")
t = _mover("TBackward0", np.transpose, lambda g, shape: t(g), "")
transpose = _mover("TransposeBackward0", np.swapaxes, lambda g, shape, i, j: transpose(g, i, j), "dim0 dim1")
IN_PLACE = {  # the nodes of those that change a tensor's own shape
    squeeze_all: _mover("SqueezeBackward3", np.reshape, _back, "size"),
    squeeze_dim: _mover("SqueezeBackward4", np.squeeze, _back, "dim"),
    squeeze_dims: _mover("SqueezeBackward5", np.squeeze, _back, "dim"),
    unsqueeze: _mover("UnsqueezeBackward1", np.expand_dims, _back, "dim"),
    t: _mover("TBackward1", np.transpose, lambda g, shape: t(g), ""),
    transpose: _mover("TransposeBackward1", np.swapaxes, lambda g, shape, i, j: transpose(g, i, j), "dim0 dim1"),
}
permute = _mover("PermuteBackward0", np.transpose, lambda g, shape, dims: permute(g, _inverse(dims)))
flip = _mover("FlipBackward0", lambda x, dims: np.array(np.flip(x, dims)), lambda g, shape, dims: flip(g, dims))
tril = _mover("TrilBackward0", np.tril, lambda g, shape, k: tril(g, k), "diagonal")
diagonal = _mover("DiagonalBackward0", lambda x, k, i, j: _writable(np.diagonal(x, k, i, j)),
                  lambda g, shape, k, i, j: diagonal_backward(g, shape, k, i, j), "offset dim1 dim2")  # fmt: skip
diagonal_backward = _mover("DiagonalBackwardBackward0", lambda g, shape, k, i, j: _diagonal_back(g, shape, k, i, j),
                           lambda h, _, shape, k, i, j: diagonal(h, k, i, j), "shape offset dim1 dim2")  # fmt: skip
diagonal_copy = _mover("DiagonalBackward0_copy", lambda x, k, i, j: np.array(np.diagonal(x, k, i, j)),
                       lambda g, shape, k, i, j: diagonal_backward(g, shape, k, i, j), "offset dim1 dim2")  # fmt: skip
diag_embed = _mover("DiagEmbedBackward0", lambda g, shape, k, i, j: _diagonal_back(g, shape, k, i, j),
                    lambda h, _, shape, k, i, j: diagonal(h, k, i, j), "shape offset dim1 dim2")  # fmt: skip
pad = _mover("ConstantPadNdBackward0", lambda x, widths, value: np.pad(x, widths, constant_values=value),
             lambda g, shape, widths, value: basic(g, tuple(slice(a, a + n) for (a, _), n in zip(widths, shape))),
             "pad value")  # fmt: skip


def _writable(view):
    if view.base is not None and not view.flags.writeable and view.base.flags.writeable:
        view.flags.writeable = True
    return view


def _inverse(dims):
    return tuple(int(i) for i in np.argsort([d % len(dims) for d in dims]))


def _diagonal_back(g, shape, k, i, j):
    out = np.zeros(shape, g.dtype)
    _writable(np.diagonal(out, k, i, j))[...] = g
    return out


@mover(lambda args, kwargs: args[2] if len(args) > 2 else "SliceBackward0",
    lambda ans, x, index, *name: lambda g: placed(g, index, anp.shape(x), *name), others="index name")  # fmt: skip
def basic(x, index, name="SliceBackward0"):
    """`x[index]` for integers, slices and Ellipsis: a view."""
    return x[(*index, ...)]


@mover(lambda args, kwargs: (args[3] if len(args) > 3 else "SliceBackward0").replace("Backward0", "BackwardBackward0"),
    lambda ans, g, index, shape, *name: lambda h: basic(h, index, *name), others="index shape name")  # fmt: skip
def placed(g, index, shape, name="SliceBackward0"):
    """Zeros of `shape` with `g` at `index`: the transpose of `basic`."""
    out = np.zeros(shape, dtype_of(g))
    out[index] = g
    return out


def _joiner(name, kernel, part):
    """Ops of many tensors: `fun(dim, *tensors)`; `part(g, dim, shapes, k)` is the gradient of tensor `k`."""

    def fun(dim, *tensors):
        return kernel(tensors, dim)

    fun.__name__ = kernel.__name__
    fun = primitive(fun)

    def vjp(argnums, ans, args, kwargs):
        shapes = [anp.shape(a) for a in args[1:]]
        return lambda g: tuple(part(g, args[0], shapes, i - 1) for i in argnums)

    defvjp_argnums(fun, vjp)
    return known(fun, name, "*", saves="")


def _cat_part(g, dim, shapes, k):
    start = sum(s[dim] for s in shapes[:k])
    index = [slice(None)] * len(shapes[k])
    index[dim] = slice(start, start + shapes[k][dim])
    return basic(g, tuple(index))


def _stack_part(g, dim, shapes, k):
    index = [slice(None)] * (len(shapes[k]) + 1)
    index[dim] = k
    return basic(g, tuple(index), "SelectBackward0")


cat = _joiner("CatBackward0", np.concatenate, _cat_part)
stack = _joiner("StackBackward0", np.stack, _stack_part)
