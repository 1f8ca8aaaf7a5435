"""`torch.backends` and `torch.accelerator`: what PyTorch can compute with; here NumPy alone."""

from contextlib import nullcontext
from types import SimpleNamespace

from ..dialects.unsupported import attributes

__all__ = ["accelerator", "cudnn", "mps"]
_no = lambda *_: False
cudnn = SimpleNamespace(enabled=True, benchmark=False, deterministic=False, is_available=_no, version=lambda: None,
    flags=lambda **_: nullcontext())  # fmt: skip
mps = SimpleNamespace(is_available=_no, is_built=_no)
accelerator = SimpleNamespace(is_available=_no, current_accelerator=lambda *_: None, device_count=lambda: 0)
__getattr__ = attributes(__name__)
