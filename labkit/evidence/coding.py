"""Encodes values as plain data, which is all that passes between a sandbox and its grader.

`encode` gives JSON: each value a list that begins with its kind, such as `["float", "1.5"]` or
`["array", "<f4", [2, 3], "<base64>"]`. `decode` builds new values from that and from nothing else: no pickle, no
code, no class of the other side.
"""

import base64
import builtins
import math
import reprlib
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from .values import DIALECTS, EXACT, PLAIN, Unreadable, array_of, float_of, is_tensor, maker_of, package

DEEPEST = 32  # levels of tuples, lists and dicts
MOST = 1 << 20  # what one value with all that is in it may weigh, in bytes of JSON, about
ENTRIES = 1000  # of one dict: keys that all have the same hash make a dict slow
_WEIGHT = 16  # of any value, with nothing in it
_CLASS = 1000  # of what becomes a class of its own
_EXACT = frozenset((*PLAIN, tuple, list, dict, set, frozenset, complex, bytes, np.ndarray, type(...)))
_KINDS = "biufcSU"  # NumPy's numbers and texts; the small floats of ml_dtypes go by their name
_NOT_ENCODED = "expected data written by encode, but got {data}: {reason}"
_LARGE = "expected a dict of at most {entries}, but got {count}"


def encode(value: Any, refer: Callable[[Any], list] | None = None) -> list:
    """`value` as JSON; what is not data (a function, a student's class, too much of anything) by the name of its type.

    With `refer`, by what `refer(it)` gives, which is JSON, too: also an object whose class derives from a type of data.
    Sets, bytes and complex numbers are then data.

    >>> encode((1, 2.5))
    ['tuple', [['int', '1'], ['float', '2.5']]]
    """
    try:
        return _Writer(refer).write(value, 0)
    except _TooMuch:
        return ["reference", refer(value)] if refer else ["other", _name(value)]


def decode(data: Any, resolve: Callable[[Any], Any] | None = None) -> Any:
    """The value that `encode` wrote; raises `Unreadable` for anything else, and for more than `encode` writes.

    What was not data comes back as an empty object whose type has the same name, a class as an error type of that name;
    or, where `encode` was given `refer`, as what `resolve` makes of the reference.
    """
    try:
        return _Reader(resolve).read(data, 0)
    except Unreadable:
        raise
    except Exception as error:  # whatever is in there: it was not written by `encode`
        reason = f"{type(error).__name__}: {error}"[:100]
        raise Unreadable(_NOT_ENCODED.format(data=reprlib.repr(data), reason=reason)) from None


class _TooMuch(Exception):
    """More than `MOST`."""


def _name(value):
    return str(type(value).__name__)[:100]


class _Weighed:
    """What has been written or read so far may not weigh more than `MOST`."""

    def __init__(self, most: int) -> None:
        self.left = most

    def weigh(self, weight: int) -> None:
        """Take `weight` more, or raise `_TooMuch`."""
        self.left -= _WEIGHT + weight
        if self.left < 0:
            raise _TooMuch("more than {most} bytes".format(most=MOST))


class _Writer(_Weighed):
    def __init__(self, refer) -> None:
        super().__init__(3 * MOST if refer else MOST)
        self.refer = refer

    def write(self, value: Any, depth: int) -> list:
        self.weigh(0)
        if depth > DEEPEST:
            return ["reference", self.refer(value)] if self.refer else ["other", _name(value)]
        if type(value) in EXACT:
            value = float_of(value)
        if type(value) in PLAIN:
            return self._small(value)
        if is_tensor(value) and package(value) in DIALECTS:
            return self._array(array_of(value), "tensor", package(value))
        if self.refer and type(value) not in _EXACT and not isinstance(value, np.generic):
            self.weigh(_CLASS)
            return ["reference", self.refer(value)]
        if isinstance(value, (np.ndarray, np.generic)):
            return self._array(value, "scalar" if isinstance(value, np.generic) else "array")
        if isinstance(value, (tuple, list)):
            self.weigh(_WEIGHT * len(value))
            return ["tuple" if isinstance(value, tuple) else "list", [self.write(v, depth + 1) for v in value]]
        if isinstance(value, dict) and len(value) <= ENTRIES:
            pairs = [[self.write(k, depth + 1), self.write(v, depth + 1)] for k, v in value.items()]
            return ["dict", pairs]
        if self.refer and isinstance(value, (set, frozenset)) and len(value) <= ENTRIES:
            kind = "set" if isinstance(value, set) else "frozenset"
            return [kind, [self.write(v, depth + 1) for v in value]]
        return self._small(value)

    def _small(self, value):
        if value is None or value is Ellipsis or isinstance(value, bool):
            return ["constant", repr(value)]
        if isinstance(value, int) and int.bit_length(value) < 4096:
            return ["int", int.__repr__(value)]
        if isinstance(value, float):
            return ["float", float.__repr__(value)]
        if isinstance(value, str):
            self.weigh(6 * str.__len__(value))
            return ["str", str.__str__(value)]
        if self.refer and isinstance(value, complex):
            return ["complex", complex.__repr__(value)]
        if self.refer and isinstance(value, bytes):
            self.weigh(2 * len(value))
            return ["bytes", value.hex()]
        self.weigh(_CLASS)
        if self.refer:
            return ["reference", self.refer(value)]
        if isinstance(value, type):
            return ["type", str(value.__name__)[:100]]
        return ["error" if isinstance(value, BaseException) else "other", _name(value)]

    def _array(self, value, *kind):
        dtype = value.dtype
        if not (dtype.kind in _KINDS or dtype.type.__module__ == "ml_dtypes"):
            self.weigh(_CLASS)
            return ["reference", self.refer(value)] if self.refer else ["other", _name(value)]
        self.weigh(value.nbytes * 4 // 3)  # before anything is copied: a view may be larger than all memory
        array = np.array(value, subok=False)
        text = base64.b64encode(array.tobytes()).decode("ascii")
        return [*kind, dtype.str if dtype.kind in _KINDS else dtype.name, list(array.shape), text]


class _Reader(_Weighed):
    def __init__(self, resolve) -> None:
        super().__init__(3 * MOST if resolve else MOST)
        self.resolve = resolve

    def read(self, data: Any, depth: int) -> Any:
        if depth > DEEPEST + 1:
            raise Unreadable("expected data written by encode, but it is nested too deeply")
        self.weigh(0)
        kind, *rest = data
        if kind in _ITEMS:
            if len(_only(rest)) > ENTRIES and kind.endswith("set"):
                raise Unreadable("expected a {kind} of at most {entries}".format(kind=kind, entries=ENTRIES))
            return _ITEMS[kind]([self.read(v, depth + 1) for v in _only(rest)])
        if self.resolve and kind in _CLASSES:
            raise Unreadable("expected data or a reference")
        if kind == "reference" and self.resolve:
            self.weigh(_CLASS)
            return self.resolve(_only(rest))
        if kind == "dict":
            return self._dict(_only(rest), depth)
        if kind in ("array", "scalar", "tensor"):
            return self._arrays(kind, *rest)
        text = _only(rest)
        if type(text) is not str:
            raise Unreadable("expected a string, but got a {kind}".format(kind=type(text).__name__))
        self.weigh(_CLASS if kind in _CLASSES else len(text))
        return _SMALL[kind](text)

    def _dict(self, pairs, depth):
        if len(pairs) > ENTRIES:
            raise Unreadable(_LARGE.format(entries=ENTRIES, count=len(pairs)))
        return {self.read(k, depth + 1): self.read(v, depth + 1) for k, v in pairs}

    def _arrays(self, kind, *rest):
        array = self._array(*rest[-3:])
        if kind == "tensor":
            dialect, *_ = rest
            return maker_of(dialect)(array)
        return array[()] if kind == "scalar" and array.shape == () else array

    def _array(self, dtype, shape, text):
        kind = _dtype(dtype)
        if len(shape) > 64 or not all(type(n) is int and 0 <= n <= MOST for n in shape):
            raise Unreadable("expected a shape, but got {shape}".format(shape=reprlib.repr(shape)))
        self.weigh(math.prod(shape) * kind.itemsize * 4 // 3)
        return np.frombuffer(base64.b64decode(text, validate=True), kind).reshape(shape).copy()


def _only(rest):
    (it,) = rest
    return it


def _dtype(text):
    if text[0] in "<>|=":
        kind, fits = np.dtype(text), np.dtype(text).kind in _KINDS
    else:
        kind = np.dtype(getattr(import_module("ml_dtypes"), text))
        fits = kind.type.__module__ == "ml_dtypes"
    if not fits or not 0 < kind.itemsize <= MOST:
        raise Unreadable("expected numbers or texts, but got an array of {text}".format(text=reprlib.repr(text)))
    return kind


def _error_type(name):
    """Python's own error type of that name, which recognisers look for; otherwise a new one."""
    known = getattr(builtins, name, None)
    return known if isinstance(known, type) and issubclass(known, BaseException) else type(name, (Exception,), {})


_CONSTANTS = {"None": None, "Ellipsis": ..., "True": True, "False": False}
_ITEMS: dict[str, Any] = {"tuple": tuple, "list": list, "set": set, "frozenset": frozenset}
_CLASSES = ("type", "error", "other")
_SMALL: dict[str, Any] = {
    "constant": lambda text: _CONSTANTS[text],
    "int": lambda text: int(text[:1300]),
    "float": float,
    "str": str,
    "complex": complex,
    "bytes": bytes.fromhex,
    "type": lambda name: _error_type(name[:100]),
    "error": lambda name: type(name[:100], (Exception,), {})(),
    "other": lambda name: type(name[:100], (), {})(),
}
