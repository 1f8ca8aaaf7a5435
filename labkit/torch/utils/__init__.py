"""`torch.utils`: data for training, and checkpoints that save memory."""

from ...aliases import attributes
from ...later import load as _load

__all__ = ["checkpoint", "data", "swap_tensors"]
_ROOMS = ("checkpoint", "data")


def swap_tensors(t1, t2) -> None:
    """Let two tensors change places: each variable then has what the other one had, its place on the tape, too.

    >>> import labkit.torch as torch
    >>> a, b = torch.zeros(1), torch.ones(2)
    >>> swap_tensors(a, b)
    >>> a, b
    (tensor([1., 1.]), tensor([0.]))
    """
    t1.__class__, t2.__class__ = t2.__class__, t1.__class__
    t1.__dict__, t2.__dict__ = t2.__dict__, t1.__dict__


_missing = attributes(__name__)


def __getattr__(name):
    return _load(globals(), dict.fromkeys(_ROOMS, ""), name) if name in _ROOMS else _missing(name)
