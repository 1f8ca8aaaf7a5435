"""Where a tensor came from, without any of its numbers, on the tape and off it: what `labkit.why` follows.

A `Trail` is a note of what made a tensor, where in the user's code, and of what; an `Exit` one of a value that became Python's or
NumPy's. The PyTorch dialect makes them always; elsewhere a run is watched only on request.
"""

import sys
import weakref
from itertools import count
from typing import Any

import numpy as np

from ..engine import is_library

RECORDED, LEAF, DETACHED, NO_GRAD, INTEGER, UNTRACED, GRADIENT, NUMBERS, AFTER = (
    "recorded", "leaf", "detached", "no_grad", "integer", "no derivative", "no create_graph", "numbers", "after",
)  # fmt: skip
OPEN = (RECORDED, LEAF)  # what a gradient goes on from
_number = count()


class _Files(dict):
    """Whether code of a file is a library's own."""

    def __missing__(self, name):
        self[name] = is_library(name)
        return self[name]


_FILES = _Files()


def is_own(frame: Any) -> bool:
    """Whether a frame runs labkit's, autograd's or NumPy's code, also what they have written themselves."""
    name = frame.f_code.co_filename
    return _FILES[name] or (name == "<string>" and frame.f_globals.get("__name__", "").startswith("labkit."))


def place(depth: int = 1) -> Any:
    """Where the user's code is: `(code, instruction)`, or None. So many of the innermost frames are known to be a library's."""
    frame: Any = sys._getframe(depth)
    files = _FILES
    while frame is not None:
        code = frame.f_code
        name = code.co_filename
        if not files[name] and (name != "<string>" or not is_own(frame)):
            return code, frame.f_lasti
        frame = frame.f_back
    return None


class Trail:
    """A note of what made a tensor: `op`, the `place`, and a `kind` that says whether the gradient goes on from there.

    `number` grows with time. `off`: where recording had been switched off, of what was made without. What it was made of is
    `kept`, or known while other code keeps it (`weak`).

    >>> leaf = Trail("leaf", None, LEAF)
    >>> Trail("detach", None, DETACHED, [leaf]).before == [leaf]
    True
    """

    __slots__ = ("__weakref__", "_kept", "_weak", "kind", "number", "off", "op", "place")

    def __init__(self, op, where, kind, kept=(), weak=(), off=None):
        self.op, self.place, self.kind, self.number, self.off = op, where, kind, next(_number), off
        self._kept, self._weak = tuple(kept), tuple(map(weakref.ref, weak))

    @property
    def before(self) -> list["Trail"]:
        """The notes of what it was made of, as far as they are still there."""
        return [*self._kept, *(trail for trail in (ref() for ref in self._weak) if trail is not None)]


class Exit:
    """A value that left the tensors by `op`: the `trail` of the tensor, the `place`, and `value()`, None once it is gone."""

    __slots__ = ("number", "op", "place", "trail", "value")

    def __init__(self, trail, op, value, where):
        self.trail, self.op, self.place, self.number = trail, op, where, next(_number)
        self.value: Any = weakref.ref(value) if isinstance(value, np.ndarray) else lambda: value


def is_same(value: Any, data: Any) -> bool:
    """Whether `data` is the `value` that left, or has it inside.

    >>> is_same(2.5, [1.0, [2.5]]), is_same(2.5, 1.0), is_same([2.5], 2.5)
    (True, False, False)
    """
    if value is None:
        return False
    if data is value:
        return True
    if isinstance(data, (list, tuple)):
        return any(is_same(value, part) for part in data[:64])
    if hasattr(value, "base"):
        base = getattr(data, "base", None)
        return base is not None and (base is value or base is value.base)
    return type(data) in (int, float) and type(value) in (int, float) and data == value
