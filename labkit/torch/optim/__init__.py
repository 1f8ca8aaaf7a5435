"""Optimizers: they read the `.grad` of parameters and change the parameters in place."""

from ...aliases import attributes
from ...later import load as _load
from . import lr_scheduler
from .adafactor import Adafactor
from .lbfgs import LBFGS
from .methods import SGD, Adadelta, Adagrad, Adam, Adamax, AdamW, NAdam, RAdam, RMSprop
from .optimizer import Optimizer
from .step_sizes import ASGD, Rprop

__all__ = [
    "ASGD", "LBFGS", "SGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "NAdam", "Optimizer", "RAdam",
    "RMSprop", "Rprop", "lr_scheduler", "swa_utils",
]  # fmt: skip

_missing = attributes(__name__)


def __getattr__(name):
    return _load(globals(), {"swa_utils": ""}, name) if name == "swa_utils" else _missing(name)
