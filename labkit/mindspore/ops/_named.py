"""Ops that are a few words of others: tests, masks, norms, and what a tensor is."""

from collections.abc import Callable

import numpy as np

from ..dtype import DType
from ..tensor import Tensor
from . import _create, _elementwise, _reduction, _shape  # noqa: F401  (whose ops it asks for)
from ._joining import found_by
from ._op import METHODS, OPS, register, value_of


def checked(input, name):
    """A tensor. Raises TypeError for anything else."""
    value_of(input, name)
    return input


def is_floating_point(input):
    """Whether the elements are floats.

    >>> import labkit.mindspore as ms
    >>> is_floating_point(ms.Tensor([1.0])), is_floating_point(ms.Tensor([1]))
    (True, False)
    """
    return value_of(input, "is_floating_point").dtype.kind in "fV"


def isneginf(input):
    """Where the elements are minus infinity."""
    return found_by(np.isneginf, checked(input, "isneginf"))


def isposinf(input):
    """Where the elements are infinity."""
    return found_by(np.isposinf, checked(input, "isposinf"))


def signbit(input):
    """Where the elements are below zero, minus zero included."""
    return found_by(np.signbit, checked(input, "signbit"))


def isreal(input):
    """Where the elements are real numbers: everywhere, since there are no complex ones."""
    return OPS["ones_like"](input).astype("bool")


def nan_to_num(input, nan=None, posinf=None, neginf=None):
    """`input` with numbers in the place of nan and infinities: 0 and the largest of the type, unless they are given."""
    limits = np.finfo(value_of(input, "nan_to_num").dtype)
    told = {"isnan": 0.0 if nan is None else nan, "isposinf": limits.max if posinf is None else posinf,
            "isneginf": limits.min if neginf is None else neginf}  # fmt: skip
    found = input
    for where, number in told.items():
        found = OPS["masked_fill"](found, OPS[where](input), float(number))
    return found


def sequence_mask(lengths, maxlen=None):
    """For each length a row of `maxlen` (the largest length unless it is given): True as long as it goes.

    >>> import labkit.mindspore as ms
    >>> print(sequence_mask(ms.Tensor([1, 3])))
    [[ True False False]
     [ True  True  True]]
    """
    count = int(lengths.asnumpy().max()) if maxlen is None else maxlen
    return Tensor(np.arange(count)) < lengths.expand_dims(-1)


def vecdot(x, y, *, axis=-1):
    """The sums of the products of two tensors along an axis."""
    return (x * y).sum(axis)


def trapz(y, x=None, *, dx=1.0, dim=-1):
    """The integral of samples `y` along an axis, by trapezoids whose corners are at `x`, or `dx` apart."""
    y = OPS["moveaxis"](y, dim, -1)
    width = dx if x is None else OPS["diff"](x if x.ndim < 2 else OPS["moveaxis"](x, dim, -1))
    return ((y[..., 1:] + y[..., :-1]) / 2 * width).sum(-1)


def channel_shuffle(input, groups):
    """The channels, axis 1, in `groups` groups, taken in turn from each."""
    batch, channels, *size = input.shape
    apart = input.reshape((batch, groups, channels // groups, *size))
    return apart.swapaxes(1, 2).reshape(input.shape)


def vector_norm(x, ord=2, axis=None, keepdims=False, *, dtype=None):
    """The `ord`-norm of all elements, or along an axis."""
    x = x if dtype is None else x.astype(dtype)
    return OPS["norm"](x.flatten() if axis is None and not keepdims else x, ord, axis, keepdims)


def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    """Matrices, along two new axes, with the last axis on a diagonal."""
    count, size = input.ndim + 1, input.shape[-1] + abs(offset)
    places = np.arange(input.shape[-1])
    rows, columns = Tensor(places - min(offset, 0)), Tensor(places + max(offset, 0))
    moved = OPS["moveaxis"](input, -1, 0)
    zeros = OPS["zeros"]((size, size, *moved.shape[1:]), dtype=input.dtype)
    made = OPS["tensor_scatter_update"](zeros, OPS["stack"]((rows, columns), -1), moved)
    first, second = (d % count for d in (dim1, dim2))
    return OPS["moveaxis"](made, (0, 1), (first, second))


def sgn(input):
    """The signs of the elements."""
    return OPS["sign"](input)


def frac(input):
    """What stands behind the point."""
    return input - OPS["trunc"](input)


def aminmax(input, *, axis=0, keepdims=False):
    """`(the smallest, the largest)` along an axis; of all elements for None."""
    return tuple(OPS[name](input, axis, keepdims) for name in ("amin", "amax"))


def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """The elements without those that repeat the one before; with which run each belongs to, and how long the runs are."""
    flat = input.flatten()
    values = flat.asnumpy()
    new = np.concatenate([[True], values[1:] != values[:-1]])[: values.size]
    if dim is not None and input.ndim > 1:
        raise NotImplementedError("unique_consecutive: labkit has it of all elements; leave `dim` out")
    found = [flat[Tensor(np.flatnonzero(new))]]
    if return_inverse:
        found.append(Tensor((np.cumsum(new) - 1).reshape(input.shape)))
    if return_counts:
        found.append(Tensor(np.diff(np.append(np.flatnonzero(new), values.size))))
    return tuple(found) if len(found) > 1 else found[0]


def _tril(row, col, offset=0, *, dtype=None):
    """The places of the lower triangle of a matrix: a row of rows and a row of columns."""
    return _places(np.tril_indices, row, col, offset, dtype)


def _triu(row, col, offset=0, *, dtype=None):
    """The places of the upper triangle of a matrix: a row of rows and a row of columns."""
    return _places(np.triu_indices, row, col, offset, dtype)


def _places(which, row, col, offset, dtype):
    found = Tensor(np.stack(which(row, offset, col)).astype(np.int64))
    return found if dtype is None else found.astype(dtype)


# ---- methods alone ----


def allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are close to those of `other`: within atol + rtol * |other|."""
    return bool(OPS["isclose"](self, other, rtol, atol, equal_nan).all())


def _type(self, dtype=None):
    """The name of the type of the elements; with `dtype` the elements in that type."""
    return self.astype(dtype) if isinstance(dtype, DType) else str(self.dtype)


def sum_to_size(self, *size):
    """The sum over the axes along which this shape was broadcast."""
    wanted = tuple(size[0]) if size and isinstance(size[0], (tuple, list)) else size
    found = self.sum(tuple(range(self.ndim - len(wanted)))) if self.ndim > len(wanted) else self
    over = tuple(i for i, (n, m) in enumerate(zip(found.shape, wanted, strict=True)) if m == 1 != n)
    return found.sum(over, keepdims=True) if over else found


def index_put(self, indices, values, accumulate=False):
    """A copy with `values` at the places that the tensors `indices` name, one for each axis; or added to what is there."""
    places = OPS["stack"](tuple(indices), -1)
    values = OPS["broadcast_to"](values, (*indices[0].shape, *self.shape[len(indices) :]))
    return OPS["tensor_scatter_add" if accumulate else "tensor_scatter_update"](self, places, values)


_tril.__name__, _triu.__name__ = "tril_indices", "triu_indices"
_METHODS: tuple[Callable, ...] = (
    is_floating_point, isneginf, isposinf, signbit, isreal, nan_to_num, sgn, frac, aminmax, unique_consecutive,
)  # fmt: skip
_FUNCTIONS: tuple[Callable, ...] = (
    sequence_mask, vecdot, trapz, channel_shuffle, vector_norm, diag_embed, _tril, _triu,
)  # fmt: skip
for _fun in _METHODS:
    register(_fun)
for _fun in _FUNCTIONS:
    register(_fun, _fun.__name__, method=False)
METHODS.update({
    "allclose": allclose, "type": _type, "sum_to_size": sum_to_size, "index_put": index_put, "amax": OPS["amax"],
    "amin": OPS["amin"], "nelement": lambda self: self.size, "ndimension": lambda self: self.ndim,
    "is_contiguous": lambda self: True, "unfold": OPS["unfold"], "fold": OPS["fold"], "xdivy": OPS["xdivy"],
})  # fmt: skip
