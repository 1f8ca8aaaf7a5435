"""Names that transforms of images take."""

from enum import Enum

__all__ = ["Inter"]


class Inter(Enum):
    """How pixels between pixels are found: the nearest one, or linearly between four."""

    NEAREST = 0
    BILINEAR = 2
    LINEAR = 2
