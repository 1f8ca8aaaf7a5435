"""Distributions of counts."""

from .. import _modes
from .._creation import arange
from .._dtype import finfo
from .._gamma import binomial, poisson
from .._table import FUNCTIONS
from .._tensor import Tensor
from ..nn.functional import binary_cross_entropy_with_logits, logsigmoid
from . import constraints
from .discrete import Bernoulli
from .distribution import OfElements, given_one
from .gammas import Gamma
from .utils import broadcast_all

__all__ = ["Binomial", "Geometric", "NegativeBinomial", "Poisson"]


class Poisson(OfElements, takes="rate"):
    """How often what happens `rate` times on average happens.

    >>> Poisson(4.0).variance
    tensor(4.)
    """

    arg_constraints, support = {"rate": constraints.nonnegative}, constraints.nonnegative_integer
    mean = variance = property(lambda self: self.rate)
    mode = property(lambda self: self.rate.floor())
    _log_density = lambda self, x: FUNCTIONS["xlogy"](x, self.rate) - self.rate - (x + 1).lgamma()

    def sample(self, sample_shape=()) -> Tensor:
        with _modes.no_grad():
            return poisson(self.rate.expand(self._extended_shape(sample_shape)))


class Geometric(OfElements, takes="probs logits"):
    """The failures before the first success of probability `probs`.

    >>> Geometric(0.25).mean
    tensor(3.)
    """

    support = constraints.nonnegative_integer
    logits, probs = Bernoulli.logits, Bernoulli.probs
    mean = property(lambda self: 1.0 / self.probs - 1.0)
    mode = property(lambda self: FUNCTIONS["zeros_like"](self.probs))
    variance = property(lambda self: (1.0 / self.probs - 1.0) / self.probs)
    entropy = lambda self: binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs

    def sample(self, sample_shape=()) -> Tensor:
        with _modes.no_grad():
            u = self.probs.new_empty(self._extended_shape(sample_shape)).uniform_(finfo(self.probs.dtype).tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def _log_density(self, x):
        x, probs = broadcast_all(x, self.probs)
        return x * (-probs.masked_fill((probs == 1) & (x == 0), 0)).log1p() + self.probs.log()


class _Trials(OfElements):
    """Distributions of `total_count` and of `probs` or `logits`."""

    logits, probs = Bernoulli.logits, Bernoulli.probs

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        ((name, value),) = given_one(probs, logits).items()
        count, value = broadcast_all(total_count, value)
        self.__dict__.update({"total_count": count.type_as(value), name: value})
        super(OfElements, self).__init__(value.shape, (), validate_args)


class Binomial(_Trials):
    """How many of `total_count` trials of probability `probs` (or sigmoid(`logits`)) succeed.

    >>> Binomial(10, Bernoulli(0.5).probs).variance
    tensor(2.5000)
    """

    arg_constraints = {"total_count": constraints.nonnegative_integer, **Bernoulli.arg_constraints}
    support = constraints.dependent_property(lambda self: constraints.integer_interval(0, self.total_count))
    has_enumerate_support = True
    mean = property(lambda self: self.total_count * self.probs)
    mode = property(lambda self: ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count))
    variance = property(lambda self: self.total_count * self.probs * (1 - self.probs))
    _values = lambda self: arange(1 + int(self.total_count.max()), dtype=self.probs.dtype)

    def sample(self, sample_shape=()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with _modes.no_grad():
            return binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def _log_density(self, x):
        n, logits = self.total_count, self.logits
        ways = (n + 1).lgamma() - (x + 1).lgamma() - (n - x + 1).lgamma()
        above = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2  # its slope at 0 is 1 / 2
        return ways + x * logits - n * above - n * (-logits.abs()).exp().log1p()

    def entropy(self) -> Tensor:
        found = self.log_prob(self.enumerate_support(False))
        return -(found.exp() * found).sum(0)


class NegativeBinomial(_Trials):
    """The successes, of probability `probs` (or sigmoid(`logits`)), before `total_count` failures.

    >>> NegativeBinomial(3, Bernoulli(0.5).probs).mean
    tensor(3.)
    """

    arg_constraints = {"total_count": constraints.greater_than_eq(0), "probs": constraints.half_open_interval(0.0, 1.0),
                       "logits": constraints.real}  # fmt: skip
    support = constraints.nonnegative_integer
    mean = property(lambda self: self.total_count * self.logits.exp())
    mode = property(lambda self: ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0))
    variance = property(lambda self: self.mean / (-self.logits).sigmoid())

    def sample(self, sample_shape=()) -> Tensor:
        with _modes.no_grad():
            return poisson(Gamma(self.total_count, (-self.logits).exp(), validate_args=False).sample(sample_shape))

    def _log_density(self, x):
        n = self.total_count
        chance = n * logsigmoid(-self.logits) + x * logsigmoid(self.logits)
        return chance + ((n + x).lgamma() - (1.0 + x).lgamma() - n.lgamma()).masked_fill(n + x == 0.0, 0.0)
