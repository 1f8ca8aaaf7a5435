"""Distributions that are made of others: transformed ones, and mixtures."""

import math
from typing import Any

import numpy as np

from .. import _modes
from .._creation import ones_like, zeros_like
from .._table import FUNCTIONS
from .._tensor import Tensor
from . import constraints
from .continuous import Exponential, Normal
from .distribution import Distribution, OfElements
from .joint import Independent
from .transforms import AbsTransform, AffineTransform, ComposeTransform, ExpTransform, PowerTransform, Transform
from .utils import sum_rightmost

__all__ = [
    "Cauchy", "HalfCauchy", "HalfNormal", "MixtureSameFamily", "Pareto",
    "TransformedDistribution", "Weibull",
]  # fmt: skip
_EULER = 0.57721566490153286060


class TransformedDistribution(Distribution):
    """What `transforms`, one or several, make of the samples of `base_distribution`.

    >>> import labkit.torch as torch
    >>> logs = TransformedDistribution(Normal(0.0, 1.0), ExpTransform())
    >>> logs.log_prob(torch.tensor(1.0))
    tensor(-0.9189)
    """

    arg_constraints: Any = {}

    def __init__(self, base_distribution, transforms, validate_args=None):
        self.transforms = [transforms] if isinstance(transforms, Transform) else list(transforms)
        whole, base = ComposeTransform(self.transforms), base_distribution
        shape, inner = base.batch_shape + base.event_shape, len(base.event_shape)
        if len(shape) < whole.domain.event_dim:
            raise ValueError(
                f"base_distribution needs to have shape with size at least {whole.domain.event_dim}, but got {shape}."
            )
        made = whole.forward_shape(shape)
        start = whole.inverse_shape(made)
        if shape != tuple(start):
            base = base.expand(start[: len(start) - inner])
        if whole.domain.event_dim > inner:
            base = Independent(base, whole.domain.event_dim - inner)
        self.base_dist = base
        dims = whole.codomain.event_dim + max(inner - whole.domain.event_dim, 0)
        super().__init__(made[: len(made) - dims], made[len(made) - dims :], validate_args)

    def expand(self, batch_shape, _instance=None) -> Distribution:
        new = super().expand(batch_shape, _instance)
        event = len(new.base_dist.batch_shape) - len(self._batch_shape)
        new.base_dist = self.base_dist.expand(
            (*batch_shape, *self.base_dist.batch_shape[len(self._batch_shape) :]) if event else batch_shape
        )
        return new

    has_rsample = property(lambda self: self.base_dist.has_rsample)

    @constraints.dependent_property
    def support(self):
        if not self.transforms:
            return self.base_dist.support
        found, dims = self.transforms[-1].codomain, len(self._event_shape)
        return constraints.independent(found, dims - found.event_dim) if dims > found.event_dim else found

    def _through(self, x):
        for transform in self.transforms:
            x = transform(x)
        return x

    def sample(self, sample_shape=()) -> Tensor:
        with _modes.no_grad():
            return self._through(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape=()) -> Tensor:
        return self._through(self.base_dist.rsample(sample_shape))

    def _log_density(self, y):
        dims, found = len(self._event_shape), 0.0
        for transform in self.transforms[::-1]:
            x = transform.inv(y)
            dims += transform.domain.event_dim - transform.codomain.event_dim
            found = found - sum_rightmost(transform.log_abs_det_jacobian(x, y), dims - transform.domain.event_dim)
            y = x
        return found + sum_rightmost(self.base_dist.log_prob(y), dims - len(self.base_dist.event_shape))

    def _turned(self, value):
        """A probability to be at most something, where the transforms may turn it around."""
        sign = math.prod(t.sign for t in self.transforms)
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def _below(self, value):
        for transform in self.transforms[::-1]:
            value = transform.inv(value)
        return self._turned(self.base_dist.cdf(value))

    def icdf(self, value) -> Tensor:
        """The number below which the share `value` is."""
        return self._through(self.base_dist.icdf(self._turned(value)))


class _Made(OfElements):
    """A distribution that says, as `_base()`, of which one it is made, and by which transforms."""

    has_rsample = True
    made = property(lambda self: TransformedDistribution(*self._base(), validate_args=False))
    base_dist = property(lambda self: self.made.base_dist)
    transforms = property(lambda self: self.made.transforms)
    sample = lambda self, sample_shape=(): self.made.expand(self._batch_shape).sample(sample_shape)
    rsample = lambda self, sample_shape=(): self.made.expand(self._batch_shape).rsample(sample_shape)
    _log_density = lambda self, x: self.made.log_prob(x)
    _below = lambda self, x: self.made.cdf(x)
    icdf = lambda self, value: self.made.icdf(value)


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


class _Half(_Made):
    """The size of a number that is as often above 0 as below."""

    support = constraints.nonnegative
    mode = property(lambda self: zeros_like(self.scale))
    _base = lambda self: (self._whole(zeros_like(self.scale), self.scale), [AbsTransform()])
    _below = lambda self, x: 2 * self.base_dist.cdf(x) - 1
    icdf = lambda self, value: self.base_dist.icdf((value + 1) / 2)
    entropy = lambda self: self.base_dist.entropy() - math.log(2)
    _log_density = lambda self, x: FUNCTIONS["where"](x >= 0, self.base_dist.log_prob(x) + math.log(2), -math.inf)


class HalfNormal(_Half, takes="scale"):
    """The size of a normal number of mean 0.

    >>> HalfNormal(1.0).mean
    tensor(0.7979)
    """

    _whole = Normal
    mean = property(lambda self: self.scale * math.sqrt(2 / math.pi))
    variance = property(lambda self: self.scale.pow(2) * (1 - 2 / math.pi))
    __repr__ = lambda self: "HalfNormal()"


class HalfCauchy(_Half, takes="scale"):
    """The size of a Cauchy number around 0.

    >>> HalfCauchy(1.0).mean
    tensor(inf)
    """

    _whole = Cauchy
    mean = property(lambda self: FUNCTIONS["full_like"](self.scale, math.inf))
    variance = property(lambda self: self.base_dist.variance)
    __repr__ = lambda self: "HalfCauchy()"


class Weibull(_Made, takes="scale concentration"):
    """An exponential number, to the power 1 / `concentration`, times `scale`.

    >>> Weibull(2.0, 1.0).mean
    tensor(2.)
    """

    support = constraints.positive
    mean = property(lambda self: self.scale * (1 + self.concentration.reciprocal()).lgamma().exp())
    variance = property(lambda self: self.scale.pow(2) * ((1 + 2 / self.concentration).lgamma().exp()
                                                           - (2 * (1 + 1 / self.concentration).lgamma()).exp()))  # fmt: skip
    _base = lambda self: (Exponential(ones_like(self.scale)),
                          [PowerTransform(self.concentration.reciprocal()), AffineTransform(0, self.scale)])  # fmt: skip

    @property
    def mode(self) -> Tensor:
        a = self.concentration
        return self.scale * ((a - 1) / a) ** a.reciprocal()

    def entropy(self) -> Tensor:
        slow = self.concentration.reciprocal()
        return _EULER * (1 - slow) + (self.scale * slow).log() + 1


class Pareto(_Made, takes="scale alpha"):
    """Numbers from `scale` on: larger than x times that with the probability x^-`alpha`.

    >>> Pareto(1.0, 3.0).mean
    tensor(1.5000)
    """

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}
    support = constraints.dependent_property(lambda self: constraints.greater_than_eq(self.scale))
    mean = property(lambda self: self.alpha.clamp(min=1) * self.scale / (self.alpha.clamp(min=1) - 1))
    mode = property(lambda self: self.scale)
    _base = lambda self: (Exponential(self.alpha), [ExpTransform(), AffineTransform(0, self.scale)])
    entropy = lambda self: (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())

    @property
    def variance(self) -> Tensor:
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))


class MixtureSameFamily(Distribution):
    """One of the last batch dimension's components, drawn by a `Categorical` distribution.

    >>> import labkit.torch as torch
    >>> pick = torch.distributions.Categorical(torch.ones(2))
    >>> MixtureSameFamily(pick, Normal(torch.tensor([-1.0, 3.0]), 1.0)).mean
    tensor(1.)
    """

    arg_constraints: Any = {}

    def __init__(self, mixture_distribution, component_distribution, validate_args=None):
        pick, parts = mixture_distribution, component_distribution
        if not isinstance(parts, Distribution):
            raise ValueError("component_distribution need to be an instance of torch.distributions.Distribution")
        count, known = pick.logits.shape[-1], parts.batch_shape[-1]
        if known != count:
            raise ValueError(
                f"`mixture_distribution component` ({count}) does not equal `component_distribution.batch_shape[-1]` ({known})"
            )
        self.mixture_distribution, self.component_distribution = pick, parts
        self._event_ndims = len(parts.event_shape)
        super().__init__(parts.batch_shape[:-1], parts.event_shape, validate_args)

    support = constraints.dependent_property(lambda self: self.component_distribution.support)
    has_rsample = False

    def expand(self, batch_shape, _instance=None) -> Distribution:
        new = super().expand(batch_shape, _instance)
        new.component_distribution = self.component_distribution.expand(
            (*batch_shape, self.component_distribution.batch_shape[-1])
        )
        new.mixture_distribution = self.mixture_distribution.expand(batch_shape)
        return new

    def _weighed(self, values):
        """The mean over the components."""
        probs = self.mixture_distribution.probs
        return (probs.reshape(*probs.shape, *[1] * self._event_ndims) * values).sum(-1 - self._event_ndims)

    def _pad(self, x):
        return x.unsqueeze(-1 - self._event_ndims)

    mean = property(lambda self: self._weighed(self.component_distribution.mean))
    _below = lambda self, x: (self.component_distribution.cdf(self._pad(x)) * self.mixture_distribution.probs).sum(-1)

    @property
    def variance(self) -> Tensor:
        apart = self.component_distribution.mean - self._pad(self.mean)
        return self._weighed(self.component_distribution.variance) + self._weighed(apart.pow(2.0))

    def _log_density(self, x):
        return (
            self.component_distribution.log_prob(self._pad(x)) + self.mixture_distribution.logits.log_softmax(-1)
        ).logsumexp(-1)

    def sample(self, sample_shape=()) -> Tensor:
        with _modes.no_grad():
            picked = self.mixture_distribution.sample(sample_shape)
            drawn, dim = self.component_distribution.sample(sample_shape), len(sample_shape) + len(self._batch_shape)
            picked = picked.expand(drawn.shape[:dim])
            index = np.broadcast_to(picked.numpy().reshape(*picked.shape, *[1] * (self._event_ndims + 1)),
                                    (*picked.shape, 1, *self._event_shape))  # fmt: skip
            return drawn.gather(dim, FUNCTIONS["tensor"](index.copy())).squeeze(dim)

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
