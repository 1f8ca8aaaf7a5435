"""Batch normalisation: every channel shifted and scaled to mean 0 and variance 1 over the batch."""

from typing import Any

import autograd.numpy as anp
import numpy as np

from ... import ops as primitives
from ...engine import cast, shape_of
from ...engine import stop_gradient as constant
from ...layout import with_names
from .._initializer import initializer
from ..dtype import float32
from ..ops._op import value_of
from ..parameter import Parameter
from ..tensor import wrap
from .cell import Cell

__all__ = ["BatchNorm1d", "BatchNorm2d"]


class _BatchNorm(Cell):
    """The common part; `axes` is the number of axes of the input."""

    axes: tuple[int, ...] = ()

    def __init__(self, num_features, eps=1e-5, momentum=0.9, affine=True, gamma_init="ones", beta_init="zeros",
                 moving_mean_init="zeros", moving_var_init="ones", use_batch_statistics=None, dtype=float32):  # fmt: skip
        super().__init__()
        if num_features < 1:
            raise ValueError(f"For '{self.cls_name}', the 'num_features' must be at least 1, but got {num_features}.")
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

    def construct(self, x):
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

    def extend_repr(self):
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
