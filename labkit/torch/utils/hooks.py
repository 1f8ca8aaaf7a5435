"""`torch.utils.hooks`: what takes a hook off again."""

from ...aliases import attributes
from .._node import Handle as RemovableHandle

__all__ = ["RemovableHandle"]

__getattr__ = attributes(__name__)
