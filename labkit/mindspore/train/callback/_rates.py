"""Callbacks that set the learning rate: by a function of the step, and where a value no longer gets better."""

import math

import numpy as np

from ...dtype import float32
from ...ops import assign
from ...parameter import Parameter
from ...tensor import Tensor
from ._callback import Callback, integer_from
from ._monitors import smaller_is_better, watched

__all__ = ["LearningRateScheduler", "ReduceLROnPlateau"]


class LearningRateScheduler(Callback):
    """Set the learning rate to `learning_rate_function(lr, cur_step_num)` after every step.

    >>> import labkit.mindspore as ms
    >>> import numpy as np
    >>> data = ms.dataset.NumpySlicesDataset((np.ones((4, 2), "f"), np.ones((4, 1), "f")), ["x", "y"]).batch(2)
    >>> net = ms.nn.Dense(2, 1)
    >>> optimizer = ms.nn.SGD(net.trainable_params(), 0.1)
    >>> half = ms.train.LearningRateScheduler(lambda lr, step: lr / 2)
    >>> ms.train.Model(net, ms.nn.MSELoss(), optimizer).train(1, data, [half])
    >>> print(optimizer.learning_rate.asnumpy())
    0.025
    """

    def __init__(self, learning_rate_function):
        self.learning_rate_function = learning_rate_function

    def step_end(self, run_context):
        known = run_context.original_args()
        rate = float(str(known.optimizer.learning_rate.asnumpy()))  # as it shows: 0.1, not the nearest four-byte float
        new = self.learning_rate_function(rate, known.cur_step_num)
        if not math.isclose(rate, new, rel_tol=1e-10):
            assign(known.optimizer.learning_rate, Tensor(new, float32))


class ReduceLROnPlateau(Callback):
    """Multiply the learning rate by `factor` when a value did not get better for `patience` epochs.

    `monitor`, `mode`, `min_delta` and `verbose` are those of `EarlyStopping`. `cooldown`: epochs to wait after that.
    `min_lr`: the least learning rate.
    """

    def __init__(self, monitor="eval_loss", factor=0.1, patience=10, verbose=False, mode="auto", min_delta=1e-4,
                 cooldown=0, min_lr=0):  # fmt: skip
        if not 0 < factor < 1:
            raise ValueError(f"The input number must be in range of (0.0, 1.0), but got {factor} with type 'float'.")
        self.monitor, self.factor, self.verbose, self.min_delta = monitor, factor, verbose, abs(min_delta)
        self.patience, self.cooldown, self.min_lr = integer_from(patience, 0), integer_from(cooldown, 0), min_lr
        self.sign = -1 if smaller_is_better(monitor, mode) else 1
        self.on_train_begin(None)

    def on_train_begin(self, run_context):
        self.wait, self.cooldown_counter, self.best = 0, 0, -math.inf

    def on_train_epoch_end(self, run_context):
        known = run_context.original_args()
        if not isinstance(known.optimizer.learning_rate, Parameter):
            raise ValueError("ReduceLROnPlateau does not support dynamic learning rate and group learning rate now.")
        value = watched(self.monitor, known)
        if not value:
            return
        if self.cooldown_counter > 0:
            self.cooldown_counter, self.wait = self.cooldown_counter - 1, 0
        if value * self.sign > self.best + self.min_delta:
            self.best, self.wait = value * self.sign, 0
        elif self.cooldown_counter <= 0:
            self.wait += 1
            if self.wait >= self.patience:
                self._reduce(known)
                self.wait, self.cooldown_counter = 0, self.cooldown

    def _reduce(self, known):
        rate = known.optimizer.learning_rate
        if rate.asnumpy() > self.min_lr:
            new = max(rate * self.factor, Tensor(self.min_lr, float32), key=lambda r: np.float32(r.asnumpy()))
            assign(rate, new)
            if self.verbose:
                print(f"Epoch {known.cur_epoch_num:05d}: ReduceLROnPlateau reducing learning rate to {new}.")
