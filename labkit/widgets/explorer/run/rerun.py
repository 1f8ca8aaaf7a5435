"""The function of a picture, run again with other numbers in its arguments."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ....engine import argument_names, getval
from .lines import entries
from .recorded import of_function
from .story import Story

MOST_ENTRIES = 64


class Rerun:
    """`fun` at `args`. `entries`: the numbers of its arguments of floating point, by name, `x` or `x[0, 1]`; {} of many."""

    def __init__(self, fun: Callable, args: Sequence[Any], program: bool = True):
        self.fun, self.args, self.program = fun, list(args), program
        body = getattr(fun, "construct", None) or getattr(fun, "forward", None) or fun
        self.names = argument_names(body, len(self.args))

    def arguments(self) -> list[tuple[int, str, list[str]]]:
        """The place, the name, and the names of the numbers of each argument that may change."""
        arrays = [(i, name, _array(arg)) for i, (name, arg) in enumerate(zip(self.names, self.args, strict=True))]
        floats = [one for one in arrays if one[2].dtype.kind in "fV"]
        if sum(array.size for *_, array in floats) > MOST_ENTRIES:
            return []
        return [(i, name, entries(name, array.shape)) for i, name, array in floats]

    @property
    def entries(self) -> dict[str, float]:
        """The numbers that may change."""
        return {
            entry: float(v)
            for i, _, names in self.arguments()
            for entry, v in zip(names, _array(self.args[i]).ravel(), strict=True)
        }

    def story(self) -> Story:
        """What happens in a run; exceptions of the function are passed on."""
        return of_function(self.fun, self.args, self.program)

    def beside(self, inputs: Mapping[str, float]) -> "Rerun":
        """The same with other numbers. Raises KeyError for what is none of `entries`."""
        known = {entry: (i, k) for i, _, names in self.arguments() for k, entry in enumerate(names)}
        args = list(self.args)
        for entry, value in inputs.items():
            if entry not in known:
                raise KeyError(f"inputs: expected some of {', '.join(known) or 'none'}, but got {entry!r}")
            i, k = known[entry]
            array = np.array(_array(args[i]), order="C")
            array.reshape(-1)[k] = float(value)
            args[i] = _like(array, args[i])
        return Rerun(self.fun, args, self.program)


def _array(value):
    return np.asarray(getval(value.__engine_value__() if hasattr(value, "__engine_value__") else value))


def _like(array, old):
    """The numbers as what `old` is: a tensor, an array, or a plain number."""
    if hasattr(old, "__engine_wrap__"):
        return old.__engine_wrap__(np.asarray(array, _array(old).dtype))
    return np.asarray(array, old.dtype) if hasattr(old, "dtype") else float(array)
