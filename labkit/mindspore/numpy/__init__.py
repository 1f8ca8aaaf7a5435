"""`mindspore.numpy`: NumPy's functions, with tensors and with derivatives.

Which names there are was asked of the real package (`aliases.txt`); each is derived from the table of ops, or from NumPy.

>>> import labkit.mindspore as ms
>>> ms.grad(ms.numpy.sum)(ms.numpy.array([1.0, 2.0]))
Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  1.00000000e+00])
"""

from ...absent import missing
from ...aliases import shown
from .. import dtype
from ..ops import _random
from ..ops._of_numpy import array, derived

asarray = array
_DTYPES = [
    "bool_",
    "float16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]
_CONSTANTS = {
    **{name: getattr(dtype, name) for name in _DTYPES},
    "int_": dtype.int32, "uint": dtype.uint32, "float_": dtype.float32,
    "pi": 3.141592653589793, "inf": float("inf"), "nan": float("nan"), "PINF": float("inf"), "NINF": -float("inf"),
}  # fmt: skip
_RENAMED = {
    "abs",
    "bitwise_not",
    "copy",
    "divmod",
    "fabs",
    "max",
    "min",
    "mod",
    "round",
    "sum",
}  # not as they are defined
_FUNCTIONS = _RENAMED | {
    name
    for place, names in shown("mindspore").items()
    for name, room in names.items()
    if room == "numpy" and place.startswith("numpy.")
}
__all__ = sorted({*_FUNCTIONS, *_CONSTANTS})


def __getattr__(name):
    made = _CONSTANTS.get(name)
    if name in _FUNCTIONS:
        made = _random.of_numpy(name) or derived(name)
    if made is None:
        raise missing(__name__, name, known=name in _FUNCTIONS)
    globals()[name] = made
    return made


def __dir__():
    return __all__
