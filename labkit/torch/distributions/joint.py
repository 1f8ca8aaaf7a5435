"""Distributions of vectors, and those that are made of others."""

import math
from typing import Any

import numpy as np

from .. import _modes
from .._linear import matmul
from .._table import FUNCTIONS
from .._tensor import Tensor
from ..linalg import cholesky, solve_triangular
from . import constraints
from .distribution import Distribution
from .utils import lazy_property, sum_rightmost

__all__ = ["Independent", "MixtureSameFamily", "MultivariateNormal"]


class Independent(Distribution):
    """A distribution whose last `reinterpreted_batch_ndims` batch dimensions are those of one event: `log_prob` is their sum.

    Raises ValueError where it has not so many.

    >>> import labkit.torch as torch
    >>> Independent(torch.distributions.Normal(torch.zeros(2, 3), 1.0), 1).log_prob(torch.zeros(2, 3))
    tensor([-2.7568, -2.7568])
    """

    arg_constraints: Any = {}

    def __init__(self, base_distribution, reinterpreted_batch_ndims, validate_args=None):
        shape, dims = base_distribution.batch_shape, reinterpreted_batch_ndims
        if dims > len(shape):
            raise ValueError("Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                             f"actual {dims} vs {len(shape)}")  # fmt: skip
        self.base_dist, self.reinterpreted_batch_ndims, cut = base_distribution, dims, len(shape) - dims
        super().__init__(shape[:cut], shape[cut:] + base_distribution.event_shape, validate_args)

    def expand(self, batch_shape, _instance=None) -> Distribution:
        new = super().expand(batch_shape, _instance)
        new.base_dist = self.base_dist.expand(new._batch_shape + self._event_shape[: self.reinterpreted_batch_ndims])
        return new

    has_rsample = property(lambda self: self.base_dist.has_rsample)
    mean = property(lambda self: self.base_dist.mean)
    mode = property(lambda self: self.base_dist.mode)
    variance = property(lambda self: self.base_dist.variance)
    support = constraints.dependent_property(
        lambda self: constraints.independent(self.base_dist.support, self.reinterpreted_batch_ndims)
    )
    sample = lambda self, sample_shape=(): self.base_dist.sample(sample_shape)
    rsample = lambda self, sample_shape=(): self.base_dist.rsample(sample_shape)
    log_prob = lambda self, value: sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)
    entropy = lambda self: sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)
    __repr__ = lambda self: f"Independent({self.base_dist}, {self.reinterpreted_batch_ndims})"


def mahalanobis(root, x) -> Tensor:
    """The squared lengths of vectors (..., n) in the units of `root` (..., n, n), the root of a covariance."""
    return solve_triangular(root, x.unsqueeze(-1), upper=False).squeeze(-1).pow(2).sum(-1)


_batch_mahalanobis = mahalanobis


def _batch_mv(bmat, bvec) -> Tensor:
    """Matrices (..., n, n) times vectors (..., n)."""
    return matmul(bmat, bvec.unsqueeze(-1)).squeeze(-1)


def _precision_to_scale_tril(P) -> Tensor:
    """The root of the inverses of matrices."""
    flipped = cholesky(P.flip((-2, -1))).flip((-2, -1)).mT
    return solve_triangular(flipped, FUNCTIONS["eye"](P.shape[-1], dtype=P.dtype), upper=False)


def log_size(root) -> Tensor:
    """The logarithms of the determinants of roots."""
    return root.diagonal(0, -2, -1).log().sum(-1)


class MultivariateNormal(Distribution):
    """The normal distribution of vectors around `loc` (..., n), by one of three matrices (..., n, n).

    `scale_tril`, lower triangular, is the root of `covariance_matrix`; `precision_matrix` is the inverse of this. `rsample` is
    loc + scale_tril @ eps. Raises ValueError for none of them or several.

    >>> import labkit.torch as torch
    >>> MultivariateNormal(torch.zeros(2), torch.eye(2) * 4).log_prob(torch.tensor([2.0, 0.0]))
    tensor(-3.7242)
    """

    arg_constraints = {"loc": constraints.real_vector, "covariance_matrix": constraints.positive_definite,
                       "precision_matrix": constraints.positive_definite, "scale_tril": constraints.lower_cholesky}  # fmt: skip
    support, has_rsample = constraints.real_vector, True

    def __init__(self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        if loc.ndim < 1:
            raise ValueError("loc must be at least one-dimensional.")
        given = {"covariance_matrix": covariance_matrix, "scale_tril": scale_tril, "precision_matrix": precision_matrix}
        found = [(name, matrix) for name, matrix in given.items() if matrix is not None]
        if len(found) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = found
        shape = np.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        self.__dict__[name], self.loc = matrix.expand(*shape, -1, -1), loc.expand(*shape, -1)
        super().__init__(shape, loc.shape[-1:], validate_args)

    scale_tril = lazy_property(lambda self: self.root)
    covariance_matrix = lazy_property(lambda self: matmul(self.root, self.root.mT))
    precision_matrix = lazy_property(lambda self: self.covariance_matrix.inverse())

    @lazy_property
    def root(self) -> Tensor:
        """`scale_tril`, whichever matrix was given."""
        if "scale_tril" in vars(self):
            return self.scale_tril
        return cholesky(self.precision_matrix.inverse() if "precision_matrix" in vars(self) else self.covariance_matrix)

    mean = mode = property(lambda self: self.loc)
    variance = property(lambda self: self.root.pow(2).sum(-1))
    _noise = lambda self, eps: eps.normal_()
    _of_noise = lambda self, eps: self.loc + _batch_mv(self.root, eps)

    def _log_density(self, x):
        length = self._event_shape[0] * math.log(2 * math.pi) + mahalanobis(self.root, x - self.loc)
        return -0.5 * length - log_size(self.root)

    def entropy(self) -> Tensor:
        return 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + log_size(self.root)


class MixtureSameFamily(Distribution):
    """One of the last batch dimension's components, drawn by a `Categorical` distribution.

    >>> import labkit.torch as torch
    >>> pick = torch.distributions.Categorical(torch.ones(2))
    >>> MixtureSameFamily(pick, torch.distributions.Normal(torch.tensor([-1.0, 3.0]), 1.0)).mean
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
