"""Optimizers: cells that take the gradients and change the parameters."""

from ....aliases import attributes
from .methods import SGD, Adadelta, Adagrad, Adam, AdamWeightDecay, Momentum, RMSProp
from .optimizer import Optimizer

__all__ = ["SGD", "Adadelta", "Adagrad", "Adam", "AdamWeightDecay", "Momentum", "Optimizer", "RMSProp"]

__getattr__ = attributes(__name__)
