"""More measures: confusion matrices, curves, overlaps, and how sure of the right word a network is."""

import math

import numpy as np

from ...aliases import attributes
from ...kinds import of_kind
from .metrics import NAMED, Cleared, rearrange_inputs

__all__ = ["ROC", "ConfusionMatrix", "CosineSimilarity", "Dice", "Perplexity", "auc"]


def _check_seen(metric):
    if not metric._seen:
        raise RuntimeError("Please call the 'update' method before calling 'eval' method.")


class ConfusionMatrix(Cleared):
    """How often label i was answered by j, at [i, j]; `normalize` "target", "prediction" or "all": shares of these.

    Predictions are classes, or scores, which are 1 from `threshold` on; or (n, classes).

    >>> metric = ConfusionMatrix(num_classes=2)
    >>> metric.update(np.array([1, 0, 1, 0]), np.array([1, 0, 0, 1]))
    >>> metric.eval()
    array([[1., 1.],
           [1., 1.]])
    """

    def __init__(self, num_classes, normalize="no_norm", threshold=0.5):
        if normalize not in ("target", "prediction", "all", "no_norm"):
            raise ValueError(
                "For 'ConfusionMatrix', the argument 'normalize' must be in ['all', 'prediction', 'label', "
                f"'no_norm'(None)], but got {normalize}."
            )
        self.num_classes, self.normalize, self.threshold = num_classes, normalize, threshold
        super().__init__()

    def clear(self) -> None:
        self.confusion_matrix, self._seen = np.zeros((self.num_classes, self.num_classes)), False

    @rearrange_inputs
    def update(self, *inputs) -> None:
        prediction, label = self._pair(inputs)
        if prediction.ndim not in (label.ndim, label.ndim + 1):
            shapes = f"{prediction.shape} and {label.shape}"
            raise ValueError(
                f"For 'ConfusionMatrix.update', expected as many axes as labels, or one more, but got {shapes}."
            )
        if prediction.ndim == label.ndim + 1:
            prediction = prediction.argmax(axis=1)
        elif prediction.dtype.kind == "f":
            prediction = prediction >= self.threshold
        places = (label.reshape(-1) * self.num_classes + prediction.reshape(-1)).astype(int)
        self.confusion_matrix += np.bincount(places, minlength=self.num_classes**2).reshape(self.confusion_matrix.shape)
        self._seen = True

    def eval(self) -> np.ndarray:
        _check_seen(self)
        counts = self.confusion_matrix.astype(float)
        if self.normalize == "no_norm":
            return counts
        axis = {"target": 1, "prediction": 0, "all": None}[self.normalize]
        with np.errstate(all="ignore"):
            return np.nan_to_num(counts / counts.sum(axis=axis, keepdims=True), nan=0.0)


class CosineSimilarity(Cleared):
    """The cosine between each two rows of what the last `update` was given; `similarity="dot"`: the dot products.

    `reduction` "mean" or "sum" reduces the rows; `zero_diagonal` leaves out each row's similarity to itself.

    >>> metric = CosineSimilarity()
    >>> metric.update(np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 3.0]]))
    >>> metric.eval()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])
    """

    def __init__(self, similarity="cosine", reduction="none", zero_diagonal=True):
        self.similarity, self.reduction, self.zero_diagonal = similarity, reduction, zero_diagonal
        super().__init__()

    def clear(self) -> None:
        self.sqr_mtx_res, self._seen = np.zeros((0, 0)), False

    @rearrange_inputs
    def update(self, inputs) -> None:
        rows = self._convert_data(inputs)
        if self.similarity == "cosine":
            rows = rows / np.linalg.norm(rows, axis=1)[:, None]
        self.sqr_mtx_res, self._seen = rows @ rows.T, True

    def eval(self) -> np.ndarray:
        _check_seen(self)
        found = (
            self.sqr_mtx_res * ~np.eye(len(self.sqr_mtx_res), dtype=bool) if self.zero_diagonal else self.sqr_mtx_res
        )
        return (
            found if self.reduction == "none" else np.mean(found, -1) if self.reduction == "mean" else np.sum(found, -1)
        )


class Dice(Cleared):
    """Twice the overlap of prediction and label over the sum of their squares, summed over batches, per example."""

    def __init__(self, smooth=1e-5):
        self.smooth = smooth
        super().__init__()

    def clear(self) -> None:
        self._dice_coeff_sum, self._samples_num = 0.0, 0

    @rearrange_inputs
    def update(self, *inputs) -> None:
        prediction, label = self._pair(inputs)
        if prediction.shape != label.shape:
            shapes = f"{prediction.shape} and {label.shape}"
            raise ValueError(f"For 'Dice.update', predicted and true value should have same shape, but got {shapes}.")
        p, t = prediction.ravel(), label.ravel()
        self._dice_coeff_sum += 2 * float(p @ t) / float(p @ p + t @ t + self.smooth)
        self._samples_num += len(label)

    def eval(self) -> float:
        return self._dice_coeff_sum / self._nonzero(float(self._samples_num))


class Perplexity(Cleared):
    """exp of the mean of -log of the probability given to the right class; those of `ignore_label` do not count."""

    def __init__(self, ignore_label=None):
        self.ignore_label = ignore_label
        super().__init__()

    def clear(self) -> None:
        self._sum_metric, self._num_inst = 0.0, 0

    @rearrange_inputs
    def update(self, *inputs) -> None:
        prediction, label = self._pair(inputs)
        if label.size != prediction.size / prediction.shape[-1]:
            shapes = f"{prediction.shape} and {label.shape}"
            raise RuntimeError(
                f"For 'Perplexity.update', expected a label for each row of predictions, but got {shapes}."
            )
        label = label.reshape(-1).astype(int)
        given, counted = prediction[np.arange(len(label)), label], label != self.ignore_label
        self._sum_metric -= np.log(np.maximum(1e-10, np.where(counted, given, 1))).sum()
        self._num_inst += counted.sum()

    def eval(self) -> float:
        return math.exp(self._sum_metric / self._nonzero(self._num_inst))


class ROC(Cleared):
    """The receiver operating characteristic: `(false positive rates, true positive rates, thresholds)`; a list of each
    for `class_num` classes and predictions (n, classes).
    """

    def __init__(self, class_num=None, pos_label=None):
        self.class_num, self.pos_label = class_num, pos_label
        super().__init__()

    def clear(self) -> None:
        self.y_pred, self.y, self._seen = np.zeros(0), np.zeros(0), False

    @rearrange_inputs
    def update(self, *inputs) -> None:
        prediction, label = self._pair(inputs)
        several = prediction.ndim == label.ndim + 1
        if several and self.class_num != prediction.shape[1]:
            found = prediction.shape[1]
            raise ValueError(
                f"For 'ROC', the 'class_num' must be that of the predictions, {found}, but got {self.class_num}."
            )
        self.y_pred, self.y, self._seen = prediction if several else prediction.reshape(-1), label.reshape(-1), True

    def eval(self) -> tuple:
        _check_seen(self)
        if self.y_pred.ndim == 1:
            return self._curve(self.y_pred, self.y == (1 if self.pos_label is None else self.pos_label))
        curves = [self._curve(self.y_pred[:, c], self.y == c) for c in range(self.class_num)]
        return tuple(map(list, zip(*curves, strict=True)))

    def _curve(self, scores, positive):
        order = np.argsort(-scores)
        scores, positive = scores[order], positive[order].astype(np.int64)
        ends = np.append(np.nonzero(np.diff(scores))[0], len(scores) - 1)
        true = np.cumsum(positive)[ends]
        counts = [np.append(0, 1 + ends - true), np.append(0, true)]
        for count, what, named in zip(counts, ("negative", "positive"), ("false", "true"), strict=True):
            if count[-1] <= 0:
                raise ValueError(f"For 'ROC.eval', there is no {what} sample; {named} positive value is meaningless.")
        return *(count / count[-1] for count in counts), np.append(scores[0] + 1, scores[ends])


def auc(x, y, reorder=False) -> np.float64:
    """The area under the curve through the points (x, y), by trapezoids; `reorder` sorts them first.

    >>> float(auc(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.75, 1.0])))
    0.625
    """
    for array in (x, y):
        of_kind(array, np.ndarray, "For 'auc', the argument 'x' and 'y' must all be np.ndarray, but got {type}")
    x, y = x.reshape(-1), y.reshape(-1)
    x, y = (v[np.lexsort((y, x))] for v in (x, y)) if reorder else (x, y)
    steps = np.diff(x)
    if (steps < 0).any() and (steps > 0).any():
        raise ValueError(f"For 'auc', without 'reorder' the argument 'x' must be increasing or decreasing, but got {x}")
    return np.sum(abs(steps) * (y[1:] + y[:-1]) / 2)


NAMED.update({"dice": Dice, "roc": ROC, "auc": auc, "perplexity": Perplexity, "confusion_matrix": ConfusionMatrix})

__getattr__ = attributes(__name__)
