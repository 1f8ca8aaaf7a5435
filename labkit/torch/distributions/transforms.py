"""`torch.distributions.transforms`: functions of samples that know their inverse, and how much they stretch."""

import math
from typing import Any

import numpy as np

from ...aliases import attributes
from .._dtype import finfo
from .._table import FUNCTIONS
from .._tensor import Tensor
from ..nn import functional
from . import constraints
from .composed import ComposeTransform, IndependentTransform, Transform, identity_transform, of_events
from .utils import sum_rightmost

__all__ = [
    "AbsTransform", "AffineTransform", "ComposeTransform", "ExpTransform", "IndependentTransform", "LowerCholeskyTransform",
    "PowerTransform", "SigmoidTransform", "SoftmaxTransform", "SoftplusTransform", "StickBreakingTransform", "TanhTransform",
    "Transform", "identity_transform",
]  # fmt: skip

_F: Any = functional


class ExpTransform(Transform):
    """exp(x)."""

    codomain, bijective, sign = constraints.positive, True, 1
    _call = lambda self, x: x.exp()
    _inverse = lambda self, y: y.log()
    log_abs_det_jacobian = lambda self, x, y: x


class SigmoidTransform(Transform):
    """1 / (1 + exp(-x)), inside of (0, 1)."""

    codomain, bijective, sign = constraints.unit_interval, True, 1
    _call = lambda self, x: _inside(x.sigmoid())
    _inverse = lambda self, y: _inside(y).log() - (-_inside(y)).log1p()
    log_abs_det_jacobian = lambda self, x, y: -_F.softplus(-x) - _F.softplus(x)


def _inside(probs):
    return probs.clamp(min=finfo(probs.dtype).tiny, max=1.0 - finfo(probs.dtype).eps)


class TanhTransform(Transform):
    """tanh(x); with `cache_size=1` values near 1 find back."""

    codomain, bijective, sign = constraints.interval(-1.0, 1.0), True, 1
    _call = lambda self, x: x.tanh()
    _inverse = lambda self, y: y.atanh()
    log_abs_det_jacobian = lambda self, x, y: 2.0 * (math.log(2.0) - x - _F.softplus(-2.0 * x))


class SoftplusTransform(Transform):
    """log(1 + exp(x))."""

    codomain, bijective, sign = constraints.positive, True, 1
    _call = lambda self, x: _F.softplus(x)
    _inverse = lambda self, y: (-y).expm1().neg().log() + y
    log_abs_det_jacobian = lambda self, x, y: -_F.softplus(-x)


class PowerTransform(Transform):
    """x^exponent, of positive numbers."""

    domain, codomain, bijective = constraints.positive, constraints.positive, True

    def __init__(self, exponent, cache_size=0):
        super().__init__(cache_size)
        self.exponent = exponent if isinstance(exponent, Tensor) else FUNCTIONS["tensor"](float(exponent))

    sign = property(lambda self: self.exponent.sign())
    _call = lambda self, x: x.pow(self.exponent)
    _inverse = lambda self, y: y.pow(1 / self.exponent)
    log_abs_det_jacobian = lambda self, x, y: (self.exponent * y / x).abs().log()
    forward_shape = inverse_shape = lambda self, shape: np.broadcast_shapes(shape, self.exponent.shape)


class AbsTransform(Transform):
    """abs(x), which has no inverse: `inv` gives the positive one of two."""

    codomain = constraints.positive
    _call = lambda self, x: x.abs()
    _inverse = lambda self, y: y


class AffineTransform(Transform):
    """loc + scale * x, of events with `event_dim` dimensions.

    >>> import labkit.torch as torch
    >>> AffineTransform(1.0, 2.0)(torch.tensor([0.0, 1.0]))
    tensor([1., 3.])
    """

    bijective = True

    def __init__(self, loc, scale, event_dim=0, cache_size=0):
        super().__init__(cache_size)
        self.loc, self.scale, self.event_dim = loc, scale, event_dim

    domain = codomain = property(lambda self: of_events(constraints.real, self.event_dim))
    _call = lambda self, x: self.loc + self.scale * x
    _inverse = lambda self, y: (y - self.loc) / self.scale

    @property
    def sign(self) -> Any:
        """That of `scale`."""
        return self.scale.sign() if isinstance(self.scale, Tensor) else (self.scale > 0) - (self.scale < 0)

    def log_abs_det_jacobian(self, x, y) -> Tensor:
        """log(abs(scale)) for each element, summed over an event."""
        if isinstance(self.scale, Tensor):
            stretch = self.scale.abs().log().expand(*np.broadcast_shapes(x.shape, self.scale.shape))
        else:
            stretch = FUNCTIONS["full_like"](x, math.log(abs(self.scale)))
        return sum_rightmost(stretch, self.event_dim)

    def forward_shape(self, shape) -> tuple:
        """That of `loc`, `scale` and the tensor together."""
        return np.broadcast_shapes(shape, *(v.shape for v in (self.loc, self.scale) if isinstance(v, Tensor)))

    inverse_shape = forward_shape


class SoftmaxTransform(Transform):
    """softmax(x), whose inverse is one of many."""

    domain, codomain = constraints.real_vector, constraints.simplex
    _call = lambda self, x: x.softmax(-1)
    _inverse = lambda self, y: y.log()


class StickBreakingTransform(Transform):
    """n numbers to n + 1 that sum to 1: each takes its share of what is left of a stick."""

    domain, codomain, bijective = constraints.real_vector, constraints.simplex, True

    @staticmethod
    def _left(x) -> Tensor:
        return (x.shape[-1] + 1 - FUNCTIONS["ones_like"](x).cumsum(-1)).log()

    def _call(self, x) -> Tensor:
        share = _inside((x - self._left(x)).sigmoid())
        return _F.pad(share, [0, 1], value=1) * _F.pad((1 - share).cumprod(-1), [1, 0], value=1)

    def _inverse(self, y) -> Tensor:
        first = y[..., :-1]
        rest = (1 - first.cumsum(-1)).clamp(min=finfo(y.dtype).tiny)
        return first.log() - rest.log() + self._left(first)

    def log_abs_det_jacobian(self, x, y) -> Tensor:
        """Of each share its slope, and what was left."""
        x = x - self._left(x)
        return (-x + _F.logsigmoid(x) + y[..., :-1].log()).sum(-1)

    forward_shape = lambda self, shape: (*shape[:-1], shape[-1] + 1)
    inverse_shape = lambda self, shape: (*shape[:-1], shape[-1] - 1)


class LowerCholeskyTransform(Transform):
    """Matrices to lower triangular ones with positive diagonals: exp of the diagonal."""

    domain, codomain = constraints.independent(constraints.real, 2), constraints.lower_cholesky
    _call = lambda self, x: x.tril(-1) + FUNCTIONS["diag_embed"](x.diagonal(0, -2, -1).exp())
    _inverse = lambda self, y: y.tril(-1) + FUNCTIONS["diag_embed"](y.diagonal(0, -2, -1).log())


__getattr__ = attributes(__name__)
