"""Losses of a prediction and a target, reduced to one number unless `reduction="none"`."""

import numpy as np

from ...kinds import of_kind
from ..ops import _entropy
from ..ops._op import OPS
from ..tensor import Tensor
from .activation import CLASSES, get_activation
from .cell import Cell

__all__ = [
    "BCELoss", "BCEWithLogitsLoss", "CrossEntropyLoss", "DiceLoss", "FocalLoss", "HuberLoss", "L1Loss", "LossBase", "MSELoss",
    "MultiClassDiceLoss", "NLLLoss", "RMSELoss", "SmoothL1Loss", "SoftmaxCrossEntropyWithLogits",
]  # fmt: skip


class LossBase(Cell):
    """The base of losses: `reduction` is "mean", "sum" or "none". Subclasses define `construct`."""

    def __init__(self, reduction="mean"):
        super().__init__()
        if reduction not in _entropy.REDUCTIONS:
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
        return _entropy.reduced(value, self.reduction, self.cls_name)


class MSELoss(LossBase):
    """The mean of (logits - labels)^2.

    >>> from labkit.mindspore import Tensor
    >>> MSELoss()(Tensor([1.0, 2.0]), Tensor([1.0, 0.0]))
    Tensor(shape=[], dtype=Float32, value= 2)
    """

    def construct(self, logits, labels) -> Tensor:
        return _entropy.mse_loss(logits, labels, self.reduction)


class RMSELoss(LossBase):
    """The root of the mean of (logits - label)^2."""

    def __init__(self):
        super().__init__()
        self.MSELoss = MSELoss()

    def construct(self, logits, label) -> Tensor:
        return self.MSELoss(logits, label).sqrt()


class DiceLoss(LossBase):
    """1 less twice the overlap of `logits` and `label`, of one shape, over the sum of their squares and `smooth`."""

    def __init__(self, smooth=1e-5):
        super().__init__()
        self.smooth = smooth

    def construct(self, logits, label) -> Tensor:
        if logits.shape != label.shape:
            raise ValueError(
                f"For '{self.cls_name}', the 'logits_shape' should be equal to 'label_shape', but got {logits.shape} and "
                f"{label.shape}."
            )
        squares = (logits * logits).sum() + (label * label).sum()
        return 1 - 2 * (logits * label).sum() / (squares + self.smooth)


class MultiClassDiceLoss(LossBase):
    """The mean over classes of `DiceLoss`, of (n, classes, ...) each; `weights` (classes, ...) multiply a class's.

    `activation`, a name or a cell, is applied to `logits` first. The class `ignore_indiex` adds nothing, but counts.
    """

    def __init__(self, weights=None, ignore_indiex=None, activation="softmax"):
        super().__init__()
        self.binarydiceloss, self.weights, self.ignore_indiex = DiceLoss(), weights, ignore_indiex
        self.activation = get_activation(activation) if isinstance(activation, str) else activation

    def construct(self, logits, label) -> Tensor:
        logits = logits if self.activation is None else self.activation(logits)
        total = 0
        for i in range(label.shape[1]):
            if i != self.ignore_indiex:
                loss = self.binarydiceloss(logits[:, i], label[:, i])
                total = total + (loss if self.weights is None else loss * self.weights[i])
        return total / label.shape[1]


class FocalLoss(LossBase):
    """The log-loss of scores (n, classes, ...), less the surer an answer is: -(1 - p)^gamma log p (T. Lin et al., 2017).

    `labels` are class numbers (n, 1, ...) or one-hot (n, classes, ...); `weight` (classes,) multiplies a class's log p.

    >>> import labkit.mindspore as ms
    >>> loss = ms.nn.FocalLoss(gamma=2.0)(ms.Tensor([[0.0, 0.0]]), ms.Tensor([[1]], ms.int32))
    >>> round(loss.item(), 4)  # log(2) / 4
    0.1733
    """

    def __init__(self, weight=None, gamma=2.0, reduction="mean"):
        super().__init__(reduction)
        of_kind(gamma, float, "For 'FocalLoss', the type of 'gamma' must be float, but got {type}.")
        self.weight, self.gamma, self.logsoftmax = weight, gamma, CLASSES["LogSoftmax"](1)

    def construct(self, logits, labels) -> Tensor:
        logits, labels = (t.reshape((*t.shape[:2], -1)) for t in (logits, labels))
        log_p, hot = self.logsoftmax(logits), labels
        if labels.shape[1] == 1 < logits.shape[1]:
            places = labels.astype("int32")
            hot = OPS["equal"](places, Tensor(np.arange(logits.shape[1], dtype=np.int32)[:, None])).astype(logits.dtype)
        each = -((1 - log_p.exp()) ** self.gamma) * hot * log_p
        if self.weight is not None:
            each = each * self.weight.reshape((1, -1, 1))
        return self.get_loss(each.mean(-1) if hot is labels else each.sum(1).mean(1))


class L1Loss(LossBase):
    """The mean of |logits - labels|."""

    def construct(self, logits, labels) -> Tensor:
        return _entropy.l1_loss(logits, labels, self.reduction)


class SmoothL1Loss(LossBase):
    """Half the squared distance over `beta` below `beta`, then |distance| - beta / 2. Not reduced by default."""

    def __init__(self, beta=1.0, reduction="none"):
        super().__init__(reduction)
        self.beta = beta

    def construct(self, logits, labels) -> Tensor:
        return _entropy.smooth_l1_loss(logits, labels, self.beta, self.reduction)


class HuberLoss(LossBase):
    """Half the squared distance below `delta`, then delta (|distance| - delta / 2)."""

    def __init__(self, reduction="mean", delta=1.0):
        super().__init__(reduction)
        self.delta = delta

    def construct(self, logits, labels) -> Tensor:
        return _entropy.huber_loss(logits, labels, self.reduction, self.delta)


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
        of_kind(sparse, bool, "For '{owner}', the 'sparse' must be a bool, but got {kind}.", owner=self.cls_name)
        self.sparse = sparse

    def construct(self, logits, labels) -> Tensor:
        if self.sparse and self.reduction == "mean":
            return _entropy.sparse_softmax_cross_entropy(logits, labels)
        if self.sparse:
            labels = _entropy.as_one_hot(labels, logits)
        return self._reduced(_entropy.softmax_cross_entropy_with_logits(logits, labels)._value)


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
        return _entropy.cross_entropy(
            logits, labels, self.weight, self.ignore_index, self.reduction, self.label_smoothing
        )


class NLLLoss(LossBase):
    """Minus the log-probability of the target class, `logits` being log-probabilities (n, classes, ...)."""

    def __init__(self, weight=None, ignore_index=-100, reduction="mean"):
        super().__init__(reduction)
        self.weight, self.ignore_index = weight, ignore_index

    def construct(self, logits, labels) -> Tensor:
        return _entropy.nll_loss(logits, labels, self.weight, self.ignore_index, self.reduction)


class BCELoss(LossBase):
    """The log-loss of probabilities against labels in [0, 1]; `weight` multiplies each element's."""

    def __init__(self, weight=None, reduction="mean"):
        super().__init__(reduction)
        self.weight = weight

    def construct(self, logits, labels) -> Tensor:
        return _entropy.binary_cross_entropy(logits, labels, self.weight, self.reduction)


class BCEWithLogitsLoss(LossBase):
    """`BCELoss` of the sigmoid of scores, without overflow; `pos_weight`: how much more a label of 1 counts.

    `logits` and `labels` have one shape; the result is a number, or with `reduction="none"` of that shape.

    >>> import labkit.mindspore as ms
    >>> print(ms.nn.BCEWithLogitsLoss()(ms.Tensor([0.0, 100.0]), ms.Tensor([1.0, 1.0])))
    0.3465736
    """

    def __init__(self, reduction="mean", weight=None, pos_weight=None):
        super().__init__(reduction)
        self.weight, self.pos_weight = weight, pos_weight

    def construct(self, logits, labels) -> Tensor:
        return _entropy.binary_cross_entropy_with_logits(logits, labels, self.weight, self.pos_weight, self.reduction)
