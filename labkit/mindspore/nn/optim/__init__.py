"""Optimizers: cells that take the gradients and change the parameters."""

from ....dialects.unsupported import attributes
from .optimizer import Optimizer
from .update_rules import SGD, Adam, AdamWeightDecay, Momentum

__all__ = ["SGD", "Adam", "AdamWeightDecay", "Momentum", "Optimizer"]

__getattr__ = attributes(__name__)
