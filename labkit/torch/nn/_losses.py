"""Losses that are one op each: part of `torch.nn.functional`."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any

import autograd.numpy as anp
import numpy as np

from ... import ops as base
from ...engine import dtype_of, unbroadcast_f
from ...ops import in_float32, operand, two_bytes
from .. import _rules
from .._autocast import widened
from .._dispatch import apply, check_broadcast, converted, together
from .._rules import op
from .._table import FUNCTIONS, METHODS
from .._tensor import Tensor

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "huber_loss", "l1_loss", "mse_loss",
    "smooth_l1_loss",
]  # fmt: skip


def _reduced(values, reduction):
    if reduction == "none":
        return values
    return _rules.sum_(values, None, False) if reduction == "sum" else _rules.mean(values, None, False)


def check_reduction(reduction) -> None:
    """Raise ValueError for what is no reduction."""
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")


def by_old_words(size_average, reduce) -> str | None:
    """The reduction that `size_average` and `reduce` stand for; None where neither is given.

    >>> by_old_words(False, None), by_old_words(None, None)
    ('sum', None)
    """
    if size_average is None and reduce is None:
        return None
    return ("mean" if size_average in (None, True) else "sum") if reduce in (None, True) else "none"


def by_old_names(fun) -> Callable:
    """Let `size_average` and `reduce`, which came before `reduction`, stand for it."""
    place = signature(fun)

    @wraps(fun)
    def renamed(*args, **kwargs):
        given = place.bind(*args, **kwargs)
        old = by_old_words(given.arguments.pop("size_average", None), given.arguments.pop("reduce", None))
        given.arguments |= {"reduction": old} if old else {}
        return fun(**given.arguments)

    return renamed


def reduced(fun) -> Callable:
    """A loss from what each example costs, `fun(...)`, with its `reduction`: "mean", "sum" or "none"."""

    @by_old_names
    @wraps(fun)
    def loss(*args, **kwargs):
        given = signature(fun).bind(*args, **kwargs)
        given.apply_defaults()
        check_reduction(given.arguments["reduction"])
        each = fun(*args, **kwargs)
        return each if given.arguments["reduction"] == "none" else METHODS[given.arguments["reduction"]](each)

    return loss


def _per_element(g, x, reduction):
    """What each element receives of the gradient of a reduced loss."""
    if reduction != "mean":
        return g
    return _rules.divide_by(g, anp.size(x)) if two_bytes(x.dtype) else g / anp.size(x)


def _by(slope):
    """The rule of a loss for an argument by which it has, element by element, the derivative `slope(input, target, ...)`."""

    def vjp(ans, x, y, reduction, *how):
        if two_bytes(x.dtype):
            return lambda g: _per_element(slope(x, y, *how) * g, x, reduction)
        return lambda g: _per_element(g, x, reduction) * slope(x, y, *how)

    return vjp


def _difference_loss(name, value, slope):
    """A loss of `input - target`, one node: `value(d)` summed up, `slope(d)` its derivative."""

    by_input, by_target = _by(lambda x, y, *how: slope(x - y, *how)), _by(lambda x, y, *how: slope(y - x, *how))

    each = in_float32(lambda x, y, *how: np.asarray(value(x - y, *how)).astype(dtype_of(x)))

    @op(name, by_input, by_target, tensors="self target", others="reduction", saves="self target", rounds=False,
        fused_backward=True)  # fmt: skip
    def fun(x, y, reduction, *how):
        return _reduced(each(x, y, *how), reduction)

    return fun


_mse = op(
    "MseLossBackward0",
    lambda ans, x, y, reduction: lambda g: mse_backward(g, x, y, reduction),
    lambda ans, x, y, reduction: lambda g: mse_backward(g, y, x, reduction),
    tensors="self target", others="reduction", saves="self target", rounds=False,
)(lambda x, y, reduction: _reduced(np.square(x - y), reduction))  # fmt: skip


@op(
    "MseLossBackwardBackward0",
    lambda ans, g, x, y, reduction: unbroadcast_f(g, lambda h: _per_element(h * (2 * (x - y)), x, reduction)),
    lambda ans, g, x, y, reduction: lambda h: _per_element(2 * h * g, x, reduction),
    lambda ans, g, x, y, reduction: lambda h: -_per_element(2 * h * g, x, reduction),
    tensors="grad_output self target", others="reduction", saves="grad_output self target", rounds=False,
)  # fmt: skip
def mse_backward(g, x, y, reduction):
    if two_bytes(x.dtype):
        return operand(2 / x.size if reduction == "mean" else 2, x) * (x - y) * g
    return _per_element(g, x, reduction) * (2 * (x - y))


def _huber(d, delta):
    size = np.abs(d)
    return np.where(size < delta, 0.5 * d * d, delta * (size - 0.5 * delta))


def _smooth(d, beta):
    size = np.abs(d)
    return np.where(size < beta, 0.5 * d * d / beta, size - 0.5 * beta) if beta else size


_huber_loss = _difference_loss("HuberLossBackward0", _huber, lambda d, delta: _rules.clamp(d, -delta, delta))
_smooth_l1 = _difference_loss(
    "SmoothL1LossBackward0", _smooth, lambda d, beta: _rules.clamp(d / beta, -1.0, 1.0) if beta else anp.sign(d)
)


def _warn_of_sizes(input, target):
    if input.shape != target.shape:
        import warnings

        warnings.warn(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will "
            "likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
            stacklevel=4,
        )


@by_old_names
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
    return _weighted(_paired, _mse, input, target, reduction, weight)


def _weighted(loss, primitive, input, target, reduction, weight, *how):
    """The loss with a weight for each element, by which a mean is divided, too."""
    if weight is None:
        return loss(primitive, input, target, reduction, *how)
    check_reduction(reduction)
    each = loss(primitive, input, target, "none", *how) * weight
    if reduction == "mean":
        return METHODS["sum"](each) / METHODS["sum"](weight)
    return each if reduction == "none" else METHODS["sum"](each)


def _paired(primitive, input, target, reduction, *how):
    check_reduction(reduction)
    _warn_of_sizes(input, target)
    check_broadcast(input, target)
    if input.shape != target.shape:
        input, target = FUNCTIONS["broadcast_tensors"](input, target)
    input, target = together(input, target)
    return apply(primitive, input, target, reduction, *how)


@by_old_names
@widened
def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None) -> Tensor:
    """The mean (or sum, or each) absolute difference."""
    check_reduction(reduction)
    _warn_of_sizes(input, target)
    size = METHODS["abs"](input - target)
    if weight is not None:
        return _weighted(lambda *_: size, None, input, target, reduction, weight)
    return size if reduction == "none" else METHODS[reduction](size)


@by_old_names
@widened
def huber_loss(input, target, reduction="mean", delta=1.0, weight=None) -> Tensor:
    """Squared for small differences, linear beyond `delta`."""
    return _weighted(_paired, _huber_loss, input, target, reduction, weight, delta)


@by_old_names
@widened
def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0) -> Tensor:
    """Like `huber_loss`, divided by `beta`."""
    return _paired(_smooth_l1, input, target, reduction, beta)


def _bce_value(x, y):
    return -(y * np.maximum(np.log(x), -100) + (1 - y) * np.maximum(np.log1p(-x), -100))


@op("BinaryCrossEntropyBackward0",
    _by(lambda x, y: (x - y) / anp.maximum(x * (1 - x), 1e-12)), _by(lambda x, y: _rules.log(1 - x) - _rules.log(x)),
    tensors="self target", others="reduction", saves="self target")  # fmt: skip
def _bce(x, y, reduction):
    return _reduced(_bce_value(x, y).astype(dtype_of(x)), reduction)


@op("BinaryCrossEntropyWithLogitsBackward0",
    _by(lambda x, y: _rules.sigmoid(x) - y), _by(lambda x, y: -x),
    tensors="self target", others="reduction", saves="self target", rounds=False)  # fmt: skip
def _bce_logits(x, y, reduction):
    if two_bytes(x.dtype):
        return _reduced((1 - y) * x - _rules.logsigmoid.fun(x), reduction)
    values = (1 - y) * x + np.logaddexp(np.zeros((), x.dtype), -x)
    return _reduced(values.astype(x.dtype), reduction)


@_rules.fused(
    "BinaryCrossEntropyWithLogitsBackward0", "self target !weight !pos_weight", "reduction", name="weighted_logits"
)
def _weighted_logits(x, y, weight, positive, reduction):
    lean = 1 if positive is None else (positive - 1) * y + 1
    values = (1 - y) * x + lean * base.softplus(-x)
    return added_up(values if weight is None else values * weight, reduction)


@_rules.fused("BinaryCrossEntropyBackward0", "self target !weight", "reduction", name="weighted_bce")
def _weighted_bce(x, y, weight, reduction):
    return added_up(
        -weight * (y * anp.maximum(anp.log(x), -100) + (1 - y) * anp.maximum(anp.log1p(-x), -100)), reduction
    )


def added_up(values, reduction) -> Any:
    """An array of losses reduced, as part of one op."""
    return values if reduction == "none" else anp.sum(values) if reduction == "sum" else anp.mean(values)


def _same_size(input, target):
    if input.shape != target.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is deprecated. "
            "Please ensure they have the same size."
        )


@by_old_names
@widened
def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean") -> Tensor:
    """The log-loss of probabilities `input` against targets in [0, 1]."""
    check_reduction(reduction)
    _same_size(input, target)
    if not ((input._array >= 0) & (input._array <= 1)).all():
        raise RuntimeError("all elements of input should be between 0 and 1")
    target = converted(target, input.dtype)
    if weight is None:
        return apply(_bce, input, target, reduction)
    return apply(_weighted_bce, input, target, weight, reduction)


@by_old_names
@widened
def binary_cross_entropy_with_logits(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None
) -> Tensor:
    """The log-loss of scores `input`: `binary_cross_entropy` of their sigmoid, without overflow.

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
    check_reduction(reduction)
    target = converted(target, input.dtype)
    if weight is None and pos_weight is None:
        return apply(_bce_logits, input, target, reduction)
    return apply(_weighted_logits, input, target, weight, pos_weight, reduction)
