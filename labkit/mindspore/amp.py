"""Mixed precision: loss scale, overflow, and networks that compute in two-byte floats."""

from abc import ABCMeta, abstractmethod

import numpy as np

from ..dialects.argument_types import of_kind
from ..dialects.class_paths import Placed
from ..dialects.unsupported import attributes
from ..engine import map_leaves
from . import nn
from .argument_checks import check_positive_int, check_type
from .common.dtype import bfloat16, float16, float32
from .common.parameter import Parameter
from .common.tensor import Tensor, wrap
from .nn.cell import in_dtype
from .ops import isfinite, maximum, select, zeros_like
from .ops.reductions import all_finite

__all__ = [
    "DynamicLossScaleManager", "DynamicLossScaler", "FixedLossScaleManager", "LossScaleManager", "LossScaler",
    "StaticLossScaler", "all_finite", "auto_mixed_precision", "build_train_network", "get_black_list", "get_white_list",
]  # fmt: skip


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
        if check_type(scale_value, "scale_value", (float, int)) < 1:
            raise ValueError(f"The argument 'scale_value' must be > 1, but got {scale_value}")
        self.scale_value = Parameter(wrap(np.float32(scale_value)), name="scale_value")

    def scale(self, inputs):
        """A tensor, or each in nested tuples and lists, times the scale in the tensor's own type."""
        return _each(inputs, lambda t: t * self.scale_value.astype(t.dtype))

    def unscale(self, inputs):
        """A tensor, or each in nested tuples and lists, times the reciprocal of the scale in the tensor's own type."""
        reciprocal = 1 / self.scale_value
        return _each(inputs, lambda t: t * reciprocal.astype(t.dtype))


def _each(inputs, fun):
    """`fun` of each tensor in nested tuples and lists."""

    def one(leaf):
        kind = {int: "Int", float: "Float", bool: "Bool"}.get(type(leaf), type(leaf).__name__)
        return fun(of_kind(leaf, Tensor, "'{name}' object has no attribute 'dtype'", AttributeError, name=kind))

    return map_leaves(one, inputs)


def _positive(value, name):
    if isinstance(value, bool):
        raise TypeError(f"The '{name}' must be int and must > 0, but got '{value}' with type 'bool'.")
    return check_positive_int(value, name)


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


class LossScaleManager(metaclass=Placed):
    """What a manager does; the base of `FixedLossScaleManager` and `DynamicLossScaleManager`."""

    def get_loss_scale(self):
        """The scale now."""

    def update_loss_scale(self, overflow):
        """Change the scale after a step with, or without, overflow."""

    def get_update_cell(self):
        """The cell that changes the scale inside a training step, or None."""


class FixedLossScaleManager(LossScaleManager):
    """A scale that never changes. Without `drop_overflow_update` a step is made even after overflow.

    >>> FixedLossScaleManager(1024.0).get_loss_scale()
    1024.0
    """

    def __init__(self, loss_scale=128.0, drop_overflow_update=True):
        if loss_scale < 1:
            raise ValueError(f"The argument 'loss_scale' must be >= 1, but got {loss_scale}")
        self._loss_scale, self._drop_overflow_update = loss_scale, drop_overflow_update

    def get_loss_scale(self):
        """The scale."""
        return self._loss_scale

    def get_drop_overflow_update(self):
        """Whether a step with overflow is left out."""
        return self._drop_overflow_update

    def get_update_cell(self):
        """A `FixedLossScaleUpdateCell`; None where no step is left out."""
        return nn.FixedLossScaleUpdateCell(self._loss_scale) if self._drop_overflow_update else None


class DynamicLossScaleManager(LossScaleManager):
    """A scale divided by `scale_factor` (down to 1) after overflow, multiplied by it whenever the number of steps since
    then is a multiple of `scale_window`.

    >>> manager = DynamicLossScaleManager(16, 2, 2)
    >>> [manager.update_loss_scale(overflow) or manager.get_loss_scale() for overflow in (False, False, True)]
    [16, 32, 16.0]
    """

    def __init__(self, init_loss_scale=2**24, scale_factor=2, scale_window=2000):
        if init_loss_scale < 1.0:
            raise ValueError(f"The argument 'init_loss_scale' must be > 1, but got {init_loss_scale}")
        check_positive_int(scale_window, "scale_window", "DynamicLossScaleManager")
        if scale_factor <= 0:
            raise ValueError(f"The argument 'scale_factor' must be > 0, but got {scale_factor}")
        self.loss_scale, self.scale_factor, self.scale_window = init_loss_scale, scale_factor, scale_window
        self.cur_iter, self.last_overflow_iter = 1, 0
        self.bad_step, self.bad_step_max = 0, 1000

    def get_loss_scale(self):
        """The scale now."""
        return self.loss_scale

    def update_loss_scale(self, overflow):
        """Count a step, and change the scale. Raises RuntimeError after more than 1000 overflows in a row."""
        if overflow:
            self.loss_scale = max(self.loss_scale * (1 / self.scale_factor), 1)
            self.last_overflow_iter = self.cur_iter
            self.bad_step += 1
        else:
            if (self.cur_iter - self.last_overflow_iter) % self.scale_window == 0:
                self.loss_scale *= self.scale_factor
            self.bad_step = 0
        if self.bad_step > self.bad_step_max:
            raise RuntimeError(
                "Dynamic loss scale Continuous overflow ", self.bad_step, " times, has exceeded maximum threshold."
            )
        self.cur_iter += 1

    def get_drop_overflow_update(self):
        """Whether a step with overflow is left out: always."""
        return True

    def get_update_cell(self):
        """A `DynamicLossScaleUpdateCell` that starts at this scale."""
        return nn.DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)


LEVELS = ["O0", "O1", "O2", "O3"]


def get_white_list():
    """The cells that compute in two bytes at level O1."""
    return [nn.Conv1d, nn.Conv2d, nn.Dense]


def get_black_list():
    """The cells that stay in Float32 at level O2."""
    return [nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.LayerNorm]


class _OutputTo16(nn.Cell):
    """A cell whose outputs are cast to two bytes."""

    def __init__(self, backbone, dtype):
        super().__init__(auto_prefix=False)
        self._backbone, self.dtype = backbone, dtype

    def construct(self, *args, **kwargs):
        return map_leaves(lambda out: in_dtype(out, self.dtype.numpy), self._backbone(*args, **kwargs))


class _OutputTo32(_OutputTo16):
    """A cell whose outputs are cast to Float32."""

    def __init__(self, backbone):
        super().__init__(backbone, float32)


def auto_mixed_precision(network, amp_level="O0", dtype=float16):
    """The network at a level of mixed precision: "O0" as it is; "O1" dense and convolution layers in `dtype`; "O2" all but
    normalisation layers; "O3" all. Outputs are Float32, parameters and their gradients keep their type.

    Changes the network's cells. Raises TypeError for anything but a cell, ValueError for another level or type.

    >>> from labkit.mindspore import Tensor, nn
    >>> network = auto_mixed_precision(nn.Dense(1, 1, weight_init=Tensor([[1.0]]), has_bias=False), "O2")
    >>> network(Tensor([[70000.0]]))
    Tensor(shape=[1, 1], dtype=Float32, value=
    [[            inf]])
    """
    of_kind(network, nn.Cell, "For amp_level '{amp_level}', the network type should be Cell.", amp_level=amp_level)
    if dtype not in (float16, bfloat16):
        raise ValueError(f"The dtype should be one of (mstype.float16, mstype.bfloat16), but got {dtype}.")
    if amp_level not in LEVELS:
        raise ValueError(f"The amp level {amp_level} is not supported")
    if amp_level == "O0":
        return network
    if amp_level == "O1":
        return _replaced(network, tuple(get_white_list()), lambda cell: _OutputTo32(cell.to_float(dtype)))
    return _OutputTo32(_shortened(network, amp_level, dtype))


def _shortened(network, level, dtype=float16):
    """A network that computes in `dtype`; at level O2 its normalisation layers stay in Float32."""
    network.to_float(dtype)
    if level == "O2":
        _replaced(network, tuple(get_black_list()), lambda cell: _OutputTo16(cell.to_float(float32), dtype))
    return network


def _replaced(cell, kinds, new):
    """The cell itself replaced, if it is one of `kinds`; else those inside it."""
    if isinstance(cell, kinds):
        return new(cell)
    for name, inner in list(cell._cells.items()):
        found = _replaced(inner, kinds, new)
        if found is not inner:
            cell._cells[name] = found
            if name in cell.__dict__:
                cell.__dict__[name] = found
    return cell


class _WithLossInFloat32(nn.WithLossCell):
    def construct(self, data, label):
        return self._loss_fn(in_dtype(self._backbone(data), np.float32), in_dtype(label, np.float32))


_WithLossInFloat32.__name__ = "WithLossCell"


def build_train_network(network, optimizer, loss_fn=None, level="O0", boost_level="O0", **kwargs):
    """A training step of a network and its loss at a level of mixed precision, in training mode.

    `loss_scale_manager` is a `LossScaleManager` or None; "O2" has a dynamic one unless told otherwise. In the real framework
    a manager that leaves out steps needs other hardware than a CPU; here it runs. Raises TypeError or ValueError for
    arguments of another kind.
    """
    _check(optimizer, level, kwargs)
    manager = kwargs.get("loss_scale_manager", DynamicLossScaleManager() if level == "O2" else None)
    in_two_bytes = level in ("O2", "O3")
    network = _shortened(network, level) if in_two_bytes else auto_mixed_precision(network, level)
    if loss_fn is not None:
        network = (_WithLossInFloat32 if in_two_bytes else nn.WithLossCell)(network, loss_fn)
    update = manager.get_update_cell() if manager is not None else None
    if update is not None:
        return nn.TrainOneStepWithLossScaleCell(network, optimizer, scale_sense=update).set_train()
    scale = None if manager is None else manager.get_loss_scale()
    return nn.TrainOneStepCell(network, optimizer, scale).set_train()


def _check(optimizer, level, options):
    of_kind(optimizer, nn.Optimizer, "The type of 'optimizer' should be 'Optimizer', but got type '{kind}'.")
    if level not in LEVELS:
        raise ValueError(f"The 'level' should be in : {LEVELS}, but got {level}.")
    for name in options:
        if name != "loss_scale_manager":
            raise ValueError(f"Unsupported arg '{name}'")


__getattr__ = attributes(__name__)
