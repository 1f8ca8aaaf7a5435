"""Optimizers with `param_groups`, and schedules that change their learning rates."""

from ....aliases import attributes
from . import lr_scheduler
from ._methods import SGD, Adam, AdamW
from .optimizer import Optimizer

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "lr_scheduler"]


__getattr__ = attributes(__name__)
