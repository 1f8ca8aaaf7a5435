"""Optimizers: they read the `.grad` of parameters and change the parameters in place."""

from ...aliases import attributes
from . import lr_scheduler
from .methods import SGD, Adadelta, Adagrad, Adam, Adamax, AdamW, NAdam, RAdam, RMSprop
from .optimizer import Optimizer

__all__ = [
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "lr_scheduler",
]


__getattr__ = attributes(__name__)
