"""What can be asked of a tensor without a look at its elements: shape, type, and where they lie in memory."""

from ._device import device
from ._dtype import of_numpy
from ._fields import Fields, part
from ._memory_format import contiguous_format
from ._size import Size


class Storage:
    """A piece of memory; what `Tensor.untyped_storage` tells of it."""

    def __init__(self, array):
        self._array = array

    def nbytes(self):
        """How many bytes it has."""
        return self._array.nbytes

    size = __len__ = nbytes

    def data_ptr(self):
        """The address of its first byte."""
        return _address(self._array)


@part
class Described(Fields):
    """The part of `Tensor` that says what its array is like."""

    @property
    def shape(self):
        return Size(self._array.shape)

    def size(self, dim=None):
        """The shape, or its entry `dim`."""
        return self.shape if dim is None else self.shape[dim]

    @property
    def dtype(self):
        return of_numpy(self._array.dtype)

    @property
    def ndim(self):
        return self._array.ndim

    def dim(self):
        return self._array.ndim

    ndimension = dim

    def numel(self):
        """How many elements there are."""
        return int(self._array.size)

    nelement = numel

    def element_size(self):
        return self._array.itemsize

    itemsize = property(element_size)
    nbytes = property(lambda self: self._array.nbytes)

    @property
    def device(self):
        return device("cpu")

    is_cpu = property(lambda self: True)
    is_cuda = is_mps = is_meta = is_xpu = is_quantized = is_nested = property(lambda self: False)
    is_sparse = property(lambda self: False)
    layout = property(lambda self: "torch.strided")

    def get_device(self):
        return -1

    def stride(self, dim=None):
        """Elements from one entry to the next, per dimension."""
        strides = tuple(s // self._array.itemsize for s in self._array.strides)
        return strides if dim is None else strides[dim]

    def is_pinned(self):
        return False

    def storage_offset(self):
        array, base = self._array, self._base._array if self._base is not None else self._array
        return (_address(array) - _address(base)) // array.itemsize

    def data_ptr(self):
        """The address of the first element."""
        return _address(self._array)

    def is_contiguous(self, memory_format=contiguous_format):
        """Whether the elements lie in that order, without gaps."""
        return memory_format.holds(self._array)

    def untyped_storage(self):
        """The memory behind this tensor and its views, as bytes: `nbytes()`, `size()`, `data_ptr()`."""
        return Storage(self._array if self._base is None else self._base._array)

    storage = untyped_storage

    def is_floating_point(self):
        return self.dtype.is_floating_point

    def is_complex(self):
        return False

    def is_signed(self):
        return self.dtype.is_signed


def _address(array):
    return array.__array_interface__["data"][0]
