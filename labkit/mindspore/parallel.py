"""Data parallel training: what a training cell asks of the settings of `set_auto_parallel_context`."""

import sys

from ..dialects.unsupported import attributes
from .context import get_auto_parallel_context


def _get_parallel_mode():
    """The parallel mode, one of `ParallelMode`."""
    return get_auto_parallel_context("parallel_mode")


def _get_gradients_mean():
    """Whether gradients are averaged over the ranks; else they are summed."""
    return get_auto_parallel_context("gradients_mean")


def _get_device_num():
    """The number of ranks: as set, else of the processes that were joined; 1 in the mode stand_alone."""
    return get_auto_parallel_context("device_num")


sys.modules[f"{__name__}._utils"] = _utils = sys.modules[__name__]  # these names are in the real one's `_utils`

__getattr__ = attributes(__name__)
