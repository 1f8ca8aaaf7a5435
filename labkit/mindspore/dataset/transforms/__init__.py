"""Transforms of any data."""

import numpy as np

from ....aliases import attributes
from ....kinds import as_tuple
from ....layout import Placed
from ...dtype import DType
from .._check import natural, required

__all__ = ["Compose", "OneHot", "TypeCast"]


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


class OneHot(metaclass=Placed):
    """A class index as a vector of `num_classes`: 1 at the index, else 0, in the index's type."""

    def __init__(self, num_classes):
        self.num_classes = natural(num_classes, "num_classes", 1)

    def __call__(self, index):
        if not 0 <= index < self.num_classes:
            raise RuntimeError(f"OneHot: expected a class below num_classes {self.num_classes}, but got {index}.")
        made = np.zeros(self.num_classes, np.asarray(index).dtype)
        made[int(index)] = 1
        return made


class Compose(metaclass=Placed):
    """Several transforms as one, applied from the first to the last."""

    def __init__(self, transforms):
        self.transforms = list(transforms)

    def __call__(self, *values):
        for transform in self.transforms:
            made = transform(*values)
            values = as_tuple(made)
        return values if len(values) > 1 else values[0]


__getattr__ = attributes(__name__)
