"""`torch.utils`: data for training, and checkpoints that save memory."""

from ...dialects.unsupported import attributes
from ...imports.lazy import load as _load

__all__ = ["checkpoint", "data"]

_missing = attributes(__name__)


def __getattr__(name):
    return _load(globals(), dict.fromkeys(__all__, ""), name) if name in __all__ else _missing(name)
