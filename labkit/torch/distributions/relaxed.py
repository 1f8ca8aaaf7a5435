"""Choices that gradients flow through: at a temperature above 0 a sample lies between the choices (C. Maddison et al., 2017)."""

from typing import Any

from .._creation import full
from .._random import rand
from .._tensor import Tensor
from . import constraints
from .discrete import Bernoulli, Categorical
from .distribution import Distribution, OfElements, given_one
from .transformed import TransformedDistribution
from .transforms import ExpTransform, SigmoidTransform
from .utils import broadcast_all, clamp_probs

__all__ = ["ExpRelaxedCategorical", "LogitRelaxedBernoulli", "RelaxedBernoulli", "RelaxedOneHotCategorical"]


class _AtTemperature(TransformedDistribution):
    """What is made of a relaxed choice, whose parameters it has."""

    temperature = property(lambda self: self.base_dist.temperature)
    probs = property(lambda self: self.base_dist.probs)
    logits = property(lambda self: self.base_dist.logits)
    __repr__ = lambda self: f"{type(self).__name__}()"


class LogitRelaxedBernoulli(OfElements, takes="probs logits"):
    """The log-odds of a number between 0 and 1, at a `temperature`, a tensor: the lower, the nearer to one of them.

    >>> import labkit.torch as torch
    >>> LogitRelaxedBernoulli(torch.tensor(1.0), 0.5).log_prob(torch.tensor(0.0))
    tensor(-1.3863)
    """

    support = constraints.real
    logits, probs = Bernoulli.logits, Bernoulli.probs
    param_shape = OfElements.batch_shape

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self.temperature = temperature
        super().__init__(probs, logits, validate_args)

    def expand(self, batch_shape, _instance=None) -> Distribution:
        new = super().expand(batch_shape, _instance)
        new.temperature = self.temperature
        return new

    _noise = lambda self, like: clamp_probs(rand(like.shape, dtype=like.dtype))

    def _of_noise(self, u):
        probs: Any = clamp_probs(self.probs.expand(u.shape))
        return (u.log() - (-u).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def _log_density(self, x):
        logits, x = broadcast_all(self.logits, x)
        apart = logits - x.mul(self.temperature)
        return self.temperature.log() + apart - 2 * apart.exp().log1p()


class RelaxedBernoulli(_AtTemperature):
    """A number between 0 and 1, at a `temperature`, a tensor: the lower, the nearer to one of them.

    >>> import labkit.torch as torch
    >>> logit = torch.tensor(0.0, requires_grad=True)
    >>> RelaxedBernoulli(torch.tensor(1.0), logits=logit).rsample().backward()
    >>> bool(0 < logit.grad <= 0.25)
    True
    """

    arg_constraints, support = Bernoulli.arg_constraints, constraints.unit_interval

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        super().__init__(LogitRelaxedBernoulli(temperature, probs, logits), SigmoidTransform(), validate_args)


class ExpRelaxedCategorical(Distribution):
    """The logarithms of shares that add up to 1, at a `temperature`, a tensor: the lower, the nearer to one class.

    >>> import labkit.torch as torch
    >>> ExpRelaxedCategorical(torch.tensor(1.0), torch.ones(2)).rsample().exp().sum().round()
    tensor(1.)
    """

    arg_constraints, support, has_rsample = Categorical.arg_constraints, constraints.real_vector, True

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        given_one(probs, logits)
        self._categorical, self.temperature = Categorical(probs, logits), temperature
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args)

    def expand(self, batch_shape, _instance=None) -> Distribution:
        new = super().expand(batch_shape, _instance)
        new.temperature, new._categorical = self.temperature, self._categorical.expand(batch_shape)
        return new

    probs = property(lambda self: self._categorical.probs)
    logits = property(lambda self: self._categorical.logits)
    param_shape = property(lambda self: self._categorical.param_shape)

    def rsample(self, sample_shape=()) -> Tensor:
        u = clamp_probs(rand(self._extended_shape(sample_shape), dtype=self.logits.dtype))
        scores = (self.logits + -((-(u.log())).log())) / self.temperature
        return scores - scores.logsumexp(-1, True)

    def _log_density(self, x):
        count, (logits, x) = self._event_shape[0], broadcast_all(self.logits, x)
        scale = full((), float(count), dtype=logits.dtype).lgamma() - self.temperature.log().mul(-(count - 1))
        score = logits - x.mul(self.temperature)
        return (score - score.logsumexp(-1, True)).sum(-1) + scale


class RelaxedOneHotCategorical(_AtTemperature):
    """Shares that add up to 1, at a `temperature`, a tensor: the lower, the nearer to a single 1 (the Gumbel softmax).

    >>> import labkit.torch as torch
    >>> RelaxedOneHotCategorical(torch.tensor(0.5), torch.ones(3)).rsample().sum().round()
    tensor(1.)
    """

    arg_constraints, support = Categorical.arg_constraints, constraints.simplex

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args)
        super().__init__(base, ExpTransform(), validate_args)
