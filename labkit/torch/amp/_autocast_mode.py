"""`autocast`: inside it, products compute in a two-byte float and losses in float32, whatever they are given."""

import warnings
from functools import wraps
from typing import Any

from ...dialects.class_paths import Placed
from ...engine import PerThread
from .._error_texts import said
from .._tensor.device import TYPES
from .._tensor.dtype import DTYPES
from .._tensor.tensor import Tensor


class _State(PerThread):
    """This thread's settings: `dtype` is the float of products, None outside autocast; `shown` the last one chosen."""

    dtype: Any = None  # a dtype of labkit.torch, while it is on
    shown = "bfloat16"


_state = _State()


class autocast(metaclass=Placed):
    """A context manager and decorator: matrix products, convolutions and linear layers inside compute in `dtype` (bfloat16
    unless given), losses in float32; other ops in what they are given. Only float32 and two-byte floats are cast.

    The backward pass belongs outside: its ops take the types of the forward ones. Raises RuntimeError for an unknown
    device; for a device that is not there, or another type, it warns and does nothing.

    >>> import labkit.torch as torch
    >>> x = torch.ones(2, 2)
    >>> with torch.autocast("cpu", dtype=torch.float16):
    ...     print((x @ x).dtype, (x * x).dtype)
    torch.float16 torch.float32
    """

    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if device_type not in TYPES.split(", "):
            raise RuntimeError(f"Expected one of {TYPES} device type at start of device string: {device_type}")
        self.device, self.fast_dtype, self._before = device_type, dtype or DTYPES["bfloat16"], []
        if enabled and device_type != "cpu":
            warnings.warn("CUDA is not available or torch_xla is imported. Disabling autocast.", stacklevel=2)
            enabled = False
        if enabled and self.fast_dtype not in (DTYPES["bfloat16"], DTYPES["float16"]):
            warnings.warn(said("autocast_dtype"), stacklevel=2)
            enabled = False
        self._enabled = bool(enabled)

    def __enter__(self):
        self._before.append((_state.dtype, _state.shown))
        if self.device == "cpu":
            _state.dtype = self.fast_dtype if self._enabled else None
            _state.shown = self.fast_dtype.name if self._enabled else _state.shown
        return self

    def __exit__(self, *exc):
        _state.dtype, _state.shown = self._before.pop()

    def __call__(self, fun):
        @wraps(fun)
        def wrapped(*args, **kwargs):
            with autocast(self.device, self.fast_dtype, self._enabled):
                return fun(*args, **kwargs)

        return wrapped


def is_autocast_enabled(device_type="cpu"):
    """Whether ops are cast in this thread now."""
    return device_type == "cpu" and _state.dtype is not None


def get_autocast_dtype(device_type="cpu"):
    """The type in which products compute inside autocast."""
    return DTYPES[_state.shown]


def cast(value, dtype) -> Any:
    """Tensors of float32 and two-byte floats, also in tuples and lists, in `dtype`; all else as it is."""
    if isinstance(value, (tuple, list)):
        return type(value)(cast(v, dtype) for v in value)
    if not isinstance(value, Tensor) or not value.dtype.is_floating_point or value.dtype is DTYPES["float64"]:
        return value
    return value if value.dtype is dtype else value.to(dtype)


def _casting(fun, dtype):
    """`fun` whose tensors are cast to `dtype()` while autocast is on."""

    @wraps(fun)
    def casting(*args, **kwargs):
        if _state.dtype is None:
            return fun(*args, **kwargs)
        to = dtype()
        values, options = [cast(a, to) for a in args], {k: cast(a, to) for k, a in kwargs.items()}
        with autocast("cpu", enabled=False):
            return fun(*values, **options)

    return casting


def lowered(fun):
    """Declare an op as one that computes in the two-byte float inside autocast."""
    return _casting(fun, lambda: _state.dtype)


def widened(fun):
    """Declare an op as one that computes in float32 inside autocast."""
    return _casting(fun, lambda: DTYPES["float32"])
