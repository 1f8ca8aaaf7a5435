"""Parameters for an optimizer: groups, their learning rates and weight decays, and which of them decay."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..argument_checks import floating
from ..common.parameter import Parameter
from ..ops import cast
from .cell import Cell
from .learning_rate import built_rate, is_dynamic, read_rate

KEYS = ["params", "lr", "weight_decay", "order_params", "grad_centralization"]


@dataclass
class Setting:
    """How one parameter is to be trained; `decay` is a float, or a cell that gives it for a step."""

    parameter: Parameter
    rate: Any
    decay: Any
    decays: bool
    centralized: bool = False


class _ScaledDecay(Cell):
    """A weight decay that depends on the step, times the loss scale."""

    def __init__(self, weight_decay, loss_scale):
        super().__init__()
        self.weight_decay, self.loss_scale = weight_decay, loss_scale

    def construct(self, global_step):
        return cast(self.weight_decay(global_step) * self.loss_scale, self.weight_decay(global_step).dtype)


def read_decay(given, loss_scale, owner) -> Any:
    """A weight decay times the loss scale, by which the gradients it is added to are still multiplied."""
    if isinstance(given, Cell):
        return _ScaledDecay(given, loss_scale)
    return floating(float(given), "weight_decay", owner, zero=True) * loss_scale


# ---- parameters ----


def parameter_list(parameters, name="parameters") -> list:
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


def read_settings(groups, rate, weight_decay, loss_scale, owner) -> tuple:
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
