"""Distributions of numbers with a density: each is its parameters, its noise and what is made of it, its log density."""

import math

from .. import _modes
from .._dtype import finfo
from .._random import normal
from .._table import FUNCTIONS
from .._tensor import Tensor
from . import constraints
from .distribution import ExponentialFamily, OfElements

__all__ = ["Cauchy", "Exponential", "Gumbel", "HalfNormal", "Laplace", "LogNormal", "Normal", "Uniform"]

_EULER = 0.57721566490153286060
_ROOT = math.log(math.sqrt(2 * math.pi))


class Normal(OfElements, ExponentialFamily, takes="loc scale"):
    """The normal distribution with mean `loc` and standard deviation `scale`, numbers or tensors.

    `rsample` is loc + eps * scale with standard normal eps, so that gradients come to both. Raises ValueError for a `scale`
    that is not above 0.

    >>> import labkit.torch as torch
    >>> mean = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> Normal(mean, 1.0).log_prob(torch.zeros(2)).sum().backward()
    >>> mean.grad
    tensor([-1., -2.])
    """

    support = constraints.real
    mean = mode = property(lambda self: self.loc)
    stddev = property(lambda self: self.scale)
    variance = property(lambda self: self.stddev.pow(2))
    _noise = lambda self, eps: eps.normal_()
    _of_noise = lambda self, eps: self.loc + eps * self.scale
    _log_density = lambda self, x: -((x - self.loc) ** 2) / (2 * self.scale**2) - self.scale.log() - _ROOT
    _below = lambda self, x: 0.5 * (1 + ((x - self.loc) * self.scale.reciprocal() / math.sqrt(2)).erf())
    icdf = lambda self, value: self.loc + self.scale * (2 * value - 1).erfinv() * math.sqrt(2)
    entropy = lambda self: 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()

    def sample(self, sample_shape=()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with _modes.no_grad():
            return normal(self.loc.expand(shape), self.scale.expand(shape))


class LogNormal(OfElements, takes="loc scale"):
    """exp of normal numbers.

    >>> LogNormal(0.0, 1.0).mean
    tensor(1.6487)
    """

    support = constraints.positive
    mean = property(lambda self: (self.loc + self.scale.pow(2) / 2).exp())
    mode = property(lambda self: (self.loc - self.scale.square()).exp())
    variance = property(lambda self: self.scale.pow(2).expm1() * (2 * self.loc + self.scale.pow(2)).exp())
    _noise = Normal._noise
    _of_noise = lambda self, eps: Normal._of_noise(self, eps).exp()
    _log_density = lambda self, x: 0.0 - x.log() + Normal._log_density(self, x.log())
    _below = lambda self, x: Normal._below(self, x.log())
    icdf = lambda self, value: Normal.icdf(self, value).exp()
    entropy = lambda self: Normal.entropy(self) + self.loc
    __repr__ = lambda self: "LogNormal()"


class Laplace(OfElements, takes="loc scale"):
    """The density exp(-abs(x - loc) / scale) / (2 scale).

    >>> Laplace(0.0, 1.0).entropy()
    tensor(1.6931)
    """

    support = constraints.real
    mean = mode = property(lambda self: self.loc)
    stddev = property(lambda self: 2**0.5 * self.scale)
    variance = property(lambda self: 2 * self.scale.pow(2))
    _noise = lambda self, u: u.uniform_(finfo(u.dtype).eps - 1, 1)
    _of_noise = lambda self, u: self.loc - self.scale * u.sign() * (-u.abs()).log1p()
    _log_density = lambda self, x: -(2 * self.scale).log() - (x - self.loc).abs() / self.scale
    _below = lambda self, x: 0.5 - 0.5 * (x - self.loc).sign() * (-(x - self.loc).abs() / self.scale).expm1()
    icdf = lambda self, value: Laplace._of_noise(self, 2 * (value - 0.5))
    entropy = lambda self: 1 + (2 * self.scale).log()


class Gumbel(OfElements, takes="loc scale"):
    """The largest of many: loc - scale * log(-log(u)). The largest of logits plus such numbers is a `Categorical` sample.

    >>> Gumbel(0.0, 1.0).mean
    tensor(0.5772)
    """

    support = constraints.real
    mode = property(lambda self: self.loc)
    mean = property(lambda self: self.loc + self.scale * _EULER)
    stddev = property(lambda self: math.pi / math.sqrt(6) * self.scale)
    variance = property(lambda self: self.stddev.pow(2))
    _noise = lambda self, u: finfo(u.dtype).tiny + u.uniform_() * (1 - finfo(u.dtype).eps - finfo(u.dtype).tiny)
    _of_noise = lambda self, u: self.loc + -self.scale * (-u.log()).log()
    _below = lambda self, x: (-(-(x - self.loc) / self.scale).exp()).exp()
    icdf = lambda self, value: self._of_noise(value)
    entropy = lambda self: self.scale.log() + (1 + _EULER)

    def _log_density(self, x):
        y = (self.loc - x) / self.scale
        return y - y.exp() - self.scale.log()


class Exponential(OfElements, ExponentialFamily, takes="rate"):
    """The time until what happens `rate` times in a unit of time.

    >>> Exponential(2.0).mean
    tensor(0.5000)
    """

    support = constraints.nonnegative
    mean = stddev = property(lambda self: self.rate.reciprocal())
    mode = property(lambda self: FUNCTIONS["zeros_like"](self.rate))
    variance = property(lambda self: self.rate.pow(-2))
    _noise = lambda self, time: time.exponential_()
    _of_noise = lambda self, time: time / self.rate
    _log_density = lambda self, x: self.rate.log() - self.rate * x
    _below = lambda self, x: 1 - (-self.rate * x).exp()
    icdf = lambda self, value: -(-value).log1p() / self.rate
    entropy = lambda self: 1.0 - self.rate.log()


class Uniform(OfElements, takes="low high"):
    """All numbers of [low, high) alike; `rsample` is low + u * (high - low).

    Raises ValueError where `low` is not below `high`, and in `log_prob` for values beyond.

    >>> import labkit.torch as torch
    >>> Uniform(0.0, torch.tensor([1.0, 4.0])).log_prob(torch.tensor(0.5))
    tensor([ 0.0000, -1.3863])
    """

    arg_constraints = property(
        lambda self: {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}
    )
    support = constraints.dependent_property(lambda self: constraints.interval(self.low, self.high))
    mean = property(lambda self: (self.high + self.low) / 2)
    mode = property(lambda self: math.nan * self.high)
    stddev = property(lambda self: (self.high - self.low) / 12**0.5)
    variance = property(lambda self: (self.high - self.low).pow(2) / 12)
    _noise = lambda self, u: u.uniform_()
    _of_noise = lambda self, u: self.low + u * (self.high - self.low)
    _below = lambda self, x: ((x - self.low) / (self.high - self.low)).clamp(min=0, max=1)
    icdf = lambda self, value: value * (self.high - self.low) + self.low
    entropy = lambda self: (self.high - self.low).log()

    def _log_density(self, x):
        inside = self.low.le(x).type_as(self.low).mul(self.high.gt(x).type_as(self.low))
        return inside.log() - (self.high - self.low).log()


class Cauchy(OfElements, takes="loc scale"):
    """The ratio of two normal numbers: so wide that it has no mean.

    >>> Cauchy(0.0, 1.0).entropy()
    tensor(2.5310)
    """

    support = constraints.real
    mean = property(lambda self: FUNCTIONS["full_like"](self.loc, math.nan))
    mode = property(lambda self: self.loc)
    variance = property(lambda self: FUNCTIONS["full_like"](self.loc, math.inf))
    _noise = lambda self, eps: eps.cauchy_()
    _of_noise = lambda self, eps: self.loc + eps * self.scale
    _log_density = lambda self, x: -math.log(math.pi) - self.scale.log() - (((x - self.loc) / self.scale) ** 2).log1p()
    _below = lambda self, x: ((x - self.loc) / self.scale).atan() / math.pi + 0.5
    icdf = lambda self, value: (math.pi * (value - 0.5)).tan() * self.scale + self.loc
    entropy = lambda self: math.log(4 * math.pi) + self.scale.log()


class HalfNormal(OfElements, takes="scale"):
    """The size of a normal number of mean 0.

    >>> HalfNormal(1.0).mean
    tensor(0.7979)
    """

    support = constraints.nonnegative
    mean = property(lambda self: self.scale * math.sqrt(2 / math.pi))
    mode = property(lambda self: FUNCTIONS["zeros_like"](self.scale))
    variance = property(lambda self: self.scale.pow(2) * (1 - 2 / math.pi))
    base_dist = property(lambda self: Normal(FUNCTIONS["zeros_like"](self.scale), self.scale))
    _noise = Normal._noise
    _of_noise = lambda self, eps: (eps * self.scale).abs()
    _log_density = lambda self, x: self.base_dist.log_prob(x) + math.log(2)
    _below = lambda self, x: 2 * self.base_dist.cdf(x) - 1
    icdf = lambda self, value: self.base_dist.icdf((value + 1) / 2)
    entropy = lambda self: self.base_dist.entropy() - math.log(2)
    __repr__ = lambda self: "HalfNormal()"
