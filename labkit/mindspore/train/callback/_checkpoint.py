"""The callback that saves checkpoints, and how often and how many."""

import os
import re
import time
from typing import Any

from ....kinds import of_kind
from ....layout import Placed
from ...nn.cell import Cell
from ..serialization import save_checkpoint
from ._callback import Callback, integer_from

__all__ = ["CheckpointConfig", "ModelCheckpoint"]

_INFO = ("epoch_num", "step_num")


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
        if not (steps or seconds or most or minutes):
            raise ValueError(
                "For 'CheckpointConfig', the input arguments 'save_checkpoint_steps', 'save_checkpoint_seconds', "
                "'keep_checkpoint_max' and 'keep_checkpoint_per_n_minutes' can't be all None or 0."
            )
        of_kind(
            saved_network,
            Cell | None,
            "For 'CheckpointConfig', the type of 'saved_network' must be None or Cell, but got {type}.",
        )
        self.save_checkpoint_steps, self.save_checkpoint_seconds = steps, None if steps else seconds
        self.keep_checkpoint_max = most or (0 if minutes else 1)
        self.keep_checkpoint_per_n_minutes = None if most else minutes
        self.saved_network, self.append_dict = saved_network, _appended(append_info)

    def get_checkpoint_policy(self):
        """The settings, as a dictionary."""
        names = ("save_checkpoint_steps", "save_checkpoint_seconds", "keep_checkpoint_max",
                 "keep_checkpoint_per_n_minutes", "saved_network")  # fmt: skip
        return {name: getattr(self, name) for name in names}


def _appended(info):
    """What is to be saved besides the parameters, as a dictionary."""
    if not info:
        return {}
    of_kind(info, list, "For 'CheckpointConfig', the type of 'append_info' must be list,but got {type}.")
    made: dict[str, Any] = {}
    for element in info:
        if isinstance(element, str) and element not in _INFO:
            raise ValueError(
                "For 'CheckpointConfig', the value of element in the argument 'append_info' must be in "
                f"{list(_INFO)}, but got {element}."
            )
        made.update({element: 0} if isinstance(element, str) else element)
    return made


class ModelCheckpoint(Callback):
    """Save checkpoints while training: `directory/prefix-epoch_step.ckpt`, as `config` says, and one at the end.

    `directory`: by default the current one. If it holds files of the prefix, this training's are called `prefix_1` and
    so on. A kill at any moment leaves whole files only (`save_checkpoint`).
    """

    def __init__(self, prefix="CKP", directory=None, config=None):
        if not isinstance(prefix, str) or "/" in prefix:
            raise ValueError(
                "For 'ModelCheckpoint', the argument 'prefix' for checkpoint file name is invalid, it must be "
                f"callable or string that does not contain '/', but got {prefix}."
            )
        of_kind(
            config,
            CheckpointConfig | None,
            "For 'ModelCheckpoint', the type of argument 'config' should be 'CheckpointConfig', but got {type}.",
        )
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
        appended.update({k: n for k, n in zip(_INFO, (known.cur_epoch_num, known.cur_step_num)) if k in appended})
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
