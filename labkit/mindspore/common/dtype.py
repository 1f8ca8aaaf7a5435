"""Data types: `ms.float32` prints `Float32`, and stands for one NumPy dtype.

Also the promotion rule of two tensors: an integer tensor takes the floating tensor's type, wherever NumPy would go to
float64, and unsigned integers beyond 8 bits mix with nothing.
"""

from functools import lru_cache

import numpy as np

from ...dialects.class_paths import Placed
from ...dialects.unsupported import attributes
from ...engine import cast
from ...precision import FORMATS

__all__ = [
    "DType", "bfloat16", "bool_", "byte", "double", "float16", "float32", "float64", "half", "int8", "int16", "int32",
    "int64", "intc", "intp", "long", "promote", "short", "single", "uint8", "uint16", "uint32", "uint64",
]  # fmt: skip


class DType(metaclass=Placed):
    """A tensor's element type, one object per type, so `is` and `==` agree. `numpy` is NumPy's.

    >>> from labkit.mindspore import Tensor, float32
    >>> float32, str(float32), float32.numpy
    (mindspore.float32, 'Float32', dtype('float32'))
    >>> Tensor([1, 2], float32).dtype is float32
    True
    """

    __slots__ = ("_name", "_printed")

    def __init__(self, name, printed):
        self._name, self._printed = name, printed

    def __str__(self):
        return self._printed

    def __repr__(self):
        return f"mindspore.{self._name}"

    def __reduce__(self):
        return _by_name, (self._name,)

    @property
    def numpy(self) -> np.dtype:
        """The NumPy dtype; bfloat16 needs the `ml_dtypes` package."""
        return FORMATS["bfloat16"].dtype if self._name == "bfloat16" else np.dtype(self._name)


def _by_name(name):
    return _NAMES[name]


def _kind(name):
    """The class of one kind of types, as `type(ms.float32)` names it."""
    return Placed(
        name, (DType,), {"__doc__": DType.__doc__, "__slots__": (), "_shown": f"mindspore._c_expression.typing.{name}"}
    )


_Bool, _Int, _UInt, _Float, _BFloat = map(_kind, ("Bool", "Int", "UInt", "Float", "BFloat"))
bool_ = _Bool("bool", "Bool")
int8, int16, int32, int64 = (_Int(f"int{n}", f"Int{n}") for n in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (_UInt(f"uint{n}", f"UInt{n}") for n in (8, 16, 32, 64))
float16, float32, float64 = (_Float(f"float{n}", f"Float{n}") for n in (16, 32, 64))
bfloat16 = _BFloat("bfloat16", "BFloat16")
half, single, double, byte, short, intc, intp, long = float16, float32, float64, int8, int16, int32, int64, int64

ALL = (int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, bfloat16, bool_)
_NAMES = {d._name: d for d in ALL}
_STRINGS = {**_NAMES, "bool_": bool_, "half": half, "single": single, "double": double, "byte": byte, "short": short,
            "intc": intc, "intp": intp, "long": long, "int": int64, "float": float32}  # fmt: skip
_PYTHON = {bool: bool_, int: int64, float: float64}
_OF_NUMPY = {d.numpy: d for d in ALL if d is not bfloat16}


def of(numpy_dtype):
    """The `DType` of a NumPy dtype."""
    found = _OF_NUMPY.get(numpy_dtype)
    if found is None and numpy_dtype.name == "bfloat16":
        found = bfloat16
    if found is None:
        raise TypeError(f"Unsupported tensor type: NumPy dtype '{numpy_dtype}'; expected one of {[*map(repr, ALL)]}.")
    return found


def as_numpy(dtype, caller="Tensor.astype"):
    """The NumPy dtype that a student's `dtype` names: a `DType`, a string, a Python type or a NumPy type."""
    if isinstance(dtype, DType):
        return dtype.numpy
    if isinstance(dtype, str):
        if dtype.lower() not in _STRINGS:
            names = sorted(_STRINGS)
            raise TypeError(f"For {caller}, the string input type must be one of {names}, but got '{dtype}'.")
        return _STRINGS[dtype.lower()].numpy
    if dtype in _PYTHON:
        return _PYTHON[dtype].numpy
    try:
        return of(np.dtype(dtype)).numpy
    except TypeError:
        raise TypeError(
            f"For {caller}, the input type must be str, numpy.dtype or mindspore.dtype, but got {dtype!r}."
        ) from None


def at_least_four_bytes(dtype):
    """A floating NumPy dtype in which sums and steps are computed: float32 for a narrower one."""
    return np.dtype(np.float32) if dtype.itemsize < 4 else dtype


def in_dtype(value, dtype):
    """An array, or a box around one, in a NumPy dtype; itself where it is."""
    return value if value.dtype == dtype else cast(value, dtype)


_WIDE_UNSIGNED = (np.dtype(np.uint16), np.dtype(np.uint32), np.dtype(np.uint64))


@lru_cache(maxsize=512)
def promote(a, b) -> np.dtype:
    """The NumPy dtype in which tensors of NumPy dtypes `a` and `b` meet. Raises TypeError where they do not.

    >>> promote(np.dtype("int64"), np.dtype("float16"))
    dtype('float16')
    """
    if a == b or b.kind == "b":
        return a
    if a.kind == "b":
        return b
    if a in _WIDE_UNSIGNED or b in _WIDE_UNSIGNED:
        raise TypeError(f"Type implicit conversion between {of(b)} and {of(a)} is not supported.")
    a_floats, b_floats = a.kind not in "iu", b.kind not in "iu"
    if a_floats != b_floats:
        return a if a_floats else b
    if a_floats and a.itemsize == b.itemsize == 2:
        return np.dtype(np.float32)
    if a_floats:
        return a if a.itemsize > b.itemsize else b
    return np.promote_types(a, b)


__getattr__ = attributes(__name__)
