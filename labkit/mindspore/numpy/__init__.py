"""`mindspore.numpy`: a few of NumPy's functions, with tensors and with derivatives.

>>> import labkit.mindspore as ms
>>> ms.grad(ms.numpy.sum)(ms.numpy.array([1.0, 2.0]))
Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  1.00000000e+00])
"""

import math

import autograd.numpy as anp
import numpy as np

from ...dialects.unsupported import attributes
from ...engine import cast
from .. import ops
from ..common.dtype import as_numpy, float32, float64, int32, int64
from ..common.seed import NormalEngine, UniformEngine, get_seed
from ..common.tensor import Tensor, tensor, wrap
from ..ops.creation import sampled
from ..ops.op_table import floating, numbers_in

__all__ = [
    "arange", "array", "dot", "float32", "float64", "int32", "int64", "pi", "randint", "randn", "stack", "sum", "tanh",
]  # fmt: skip

pi = math.pi
_RANDINT = "For 'randint', expected low < high, but got low {low} and high {high}."


def array(obj, dtype=None, copy=True, ndmin=0) -> Tensor:
    """A tensor of numbers, nested lists, arrays or tensors: Int32 or Float32 unless `dtype` says otherwise.

    >>> array([1, 2]).dtype, array([1.0, 2]).dtype
    (mindspore.int32, mindspore.float32)
    """
    given = isinstance(obj, (Tensor, np.ndarray))
    made = tensor(obj if given else list(obj) if isinstance(obj, (tuple, range)) else obj)
    value = made._value
    if dtype is not None:
        value = cast(value, as_numpy(dtype))
    elif not given:
        value = _narrowed(value)
    return wrap(anp.reshape(value, (1,) * (ndmin - len(made.shape)) + made.shape) if ndmin > len(made.shape) else value)


def _narrowed(value):
    """Int64 as Int32, Float64 as Float32."""
    narrow = {np.dtype(np.int64): np.int32, np.dtype(np.float64): np.float32}.get(value.dtype)
    return value if narrow is None else cast(value, narrow)


def arange(start, stop=None, step=None, dtype=None) -> Tensor:
    """Numbers from `start` up to, not including, `stop`: Int32 or Float32 unless `dtype` says otherwise."""
    start, stop = (0, start) if stop is None else (start, stop)
    return array(np.arange(start, stop, 1 if step is None else step).tolist(), dtype)


def dot(a, b) -> Tensor:
    """The sum of products over the last axis of `a` and the last but one of `b`."""
    return wrap(anp.dot(array(a)._value, array(b)._value))


def stack(arrays, axis=0) -> Tensor:
    """Tensors side by side along a new axis."""
    return wrap(anp.stack([array(a)._value for a in arrays], axis))


def sum(a, axis=None, dtype=None, keepdims=False, initial=None) -> Tensor:
    """The sum of all elements or along `axis`, plus `initial`; of integers in Int64."""
    total = ops.sum(array(a), axis, keepdims, dtype=dtype)
    return total if initial is None else total + initial


def tanh(x, dtype=None) -> Tensor:
    """The hyperbolic tangent, in Float32 for integers."""
    found = ops.tanh(wrap(floating(array(x)._value)))
    return found if dtype is None else found.astype(dtype)


def randn(*shape, dtype=float32) -> Tensor:
    """Samples of the standard normal distribution, of a shape."""
    return sampled(NormalEngine, "StandardNormal", get_seed(), numbers_in(shape), lambda draw, n: draw(n)).astype(dtype)


def randint(minval, maxval=None, shape=None, dtype=int32) -> Tensor:
    """Integers in [minval, maxval), or in [0, minval), of a shape; Int32 by default. Raises ValueError for an empty range."""
    low, high = (0, minval) if maxval is None else (minval, maxval)
    if not low < high:
        raise ValueError(_RANDINT.format(low=low, high=high))
    draw = lambda engine, count: (low + engine.integers(high - low, count)).astype(dtype.numpy)
    return sampled(UniformEngine, "UniformInt", get_seed(), numbers_in(((1,) if shape is None else shape,)), draw)


__getattr__ = attributes(__name__)
