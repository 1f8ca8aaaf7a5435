"""`torch.types`: names for what arguments are."""

from collections.abc import Sequence
from os import PathLike
from typing import IO, TypeAlias

from ..aliases import attributes
from ._device import device as _device
from ._size import Size
from ._tensor import Tensor

__all__ = ["Device", "FileLike", "Number"]

Number: TypeAlias = int | float | bool
Device: TypeAlias = _device | str | int | None
FileLike: TypeAlias = str | PathLike[str] | IO[bytes]
_size: TypeAlias = Size | list[int] | tuple[int, ...]
_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]

__getattr__ = attributes(__name__)
