"""Moving elements: shapes, orders, slices, joins. What NumPy can view is a view."""

from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd.extend import defvjp_argnums, primitive

from ...engine import dtype_of
from ...ops import MOVERS, known
from .arithmetic import multiply
from .core import mover


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
roll = _mover("RollBackward0", np.roll, lambda g, shape, by, dims: roll(g, _negated(by), dims), "shifts dims")
tril = _mover("TrilBackward0", np.tril, lambda g, shape, k: tril(g, k), "diagonal")
triu = _mover("TriuBackward0", np.triu, lambda g, shape, k: triu(g, k), "diagonal")
diagonal = _mover("DiagonalBackward0", lambda x, k, i, j: _writable(np.diagonal(x, k, i, j)),
                  lambda g, shape, k, i, j: diagonal_backward(g, shape, k, i, j), "offset dim1 dim2")  # fmt: skip
diagonal_copy = _mover("DiagonalBackward0_copy", lambda x, k, i, j: np.array(np.diagonal(x, k, i, j)),
                       lambda g, shape, k, i, j: diagonal_backward(g, shape, k, i, j), "offset dim1 dim2")  # fmt: skip
diag_embed = _mover("DiagEmbedBackward0", lambda g, shape, k, i, j: _diagonal_back(g, shape, k, i, j),
                    lambda h, _, shape, k, i, j: diagonal(h, k, i, j), "shape offset dim1 dim2")  # fmt: skip
trace = _mover("TraceBackward0", lambda x: np.trace(x, dtype=x.dtype if x.dtype.kind not in "biu" else np.int64),
               lambda g, shape: multiply(np.eye(*shape, dtype=dtype_of(g)), g), "")  # fmt: skip
diagonal_backward = _mover("DiagonalBackwardBackward0", lambda g, shape, k, i, j: _diagonal_back(g, shape, k, i, j),
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


def _negated(by):
    return tuple(-b for b in by) if isinstance(by, tuple) else -by


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
MOVING = {"flip": flip, "roll": roll, "tril": tril, "triu": triu}
MOVING |= {name: row.fun for name, row in MOVERS.items() if name not in MOVING}


# ---- windows along a dimension ----


@mover(
    "AsStridedBackward0",
    lambda ans, x, *how: lambda g: _strided_back(g, anp.shape(x), *how),
    others="size stride storage_offset",
)
def as_strided(x, size, stride, first):
    """The memory of `x` from an element on, with strides counted in elements; where it shows one twice, it may not be written."""
    flat = np.reshape(x, -1) if x.flags.c_contiguous else np.reshape(x.transpose(_by_stride(x)), -1)
    seen: Any = np.ndarray(size, x.dtype, flat, first * x.itemsize, [s * x.itemsize for s in stride])
    reach = 0
    for step, n in sorted((s, n) for s, n in zip(stride, size, strict=True) if n > 1):
        seen.flags.writeable &= step > reach
        reach += step * (n - 1)
    return seen


def _by_stride(x):
    return sorted(range(x.ndim), key=lambda axis: -x.strides[axis])


@mover(
    "AsStridedBackwardBackward0",
    lambda ans, g, shape, *how: lambda h: as_strided(h, *how),
    others="shape size stride storage_offset",
)
def _strided_back(g, shape, size, stride, first):
    made = np.zeros(shape, g.dtype)
    places = first + sum(
        np.multiply(places, s) for places, s in zip(np.indices(size, sparse=True), stride, strict=True)
    )
    np.add.at(made.reshape(-1), places, g)
    return made


@mover(
    "UnfoldBackward0", lambda ans, x, *how: lambda g: _unfold_back(g, anp.shape(x), *how), others="dimension size step"
)
def unfold(x, dim, size, step):
    """The windows of a dimension, `step` apart, each along a last dimension of its own."""
    seen = np.lib.stride_tricks.sliding_window_view(x, size, dim, writeable=step >= size)
    return seen[(slice(None),) * dim + (slice(None, None, step),)]


@mover(
    "UnfoldBackwardBackward0", lambda ans, g, shape, *how: lambda h: unfold(h, *how), others="shape dimension size step"
)
def _unfold_back(g, shape, dim, size, step):
    made = np.zeros(shape, g.dtype)
    for k in range(size):
        made[(slice(None),) * dim + (slice(k, k + (g.shape[dim] - 1) * step + 1, step),)] += g[..., k]
    return made
