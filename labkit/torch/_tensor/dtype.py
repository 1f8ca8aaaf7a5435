"""Element types as objects, such as `torch.float32`, and the rules of type promotion.

Promotion follows categories (bool < integer < floating): a tensor with dimensions outranks a 0-d tensor of the same
category, and both outrank a Python number, so `float16 tensor * 2.0` stays float16.
"""

from functools import cache, cached_property, wraps
from inspect import unwrap

import numpy as np

from ...dialects.class_paths import Placed
from ...engine import PerThread
from ...precision import FORMATS
from .._error_texts import error


class dtype:
    """An element type, such as `torch.float32`, one object per type. `np` is NumPy's, `itemsize` the bytes of an element.

    >>> import labkit.torch as torch
    >>> torch.tensor([1, 2], dtype=torch.float32).dtype is torch.float32
    True
    >>> torch.float32.itemsize, torch.int64.is_floating_point
    (4, False)
    """

    def __init__(self, name, rank, legacy, in_c):
        self.name, self.rank, self.legacy, self.in_c, self.is_floating_point = name, rank, legacy, in_c, rank == 2

    @cached_property
    def np(self):
        return _numpy_type(self.name)

    @property
    def itemsize(self):
        return self.np.itemsize

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return lookup, (self.name,)


_TABLE = {  # the category, the name in older classes, the name in C++
    "bool": (0, "Bool", "bool"), "uint8": (1, "Byte", "unsigned char"), "int8": (1, "Char", "signed char"),
    "int16": (1, "Short", "short int"), "int32": (1, "Int", "int"), "int64": (1, "Long", "long int"),
    "float16": (2, "Half", "c10::Half"), "bfloat16": (2, "BFloat16", "c10::BFloat16"), "float32": (2, "Float", "float"),
    "float64": (2, "Double", "double"),
}  # fmt: skip
DTYPES = {name: dtype(name, *entry) for name, entry in _TABLE.items()}
ALIASES = {"half": "float16", "float": "float32", "double": "float64", "short": "int16", "int": "int32",
    "long": "int64"}  # fmt: skip


def lookup(name):
    return DTYPES[name]


PYTHON = {bool: DTYPES["bool"], int: DTYPES["int64"], float: DTYPES["float64"]}


def by_python_types(fun):
    """`fun`, if it takes a `dtype`, so that Python's types stand for dtypes: `bool`, `int` (int64), `float` (float64).

    >>> import labkit.torch as torch
    >>> torch.ones(2, dtype=bool)
    tensor([True, True])
    """
    code = getattr(unwrap(fun), "__code__", None)
    if code is None or "dtype" not in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        return fun

    @wraps(fun)
    def typed(*args, **kwargs):
        if kwargs.get("dtype").__class__ is type:
            if kwargs["dtype"] not in PYTHON:
                raise TypeError(f"{fun.__name__}(): argument 'dtype' must be torch.dtype, not type")
            kwargs["dtype"] = PYTHON[kwargs["dtype"]]
        if type in map(type, args):
            args = tuple(PYTHON.get(a, a) if a.__class__ is type else a for a in args)
        return fun(*args, **kwargs)

    return typed


def _numpy_type(name):
    return FORMATS[name].dtype if name in FORMATS else np.dtype(name)


@cache  # NumPy makes a type's name anew each time it is asked
def of_numpy(numpy_type):
    """The torch dtype of a NumPy one; TypeError where there is none."""
    found = DTYPES.get(numpy_type.name)
    if found is None:
        names = "float64, float32, float16, int64, int32, int16, int8, uint8, and bool"
        raise error("numpy_type", kind=numpy_type.type.__name__, names=names)
    return found


class _State(PerThread):
    """This thread's default dtype."""

    default = DTYPES["float32"]


_state = _State()


def get_default_dtype():
    """The dtype of Python floats made into tensors: `torch.float32` unless set otherwise."""
    return _state.default


def set_default_dtype(d):
    """Set the floating dtype that Python floats get, in this thread."""
    if not isinstance(d, dtype):
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    if not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    _state.default = d


def of_number(number):
    """The dtype a Python number stands for: bool, int64 or the default floating dtype."""
    if isinstance(number, (bool, np.bool_)):
        return DTYPES["bool"]
    return DTYPES["int64"] if isinstance(number, (int, np.integer)) else _state.default


@cache
def promote_types(a, b):
    """The smallest dtype that both `a` and `b` convert to, by category first."""
    if a is b:
        return a
    if a.rank != b.rank:
        return a if a.rank > b.rank else b
    if {a.name, b.name} == {"float16", "bfloat16"}:
        return DTYPES["float32"]
    if "bfloat16" in (a.name, b.name):
        return b if a.name == "bfloat16" else a
    return of_numpy(np.promote_types(a.np, b.np))


def _combine(higher, lower):
    if higher is None or lower is None:
        return higher or lower
    return promote_types(higher, lower) if lower.rank > higher.rank else higher


DIMENSIONED, ZERO_D, NUMBER = range(3)


@cache
def result_dtype(*operands):
    """The dtype of an op's result from its operands: pairs of a dtype, ours or NumPy's, and one of the three kinds."""
    found = None
    for kind in (DIMENSIONED, ZERO_D, NUMBER):
        merged = None
        for d, of in operands:
            if of == kind:
                d = d if isinstance(d, dtype) else of_numpy(d)
                merged = d if merged is None else promote_types(merged, d)
        found = _combine(found, merged)
    return found


class finfo(metaclass=Placed):
    """Limits of a floating dtype: `bits, eps, max, min, tiny, resolution`.

    `type`: a floating dtype, the default one if it is left out.

    >>> import labkit.torch as torch
    >>> torch.finfo(torch.float16).max, torch.finfo(torch.float32).eps
    (65504.0, 1.1920928955078125e-07)
    """

    def __init__(self, type=None):
        self.dtype = (PYTHON.get(type, type) or get_default_dtype()).name
        numpy_type = DTYPES[self.dtype].np
        if self.dtype == "bfloat16":
            import ml_dtypes

            info = ml_dtypes.finfo(numpy_type)
        else:
            info = np.finfo(numpy_type)
        self.bits, self.eps, self.max, self.min = info.bits, float(info.eps), float(info.max), float(info.min)
        self.tiny = self.smallest_normal = float(info.tiny)
        self.resolution = float(info.resolution)

    def __repr__(self):
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.tiny:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )
