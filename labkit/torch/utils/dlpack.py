"""`torch.utils.dlpack`: tensors handed to other libraries, and taken from them, without a copy."""

from typing import Any

import numpy as np

from ...aliases import attributes
from .._creation import from_numpy
from .._tensor import Tensor

__all__ = ["from_dlpack", "to_dlpack"]


class _Held:
    """A capsule as something that can be asked for it."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **kwargs):
        return self.capsule

    def __dlpack_device__(self):
        return 1, 0


def to_dlpack(tensor) -> Any:
    """A capsule with the memory of a tensor."""
    return tensor.detach().numpy().__dlpack__()


def from_dlpack(ext_tensor, *, device=None, copy=None) -> Tensor:
    """A tensor on the memory of an array of another library, or of a capsule.

    >>> import numpy as np
    >>> array = np.ones(2, np.float32)
    >>> t = from_dlpack(array)
    >>> array[0] = 5
    >>> t
    tensor([5., 1.])
    """
    if isinstance(ext_tensor, Tensor):
        if ext_tensor.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        return ext_tensor.detach()
    held = ext_tensor if hasattr(ext_tensor, "__dlpack__") else _Held(ext_tensor)
    found = from_numpy(np.from_dlpack(held))
    return found.clone() if copy else found


__getattr__ = attributes(__name__)
