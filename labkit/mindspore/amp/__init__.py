"""Mixed precision: loss scale, overflow, and networks that compute in two-byte floats."""

from ...aliases import attributes
from .._scaler import DynamicLossScaler, LossScaler, StaticLossScaler, all_finite
from ._manager import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager
from ._mixed import auto_mixed_precision, build_train_network, custom_mixed_precision, get_black_list, get_white_list

__all__ = [
    "DynamicLossScaleManager", "DynamicLossScaler", "FixedLossScaleManager", "LossScaleManager", "LossScaler",
    "StaticLossScaler", "all_finite", "auto_mixed_precision", "build_train_network", "custom_mixed_precision", "get_black_list",
    "get_white_list",
]  # fmt: skip

__getattr__ = attributes(__name__)
