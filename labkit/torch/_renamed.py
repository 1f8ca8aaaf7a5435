"""Words that are others under another name, or one line of them."""

import numpy as np

from ..absent import names
from ..kinds import as_tuple
from . import _choosing, _composed, _linear, _out, _picking, _random  # noqa: F401  (their entries are used below)
from ._dispatch import off_tape
from ._operators import in_place
from ._reduce import PAIRS
from ._size import Size
from ._table import FUNCTIONS, METHODS, both, function, method

SAME = {
    "adjoint": "mT",
    "trapz": "trapezoid",
    "split_with_sizes": "split",
    "unsafe_split": "split",
    "unsafe_chunk": "chunk",
}
_MT = METHODS["mT"]
METHODS.update(mH=_MT, broadcast_to=METHODS["expand"], is_shared=lambda self: False, is_pinned=lambda self: False)
for _name, _same in SAME.items():
    _fun = FUNCTIONS.get(_same, _MT.fget)
    FUNCTIONS[_name] = _fun
    if _name != "trapz":
        METHODS[_name] = _fun
METHODS["share_memory_"] = lambda self: self


@function()
def broadcast_shapes(*shapes):
    """The shape that shapes broadcast to, each a tuple or a number."""
    found: list[int] = []
    for place, given in enumerate(shapes):
        shape = as_tuple(given, (tuple, list))
        found = [1] * (len(shape) - len(found)) + found
        for back, n in enumerate(reversed(shape), 1):
            if n not in (1, found[-back]) and found[-back] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {n} at {-back}! Mismatching argument at index {place} had "
                    f"{tuple(shape)}; but expected shape should be broadcastable to {found}"
                )
            found[-back] = found[-back] if n == 1 else n
    return Size(found)


@both("conj", "resolve_conj", "resolve_neg")
@function("real")
def _itself(input):
    """`input` itself: there are no complex numbers."""
    return input


@both("is_conj", "is_neg")
def _no(input) -> bool:
    """Whether a tensor is kept as the conjugate or the negative of another: no."""
    return False


@method("imag")
def _imag(self):
    raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")


METHODS["conj_physical"] = FUNCTIONS["conj_physical"] = _itself
METHODS["real"], METHODS["imag"] = property(_itself), property(_imag)


@both()
def is_same_size(input, other):
    """Whether two tensors have one shape."""
    return input.shape == other.shape


@function()
def fill(input, value):
    """A tensor like `input` filled with a number, or with a tensor of one."""
    return input.clone().fill_(value)


@both()
def frexp(input):
    """`(mantissa, exponent)`: input = mantissa * 2**exponent, with the mantissa's size from 1/2 to 1; the exponents are int32."""
    exponent = off_tape(np.frexp(input._array)[1].astype(np.int32), "frexp", input)
    return PAIRS["frexp"](input / 2.0**exponent, exponent)


@method("bernoulli")
def _bernoulli(self, p=None, *, generator=None):
    """1 with the probability that each element is, or with `p`; else 0."""
    return FUNCTIONS["bernoulli"](self, p, generator=generator)


@method("new")
def new(self, *data):
    """A tensor of the same dtype: of a shape, of other data, or empty."""
    if data and not isinstance(data[0], (int, Size)):
        return self.new_tensor(data[0])
    return self.new_empty(*data) if data else self.new_empty(0)


@method("apply_")
def apply_(self, callable):
    """Every element in place by a Python function of it."""
    self._array.flat = [callable(v) for v in self._array.reshape(-1).tolist()]
    return self


@method("fill_diagonal_")
def fill_diagonal_(self, fill_value, wrap=False):
    """The main diagonal set to a number, in place; with `wrap`, of a tall matrix also those that begin again below it."""
    if self.ndim > 2:
        if len(set(self.shape)) > 1:
            raise RuntimeError("all dimensions of input must be of equal length")
        self[(range(len(self)),) * self.ndim] = fill_value
        return self
    rows, columns = self.shape
    for first in range(0, rows if wrap else 1, columns + 1):
        self[first:].diagonal().fill_(fill_value)
    return self


for _name in names("torch")["Tensor:"]:  # every method that has a form in place there has one here
    if _name.endswith("_") and _name not in METHODS and callable(METHODS.get(_name[:-1])):
        METHODS[_name] = in_place(_name[:-1])
