"""`torch.cuda` where there is no GPU: each function answers as PyTorch's does on a machine without one."""

from ...aliases import attributes
from .._answers import answers

globals().update(answers()["cuda"])
__all__ = sorted(answers()["cuda"])
__getattr__ = attributes(__name__)
