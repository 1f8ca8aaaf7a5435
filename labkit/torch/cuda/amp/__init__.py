"""`torch.cuda.amp`: older names of `torch.autocast("cuda")` and `torch.amp.GradScaler("cuda")`, idle without a GPU."""

from ....dialects.unsupported import attributes
from ....dialects.user_warnings import warn_user
from ..._error_texts import said
from ..._tensor.dtype import DTYPES
from ...amp import GradScaler as _GradScaler
from ...amp._autocast_mode import autocast as _autocast

__all__ = ["GradScaler", "autocast"]


class autocast(_autocast):
    """`torch.autocast("cuda", ...)`: without a GPU it warns, and casts nothing."""

    def __init__(self, enabled=True, dtype=DTYPES["float16"], cache_enabled=True):
        warn_user(said("cuda_amp", name="autocast"), FutureWarning)
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(_GradScaler):
    """`torch.amp.GradScaler("cuda", ...)`: without a GPU it warns, and scales nothing."""

    def __init__(self, init_scale=2.0**16, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True):
        warn_user(said("cuda_amp", name="GradScaler"), FutureWarning)
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


__getattr__ = attributes(__name__)
