"""Names under which MindSpore also offers its basic types: `mindspore.common.initializer` and so on."""

from ...dialects.unsupported import attributes
from . import dtype
from .parameter import Parameter, ParameterTuple
from .seed import get_seed, set_seed
from .tensor import Tensor, tensor

__all__ = ["Parameter", "ParameterTuple", "Tensor", "dtype", "get_seed", "set_seed", "tensor"]

__getattr__ = attributes(__name__)
