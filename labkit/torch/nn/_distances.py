"""Distances, and losses that are made of other ops: part of `torch.nn.functional`."""

import math
import warnings

import autograd.numpy as anp
import numpy as np

from .. import _modes
from .._autocast import widened
from .._dispatch import apply
from .._rules import fused
from .._table import FUNCTIONS, METHODS
from .._tensor import Tensor
from ._activations import logsigmoid
from ._losses import added_up, by_old_names, reduced

__all__ = [
    "cosine_embedding_loss", "cosine_similarity", "gaussian_nll_loss", "hinge_embedding_loss", "kl_div", "margin_ranking_loss",
    "multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss", "pairwise_distance", "poisson_nll_loss",
    "soft_margin_loss", "triplet_margin_loss", "triplet_margin_with_distance_loss",
]  # fmt: skip


def cosine_similarity(x1, x2, dim=1, eps=1e-8) -> Tensor:
    """The cosine of the angle between vectors along `dim`, of norms not below `eps`; the others broadcast.

    >>> import labkit.torch as torch
    >>> torch.nn.functional.cosine_similarity(torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]]))
    tensor([0.7071])
    """
    x1, x2 = FUNCTIONS["broadcast_tensors"](x1, x2)
    made = [x / METHODS["norm"](x, 2, dim, keepdim=True).clamp_min(eps) for x in (x1, x2)]
    return METHODS["sum"](made[0] * made[1], dim)


def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False) -> Tensor:
    """The `p`-norm of `x1 - x2 + eps` along the last dimension."""
    return METHODS["norm"](x1 - x2 + eps, p, -1, keepdim=keepdim)


# ---- what each example costs; `reduced` adds it up ----


@by_old_names
@widened
def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False) -> Tensor:
    """The Kullback-Leibler divergence, element by element target (log(target) - input), of log-probabilities `input`.

    `log_target`: `target` has logarithms, too. `reduction="batchmean"` divides the sum by the first dimension, as the
    definition has it; "mean" divides it by all.
    """
    if reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides only by "
            "the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the same as "
            "'batchmean' in the next major release.",
            stacklevel=4,
        )
    found = _kl(input, target, reduction="sum" if reduction == "batchmean" else reduction, log_target=log_target)
    return found / input.shape[0] if reduction == "batchmean" and input.ndim else found


@reduced
def _kl(input, target, reduction, log_target):
    if log_target:
        return METHODS["exp"](target) * (target - input)
    given = target != 0
    entropy = FUNCTIONS["where"](given, target * METHODS["log"](FUNCTIONS["where"](given, target, 1.0)), 0.0)
    return entropy - target * input


@reduced
def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean") -> Tensor:
    """max(0, -target (input1 - input2) + margin): `target` is 1 where the first should be the larger, else -1."""
    if not input1.ndim == input2.ndim == target.ndim:
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return (-target * (input1 - input2) + margin).clamp_min(0)


@widened
@reduced
def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean") -> Tensor:
    """The distance `input` where `target` is 1, max(0, margin - input) where it is -1."""
    where, far = FUNCTIONS["where"], (margin - input).clamp_min(0)
    return where(target != 1, far, 0.0) + where(target != -1, input, 0.0)


@widened
@reduced
def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean") -> Tensor:
    """1 - cosine where `target` is 1, max(0, cosine - margin) where it is -1."""
    dim = target.ndim
    if input1.ndim != target.ndim + 1:
        sizes = [tuple(x.shape) for x in (target, input1, input2)]
        kind = "0D target tensor expects 1D" if not dim else f"{dim}D target tensor expects {dim + 1}D"
        raise RuntimeError(f"{kind} input tensors, but found inputs with sizes {sizes[1]} and {sizes[2]}.")
    total = lambda a, b: METHODS["sum"](a * b, dim)
    cosine = total(input1, input2) / METHODS["sqrt"]((total(input1, input1) + 1e-12) * (total(input2, input2) + 1e-12))
    where = FUNCTIONS["where"]
    return where(target == 1, 1 - cosine, 0.0) + where(target == -1, (cosine - margin).clamp_min(0), 0.0)


@widened
@reduced
def poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None,
                     reduction="mean") -> Tensor:  # fmt: skip
    """The log-loss of counts `target` of a Poisson distribution whose mean is exp(input), or `input`.

    `full` adds Stirling's approximation of the rest where `target` is above 1.
    """
    loss = METHODS["exp"](input) - target * input if log_input else input - target * METHODS["log"](input + eps)
    if not full:
        return loss
    rest = target * METHODS["log"](target) - target + 0.5 * METHODS["log"](2 * math.pi * target)
    return loss + rest.masked_fill(target <= 1, 0)


@reduced
def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean") -> Tensor:
    """The log-loss of `target` of a normal distribution of mean `input` and variance `var`, which is at least `eps`.

    `full` adds the constant. Raises ValueError for a negative variance, or one whose shape does not fit.
    """
    if not isinstance(var, Tensor):
        var = var * FUNCTIONS["ones_like"](input)
    if (var._array < 0).any():
        raise ValueError("var has negative entry/entries")
    if var.shape != input.shape:
        if var.shape == input.shape[:-1]:
            var = var.unsqueeze(-1)
        elif input.ndim != var.ndim or sum(y for x, y in zip(input.shape, var.shape, strict=True) if x != y) != 1:
            raise ValueError("var is of incorrect size")
    var = METHODS["clone"](var)
    with _modes.no_grad():
        var.clamp_(min=eps)
    loss = 0.5 * (METHODS["log"](var) + (input - target) ** 2 / var)
    return loss + 0.5 * math.log(2 * math.pi) if full else loss


@reduced
def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean") -> Tensor:
    """The mean over classes (the last dimension) of the log-loss of scores, each class for itself."""
    loss = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    loss = loss if weight is None else loss * weight
    return METHODS["sum"](loss, input.ndim - 1) / input.shape[-1]


@widened
@reduced
def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, size_average=None, reduce=None,
                        reduction="mean") -> Tensor:  # fmt: skip
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), d being `pairwise_distance`.

    `swap`: d(positive, negative) counts where it is smaller than the second.
    """
    distance = lambda a, b: pairwise_distance(a, b, p, eps)
    return _triplet(distance, anchor, positive, negative, margin, swap)


def _triplet(distance, anchor, positive, negative, margin, swap):
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    near, far = distance(anchor, positive), distance(anchor, negative)
    far = METHODS["minimum"](far, distance(positive, negative)) if swap else far
    return (margin + near - far).clamp_min(0)


@reduced
def triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False,
                                      reduction="mean") -> Tensor:  # fmt: skip
    """`triplet_margin_loss` with a distance of one's own."""
    return _triplet(distance_function or pairwise_distance, anchor, positive, negative, margin, swap)


# ---- those that are one op ----


@fused("SoftMarginLossBackward0", "self target", "reduction", name="soft_margin_loss")
def _soft_margin(x, y, reduction):
    return added_up(anp.log1p(anp.exp(-y * x)), reduction)


@by_old_names
@widened
def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean") -> Tensor:
    """log(1 + exp(-target input)): `target` is 1 or -1."""
    return apply(_soft_margin, input, target, reduction)


@fused("MultiMarginLossBackward0", "self", "target p margin weight reduction", name="multi_margin_loss")
def _multi_margin(x, target, p, margin, weight, reduction):
    rows = np.arange(len(target))
    others = np.ones(x.shape, x.dtype)
    others[rows, target] = 0
    short = anp.maximum(margin - anp.reshape(x[rows, target], (-1, 1)) + x, 0) * others
    each = anp.sum(short if p == 1 else short * short, 1) / x.shape[1]
    return added_up(each if weight is None else each * weight[target], reduction)


@by_old_names
@widened
def multi_margin_loss(
    input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"
) -> Tensor:
    """The mean over the other classes of max(0, margin - input[target] + input) to the power of `p`, 1 or 2."""
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    single = input.ndim == 1
    given = input.unsqueeze(0) if single else input
    weights = None if weight is None else weight._array
    found = apply(_multi_margin, given, np.atleast_1d(target._array), p, margin, weights, reduction)
    return found.squeeze(0) if single and reduction == "none" else found


@fused("MultilabelMarginLossBackward0", "self", "target reduction", name="multilabel_margin_loss")
def _multilabel_margin(x, target, reduction):
    losses = []
    for row, labels in enumerate(target):
        end = np.flatnonzero(labels < 0)
        labels = labels[: end[0]] if len(end) else labels
        others = np.setdiff1d(np.arange(x.shape[1]), labels)
        short = anp.maximum(1 - (anp.reshape(x[row, labels], (-1, 1)) - anp.reshape(x[row, others], (1, -1))), 0)
        losses.append(anp.sum(short) / x.shape[1])
    return added_up(anp.array(losses), reduction)


@by_old_names
def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean") -> Tensor:
    """max(0, 1 - (input[label] - input[other])) over each label of `target`, which ends at -1, and each other class."""
    single = input.ndim == 1
    given, labels = (x.unsqueeze(0) if single else x for x in (input, target))
    found = apply(_multilabel_margin, given, labels._array, reduction)
    return found.squeeze(0) if single and reduction == "none" else found
