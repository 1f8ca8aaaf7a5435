"""The log-loss of classes: part of `torch.nn.functional`."""

import math

import autograd.numpy as anp
import numpy as np

from ... import ops as base
from ...engine import dtype_of
from ...ops import two_bytes
from .. import _rules
from .._autocast import widened
from .._dispatch import apply
from .._reduce import log_softmax
from .._rules import op
from .._table import METHODS
from .._tensor import Tensor
from ._linear import linear
from ._losses import by_old_names, check_reduction

__all__ = ["cross_entropy", "linear_cross_entropy", "nll_loss"]


def _nll_weights(x, target, weight, ignore, reduction):
    """How much each example's log-probability counts, in the dtype of `x`."""
    counted = np.where(target == ignore, 0, 1).astype(dtype_of(x))
    if weight is not None:
        counted = counted * weight[np.where(target == ignore, 0, target)].astype(counted.dtype)
    return counted / counted.sum() if reduction == "mean" else counted


def _nll_vjp(ans, x, target, weight, ignore, reduction):
    """What is ignored gets 0, also where all is and the mean is 0 / 0."""
    weights = np.where(target == ignore, 0, _nll_weights(x, target, weight, ignore, reduction))
    return lambda g: base.scatter_add(anp.expand_dims(-g * weights, 1), _nll_index(target, ignore), 1, anp.shape(x))


def _nll_index(target, ignore):
    return np.expand_dims(np.where(target == ignore, 0, target), 1)


@op(
    lambda args, kwargs: "NllLossBackward0" if args[0].ndim < 3 else "NllLoss2DBackward0",
    _nll_vjp,
    others="target weight ignore_index reduction",
    saves="target weight",
    rounds=False,
)
def _nll(x, target, weight, ignore, reduction):
    picked = np.take_along_axis(x, _nll_index(target, ignore), 1).squeeze(1)
    if two_bytes(x.dtype) and reduction != "none":
        weights = _nll_weights(x, target, weight, ignore, "sum")
        total = _in_steps((-picked * weights).ravel())
        whole = weights.sum(dtype=np.float32).astype(x.dtype) if weight is None else _in_steps(weights.ravel())
        return total if reduction == "sum" else total / whole
    losses = -picked * _nll_weights(x, target, weight, ignore, reduction)
    if reduction == "none":
        return losses
    return np.sum(losses, dtype=x.dtype) if losses.size or reduction == "sum" else x.dtype.type(np.nan)


def _in_steps(terms):
    """The sum of two-byte floats as the real kernel adds up: sixteen, then sixteen of these, and so on, each addition rounded."""
    sums = [terms.dtype.type(0)] * 8
    for place, term in enumerate(terms):
        sums[0] = sums[0] + term
        for level in range(7):
            if place >> 4 * level & 15:
                break
            sums[level : level + 2] = [terms.dtype.type(0), sums[level + 1] + sums[level]]
    return sum(sums, terms.dtype.type(0))


def _check_classes(input, target):
    """Raise where `target` cannot be the class numbers for the scores `input`, in the order in which PyTorch looks."""
    shape, given = input.shape, target.shape
    if len(shape) > 1 and shape[0] != (given[0] if given else 0):
        raise ValueError(
            f"Expected input batch_size ({shape[0]}) to match target batch_size ({given[0] if given else 0})."
        )
    if len(shape) < 3 and len(given) > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    fits = len(shape) < 3 or given == (shape[0], *shape[2:])
    if not fits and len(shape) != 4:
        raise RuntimeError(f"Expected target size {[shape[0], *shape[2:]]}, got {list(given)}")
    if not fits and len(given) != 3:
        raise RuntimeError(
            f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {len(given)}"
        )
    if target.dtype.name not in ("int64", "uint8"):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {target.dtype.legacy}")
    if not fits:
        raise RuntimeError(f"size mismatch (got input: {list(shape)} , target: {list(given)}")


@by_old_names
@widened
def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean") -> Tensor:
    """Minus the log-probability of the target class: `input` (N, classes, ...), `target` (N, ...) of class numbers."""
    check_reduction(reduction)
    _check_classes(input, target)
    single = input.ndim == 1
    if single:
        input, target = input.unsqueeze(0), target.view(1)
    chosen = target._array[target._array != ignore_index]
    if chosen.size and (chosen.min() < 0 or chosen.max() >= input.shape[1]):
        wrong = chosen[(chosen < 0) | (chosen >= input.shape[1])][0]
        raise IndexError(f"Target {wrong} is out of bounds.")
    found = apply(_nll, input, target._array, None if weight is None else weight._array, ignore_index, reduction)
    return found.squeeze(0) if single and reduction == "none" else found


@by_old_names
@widened
def cross_entropy(
    input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0
) -> Tensor:
    """Log-softmax of the scores `input` (N, classes), then the log-loss of `target`: class numbers or probabilities.

    Also (classes,) without a batch. `weight` (classes) counts classes, `ignore_index` leaves a target out, `reduction` is as in
    `mse_loss`; `label_smoothing` mixes in the same probability for each class.

    >>> import labkit.torch as torch
    >>> scores = torch.tensor([[2.0, 0.0], [0.0, 2.0]])
    >>> torch.nn.functional.cross_entropy(scores, torch.tensor([0, 0]))
    tensor(1.1269)
    """
    check_reduction(reduction)
    dim = 0 if input.ndim == 1 else 1
    scores = log_softmax(input, dim)
    if target.dtype.is_floating_point and target.shape == input.shape:
        return _soft_cross_entropy(scores, target, weight, reduction, label_smoothing, dim)
    found = nll_loss(scores, target, weight, ignore_index=ignore_index, reduction=reduction)
    if not label_smoothing:
        return found
    spread = _smoothed(scores, target, weight, ignore_index, reduction, dim)
    return apply(_rules.scale, found, 1 - label_smoothing) + apply(
        _rules.scale, spread, label_smoothing / scores.shape[dim]
    )


def linear_cross_entropy(
    input, linear_weight, target, *, linear_bias=None, weight=None, reduction="mean", ignore_index=None, label_smoothing=0.0,
    options=None,
) -> Tensor:  # fmt: skip
    """`cross_entropy` of the scores that a linear layer makes of `input` (N, in), or (in,).

    `linear_weight` (classes, ..., in), whose dimensions between are those of `target` (N, ...), too. `options`, how PyTorch
    does it in pieces, changes nothing.

    >>> import labkit.torch as torch
    >>> torch.nn.functional.linear_cross_entropy(torch.ones(1, 2), torch.eye(2), torch.tensor([0]))
    tensor(0.6931)
    """
    shape = linear_weight.shape[:-1]
    bias = None if linear_bias is None else linear_bias.reshape(-1)
    scores = linear(input, linear_weight.reshape(-1, linear_weight.shape[-1]), bias)
    scores = scores.reshape((*input.shape[:-1], *shape))
    ignored = -100 if ignore_index is None else ignore_index
    how = {"ignore_index": ignored, "reduction": reduction, "label_smoothing": label_smoothing}
    return cross_entropy(scores, target, weight, **how)


def _smoothed(scores, target, weight, ignore, reduction, dim):
    """The log-loss of the uniform distribution, times the number of classes."""
    if weight is not None:
        scores = scores * weight.view(-1, *(1,) * (scores.ndim - dim - 1))
    skipped = target._array == ignore
    losses = METHODS["masked_fill"](-METHODS["sum"](scores, dim), Tensor._of(skipped), 0.0)
    if reduction == "none":
        return losses
    if reduction == "sum":
        return METHODS["sum"](losses)
    counted = target._array[~skipped]
    share = counted.size if weight is None else weight._array[counted].sum()
    return METHODS["sum"](losses) / Tensor._of(np.asarray(share, scores._array.dtype))


def _soft_cross_entropy(scores, target, weight, reduction, smoothing, dim):
    if smoothing:
        target = target * (1 - smoothing) + smoothing / scores.shape[dim]
    terms = scores * target
    if weight is not None:
        terms = terms * weight
    if reduction == "none":
        return -METHODS["sum"](terms, dim)
    total = -METHODS["sum"](terms)
    examples = math.prod(n for k, n in enumerate(scores.shape) if k != dim)
    return total if reduction == "sum" else apply(_rules.divide_by, total, examples)
