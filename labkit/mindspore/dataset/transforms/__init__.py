"""Transforms of any data."""

from enum import Enum

import numpy as np

from ....aliases import attributes
from ....kinds import as_tuple
from ....layout import Placed
from ...dtype import DType, bool_
from .._check import natural, required

__all__ = [
    "Compose", "Concatenate", "Duplicate", "Fill", "Mask", "OneHot", "PadEnd", "Relational", "Slice", "TypeCast", "Unique",
]  # fmt: skip


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
    """A class index as a vector of `num_classes`: 1 at the index, else 0, in the index's type.

    `smoothing_rate`: this much of the 1 is shared among all, as float64. Raises ValueError unless it is between 0 and 1.
    """

    def __init__(self, num_classes, smoothing_rate=0.0):
        self.num_classes, self.smoothing_rate = natural(num_classes, "num_classes", 1), smoothing_rate
        if not 0 <= smoothing_rate <= 1:
            raise ValueError("Input smoothing_rate is not within the required interval of [0.0, 1.0].")

    def __call__(self, index):
        if not 0 <= index < self.num_classes:
            raise RuntimeError(f"OneHot: expected a class below num_classes {self.num_classes}, but got {index}.")
        made = np.zeros(self.num_classes, np.asarray(index).dtype)
        made[int(index)] = 1
        share = self.smoothing_rate
        return made * (1.0 - share) + share / self.num_classes if share else made


class Compose(metaclass=Placed):
    """Several transforms as one, applied from the first to the last."""

    def __init__(self, transforms):
        self.transforms = list(transforms)

    def __call__(self, *values):
        for transform in self.transforms:
            made = transform(*values)
            values = as_tuple(made)
        return values if len(values) > 1 else values[0]


class PadEnd(metaclass=Placed):
    """As large as `pad_shape` says (None: that axis stays): cut off at the end, or filled with `pad_value` (None: 0).

    >>> PadEnd([4], 9)(np.array([1, 2])).tolist(), PadEnd([1])(np.array([1, 2])).tolist()
    ([1, 2, 9, 9], [1])
    """

    def __init__(self, pad_shape, pad_value=None):
        self.pad_shape, self.pad_value = list(pad_shape), 0 if pad_value is None else pad_value

    def __call__(self, value):
        value = np.asarray(value)
        if value.ndim != len(self.pad_shape):
            raise RuntimeError(f"PadEnd: invalid pad shape, expected {value.ndim} numbers, but got {self.pad_shape}.")
        wanted = [have if want is None else want for want, have in zip(self.pad_shape, value.shape, strict=True)]
        cut = value[tuple(map(slice, wanted))]
        return np.pad(cut, [(0, w - n) for w, n in zip(wanted, cut.shape, strict=True)], constant_values=self.pad_value)


class Fill(metaclass=Placed):
    """All elements the same number, in the type of the input."""

    def __init__(self, fill_value):
        self.fill_value = fill_value

    def __call__(self, value):
        return np.full_like(value, self.fill_value)


class Duplicate(metaclass=Placed):
    """The input twice, as two columns."""

    def __call__(self, value):
        return value, value


class Concatenate(metaclass=Placed):
    """The inputs joined along `axis`, between `prepend` and `append`, one-dimensional arrays."""

    def __init__(self, axis=0, prepend=None, append=None):
        self.axis, self.prepend, self.append = axis, prepend, append

    def __call__(self, *values):
        parts = [self.prepend, *values, self.append]
        return np.concatenate([np.asarray(p, np.asarray(values[0]).dtype) for p in parts if p is not None], self.axis)


class Unique(metaclass=Placed):
    """The different elements of the flattened input as they appear, the place of each element among them, and their counts."""

    def __call__(self, value):
        flat = np.asarray(value).ravel()
        found, first, places, counts = np.unique(flat, return_index=True, return_inverse=True, return_counts=True)
        order = np.argsort(first)
        return found[order], np.argsort(order)[places].astype(np.int32), counts[order].astype(np.int32)


class Slice(metaclass=Placed):
    """A part of the input: an integer, a list of them, a slice, `...` or None (all) for each axis.

    >>> Slice(slice(1, 3))(np.array([5, 6, 7, 8])).tolist(), Slice([0, 2])(np.array([5, 6, 7])).tolist()
    ([6, 7], [5, 7])
    """

    def __init__(self, *slices):
        self.slices = slices

    def __call__(self, value):
        value = np.asarray(value)
        for axis, part in enumerate(() if self.slices == (...,) else self.slices):
            if isinstance(part, slice):
                value = value[(slice(None),) * axis + (part,)]
            elif part is not None and part is not ...:
                value = np.take(value, np.atleast_1d(part), axis)
        return value


class Relational(Enum):
    """How `Mask` compares."""

    EQ, NE, GT, GE, LT, LE = range(6)


class Mask(metaclass=Placed):
    """Where `element operator constant` holds, in `dtype` (bool): `Mask(Relational.GT, 2)`.

    >>> Mask(Relational.GT, 2)(np.array([1, 2, 3])).tolist()
    [False, False, True]
    """

    def __init__(self, operator, constant, dtype=bool_):
        self.operator, self.constant, self.numpy = operator, constant, dtype.numpy

    def __call__(self, value):
        named = {
            "EQ": "equal",
            "NE": "not_equal",
            "GT": "greater",
            "GE": "greater_equal",
            "LT": "less",
            "LE": "less_equal",
        }
        return getattr(np, named[self.operator.name])(value, self.constant).astype(self.numpy)


__getattr__ = attributes(__name__)
