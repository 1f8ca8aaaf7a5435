"""What an optimizer is given: learning rates that change, groups of parameters and weight decay, checked and put in order."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import ops as primitives
from ...dialects.argument_types import of_kind
from ...dialects.unsupported import attributes
from ..argument_checks import check_positive_int, floating
from ..common import dtype as mstype
from ..common.parameter import Parameter
from ..common.tensor import Tensor, wrap
from ..ops import cast, ceil, floor, maximum, minimum, pow
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


KEYS = ["params", "lr", "weight_decay", "order_params", "grad_centralization"]


@dataclass
class Setting:
    """How one parameter is to be trained; `decay` is a float, or a cell that gives it for a step."""

    parameter: Parameter
    rate: Any
    decay: Any
    decays: bool
    centralized: bool = False


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


# ---- weight decay ----


class _ScaledDecay(Cell):
    """A weight decay that depends on the step, times the loss scale."""

    def __init__(self, weight_decay, loss_scale):
        super().__init__()
        self.weight_decay, self.loss_scale = weight_decay, loss_scale

    def construct(self, global_step):
        return cast(self.weight_decay(global_step) * self.loss_scale, self.weight_decay(global_step).dtype)


def read_decay(given, loss_scale, owner):
    """A weight decay times the loss scale, by which the gradients it is added to are still multiplied."""
    if isinstance(given, Cell):
        return _ScaledDecay(given, loss_scale)
    return floating(float(given), "weight_decay", owner, zero=True) * loss_scale


# ---- parameters ----


def parameter_list(parameters, name="parameters"):
    """The parameters, or groups of them, as a list that is not empty."""
    if parameters is None:
        raise ValueError(f"For 'Optimizer', the argument {name} can not be None.")
    if isinstance(parameters, Parameter) or not isinstance(parameters, Iterable):
        if name == "parameters" and isinstance(parameters, Parameter):
            raise TypeError(_ELEMENTS)
        raise TypeError(f"For 'Optimizer', the argument {name} must be Iterable type, but got {type(parameters)}.")
    parameters = list(parameters)
    if not parameters:
        raise ValueError(f"For 'Optimizer', the argument {name} must not be empty.")
    return parameters


_ELEMENTS = (
    "For 'Optimizer', all elements of the argument 'parameters' must be 'Parameter' or 'dict', please check the "
    "'parameters'."
)


def read_settings(groups, rate, weight_decay, loss_scale, owner):
    """`(settings, whether a group has its own rate, whether rates depend on the step)` of groups of parameters or parameters.

    The settings are in the order of `order_params`, if there is such a group. Without groups, those named `beta` or `gamma` do
    not decay.
    """
    grouped = isinstance(groups[0], dict)
    if grouped:
        _check_groups(groups)
    given = [(i, g) for i, g in enumerate(groups if grouped else [{"params": groups}]) if "order_params" not in g]
    rates = {i: read_rate(g["lr"], owner) for i, g in given if "lr" in g}
    as_cell = bool(rates) and any(is_dynamic(r) for r in [rate, *rates.values()])
    common = built_rate(rate, "learning_rate", as_cell)
    settings = []
    for i, group in given:
        own = built_rate(rates[i], f"learning_rate_group_{i}", as_cell) if i in rates else common
        decay = read_decay(group.get("weight_decay", weight_decay), loss_scale, owner)
        decays, centralized = isinstance(decay, Cell) or decay > 0, group.get("grad_centralization", False)
        for p in group["params"]:
            excepted = not grouped and ("beta" in p.name or "gamma" in p.name)
            settings.append(Setting(p, own, decay, decays and not excepted, centralized))
    return _in_order(settings, groups) if grouped else settings, bool(rates), as_cell or is_dynamic(rate)


def _check_groups(groups):
    seen: set[str] = set()
    for group in groups:
        unknown = [key for key in group if key not in KEYS]
        if unknown:
            raise KeyError(f"For 'Optimizer', the key in group params must be one of in {KEYS}, but got {unknown}.")
        if "order_params" in group:
            continue
        for p in parameter_list(group["params"], "group `params`"):
            if p.name in seen:
                raise RuntimeError(
                    f"For 'Optimizer', the {p.name} parameter already exists, it does not support repeated setting. "
                    "Please check whether the optimizer parameter has been set multiple times."
                )
            seen.add(p.name)


def _in_order(settings, groups):
    order = next((g["order_params"] for g in groups if "order_params" in g), None)
    if not order:
        return settings
    names = [p.name for p in order]
    return sorted(settings, key=lambda s: names.index(s.parameter.name))


__getattr__ = attributes(__name__)
