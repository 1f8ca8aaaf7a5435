"""Cells, layers, losses, optimizers and training steps."""

from ...dialects.unsupported import attributes
from .cell import Cell, GraphCell
from .container import CellList, SequentialCell
from .layers import *  # noqa: F403
from .layers import __all__ as _layers
from .learning_rate import *  # noqa: F403
from .learning_rate import __all__ as _rates
from .loss_scale import *  # noqa: F403
from .loss_scale import __all__ as _scaled
from .losses import *  # noqa: F403
from .losses import __all__ as _losses
from .metrics import Accuracy, Loss, Metric
from .normalization import *  # noqa: F403
from .normalization import __all__ as _normal
from .optimizer import Optimizer
from .recurrent import GRU, LSTM, RNN
from .training import *  # noqa: F403
from .training import __all__ as _training
from .update_rules import SGD, Adam, AdamWeightDecay, Momentum
from .windows import *  # noqa: F403
from .windows import __all__ as _windows

__all__ = [
    "GRU", "LSTM", "RNN", "SGD", "Accuracy", "Adam", "AdamWeightDecay", "Cell", "CellList", "GraphCell", "Loss", "Metric",
    "Momentum", "Optimizer", "SequentialCell",
    *_layers, *_losses, *_normal, *_rates, *_scaled, *_training, *_windows,
]  # fmt: skip

__getattr__ = attributes(__name__)
