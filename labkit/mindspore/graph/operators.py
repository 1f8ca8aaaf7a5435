"""Numbers that are known only when a program runs: an `int`, `float` or `bool` of Python that a branch or a loop changes."""

from operator import add, mul, sub, truediv
from typing import Any

import numpy as np

from ...engine import cast
from ..common.parameter import Parameter
from ..common.tensor import Tensor
from .recorder import bare_recorded, current, only_inside

KINDS = {bool: np.bool_, int: np.int64, float: np.float32}
_ASSIGN = "For 'Assign', expected a value of shape {shape}, but got {got}."


class Number(Tensor):
    """A number of a program. It takes the type of the other operand and leaves the program as one of Python's."""

    __slots__ = ()


def number(value) -> Number:
    """The number that holds `value`, a box or a number of NumPy's."""
    made = object.__new__(Number)
    made._value = value
    return made


def as_number(value) -> Any:
    """A Python number as one of a program; a `Number` as it is, None for anything else."""
    if isinstance(value, Number):
        return value
    return number(KINDS[type(value)](value)) if type(value) in KINDS else None


def _of_numbers(name):
    """An operator that gives a number where both operands are."""
    plain = getattr(Tensor, name)

    def operator(self, other):
        result = plain(self, other)
        together = isinstance(other, Number) or type(other) in KINDS
        return number(result._value) if together and isinstance(result, Tensor) else result

    return operator


def give_operators() -> None:
    """Give numbers their operators, once tensors have theirs."""
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
        for side in ("", "r"):
            setattr(Number, f"__{side}{name}__", _of_numbers(f"__{side}{name}__"))
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(Number, f"__{name}__", _of_numbers(f"__{name}__"))
    for name in ("neg", "abs"):
        plain = getattr(Tensor, f"__{name}__", None)
        if plain is not None:
            setattr(Number, f"__{name}__", lambda self, plain=plain: number(plain(self)._value))
    setattr(Number, "__hash__", Tensor.__hash__)  # noqa: B010


_DIMENSIONS = (
    "For 'Assign', the 'x' and 'y' must have the same dimension, but got the dimension of 'x': {} and the dimension of 'y': "
    "{}"
)


def _updating(operator):
    def update(self, other):
        if not (current.recorder is not None or current.in_graph) or isinstance(self, Number):
            return NotImplemented
        found = operator(self, other)
        if found.ndim != self.ndim:
            raise RuntimeError(_DIMENSIONS.format(self.ndim, found.ndim))
        if found.shape != self.shape:
            raise RuntimeError(_ASSIGN.format(shape=self.shape, got=found.shape))
        value = cast(found._value, self._value.dtype)
        _note(self, value)
        self._value = value
        return self

    return update


def _note(tensor, value):
    """Note an argument that is written, also under a derivative. Raises TraceError for a tensor from outside."""
    if current.recorder is None or isinstance(tensor, Parameter):
        return
    only_inside(tensor, "change a tensor from outside")
    held = bare_recorded(tensor._value)
    for place, own in enumerate(current.recorder.own):
        if own is tensor or own._value is held:
            own._value = bare_recorded(value)
            if place not in current.recorder.updated:
                current.recorder.updated.append(place)


def give_updates() -> None:
    """Give tensors these operators, once they have the others."""
    for name, operator in {"iadd": add, "isub": sub, "imul": mul, "itruediv": truediv}.items():
        setattr(Tensor, f"__{name}__", _updating(operator))
