"""Names under which MindSpore also offers its basic types: `mindspore.common.initializer` and so on."""

from ...aliases import attributes
from .._seed import get_seed, set_seed
from ..parameter import Parameter, ParameterTuple
from ..tensor import Tensor, tensor
from . import dtype
from ._grad_function import _Function

__all__ = ["Parameter", "ParameterTuple", "Tensor", "_Function", "dtype", "get_seed", "set_seed", "tensor"]

__getattr__ = attributes(__name__)
