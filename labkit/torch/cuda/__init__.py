"""`torch.cuda` where there is no GPU: each function answers as PyTorch's does on a machine without one."""

from ...dialects.unsupported import attributes
from ...imports.lazy import load as _load

__all__ = ["device_count", "empty_cache", "is_available", "max_memory_allocated", "memory_allocated", "synchronize"]


def is_available() -> bool:
    """Whether there is a GPU: False."""
    return False


def device_count() -> int:
    """How many GPUs there are: 0."""
    return 0


def memory_allocated(device=None) -> int:
    """How many bytes tensors take on the GPU: 0."""
    return 0


def max_memory_allocated(device=None) -> int:
    """The most bytes that tensors have taken on the GPU: 0."""
    return 0


def empty_cache() -> None:
    """There is nothing to release."""


def synchronize(device=None) -> None:
    """Raises AssertionError, as there is no GPU to wait for."""
    raise AssertionError("Torch not compiled with CUDA enabled")


_missing = attributes(__name__)


def __getattr__(name):
    return _load(globals(), {"amp": ""}, name) if name == "amp" else _missing(name)
