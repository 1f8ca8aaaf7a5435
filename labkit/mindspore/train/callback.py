"""Callbacks of `Model` that watch a run: its loss, its time, its history; `ModelCheckpoint` saves its parameters."""

import math
import os
import re
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import numpy as np

from ...dialects.argument_types import of_kind
from ...dialects.class_paths import Placed
from ...dialects.unsupported import attributes
from ..argument_checks import above_zero
from ..common.tensor import Tensor
from .serialization import save_checkpoint

__all__ = ["Callback", "CheckpointConfig", "History", "LossMonitor", "ModelCheckpoint", "RunContext", "TimeMonitor"]


STAGES = ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")


class Callback(metaclass=Placed):
    """The base of callbacks. Define what is wanted of `on_train_begin`, `on_train_epoch_begin`, `on_train_step_begin`,
    `on_train_step_end`, `on_train_epoch_end`, `on_train_end` and the same with `on_eval_`, each taking a `RunContext`.
    The older names `begin`, `epoch_begin`, `step_begin` ... stand for both.

    >>> import labkit.mindspore as ms
    >>> class Stop(ms.train.Callback):
    ...     def on_train_step_end(self, run_context):
    ...         run_context.request_stop()
    >>> context = ms.train.RunContext({})
    >>> Stop().on_train_step_end(context)
    >>> context.get_stop_requested()
    True
    """

    def __enter__(self):
        return self

    def __exit__(self, *error):
        """Release what the callback holds; also called when training ends by an exception."""

    def _nothing(self, run_context):
        """Nothing, unless a subclass defines it."""

    begin = epoch_begin = step_begin = step_end = epoch_end = end = _nothing


def _event(stage):
    def on(self, run_context):
        getattr(self, stage)(run_context)

    return on


for _stage in STAGES:
    setattr(Callback, f"on_train_{_stage}", _event(_stage))
    setattr(Callback, f"on_eval_{_stage}", _event(_stage))


class CallbackManager(ExitStack):
    """Callbacks as one, called in order; as a context it enters and leaves them all."""

    def __init__(self, callbacks):
        super().__init__()
        given = callbacks if isinstance(callbacks, list) else [] if callbacks is None else [callbacks]
        text = "When the 'callbacks' is a list, the elements in 'callbacks' must be Callback functions."
        self.callbacks = [of_kind(callback, Callback, text) for callback in given]

    def __getattr__(self, event) -> Callable[["RunContext"], None]:
        def on(run_context):
            for callback in self.callbacks:
                getattr(callback, event)(run_context)

        return on

    def __enter__(self):
        for callback in self.callbacks:
            self.enter_context(callback)
        return self


class Parameters(dict):
    """What a callback may know, by name: as attributes, or with `get`."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(
                "there is no {name!r} here; there are {names}".format(name=name, names=sorted(self))
            ) from None

    def __setattr__(self, name, value):
        self[name] = value


class RunContext(metaclass=Placed):
    """What a callback gets: `original_args()`, with `cur_epoch_num`, `cur_step_num`, `batch_num`, `net_outputs`,
    `train_network` and more; and `request_stop()`.
    """

    def __init__(self, original_args):
        self._original_args, self._stop_requested = original_args, False

    def original_args(self):
        """What is known of the run, by name."""
        return self._original_args

    def request_stop(self):
        """End training after this step."""
        self._stop_requested = True

    def get_stop_requested(self):
        """Whether some callback asked for the end."""
        return self._stop_requested


def loss_of(outputs):
    """The loss in what a training step returns, as a number: the output, or its first part; the mean of several."""
    loss = outputs[0] if isinstance(outputs, (tuple, list)) else outputs
    return float(np.mean(loss.asnumpy())) if isinstance(loss, Tensor) else loss


def integer_from(value, least):
    """`value`, if it is an integer from `least`, 0 or 1, on. Raises TypeError or ValueError."""
    return above_zero(value, int, "The input value", zero=least == 0)


class LossMonitor(Callback):
    """Print the loss every `per_print_times` steps (0: never), and in `Model.fit` the metrics after each evaluation.

    A loss that is not finite ends training with a ValueError.
    """

    def __init__(self, per_print_times=1):
        self._every, self._last = integer_from(per_print_times, 0), 0

    def step_end(self, run_context) -> None:
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

    def on_train_epoch_end(self, run_context) -> None:
        known = run_context.original_args()
        if metrics := known.get("metrics"):
            print(f"Eval result: epoch {known.cur_epoch_num}, metrics: {metrics}")


class TimeMonitor(Callback):
    """Print the time of every epoch and the mean of its steps; `data_size` steps, if the data set does not know."""

    def __init__(self, data_size=None, data_time=False):
        self.data_size, self.epoch_time = data_size, time.time()
        self.data_time, self._fetching, self._since = data_time, 0.0, 0.0

    def epoch_begin(self, run_context) -> None:
        self.epoch_time = self._since = time.time()
        self._fetching = 0.0

    def on_train_step_begin(self, run_context) -> None:
        self._fetching += time.time() - self._since

    def on_train_step_end(self, run_context) -> None:
        self._since = time.time()

    def epoch_end(self, run_context) -> None:
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

    def begin(self, run_context) -> None:
        self.epoch = {"epoch": []}

    def epoch_end(self, run_context) -> None:
        known = run_context.original_args()
        self.epoch["epoch"].append(known.get("cur_epoch_num", 1))
        found = {"net_output": loss_of(known.net_outputs), **(known.get("metrics") or {})}
        for name, value in found.items():
            self.history.setdefault(name, []).append(value)


class CheckpointConfig(metaclass=Placed):
    """When to save: every `save_checkpoint_steps` steps, or else `save_checkpoint_seconds`. How many files to keep:
    the last `keep_checkpoint_max`, or else one per `keep_checkpoint_per_n_minutes`. `saved_network`: another network
    than the one trained. `append_info`: "epoch_num", "step_num" and a dictionary to be saved too.
    """

    def __init__(self, save_checkpoint_steps=1, save_checkpoint_seconds=0, keep_checkpoint_max=5,
                 keep_checkpoint_per_n_minutes=0, integrated_save=True, async_save=False, saved_network=None,
                 append_info=None, **options):  # fmt: skip
        given = save_checkpoint_steps, save_checkpoint_seconds, keep_checkpoint_max, keep_checkpoint_per_n_minutes
        steps, seconds, most, minutes = (0 if n is None else integer_from(n, 0) for n in given)
        self.save_checkpoint_steps, self.save_checkpoint_seconds = steps, None if steps else seconds
        self.keep_checkpoint_max = most or (0 if minutes else 1)
        self.keep_checkpoint_per_n_minutes = None if most else minutes
        parts = [{part: 0} if isinstance(part, str) else part for part in append_info or ()]
        self.saved_network, self.append_dict = saved_network, {k: value for part in parts for k, value in part.items()}


class ModelCheckpoint(Callback):
    """Save checkpoints while training: `directory/prefix-epoch_step.ckpt`, as `config` says, and one at the end.

    `directory`: by default the current one. If it holds files of the prefix, this training's are called `prefix_1` and
    so on. A kill at any moment leaves whole files only (`save_checkpoint`).
    """

    def __init__(self, prefix="CKP", directory=None, config=None):
        self._config = CheckpointConfig() if config is None else config
        self._directory = os.path.realpath("." if directory is None else directory)
        os.makedirs(self._directory, exist_ok=True)
        self._prefix = _unused(prefix, os.listdir(self._directory))
        self._last_step, self._last_time, self._written = 0, time.time(), []

    @property
    def latest_ckpt_file_name(self):
        """The path of the file saved last; empty before."""
        return self._written[-1] if self._written else ""

    def on_train_begin(self, run_context):
        self._last_step = 0

    def on_train_step_end(self, run_context):
        known = run_context.original_args()
        if self._due(known.cur_step_num):
            self._save(known)

    def on_train_end(self, run_context):
        known = run_context.original_args()
        if known.cur_step_num != self._last_step:
            self._save(known)

    def _due(self, step):
        config = self._config
        if config.save_checkpoint_steps:
            return step >= self._last_step + config.save_checkpoint_steps
        seconds = config.save_checkpoint_seconds or 0
        return seconds != 0 and time.time() > self._last_time + seconds

    def _save(self, known):
        self._last_step, self._last_time = known.cur_step_num, time.time()
        step = (known.cur_step_num - 1) % known.batch_num + 1
        path = os.path.join(self._directory, f"{self._prefix}-{known.cur_epoch_num}_{step}.ckpt")
        appended = dict(self._config.append_dict)
        now = {"epoch_num": known.cur_epoch_num, "step_num": known.cur_step_num}
        appended.update({name: number for name, number in now.items() if name in appended})
        network = known.train_network if self._config.saved_network is None else self._config.saved_network
        save_checkpoint(network, path, append_dict=appended)
        self._written = [p for p in self._written if p != path] + [path]
        self._remove_old()

    def _remove_old(self):
        """Only after the new file is whole, so that there is always one."""
        most, minutes = self._config.keep_checkpoint_max, self._config.keep_checkpoint_per_n_minutes or 0
        if most:
            gone, self._written = self._written[:-most], self._written[-most:]
        else:
            recent = [p for p in self._written if time.time() - os.path.getmtime(p) < 60 * minutes]
            gone, self._written = recent[1:-1], [p for p in self._written if p not in recent[1:-1]]
        for path in gone:
            if os.path.exists(path):
                os.remove(path)


def _unused(prefix, names):
    """`prefix`, or with the next number if there are files of it."""
    found = [re.fullmatch(rf"{re.escape(prefix)}(?:_(\d+))?-\d+_\d+\.ckpt", name) for name in names]
    numbers = [int(match[1] or 0) for match in found if match]
    return f"{prefix}_{max(numbers) + 1}" if numbers else prefix


__getattr__ = attributes(__name__)
