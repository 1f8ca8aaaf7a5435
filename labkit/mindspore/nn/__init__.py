"""Cells, layers and losses."""

from ...aliases import attributes
from . import _from_ops
from . import activation as _activation
from .activation import get_activation
from .attention import *  # noqa: F403
from .attention import __all__ as _attention
from .cell import Cell, GraphCell
from .combined import *  # noqa: F403
from .combined import __all__ as _combined
from .container import CellDict, CellList, SequentialCell
from .convolutional import Conv1d, Conv1dTranspose, Conv2d, Conv2dTranspose, Conv3d, Conv3dTranspose
from .dense import ClipByNorm, Dense, Flatten
from .dropout import Dropout, Dropout1d, Dropout2d, Dropout3d
from .dynamic_lr import *  # noqa: F403
from .dynamic_lr import __all__ as _dynamic_lr
from .embedding import Embedding
from .grad_reducer import DistributedGradReducer
from .learning_rate_schedule import *  # noqa: F403
from .learning_rate_schedule import __all__ as _schedules
from .loss_scale import *  # noqa: F403
from .loss_scale import __all__ as _scaled
from .losses import *  # noqa: F403
from .losses import __all__ as _losses
from .metrics import *  # noqa: F403
from .metrics import __all__ as _metrics
from .more_metrics import *  # noqa: F403
from .more_metrics import __all__ as _more_metrics
from .normalization import *  # noqa: F403
from .normalization import __all__ as _normal
from .optim import *  # noqa: F403
from .optim import __all__ as _optimizers
from .padding import *  # noqa: F403
from .padding import __all__ as _padding
from .pooling import *  # noqa: F403
from .pooling import __all__ as _pooling
from .recurrent import *  # noqa: F403
from .recurrent import __all__ as _recurrent
from .small import *  # noqa: F403
from .small import __all__ as _small
from .training import *  # noqa: F403
from .training import __all__ as _training
from .transformer import *  # noqa: F403
from .transformer import __all__ as _transformer
from .with_loss import WithLossCell

globals().update(_activation.CLASSES | _from_ops.CLASSES)

__all__ = [
    "Cell", "CellDict", "CellList", "ClipByNorm", "Conv1d", "Conv1dTranspose", "Conv2d", "Conv2dTranspose", "Conv3d",
    "Conv3dTranspose", "Dense", "DistributedGradReducer", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "Embedding",
    "Flatten", "GraphCell", "SequentialCell", "WithLossCell", "get_activation",
    *_losses, *_metrics, *_more_metrics,
    *_normal, *_recurrent, *_activation.CLASSES, *_from_ops.CLASSES, *_dynamic_lr, *_schedules, *_optimizers, *_scaled,
    *_small, *_training, *_attention, *_transformer, *_padding, *_pooling, *_combined,
]  # fmt: skip


__getattr__ = attributes(__name__)
