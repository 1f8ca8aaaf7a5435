"""Batch normalisation: every channel shifted and scaled to mean 0 and variance 1 over the batch."""

from typing import Any

import autograd.numpy as anp
import numpy as np

from ... import ops as primitives
from ...dialects.argument_types import of_kind
from ...dialects.class_paths import with_names
from ...engine import cast, shape_of
from ...engine import stop_gradient as constant
from ..argument_checks import check_format
from ..common.dtype import float32
from ..common.initializer import initializer
from ..common.parameter import Parameter
from ..common.tensor import Tensor, wrap
from ..ops.op_table import value_of
from .cell import Cell

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm", "LayerNorm"]


class _BatchNorm(Cell):
    """The common part; `axes` is the number of axes of the input."""

    axes: tuple[int, ...] = ()

    def __init__(self, num_features, eps=1e-5, momentum=0.9, affine=True, gamma_init="ones", beta_init="zeros",
                 moving_mean_init="zeros", moving_var_init="ones", use_batch_statistics=None, data_format="NCHW",
                 dtype=float32):  # fmt: skip
        super().__init__()
        check_format(data_format, self.cls_name)
        if not 0 <= momentum <= 1:
            raise ValueError(
                f"For '{self.cls_name}', the 'momentum' must be a number in range [0, 1], but got {momentum}."
            )
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.use_batch_statistics = use_batch_statistics
        started = {
            "moving_mean": ("mean", moving_mean_init, False), "moving_variance": ("variance", moving_var_init, False),
            "gamma": ("gamma", gamma_init, affine), "beta": ("beta", beta_init, affine),
        }  # fmt: skip
        for attribute, (name, init, trained) in started.items():
            setattr(self, attribute, Parameter(initializer(init, num_features, dtype), name, requires_grad=trained))

    def construct(self, x) -> Tensor:
        value = value_of(x, self.cls_name)
        self._check(shape_of(value))
        wide = cast(value, self.gamma._value.dtype)
        own = self.training if self.use_batch_statistics is None else self.use_batch_statistics
        with np.errstate(all="ignore"):
            centre, spread = self._measured(wide) if own else (self.moving_mean._value, self.moving_variance._value)
            scale = self._across(self.gamma._value / anp.sqrt(spread + self.eps), wide)
            made = (wide - self._across(centre, wide)) * scale + self._across(self.beta._value, wide)
        return wrap(cast(made, value.dtype))

    def _measured(self, value):
        """Mean and variance of every channel of this batch; the moving ones go a little towards them."""
        over = tuple(i for i in range(len(shape_of(value))) if i != 1)
        centre, spread = primitives.mean(value, axis=over), primitives.var(value, axis=over)
        count = np.prod([shape_of(value)[i] for i in over])
        unbiased = constant(spread) * (float(count) / max(float(count) - 1, 1))
        self._move(self.moving_mean, constant(centre))
        self._move(self.moving_variance, unbiased)
        return centre, spread

    def _move(self, moving, new):
        moving.set_data(wrap(self.momentum * moving._value + (1 - self.momentum) * new))

    @staticmethod
    def _across(numbers, like) -> Any:
        """One number per channel, in a shape that broadcasts over the input."""
        return anp.reshape(numbers, (1, -1) + (1,) * (len(shape_of(like)) - 2))

    def _check(self, shape):
        if len(shape) not in self.axes:
            wanted = " or ".join(map(str, self.axes))
            raise ValueError(f"For '{self.cls_name}', the in_shape must have {wanted} dims, but got {len(shape)}.")
        if shape[1] != self.num_features:
            raise ValueError(
                f"For BatchNorm, scale.shape[0] should be equal to input_x's channel dimension: {shape[1]}, "
                f"bug got scale.shape[0]: {self.num_features}."
            )

    def extend_repr(self) -> str:
        return with_names(self, "num_features", "eps", "momentum", "gamma", "beta", "moving_mean", "moving_variance")


class BatchNorm2d(_BatchNorm):
    """(x - mean) / sqrt(variance + eps) * gamma + beta for every channel of images (batch, channels, height, width).

    While training, mean and variance are those of the batch, and `moving_mean`, `moving_variance` are moved towards them:
    momentum * old + (1 - momentum) * new. Otherwise the moving ones are used; `use_batch_statistics` overrides that.
    """

    axes = (4,)


class BatchNorm1d(_BatchNorm):
    """`BatchNorm2d` for inputs (batch, channels) or (batch, channels, length)."""

    axes = (2, 3)


class BatchNorm3d(Cell):
    """`BatchNorm2d` for volumes (batch, channels, depth, height, width); that one is its `bn2d`."""

    def __init__(self, num_features, eps=1e-5, momentum=0.9, affine=True, gamma_init="ones", beta_init="zeros",
                 moving_mean_init="zeros", moving_var_init="ones", use_batch_statistics=None, dtype=float32):  # fmt: skip
        super().__init__()
        self.bn2d = BatchNorm2d(num_features, eps, momentum, affine, gamma_init, beta_init, moving_mean_init,
                                moving_var_init, use_batch_statistics, dtype=dtype)  # fmt: skip

    def construct(self, x) -> Tensor:
        if x.ndim != 5:
            raise ValueError(f"For 'BatchNorm3d', the in_shape must have 5 dims, but got {x.ndim}.")
        return self.bn2d(x.flatten(start_dim=3)).reshape(x.shape)


class LayerNorm(Cell):
    """The axes from `begin_norm_axis` on shifted and scaled to mean 0 and variance 1, times `gamma`, plus `beta`.

    `normalized_shape`: the lengths of these axes. Raises TypeError or ValueError for another shape.

    >>> import labkit.mindspore as ms
    >>> ms.nn.LayerNorm([2])(ms.Tensor([[1.0, 3.0]])).asnumpy().round(3)
    array([[-1.,  1.]], dtype=float32)
    """

    def __init__(self, normalized_shape, begin_norm_axis=-1, begin_params_axis=-1, gamma_init="ones", beta_init="zeros",
                 epsilon=1e-7, dtype=float32):  # fmt: skip
        super().__init__()
        text = "For 'LayerNorm', the type of 'normalized_shape' must be tuple[int] or list[int], but got {value} and the type is "
        of_kind(normalized_shape, (tuple, list), text + "{type}.")
        self.normalized_shape, self.epsilon = normalized_shape, epsilon
        self.begin_norm_axis, self.begin_params_axis = begin_norm_axis, begin_params_axis
        self.gamma = Parameter(initializer(gamma_init, normalized_shape, dtype), name="gamma")
        self.beta = Parameter(initializer(beta_init, normalized_shape, dtype), name="beta")

    def construct(self, input_x) -> Tensor:
        axes = tuple(range(self.begin_norm_axis % input_x.ndim, input_x.ndim))
        centred = input_x - input_x.mean(axes, True)
        scaled = centred / ((centred * centred).mean(axes, True) + self.epsilon).sqrt()
        return scaled * self.gamma + self.beta

    def extend_repr(self) -> str:
        shown = with_names(self, "normalized_shape", "begin_norm_axis", "begin_params_axis")
        return f"{shown}, gamma{self.gamma}, beta={self.beta}"  # as the real one has it


class GroupNorm(Cell):
    """The channels in `num_groups` groups, each shifted and scaled to mean 0 and variance 1, times `gamma`, plus `beta`."""

    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, gamma_init="ones", beta_init="zeros",
                 dtype=float32):  # fmt: skip
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(
                f"For 'GroupNorm', the 'num_channels' must be divided by 'num_groups', but got 'num_channels': {num_channels}, "
                f"'num_groups': {num_groups}."
            )
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self.gamma = Parameter(initializer(gamma_init, num_channels, dtype), name="gamma", requires_grad=affine)
        self.beta = Parameter(initializer(beta_init, num_channels, dtype), name="beta", requires_grad=affine)

    def construct(self, x) -> Tensor:
        groups = x.reshape((x.shape[0], self.num_groups, -1))
        centred = groups - groups.mean((2,), True)
        scaled = (centred / ((centred * centred).mean((2,), True) + self.eps).sqrt()).reshape(x.shape)
        of_channels = (1, -1) + (1,) * (x.ndim - 2)
        return scaled * self.gamma.reshape(of_channels) + self.beta.reshape(of_channels)

    def extend_repr(self) -> str:
        return with_names(self, "num_groups", "num_channels")
