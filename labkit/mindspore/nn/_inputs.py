"""What a cell says of its inputs, for graph mode: shapes and types, with None for a length that may be any."""

from collections.abc import Callable
from inspect import signature

from ..context import in_graph_mode
from ..tensor import Tensor

_SET = (
    "For set_inputs and tuple(list) in set_inputs, the {} of {}th input must be the same as expected, but got expected: {}, and "
    "input: {}!"
)


class WithInputs:
    """The part of a cell that says what its inputs are."""

    construct: Callable

    def set_inputs(self, *inputs, **kwargs) -> None:
        """From here on a call in graph mode raises TypeError or ValueError unless its inputs are like these, by place or by name.

        `ms.Tensor(shape=[None, 3], dtype=ms.float32)` is like every Float32 tensor with two axes, the last of length 3. Raises
        ValueError for both ways at once, or a name that `construct` has not.

        >>> import labkit.mindspore as ms
        >>> net = ms.nn.Dense(3, 2)
        >>> net.set_inputs(ms.Tensor(shape=[None, 3], dtype=ms.float32))
        >>> net.get_inputs()[0].shape
        (-1, 3)
        """
        if inputs and kwargs:
            raise ValueError(
                f"For Cell, set_inputs should only set inputs or kwargs(inputs: {inputs}, kwargs: {kwargs})!"
            )
        names = [*signature(self.construct).parameters]
        if unknown := [name for name in kwargs if name not in names]:
            raise ValueError(f"For dict mode, valid key is {names}, but got {unknown[0]}!")
        object.__setattr__(self, "_inputs", (inputs, {names.index(name): value for name, value in kwargs.items()}))

    def get_inputs(self) -> tuple | dict | None:
        """What `set_inputs` was given; None without it."""
        inputs, by_place = self.__dict__.get("_inputs", ((), {}))
        if by_place:
            pairs = [[place, value] for place, value in by_place.items()]
            return {"arg_specified_infos": pairs, "total_arg_length": len(signature(self.construct).parameters)}
        return inputs or None

    def _check_inputs(self, args):
        inputs, by_place = self.__dict__.get("_inputs", ((), {}))
        if not in_graph_mode():
            return
        if inputs and len(inputs) != len(args):
            raise ValueError(
                f"For set_inputs, the length of input must be equal to expected one, but got expected: {len(inputs)} and "
                f"input: {len(args)}!"
            )
        for place, expected in (by_place or dict(enumerate(inputs))).items():
            if place < len(args) and isinstance(expected, Tensor):
                _check(place + 1, expected, args[place])


def _check(place, expected, given):
    """Raise TypeError or ValueError unless an input is like what was said of it."""
    if not isinstance(given, Tensor):
        raise TypeError(
            f"For set_inputs or tuple(list) in set_inputs, the {place}th should be mutable one, but got static!"
        )
    if given.dtype != expected.dtype:
        raise TypeError(
            f"For set_inputs or tuple(list) in set_inputs, the {place}th type should be Tensor[{expected.dtype}], but got "
            f"Tensor[{given.dtype}]!"
        )
    if given.ndim != expected.ndim:
        raise ValueError(_SET.format("dims", place, expected.ndim, given.ndim))
    for one, other in zip(expected.shape, given.shape, strict=True):
        if one not in (-1, other):
            raise ValueError(_SET.format("shape", place, one, other))
