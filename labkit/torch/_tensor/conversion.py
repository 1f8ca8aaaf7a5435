"""Conversion to Python and NumPy: numbers, lists, arrays. The result is off the tape, and this is noted."""

import numpy as np

from ...dialects.user_warnings import warn_user
from .._error_texts import error, said
from .._tape import grad_mode, tensor_provenance
from .attributes import Fields, part


@part
class Leaving(Fields):
    """The part of `Tensor` that hands out what it holds."""

    def numpy(self, *, force=False):
        """The NumPy array that shares this tensor's memory."""
        self._check_entry("vmap_memory")
        if self.requires_grad and grad_mode.grad_enabled() and not force:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        if self.dtype.name == "bfloat16":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return tensor_provenance.left(self, "numpy", self._array)

    def __array__(self, dtype=None, copy=None):
        array = self.numpy()
        return array if dtype is None else array.astype(dtype, copy=False)

    def item(self):
        """The one element as a Python number."""
        self._check_entry("vmap_item")
        return tensor_provenance.left(self, "item", self._item())

    def _check_entry(self, said):
        """Raise where the values of an entry of `vmap` are asked for."""
        entry = grad_mode.state.drawing
        if entry is not None and entry.holds(self):
            inside = grad_mode.transform_level() > entry.level and said != "vmap_memory"
            raise error("vmap_either" if inside else said)

    def _item(self):
        if self.numel() != 1:
            raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        return _python(self._array.reshape(()))

    def tolist(self):
        """Nested lists of Python numbers; a number for a 0-d tensor."""
        self._check_entry("vmap_memory")
        array = self._array
        found = (
            _python(array)
            if array.ndim == 0
            else (array.astype(np.float32) if array.dtype.kind == "V" else array).tolist()
        )
        return tensor_provenance.left(self, "tolist", found)

    def _number(self, kind):
        if self.numel() != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        self._check_entry("vmap_branch" if kind is bool else "vmap_item")
        if kind is float and self.requires_grad:
            warn_user(said("scalar_of_grad"))
        return tensor_provenance.left(self, kind.__name__, kind(self._array.reshape(()).item()))

    def __float__(self):
        return self._number(float)

    def __int__(self):
        return self._number(int)

    def __index__(self):
        if self.numel() != 1 or self.dtype.is_floating_point:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return self._number(int)

    def __bool__(self):
        if self.numel() > 1:
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        if self.numel() == 0:
            raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
        return self._number(bool)

    def __len__(self):
        if self.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return self._array.shape[0]

    def __iter__(self):
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __contains__(self, element):
        return bool((self == element)._array.any())

    def __hash__(self):
        return id(self)


def _python(zero_d):
    value = zero_d.item()
    return float(value) if zero_d.dtype.kind == "V" else value
