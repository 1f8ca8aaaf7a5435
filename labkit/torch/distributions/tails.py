"""Distributions that are a few transforms of another: of exponential, normal and Cauchy numbers."""

import math

from .._table import FUNCTIONS
from .._tensor import Tensor
from . import constraints
from .continuous import Cauchy, Exponential, Normal
from .transformed import TransformedDistribution
from .transforms import AbsTransform, AffineTransform, ExpTransform, PowerTransform, StickBreakingTransform
from .utils import broadcast_all

__all__ = ["HalfCauchy", "LogisticNormal", "Pareto", "Weibull"]

_EULER = 0.57721566490153286060


class HalfCauchy(TransformedDistribution):
    """The size of a Cauchy number around 0.

    >>> import labkit.torch as torch
    >>> HalfCauchy(1.0).cdf(torch.tensor(1.0))
    tensor(0.5000)
    """

    arg_constraints, support = {"scale": constraints.positive}, constraints.nonnegative

    def __init__(self, scale, validate_args=None):
        super().__init__(Cauchy(0, scale, validate_args=False), AbsTransform(), validate_args)

    scale = property(lambda self: self.base_dist.scale)
    mean = property(lambda self: FUNCTIONS["full_like"](self.scale, math.inf))
    mode = property(lambda self: FUNCTIONS["zeros_like"](self.scale))
    variance = property(lambda self: self.base_dist.variance)
    _log_density = lambda self, x: FUNCTIONS["where"](x >= 0, self.base_dist.log_prob(x) + math.log(2), -math.inf)
    _below = lambda self, x: 2 * self.base_dist.cdf(x) - 1
    icdf = lambda self, value: self.base_dist.icdf((value + 1) / 2)
    entropy = lambda self: self.base_dist.entropy() - math.log(2)
    __repr__ = lambda self: "HalfCauchy()"


class _OfExponential(TransformedDistribution):
    """What is made of exponential numbers by parameters of its own, which are printed."""

    def expand(self, batch_shape, _instance=None) -> TransformedDistribution:
        new = super().expand(batch_shape, _instance)
        return type(self)(*(getattr(new, name) for name in self._takes), validate_args=False)

    def __repr__(self):
        shown = ((name, getattr(self, name)) for name in self.arg_constraints)
        return f"{type(self).__name__}({', '.join(f'{n}: {v if v.numel() == 1 else v.size()}' for n, v in shown)})"


class Weibull(_OfExponential):
    """scale * t^(1 / concentration), of exponential t: how long something lasts whose risk is a power of its age.

    >>> Weibull(2.0, 1.0).mean
    tensor(2.)
    """

    arg_constraints, _takes = (
        {"scale": constraints.positive, "concentration": constraints.positive},
        ("scale", "concentration"),
    )
    support = constraints.positive

    def __init__(self, scale, concentration, validate_args=None):
        self.scale, self.concentration = broadcast_all(scale, concentration)
        powers = [PowerTransform(self._share), AffineTransform(0, self.scale)]
        super().__init__(Exponential(FUNCTIONS["ones_like"](self.scale)), powers, validate_args)

    _share = property(lambda self: self.concentration.reciprocal())
    mean = property(lambda self: self.scale * (1 + self._share).lgamma().exp())
    mode = property(lambda self: self.scale * ((self.concentration - 1) / self.concentration) ** self._share)
    entropy = lambda self: _EULER * (1 - self._share) + (self.scale * self._share).log() + 1

    @property
    def variance(self) -> Tensor:
        return self.scale.pow(2) * ((1 + 2 * self._share).lgamma().exp() - (2 * (1 + self._share).lgamma()).exp())


class Pareto(_OfExponential):
    """scale * exp(t), of exponential t with the rate `alpha`: above `scale`, with a tail as x^(-alpha).

    >>> Pareto(1.0, 2.0).mean
    tensor(2.)
    """

    arg_constraints, _takes = {"alpha": constraints.positive, "scale": constraints.positive}, ("scale", "alpha")
    support = constraints.dependent_property(lambda self: constraints.greater_than_eq(self.scale))

    def __init__(self, scale, alpha, validate_args=None):
        self.scale, self.alpha = broadcast_all(scale, alpha)
        super().__init__(Exponential(self.alpha), [ExpTransform(), AffineTransform(0, self.scale)], validate_args)

    mode = property(lambda self: self.scale)
    entropy = lambda self: (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())

    @property
    def mean(self) -> Tensor:
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    @property
    def variance(self) -> Tensor:
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))


class LogisticNormal(TransformedDistribution):
    """Shares that add up to 1, made of normal numbers, one fewer, by breaking a stick.

    >>> import labkit.torch as torch
    >>> LogisticNormal(torch.zeros(2), torch.ones(2)).rsample().shape
    torch.Size([3])
    """

    arg_constraints, support = Normal.arg_constraints, constraints.simplex

    def __init__(self, loc, scale, validate_args=None):
        base = Normal(loc, scale, validate_args=validate_args)
        super().__init__(base if base.batch_shape else base.expand([1]), StickBreakingTransform(), validate_args)

    loc = property(lambda self: self.base_dist.base_dist.loc)
    scale = property(lambda self: self.base_dist.base_dist.scale)
    __repr__ = lambda self: "LogisticNormal()"
