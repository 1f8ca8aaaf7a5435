"""The transforms of images under the name they had in release 1."""

from . import HWC2CHW, Normalize, Rescale, Resize

__all__ = ["HWC2CHW", "Normalize", "Rescale", "Resize"]
