"""`torch.nn.utils`: clip gradients before the optimizer sees them, by their common norm or element by element."""

import numpy as np

from ...dialects.unsupported import attributes
from .._ops import creation as _creation
from .._ops.reductions import norm
from .._ops.shape import stack
from .._tape import grad_mode
from .._tensor.tensor import Tensor


def _tensors(given):
    return [given] if isinstance(given, Tensor) else list(given)


def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None) -> Tensor:
    """The norm of all elements of all `tensors` together, as a 0-d tensor."""
    tensors = _tensors(tensors)
    if not tensors:
        return _creation.tensor(0.0)
    with grad_mode.no_grad():
        total = norm(stack([norm(t, norm_type) for t in tensors]), norm_type)
    if error_if_nonfinite and not np.isfinite(total._array):
        raise RuntimeError(
            f"The total norm of order {float(norm_type)} for gradients from `parameters` is non-finite, so it cannot "
            "be clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total


def clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None) -> None:
    """Scale the gradients in place by `max_norm / (total_norm + 1e-6)`, if that is below 1."""
    with grad_mode.no_grad():
        factor = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
        for p in _tensors(parameters):
            if p.grad is not None:
                p.grad.mul_(factor)


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None) -> Tensor:
    """Scale all gradients in place so that their common norm is at most `max_norm`; returns the norm before.

    >>> import labkit.torch as torch
    >>> p = torch.nn.Parameter(torch.zeros(2)); p.grad = torch.tensor([3.0, 4.0])
    >>> torch.nn.utils.clip_grad_norm_([p], 1.0), p.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    parameters = _tensors(parameters)
    total = get_total_norm([p.grad for p in parameters if p.grad is not None], norm_type, error_if_nonfinite)
    clip_grads_with_norm_(parameters, max_norm, total)
    return total


def clip_grad_value_(parameters, clip_value, foreach=None) -> None:
    """Limit every element of every gradient to [-clip_value, clip_value], in place."""
    with grad_mode.no_grad():
        for p in _tensors(parameters):
            if p.grad is not None:
                p.grad.clamp_(-float(clip_value), float(clip_value))


__getattr__ = attributes(__name__)
