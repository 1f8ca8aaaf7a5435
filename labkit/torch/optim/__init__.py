"""Optimizers: they read the `.grad` of parameters and change the parameters in place."""

from contextlib import suppress

from ...aliases import elsewhere
from . import lr_scheduler
from .methods import SGD, Adagrad, Adam, AdamW, RMSprop
from .optimizer import Optimizer

__all__ = ["SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    with suppress(LookupError):
        return elsewhere(__name__, name)
    raise AttributeError(f"torch.optim.{name} is not part of labkit's torch dialect, which has {', '.join(__all__)}")
