"""Adam with `param_groups`, and a schedule that changes its learning rates."""

from ....dialects.unsupported import attributes
from . import lr_scheduler
from .optimizer import Adam, Optimizer

__all__ = ["Adam", "Optimizer", "lr_scheduler"]

__getattr__ = attributes(__name__)
