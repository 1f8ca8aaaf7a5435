"""The base of callbacks, several of them as one, and what they are told."""

from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING

import numpy as np

from ....kinds import of_kind
from ....layout import Placed
from ...tensor import Tensor

__all__ = ["Callback", "CallbackManager", "LambdaCallback", "Parameters", "RunContext", "integer_from", "loss_of"]

STAGES = ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")
EVENTS = [f"on_{phase}_{stage}" for phase in ("train", "eval") for stage in STAGES]


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


for _name in EVENTS:
    setattr(Callback, _name, _event(_name.split("_", 2)[2]))


class CallbackManager(Callback):
    """Callbacks as one, called in order; as a context it enters and leaves them all."""

    def __init__(self, callbacks):
        given = callbacks if isinstance(callbacks, list) else [] if callbacks is None else [callbacks]
        for callback in given:
            of_kind(
                callback,
                Callback,
                "When the 'callbacks' is a list, the elements in 'callbacks' must be Callback functions.",
            )
        self.callbacks, self._stack = list(given), ExitStack()

    if TYPE_CHECKING:  # the events, attached below

        def __getattr__(self, name: str) -> Callable[["RunContext"], None]: ...

    def __enter__(self):
        for callback in self.callbacks:
            self._stack.enter_context(callback)
        return self

    def __exit__(self, *error):
        return self._stack.__exit__(*error)


def _event_of_all(name):
    def on(self, run_context):
        for callback in self.callbacks:
            getattr(callback, name)(run_context)

    return on


for _name in EVENTS:
    setattr(CallbackManager, _name, _event_of_all(_name))


class LambdaCallback(Callback):
    """A callback from functions: `LambdaCallback(on_train_epoch_end=lambda run_context: ...)`."""

    def __init__(self, **functions):
        for name, function in functions.items():
            if name not in EVENTS:
                raise TypeError(f"LambdaCallback: expected names among {EVENTS}, but got {name!r}.")
            if function is not None:
                setattr(self, name, function)


class Parameters(dict):
    """What a callback may know, by name: as attributes, or with `get`."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no {name!r} here; there are {sorted(self)}") from None

    def __setattr__(self, name, value):
        self[name] = value


class RunContext(metaclass=Placed):
    """What a callback gets: `original_args()`, with `cur_epoch_num`, `cur_step_num`, `batch_num`, `net_outputs`,
    `train_network` and more; and `request_stop()`.
    """

    def __init__(self, original_args):
        of_kind(original_args, dict, "The argument 'original_args' of RunContext should be dict type, but got {type}.")
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
    """`value`, if it is an integer from `least` on. Raises TypeError or ValueError."""
    of_kind(value, int, "The input value must be int, but got '{kind}'")
    if value < least:
        bound = "> 0" if least == 1 else f">= {least}"
        raise ValueError(f"The input value must be int and must {bound}, but got '{value}' with type 'int'.")
    return value
