"""Values as plain data: what a recogniser sees, and what crosses the wall between a jail and its grader.

`encode` gives JSON: each value a list that begins with its kind, such as `["float", "1.5"]` or
`["array", "<f4", [2, 3], "<base64>"]`. `decode` builds new values from that and from nothing else: no pickle, no
code, no class of the other side.
"""

import base64
import math
from importlib import import_module
from typing import Any

import numpy as np

from ..engine import getval, isbox

DEEPEST = 32  # levels of tuples, lists and dicts
LARGEST = 8 << 20  # bytes of one array
LONGEST = 100_000  # characters of a text, items of a tuple, list or dict
_DIALECTS = ("mindspore", "torch")
_KINDS = "biufcSU"  # NumPy's numbers and texts; the small floats of ml_dtypes go by their name


class Unreadable(ValueError):
    """Data that `encode` did not write."""


def is_tensor(value: Any) -> bool:
    """True for a tensor of either dialect."""
    return hasattr(value, "__engine_value__") and not isinstance(value, type)


def package(value: Any) -> str:
    """The package of a value's type: "torch" or "mindspore" for a dialect, "numpy", "builtins" ..."""
    return type(value).__module__.removeprefix("labkit.").split(".")[0]


def plain(value: Any) -> Any:
    """`value` with every tensor replaced by its array (a copy): what recognisers see and what a grader sends."""
    if is_tensor(value):
        return _array_of(value)
    if isinstance(value, (tuple, list)):
        return type(value)(plain(v) for v in value) if type(value) in (tuple, list) else tuple(plain(v) for v in value)
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    return np.array(value) if isinstance(value, np.ndarray) else value


def _array_of(tensor):
    value = tensor.__engine_value__()
    while isbox(value):
        value = getval(value)
    return np.array(value)


def wrap(inputs: tuple, tensors: str | None) -> tuple:
    """Fresh copies of plain `inputs`; arrays become tensors of the dialect `tensors`, in torch ones that require grad."""
    copies = [np.copy(a) if isinstance(a, np.ndarray) else a for a in inputs]
    if tensors is None:
        return tuple(copies)
    dialect = import_module(f"labkit.{tensors}")
    if tensors == "torch":
        return tuple(dialect.tensor(a, requires_grad=True) if isinstance(a, np.ndarray) else a for a in copies)
    return tuple(dialect.Tensor(a) if isinstance(a, np.ndarray) else a for a in copies)


def encode(value: Any, depth: int = 0) -> list:
    """`value` as JSON; what is no data (a function, a class of one's own, too much of anything) by the name of its type.

    >>> encode((1, 2.5))
    ['tuple', [['int', '1'], ['float', '2.5']]]
    """
    name = type(value).__name__[:100]
    if depth > DEEPEST:
        return ["other", name]
    if is_tensor(value) and package(value) in _DIALECTS:
        return ["tensor", package(value), *_packed(_array_of(value), name)[1:]]
    if isinstance(value, (np.ndarray, np.generic)):
        packed = _packed(np.array(value, subok=False), name)
        return ["scalar", *packed[1:]] if isinstance(value, np.generic) and packed[0] == "array" else packed
    if isinstance(value, (tuple, list)) and len(value) <= LONGEST:
        return ["tuple" if isinstance(value, tuple) else "list", [encode(v, depth + 1) for v in value]]
    if isinstance(value, dict) and len(value) <= LONGEST:
        return ["dict", [[encode(k, depth + 1), encode(v, depth + 1)] for k, v in value.items()]]
    return _small(value, name)


def _small(value, name):
    if value is None or value is Ellipsis or isinstance(value, bool):
        return ["constant", repr(value)]
    if isinstance(value, int) and int.bit_length(value) < 4096:
        return ["int", int.__repr__(value)]
    if isinstance(value, float):
        return ["float", float.__repr__(value)]
    if isinstance(value, str) and len(value) <= LONGEST:
        return ["str", str.__str__(value)]
    if isinstance(value, type):
        return ["type", value.__name__[:100]]
    return ["error", name] if isinstance(value, BaseException) else ["other", name]


def _packed(array, name):
    kind = array.dtype
    if array.nbytes > LARGEST or not (kind.kind in _KINDS or kind.type.__module__ == "ml_dtypes"):
        return ["other", name]
    return [
        "array",
        kind.str if kind.kind in _KINDS else kind.name,
        list(array.shape),
        base64.b64encode(array.tobytes()).decode("ascii"),
    ]


def decode(data: Any, depth: int = 0) -> Any:
    """The value that `encode` wrote; raises `Unreadable` for anything else.

    What was no data comes back as an empty object whose type has the same name, a class as an error type of that name.
    """
    try:
        kind, rest = data[0], data[1:]
        return _READERS[kind](*rest, depth=depth + 1) if depth <= DEEPEST else _fail("too deep")
    except Unreadable:
        raise
    except Exception as error:  # whatever is in there: it was not written by `encode`
        raise Unreadable(f"expected data written by encode, but got {str(data)[:80]}: {error}") from None


def _fail(why):
    raise Unreadable(f"expected data written by encode, but it is {why}")


def _array(dtype, shape, text, depth):
    kind = _dtype(dtype)
    size = math.prod(shape) * kind.itemsize
    if size > LARGEST or not all(type(n) is int and n >= 0 for n in shape):
        _fail(f"an array of shape {shape}")
    return np.frombuffer(base64.b64decode(text, validate=True), kind).reshape(shape).copy()


def _dtype(text):
    kind = np.dtype(text) if text[0] in "<>|=" else np.dtype(getattr(import_module("ml_dtypes"), text))
    return kind if kind.kind in _KINDS or text[0] not in "<>|=" else _fail(f"an array of {text}")


def _tensor(dialect, dtype, shape, text, depth):
    array = _array(dtype, shape, text, depth)
    if dialect not in _DIALECTS:
        _fail(f"a tensor of {dialect}")
    module = import_module(f"labkit.{dialect}")
    return module.tensor(array) if dialect == "torch" else module.Tensor(array)


def _items(values, depth):
    return [decode(v, depth) for v in values]


_CONSTANTS = {"None": None, "Ellipsis": ..., "True": True, "False": False}
_READERS: dict[str, Any] = {
    "constant": lambda text, depth: _CONSTANTS[text],
    "int": lambda text, depth: int(text) if len(text) < 1300 else _fail("too long a number"),
    "float": lambda text, depth: float(text),
    "str": lambda text, depth: text if type(text) is str else _fail("no text"),
    "type": lambda name, depth: type(str(name), (Exception,), {}),
    "error": lambda name, depth: type(str(name), (Exception,), {})(),
    "other": lambda name, depth: type(str(name), (), {})(),
    "array": _array,
    "scalar": lambda dtype, shape, text, depth: _array(dtype, shape, text, depth)[()],
    "tensor": _tensor,
    "tuple": lambda values, depth: tuple(_items(values, depth)),
    "list": _items,
    "dict": lambda pairs, depth: {decode(k, depth): decode(v, depth) for k, v in pairs},
}
