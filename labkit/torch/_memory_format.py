"""`torch.memory_format`: in which order of dimensions a tensor lies in memory."""

import numpy as np


class memory_format:
    """An order of dimensions in memory; `axes` are those of a tensor of that many dimensions, the slowest first."""

    def __init__(self, name, axes=()):
        self.name, self.axes = name, axes

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return self.name

    def order(self, array) -> tuple[int, ...]:
        """The axes of `array` in this order. Raises RuntimeError for another number of dimensions."""
        if self.axes and array.ndim != len(self.axes):
            raise RuntimeError(f"required rank {len(self.axes)} tensor to use {self.name} format")
        return self.axes or tuple(range(array.ndim))

    def holds(self, array) -> bool:
        """Whether `array` lies in this order, without gaps."""
        return array.ndim == len(self.axes or array.shape) and bool(
            array.transpose(self.order(array)).flags.c_contiguous
        )


contiguous_format, preserve_format = memory_format("contiguous_format"), memory_format("preserve_format")
channels_last = memory_format("channels_last", (0, 2, 3, 1))
channels_last_3d = memory_format("channels_last_3d", (0, 2, 3, 4, 1))
FORMATS = {f.name: f for f in (contiguous_format, preserve_format, channels_last, channels_last_3d)}


def in_order(array, axes) -> np.ndarray:
    """A copy of `array` that lies in memory by these axes.

    >>> in_order(np.zeros((1, 2, 3, 4)), (0, 2, 3, 1)).strides
    (192, 8, 64, 16)
    """
    return np.array(array.transpose(axes), order="C").transpose(np.argsort(axes))


def as_lies(made, like) -> np.ndarray:
    """The array `made` in the order in which `like` lies."""
    if like.flags.c_contiguous:
        return made
    found = np.empty_like(like, dtype=made.dtype)
    found[...] = made
    return found
