"""Optimizers with `param_groups`, and schedules that change their learning rates."""

from . import lr_scheduler
from ._methods import SGD, Adam, AdamW
from .optimizer import Optimizer

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "lr_scheduler"]


def __getattr__(name):
    raise AttributeError(
        f"module 'mindspore.experimental.optim' has no '{name}' in labkit, which offers {', '.join(__all__)}"
    )
