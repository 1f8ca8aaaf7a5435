"""What MindSpore tries out: optimizers whose options are kept in groups that may be changed."""

from . import optim

__all__ = ["optim"]
