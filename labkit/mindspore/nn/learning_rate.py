"""Learning rates that change: cells that an optimizer asks at every step, and lists with a number for each step."""

from ...dialects.argument_types import of_kind
from ...dialects.unsupported import attributes
from ..argument_checks import check_positive_int, floating
from ..common import dtype as mstype
from ..common.tensor import Tensor
from ..ops import ceil, floor, maximum, minimum, pow
from .cell import Cell

__all__ = ["ExponentialDecayLR", "LearningRateSchedule", "PolynomialDecayLR", "piecewise_constant_lr"]


def _check_start(value, name, owner):
    """Raise TypeError unless `value` is a float; ValueError for a negative one."""
    text = "For '{owner}', the argument '{name}' must be type of float, but got '{name}' type: {type}."
    of_kind(value, float, text, owner=owner, name=name)
    floating(value, name, owner, zero=True)


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
        check_positive_int(decay_steps, "decay_steps", self.cls_name)
        floating(learning_rate, "learning_rate", self.cls_name)
        floating(decay_rate, "decay_rate", self.cls_name)
        self.learning_rate, self.decay_rate = learning_rate, decay_rate
        self.decay_steps, self.is_stair = decay_steps, is_stair

    def construct(self, global_step) -> Tensor:
        periods = global_step.astype(mstype.float32) / self.decay_steps
        return self.learning_rate * pow(self.decay_rate, floor(periods) if self.is_stair else periods)


class PolynomialDecayLR(LearningRateSchedule):
    """(learning_rate - end) * (1 - step / decay_steps)^power + end; `update_decay_steps` starts again when it has ended,
    with twice, three times ... the number of steps."""

    def __init__(self, learning_rate, end_learning_rate, decay_steps, power, update_decay_steps=False):
        super().__init__()
        floating(learning_rate, "learning_rate")
        _check_start(end_learning_rate, "end_learning_rate", self.cls_name)
        check_positive_int(decay_steps, "decay_steps", self.cls_name)
        floating(power, "power", self.cls_name)
        self.start_learning_rate, self.end_learning_rate = learning_rate, end_learning_rate
        self.decay_steps, self.power, self.update_decay_steps = decay_steps, power, update_decay_steps

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


__getattr__ = attributes(__name__)
