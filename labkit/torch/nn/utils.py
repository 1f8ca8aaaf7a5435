"""`torch.nn.utils`: clip gradients before the optimizer sees them, by their common norm or element by element."""

import numpy as np

from ...dialects.unsupported import attributes
from .._error_texts import error
from .._ops import creation as _creation
from .._ops.reductions import norm
from .._ops.shape import stack
from .._tape.grad_mode import no_grad
from .._tensor.tensor import Tensor


def _gradients(parameters):
    return [p.grad for p in ([parameters] if isinstance(parameters, Tensor) else parameters) if p.grad is not None]


@no_grad()
def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None) -> Tensor:
    """Scale all gradients in place so that their common norm is at most `max_norm`; returns the norm before.

    >>> import labkit.torch as torch
    >>> p = torch.nn.Parameter(torch.zeros(2)); p.grad = torch.tensor([3.0, 4.0])
    >>> torch.nn.utils.clip_grad_norm_([p], 1.0), p.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    gradients = _gradients(parameters)
    total = norm(stack([norm(g, norm_type) for g in gradients]), norm_type) if gradients else _creation.tensor(0.0)
    if error_if_nonfinite and not np.isfinite(total._array):
        raise error("non_finite_norm", norm_type=float(norm_type))
    factor = (float(max_norm) / (total + 1e-6)).clamp(max=1.0)
    for g in gradients:
        g.mul_(factor)
    return total


@no_grad()
def clip_grad_value_(parameters, clip_value, foreach=None) -> None:
    """Limit every element of every gradient to [-clip_value, clip_value], in place."""
    for g in _gradients(parameters):
        g.clamp_(-float(clip_value), float(clip_value))


__getattr__ = attributes(__name__)
