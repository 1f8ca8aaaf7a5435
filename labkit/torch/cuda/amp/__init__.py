"""`torch.cuda.amp`: older names of `torch.autocast("cuda")` and `torch.amp.GradScaler("cuda")`, idle without a GPU."""

from collections.abc import Callable
from warnings import warn

from ....aliases import attributes
from ..._autocast import autocast as _autocast
from ..._dtype import DTYPES
from ...amp import GradScaler as _GradScaler
from ...amp import custom_bwd as _custom_bwd
from ...amp import custom_fwd as _custom_fwd

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


class autocast(_autocast):
    """`torch.autocast("cuda", ...)`: without a GPU it warns, and casts nothing.

    >>> import labkit.torch as torch
    >>> with torch.cuda.amp.autocast(enabled=False):
    ...     print(torch.ones(1).dtype)
    torch.float32
    """

    def __init__(self, enabled=True, dtype=DTYPES["float16"], cache_enabled=True):
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(_GradScaler):
    """`torch.amp.GradScaler("cuda", ...)`: without a GPU it warns, and scales nothing."""

    def __init__(self, init_scale=2.0**16, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True):
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def custom_fwd(fwd=None, *, cast_inputs=None) -> Callable:
    """`torch.amp.custom_fwd(..., device_type="cuda")`, with a warning that it stands there now."""
    _warn_of("custom_fwd")
    return _custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd) -> Callable:
    """`torch.amp.custom_bwd(..., device_type="cuda")`, with a warning that it stands there now."""
    _warn_of("custom_bwd")
    return _custom_bwd(bwd, device_type="cuda")


def _warn_of(name):
    text = f"`torch.cuda.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}(args..., device_type='cuda')` instead."
    warn(text, FutureWarning, stacklevel=3)


__getattr__ = attributes(__name__)
