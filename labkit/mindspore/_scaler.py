"""Loss scale: a loss multiplied before the reverse pass, so that small Float16 gradients do not vanish."""

from abc import ABCMeta, abstractmethod
from functools import reduce

import autograd.numpy as anp
import numpy as np

from ..engine import stop_gradient as constant
from ..kinds import of_kind
from ..layout import Placed
from .ops import isfinite, maximum, select, zeros_like
from .parameter import Parameter
from .tensor import Tensor, wrap

__all__ = ["DynamicLossScaler", "LossScaler", "StaticLossScaler", "all_finite"]


class _Abstract(Placed, ABCMeta):
    pass


class LossScaler(metaclass=_Abstract):
    """What a loss scaler does; the base of `StaticLossScaler` and `DynamicLossScaler`."""

    @abstractmethod
    def scale(self, inputs):
        """A tensor, or each in nested tuples and lists, times the scale."""

    @abstractmethod
    def unscale(self, inputs):
        """A tensor, or each in nested tuples and lists, divided by the scale."""

    @abstractmethod
    def adjust(self, grads_finite):
        """Change the scale after a step with, or without, finite gradients."""


class _ByParameter(LossScaler):
    """A scale held in the parameter `scale_value`."""

    def __init__(self, scale_value):
        self.scale_value = _scale_value(scale_value)

    def scale(self, inputs):
        """A tensor, or each in nested tuples and lists, times the scale in the tensor's own type."""
        return _each(inputs, lambda t: t * self.scale_value.astype(t.dtype))

    def unscale(self, inputs):
        """A tensor, or each in nested tuples and lists, times the reciprocal of the scale in the tensor's own type."""
        reciprocal = 1 / self.scale_value
        return _each(inputs, lambda t: t * reciprocal.astype(t.dtype))


def _each(inputs, fun):
    if isinstance(inputs, Tensor):
        return fun(inputs)
    if isinstance(inputs, (tuple, list)):
        return type(inputs)(_each(x, fun) for x in inputs)
    kind = {int: "Int", float: "Float", bool: "Bool"}.get(type(inputs), type(inputs).__name__)
    raise AttributeError(f"'{kind}' object has no attribute 'dtype'")


def _scale_value(value):
    of_kind(
        value, (int, float), "The type of 'scale_value' should be one of '['float', 'int']', but got type '{kind}'."
    )
    if value < 1:
        raise ValueError(f"The argument 'scale_value' must be > 1, but got {value}")
    return Parameter(wrap(np.float32(value)), name="scale_value")


def _positive(value, name):
    of_kind(value, (int, bool), "The '{name}' must be int, but got '{kind}'", name=name)
    if isinstance(value, bool):
        raise TypeError(f"The '{name}' must be int and must > 0, but got '{value}' with type 'bool'.")
    if value <= 0:
        raise ValueError(f"The '{name}' must be int and must > 0, but got '{value}' with type 'int'.")
    return value


class StaticLossScaler(_ByParameter):
    """A scale that never changes.

    >>> scaler = StaticLossScaler(1024.0)
    >>> scaler.unscale(scaler.scale(Tensor(3.0)))
    Tensor(shape=[], dtype=Float32, value= 3)
    """

    def adjust(self, grads_finite):
        """Nothing changes; returns False."""
        return False


class DynamicLossScaler(_ByParameter):
    """A scale divided by `scale_factor` (down to 1) after overflow, multiplied by it after `scale_window` good steps.

    >>> scaler = DynamicLossScaler(scale_value=1024, scale_factor=2, scale_window=1)
    >>> scaler.adjust(Tensor(False)), scaler.scale_value.value()
    (True, Tensor(shape=[], dtype=Float32, value= 512))
    """

    def __init__(self, scale_value, scale_factor, scale_window):
        super().__init__(scale_value)
        self.scale_window = _positive(scale_window, "scale_window")
        self.scale_factor = _positive(scale_factor, "scale_factor")
        self.counter = Parameter(wrap(np.int32(0)), name="counter")

    def adjust(self, grads_finite):
        """Count a good step or start again; returns True. `grads_finite` is a Bool tensor, as from `all_finite`."""
        scale, factor = self.scale_value.value(), self.scale_factor
        full = self.counter == self.scale_window - 1
        larger = select(full & isfinite(scale * factor), scale * factor, scale)
        smaller = select(isfinite(scale), maximum(scale / factor, 1.0), scale)
        self.scale_value.set_data(select(grads_finite, larger, smaller))
        counted = (self.counter + 1) % self.scale_window
        self.counter.set_data(select(grads_finite, counted, zeros_like(counted)))
        return True


def all_finite(inputs):
    """Whether no element of the tensors in a tuple or list is infinite or nan: a 0-d Bool tensor.

    Raises TypeError for anything but a flat tuple or list of tensors, ValueError for an empty one.

    >>> import labkit.mindspore as ms
    >>> ms.amp.all_finite((ms.Tensor([1.0]), ms.Tensor([2.0, float("inf")]))).asnumpy()
    array(False)
    """
    if isinstance(inputs, Tensor) or (
        isinstance(inputs, (tuple, list)) and any(isinstance(x, (tuple, list)) for x in inputs)
    ):
        raise TypeError(
            f'Failed calling AddN with "x={_kind(inputs)}".\n'
            'The valid calling should be: "x=<list of tensor, tuple of Tensor>".\n'
        )
    if not isinstance(inputs, (tuple, list)) or not all(isinstance(t, Tensor) for t in inputs):
        raise TypeError(
            'Failed calling IsFinite with "input=Float32".\nThe valid calling should be: "input=<Tensor>".\n'
        )
    if not inputs:
        raise ValueError("For primitive[AddN], the concat element num must be greater than or equal to 1, but got 0.\n")
    finite = [anp.all(anp.isfinite(constant(t._value))) for t in inputs]
    return wrap(reduce(anp.logical_and, finite))


def _kind(tree):
    """The type of nested tensors as the error shows it, of the counts of infinite elements."""
    if isinstance(tree, (tuple, list)):
        return f"{type(tree).__name__.title()}[{','.join(map(_kind, tree))}]"
    return "Tensor[Int64]"
