"""Callbacks of `Model`: what is to happen at the beginning and end of training, of its epochs and of its steps."""

from ....aliases import attributes
from ._callback import Callback, CallbackManager, LambdaCallback, RunContext
from ._checkpoint import CheckpointConfig, ModelCheckpoint
from ._monitors import EarlyStopping, History, LossMonitor, ProgressBar, TimeMonitor
from ._rates import LearningRateScheduler, ReduceLROnPlateau

__all__ = [
    "Callback", "CallbackManager", "CheckpointConfig", "EarlyStopping", "History", "LambdaCallback",
    "LearningRateScheduler", "LossMonitor", "ModelCheckpoint", "ProgressBar", "ReduceLROnPlateau", "RunContext",
    "TimeMonitor",
]  # fmt: skip

__getattr__ = attributes(__name__)
