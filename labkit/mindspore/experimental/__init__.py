"""What MindSpore tries out: optimizers whose options are kept in groups that may be changed."""

from ...aliases import attributes
from . import optim

__all__ = ["optim"]

__getattr__ = attributes(__name__)
