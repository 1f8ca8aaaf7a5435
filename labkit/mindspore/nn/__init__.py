"""Cells, layers, losses, optimizers and training steps."""

from ...dialects.unsupported import attributes
from .activation import *  # noqa: F403
from .activation import __all__ as _activations
from .basic import ClipByNorm, Dense, Dropout, Embedding, Flatten
from .cell import Cell, GraphCell
from .container import CellList, SequentialCell
from .convolution import Conv1d, Conv2d
from .grad_reducer import DistributedGradReducer
from .learning_rate import *  # noqa: F403
from .learning_rate import __all__ as _rates
from .loss_scale import *  # noqa: F403
from .loss_scale import __all__ as _scaled
from .losses import *  # noqa: F403
from .losses import __all__ as _losses
from .metrics import Accuracy, Loss, Metric
from .normalization import *  # noqa: F403
from .normalization import __all__ as _normal
from .optim import *  # noqa: F403
from .optim import __all__ as _optimizers
from .pooling import *  # noqa: F403
from .pooling import __all__ as _pooling
from .recurrent import GRU, LSTM, RNN
from .training import *  # noqa: F403
from .training import __all__ as _training

__all__ = [
    "GRU", "LSTM", "RNN", "Accuracy", "Cell", "CellList", "ClipByNorm", "Conv1d", "Conv2d", "Dense", "DistributedGradReducer",
    "Dropout", "Embedding", "Flatten", "GraphCell", "Loss", "Metric", "SequentialCell",
    *_activations, *_losses, *_normal, *_optimizers, *_pooling, *_rates, *_scaled, *_training,
]  # fmt: skip


__getattr__ = attributes(__name__)
