"""`torch._utils`: several tensors as a flat one, and back."""

from ..aliases import attributes
from ._joining import cat

__all__ = ["_flatten_dense_tensors", "_unflatten_dense_tensors"]


def _flatten_dense_tensors(tensors):
    """All elements of the tensors, which are of one dtype, one after the other.

    >>> import labkit.torch as torch
    >>> _flatten_dense_tensors([torch.ones(1, 2), torch.zeros(1)])
    tensor([1., 1., 0.])
    """
    return cat([t.reshape(-1) for t in tensors])


def _unflatten_dense_tensors(flat, tensors) -> tuple:
    """A flat tensor cut into the shapes of `tensors`."""
    parts = flat.split([t.numel() for t in tensors])
    return tuple(part.view(t.shape) for part, t in zip(parts, tensors, strict=True))


__getattr__ = attributes(__name__)
