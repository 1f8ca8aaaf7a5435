"""`torch._subclasses`: tensors of other kinds, of which there are none."""

from ...aliases import attributes

__getattr__ = attributes(__name__)
