"""How often something happens in several trials, or before enough failures."""

from typing import Any

from .. import _modes
from .._binomial import binomial
from .._creation import arange
from .._gamma import poisson
from .._size import Size
from .._table import FUNCTIONS
from .._tensor import Tensor
from ..nn.functional import logsigmoid
from . import constraints
from .discrete import Bernoulli, Categorical
from .distribution import Distribution, given_one
from .gammas import Gamma
from .utils import broadcast_all

__all__ = ["Binomial", "Multinomial", "NegativeBinomial"]


class _OfTrials(Distribution):
    """A distribution of `total_count`, and of one of `probs` and `logits`."""

    logits, probs = Bernoulli.logits, Bernoulli.probs

    def __init__(self, total_count, probs, logits, validate_args):
        ((name, value),) = given_one(probs, logits).items()
        count, value = broadcast_all(total_count, value)
        self.__dict__.update({"total_count": count.type_as(value), name: value})
        super().__init__(value.shape, validate_args=validate_args)

    param_shape = Distribution.batch_shape


class Binomial(_OfTrials):
    """How many of `total_count` trials succeed, each with probability `probs` (or sigmoid(`logits`)), as floats.

    >>> import labkit.torch as torch
    >>> Binomial(2, torch.tensor(0.5)).log_prob(torch.tensor(1.0))
    tensor(-0.6931)
    """

    arg_constraints = {"total_count": constraints.nonnegative_integer, **Bernoulli.arg_constraints}
    has_enumerate_support = True

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        super().__init__(total_count, probs, logits, validate_args)

    support = constraints.dependent_property(
        lambda self: constraints.integer_interval(0, self.total_count), is_discrete=True
    )
    mean = property(lambda self: self.total_count * self.probs)
    mode = property(lambda self: ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count))
    variance = property(lambda self: self.total_count * self.probs * (1 - self.probs))

    def sample(self, sample_shape=()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with _modes.no_grad():
            return binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def _log_density(self, x):
        n, logits = self.total_count, self.logits
        above_zero = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2
        scale = n * above_zero + n * (-logits.abs()).exp().log1p() - (n + 1).lgamma()
        return x * logits - (x + 1).lgamma() - (n - x + 1).lgamma() - scale

    def _values(self):
        count = int(self.total_count.max())
        if self.total_count.min() != count:
            raise NotImplementedError("Inhomogeneous total count not supported by `enumerate_support`.")
        return arange(1 + count, dtype=self.total_count.dtype)

    def entropy(self) -> Tensor:
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(log_prob.exp() * log_prob).sum(0)


class NegativeBinomial(_OfTrials):
    """How many successes of probability `probs` come before `total_count` failures, as floats.

    >>> import labkit.torch as torch
    >>> NegativeBinomial(3.0, torch.tensor(0.5)).mean
    tensor(3.)
    """

    arg_constraints = {"total_count": constraints.greater_than_eq(0), "probs": constraints.half_open_interval(0.0, 1.0),
                       "logits": constraints.real}  # fmt: skip
    support = constraints.nonnegative_integer

    def __init__(self, total_count, probs=None, logits=None, validate_args=None):
        super().__init__(total_count, probs, logits, validate_args)

    mean = property(lambda self: self.total_count * self.logits.exp())
    mode = property(lambda self: ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0))
    variance = property(lambda self: self.mean / (-self.logits).sigmoid())
    _gamma = property(lambda self: Gamma(self.total_count, (-self.logits).exp(), validate_args=False))

    def sample(self, sample_shape=()) -> Tensor:
        with _modes.no_grad():
            return poisson(self._gamma.sample(sample_shape))

    def _log_density(self, x):
        n = self.total_count
        scale = -(n + x).lgamma() + (1.0 + x).lgamma() + n.lgamma()
        return n * logsigmoid(-self.logits) + x * logsigmoid(self.logits) - scale.masked_fill(n + x == 0.0, 0.0)


class Multinomial(Distribution):
    """How many of `total_count` trials fall into each class, as floats; `probs` or `logits` as those of `Categorical`.

    >>> import labkit.torch as torch
    >>> Multinomial(4, torch.tensor([1.0, 3.0])).mean
    tensor([1., 3.])
    """

    arg_constraints = Categorical.arg_constraints

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count, self._categorical = total_count, Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args)

    def expand(self, batch_shape, _instance=None) -> Distribution:
        new = super().expand(batch_shape, _instance)
        new._categorical = self._categorical.expand(batch_shape)
        return new

    support = constraints.dependent_property(
        lambda self: constraints.multinomial(self.total_count), is_discrete=True, event_dim=1
    )
    probs = property(lambda self: self._categorical.probs)
    logits = property(lambda self: self._categorical.logits)
    param_shape = property(lambda self: self._categorical.param_shape)
    mean = property(lambda self: self.probs * self.total_count)
    variance = property(lambda self: self.total_count * self.probs * (1 - self.probs))

    def sample(self, sample_shape=()) -> Tensor:
        drawn = self._categorical.sample(Size((self.total_count, *sample_shape))).movedim(0, -1)
        counts = FUNCTIONS["zeros"](self._extended_shape(sample_shape), dtype=drawn.dtype)
        return counts.scatter_add(-1, drawn, FUNCTIONS["ones_like"](drawn)).type_as(self.probs)

    def _log_density(self, x):
        logits, x = broadcast_all(self.logits, x)
        powers = logits.masked_fill((x == 0) & (logits == -float("inf")), 0) * x
        return (x.sum(-1) + 1).lgamma() - (x + 1).lgamma().sum(-1) + powers.sum(-1)

    def entropy(self) -> Tensor:
        each = Binomial(self.total_count, self.probs)
        counts: Any = each.enumerate_support(False)
        counts = counts[1:]
        fixed = self.total_count * self._categorical.entropy() - FUNCTIONS["lgamma"](
            FUNCTIONS["tensor"](self.total_count + 1.0)
        )
        return fixed + (each.log_prob(counts).exp() * (counts + 1).lgamma()).sum((0, -1))
