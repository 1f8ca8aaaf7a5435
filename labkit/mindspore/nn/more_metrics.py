"""More measures: confusion matrices and what is made of them, curves, overlaps, and those of sentences."""

import math
from collections import Counter

import numpy as np

from ...aliases import attributes
from ...kinds import of_kind
from .metrics import NAMED, Cleared, rearrange_inputs

__all__ = [
    "ROC", "BleuScore", "ConfusionMatrix", "ConfusionMatrixMetric", "CosineSimilarity", "Dice", "Perplexity", "auc",
]  # fmt: skip


class _Updated(Cleared):
    """A metric that says so where it is asked before it has seen anything."""

    _seen = False

    def _check_seen(self):
        if not self._seen:
            raise RuntimeError("Please call the 'update' method before calling 'eval' method.")


class ConfusionMatrix(_Updated):
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
            raise ValueError(
                "For 'ConfusionMatrix.update', predicted value (input[0]) and true value (input[1]) should have same "
                "dimensions, or the dimension of predicted value equals the dimension of true value add 1, but got "
                f"predicted value ndim: {prediction.ndim}, true value ndim: {label.ndim}."
            )
        if prediction.ndim == label.ndim + 1:
            prediction = prediction.argmax(axis=1)
        elif prediction.dtype.kind == "f":
            prediction = prediction >= self.threshold
        places = (label.reshape(-1) * self.num_classes + prediction.reshape(-1)).astype(int)
        self.confusion_matrix += np.bincount(places, minlength=self.num_classes**2).reshape(self.confusion_matrix.shape)
        self._seen = True

    def eval(self) -> np.ndarray:
        self._check_seen()
        counts = self.confusion_matrix.astype(float)
        if self.normalize == "no_norm":
            return counts
        axis = {"target": 1, "prediction": 0, "all": None}[self.normalize]
        with np.errstate(all="ignore"):
            return np.nan_to_num(counts / counts.sum(axis=axis, keepdims=True), nan=0.0)


def _ratio(above, below):
    with np.errstate(all="ignore"):
        return np.where(below != 0, above / below, np.nan)


_RATES = {  # words, and what they say of the counts: of right and wrong answers yes, of right and wrong answers no
    "sensitivity recall hit_rate true_positive_rate tpr": lambda tp, fp, tn, fn: _ratio(tp, tp + fn),
    "specificity selectivity true_negative_rate tnr": lambda tp, fp, tn, fn: _ratio(tn, tn + fp),
    "precision positive_predictive_value ppv": lambda tp, fp, tn, fn: _ratio(tp, tp + fp),
    "negative_predictive_value npv": lambda tp, fp, tn, fn: _ratio(tn, tn + fn),
    "miss_rate false_negative_rate fnr": lambda tp, fp, tn, fn: _ratio(fn, tp + fn),
    "fall_out false_positive_rate fpr": lambda tp, fp, tn, fn: _ratio(fp, tn + fp),
    "false_discovery_rate fdr": lambda tp, fp, tn, fn: _ratio(fp, tp + fp),
    "false_omission_rate for": lambda tp, fp, tn, fn: _ratio(fn, tn + fn),
    "prevalence_threshold pt": lambda tp, fp, tn, fn: _prevalence(_ratio(tp, tp + fn), _ratio(tn, tn + fp)),
    "threat_score critical_success_index ts csi": lambda tp, fp, tn, fn: _ratio(tp, tp + fn + fp),
    "accuracy acc": lambda tp, fp, tn, fn: _ratio(tp + tn, tp + fp + tn + fn),
    "balanced_accuracy ba": lambda tp, fp, tn, fn: (_ratio(tp, tp + fn) + _ratio(tn, tn + fp)) / 2,
    "f1_score f1": lambda tp, fp, tn, fn: _ratio(2 * tp, 2 * tp + fn + fp),
    "matthews_correlation_coefficient mcc": lambda tp, fp, tn, fn: _ratio(
        tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    ),
    "fowlkes_mallows_index fm": lambda tp, fp, tn, fn: np.sqrt(_ratio(tp, tp + fp) * _ratio(tp, tp + fn)),
    "informedness bookmaker_informedness bm": lambda tp, fp, tn, fn: _ratio(tp, tp + fn) + _ratio(tn, tn + fp) - 1,
    "markedness deltap mk": lambda tp, fp, tn, fn: _ratio(tp, tp + fp) + _ratio(tn, tn + fn) - 1,
}


def _prevalence(tpr, tnr):
    return _ratio(np.sqrt(tpr * (1 - tnr)) + tnr - 1, tpr + tnr - 1)


class ConfusionMatrixMetric(Cleared):
    """A rate such as "sensitivity", "precision" or "f1 score" of predictions and labels (n, classes, ...) of 0 and 1.

    `skip_channel` False leaves out the first class, as background. The rate is that of all counts; by `calculation_method`
    the rates of all examples and classes are taken, and their `decrease`, "mean" or "sum", averaged over batches.
    """

    def __init__(self, skip_channel=True, metric_name="sensitivity", calculation_method=False, decrease="mean"):
        name = metric_name.replace(" ", "_").lower()
        rate = next((rate for words, rate in _RATES.items() if name in words.split()), None)
        if rate is None:
            raise NotImplementedError("The metric is not implemented.")
        if calculation_method and decrease not in ("mean", "sum"):
            raise ValueError(f"For 'ConfusionMatrixMetric', expected 'decrease' to be mean or sum, but got {decrease}.")
        self.metric_name, self._rate, self.decrease = metric_name, rate, decrease
        self.skip_channel, self.calculation_method = skip_channel, calculation_method
        super().__init__()

    def clear(self) -> None:
        self._counts, self._total, self._number = np.zeros(4), 0.0, 0

    @rearrange_inputs
    def update(self, *inputs) -> None:
        counts = self._counted(*self._pair(inputs))
        if not self.calculation_method:
            self._counts = self._counts + counts.sum(axis=(0, 1))
            return
        rates = self._rate(*np.moveaxis(counts, -1, 0))
        known, rates = ~np.isnan(rates), np.nan_to_num(rates, nan=0.0)
        if self.decrease == "mean":  # of the classes, then of the examples
            number = known.sum(axis=1)
            known, rates = number > 0, rates.sum(axis=1) / np.maximum(number, 1)
            rates = rates.sum() / max(known.sum(), 1)
        self._total, self._number = self._total + rates.sum() * known.sum(), self._number + known.sum()

    def _counted(self, prediction, label):
        """Right and wrong answers yes, right and wrong answers no, of every example and class."""
        if not self.skip_channel:
            prediction, label = (x[:, 1:] if x.shape[1] > 1 else x for x in (prediction, label))
        yes, truth = (x.astype(float).reshape(*x.shape[:2], -1) for x in (prediction, label))
        right, wrong = ((yes + truth == both).sum(axis=2).astype(float) for both in (2, 0))
        positive = truth.sum(axis=2)
        return np.stack([right, truth.shape[-1] - positive - wrong, wrong, positive - right], axis=-1)

    def eval(self) -> np.ndarray | float:
        if self.calculation_method:
            return self._total / self._nonzero(self._number)
        return self._rate(*self._counts[:, None])


class CosineSimilarity(_Updated):
    """How alike the rows of one array are: a matrix, or its `reduction` "sum" or "mean" along the last axis."""

    def __init__(self, similarity="cosine", reduction="none", zero_diagonal=True):
        self.similarity, self.reduction, self.zero_diagonal = similarity, reduction, zero_diagonal
        super().__init__()

    def clear(self) -> None:
        self.sqr_mtx_res, self._seen = 0, False

    @rearrange_inputs
    def update(self, inputs) -> None:
        rows = self._convert_data(inputs)
        rows = rows / np.linalg.norm(rows, axis=1, keepdims=True) if self.similarity == "cosine" else rows
        self.sqr_mtx_res, self._seen = rows @ rows.T, True

    def eval(self) -> np.ndarray:
        self._check_seen()
        if self.zero_diagonal:
            np.fill_diagonal(self.sqr_mtx_res, 0)
        return {"none": lambda x: x, "sum": lambda x: x.sum(-1), "mean": lambda x: x.mean(-1)}[self.reduction](
            self.sqr_mtx_res
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
            raise ValueError(
                "For 'Dice.update', predicted value (input[0]) and true value (input[1]) should have same shape, but got "
                f"predicted value shape: {prediction.shape}, true value shape: {label.shape}."
            )
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
            raise RuntimeError(
                "For 'Perplexity.update', predicted value (input[0]) and label (input[1]) should have the same shape, but "
                f"got predicted value shape {prediction.shape}, label shape {label.shape}."
            )
        label = label.reshape(-1).astype(int)
        given, counted = prediction[np.arange(len(label)), label], label != self.ignore_label
        self._sum_metric -= np.log(np.maximum(1e-10, np.where(counted, given, 1))).sum()
        self._num_inst += counted.sum()

    def eval(self) -> float:
        return math.exp(self._sum_metric / self._nonzero(self._num_inst))


class ROC(_Updated):
    """The receiver operating characteristic: `(false positive rates, true positive rates, thresholds)`; a list of each
    for `class_num` classes and predictions (n, classes).
    """

    def __init__(self, class_num=None, pos_label=None):
        self.class_num, self.pos_label = class_num, pos_label
        super().__init__()

    def clear(self) -> None:
        self.y_pred, self.y, self._seen = None, None, False

    @rearrange_inputs
    def update(self, *inputs) -> None:
        prediction, label = self._pair(inputs)
        several = prediction.ndim == label.ndim + 1
        if several and self.class_num != prediction.shape[1]:
            raise ValueError(
                "For 'ROC', the 'class_num' must equal the number of classes from predicted value (input[0]), but got "
                f"'class_num' {self.class_num}, the number of classes from predicted value {prediction.shape[1]}."
            )
        self.y_pred, self.y, self._seen = prediction if several else prediction.reshape(-1), label.reshape(-1), True

    def eval(self) -> tuple:
        self._check_seen()
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
                raise ValueError(
                    f"For 'ROC.eval', there is no {what} samples in true value, {named} positive value is meaningless."
                )
        return *(count / count[-1] for count in counts), np.append(scores[0] + 1, scores[ends])


def auc(x, y, reorder=False) -> np.float64:
    """The area under the curve through the points (x, y), by trapezoids; `reorder` sorts them first.

    >>> float(auc(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.75, 1.0])))
    0.625
    """
    for array in (x, y):
        of_kind(array, np.ndarray, "For 'auc', the argument 'x' and 'y' must all be np.ndarray, but got {type}")
    x, y = x.reshape(-1), y.reshape(-1)
    if reorder:
        order = np.lexsort((y, x))
        x, y = x[order], y[order]
    steps = np.diff(x)
    if (steps < 0).any() and (steps > 0).any():
        raise ValueError(
            f"For 'auc', if the argument is False, the argument 'x' array must be increasing or decreasing, but got 'x': {x}"
        )
    return np.sum(abs(steps) * (y[1:] + y[:-1]) / 2)


class BleuScore(_Updated):
    """How many of the runs of up to `n_gram` words of a translation are in one of its references, with a fine for short ones."""

    def __init__(self, n_gram=4, smooth=False):
        if not 1 <= n_gram <= 4:
            raise ValueError(
                f"For 'BleuScore', the argument 'n_gram' should range from 1 to 4, but got {n_gram}."
            )
        self.n_gram, self.smooth = n_gram, smooth
        super().__init__()

    def clear(self) -> None:
        self._found, self._said = np.zeros(self.n_gram), np.zeros(self.n_gram)
        self._length, self._wanted, self._seen = 0.0, 0.0, False

    def _runs(self, words):
        return Counter(
            tuple(words[k : k + n]) for n in range(1, self.n_gram + 1) for k in range(len(words) - n + 1)
        )

    @rearrange_inputs
    def update(self, candidate_corpus, reference_corpus) -> None:
        if len(candidate_corpus) != len(reference_corpus):
            raise ValueError(
                "For 'BleuScore.update', 'translate_corpus' (inputs[0]) and 'reference_corpus' (inputs[1]) should be "
                f"equal in length, but got {len(candidate_corpus)}, {len(reference_corpus)}"
            )
        for candidate, references in zip(candidate_corpus, reference_corpus, strict=True):
            self._length += len(candidate)
            self._wanted += min(map(len, references), key=lambda n: abs(len(candidate) - n))
            runs, known = self._runs(candidate), Counter()
            for reference in references:
                known |= self._runs(reference)
            for table, counts in ((self._found, runs & known), (self._said, runs)):
                for run, times in counts.items():
                    table[len(run) - 1] += times
        self._seen = True

    def eval(self) -> np.float64:
        self._check_seen()
        if self._found.min() == 0.0:
            return np.array(0.0)
        shares = (self._found + 1) / (self._said + 1) if self.smooth else self._found / self._said
        fine = 1.0 if self._length > self._wanted else np.exp(1 - self._wanted / self._length)
        return fine * np.exp(np.sum(np.array([1.0 / self.n_gram] * self.n_gram) * np.log(shares)))


NAMED.update(
    dice=Dice, roc=ROC, auc=auc, bleu_score=BleuScore, cosine_similarity=CosineSimilarity, perplexity=Perplexity,
    confusion_matrix=ConfusionMatrix, confusion_matrix_metric=ConfusionMatrixMetric,
)  # fmt: skip

__getattr__ = attributes(__name__)
