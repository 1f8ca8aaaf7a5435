"""Data parallel training: what a training cell reads from `set_auto_parallel_context`."""

import sys
from functools import partial

from ..dialects.unsupported import attributes
from .context import get_auto_parallel_context

_get_parallel_mode, _get_gradients_mean, _get_device_num = (
    partial(get_auto_parallel_context, name) for name in ("parallel_mode", "gradients_mean", "device_num")
)
sys.modules[f"{__name__}._utils"] = _utils = sys.modules[__name__]  # these names are in the real one's `_utils`

__getattr__ = attributes(__name__)
