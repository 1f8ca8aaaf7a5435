"""The function of a picture, run again with another value for one of its numbers."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ....engine import argument_names, getval
from ...kit.picture import NotANumber, typed
from .recorded import of_function
from .story import Story

MOST_FIELDS = 6


class Rerun:
    """`fun` at `args`. `values`: those of its arguments that are one number, by name, at most six; `beside` changes some."""

    def __init__(self, fun: Callable, args: Sequence[Any], program: bool = True):
        self.fun, self.args, self.program = fun, list(args), program
        body = getattr(fun, "construct", None) or getattr(fun, "forward", None) or fun
        self.names = argument_names(body, len(self.args))

    @property
    def values(self) -> dict[str, float | int]:
        """The arguments that are one number."""
        found = {n: _array(a) for n, a in zip(self.names, self.args, strict=True)}
        numbers = {
            n: int(a) if a.dtype.kind in "iu" else float(a)
            for n, a in found.items()
            if a.shape == () and a.dtype.kind in "fiuV"
        }
        return dict(list(numbers.items())[:MOST_FIELDS])

    def story(self) -> Story:
        """What happens in a run; exceptions of the function are passed on."""
        return of_function(self.fun, self.args, self.program)

    def beside(self, inputs: Mapping[str, float | str]) -> "Rerun":
        """The same with other numbers, or words for them.

        Raises KeyError for what is none of `values`, NotANumber for other words, and for a fraction where an integer is expected.
        """
        args, values = list(self.args), self.values
        for name, given in inputs.items():
            if name not in values:
                raise KeyError(f"expected one of {', '.join(values) or 'no names'}, but got {name!r}")
            place = self.names.index(name)
            if given != values[name]:
                args[place] = _like(_number_in(given, _array(args[place]).dtype), args[place])
        return Rerun(self.fun, args, self.program)


def _array(value):
    return np.asarray(getval(value.__engine_value__() if hasattr(value, "__engine_value__") else value))


def _number_in(words, dtype):
    value = typed(words)
    if dtype.kind in "iu" and not value.is_integer():
        raise NotANumber(f"a whole number is expected here, but {words!r} came")
    return int(value) if dtype.kind in "iu" else value


def _like(value, old):
    """The number as what `old` is: a tensor, an array, or a plain number."""
    if hasattr(old, "__engine_wrap__"):
        return old.__engine_wrap__(np.asarray(value, _array(old).dtype))
    return np.asarray(value, old.dtype) if hasattr(old, "dtype") else value
