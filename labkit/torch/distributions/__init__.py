"""`torch.distributions`: samples that gradients flow through, densities, and how far two distributions are apart."""

from ...aliases import attributes
from . import constraints, kl
from .continuous import Cauchy, Exponential, Gumbel, HalfNormal, Laplace, LogNormal, Normal, Uniform
from .counts import Geometric, Poisson
from .discrete import Bernoulli, Categorical, OneHotCategorical, OneHotCategoricalStraightThrough
from .distribution import Distribution
from .gammas import Beta, Chi2, Dirichlet, Gamma, StudentT
from .joint import Independent, MixtureSameFamily, MultivariateNormal
from .kl import kl_divergence, register_kl

__all__ = [
    "Bernoulli", "Beta", "Categorical", "Cauchy", "Chi2", "Dirichlet", "Distribution", "Exponential", "Gamma",
    "Geometric", "Gumbel", "HalfNormal", "Independent", "Laplace", "LogNormal", "MixtureSameFamily", "MultivariateNormal",
    "Normal", "OneHotCategorical", "OneHotCategoricalStraightThrough", "Poisson", "StudentT", "Uniform", "constraints",
    "kl", "kl_divergence", "register_kl",
]  # fmt: skip

__getattr__ = attributes(__name__)
