"""`torch.types`: names for what arguments are."""

import builtins
from collections.abc import Sequence
from os import PathLike
from typing import IO, TypeAlias

from ..aliases import attributes
from ._device import device
from ._dtype import dtype
from ._size import Size
from ._tensor import Tensor

__all__ = ["Device", "FileLike", "Number"]

_bool, _int, _float, _complex = builtins.bool, builtins.int, builtins.float, builtins.complex
_device, _dtype = device, dtype
Number: TypeAlias = int | float | bool
Device: TypeAlias = device | str | int | None
FileLike: TypeAlias = str | PathLike[str] | IO[bytes]
_size: TypeAlias = Size | list[int] | tuple[int, ...]
_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]

__getattr__ = attributes(__name__)
