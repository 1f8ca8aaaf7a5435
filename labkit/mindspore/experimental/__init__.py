"""What MindSpore tries out: an optimizer whose options are kept in groups that may be changed."""

from ...dialects.unsupported import attributes
from . import optim

__all__ = ["optim"]

__getattr__ = attributes(__name__)
