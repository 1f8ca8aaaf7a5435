"""Optimizers: cells that take the gradients and change the parameters."""

from .methods import SGD, Adadelta, Adagrad, Adam, AdamWeightDecay, Momentum, RMSProp
from .optimizer import Optimizer

__all__ = ["SGD", "Adadelta", "Adagrad", "Adam", "AdamWeightDecay", "Momentum", "Optimizer", "RMSProp"]
