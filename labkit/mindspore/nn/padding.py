"""Padding layers: a class for each mode and number of dimensions."""

from typing import Any

from ..ops._padding import pad
from ..tensor import Tensor
from .cell import Cell

__all__ = [
    "ConstantPad1d", "ConstantPad2d", "ConstantPad3d", "Pad", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d",
    "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d", "ZeroPad2d",
]  # fmt: skip


class _Pad(Cell):
    mode, dims = "constant", 1
    value: Any = 0

    def __init__(self, padding):
        super().__init__()
        self.padding = (padding,) * (2 * self.dims) if isinstance(padding, int) else tuple(padding)

    def construct(self, x) -> Tensor:
        return pad(x, self.padding, self.mode, self.value)


class _ConstantPad(_Pad):
    def __init__(self, padding, value):
        super().__init__(padding)
        self.value = value


def _pads(name, mode, kind: Any = _Pad):
    doc = "`ops.pad` with mode {!r} as a cell: `padding` is a number, or pairs, the last axis first."
    for dims in (1, 2, 3):
        members = {"mode": mode, "dims": dims, "__module__": __name__, "__doc__": doc.format(mode)}
        yield type(f"{name}Pad{dims}d", (kind,), members)


ConstantPad1d, ConstantPad2d, ConstantPad3d = _pads("Constant", "constant", _ConstantPad)
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = _pads("Reflection", "reflect")
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = _pads("Replication", "replicate")


class ZeroPad2d(_Pad):
    """Zeros around the last two axes: `padding` is a number, or (left, right, top, bottom)."""

    dims = 2


class Pad(Cell):
    """Elements around a tensor: `paddings` has a pair (before, behind) for each axis.

    `mode`: "CONSTANT" (zeros), "REFLECT" or "SYMMETRIC". Raises ValueError for another, TypeError where `paddings` is no tuple.

    >>> import labkit.mindspore as ms
    >>> Pad(((1, 0), (0, 2)))(ms.ops.ones((1, 1))).tolist()
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    """

    modes = {"CONSTANT": "constant", "REFLECT": "reflect", "SYMMETRIC": "symmetric"}

    def __init__(self, paddings, mode="CONSTANT"):
        super().__init__()
        if mode not in self.modes:
            raise ValueError(
                f"For '{self.cls_name}', the 'mode' must be 'CONSTANT', 'REFLECT' or 'SYMMETRIC', but got {mode}."
            )
        if not isinstance(paddings, tuple):
            raise TypeError(f"For '{self.cls_name}', the type of 'paddings' must be tuple, but got {type(paddings)}.")
        self.paddings, self.mode = paddings, mode

    def construct(self, x) -> Tensor:
        return pad(x, [n for pair in reversed(self.paddings) for n in pair], self.modes[self.mode])
