"""`torch._subclasses.fake_tensor`: whether a tensor has no numbers; each has."""

from ...aliases import attributes

__all__ = ["is_fake"]


def is_fake(x) -> bool:
    """Whether a tensor is one without numbers: no."""
    return False


__getattr__ = attributes(__name__)
