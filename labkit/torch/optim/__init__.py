"""Optimizers: they read the `.grad` of parameters and change the parameters in place."""

from ...dialects.unsupported import attributes
from . import lr_scheduler
from .methods import SGD, Adadelta, Adagrad, Adam, AdamW, RMSprop
from .optimizer import Optimizer

__all__ = ["SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]

__getattr__ = attributes(__name__)
