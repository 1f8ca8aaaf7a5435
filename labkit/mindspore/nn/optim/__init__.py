"""Optimizers: cells that take the gradients and change the parameters."""

from ....aliases import attributes
from . import methods, more_methods
from .methods import *  # noqa: F403
from .more_methods import *  # noqa: F403
from .optimizer import Optimizer

__all__ = ["Optimizer", *methods.__all__, *more_methods.__all__]

__getattr__ = attributes(__name__)
