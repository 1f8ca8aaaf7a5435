"""Losses that are made of others' parts: of overlaps, of hard examples, and the root of a mean."""

from ..dtype import int32
from ..tensor import Tensor
from .activation import get_activation
from .losses import LossBase, MSELoss

__all__ = ["DiceLoss", "FocalLoss", "MultiClassDiceLoss", "RMSELoss"]


def _check_like(name, logits, labels):
    if logits.shape != labels.shape:
        raise ValueError(
            f"For '{name}', the 'logits_shape' should be equal to 'label_shape', but got 'logits_shape': {logits.shape} "
            f"and 'label_shape': {labels.shape}."
        )


class RMSELoss(LossBase):
    """The root of the mean of (logits - label)^2."""

    def __init__(self):
        super().__init__()
        self.MSELoss = MSELoss()

    def construct(self, logits, label) -> Tensor:
        return self.MSELoss(logits, label).sqrt()


class DiceLoss(LossBase):
    """1 less twice the overlap of `logits` and `label`, of one shape, over the sum of their squares and `smooth`.

    >>> DiceLoss()(Tensor([1.0, 0.0]), Tensor([1.0, 1.0])).item() < 0.34
    True
    """

    def __init__(self, smooth=1e-5):
        super().__init__()
        if smooth <= 0:
            raise ValueError(f"For '{self.cls_name}', the 'smooth' must be a positive float, but got {smooth}.")
        self.smooth = smooth

    def construct(self, logits, label) -> Tensor:
        _check_like(self.cls_name, logits, label)
        squares = (logits * logits).sum() + (label * label).sum()
        return 1 - 2 * (logits * label).sum() / (squares + self.smooth)


class MultiClassDiceLoss(LossBase):
    """The mean over the classes, `logits` and `label` being (n, classes, ...), of the DiceLoss of each after `activation`.

    `weights` multiply those of the classes; class `ignore_indiex` is left out of the sum.
    """

    def __init__(self, weights=None, ignore_indiex=None, activation="softmax"):
        super().__init__()
        known = ["softmax", "logsoftmax", "relu", "relu6", "tanh", "sigmoid"]
        if isinstance(activation, str) and activation not in known:
            raise ValueError(f"For '{self.cls_name}', the 'activation' must be in {known}, but got {activation}.")
        self.binarydiceloss, self.weights, self.ignore_indiex = DiceLoss(), weights, ignore_indiex
        self.activation = get_activation(activation) if isinstance(activation, str) else activation

    def construct(self, logits, label) -> Tensor:
        _check_like(self.cls_name, logits, label)
        logits = logits if self.activation is None else self.activation(logits)
        total = 0
        for place in range(label.shape[1]):
            if place != self.ignore_indiex:
                loss = self.binarydiceloss(logits[:, place], label[:, place])
                total = total + (loss if self.weights is None else loss * self.weights[place])
        return total / label.shape[1]


class FocalLoss(LossBase):
    """The cross entropy of scores (n, classes, ...), in which an answer of probability p counts (1 - p) ** gamma times.

    `labels` (n, 1, ...) are classes, (n, classes, ...) shares of them; `weight`: one number for each class.
    """

    def __init__(self, weight=None, gamma=2.0, reduction="mean"):
        super().__init__(reduction)
        self.weight, self.gamma = weight, gamma

    def construct(self, logits, labels) -> Tensor:
        if labels.ndim != logits.ndim or labels.shape[1] not in (1, logits.shape[1]):
            raise ValueError(
                f"For '{self.cls_name}', expected labels with the axes of the logits, and one class or all on axis 1, but "
                f"got logits {logits.shape} and labels {labels.shape}."
            )
        logits, labels = (x.reshape((*x.shape[:2], -1)) for x in (logits, labels))
        logs = logits.log_softmax(1)
        weighted = logs if self.weight is None else logs * self.weight.reshape((1, -1, 1))
        if labels.shape[1] == 1:
            places = labels.astype(int32)
            logs, weighted = (x.gather_elements(1, places).squeeze(1) for x in (logs, weighted))
            return self.get_loss((-((1 - logs.exp()) ** self.gamma) * weighted).mean(axis=1))
        return self.get_loss((-((1 - logs.exp()) ** self.gamma) * labels * weighted).mean(axis=-1))
