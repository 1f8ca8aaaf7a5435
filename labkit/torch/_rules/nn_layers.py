"""Layers whose node is one in PyTorch, as compositions of recorded functions; see `fused`."""

import autograd.numpy as anp
import numpy as np

from ... import ops as base
from ...engine import dtype_of
from . import conv_and_pool as images
from .declaration import fused, mover, op
from .memory import index_add
from .shape import reshape, transpose

_GEOMETRY = "stride padding dilation groups"

# ---- convolutions ----


@fused("ConvolutionBackward0", "input weight bias", f"shape {_GEOMETRY}", "input weight", name="conv_transpose")
def conv_transpose(x, w, b, shape, *geometry):
    made = images.conv2d_input(x, w, shape, *geometry)
    return made if b is None else made + reshape(b, (-1, *(1,) * (len(shape) - 2)))


# ---- rows and columns mixed by matrices: adaptive means, linear interpolation ----


@op(lambda args, kwargs: args[2], lambda ans, x, matrices, name: lambda g: _resampled_back(g, matrices, name),
    others="matrices name")  # fmt: skip
def resampled(x, matrices, name):
    """The last dimensions of `x` mixed, each by its matrix (new size, old size)."""
    for back, matrix in enumerate(matrices[::-1], 1):
        x = np.moveaxis(np.tensordot(matrix.astype(x.dtype), x, (1, x.ndim - back)), 0, -back)
    return np.ascontiguousarray(x)


def _resampled_back(g, matrices, name):
    return resampled(g, tuple(matrix.T for matrix in matrices), name.replace("Backward0", "BackwardBackward0"))


# ---- normalisation ----


@fused("NativeLayerNormBackward0", "input weight bias", "normalized_shape eps", name="layer_norm")
def layer_norm(x, w, b, shape, eps):
    axes = tuple(range(-len(shape), 0))
    made = x - base.mean(x, axis=axes, keepdims=True)
    made = made / anp.sqrt(base.mean(made * made, axis=axes, keepdims=True) + np.asarray(eps, dtype_of(x)))
    made = made if w is None else made * w
    return made if b is None else made + b


# ---- sequences and tables ----


@fused("MkldnnRnnLayerBackward0", "input hx_ cx_ weight0 weight1 weight2 weight3", "reverse", name="lstm")
def lstm(x, h, c, w_ih, w_hh, b_ih, b_hh, reverse):
    """All results (steps, batch, size) of a layer, and behind them its last memory."""
    given, size, results = anp.matmul(x, transpose(w_ih, 0, 1)), w_hh.shape[1], []
    given = given if b_ih is None else given + b_ih + b_hh
    for step in range(len(x))[:: -1 if reverse else 1]:
        gates = given[step] + anp.matmul(h, transpose(w_hh, 0, 1))
        enter, forget, new, leave = (gates[:, k * size : (k + 1) * size] for k in range(4))
        c = base.sigmoid(forget) * c + base.sigmoid(enter) * base.tanh(new)
        h = base.sigmoid(leave) * base.tanh(c)
        results.append(h)
    return anp.stack([*(results[::-1] if reverse else results), c])


@mover("EmbeddingBackward0", lambda ans, table, rows, *how: lambda g: index_add(_counted(g, rows, *how), (rows,), table.shape),
    tensors="weight", others="indices padding_idx scale_grad_by_freq", saves="indices")  # fmt: skip
def embedding(table, rows, padding, by_frequency):
    return table[rows]


def _counted(g, rows, padding, by_frequency):
    """The gradient of each use of a row: none for the row of padding; divided by how often it is used, if requested."""
    if padding is None and not by_frequency:
        return g
    _, where, counts = np.unique(rows, return_inverse=True, return_counts=True)
    share = 1 / counts[where].reshape(rows.shape) if by_frequency else np.ones(rows.shape)
    return g * np.where(rows == padding, 0, share)[..., None].astype(dtype_of(g))
