"""Making tensors: from data, of constants, of ranges."""

import warnings
from collections.abc import Sequence
from functools import wraps

import numpy as np

from ..engine import leaves
from ..kinds import of_kind, one_by_one
from ..trails import DETACHED
from . import _dtype, _modes, _trail
from ._device import check_device
from ._dispatch import NUMBERS
from ._dtype import DTYPES
from ._memory_format import as_lies, in_order, preserve_format
from ._shaping import flat_sizes
from ._table import METHODS, by_name, function, method
from ._tensor import Tensor

COPY_CONSTRUCT = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor)."
)


def _inferred(data):
    """The dtype that Python data stand for."""
    if isinstance(data, Tensor):
        return data.dtype
    if isinstance(data, (np.ndarray, np.generic)):
        return _dtype.of_numpy(data.dtype)
    if isinstance(data, NUMBERS):
        return _dtype.of_number(data)
    kinds = [_inferred(d) for d in data]
    found = None
    for kind in kinds:
        found = kind if found is None else _dtype.promote_types(found, kind)
    return found or _dtype.get_default_dtype()


def _without_tensors(data):
    if isinstance(data, Tensor):
        return data.detach()._array
    if isinstance(data, (list, tuple)):
        return [_without_tensors(d) for d in data]
    return data


def _array(data, dtype):
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes, list, tuple)):
        data = list(data)
    if isinstance(data, str) or not isinstance(data, (Tensor, np.ndarray, np.generic, list, tuple, *NUMBERS)):
        raise (RuntimeError if data is None else TypeError)(_unknown(data))
    _check_regular(data, 0)
    dtype = dtype or _inferred(data)
    return np.array(_without_tensors(data), dtype=dtype.np)


def _unknown(data):
    if isinstance(data, str):
        return f"new(): invalid data type '{type(data).__name__}'"
    return f"Could not infer dtype of {type(data).__name__}"


def _check_regular(data, depth):
    """Nested lists must be of equal lengths; torch's ValueError otherwise."""
    if not isinstance(data, (list, tuple)) or not data:
        return
    for row in data:
        if isinstance(row, str) or not isinstance(row, (Tensor, np.ndarray, np.generic, list, tuple, *NUMBERS)):
            raise TypeError(_unknown(row) if isinstance(row, str) else f"must be real number, not {type(row).__name__}")
        if isinstance(row, (list, tuple)) != isinstance(data[0], (list, tuple)):
            raise TypeError(f"expected sequence at dim {depth + 1}")
        if isinstance(row, (list, tuple)) and len(row) != len(data[0]):
            raise ValueError(f"expected sequence of length {len(data[0])} at dim {depth + 1} (got {len(row)})")
        _check_regular(row, depth + 1)


def _made(array, requires_grad=False, device_=None):
    check_device(device_)
    made = Tensor._of(array)
    if requires_grad:
        if not made.dtype.is_floating_point:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        made._requires = True
    return made


@function()
def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """A tensor with a copy of `data`: numbers, nested lists, a NumPy array, another tensor.

    Floats give the default dtype (float32), ints int64. `requires_grad=True` makes it a leaf to differentiate by.

    >>> import labkit.torch as torch
    >>> torch.tensor([1.0, 2.0], requires_grad=True)
    tensor([1., 2.], requires_grad=True)
    """
    if isinstance(data, Tensor):
        warnings.warn(COPY_CONSTRUCT, UserWarning, stacklevel=2)
    return _noted(_made(_array(data, dtype), requires_grad, device), data, "tensor")


def _noted(made, data, op):
    """`made` of `data`, with a note where there were tensors among these, or numbers that came of tensors."""
    tensors = [t for t in leaves(data) if isinstance(t, Tensor)]
    if tensors:
        return _trail.aside(made, op, tensors, DETACHED, _modes.grad_enabled())
    return _trail.entered(made, data, op)


@function()
def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=None):
    """`obj` as a tensor, sharing memory where the dtype allows, unless `copy`; without `requires_grad` it stays on its tape."""
    made = as_tensor(obj, dtype, device)
    made = METHODS["clone"](made) if copy else made
    return (
        made
        if requires_grad is None or requires_grad is made.requires_grad
        else made.detach().requires_grad_(requires_grad)
    )


@function()
def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    """A tensor that shares the memory of a buffer, such as a bytearray: `count` elements, from the byte `offset` on."""
    return _made(np.frombuffer(buffer, dtype.np, count, offset), requires_grad)


@function()
def as_tensor(data, dtype=None, device=None):
    """`data` as a tensor, sharing memory with an array or tensor where the dtype allows."""
    check_device(device)
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    if isinstance(data, np.ndarray) and (dtype is None or dtype.np == data.dtype):
        return from_numpy(data)
    return tensor(data, dtype=dtype, device=device)


@function()
def from_numpy(ndarray):
    """A tensor that shares the memory of a NumPy array."""
    of_kind(ndarray, np.ndarray, "expected np.ndarray (got {kind})")
    _dtype.of_numpy(ndarray.dtype)
    return _trail.entered(Tensor._of(ndarray), ndarray, "from_numpy")


@function()
def scalar_tensor(value, *, dtype=None):
    """A tensor of shape `()`; the default dtype unless `dtype` says otherwise."""
    return tensor(value, dtype=dtype or _dtype.get_default_dtype())


def legacy(data):
    """The array of `torch.Tensor(...)`: sizes make an uninitialised tensor, a list its values, in float32."""
    kind = _dtype.get_default_dtype()
    if len(data) == 1 and isinstance(data[0], Tensor):
        return data[0]._array
    if len(data) == 1 and isinstance(data[0], (list, tuple, np.ndarray)):
        return _array(data[0], kind)
    return np.zeros(tuple(int(n) for n in data) if data else (0,), kind.np)


@method("__init__")
def _initialise(self, *data, dtype=None):
    self._set_up(legacy(data))
    _noted(self, data, "Tensor")


# ---- constants ----


_FILLED = """A tensor of the given size: {name}. The size is integers, or one tuple of them, `()` for a 0-d tensor.

In the default dtype unless `dtype` is given. Raises RuntimeError for a negative size.

>>> import labkit.torch as torch
>>> x = torch.{name}(2, 3, dtype=torch.float64)
>>> x.shape, x.dtype
(torch.Size([2, 3]), torch.float64)
"""


def _filled(name, make):
    def fun(*sizes, size=None, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
        size = sizes if size is None else (size,)
        if name == "zeros" and any(n < 0 for n in flat_sizes(size)):
            raise RuntimeError("zeros: Dimension size must be non-negative.")
        return _made(make(_sizes(size), (dtype or _dtype.get_default_dtype()).np), requires_grad, device)

    fun.__name__, fun.__doc__ = name, _FILLED.format(name=name)
    return fun


def _sizes(size):
    shape = flat_sizes(size)
    if any(n < 0 for n in shape):
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}")
    return shape


zeros = function("zeros")(_filled("zeros", np.zeros))
ones = function("ones")(_filled("ones", np.ones))
_empty = _filled("empty", np.zeros)


@function()
@wraps(_empty)
def empty(*sizes, memory_format=None, **how):
    made = _empty(*sizes, **how)
    if memory_format is not None:
        made._data = in_order(made._data, memory_format.order(made._data))
    return made


@function()
def full(size, fill_value, *, dtype=None, device=None, requires_grad=False):
    """A tensor of `size` filled with `fill_value`."""
    fill_value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    of_kind(fill_value, NUMBERS, "full(): argument 'fill_value' (position 2) must be Number, not {kind}")
    return _made(np.full(tuple(size), fill_value, (dtype or _dtype.of_number(fill_value)).np), requires_grad, device)


@function()
def eye(n, m=None, *, dtype=None, device=None, requires_grad=False):
    """The identity matrix."""
    return _made(np.eye(n, m, dtype=(dtype or _dtype.get_default_dtype()).np), requires_grad, device)


def _like(name, make):
    def fun(input, *more, dtype=None, device=None, requires_grad=False, memory_format=None, **kwargs):
        array = make(tuple(input.shape), (dtype or input.dtype).np, *more, **kwargs)
        if memory_format in (None, preserve_format):
            array = as_lies(array, input._array)
        else:
            array = in_order(array, memory_format.order(array))
        return _made(array, requires_grad, device)

    fun.__name__, fun.__doc__ = f"{name}_like", f"`{name}` with the shape and dtype of `input`."
    return fun


LIKE = {
    "zeros": np.zeros,
    "ones": np.ones,
    "empty": np.zeros,
    "full": lambda shape, dtype, fill_value: np.full(shape, fill_value, dtype),
}
for _name, _make in LIKE.items():
    function(f"{_name}_like")(_like(_name, _make))

zeros_like, ones_like = _like("zeros", np.zeros), _like("ones", np.ones)


def _new(make):
    def fun(self, *size, dtype=None, device=None, requires_grad=False):
        return _made(make(_sizes(size), (dtype or self.dtype).np), requires_grad, device)

    return fun


METHODS.update({f"new_{_name}": by_name(_new(LIKE[_name])) for _name in ("zeros", "ones", "empty")})


@method()
def new_full(self, size, fill_value, *, dtype=None, device=None, requires_grad=False):
    return _made(np.full(tuple(size), fill_value, (dtype or self.dtype).np), requires_grad, device)


@method()
def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False):
    return tensor(data, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)


# ---- ranges ----


@function()
def arange(start, end=None, step=1, *, dtype=None, device=None, requires_grad=False):
    """Numbers from `start` (0 if one number is given) below `end`, by `step`: int64, or float32 if one of them is a float.

    >>> import labkit.torch as torch
    >>> torch.arange(3), torch.arange(1.0, 2.0, 0.5)
    (tensor([0, 1, 2]), tensor([1.0000, 1.5000]))
    """
    start, end = (0, start) if end is None else (start, end)
    numbers = [v.item() if isinstance(v, Tensor) else v for v in (start, end, step)]
    if (numbers[1] - numbers[0]) * numbers[2] < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    whole = all(isinstance(v, (int, np.integer)) for v in numbers)
    dtype = dtype or (DTYPES["int64"] if whole else _dtype.get_default_dtype())
    return _made(np.arange(*numbers, dtype=None if whole else np.float64).astype(dtype.np), requires_grad, device)


@function()
def linspace(start, end, steps, *, dtype=None, device=None, requires_grad=False):
    """`steps` numbers from `start` to `end`, both included."""
    dtype = dtype or _dtype.get_default_dtype()
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    return _made(np.linspace(start, end, steps).astype(dtype.np), requires_grad, device)


@function()
def logspace(start, end, steps, base=10.0, *, dtype=None, requires_grad=False):
    """Powers of `base` with exponents from `start` to `end`."""
    dtype = dtype or _dtype.get_default_dtype()
    return _made((base ** np.linspace(start, end, steps)).astype(dtype.np), requires_grad)


@function()
def meshgrid(*tensors, indexing="ij"):
    """Coordinate grids of the given vectors."""
    given = one_by_one(tensors)
    order = [1, 0, *range(2, len(given))] if indexing == "xy" and len(given) > 1 else range(len(given))
    sizes = [given[i].numel() for i in order]
    return tuple(x.view([-1 if i == axis else 1 for i in order]).expand(sizes) for axis, x in enumerate(given))
