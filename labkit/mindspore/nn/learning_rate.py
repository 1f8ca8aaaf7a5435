"""Learning rates of an optimizer: numbers, lists of them, and schedules, which are cells."""

from collections.abc import Iterable

import numpy as np

from ... import ops as primitives
from ...dialects.argument_types import of_kind
from ...dialects.unsupported import attributes
from ..argument_checks import check_positive_int, floating
from ..common import dtype as mstype
from ..common.parameter import Parameter
from ..common.tensor import Tensor, wrap
from ..ops import ceil, floor, maximum, minimum, pow
from .cell import Cell

__all__ = ["ExponentialDecayLR", "LearningRateSchedule", "PolynomialDecayLR", "piecewise_constant_lr"]


class LearningRateSchedule(Cell):
    """The base: a subclass defines `construct(global_step)`, which returns the learning rate as a tensor."""

    def construct(self, global_step) -> Tensor:
        """The learning rate at a step, an integer tensor."""
        raise NotImplementedError


class ExponentialDecayLR(LearningRateSchedule):
    """learning_rate * decay_rate^(step / decay_steps); `is_stair` falls once per `decay_steps` instead of always.

    >>> from labkit.mindspore import Tensor
    >>> ExponentialDecayLR(0.5, 0.5, 2)(Tensor(4))
    Tensor(shape=[], dtype=Float32, value= 0.125)
    """

    def __init__(self, learning_rate, decay_rate, decay_steps, is_stair=False):
        super().__init__()
        self.decay_steps = check_positive_int(decay_steps, "decay_steps", self.cls_name)
        self.learning_rate = floating(learning_rate, "learning_rate", self.cls_name)
        self.decay_rate, self.is_stair = floating(decay_rate, "decay_rate", self.cls_name), is_stair

    def construct(self, global_step) -> Tensor:
        periods = global_step.astype(mstype.float32) / self.decay_steps
        return self.learning_rate * pow(self.decay_rate, floor(periods) if self.is_stair else periods)


class PolynomialDecayLR(LearningRateSchedule):
    """(learning_rate - end) * (1 - step / decay_steps)^power + end; `update_decay_steps` starts again when it has ended,
    with twice, three times ... the number of steps."""

    def __init__(self, learning_rate, end_learning_rate, decay_steps, power, update_decay_steps=False):
        super().__init__()
        self.start_learning_rate, owner = floating(learning_rate, "learning_rate"), self.cls_name
        text = "For '{owner}', the argument 'end_learning_rate' must be type of float, but got 'end_learning_rate' type: {type}."
        of_kind(end_learning_rate, float, text, owner=owner)
        self.end_learning_rate = floating(end_learning_rate, "end_learning_rate", owner, zero=True)
        self.decay_steps = check_positive_int(decay_steps, "decay_steps", owner)
        self.power, self.update_decay_steps = floating(power, "power", owner), update_decay_steps

    def construct(self, global_step) -> Tensor:
        step, steps = global_step.astype(mstype.float32), self.decay_steps
        if self.update_decay_steps:
            steps = steps * maximum(ceil(step / steps), 1)
        else:
            step = minimum(step, steps)
        rest = pow(1.0 - step / steps, self.power)
        return (self.start_learning_rate - self.end_learning_rate) * rest + self.end_learning_rate


def piecewise_constant_lr(milestone, learning_rates) -> list[float]:
    """`learning_rates[i]` for the steps before `milestone[i]`.

    >>> piecewise_constant_lr([2, 5], [0.1, 0.01])
    [0.1, 0.1, 0.01, 0.01, 0.01]
    """
    if len(milestone) != len(learning_rates):
        raise ValueError(
            "For 'piecewise_constant_lr', the size of 'milestone' must be same with the size of 'learning_rates', but got "
            f"'milestone' size: {len(milestone)}, 'learning_rates' size: {len(learning_rates)}."
        )
    rates: list[float] = []
    for i, (until, rate) in enumerate(zip(milestone, learning_rates, strict=True)):
        check_positive_int(until, f"milestone[{i}]")
        if until < len(rates):
            raise ValueError(
                f"For 'piecewise_constant_lr', the value of milestone[{i}] must be greater than milestone[{i - 1}], but "
                f"got milestone[{i}]: {until}, milestone[{i - 1}]: {milestone[i - 1]}."
            )
        rates += [rate] * (until - len(rates))
    return rates


# ---- learning rates ----


@primitives.rule(None, None, rounds=False)
def _nth(rates, step):
    """The learning rate of a step, out of a list of them. Raises RuntimeError beyond the end."""
    place = int(step.reshape(()))
    if not 0 <= place < rates.size:
        raise RuntimeError(
            f"For 'Gather', the 'input_indices' should be in the range [0, {rates.size}), but got {place}, error_code[58]\n"
        )
    return rates[place]


class _IteratorLearningRate(LearningRateSchedule):
    """A list of learning rates as a schedule."""

    def __init__(self, rates, name):
        super().__init__()
        self.learning_rate = Parameter(rates, name)

    def construct(self, global_step):
        return wrap(_nth(self.learning_rate._value, global_step._value))


class _ConvertToCell(LearningRateSchedule):
    """A learning rate that never changes, among schedules."""

    def __init__(self, learning_rate):
        super().__init__()
        self.learning_rate = learning_rate

    def construct(self, global_step):
        return self.learning_rate.value()


def is_dynamic(rate):
    """Whether a learning rate, as `read_rate` returns it, depends on the step."""
    return isinstance(rate, LearningRateSchedule) or (isinstance(rate, Tensor) and rate.ndim == 1)


def read_rate(given, owner):
    """A learning rate as a Float32 tensor, 0-d or 1-d, or the schedule it is."""
    if isinstance(given, (int, float)):
        return wrap(np.float32(floating(float(given), "learning rate", owner, zero=True)))
    if isinstance(given, LearningRateSchedule):
        return given
    if isinstance(given, Tensor):
        if given.ndim > 1:
            raise ValueError(
                "For 'Optimizer', if 'learning_rate' is Tensor type, then the dimension of it should be 0 or 1, but got "
                f"{given.ndim}."
            )
        return wrap(given.asnumpy().astype(np.float32))
    if isinstance(given, Iterable):
        return wrap(np.array([float(rate) for rate in given], np.float32))
    raise TypeError(
        "For 'Optimizer', the argument 'learning_rate' must be int, float, Tensor, Iterable or LearningRateSchedule, "
        f"but got {type(given)}."
    )


def built_rate(rate, name, as_cell):
    """A learning rate as what the optimizer keeps: a parameter, or a schedule (`as_cell`: in any case)."""
    if isinstance(rate, LearningRateSchedule):
        return rate
    if rate.ndim == 1:
        return _IteratorLearningRate(rate, name)
    parameter = Parameter(rate, name)
    return _ConvertToCell(parameter) if as_cell else parameter


__getattr__ = attributes(__name__)
