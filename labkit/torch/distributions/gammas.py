"""The gamma distribution and what is made of it: beta, Dirichlet, chi-squared and Student's t."""

import math

from .._dtype import finfo
from .._gamma import dirichlet, standard_gamma
from .._joining import stack
from .._table import FUNCTIONS
from .._tensor import Tensor
from ..nn.functional import one_hot
from . import constraints
from .distribution import Distribution, ExponentialFamily, OfElements
from .utils import broadcast_all

__all__ = ["Beta", "Chi2", "Dirichlet", "Gamma", "StudentT"]


def above_zero(x) -> Tensor:
    """`x` with what was rounded to 0 raised to the smallest number of its dtype, beside the tape."""
    x.detach().clamp_(min=finfo(x.dtype).tiny)
    return x


class Gamma(OfElements, ExponentialFamily, takes="concentration rate"):
    """The density rate^a x^(a - 1) exp(-rate x) / gamma(a), with a = `concentration`.

    >>> Gamma(2.0, 4.0).mean
    tensor(0.5000)
    """

    support = constraints.nonnegative
    mean = property(lambda self: self.concentration / self.rate)
    mode = property(lambda self: ((self.concentration - 1) / self.rate).clamp(min=0))
    variance = property(lambda self: self.concentration / self.rate.pow(2))
    _noise = lambda self, like: standard_gamma(self.concentration.expand(like.shape))
    _of_noise = lambda self, x: above_zero(x / self.rate.expand(x.shape))

    def _log_density(self, x):
        a = self.concentration
        return FUNCTIONS["xlogy"](a, self.rate) + FUNCTIONS["xlogy"](a - 1, x) - self.rate * x - a.lgamma()

    def entropy(self) -> Tensor:
        a = self.concentration
        return a - self.rate.log() + a.lgamma() + (1.0 - a) * a.digamma()


class Chi2(Gamma):
    """The sum of the squares of `df` standard normal numbers.

    >>> Chi2(3.0).variance
    tensor(6.)
    """

    arg_constraints = {"df": constraints.positive}
    df = property(lambda self: self.concentration * 2)

    def __init__(self, df, validate_args=None):
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)


class Dirichlet(ExponentialFamily):
    """Shares that add up to 1, of `concentration` (..., K).

    >>> import labkit.torch as torch
    >>> Dirichlet(torch.tensor([1.0, 3.0])).mean
    tensor([0.2500, 0.7500])
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support, has_rsample = constraints.simplex, True

    def __init__(self, concentration, validate_args=None):
        if concentration.ndim < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args)

    total = property(lambda self: self.concentration.sum(-1))
    mean = property(lambda self: self.concentration / self.total.unsqueeze(-1))
    _noise = lambda self, like: dirichlet(self.concentration.expand(like.shape))
    _of_noise = lambda self, x: x

    @property
    def variance(self) -> Tensor:
        whole = self.total.unsqueeze(-1)
        return self.concentration * (whole - self.concentration) / (whole.pow(2) * (whole + 1))

    @property
    def mode(self) -> Tensor:
        above = (self.concentration - 1).clamp(min=0.0)
        found, flat = above / above.sum(-1, True), (self.concentration < 1).all(-1)
        found[flat] = one_hot(found[flat].argmax(-1), found.shape[-1]).to(found)
        return found

    def _log_density(self, x):
        a = self.concentration
        return FUNCTIONS["xlogy"](a - 1.0, x).sum(-1) + a.sum(-1).lgamma() - a.lgamma().sum(-1)

    def entropy(self) -> Tensor:
        a, k = self.concentration, self.concentration.shape[-1]
        spread = a.lgamma().sum(-1) - self.total.lgamma() - (k - self.total) * self.total.digamma()
        return spread - ((a - 1.0) * a.digamma()).sum(-1)


class Beta(ExponentialFamily):
    """The density x^(a - 1) (1 - x)^(b - 1) / B(a, b) on [0, 1], with a = `concentration1` and b = `concentration0`.

    >>> Beta(1.0, 3.0).mean
    tensor(0.2500)
    """

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support, has_rsample = constraints.unit_interval, True

    def __init__(self, concentration1, concentration0, validate_args=None):
        self._dirichlet = Dirichlet(stack(broadcast_all(concentration1, concentration0), -1), validate_args)
        super().__init__(self._dirichlet.batch_shape, (), validate_args)

    def expand(self, batch_shape, _instance=None) -> Distribution:
        new = super().expand(batch_shape, _instance)
        new._dirichlet = self._dirichlet.expand(batch_shape)
        return new

    concentration1 = property(lambda self: self._dirichlet.concentration[..., 0])
    concentration0 = property(lambda self: self._dirichlet.concentration[..., 1])
    mean = property(lambda self: self.concentration1 / (self.concentration1 + self.concentration0))
    mode = property(lambda self: self._dirichlet.mode[..., 0])
    rsample = lambda self, sample_shape=(): self._dirichlet.rsample(sample_shape).select(-1, 0)
    entropy = lambda self: self._dirichlet.entropy()
    _log_density = lambda self, x: self._dirichlet.log_prob(stack([x, 1.0 - x], -1))

    @property
    def variance(self) -> Tensor:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))


class StudentT(OfElements, takes="df loc=0.0 scale=1.0"):
    """A normal number over the root of a mean of `df` squared ones: the fewer, the wider the tails.

    >>> StudentT(3.0).variance
    tensor(3.)
    """

    support = constraints.real
    mean = property(lambda self: self.loc.masked_fill(self.df <= 1, math.nan))
    mode = property(lambda self: self.loc)
    _noise = lambda self, eps: (
        eps.normal_() * (Chi2(self.df).rsample(eps.shape[: eps.ndim - self.df.ndim]) / self.df).rsqrt()
    )
    _of_noise = lambda self, y: self.loc + self.scale * y

    @property
    def variance(self) -> Tensor:
        found = self.scale.pow(2) * self.df / (self.df - 2)
        return found.masked_fill(self.df <= 2, math.inf).masked_fill(self.df <= 1, math.nan)

    def _log_density(self, x):
        y, df = (x - self.loc) / self.scale, self.df
        constant = self.scale.log() + 0.5 * df.log() + 0.5 * math.log(math.pi) + (0.5 * df).lgamma()
        return -0.5 * (df + 1.0) * (y**2.0 / df).log1p() - constant + (0.5 * (df + 1.0)).lgamma()
