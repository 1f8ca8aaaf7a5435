"""The measures of a network's answers: `clear()`, `update(prediction, label)` for every batch, then `eval()`."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Self

import numpy as np

from ...aliases import attributes
from ...kinds import of_kind
from ...layout import Placed
from ..tensor import Tensor

__all__ = [
    "F1",
    "MAE",
    "MSE",
    "Accuracy",
    "Fbeta",
    "Loss",
    "Metric",
    "Precision",
    "Recall",
    "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy",
    "TopKCategoricalAccuracy",
    "get_metric_fn",
    "names",
    "rearrange_inputs",
]  # fmt: skip


def rearrange_inputs(func) -> Callable:
    """A metric's method that takes, of what it is given, the inputs that `set_indexes` chose.

    >>> class Shown(Metric):
    ...     def clear(self):
    ...         self.seen = ()
    ...     @rearrange_inputs
    ...     def update(self, *inputs):
    ...         self.seen = inputs
    ...     def eval(self):
    ...         return self.seen
    >>> Shown().set_indexes([1, 0])("label", "prediction")
    ('prediction', 'label')
    """

    @wraps(func)
    def chosen(self, *inputs):
        return func(self, *(inputs if self.indexes is None else [inputs[k] for k in self.indexes]))

    return chosen


class Metric(metaclass=Placed):
    """The base of metrics: define `clear(self)`, `update(self, *inputs)` and `eval(self)`.

    `set_indexes([k, ...])`: which outputs of the evaluation network are the inputs of `update`, if that is decorated
    with `rearrange_inputs`.
    """

    def __init__(self):
        self._indexes = None

    def __call__(self, *inputs) -> Any:
        """The value for one batch alone."""
        self.clear()
        self.update(*inputs)
        return self.eval()

    @property
    def indexes(self) -> list[int] | None:
        """What `set_indexes` set, or None."""
        return getattr(self, "_indexes", None)

    def set_indexes(self, indexes) -> Self:
        """Choose the inputs of `update` from what it is given; returns the metric."""
        if not isinstance(indexes, list) or not all(isinstance(k, int) for k in indexes):
            raise ValueError(
                "For 'set_indexes', the argument 'indexes' must be a list and all its elements must be int."
            )
        self._indexes = indexes
        return self

    def clear(self) -> None:
        """Forget what has been seen."""
        raise NotImplementedError

    def update(self, *inputs) -> None:
        """Take in a batch."""
        raise NotImplementedError

    def eval(self) -> Any:
        """The value for what has been seen."""
        raise NotImplementedError

    def _arrays(self, inputs, count, wanted):
        """The inputs as arrays. Raises ValueError for another number of them."""
        if len(inputs) != count:
            raise ValueError(
                f"For '{type(self).__name__}.update', it needs {count} input{'s' * (count > 1)} ({wanted}), "
                f"but got {len(inputs)}"
            )
        return [self._convert_data(x) for x in inputs]

    def _convert_data(self, data):
        """A tensor, list or array as an array. Raises TypeError for anything else."""
        of_kind(
            data,
            (Tensor, list, np.ndarray, np.generic),
            "For 'Metric' and its derived classes, the input data type must be tensor, list or numpy.ndarray, but got {type}.",
        )
        return data.asnumpy() if isinstance(data, Tensor) else np.asarray(data)

    def _pair(self, inputs):
        return self._arrays(inputs, 2, "predicted value, true value")

    def _nonzero(self, count):
        """`count`, if anything has been seen. Raises RuntimeError."""
        if not np.any(count):
            raise RuntimeError(
                f"The '{type(self).__name__}' can not be calculated, because the number of samples is 0, "
                "please check whether your inputs(predicted value, true value) are empty, "
                "or has called update method before calling eval method."
            )
        return count


class Cleared(Metric):
    """A metric that begins cleared."""

    def __init__(self):
        super().__init__()
        self.clear()


class float64(np.float64):
    """A NumPy number that shows as a plain one, as it does with the NumPy that MindSpore has."""

    __module__, __repr__ = "numpy", float.__repr__


class _Mean(Cleared):
    """A total over a number of samples."""

    def clear(self):
        """Forget what has been seen."""
        self._total, self._count = np.float64(0), 0

    def eval(self):
        """The mean over what has been seen."""
        return float64(self._total / self._nonzero(self._count))

    def _add(self, total, count):
        self._total, self._count = self._total + total, self._count + count

    def _add_differences(self, inputs, size):
        prediction, label = self._pair(inputs)
        self._add(size(label.reshape(prediction.shape) - prediction).sum(), len(label))


class Loss(_Mean):
    """The mean of the losses of all batches."""

    @rearrange_inputs
    def update(self, *inputs) -> None:
        """Take in the loss of a batch: a number, or one per sample."""
        (loss,) = self._arrays(inputs, 1, "loss")
        if loss.ndim > 1:
            raise ValueError(f"For 'Loss.update', the dimension of your input (loss) must be 1, but got {loss.ndim}.")
        self._add(loss.mean(), 1)


class MAE(_Mean):
    """The mean absolute error: the sum of |prediction - label| over the number of samples."""

    @rearrange_inputs
    def update(self, *inputs) -> None:
        """Take in predictions and labels."""
        self._add_differences(inputs, np.abs)


class MSE(_Mean):
    """The mean squared error: the sum of (prediction - label)^2 over the number of samples."""

    @rearrange_inputs
    def update(self, *inputs) -> None:
        """Take in predictions and labels."""
        self._add_differences(inputs, np.square)


class Accuracy(_Mean):
    """The share of right answers.

    "classification": the largest of the predictions (n, classes) is at the label (n,), which may be one-hot.
    "multilabel": predictions and labels (n, classes) of 0 and 1 are equal in all classes.

    >>> metric = Accuracy()
    >>> metric.update(np.array([[0.1, 0.9], [0.8, 0.2]]), np.array([1, 1]))
    >>> metric.eval()
    0.5
    """

    def __init__(self, eval_type="classification"):
        _check_type(eval_type)
        self._type = eval_type
        super().__init__()

    @rearrange_inputs
    def update(self, *inputs) -> None:
        """Take in predictions and labels."""
        prediction, label = self._pair(inputs)
        if self._type == "classification":
            label = indices(label, prediction)
            right = prediction.argmax(axis=1) == label
        else:
            _check_multilabel(prediction, label)
            axes = lambda x: np.moveaxis(x, 1, -1).reshape(-1, x.shape[1])
            right = (axes(prediction) == axes(label)).all(axis=1)
        self._add(right.sum(), right.size)


class TopKCategoricalAccuracy(_Mean):
    """The share of samples whose label (n,) is among the `k` largest predictions (n, classes)."""

    def __init__(self, k):
        of_kind(
            k,
            (int, bool),
            "For 'TopKCategoricalAccuracy', the type of the argument 'k' should be int, but got 'k' type: {type}.",
        )
        if k < 1:
            raise ValueError(
                f"For 'TopKCategoricalAccuracy', the argument 'k' must be at least 1, but got 'k' value: {k}."
            )
        self.k = k
        super().__init__()

    @rearrange_inputs
    def update(self, *inputs) -> None:
        """Take in predictions and labels."""
        prediction, label = self._pair(inputs)
        label = from_one_hot(label, prediction)
        best = np.argsort(-prediction, axis=1)[:, : self.k]
        self._add((best == label.reshape(-1, 1)).sum(), len(best))


class Top1CategoricalAccuracy(TopKCategoricalAccuracy):
    """The share of samples whose label has the largest prediction."""

    def __init__(self):
        super().__init__(1)


class Top5CategoricalAccuracy(TopKCategoricalAccuracy):
    """The share of samples whose label is among the five largest predictions."""

    def __init__(self):
        super().__init__(5)


class _PerClass(Cleared):
    """Counts per class: right answers, answers, labels."""

    def __init__(self, eval_type="classification"):
        _check_type(eval_type)
        self._type = eval_type
        super().__init__()

    def clear(self):
        """Forget what has been seen."""
        self._right = self._answered = self._labelled = np.zeros(0) if self._type == "multilabel" else 0

    @rearrange_inputs
    def update(self, *inputs):
        """Take in predictions (n, classes) and labels (n,), which may be one-hot."""
        prediction, label = self._pair(inputs)
        if self._type == "multilabel":
            return self._of_examples(prediction, label)
        label, classes = indices(label, prediction).reshape(-1), prediction.shape[1]
        if label.max() >= classes:
            raise ValueError(
                f"For '{type(self).__name__}.update', predicted value (input[0]) should have the same classes number "
                f"as true value (input[1]), but got predicted value classes {classes}, true value classes "
                f"{label.max() + 1}."
            )
        answer, label = np.eye(classes)[prediction.argmax(axis=1).reshape(-1)], np.eye(classes)[label]
        self._right = self._right + (answer * label).sum(axis=0)
        self._answered, self._labelled = self._answered + answer.sum(axis=0), self._labelled + label.sum(axis=0)

    def _of_examples(self, prediction, label):
        """Counts per example, for labels (n, classes) of 0 and 1."""
        _check_multilabel(prediction, label)
        answer, label = (np.moveaxis(x, 1, 0).reshape(x.shape[1], -1) for x in (prediction, label))
        self._right = np.append(self._right, (answer * label).sum(axis=0))
        self._answered = np.append(self._answered, answer.sum(axis=0))
        self._labelled = np.append(self._labelled, label.sum(axis=0))

    def eval(self, average=False):
        """The value of every class, or of every example for "multilabel"; or their mean."""
        self._nonzero(self._labelled)
        value = self._value()
        return float64(value.mean()) if average else value

    def _value(self):
        raise NotImplementedError


_TINY = np.finfo(np.float64).tiny  # so that 0 / 0 is 0


class Precision(_PerClass):
    """Of the answers for a class, the share that is right."""

    def _value(self):
        return self._right / (self._answered + _TINY)


class Recall(_PerClass):
    """Of the samples of a class, the share that was found."""

    def _value(self):
        return self._right / (self._labelled + _TINY)


class Fbeta(_PerClass):
    """A mean of precision and recall, in which recall counts `beta` times."""

    def __init__(self, beta):
        if not beta > 0:
            raise ValueError(f"For 'Fbeta', the argument 'beta' must be greater than 0, but got {beta}.")
        self.beta = beta
        super().__init__()

    def _value(self):
        square = self.beta**2
        return (1 + square) * self._right / (square * self._labelled + self._answered + _TINY)


class F1(Fbeta):
    """The harmonic mean of precision and recall."""

    def __init__(self):
        super().__init__(1.0)


# ---- labels ----


def from_one_hot(label, prediction):
    """Labels as class indices, if they are one-hot vectors in the shape of the predictions."""
    if label.ndim == prediction.ndim > 1 and np.isin(label, (0, 1)).all() and (label.sum(axis=1) == 1).all():
        return label.argmax(axis=1)
    return label


def indices(label, prediction):
    """Labels (n,) for predictions (n, classes). Raises ValueError where the shapes do not fit."""
    label = from_one_hot(label, prediction)
    if prediction.ndim != label.ndim + 1:
        raise ValueError(
            "In classification case, the dimension of y_pred (predicted value) should equal to the dimension of y "
            f"(true value) add 1, but got y_pred dimension: {prediction.ndim} and y dimension: {label.ndim}."
        )
    if label.shape != (prediction.shape[0], *prediction.shape[2:]):
        raise ValueError(
            "In classification case, y_pred (predicted value) shape and y (true value) shape can not match, y shape "
            "should be equal to y_pred shape that the value at index 1 is deleted. Such as y_pred shape (1, 2, 3), "
            f"then y shape should be (1, 3). But got y_pred shape {prediction.shape} and y shape {label.shape}"
        )
    return label


def _check_type(eval_type):
    if eval_type not in ("classification", "multilabel"):
        raise TypeError(f"The argument 'eval_type' must be in {{'multilabel', 'classification'}}, but got {eval_type}")


def _check_multilabel(prediction, label):
    if prediction.shape != label.shape:
        raise ValueError(
            "In multilabel case, the shape of y_pred (predicted value) should equal to the shape of y (true value), "
            f"but got y_pred shape: {prediction.shape} and y shape: {label.shape}."
        )
    if not (np.isin(prediction, (0, 1)).all() and np.isin(label, (0, 1)).all()):
        raise ValueError(
            "In multilabel case, all elements in y_pred (predicted value) and y (true value) should be 0 or 1."
            "Please check whether your inputs y_pred and y are correct."
        )


# ---- by name ----

NAMED: dict[str, Callable] = {
    "accuracy": Accuracy, "acc": Accuracy, "precision": Precision, "recall": Recall, "F1": F1,
    "topk": TopKCategoricalAccuracy, "top_1_accuracy": Top1CategoricalAccuracy,
    "top_5_accuracy": Top5CategoricalAccuracy, "mae": MAE, "mse": MSE, "loss": Loss,
}  # fmt: skip


def names() -> list[str]:
    """The names that `get_metric_fn` knows."""
    return sorted(NAMED)


def get_metric_fn(name, *args, **kwargs) -> Metric:
    """A metric by its name, such as "accuracy". Raises KeyError for an unknown one."""
    if name not in NAMED:
        raise KeyError(
            f"For 'get_metric_fn', unsupported metric {name}, please refer to official website "
            f"for more details about supported metrics."
        )
    return NAMED[name](*args, **kwargs)


def get_metrics(metrics):
    """`{name: Metric}` of a set of names or such a dictionary; None stays None. Raises TypeError for anything else."""
    if metrics is None:
        return None
    if isinstance(metrics, set):
        return {name: get_metric_fn(name) for name in metrics}
    of_kind(metrics, dict, "For 'get_metrics', the argument 'metrics' must be None, dict or set, but got {value}")
    for name, metric in metrics.items():
        if not isinstance(name, str) or not isinstance(metric, Metric):
            raise TypeError(
                "For 'get_metrics', if 'metrics' is dict, the key in 'metrics' must be string and value in 'metrics' "
                f"must be Metric, but got key:{type(name)}, value:{type(metric)}."
            )
    return metrics


__getattr__ = attributes(__name__)
