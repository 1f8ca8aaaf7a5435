"""`torch.nn.attention`: which kernel computes attention; here there is one, and the choice changes nothing."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum

from ...aliases import attributes

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(Enum):
    """The kernels that PyTorch has."""

    ERROR, MATH, FLASH_ATTENTION, EFFICIENT_ATTENTION, CUDNN_ATTENTION, OVERRIDEABLE = range(-1, 5)


@contextmanager
def sdpa_kernel(backends, set_priority=False) -> Iterator[dict]:
    """Say which kernels may compute `scaled_dot_product_attention`: one of `SDPBackend`, or a list."""
    if not isinstance(backends, (list, SDPBackend)):
        raise AssertionError(
            "Backend must be an instance of SDPBackend or a list of SDPBackend instances, got "
            + type(backends).__name__
        )
    yield {}


__getattr__ = attributes(__name__)
