"""Tensors of the dialects and their contents, as recognisers see them."""

import reprlib
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np

from ..engine import Reverse, getval, isbox, new_box, new_level

DIALECTS = ("mindspore", "torch")
BOXES = "boxes"
EXACT = frozenset((Fraction, Decimal))  # numbers of the standard library, which become floats
PLAIN = frozenset((int, float, bool, str, type(None)))  # of most values that are sent
_NO_TENSOR = "expected a tensor of {dialects}, but got {name}"


class Unreadable(ValueError):
    """Data that `encode` did not write."""


def is_tensor(value: Any) -> bool:
    """True for a tensor of either dialect."""
    return hasattr(value, "__engine_value__") and not isinstance(value, type)


def package(value: Any) -> str:
    """The package of a value's type: "torch" or "mindspore" for a dialect, "numpy", "builtins" ..."""
    return type(value).__module__.removeprefix("labkit.").split(".")[0]


def plain_data(value: Any) -> Any:
    """`value` with every tensor replaced by its array (a copy): what recognisers see and what a grader sends."""
    while isbox(value):
        value = getval(value)
    if type(value) in PLAIN:
        return value
    if type(value) in EXACT:
        return float_of(value)
    if is_tensor(value):
        return array_of(value)
    if isinstance(value, (tuple, list)):
        return (
            type(value)(plain_data(v) for v in value)
            if type(value) in (tuple, list)
            else tuple(plain_data(v) for v in value)
        )
    if isinstance(value, dict):
        return {key: plain_data(v) for key, v in value.items()}
    return np.array(value) if isinstance(value, np.ndarray) else value


def float_of(value: Fraction | Decimal) -> float:
    """The nearest float; infinity where the number is too large."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def array_of(tensor: Any) -> np.ndarray:
    """A copy of the array that a tensor holds."""
    value = tensor.__engine_value__()
    while isbox(value):
        value = getval(value)
    return np.array(value)


def wrap(inputs: tuple, tensors: str | None) -> tuple:
    """Fresh copies of plain `inputs`; arrays become tensors of the dialect `tensors`, in torch ones that require grad.

    With `tensors` "boxes", numbers become boxes of the engine, on which a function of plain numbers fails.
    """
    copies = plain_data(inputs)
    if tensors is None:
        return copies
    if tensors == BOXES:
        level = new_level()
        return tuple(new_box(a, level, Reverse.new_root(a)) if isinstance(a, float) else a for a in copies)
    options = {"requires_grad": True} if tensors == "torch" else {}
    return tuple(maker_of(tensors)(a, **options) if isinstance(a, np.ndarray) else a for a in copies)


def maker_of(name: Any) -> Callable[..., Any]:
    """What makes a tensor of this dialect from an array."""
    if name not in DIALECTS:
        raise Unreadable(_NO_TENSOR.format(dialects=" or ".join(DIALECTS), name=reprlib.repr(name)))
    module = import_module(f"labkit.{name}")
    return module.tensor if name == "torch" else module.Tensor
