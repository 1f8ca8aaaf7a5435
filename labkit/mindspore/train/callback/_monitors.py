"""Callbacks that watch: the loss, the time, the metrics, how far training is."""

import copy
import math
import sys
import time
from typing import Any

from ..serialization import load_param_into_net
from ._callback import Callback, integer_from, loss_of

__all__ = ["EarlyStopping", "History", "LossMonitor", "ProgressBar", "TimeMonitor"]


class LossMonitor(Callback):
    """Print the loss every `per_print_times` steps (0: never), and in `Model.fit` the metrics after each evaluation.

    A loss that is not finite ends training with a ValueError.
    """

    def __init__(self, per_print_times=1):
        self._every, self._last = integer_from(per_print_times, 0), 0

    def step_end(self, run_context):
        known = run_context.original_args()
        loss, epoch = loss_of(known.net_outputs), known.get("cur_epoch_num", 1)
        step = (known.cur_step_num - 1) % known.batch_num + 1
        if isinstance(loss, float) and not math.isfinite(loss):
            raise ValueError(
                f"In epoch: {epoch} step: {step}, loss is NAN or INF, training process cannot continue, "
                "terminating training."
            )
        if known.cur_step_num <= self._last:  # another training with the same monitor
            self._last = 0
        if self._every and known.cur_step_num - self._last >= self._every:
            self._last = known.cur_step_num
            print(f"epoch: {epoch} step: {step}, loss is {loss}", flush=True)

    def on_train_epoch_end(self, run_context):
        known = run_context.original_args()
        if metrics := known.get("metrics"):
            print(f"Eval result: epoch {known.cur_epoch_num}, metrics: {metrics}")


class TimeMonitor(Callback):
    """Print the time of every epoch and the mean of its steps; `data_size` steps, if the data set does not tell."""

    def __init__(self, data_size=None, data_time=False):
        self.data_size, self.epoch_time = data_size, time.time()
        self.data_time, self._fetching, self._since = data_time, 0.0, 0.0

    def epoch_begin(self, run_context):
        self.epoch_time = self._since = time.time()
        self._fetching = 0.0

    def on_train_step_begin(self, run_context):
        self._fetching += time.time() - self._since

    def on_train_step_end(self, run_context):
        self._since = time.time()

    def epoch_end(self, run_context):
        milliseconds = (time.time() - self.epoch_time) * 1000
        known = run_context.original_args()
        steps = integer_from(known.get("batch_num") or self.data_size, 1)
        line = (
            f"{known.get('mode', '').title()} epoch time: {milliseconds:5.3f} ms, "
            f"per step time: {milliseconds / steps:5.3f} ms"
        )
        if self.data_time:
            line += f" (data time: {self._fetching * 1000 / steps:5.3f} ms)"
        print(line, flush=True)


class History(Callback):
    """Keep the last loss and the metrics of every epoch: `history`, `{name: [value, ...]}`, and `epoch`.

    The loss is under the name "net_output", metrics under their own; numbers, one per epoch.

    >>> import labkit.mindspore as ms
    >>> import numpy as np
    >>> data = ms.dataset.NumpySlicesDataset((np.ones((4, 2), "f"), np.ones((4, 1), "f")), ["x", "y"]).batch(2)
    >>> net, history = ms.nn.Dense(2, 1), ms.train.History()
    >>> model = ms.train.Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params(), 0.1))
    >>> model.train(3, data, [history], dataset_sink_mode=False)
    >>> history.epoch, len(history.history["net_output"])
    ({'epoch': [1, 2, 3]}, 3)
    """

    def __init__(self):
        self.history: dict[str, list] = {}
        self.epoch: Any = None  # a dict like `history`, once training begins

    def begin(self, run_context):
        self.epoch = {"epoch": []}

    def epoch_end(self, run_context):
        known = run_context.original_args()
        self.epoch["epoch"].append(known.get("cur_epoch_num", 1))
        found = {"net_output": loss_of(known.net_outputs), **(known.get("metrics") or {})}
        for name, value in found.items():
            self.history.setdefault(name, []).append(value)


def smaller_is_better(monitor, mode):
    """Whether a value gets better as it gets smaller, by `mode` or, if that is "auto", by its name."""
    if mode not in ("auto", "min", "max"):
        raise ValueError(f"mode should be 'auto', 'min' or 'max', but got {mode}.")
    return mode == "min" or (mode == "auto" and monitor in ("loss", "eval_loss", "mae", "mse", "perplexity"))


def watched(monitor, known):
    """The value of that name after an epoch: "loss", or what the evaluation gave; else None."""
    return loss_of(known.net_outputs) if monitor == "loss" else known.get("eval_results", {}).get(monitor)


class EarlyStopping(Callback):
    """End training when a value no longer gets better: `monitor` is "loss", or in `Model.fit` "eval_loss" or a metric.

    Better means smaller for `mode="min"`, greater for "max"; "auto" knows the losses and errors. `patience`: epochs to
    wait. `min_delta`: by how much. `baseline`: what must be reached. `restore_best_weights`: go back to the best epoch.
    """

    def __init__(self, monitor="eval_loss", min_delta=0, patience=0, verbose=False, mode="auto", baseline=None,
                 restore_best_weights=False):  # fmt: skip
        self.monitor, self.patience, self.min_delta = monitor, integer_from(patience, 0), abs(min_delta)
        self.verbose, self.baseline, self.restore_best_weights = verbose, baseline, restore_best_weights
        self.sign = -1 if smaller_is_better(monitor, mode) else 1

    def on_train_begin(self, run_context):
        self.wait, self.stopped_epoch, self.best, self._weights = 0, 0, -math.inf, None

    def on_train_epoch_end(self, run_context):
        known = run_context.original_args()
        value = watched(self.monitor, known)
        if value is None:
            return
        value *= self.sign
        self.wait += 1
        if value > self.best + self.min_delta:
            self.best = value
            if self.restore_best_weights:
                self._weights = copy.deepcopy(known.train_network.parameters_dict())
            if self.baseline is None or value > self.sign * self.baseline + self.min_delta:
                self.wait = 0
        if self.wait >= self.patience:
            self.stopped_epoch = known.cur_epoch_num
            run_context.request_stop()
            self._restore(known.train_network)

    def _restore(self, network):
        if self._weights is not None:
            if self.verbose:
                print("Restoring model weights from the end of the best epoch.")
            load_param_into_net(network, self._weights)

    def on_train_end(self, run_context):
        if self.stopped_epoch > 0 and self.verbose:
            print(f"Epoch {self.stopped_epoch:05d}: early stopping")


class ProgressBar(Callback):
    """A bar per epoch with the loss, by tqdm on the error stream; without tqdm a line per epoch. `show=False`: neither."""

    def __init__(self, show=True):
        self.show, self._bar = show, None

    def __exit__(self, *error):
        self._close()

    def on_train_epoch_begin(self, run_context):
        known = run_context.original_args()
        if self.show and (tqdm := _tqdm()):
            self._bar = tqdm(total=known.batch_num, desc=f"epoch {known.cur_epoch_num}", unit="step", file=sys.stderr)
            self._before = known.cur_step_num

    def on_train_step_end(self, run_context):
        if self._bar is not None:
            known = run_context.original_args()
            self._bar.update(known.cur_step_num - self._before)
            self._bar.set_postfix(loss=f"{loss_of(known.net_outputs):.4g}", refresh=False)
            self._before = known.cur_step_num

    def on_train_epoch_end(self, run_context):
        if self.show and self._bar is None:
            known = run_context.original_args()
            print(f"epoch {known.cur_epoch_num}: loss={loss_of(known.net_outputs):.4g}", file=sys.stderr)
        self._close()

    def _close(self):
        if self._bar is not None:
            self._bar.close()
        self._bar = None


def _tqdm():
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm
