"""Devices. It is always the CPU; another device raises the error of a PyTorch without a GPU."""

import re
from typing import Any

from ...engine import PerThread

TYPES = (
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, mtia, "
    "privateuseone"
)
NO_ACCELERATOR = "Cannot access accelerator device when none is available."


class device:
    """Where a tensor is to live, such as `torch.device("cuda:0")`; tensors can be made on `"cpu"` alone.

    `type`: the name, with or without an index. Raises RuntimeError for a name that PyTorch does not have. Under `with`, tensors
    are made there.

    >>> import labkit.torch as torch
    >>> torch.device("cuda", 1)
    device(type='cuda', index=1)
    """

    type: str
    index: int | None

    def __init__(self, type, index=None):
        if isinstance(type, device):
            self.type, self.index = type.type, type.index
            return
        if isinstance(type, int):
            raise RuntimeError(NO_ACCELERATOR)
        if not isinstance(type, str):
            raise TypeError(f"device() received an invalid combination of arguments - got ({type.__class__.__name__})")
        name, colon, number = type.partition(":")
        if not type:
            raise RuntimeError("Device string must not be empty")
        if name not in TYPES.split(", ") and re.fullmatch(r"\w+", name) and not re.search(r"\d", name):
            raise RuntimeError(f"Expected one of {TYPES} device type at start of device string: {name}")
        if name not in TYPES.split(", ") or (colon and not number.isdigit()):
            raise RuntimeError(f"Invalid device string: '{type}'")
        self.type, self.index = name, int(number) if colon else index

    def __repr__(self):
        return f"device(type='{self.type}'" + (")" if self.index is None else f", index={self.index})")

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other):
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self):
        return hash((self.type, self.index))

    def __enter__(self):
        _state.before.append(_state.default)
        _state.default = self
        return self

    def __exit__(self, *exc):
        _state.default = _state.before.pop()


class _State(PerThread):
    """This thread's default device, and those before it where `with torch.device(...)` has others."""

    default: Any = None

    def __init__(self):
        self.before: list = []


_state = _State()


def set_default_device(device_) -> None:
    """Where tensors are made from now on, in this thread; to make one anywhere but on the CPU raises an error."""
    _state.default = None if device_ is None else device(device_)


def check_device(place) -> None:
    """Raise unless `place` (a name or a device; None: the default) is the CPU."""
    place = _state.default if place is None else place
    if place is None or place == "cpu":
        return
    kind = device(place).type
    if kind in ("cuda", "xpu"):
        raise AssertionError(f"Torch not compiled with {kind.upper()} enabled")
    if kind != "cpu":
        raise RuntimeError(f"PyTorch is not linked with support for {kind} devices")
