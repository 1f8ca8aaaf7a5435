"""Products of matrices and vectors."""

import autograd.numpy as anp
import numpy as np

from ... import ops as primitives
from ...engine import cast, getval, quietly, shape_of
from ..common.dtype import in_dtype, of
from ..common.tensor import wrap
from . import kernels
from .op_table import register, value_of


def _same_type(x, y, operator="MatMulExt"):
    a, b = value_of(x, operator), value_of(y, operator)
    if a.dtype != b.dtype:
        raise TypeError(
            f"For '{operator}', the type of 'x2' should be same as 'x1', but got 'x1' with type Tensor[{of(a.dtype)}] "
            f"and 'x2' with type Tensor[{of(b.dtype)}].\n"
        )
    return a, b


def matmul_values(a, b):
    """The matrix product of two arrays of one type. Raises ValueError where the inner lengths differ."""
    try:
        with np.errstate(all="ignore"):
            return in_dtype(anp.matmul(_wide(a), _wide(b)), a.dtype)
    except ValueError:
        raise _mismatch(np.shape(getval(a)), np.shape(getval(b))) from None


def dense_values(x, weight):
    """`x @ weight.T` of arrays, x of two axes. Raises ValueError where the inner lengths differ."""
    try:
        return quietly(in_dtype, quietly(kernels.dense, _wide(x), _wide(weight)), x.dtype)
    except ValueError:
        raise _mismatch(shape_of(x), shape_of(weight)[::-1]) from None


def _wide(value):
    """Half precision as float32: products add up in float32, as in the real kernels, and are rounded once."""
    return cast(value, np.float32) if primitives.two_bytes(value.dtype) else value


def _mismatch(a, b):
    if not a or not b:
        return ValueError(f"For 'MatMul', expected tensors with at least one axis, but got shapes {a} and {b}.\n")
    columns, rows = a[-1], b[-2] if len(b) > 1 else b[0]
    if columns == rows:
        return ValueError(f"For 'MatMul', expected batch axes that broadcast, but got shapes {a} and {b}.\n")
    return ValueError(
        f"For 'MatMul' the input dimensions must be equal, but got 'x1_col': {columns} and 'x2_row': {rows}.\n"
    )


def matmul(input, other):
    """The matrix product, of vectors, matrices, or stacks of matrices; both of one type."""
    return wrap(matmul_values(*_same_type(input, other)))


def dense(input, weight, bias=None):
    """`input @ weight.T + bias`: input (..., in), weight (out, in), bias (out,), all of one type, else raises TypeError."""
    value, weight = _same_type(input, weight, "MatMul")
    shape = shape_of(value)
    out = dense_values(value if len(shape) == 2 else anp.reshape(value, (-1, shape[-1])), weight)
    out = out if bias is None else quietly(anp.add, out, bias._value)
    return wrap(out if len(shape) == 2 else anp.reshape(out, (*shape[:-1], shape_of(weight)[0])))


def dot(input, other):
    """The sums of products along the last axis of `input` and the last but one of `other`: shape (..., *..., m)."""
    if input.ndim < 2 or other.ndim < 2:
        shapes = f"but got 'len(x1_shape)': ({input.ndim}) and 'len(x2_shape)': ({other.ndim})"
        raise ValueError(f"For 'dot', the inputs x1, x2 should have 'dimension >= 2', {shapes}.")
    if input.ndim > 2 or other.ndim > 2:
        return wrap(anp.dot(*_same_type(input, other)))
    return matmul(input, other)


def tensor_dot(x1, x2, axes):
    """The product summed over `axes` of both."""
    return wrap(anp.tensordot(*_same_type(x1, x2), axes=axes))


register(matmul)
register(dense, method=False, primitive="Dense")
register(dot)
register(tensor_dot, method=False)
