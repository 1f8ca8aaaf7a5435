"""Names under which MindSpore also offers its basic types: `mindspore.common.initializer` and so on."""

from ..parameter import Parameter, ParameterTuple
from ..tensor import Tensor, tensor
from . import dtype
from .seed import get_seed, set_seed

__all__ = ["Parameter", "ParameterTuple", "Tensor", "dtype", "get_seed", "set_seed", "tensor"]
