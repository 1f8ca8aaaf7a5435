"""New tensors, and what ops say about one: its shape, type, rank and size."""

import math
from collections.abc import Callable

import autograd.numpy as anp
import numpy as np

from ... import ops as primitives
from ...engine import cast
from ...engine import stop_gradient as constant
from ...kinds import one_by_one
from ..dtype import as_numpy, bool_, float32, int32, int64
from ..tensor import Tensor, tensor, wrap
from ._op import METHODS, op, register


def _sizes(size):
    if len(size) == 1 and isinstance(size[0], Tensor):
        size = (size[0].tolist(),)
    return tuple(int(n) for n in one_by_one(size))


def ones(*size, dtype=None, shape=()):
    """All ones, of a shape; Float32 by default."""
    return _all(np.ones, size or (shape,), dtype)


def zeros(*size, dtype=None, shape=()):
    """All zeros, of a shape; Float32 by default."""
    return _all(np.zeros, size or (shape,), dtype)


def _all(fill, size, dtype):
    size, dtype = _and_type(size, dtype)
    return wrap(fill(_sizes(size), (dtype or float32).numpy))


def _and_type(size, dtype):
    """`zeros((2, 3), ms.float32)`: the type may stand behind the shape."""
    from ..dtype import DType

    return (size[:-1], size[-1]) if size and isinstance(size[-1], DType) else (size, dtype)


def full(size, fill_value, *, dtype=None):
    """All `fill_value`, a number or 0-d tensor, of a shape: Int64 without a `dtype`, as in MindSpore."""
    dtype = dtype or int64
    if isinstance(fill_value, Tensor):
        kind = as_numpy(dtype)
        return wrap(cast(fill_value._value, kind) * np.ones(_sizes((size,)), kind))
    made = tensor(fill_value, dtype)
    return wrap(filled(_sizes((size,)), made, made.dtype.numpy))


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


def _new(maker, name):
    def method(self, size, dtype=None):
        return maker(size, dtype=dtype or self.dtype)

    method.__name__, method.__doc__ = name, f"{name[4:].title()} of a shape, in this tensor's type."
    METHODS[name] = method


_new(zeros, "new_zeros")
_new(ones, "new_ones")


def eye(n, m=None, dtype=None):
    """Ones on the diagonal of an (n, m) matrix."""
    return wrap(np.eye(n, m, dtype=(dtype or float32).numpy))


def arange(start=0, end=None, step=1, *, dtype=None):
    """Numbers from `start` up to, not including, `end`: Int64 for integers, else Float32."""
    start, end, step = (x.item() if isinstance(x, Tensor) else x for x in (start, end, step))
    start, end = (0, start) if end is None else (start, end)
    whole = all(isinstance(x, int) for x in (start, end, step))
    return wrap(np.arange(start, end, step).astype((dtype or (int64 if whole else float32)).numpy))


def linspace(start, end, steps, *, dtype=None):
    """`steps` numbers at equal distances from `start` to `end`, both included."""
    start, end = (x.item() if isinstance(x, Tensor) else x for x in (start, end))
    return wrap(np.linspace(start, end, steps).astype((dtype or float32).numpy))


def one_hot(indices, depth, on_value=1, off_value=0, axis=-1):
    """`on_value` at the place each index names on a new axis of length `depth`, else `off_value`."""
    hot = anp.expand_dims(constant(indices._value), axis) == _along(np.arange(depth), axis, indices.ndim + 1)
    on, off = tensor(on_value), tensor(off_value)
    return wrap(cast(anp.where(hot, on._value, off._value), on.dtype.numpy))


def _along(numbers, axis, ndim):
    sizes = [1] * ndim
    sizes[axis] = -1
    return numbers.reshape(sizes)


def _normal(*size, dtype=None, seed=None):
    """Samples of the standard normal distribution; `seed` is one besides that of `set_seed`."""
    return _drawn("Normal", "randn", seed, *_and_type(size, dtype))


def _uniform(*size, dtype=None, seed=None):
    """Samples of the uniform distribution on [0, 1); `seed` is one besides that of `set_seed`."""
    return _drawn("Uniform", "rand", seed, *_and_type(size, dtype))


def _drawn(engine, name, own_seed, size, dtype):
    """A tensor of random numbers; a compiled function draws anew whenever it runs."""
    from .. import _engines
    from .._seed import drawn, op_seed

    shape, kind, seed = _sizes(size), (dtype or float32).numpy, op_seed(name, own_seed)
    make = lambda: getattr(_engines, engine)(seed)
    return wrap(drawn(make, lambda engine: engine(math.prod(shape)).reshape(shape).astype(kind), name))


_normal.__name__, _uniform.__name__ = "randn", "rand"
_MAKERS: tuple[Callable, ...] = (ones, zeros, full, eye, arange, linspace, one_hot, _normal, _uniform)
for _maker in _MAKERS:
    register(_maker, method=False)


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


def rank(input_x):
    """The number of axes of a tensor."""
    return input_x.ndim


def size(input_x):
    """The number of elements of a tensor."""
    return input_x.size


def is_tensor(obj):
    """Whether `obj` is a tensor."""
    return isinstance(obj, Tensor)


def depend(value, expr):
    """`value`, once `expr` has been computed: here, as arguments are, it already has."""
    return value


def scalar_to_tensor(input_x, dtype=None):
    """A number as a 0-d tensor; Float32 by default."""
    return Tensor(input_x, dtype or (bool_ if isinstance(input_x, bool) else float32))


def tuple_to_array(input_x):
    """A tuple of numbers as a tensor of one axis: Int32 or Float32, as the first of them is an integer or not."""
    if not isinstance(input_x, tuple) or not input_x or isinstance(input_x[0], Tensor):
        raise TypeError(
            f"tuple_to_array: expected a tuple of at least one number, but got {type(input_x).__name__}. Use `ops.stack`."
        )
    return Tensor(np.array(input_x), int32 if isinstance(input_x[0], int) else float32)


_QUESTIONS: dict[Callable, str | None] = {
    shape: "Shape", dtype: "DType", rank: "Rank", size: "Size", is_tensor: None, depend: "Depend",
    scalar_to_tensor: None, tuple_to_array: None,
}  # fmt: skip
for _question, _primitive in _QUESTIONS.items():
    register(_question, method=False, primitive=_primitive)
