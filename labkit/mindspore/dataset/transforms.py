"""Transforms of any data."""

import sys

import numpy as np

from ...dialects.class_paths import Placed
from ...dialects.unsupported import attributes
from ..argument_checks import required
from ..common.dtype import DType

__all__ = ["TypeCast"]


class TypeCast(metaclass=Placed):
    """To another type: `data_type` a `ms.int32` and so on, or a NumPy dtype.

    >>> import numpy as np
    >>> TypeCast(np.dtype("int32"))(np.uint8(3))
    array(3, dtype=int32)
    """

    def __init__(self, data_type):
        if isinstance(data_type, type) and issubclass(data_type, np.generic):
            data_type = np.dtype(data_type)
        required(data_type, "data_type", (DType, np.dtype))
        self.numpy = data_type.numpy if isinstance(data_type, DType) else data_type

    def __call__(self, value):
        return np.asarray(value).astype(self.numpy)


sys.modules[f"{__name__}.c_transforms"] = c_transforms = sys.modules[__name__]  # the name that older code imports

__getattr__ = attributes(__name__)
