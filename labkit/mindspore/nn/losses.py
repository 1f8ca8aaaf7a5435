"""Losses of a prediction and a target, reduced to one number unless `reduction="none"`."""

from .. import ops
from ..common import dtype as mstype
from ..common.tensor import Tensor
from ..ops.losses import REDUCTIONS, as_one_hot, reduced, sparse_softmax_cross_entropy
from .cell import Cell

__all__ = [
    "BCEWithLogitsLoss", "CrossEntropyLoss", "L1Loss", "LossBase", "MAELoss", "MSELoss", "SoftmaxCrossEntropyWithLogits",
]  # fmt: skip


class LossBase(Cell):
    """The base of losses: `reduction` is "mean", "sum" or "none". Subclasses define `construct`."""

    def __init__(self, reduction="mean"):
        super().__init__()
        if reduction not in REDUCTIONS:
            raise ValueError(
                f"For '{self.cls_name}', the 'reduction' must be in ['mean', 'sum', 'none'], but got {reduction}."
            )
        self.reduction = reduction

    def get_loss(self, x, weights=1.0) -> Tensor:
        """`x * weights`, reduced."""
        return self._reduced((x * weights)._value)

    def get_axis(self, x) -> tuple[int, ...]:
        """All axes of a tensor: `(0, 1)` for one with two."""
        return tuple(range(len(x.shape)))

    def _reduced(self, value):
        return reduced(value, self.reduction, self.cls_name)


class MSELoss(LossBase):
    """The mean of (logits - labels)^2.

    >>> from labkit.mindspore import Tensor
    >>> MSELoss()(Tensor([1.0, 2.0]), Tensor([1.0, 0.0]))
    Tensor(shape=[], dtype=Float32, value= 2)
    """

    def construct(self, logits, labels) -> Tensor:
        return ops.mse_loss(logits, labels, self.reduction)


class L1Loss(LossBase):
    """The mean of |logits - labels|."""

    def construct(self, logits, labels) -> Tensor:
        return ops.l1_loss(logits, labels, self.reduction)


class MAELoss(L1Loss):
    """The mean of |logits - label|; `L1Loss` under its older name."""

    def construct(self, logits, label) -> Tensor:
        return super().construct(logits, label)


class SoftmaxCrossEntropyWithLogits(LossBase):
    """The cross entropy of scores (n, classes) and labels: rows of probabilities, or with `sparse` class numbers (n,).

    Not reduced by default. The gradient is softmax - label, as in the real kernel, also for labels that do not sum to 1.

    >>> from labkit.mindspore import Tensor
    >>> loss = SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    >>> loss(Tensor([[0.0, 0.0]]), Tensor([1]))
    Tensor(shape=[], dtype=Float32, value= 0.693147)
    """

    def __init__(self, sparse=False, reduction="none"):
        super().__init__(reduction)
        self.sparse = sparse

    def construct(self, logits, labels) -> Tensor:
        if self.sparse and self.reduction == "mean":
            return sparse_softmax_cross_entropy(logits, labels)
        if self.sparse:
            labels = as_one_hot(labels, logits)
        return self._reduced(ops.softmax_cross_entropy_with_logits(logits, labels)._value)


_LOGITS = "For 'CrossEntropyLoss', the 'logits' should be one of [mindspore.float16, mindspore.float32], but got '{}'."


class CrossEntropyLoss(LossBase):
    """The log-loss of scores (n, classes, ...) for Int32 class numbers (n, ...) or probabilities; see `ops.cross_entropy`.

    `reduction`: "mean", "sum" or "none". The loss has the type of the scores, and no axes unless it is "none".

    >>> import labkit.mindspore as ms
    >>> scores = ms.Tensor([[2.0, 0.0], [0.0, 2.0]])
    >>> round(ms.nn.CrossEntropyLoss()(scores, ms.Tensor([0, 0], ms.int32)).item(), 4)
    1.1269
    """

    def __init__(self, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
        super().__init__(reduction)
        self.weight, self.ignore_index, self.label_smoothing = weight, ignore_index, label_smoothing

    def construct(self, logits, labels) -> Tensor:
        if logits.dtype not in (mstype.float16, mstype.float32):
            raise TypeError(_LOGITS.format(repr(logits.dtype)))
        if labels._value.dtype.kind != "f" and labels.dtype != mstype.int32:
            raise TypeError(f"For 'CrossEntropyLoss', the 'labels' should be Int32, but got '{labels.dtype!r}'.")
        return ops.cross_entropy(logits, labels, self.weight, self.ignore_index, self.reduction, self.label_smoothing)


class BCEWithLogitsLoss(LossBase):
    """The log-loss of the sigmoid of scores against labels in [0, 1], without overflow.

    `logits` and `labels` have one shape; the result is a number, or with `reduction="none"` of that shape. `weight`
    multiplies each element's loss; `pos_weight`: how much more a label of 1 counts.

    >>> import labkit.mindspore as ms
    >>> print(ms.nn.BCEWithLogitsLoss()(ms.Tensor([0.0, 100.0]), ms.Tensor([1.0, 1.0])))
    0.3465736
    """

    def __init__(self, reduction="mean", weight=None, pos_weight=None):
        super().__init__(reduction)
        self.weight, self.pos_weight = weight, pos_weight

    def construct(self, logits, labels) -> Tensor:
        return ops.binary_cross_entropy_with_logits(logits, labels, self.weight, self.pos_weight, self.reduction)
