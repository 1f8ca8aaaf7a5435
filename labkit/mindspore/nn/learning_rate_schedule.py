"""Learning-rate schedules as cells: a function of the step number, which an optimizer asks at every step."""

import math

from ...aliases import attributes
from ...kinds import of_kind
from .. import dtype as mstype
from ..ops import ceil, cos, floor, maximum, minimum, pow
from ..tensor import Tensor
from ._checks import check_positive_int, check_type, floating
from .cell import Cell

__all__ = ["CosineDecayLR", "ExponentialDecayLR", "InverseDecayLR", "LearningRateSchedule", "NaturalExpDecayLR",
           "PolynomialDecayLR", "WarmUpLR"]  # fmt: skip


def check_start(value, name, said, owner=None):
    """Raise TypeError, in the name of `said`, unless `value` is a float; ValueError for a negative one."""
    text = "For '{said}', the argument '{name}' must be type of float, but got '{name}' type: {type}."
    of_kind(value, float, text, said=said, name=name)
    floating(value, name, owner, zero=True)


class LearningRateSchedule(Cell):
    """The base: a subclass defines `construct(global_step)`, which returns the learning rate as a tensor."""

    def construct(self, global_step) -> Tensor:
        """The learning rate at a step, an integer tensor."""
        raise NotImplementedError


class _Decay(LearningRateSchedule):
    """What the three decays of one shape share: a rate, a decay rate, a number of steps."""

    def __init__(self, learning_rate, decay_rate, decay_steps, is_stair=False):
        super().__init__()
        check_positive_int(decay_steps, "decay_steps", self.cls_name)
        floating(learning_rate, "learning_rate", self.cls_name)
        floating(decay_rate, "decay_rate", self.cls_name)
        check_type(is_stair, "is_stair", bool, self.cls_name)
        self.learning_rate, self.decay_rate = learning_rate, decay_rate
        self.decay_steps, self.is_stair = decay_steps, is_stair

    def _periods(self, global_step):
        """step / decay_steps, whole periods only if `is_stair`."""
        periods = global_step.astype(mstype.float32) / self.decay_steps
        return floor(periods) if self.is_stair else periods


class ExponentialDecayLR(_Decay):
    """learning_rate * decay_rate^(step / decay_steps); `is_stair` falls once per `decay_steps` instead of always.

    >>> from labkit.mindspore import Tensor
    >>> ExponentialDecayLR(0.5, 0.5, 2)(Tensor(4))
    Tensor(shape=[], dtype=Float32, value= 0.125)
    """

    def construct(self, global_step) -> Tensor:
        return self.learning_rate * pow(self.decay_rate, self._periods(global_step))


class NaturalExpDecayLR(_Decay):
    """learning_rate * exp(-decay_rate * step); with `is_stair` the step is rounded down to a multiple of `decay_steps`."""

    def construct(self, global_step) -> Tensor:
        step = global_step.astype(mstype.float32)
        if self.is_stair:
            step = floor(step / self.decay_steps) * self.decay_steps
        return self.learning_rate * pow(math.e, -self.decay_rate * step)


class InverseDecayLR(_Decay):
    """learning_rate / (1 + decay_rate * step / decay_steps)."""

    def construct(self, global_step) -> Tensor:
        return self.learning_rate / (1 + self.decay_rate * self._periods(global_step))


class CosineDecayLR(LearningRateSchedule):
    """Half a cosine from `max_lr` at step 0 down to `min_lr` at `decay_steps`, where it stays."""

    def __init__(self, min_lr, max_lr, decay_steps):
        super().__init__()
        check_start(min_lr, "min_lr", self.cls_name, self.cls_name)
        floating(max_lr, "max_lr", self.cls_name)
        check_positive_int(decay_steps, "decay_steps", self.cls_name)
        check_order(min_lr, max_lr, self.cls_name)
        self.min_lr, self.max_lr, self.decay_steps = min_lr, max_lr, decay_steps

    def construct(self, global_step) -> Tensor:
        done = _share_done(global_step, self.decay_steps)
        return self.min_lr + 0.5 * (self.max_lr - self.min_lr) * (1.0 + cos(math.pi * done))


def check_order(min_lr, max_lr, owner):
    """Raise ValueError unless min_lr < max_lr."""
    if min_lr >= max_lr:
        raise ValueError(
            f"For '{owner}', the 'max_lr' must be greater than the 'min_lr', but got 'max_lr' value: {max_lr}, "
            f"'min_lr' value: {min_lr}."
        )


class PolynomialDecayLR(LearningRateSchedule):
    """(learning_rate - end) * (1 - step / decay_steps)^power + end; `update_decay_steps` starts again when it has ended,
    with twice, three times ... the number of steps."""

    def __init__(self, learning_rate, end_learning_rate, decay_steps, power, update_decay_steps=False):
        super().__init__()
        floating(learning_rate, "learning_rate")
        check_start(end_learning_rate, "end_learning_rate", self.cls_name, self.cls_name)
        check_positive_int(decay_steps, "decay_steps", self.cls_name)
        check_type(update_decay_steps, "update_decay_steps", bool, self.cls_name)
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


class WarmUpLR(LearningRateSchedule):
    """A straight line from 0 at step 0 to `learning_rate` at `warmup_steps`, where it stays.

    >>> from labkit import mindspore as ms
    >>> float(WarmUpLR(1.0, 4)(ms.Tensor(1, ms.int32)).asnumpy())
    0.25
    """

    def __init__(self, learning_rate, warmup_steps):
        super().__init__()
        check_start(learning_rate, "learning_rate", self.cls_name, self.cls_name)
        check_positive_int(warmup_steps, "warmup_steps", self.cls_name)
        self.learning_rate, self.warmup_steps = learning_rate, warmup_steps

    def construct(self, global_step) -> Tensor:
        return self.learning_rate * _share_done(global_step, self.warmup_steps)


def _share_done(step, steps):
    """How much of a number of steps has been made, from 0 to 1."""
    return minimum(step, steps).astype(mstype.float32) / steps


__getattr__ = attributes(__name__)
