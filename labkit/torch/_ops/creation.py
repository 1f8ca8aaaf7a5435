"""Making tensors: from data, of constants, of ranges."""

from collections.abc import Sequence
from functools import reduce

import numpy as np

from ...dialects.argument_types import of_kind
from ...dialects.provenance import DETACHED
from ...dialects.user_warnings import warn_user
from ...engine import leaves
from .._error_texts import said
from .._tape import grad_mode, tensor_provenance
from .._tensor import dtype as _dtype
from .._tensor.device import check_device
from .._tensor.dtype import DTYPES
from .._tensor.tensor import Tensor
from .dispatch import NUMBERS
from .function_table import function, method
from .shape import flat_sizes


def _inferred(data):
    """The dtype that Python data stand for."""
    if isinstance(data, Tensor):
        return data.dtype
    if isinstance(data, (np.ndarray, np.generic)):
        return _dtype.of_numpy(data.dtype)
    if isinstance(data, NUMBERS):
        return _dtype.of_number(data)
    kinds = [_inferred(d) for d in data]
    return reduce(_dtype.promote_types, kinds) if kinds else _dtype.get_default_dtype()


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
        warn_user(said("copy_construct"))
    return _noted(_made(_array(data, dtype), requires_grad, device), data, "tensor")


def _noted(made, data, op):
    """`made` of `data`, with a note where there were tensors among these, or numbers that came of tensors."""
    tensors = [t for t in leaves(data) if isinstance(t, Tensor)]
    if tensors:
        if tensors[0] is not data and any(t.requires_grad for t in tensors):
            warn_user(said("scalar_of_grad"))
        return tensor_provenance.aside(made, op, tensors, DETACHED, grad_mode.grad_enabled())
    return tensor_provenance.entered(made, data, op)


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
    if not ndarray.flags.writeable:
        warn_user(said("not_writable"))
    return tensor_provenance.entered(Tensor._of(ndarray), ndarray, "from_numpy")


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


def _filled(make, size, dtype, device, requires_grad):
    return _made(make(_sizes(size), (dtype or _dtype.get_default_dtype()).np), requires_grad, device)


def _sizes(size):
    shape = flat_sizes(size)
    if any(n < 0 for n in shape):
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}")
    return shape


@function()
def zeros(*size, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """Zeros of the given size: integers, or one tuple of them, `()` for a 0-d tensor; in the default dtype without a `dtype`.

    Raises RuntimeError for a negative size.

    >>> import labkit.torch as torch
    >>> torch.zeros(2, 3, dtype=torch.float64)
    tensor([[0., 0., 0.],
            [0., 0., 0.]], dtype=torch.float64)
    """
    if any(n < 0 for n in flat_sizes(size)):
        raise RuntimeError("zeros: Dimension size must be non-negative.")
    return _filled(np.zeros, size, dtype, device, requires_grad)


@function()
def ones(*size, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """Ones of the given size: integers, or one tuple of them; see `zeros`.

    >>> import labkit.torch as torch
    >>> torch.ones(2).dtype, torch.ones((2, 3)).shape
    (torch.float32, torch.Size([2, 3]))
    """
    return _filled(np.ones, size, dtype, device, requires_grad)


@function()
def empty(*size, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """A tensor of the given size whose elements are not set: here they are 0; see `zeros`."""
    return _filled(np.zeros, size, dtype, device, requires_grad)


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
    def fun(input, *more, dtype=None, device=None, requires_grad=False, **kwargs):
        return _made(make(tuple(input.shape), (dtype or input.dtype).np, *more, **kwargs), requires_grad, device)

    fun.__name__, fun.__doc__ = f"{name}_like", f"`{name}` with the shape and dtype of `input`."
    return fun


LIKE = {"zeros": np.zeros, "ones": np.ones, "empty": np.zeros,
    "full": lambda shape, dtype, fill_value: np.full(shape, fill_value, dtype)}  # fmt: skip
for _name, _make in LIKE.items():
    function(f"{_name}_like")(_like(_name, _make))

zeros_like, ones_like = _like("zeros", np.zeros), _like("ones", np.ones)


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
    return _made(np.linspace(start, end, steps).astype(dtype.np), requires_grad, device)


@function()
def FloatTensor(data):
    """A tensor of float32, as older code writes it: `torch.tensor(data, dtype=torch.float32)`."""
    return tensor(data, dtype=DTYPES["float32"])


@function()
def LongTensor(data):
    """A tensor of int64, as older code writes it: `torch.tensor(data, dtype=torch.int64)`."""
    return tensor(data, dtype=DTYPES["int64"])
