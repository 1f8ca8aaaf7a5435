"""Tensors handed to other packages, and taken from them, by DLPack."""

import numpy as np

from .tensor import Tensor

_CPU = (1, 0)


class _Held:
    """What NumPy takes a capsule from."""

    def __init__(self, capsule):
        self._capsule = capsule

    def __dlpack__(self, **_):
        return self._capsule

    def __dlpack_device__(self):
        return _CPU


def to_dlpack(tensor):
    """The capsule that another package takes a tensor from, once.

    >>> from_dlpack(to_dlpack(Tensor([1.0, 2.0])))
    Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  2.00000000e+00])
    """
    return np.array(tensor.asnumpy()).__dlpack__()


def from_dlpack(dlpack) -> Tensor:
    """The tensor that a capsule holds."""
    return Tensor(np.array(np.from_dlpack(_Held(dlpack))))
