"""Numbers that are known only when a program runs: an `int`, `float` or `bool` of Python that a branch or a loop changes."""

from typing import Any

import numpy as np

from .tensor import Tensor

KINDS = {bool: np.bool_, int: np.int64, float: np.float32}


class Number(Tensor):
    """A number of a program. It takes the type of the tensor beside it and leaves the program as one of Python's."""

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


def numbered(value) -> Any:
    """A Python number as one of a program, anything else as it is."""
    made = as_number(value)
    return value if made is None else made


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
