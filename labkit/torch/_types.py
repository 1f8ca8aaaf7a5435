"""Legacy constructors such as `torch.FloatTensor([1, 2])`: a tensor of that dtype."""

import numpy as np

from ..layout import Placed
from ._creation import legacy
from ._dtype import DTYPES
from ._tensor import Tensor


class _Legacy(type):
    dtype = DTYPES["float32"]

    def __call__(cls, *data):
        return Tensor._of(np.asarray(legacy(data)).astype(cls.dtype.np))

    def __instancecheck__(cls, instance):
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype


def _legacy(name):
    dtype = DTYPES[name]
    kind = f"{dtype.legacy}Tensor"
    return _Legacy(
        kind, (), {"dtype": dtype, "__doc__": f"`{kind}(data)`: a tensor of {dtype}.", "__module__": "torch"}
    )


FloatTensor, DoubleTensor, HalfTensor = _legacy("float32"), _legacy("float64"), _legacy("float16")
IntTensor, LongTensor, BoolTensor = _legacy("int32"), _legacy("int64"), _legacy("bool")
ByteTensor, CharTensor, ShortTensor, BFloat16Tensor = map(_legacy, ("uint8", "int8", "int16", "bfloat16"))


class SymInt(metaclass=Placed):
    """A number that is known when compiled code runs; nothing is compiled here, and no number is one."""


class SymFloat(metaclass=Placed):
    """The same, of floats."""


class SymBool(metaclass=Placed):
    """The same, of truth values."""
