"""`torch.utils`: data for training, checkpoints that save memory, and a timer."""

from ...dialects.unsupported import attributes
from ...imports.lazy import load as _load

__all__ = ["benchmark", "checkpoint", "data"]

_missing = attributes(__name__)


def __getattr__(name):
    return _load(globals(), dict.fromkeys(__all__, ""), name) if name in __all__ else _missing(name)
