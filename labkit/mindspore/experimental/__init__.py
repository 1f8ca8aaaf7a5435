"""MindSpore's experimental optimizers, whose options are in parameter groups that can be changed."""

from ...dialects.unsupported import attributes
from . import optim

__all__ = ["optim"]

__getattr__ = attributes(__name__)
