"""Training loops: `Model`, callbacks, metrics, checkpoints, and data sinking on a simulated device.

`counting()` counts how often host and device meet, so that what sinking saves is a number.
"""

from ...dialects.unsupported import attributes
from ..amp import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager, build_train_network
from ..nn.metrics import Accuracy, Loss, Metric
from . import callback
from .callback import *  # noqa: F403
from .dataset_helper import DatasetHelper, Transfers, connect_network_with_dataset, counting, data_sink
from .model import Model
from .serialization import load_checkpoint, load_param_into_net, save_checkpoint

__all__ = [
    "Accuracy", "DatasetHelper", "DynamicLossScaleManager", "FixedLossScaleManager", "Loss", "LossScaleManager", "Metric",
    "Model", "Transfers", "build_train_network", "callback", "connect_network_with_dataset", "counting", "data_sink",
    "load_checkpoint", "load_param_into_net", "save_checkpoint", *callback.__all__,
]  # fmt: skip

__getattr__ = attributes(__name__)
