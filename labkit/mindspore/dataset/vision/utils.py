"""Names that transforms of images take."""

from enum import Enum

from ....aliases import attributes

__all__ = ["Inter"]


class Inter(Enum):
    """How pixels between pixels are found: the nearest one, or linearly between four."""

    NEAREST = 0
    BILINEAR = 2
    LINEAR = 2


__getattr__ = attributes(__name__)
