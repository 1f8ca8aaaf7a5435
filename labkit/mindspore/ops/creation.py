"""New tensors, and ops that return a tensor's shape, type, rank and size."""

import math

import numpy as np

from ... import ops as primitives
from ...engine import cast
from ...engine import stop_gradient as constant
from ..common.dtype import DType, as_numpy, float32, int64
from ..common.seed import Kept, NormalEngine, UniformEngine, drawn, op_seed
from ..common.tensor import Tensor, tensor, wrap
from .op_table import numbers_in, op, register, value_of


def ones(*size, dtype=None, shape=()):
    """All ones, of a shape; Float32 by default."""
    return _all(np.ones, size or (shape,), dtype)


def zeros(*size, dtype=None, shape=()):
    """All zeros, of a shape; Float32 by default."""
    return _all(np.zeros, size or (shape,), dtype)


def _all(fill, size, dtype):
    size, dtype = _and_type(size, dtype)
    return wrap(fill(numbers_in(size), (dtype or float32).numpy))


def _and_type(size, dtype):
    """`zeros((2, 3), ms.float32)`: the type may follow the shape."""
    return (size[:-1], size[-1]) if size and isinstance(size[-1], DType) else (size, dtype)


def full(size, fill_value, *, dtype=None):
    """All `fill_value`, a number or 0-d tensor, of a shape: Int64 without a `dtype`, as in MindSpore."""
    dtype = dtype or int64
    if isinstance(fill_value, Tensor):
        kind = as_numpy(dtype)
        return wrap(cast(fill_value._value, kind) * np.ones(numbers_in((size,)), kind))
    made = tensor(fill_value, dtype)
    return wrap(filled(numbers_in((size,)), made, made.dtype.numpy))


def filled(shape, value, dtype):
    """An array of a shape, all `value`, a number or tensor; a constant to derivatives."""
    if isinstance(value, Tensor):
        return primitives.expand(cast(constant(value._value), dtype), shape)
    return np.full(shape, value, dtype)


@op(method=False, primitive="ZerosLike")
def zeros_like(input, *, dtype=None):
    """Zeros of the same shape and type.

    `dtype` gives another type. A constant: nothing flows back to `input`.

    >>> import labkit.mindspore as ms
    >>> ms.ops.zeros_like(ms.Tensor([[1, 2]]), dtype=ms.float16).asnumpy()
    array([[0., 0.]], dtype=float16)
    """
    return np.zeros(input.shape, dtype.numpy if dtype else input.dtype)


@op(method=False, primitive="OnesLike")
def ones_like(input, *, dtype=None):
    """Ones of the same shape and type.

    `dtype` gives another type. A constant: nothing flows back to `input`.

    >>> import labkit.mindspore as ms
    >>> ms.ops.ones_like(ms.Tensor([[1, 2]]), dtype=ms.float16).asnumpy()
    array([[1., 1.]], dtype=float16)
    """
    return np.ones(input.shape, dtype.numpy if dtype else input.dtype)


@op(method=False)
def full_like(input, fill_value, *, dtype=None):
    """All `fill_value`, of the same shape and type."""
    return filled(input.shape, fill_value, dtype.numpy if dtype else input.dtype)


def eye(n, m=None, dtype=None):
    """Ones on the diagonal of an (n, m) matrix."""
    return wrap(np.eye(n, m, dtype=(dtype or float32).numpy))


def arange(start=0, end=None, step=1, *, dtype=None):
    """Numbers from `start` up to, not including, `end`: Int64 for integers, else Float32."""
    start, end, step = (x.item() if isinstance(x, Tensor) else x for x in (start, end, step))
    start, end = (0, start) if end is None else (start, end)
    whole = all(isinstance(x, int) for x in (start, end, step))
    return wrap(np.arange(start, end, step).astype((dtype or (int64 if whole else float32)).numpy))


def _normal(*size, dtype=None, seed=None):
    """Samples of the standard normal distribution; `seed` is independent of that of `set_seed`."""
    return _drawn(NormalEngine, "randn", seed, *_and_type(size, dtype))


def _uniform(*size, dtype=None, seed=None):
    """Samples of the uniform distribution on [0, 1); `seed` is independent of that of `set_seed`."""
    return _drawn(UniformEngine, "rand", seed, *_and_type(size, dtype))


def _drawn(engine, name, own_seed, size, dtype):
    kind = (dtype or float32).numpy
    return sampled(engine, name, own_seed, numbers_in(size), lambda engine, count: engine(count).astype(kind))


def sampled(engine, name, seed, shape, draw):
    """The tensor of `draw(engine, count)`, an array, of a random op `name`; a compiled function draws again at each run."""
    mixed = op_seed(name, seed)
    return wrap(drawn(lambda: engine(mixed), lambda engine: draw(engine, math.prod(shape)).reshape(shape), name))


def shape(input_x):
    """The shape of a tensor, a tuple."""
    return input_x.shape


def dtype(input_x):
    """The type of a tensor's elements, such as `ms.float32`.

    >>> import labkit.mindspore as ms
    >>> ms.ops.dtype(ms.Tensor([1, 2]))
    mindspore.int64
    """
    return input_x.dtype


def depend(value, expr):
    """`value`, once `expr` has been computed: here, as arguments are, it already has."""
    return value


def fill(type, shape, value):
    """All `value`, of a type and shape."""
    return full(shape, value, dtype=type)


def dropout(input, p=0.5, training=True, seed=None):
    """Each element 0 with probability `p`, else divided by 1 - p; `input` itself unless `training`.

    A compiled function leaves out other elements whenever it runs. `seed` is independent of that of `set_seed`. Raises
    RuntimeError for `p` outside [0, 1).
    """
    value = value_of(input, "Dropout")
    if not 0 <= p < 1:
        raise RuntimeError(f"For 'Dropout, the 'keep_prob' must be in (0.0, 1.0], but got {1 - p:g}")
    if not training:
        return input
    return dropped(input, value, p, op_seed("dropout", seed))


def dropped(input, value, p, seed, engines=None):
    """`value`, that of `input`, with elements left out; a layer goes on with its `engines`, one for every size and type."""
    if p == 0:
        return input
    shape, dtype = input.shape, value.dtype
    scale = (1 / np.float32(1 - p)).astype(dtype)
    draw = lambda engine: engine(math.prod(shape), 1 - p).reshape(shape).astype(dtype) * scale
    mask = drawn(lambda: Kept(seed), draw, "kept", engines, (shape, dtype))
    with np.errstate(all="ignore"):
        return wrap(value * mask)


for _fun, _primitive in {
    **dict.fromkeys((ones, zeros, full, eye, arange, fill, dropout)), shape: "Shape", dtype: "DType", depend: "Depend"
}.items():  # fmt: skip
    register(_fun, method=False, primitive=_primitive)
register(_normal, "randn", method=False)
register(_uniform, "rand", method=False)
