"""Losses: functions, part of `torch.nn.functional`, and modules of the same options."""

import math
import warnings

import autograd.numpy as anp
import numpy as np

from ... import ops as base
from ...engine import dtype_of, unbroadcast_f
from ...ops import in_float32, operand, two_bytes
from .. import _rules
from .._error_texts import error, said
from .._ops.dispatch import apply, converted, for_kernel, together
from .._ops.function_table import FUNCTIONS, METHODS
from .._ops.reductions import log_softmax
from .._rules import op
from .._tensor.tensor import Tensor
from ..amp._autocast_mode import widened
from ._function_modules import of_function, reduction_of

__all__ = ["BCELoss", "BCEWithLogitsLoss", "CrossEntropyLoss", "L1Loss", "MSELoss", "NLLLoss"]


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


@op(lambda args, kwargs: "NllLossBackward0" if args[0].ndim < 3 else "NllLoss2DBackward0", _nll_vjp,
    others="target weight ignore_index reduction", saves="target weight", rounds=False)  # fmt: skip
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
        raise error("batch_size", size=shape[0], targets=given[0] if given else 0)
    if len(shape) < 3 and len(given) > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    fits = len(shape) < 3 or given == (shape[0], *shape[2:])
    if not fits and len(shape) != 4:
        raise RuntimeError(f"Expected target size {[shape[0], *shape[2:]]}, got {list(given)}")
    if not fits and len(given) != 3:
        raise error("spatial_target", given=len(given))
    if target.dtype.name not in ("int64", "uint8"):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {target.dtype.legacy}")
    if not fits:
        raise RuntimeError(f"size mismatch (got input: {list(shape)} , target: {list(given)}")


@widened
def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean") -> Tensor:
    """Minus the log-probability of the target class: `input` (N, classes, ...), `target` (N, ...) of class numbers."""
    reduction = reduction_of(reduction, size_average, reduce)
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
    reduction = reduction_of(reduction, size_average, reduce)
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


def _reduced(values, reduction):
    if reduction == "none":
        return values
    return _rules.sum_(values, None, False) if reduction == "sum" else _rules.mean(values, None, False)


def _per_element(g, x, reduction):
    """What each element receives of the gradient of a reduced loss."""
    if reduction != "mean":
        return g
    return _rules.divide_by(g, anp.size(x)) if two_bytes(x.dtype) else g / anp.size(x)


def _by(slope):
    """The rule of a loss for an argument by which it has, element by element, the derivative `slope(input, target, ...)`."""

    def vjp(ans, x, y, weight, *how):
        *more, reduction = how
        each = lambda: slope(x, y, *more) if weight is None else slope(x, y, *more) * weight
        if two_bytes(x.dtype):
            return lambda g: _per_element(each() * g, x, reduction)
        return lambda g: _per_element(g, x, reduction) * each()

    return vjp


_mse = op("MseLossBackward0", lambda ans, x, y, reduction: lambda g: mse_backward(g, x, y, reduction),
    lambda ans, x, y, reduction: lambda g: mse_backward(g, y, x, reduction), tensors="self target", others="reduction",
    saves="self target", rounds=False)(lambda x, y, reduction: _reduced(np.square(x - y), reduction))  # fmt: skip


@op("MseLossBackwardBackward0",
    lambda ans, g, x, y, reduction: unbroadcast_f(g, lambda h: _per_element(h * (2 * (x - y)), x, reduction)),
    lambda ans, g, x, y, reduction: lambda h: _per_element(2 * h * g, x, reduction),
    lambda ans, g, x, y, reduction: lambda h: -_per_element(2 * h * g, x, reduction), tensors="grad_output self target",
    others="reduction", saves="grad_output self target", rounds=False)  # fmt: skip
def mse_backward(g, x, y, reduction):
    if two_bytes(x.dtype):
        return operand(2 / x.size if reduction == "mean" else 2, x) * (x - y) * g
    return _per_element(g, x, reduction) * (2 * (x - y))


def _warn_of_sizes(input, target):
    if input.shape != target.shape:
        warnings.warn(said("target_size", shape=target.shape, size=input.shape), stacklevel=4)


@widened
def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None) -> Tensor:
    """The squared difference, by `reduction`: its "mean", its "sum", both 0-d, or "none": each.

    `input` and `target`: floating tensors of one shape; other shapes that broadcast do so, with a warning. Raises ValueError
    for another `reduction`.

    >>> import labkit.torch as torch
    >>> x = torch.tensor([1.0, 4.0])
    >>> torch.nn.functional.mse_loss(x, torch.zeros(2)), torch.nn.functional.mse_loss(x, torch.zeros(2), reduction="none")
    (tensor(8.5000), tensor([ 1., 16.]))
    """
    reduction = reduction_of(reduction, size_average, reduce)
    _warn_of_sizes(input, target)
    input, target = together(*FUNCTIONS["broadcast_tensors"](input, target))
    if weight is None:
        return apply(_mse, for_kernel("mse_cpu", input), target, reduction)
    return _weighted(apply(_mse, input, target, "none"), weight, reduction)


def _weighted(each, weight, reduction):
    """The loss of each element, reduced with a weight for each, by which a mean is divided, too."""
    each = each * weight
    if reduction == "mean":
        return METHODS["sum"](each) / METHODS["sum"](weight)
    return each if reduction == "none" else METHODS["sum"](each)


@widened
def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None) -> Tensor:
    """The absolute difference, reduced as in `mse_loss`."""
    reduction = reduction_of(reduction, size_average, reduce)
    _warn_of_sizes(input, target)
    size = METHODS["abs"](input - target)
    if weight is not None:
        return _weighted(size, weight, reduction)
    return size if reduction == "none" else METHODS[reduction](size)


@op("BinaryCrossEntropyBackward0",
    _by(lambda x, y: (x - y) / anp.maximum(x * (1 - x), 1e-12)), _by(lambda x, y: _rules.log(1 - x) - _rules.log(x)),
    tensors="self target !weight", others="reduction", saves="self target weight")  # fmt: skip
def _bce(x, y, weight, reduction):
    values = -(y * np.maximum(np.log(x), -100) + (1 - y) * np.maximum(np.log1p(-x), -100))
    return _reduced((values if weight is None else values * weight).astype(dtype_of(x)), reduction)


@widened
def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean") -> Tensor:
    """The log-loss of probabilities `input` against targets in [0, 1] of the same shape. Raises ValueError for other shapes."""
    reduction = reduction_of(reduction, size_average, reduce)
    if input.shape != target.shape:
        raise error("bce_size", shape=target.shape, size=input.shape)
    if not ((input._array >= 0) & (input._array <= 1)).all():
        raise error("bce_range")
    return apply(_bce, input, converted(target, input.dtype), weight, reduction)


_log_loss = in_float32(lambda x: np.logaddexp(np.zeros((), x.dtype), -x))  # of the score of what is right


def _leaning(y, positive):
    return (positive - 1) * y + 1


@op("BinaryCrossEntropyWithLogitsBackward0",
    _by(lambda x, y, p: _rules.sigmoid(x) - y if p is None else _leaning(y, p) * _rules.sigmoid(x) - p * y),
    _by(lambda x, y, p: -x if p is None else p * base.softplus(-x) - base.softplus(x)),
    tensors="self target !weight !pos_weight", others="reduction", saves="self target weight pos_weight",
    rounds=False)  # fmt: skip
def _bce_logits(x, y, weight, positive, reduction):
    values = (1 - y) * x + (1 if positive is None else _leaning(y, positive)) * _log_loss(x)
    return _reduced((values if weight is None else values * weight).astype(x.dtype), reduction)


@widened
def binary_cross_entropy_with_logits(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None
) -> Tensor:
    """The log-loss of scores `input`, of which the sigmoid is the probability of 1, without overflow.

    `target`, of the same shape, holds probabilities; the loss is the mean unless `reduction` says "sum" or "none".
    Raises ValueError for other shapes.

    >>> import labkit.torch as torch
    >>> scores = torch.tensor([0.0, 1000.0], requires_grad=True)
    >>> loss = torch.nn.functional.binary_cross_entropy_with_logits(scores, torch.tensor([1.0, 0.0]))
    >>> round(loss.item(), 3), torch.autograd.grad(loss, scores)[0].tolist()
    (500.347, [-0.25, 0.5])
    """
    if input.shape != target.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    reduction = reduction_of(reduction, size_average, reduce)
    return apply(
        _bce_logits, for_kernel("log_sigmoid_cpu", input), converted(target, input.dtype), weight, pos_weight, reduction
    )


_OLD = "size_average=None, reduce=None, reduction='mean'"
_CLASSES = "weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean'"
MSELoss, L1Loss = of_function("MSELoss", mse_loss, __name__, _OLD), of_function("L1Loss", l1_loss, __name__, _OLD)
BCELoss = of_function("BCELoss", binary_cross_entropy, __name__, f"weight=None, {_OLD}")
NLLLoss = of_function("NLLLoss", nll_loss, __name__, _CLASSES)
CrossEntropyLoss = of_function("CrossEntropyLoss", cross_entropy, __name__, f"{_CLASSES}, label_smoothing=0.0")
_SCORES = f"weight=None, {_OLD}, pos_weight=None"
BCEWithLogitsLoss = of_function("BCEWithLogitsLoss", binary_cross_entropy_with_logits, __name__, _SCORES)
