"""Memory seen by strides: `as_strided`, tensors laid out otherwise, and what goes back to a shape."""

import numpy as np

from . import _rules
from ._creation import empty
from ._dispatch import check_inplace, view
from ._memory_format import memory_format
from ._modes import grad_enabled
from ._out import C_NAMES
from ._shaping import flat_sizes
from ._table import both, function, method
from ._tensor import Tensor


def _offset(tensor):
    base = tensor if tensor._base is None else tensor._base
    return (
        tensor._array.__array_interface__["data"][0] - base._array.__array_interface__["data"][0]
    ) // tensor.itemsize


@both()
def as_strided(input, size, stride, storage_offset=None):
    """The memory of `input`, from an element on, seen with another shape and strides, counted in elements: a view.

    Elements may be seen several times; their gradients add up. Raises RuntimeError where there is not so much memory.

    >>> import labkit.torch as torch
    >>> torch.as_strided(torch.arange(4.0), (2, 3), (1, 1))
    tensor([[0., 1., 2.],
            [1., 2., 3.]])
    """
    base = input if input._base is None else input._base
    first = _offset(input) if storage_offset is None else storage_offset
    size, stride = tuple(size), tuple(stride)
    last = first + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    if last >= base.numel() and 0 not in size:
        needed, held = (last + 1) * base.itemsize, base.numel() * base.itemsize
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {first}, and itemsize "
            f"{base.itemsize} requiring a storage size of {needed} are out of bounds for storage of size {held}"
        )
    return view(base, _rules.as_strided, size, stride, first)


@function()
def empty_strided(size, stride, *, dtype=None, device=None, requires_grad=False):
    """A tensor with these strides, counted in elements; what it holds is not said."""
    count = 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    made = as_strided(empty(count, dtype=dtype, device=device), size, stride).detach()
    return made.requires_grad_(requires_grad)


@function()
def empty_permuted(size, physical_layout, *, dtype=None, device=None, requires_grad=False):
    """A tensor of this shape that lies in memory by the order `physical_layout` of its dimensions; what it holds is not said."""
    order = tuple(physical_layout)
    made = empty(*(size[d] for d in order), dtype=dtype, device=device).permute(*np.argsort(order).tolist()).detach()
    return made.requires_grad_(requires_grad)


@method()
def dim_order(self, *, ambiguity_check=False):
    """The dimensions in the order in which the tensor lies in memory, the slowest first.

    Raises RuntimeError where several orders would do (`ambiguity_check`), or not just one of the memory formats given there.
    """
    formats = ambiguity_check if isinstance(ambiguity_check, list) else []
    if not isinstance(ambiguity_check, (bool, list)) or not all(isinstance(f, memory_format) for f in formats):
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    found, shape = self.stride(), self.shape
    if formats:
        unclear = sum(f.holds(self._array) for f in formats) != 1
    else:
        unclear = bool(ambiguity_check) and (len(set(found)) < self.ndim or 0 in shape or 1 in shape)
    if unclear:
        raise RuntimeError(
            "The tensor does not have unique dim order, or cannot map to exact one of the given memory formats."
        )
    return tuple(sorted(range(self.ndim), key=lambda d: -found[d]))


@method()
def new_empty_strided(self, size, stride, dtype=None, device=None, requires_grad=False):
    """`empty_strided` with the dtype of this tensor."""
    return empty_strided(size, stride, dtype=dtype or self.dtype, requires_grad=requires_grad)


@method()
def sum_to_size(self, *size):
    """The sum over what broadcasting to this shape has added to `size`."""
    size = flat_sizes(size)
    more = self.ndim - len(size)
    if more < 0 or any(n not in (1, m) for n, m in zip(size, self.shape[max(more, 0) :], strict=False)):
        raise RuntimeError(f"size {{{list(size)}}} is not expandable to size {{{list(self.shape)}}}.")
    dims = [*range(more), *(more + i for i, n in enumerate(size) if n == 1 != self.shape[more + i])]
    found = self.sum(dims, True) if dims else self
    return found.reshape(size) if more else found


@method("set_")
def set_(self, source=None, storage_offset=0, size=None, stride=None):
    """The memory of `source`, in place of the own one; of nothing, none. Raises RuntimeError for another dtype."""
    if grad_enabled() and self.requires_grad:
        check_inplace("set_", self)
    made = Tensor._of(np.zeros(0, self._array.dtype)) if source is None else source
    if made.dtype is not self.dtype:
        theirs, ours = (C_NAMES.get(t.dtype.name, t.dtype.name) for t in (made, self))
        raise RuntimeError(f"Could not set tensor of type {theirs} to a tensor of type {ours}")
    made = made if size is None else as_strided(made, size, stride or _row_major(size), storage_offset)
    self._data, self._version_counter, self._accumulator = made._array, made._version_counter, None
    return self


def _row_major(size):
    return tuple(int(np.prod(size[k + 1 :])) for k in range(len(size)))
