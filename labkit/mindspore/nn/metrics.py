"""Metrics: `clear()`, `update(prediction, label)` for every batch, then `eval()`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...dialects.argument_types import of_kind
from ...dialects.class_paths import Placed
from ...dialects.unsupported import attributes
from ..common.tensor import Tensor

__all__ = ["Accuracy", "Loss", "Metric"]


class Metric(metaclass=Placed):
    """The base of metrics: define `clear(self)`, `update(self, *inputs)` and `eval(self)`.

    `Model` calls `update` with the prediction and the label of every batch, then `eval`.
    """

    def __call__(self, *inputs) -> Any:
        """The value for one batch alone."""
        self.clear()
        self.update(*inputs)
        return self.eval()

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
        kinds = (Tensor, list, np.ndarray, np.generic)
        text = "For 'Metric' and its derived classes, the input data type must be tensor, list or numpy.ndarray, but got {type}."
        of_kind(data, kinds, text)
        return data.asnumpy() if isinstance(data, Tensor) else np.asarray(data)


class float64(np.float64):
    """A NumPy number that shows as a plain one, as it does with the NumPy that MindSpore has."""

    __module__, __repr__ = "numpy", float.__repr__


class _Mean(Metric):
    """A total over a number of samples."""

    def __init__(self):
        self.clear()

    def clear(self):
        """Forget what has been seen."""
        self._total, self._count = np.float64(0), 0

    def eval(self):
        """The mean over what has been seen. Raises RuntimeError where that is nothing."""
        if not self._count:
            raise RuntimeError(
                f"The '{type(self).__name__}' can not be calculated, because the number of samples is 0, "
                "please check whether your inputs(predicted value, true value) are empty, "
                "or has called update method before calling eval method."
            )
        return float64(self._total / self._count)

    def _add(self, total, count):
        self._total, self._count = self._total + total, self._count + count


class Loss(_Mean):
    """The mean of the losses of all batches."""

    def update(self, *inputs) -> None:
        """Take in the loss of a batch: a number, or one per sample."""
        (loss,) = self._arrays(inputs, 1, "loss")
        if loss.ndim > 1:
            raise ValueError(f"For 'Loss.update', the dimension of your input (loss) must be 1, but got {loss.ndim}.")
        self._add(loss.mean(), 1)


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
        if eval_type not in ("classification", "multilabel"):
            raise TypeError(
                f"The argument 'eval_type' must be in {{'multilabel', 'classification'}}, but got {eval_type}"
            )
        self._type = eval_type
        super().__init__()

    def update(self, *inputs) -> None:
        """Take in predictions and labels."""
        prediction, label = self._arrays(inputs, 2, "predicted value, true value")
        if self._type == "classification":
            label = _indices(label, prediction)
            right = prediction.argmax(axis=1) == label
        else:
            axes = lambda x: np.moveaxis(x, 1, -1).reshape(-1, x.shape[1])
            right = (axes(prediction) == axes(label)).all(axis=1)
        self._add(right.sum(), right.size)


def _indices(label, prediction):
    """Labels (n,) for predictions (n, classes). Raises ValueError where the shapes do not fit."""
    if label.ndim == prediction.ndim > 1 and np.isin(label, (0, 1)).all() and (label.sum(axis=1) == 1).all():
        label = label.argmax(axis=1)  # one-hot
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


_NAMED: dict[str, Callable] = {"accuracy": Accuracy, "acc": Accuracy, "loss": Loss}


def get_metrics(metrics):
    """`{name: Metric}` of a set of names or such a dictionary; None stays None."""
    if metrics is None:
        return None
    for name in metrics if isinstance(metrics, set) else ():
        if name not in _NAMED:
            raise KeyError(
                f"For 'get_metric_fn', unsupported metric {name}, please refer to official website "
                f"for more details about supported metrics."
            )
    return {name: _NAMED[name]() for name in metrics} if isinstance(metrics, set) else metrics


__getattr__ = attributes(__name__)
