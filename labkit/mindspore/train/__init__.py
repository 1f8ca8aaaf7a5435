"""Training loops: `Model`, callbacks, metrics, checkpoints, and data sinking on a simulated device.

`counting()` counts how often host and device meet, so that what sinking saves is a number.
"""

from ...aliases import attributes
from ..amp import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager, build_train_network
from ..nn import metrics
from ..nn.metrics import *  # noqa: F403
from ..nn.metrics import __all__ as _metrics
from ..nn.more_metrics import *  # noqa: F403
from ..nn.more_metrics import __all__ as _more_metrics
from . import callback
from .callback import *  # noqa: F403
from .callback import __all__ as _callbacks
from .data_sink import data_sink
from .dataset_helper import DatasetHelper, connect_network_with_dataset
from .model import Model
from .serialization import load_checkpoint, load_param_into_net, save_checkpoint
from .transfers import Transfers, counting

__all__ = [
    "DatasetHelper", "DynamicLossScaleManager", "FixedLossScaleManager", "LossScaleManager", "Model", "Transfers",
    "build_train_network", "callback", "connect_network_with_dataset", "counting", "data_sink", "load_checkpoint",
    "load_param_into_net", "metrics", "save_checkpoint", *_callbacks, *_metrics, *_more_metrics,
]  # fmt: skip

__getattr__ = attributes(__name__)
