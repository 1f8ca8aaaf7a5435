"""`torch.nn.functional`: layers and losses as functions."""

import autograd.numpy as anp
import numpy as np

from ... import ops as base
from ...aliases import attributes
from ...engine import dtype_of, unbroadcast_f
from .. import _rules
from .._autocast import lowered, widened
from .._dispatch import apply, check_broadcast, converted, tensor_of, together, whole_dim
from .._linear import matmul
from .._random import dropped
from .._reduce import log_softmax, softmax
from .._rules import op
from .._table import FUNCTIONS, METHODS
from .._tensor import Tensor
from ._images import avg_pool2d, batch_norm, conv2d, max_pool2d

__all__ = [
    "avg_pool2d",
    "batch_norm",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "conv2d",
    "cross_entropy",
    "dropout",
    "elu",
    "gelu",
    "hardtanh",
    "huber_loss",
    "l1_loss",
    "leaky_relu",
    "linear",
    "log_softmax",
    "logsigmoid",
    "max_pool2d",
    "mse_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "relu",
    "relu6",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "softmax",
    "softplus",
    "tanh",
]  # fmt: skip

relu, sigmoid, tanh = (FUNCTIONS[name] for name in ("relu", "sigmoid", "tanh"))


@lowered
def linear(input, weight, bias=None) -> Tensor:
    """`input @ weight.T + bias`; `weight` has shape (out features, in features)."""
    tensor_of(input, "linear")
    flipped = weight.t() if weight.ndim == 2 else weight
    if bias is not None and input.ndim == 1 and weight.ndim == 2:
        return FUNCTIONS["addmm"](bias, input.view(1, -1), flipped).view(-1)
    if bias is not None and input.ndim == 2 and weight.ndim == 2:
        return FUNCTIONS["addmm"](bias, input, flipped)
    if bias is not None and input.ndim > 2:
        tall = FUNCTIONS["addmm"](bias, input.reshape(-1, input.shape[-1]), flipped)
        return tall.view(*input.shape[:-1], weight.shape[0])
    made = matmul(input, flipped)
    return made if bias is None else made + bias


def leaky_relu(input, negative_slope=0.01, inplace=False) -> Tensor:
    """`x` where positive, else `negative_slope * x`."""
    return apply(_rules.leaky_relu, input, negative_slope)


def elu(input, alpha=1.0, inplace=False) -> Tensor:
    """`x` where positive, else `alpha * (exp(x) - 1)`."""
    return apply(_rules.elu, input, alpha)


def relu6(input, inplace=False) -> Tensor:
    """Limited to [0, 6]; at 0 and at 6 the slope is 0."""
    return apply(_rules.hardtanh, input, 0.0, 6.0)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False) -> Tensor:
    """Limited to [min_val, max_val]; at these limits the slope is 0."""
    return apply(_rules.hardtanh, input, min_val, max_val)


def pad(input, pad, mode="constant", value=0) -> Tensor:
    """Constant padding: pairs of widths, the last dimension first."""
    pairs = list(zip(pad[::2], pad[1::2], strict=True))
    widths = [(0, 0)] * (input.ndim - len(pairs)) + pairs[::-1]
    return apply(_rules.pad, input, tuple(widths), value)


def gelu(input, approximate="none") -> Tensor:
    """`x` times the normal distribution function of `x`."""
    return apply(_rules.gelu, input)


def silu(input, inplace=False) -> Tensor:
    """`x * sigmoid(x)`."""
    return apply(_rules.silu, input)


def softplus(input, beta=1.0, threshold=20.0) -> Tensor:
    """`log(1 + exp(beta x)) / beta`; linear above `threshold`."""
    return apply(_rules.softplus, input, beta, threshold)


def logsigmoid(input) -> Tensor:
    """`log(sigmoid(x))`."""
    return apply(_rules.logsigmoid, input)


def normalize(input, p=2.0, dim=1, eps=1e-12) -> Tensor:
    """`input` divided by its norm along `dim`."""
    return input / input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)


def one_hot(tensor, num_classes=-1) -> Tensor:
    """Class numbers as rows with a single 1."""
    classes = int(tensor._array.max()) + 1 if num_classes == -1 else num_classes
    return Tensor._of(np.eye(classes, dtype=np.int64)[tensor._array])


def dropout(input, p=0.5, training=True, inplace=False) -> Tensor:
    """Zero each element with probability `p` and scale the rest by 1 / (1 - p), while training.

    Raises ValueError for `p` outside [0, 1].
    """
    check_probability(p)
    if not training or p == 0 or not input.numel():
        return input
    factors = dropped(input, p)
    return input.mul_(factors) if inplace else input * factors


def check_probability(p):
    """Raise ValueError unless `p` is from 0 to 1."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


# ---- losses ----


def _reduced(values, reduction):
    if reduction == "none":
        return values
    return _rules.sum_(values, None, False) if reduction == "sum" else _rules.mean(values, None, False)


def _check_reduction(reduction):
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")


def _per_element(g, x, reduction):
    """What each element receives of the gradient of a reduced loss."""
    return g / anp.size(x) if reduction == "mean" else g


def _by(slope):
    """The rule of a loss for an argument by which it has, element by element, the derivative `slope(input, target, ...)`."""
    return lambda ans, x, y, reduction, *how: lambda g: _per_element(g, x, reduction) * slope(x, y, *how)


def _difference_loss(name, value, slope):
    """A loss of `input - target`, one node: `value(d)` summed up, `slope(d)` its derivative."""

    by_input, by_target = _by(lambda x, y, *how: slope(x - y, *how)), _by(lambda x, y, *how: slope(y - x, *how))

    @op(name, by_input, by_target, tensors="self target", others="reduction", saves="self target")
    def fun(x, y, reduction, *how):
        return _reduced(np.asarray(value(x - y, *how)).astype(dtype_of(x)), reduction)

    return fun


_mse = op(
    "MseLossBackward0",
    lambda ans, x, y, reduction: lambda g: mse_backward(g, x, y, reduction),
    lambda ans, x, y, reduction: lambda g: mse_backward(g, y, x, reduction),
    tensors="self target", others="reduction", saves="self target",
)(lambda x, y, reduction: _reduced(np.square(x - y), reduction))  # fmt: skip


@op(
    "MseLossBackwardBackward0",
    lambda ans, g, x, y, reduction: unbroadcast_f(g, lambda h: _per_element(h * (2 * (x - y)), x, reduction)),
    lambda ans, g, x, y, reduction: lambda h: _per_element(2 * h * g, x, reduction),
    lambda ans, g, x, y, reduction: lambda h: -_per_element(2 * h * g, x, reduction),
    tensors="grad_output self target", others="reduction", saves="grad_output self target",
)  # fmt: skip
def mse_backward(g, x, y, reduction):
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
    return _paired(_mse, input, target, reduction)


def _paired(primitive, input, target, reduction, *how):
    _check_reduction(reduction)
    _warn_of_sizes(input, target)
    check_broadcast(input, target)
    if input.shape != target.shape:
        input, target = FUNCTIONS["broadcast_tensors"](input, target)
    input, target = together(input, target)
    return apply(primitive, input, target, reduction, *how)


@widened
def l1_loss(input, target, size_average=None, reduce=None, reduction="mean") -> Tensor:
    """The mean (or sum, or each) absolute difference."""
    _check_reduction(reduction)
    _warn_of_sizes(input, target)
    size = METHODS["abs"](input - target)
    return size if reduction == "none" else METHODS[reduction](size)


@widened
def huber_loss(input, target, reduction="mean", delta=1.0) -> Tensor:
    """Squared for small differences, linear beyond `delta`."""
    return _paired(_huber_loss, input, target, reduction, delta)


@widened
def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0) -> Tensor:
    """Like `huber_loss`, divided by `beta`."""
    return _paired(_smooth_l1, input, target, reduction, beta)


def _nll_weights(x, target, weight, ignore, reduction):
    """How much each example's log-probability counts, in the dtype of `x`."""
    counted = np.where(target == ignore, 0, 1).astype(dtype_of(x))
    if weight is not None:
        counted = counted * weight[np.where(target == ignore, 0, target)].astype(counted.dtype)
    return counted / counted.sum() if reduction == "mean" else counted


def _nll_index(target, ignore):
    return np.expand_dims(np.where(target == ignore, 0, target), 1)


@op(
    lambda args, kwargs: "NllLossBackward0" if args[0].ndim < 3 else "NllLoss2DBackward0",
    lambda ans, x, target, weight, ignore, reduction: (
        lambda g: base.scatter_add(
            anp.expand_dims(-g * _nll_weights(x, target, weight, ignore, reduction), 1),
            _nll_index(target, ignore),
            1,
            anp.shape(x),
        )
    ),
    others="target weight ignore_index reduction",
    saves="target weight",
)
def _nll(x, target, weight, ignore, reduction):
    picked = np.take_along_axis(x, _nll_index(target, ignore), 1).squeeze(1)
    losses = -picked * _nll_weights(x, target, weight, ignore, reduction)
    return losses if reduction == "none" else np.sum(losses, dtype=x.dtype)


@widened
def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean") -> Tensor:
    """Minus the log-probability of the target class: `input` (N, classes, ...), `target` (N, ...) of class numbers."""
    _check_reduction(reduction)
    single = input.ndim == 1
    if single:
        input, target = input.unsqueeze(0), target.unsqueeze(0)
    if input.shape[0] != target.shape[0]:
        raise ValueError(
            f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({target.shape[0]})."
        )
    if target.dtype.is_floating_point:
        raise RuntimeError(f"expected scalar type Long but found {target.dtype.legacy}")
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
    _check_reduction(reduction)
    dim = 0 if input.ndim == 1 else 1
    scores = log_softmax(input, dim)
    if target.dtype.is_floating_point:
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
    return total if reduction == "sum" else apply(_rules.divide_by, total, scores.numel() // scores.shape[dim])


def _bce_value(x, y):
    return -(y * np.maximum(np.log(x), -100) + (1 - y) * np.maximum(np.log1p(-x), -100))


@op("BinaryCrossEntropyBackward0",
    _by(lambda x, y: (x - y) / anp.maximum(x * (1 - x), 1e-12)), _by(lambda x, y: _rules.log(1 - x) - _rules.log(x)),
    tensors="self target", others="reduction", saves="self target")  # fmt: skip
def _bce(x, y, reduction):
    return _reduced(_bce_value(x, y).astype(dtype_of(x)), reduction)


@op("BinaryCrossEntropyWithLogitsBackward0",
    _by(lambda x, y: _rules.sigmoid(x) - y), _by(lambda x, y: -x),
    tensors="self target", others="reduction", saves="self target")  # fmt: skip
def _bce_logits(x, y, reduction):
    values = (1 - y) * x + np.logaddexp(np.zeros((), x.dtype), -x)
    return _reduced(values.astype(x.dtype), reduction)


def _same_size(input, target):
    if input.shape != target.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is deprecated. "
            "Please ensure they have the same size."
        )


@widened
def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean") -> Tensor:
    """The log-loss of probabilities `input` against targets in [0, 1]."""
    _same_size(input, target)
    return apply(_bce, input, converted(target, input.dtype), reduction)


@widened
def binary_cross_entropy_with_logits(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None
) -> Tensor:
    """The log-loss of scores `input`: `binary_cross_entropy` of their sigmoid, without overflow."""
    if input.shape != target.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    return apply(_bce_logits, input, converted(target, input.dtype), reduction)


def glu(input, dim=-1):
    """The first half of `dim` times the sigmoid of the second."""
    first, second = input.chunk(2, whole_dim(dim, input.ndim))
    return first * second.sigmoid()


__getattr__ = attributes(__name__)
