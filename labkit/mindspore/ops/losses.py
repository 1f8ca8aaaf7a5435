"""Losses as functions: distances of a prediction from a target, and cross entropies."""

import re

import autograd.numpy as anp
import numpy as np

from ... import ops as primitives
from ...dialects.user_warnings import warn_user
from ...engine import cast, dtype_of, match_dtype, quietly, shape_of
from ...engine import stop_gradient as constant
from ..common.dtype import bfloat16, float16, float32, float64, of
from ..common.tensor import Tensor, wrap
from . import kernels
from .arithmetic import operands, unbroadcast
from .op_table import floating, register, value_of

REDUCTIONS = {"mean": kernels.mean, "sum": kernels.sum_all, "none": lambda x: x}


_BROADCASTS = "a loss of shapes {logits} and {labels} broadcasts to {shape}. Give both the same shape."


def reduced(value, reduction, owner):
    """A tensor of the mean, the sum or all of the values. Raises ValueError for another `reduction`."""
    if reduction not in REDUCTIONS:
        raise ValueError(f"For {owner}, `reduction` value should be either 'mean', 'none' or 'sum'.")
    return wrap(quietly(REDUCTIONS[reduction], value))


def difference(input, target, owner):
    """The values of `input - target`. Raises TypeError for anything but tensors, ValueError for shapes that do not broadcast."""
    for name, x in (("input", input), ("target", target)):
        if not isinstance(x, Tensor):
            raise TypeError(f"For '{owner}', the '{name}' must be a Tensor, but got '{type(x)}'")
    a, b = operands(input, target, "Sub")
    try:
        found = quietly(anp.subtract, a, b)
        if shape_of(found) not in (shape_of(a), shape_of(b)):
            warn_user(
                _BROADCASTS.format(logits=shape_of(a), labels=shape_of(b), shape=shape_of(found)),
            )
        return found
    except ValueError:
        raise unbroadcast("SubExt", a, b) from None


def one_hot(labels, like):
    """Class numbers (n,) as rows with a single 1, of the shape and type of `like`; a number out of range has no 1."""
    numbers = np.arange(shape_of(like)[-1])
    return cast(anp.equal(anp.expand_dims(constant(labels), -1), numbers), dtype_of(like))


# ---- distances ----


def mse_loss(input, target, reduction="mean"):
    """The mean of (input - target)^2."""
    return reduced(anp.square(floating(difference(input, target, "ops.mse_loss"))), reduction, "ops.mse_loss")


def l1_loss(input, target, reduction="mean"):
    """The mean of |input - target|."""
    return reduced(primitives.absolute(difference(input, target, "l1_loss")), reduction, "l1_loss")


# ---- cross entropy of scores ----


@primitives.rule(
    lambda ans, logits, labels: lambda g: anp.expand_dims(g, -1) * (primitives.softmax(logits, -1) - labels),
    None,
    name="softmax_cross_entropy",
)
def _softmax_cross_entropy(logits, labels):
    """-sum(labels log softmax(logits)) of each row; the gradient is softmax - labels, whatever the labels sum to"""
    return -np.sum(labels * primitives.log_softmax.fun(logits, -1), axis=-1, dtype=logits.dtype)


def softmax_cross_entropy_with_logits(logits, labels):
    """The cross entropy of each row: logits and labels (n, classes) of one type, result (n,).

    The gradient is softmax(logits) - labels, as in the real kernel, also for labels that do not sum to 1; to the labels
    it is 0. Raises ValueError or TypeError for shapes or types that differ.
    """
    x, y = value_of(logits, "SoftmaxCrossEntropyWithLogits"), value_of(labels, "SoftmaxCrossEntropyWithLogits")
    shapes = shape_of(x), shape_of(y)
    if x.dtype != y.dtype:
        raise TypeError(
            "For primitive[SoftmaxCrossEntropyWithLogits], the input type must be same.\n"
            f"name:[label_type]:Tensor[{of(y.dtype)}].\nname:[logits_type]:Tensor[{of(x.dtype)}].\n"
        )
    if shapes[0] != shapes[1]:
        raise ValueError(
            "For 'SoftmaxCrossEntropyWithLogits', evaluator arg 'label' shape must be consistent with 'logits' shape, "
            f"but got 'label' shape: {shapes[1]}, 'logits' shape: {shapes[0]}."
        )
    if len(shapes[0]) != 2:
        raise ValueError(
            "For primitive[SoftmaxCrossEntropyWithLogits], the dimension of logits must be equal to 2, "
            f"but got {len(shapes[0])}."
        )
    with np.errstate(all="ignore"):
        return wrap(_softmax_cross_entropy(x, y))


@primitives.rule(
    lambda ans, logits, labels: (
        lambda g: anp.expand_dims(g, -1) * (primitives.softmax(logits, -1) - one_hot(labels, logits))
    ),
    None,
    name="sparse_cross_entropy",
)
def _sparse_cross_entropy(logits, labels):
    """minus the log softmax of each row at its class number"""
    for place, label in enumerate(labels):
        if not 0 <= label < logits.shape[-1]:
            raise RuntimeError(
                "For 'SparseSoftmaxCrossEntropyWithLogits' got error label! label[index] must <= class_num, "
                f"but got index = {place} label[index] = {label} and class_num = {logits.shape[-1]}"
            )
    return -np.take_along_axis(primitives.log_softmax.fun(logits, -1), labels[:, None], -1)[:, 0]


def sparse_softmax_cross_entropy(logits, labels):
    """The mean cross entropy of logits (n, classes) and class numbers (n,)."""
    x, y = value_of(logits, "SparseSoftmaxCrossEntropyWithLogits"), _class_numbers(labels)
    if shape_of(x)[:-1] != shape_of(y):
        raise ValueError("Labels shape value must be equal to the Features except the last dimension of Features\n")
    with np.errstate(all="ignore"):
        return wrap(kernels.mean(_sparse_cross_entropy(x, y)))


def as_one_hot(labels, like):
    """A tensor of class numbers as rows with a single 1, of the number of classes and the type of `like`."""
    return wrap(one_hot(_class_numbers(labels), value_of(like, "OneHot")))


def _class_numbers(labels):
    """The values of a tensor of class numbers. Raises TypeError for floating ones."""
    value = value_of(labels, "OneHot")
    if value.dtype.kind not in "iu":
        raise TypeError(
            "For primitive[OneHot], the input argument[indices] must be a type of {Tensor[Int32], Tensor[Int64]}, "
            f"but got Tensor[{of(value.dtype)}].\n"
        )
    return constant(value)


# ---- cross entropy, with classes on axis 1 ----


def cross_entropy(input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    """The log-loss of scores (n, classes, ...) for class numbers (n, ...) or probabilities (n, classes, ...).

    `weight`: one number per class. The mean is over the weights of the examples' classes.

    >>> import labkit.mindspore as ms
    >>> print(cross_entropy(ms.Tensor([[0.0, 0.0], [0.0, 100.0]]), ms.Tensor([1, 1], ms.int32)))
    0.3465736
    """
    if input.dtype not in (float16, float32, float64):
        raise TypeError(
            "For cross_entropy, the input dtype should be mstype.float64, mstype.float32 ormstype.float16, but got "
            f"dtype:{input.dtype}."
        )
    axis = 1 if input.ndim > 1 else 0
    scores = wrap(primitives.log_softmax(value_of(input, "CrossEntropyLoss"), axis))
    if target._value.dtype.kind == "f":
        return _soft_cross_entropy(scores, target, weight, reduction, label_smoothing, axis)
    return nll_loss(scores, target, weight, ignore_index, reduction, label_smoothing)


def _soft_cross_entropy(scores, target, weight, reduction, smoothing, axis):
    if scores.shape != target.shape:
        raise ValueError(
            "For 'CrossEntropyLoss', the shape of 'logits' and of probabilities as 'labels' must be the same, "
            f"but get 'logits' shape: {scores.shape} and 'labels' shape: {target.shape}."
        )
    classes = scores.shape[axis]
    terms = scores * (target * (1 - smoothing) + smoothing / classes if smoothing else target)
    losses = -(terms if weight is None else terms * _along_classes(weight, scores.ndim, axis)).sum(axis)
    total = reduced(losses._value, "sum" if reduction == "mean" else reduction, "cross_entropy")
    return total / losses.size if reduction == "mean" else total


def _along_classes(weight, ndim, axis):
    return weight.reshape((1,) * axis + (-1,) + (1,) * (ndim - axis - 1))


def nll_loss(inputs, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    """Minus the log-probability, of `inputs` (n, classes, ...), of each target class (n, ...), times its weight."""
    axis = 1 if inputs.ndim > 1 else 0
    _check_classes(inputs, target, axis)
    x, labels = inputs._value, constant(target._value)
    used = cast(labels != ignore_index, dtype_of(x))
    index = anp.where(labels == ignore_index, 0, labels)
    share = used if weight is None else used * cast(constant(weight._value), dtype_of(x))[index]
    with np.errstate(all="ignore"):
        losses = -share * anp.reshape(_picked(x, anp.expand_dims(index, axis), axis), shape_of(share))
        if label_smoothing:
            spread = x if weight is None else x * _along_classes(weight, inputs.ndim, axis)._value
            others = -primitives.sum_(spread, axis=axis) * used
            losses = losses * (1 - label_smoothing) + others * (label_smoothing / shape_of(x)[axis])
        if reduction == "mean":
            return wrap(anp.sum(losses) / anp.sum(share))
    return reduced(losses, reduction, "nll_loss")


def _picked(x, index, axis):
    """The elements of `x` at `index` along `axis`. Raises RuntimeError for one out of range."""
    try:
        return primitives.gather(x, index, axis)
    except IndexError as error:
        classes, wrong = shape_of(x)[axis], re.search(r"index (-?\d+)", str(error))
        raise RuntimeError(
            f"For 'GatherD', the value of 'index' must be in [{-classes}, {classes}), "
            f"but got: {wrong[1] if wrong else index}"
        ) from None


def _check_classes(inputs, target, axis):
    expected = inputs.shape[:axis] + inputs.shape[axis + 1 :]
    if target._value.dtype.kind not in "iu":
        raise TypeError(
            "For primitive[GatherD], the input argument[index] must be a type of {Tensor[Int32], Tensor[Int64]}, "
            f"but got Tensor[{target.dtype}]."
        )
    if target.shape != expected:
        raise ValueError(
            "For 'CrossEntropyLoss', the shape of 'logits' should be (N, C, d_0, d_1, ...), and the shape of 'labels' "
            f"should be (N, d_0, d_1, ...), but get 'logits' shape: {inputs.shape} and 'labels' shape: {target.shape}."
        )


# ---- binary cross entropy ----


_SCORES = (
    "For primitive[BCEWithLogitsLoss], the input argument[{name}] must be a type of {{BFloat16, Float16, Float32}}, but got"
    " {type}."
)


def binary_cross_entropy_with_logits(logits, label, weight=None, pos_weight=None, reduction="mean"):
    """The log-loss of scores against labels in [0, 1], without overflow.

    `pos_weight`: how much more a label of 1 counts than one of 0.
    """
    for name, tensor in (("input", logits), ("target", label)):
        value_of(tensor, "BCEWithLogitsLoss")
        if tensor.dtype not in (bfloat16, float16, float32):
            raise TypeError(_SCORES.format(name=name, type=tensor.dtype))
    x, y = operands(logits, label, "BCEWithLogitsLoss")
    positive = 1 if pos_weight is None else (constant(pos_weight._value) - 1) * y + 1
    with np.errstate(all="ignore"):
        losses = match_dtype((1 - y) * x + positive * primitives.softplus(-x), x.dtype)  # NumPy 1 widens 1 - y
        losses = losses if weight is None else losses * constant(weight._value)
        return reduced(losses, reduction, "binary_cross_entropy_with_logits")


for _fun in (
    mse_loss, l1_loss, softmax_cross_entropy_with_logits, cross_entropy, nll_loss, binary_cross_entropy_with_logits,
):  # fmt: skip
    register(_fun, method=False)
