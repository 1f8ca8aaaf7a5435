"""Mixed precision: loss scale, overflow, and networks that compute in two-byte floats."""

from ...dialects.unsupported import attributes
from ..ops.reductions import all_finite
from .loss_scale import (
    DynamicLossScaleManager,
    DynamicLossScaler,
    FixedLossScaleManager,
    LossScaleManager,
    LossScaler,
    StaticLossScaler,
)
from .mixed_precision import (
    auto_mixed_precision,
    build_train_network,
    get_black_list,
    get_white_list,
)

__all__ = [
    "DynamicLossScaleManager", "DynamicLossScaler", "FixedLossScaleManager", "LossScaleManager", "LossScaler",
    "StaticLossScaler", "all_finite", "auto_mixed_precision", "build_train_network", "get_black_list",
    "get_white_list",
]  # fmt: skip

__getattr__ = attributes(__name__)
