"""Optimizers with `param_groups`, and schedules that change their learning rates."""

from ....aliases import attributes
from . import lr_scheduler
from ._methods import SGD, Adam, AdamW
from ._more_methods import *  # noqa: F403
from ._more_methods import __all__ as _more
from .optimizer import Optimizer

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "lr_scheduler", *_more]


__getattr__ = attributes(__name__)
