"""Distributions of counts."""

from .. import _modes
from .._dtype import finfo
from .._gamma import poisson
from .._table import FUNCTIONS
from .._tensor import Tensor
from ..nn.functional import binary_cross_entropy_with_logits
from . import constraints
from .discrete import Bernoulli
from .distribution import ExponentialFamily, OfElements
from .utils import broadcast_all

__all__ = ["Geometric", "Poisson"]


class Poisson(OfElements, ExponentialFamily, takes="rate"):
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
