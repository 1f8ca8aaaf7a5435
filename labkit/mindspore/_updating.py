"""`x += y` in graph mode: it writes into the tensor, whoever else has it, and the tensor keeps its type.

Outside of graph mode it gives a new tensor, as the operator does.
"""

from operator import add, mul, sub, truediv

from ..engine import cast
from ._number import Number
from ._recording import current, only_inside
from .parameter import Parameter
from .tensor import Tensor

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
            raise RuntimeError(f"For 'Assign', expected a value of shape {self.shape}, but got {found.shape}.")
        _note(self)
        self._value = cast(found._value, self._value.dtype)
        return self

    return update


def _note(tensor):
    """Note an argument that is written. Raises TraceError for any other tensor from outside, but for a parameter."""
    if current.recorder is None or isinstance(tensor, Parameter):
        return
    only_inside(tensor, "change a tensor from outside")
    places = [*current.recorder.own]
    if id(tensor) in current.recorder.own and (place := places.index(id(tensor))) not in current.recorder.updated:
        current.recorder.updated.append(place)


def give_updates() -> None:
    """Give tensors these operators, once they have the others."""
    for name, operator in {"iadd": add, "isub": sub, "imul": mul, "itruediv": truediv}.items():
        setattr(Tensor, f"__{name}__", _updating(operator))
