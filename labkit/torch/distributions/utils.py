"""Parameters made alike: numbers and tensors of one shape, probabilities and their logarithms."""

from functools import cached_property

from ...aliases import attributes
from .. import _modes
from .._creation import empty, tensor
from .._dtype import finfo, get_default_dtype
from .._shaping import broadcast_tensors
from .._tensor import Tensor

__all__ = ["broadcast_all", "clamp_probs", "lazy_property", "logits_to_probs", "probs_to_logits"]


class lazy_property(cached_property):
    """A property that is computed once, when it is first asked for, on the tape; then it is an attribute."""

    def __get__(self, instance, owner=None):
        with _modes.enable_grad():
            return super().__get__(instance, owner)


def broadcast_all(*values) -> tuple[Tensor, ...]:
    """Tensors and numbers as tensors of one shape; a number takes the dtype of the first tensor.

    >>> import labkit.torch as torch
    >>> broadcast_all(torch.ones(2), 3)
    (tensor([1., 1.]), tensor([3., 3.]))
    """
    if not all(isinstance(v, (Tensor, int, float)) for v in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    dtype = next((v.dtype for v in values if isinstance(v, Tensor)), get_default_dtype())
    return broadcast_tensors(*(v if isinstance(v, Tensor) else tensor(v, dtype=dtype) for v in values))


def clamp_probs(probs) -> Tensor:
    """Probabilities, moved inside of (0, 1) by the dtype's epsilon."""
    eps = finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def logits_to_probs(logits, is_binary=False) -> Tensor:
    """Probabilities of log-odds (`is_binary`), or of log-probabilities along the last dimension."""
    return logits.sigmoid() if is_binary else logits.softmax(-1)


def probs_to_logits(probs, is_binary=False) -> Tensor:
    """Log-odds of probabilities (`is_binary`), or their logarithms."""
    probs = clamp_probs(probs)
    return probs.log() - (-probs).log1p() if is_binary else probs.log()


def sum_rightmost(value, dims) -> Tensor:
    """The sum over the last `dims` dimensions."""
    return value.reshape(*value.shape[: value.ndim - dims], -1).sum(-1) if dims else value


def _standard_normal(shape, dtype, device) -> Tensor:
    """Standard normal numbers."""
    return empty(shape, dtype=dtype, device=device).normal_()


_sum_rightmost = sum_rightmost

__getattr__ = attributes(__name__)
