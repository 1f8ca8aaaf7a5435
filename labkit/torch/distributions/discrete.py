"""Distributions of two numbers and of choices."""

import math

from .. import _modes
from .._choosing import multinomial
from .._creation import arange, eye, full
from .._dtype import finfo
from .._random import bernoulli
from .._shaping import broadcast_tensors
from .._size import Size
from .._tensor import Tensor
from ..nn.functional import binary_cross_entropy_with_logits, one_hot
from . import constraints
from .distribution import Distribution, ExponentialFamily, OfElements, given_one
from .utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits

__all__ = ["Bernoulli", "Categorical", "OneHotCategorical", "OneHotCategoricalStraightThrough"]


class Bernoulli(OfElements, ExponentialFamily, takes="probs logits"):
    """1 with probability `probs` (or sigmoid(`logits`)), else 0, as floats.

    Raises ValueError unless one of the two is given, and for a value that is neither.

    >>> import labkit.torch as torch
    >>> logit = torch.tensor(0.0, requires_grad=True)
    >>> Bernoulli(logits=logit).log_prob(torch.tensor(1.0)).backward()
    >>> logit.grad
    tensor(0.5000)
    """

    support, has_enumerate_support = constraints.boolean, True
    logits = lazy_property(lambda self: probs_to_logits(self.probs, True))
    probs = lazy_property(lambda self: logits_to_probs(self.logits, True))
    param_shape = OfElements.batch_shape
    mean = property(lambda self: self.probs)
    mode = property(lambda self: (self.probs >= 0.5).to(self.probs).masked_fill(self.probs == 0.5, math.nan))
    variance = property(lambda self: self.probs * (1 - self.probs))
    entropy = lambda self: binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")
    _values = lambda self: arange(2, dtype=self.probs.dtype)

    def sample(self, sample_shape=()) -> Tensor:
        with _modes.no_grad():
            return bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def _log_density(self, x):
        return -binary_cross_entropy_with_logits(*broadcast_all(self.logits, x), reduction="none")


class Categorical(Distribution):
    """One of the classes 0 to K - 1, by `probs` of shape (..., K), which are scaled to add up to 1, or by `logits`.

    Samples are int64. Raises ValueError unless one of the two is given.

    >>> import labkit.torch as torch
    >>> logits = torch.zeros(4, requires_grad=True)
    >>> action = Categorical(logits=logits)
    >>> (-action.log_prob(torch.tensor(2))).backward()
    >>> logits.grad
    tensor([ 0.2500,  0.2500, -0.7500,  0.2500])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True

    def __init__(self, probs=None, logits=None, validate_args=None):
        ((name, value),) = given_one(probs, logits).items()
        if value.ndim < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        scaled = value / value.sum(-1, True) if name == "probs" else value - value.logsumexp(-1, True)
        self.__dict__[name], self._num_events = scaled, scaled.shape[-1]
        super().__init__(scaled.shape[:-1], (), validate_args)

    logits = lazy_property(lambda self: probs_to_logits(self.probs))
    probs = lazy_property(lambda self: logits_to_probs(self.logits))
    support = constraints.dependent_property(lambda self: constraints.integer_interval(0, self._num_events - 1))
    param_shape = property(lambda self: Size((*self._batch_shape, self._num_events)))
    mean = variance = property(lambda self: full(self._batch_shape, math.nan, dtype=self.probs.dtype))
    mode = property(lambda self: self.probs.argmax(-1))
    entropy = lambda self: -(self.logits.clamp(min=finfo(self.logits.dtype).min) * self.probs).sum(-1)
    _values = lambda self: arange(self._num_events)

    def sample(self, sample_shape=()) -> Tensor:
        rows = self.probs.reshape(-1, self._num_events)
        return multinomial(rows, Size(sample_shape).numel(), True).T.reshape(self._extended_shape(sample_shape))

    def _log_density(self, x):
        x, logits = broadcast_tensors(x.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, x[..., :1]).squeeze(-1)


class OneHotCategorical(Distribution):
    """`Categorical` with rows that have a single 1, as floats.

    >>> import labkit.torch as torch
    >>> OneHotCategorical(torch.tensor([1.0, 3.0])).mode
    tensor([0., 1.])
    """

    arg_constraints, support = Categorical.arg_constraints, constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args)

    def expand(self, batch_shape, _instance=None) -> Distribution:
        new = super().expand(batch_shape, _instance)
        new._categorical = self._categorical.expand(batch_shape)
        return new

    probs = mean = property(lambda self: self._categorical.probs)
    logits = property(lambda self: self._categorical.logits)
    param_shape = property(lambda self: self._categorical.param_shape)
    mode = property(lambda self: self._rows(self._categorical.mode))
    variance = property(lambda self: self.probs * (1 - self.probs))
    sample = lambda self, sample_shape=(): self._rows(self._categorical.sample(sample_shape))
    entropy = lambda self: self._categorical.entropy()
    _log_density = lambda self, x: self._categorical.log_prob(x.max(-1)[1])
    _values = lambda self: eye(self._event_shape[0], dtype=self.probs.dtype)
    _rows = lambda self, classes: one_hot(classes, self._event_shape[0]).to(self.probs)


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """`OneHotCategorical` whose `rsample` passes gradients on as if the sample were the probabilities.

    >>> import labkit.torch as torch
    >>> logits = torch.zeros(2, requires_grad=True)
    >>> OneHotCategoricalStraightThrough(logits=logits).rsample()[0].backward()
    >>> logits.grad.abs()
    tensor([0.2500, 0.2500])
    """

    has_rsample = True
    rsample = lambda self, sample_shape=(): self.sample(sample_shape) + (self.probs - self.probs.detach())
