"""Losses of a prediction and a target, reduced to one number unless `reduction="none"`."""

import autograd.numpy as anp
import numpy as np

from ... import primitives
from ...engine import cast
from ...engine import stop_gradient as constant
from ..ops import _fused
from ..ops._arithmetic import operands, unbroadcast
from ..tensor import wrap
from .cell import Cell

__all__ = ["L1Loss", "LossBase", "MSELoss", "SmoothL1Loss"]

_REDUCTIONS = {"mean": _fused.mean, "sum": _fused.sum_all, "none": lambda x: x}


class LossBase(Cell):
    """The base of losses: `reduction` is "mean", "sum" or "none". Subclasses define `construct`."""

    def __init__(self, reduction="mean"):
        super().__init__()
        if reduction not in _REDUCTIONS:
            raise ValueError(
                f"For '{self.cls_name}', the 'reduction' must be in ['mean', 'sum', 'none'], but got {reduction}."
            )
        self.reduction = reduction

    def get_loss(self, x, weights=1.0):
        """`x * weights`, reduced."""
        return self._reduced((x * weights)._value)

    def _reduced(self, value):
        return wrap(_REDUCTIONS[self.reduction](value))

    def _difference(self, logits, labels):
        a, b = operands(logits, labels, "Sub")
        try:
            return anp.subtract(a, b)
        except ValueError:
            raise unbroadcast("SubExt", a, b) from None


class MSELoss(LossBase):
    """The mean of (logits - labels)^2.

    >>> from labkit.mindspore import Tensor
    >>> MSELoss()(Tensor([1.0, 2.0]), Tensor([1.0, 0.0]))
    Tensor(shape=[], dtype=Float32, value= 2)
    """

    def construct(self, logits, labels):
        with np.errstate(all="ignore"):
            return self._reduced(_fused.square(self._difference(logits, labels)))


class L1Loss(LossBase):
    """The mean of |logits - labels|."""

    def construct(self, logits, labels):
        return self._reduced(primitives.absolute(self._difference(logits, labels)))


class SmoothL1Loss(LossBase):
    """Half the squared distance over `beta` below `beta`, then |distance| - beta / 2. Not reduced by default."""

    def __init__(self, beta=1.0, reduction="none"):
        super().__init__(reduction)
        self.beta = beta

    def construct(self, logits, labels):
        distance = primitives.absolute(self._difference(logits, labels))
        near = distance * distance * (0.5 / self.beta)
        loss = primitives.select(constant(distance) < self.beta, near, distance - 0.5 * self.beta)
        return self._reduced(cast(loss, distance.dtype))
