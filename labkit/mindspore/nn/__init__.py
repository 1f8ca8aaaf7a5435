"""Cells, layers, losses, optimizers and training steps."""

from ...dialects.unsupported import attributes
from . import layers, learning_rate, loss_scale, losses, normalization, training, windows
from .cell import Cell, GraphCell
from .container import CellList, SequentialCell
from .layers import *  # noqa: F403
from .learning_rate import *  # noqa: F403
from .loss_scale import *  # noqa: F403
from .losses import *  # noqa: F403
from .metrics import Accuracy, Loss, Metric
from .normalization import *  # noqa: F403
from .optimizer import Optimizer
from .recurrent import GRU, LSTM, RNN
from .training import *  # noqa: F403
from .update_rules import SGD, Adam, AdamWeightDecay, Momentum, RMSProp
from .windows import *  # noqa: F403

__all__ = [
    "GRU", "LSTM", "RNN", "SGD", "Accuracy", "Adam", "AdamWeightDecay", "Cell", "CellList", "GraphCell", "Loss", "Metric",
    "Momentum", "Optimizer", "RMSProp", "SequentialCell",
    *layers.__all__, *learning_rate.__all__, *loss_scale.__all__, *losses.__all__, *normalization.__all__, *training.__all__,
    *windows.__all__,
]  # fmt: skip

__getattr__ = attributes(__name__)
