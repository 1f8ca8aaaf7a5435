"""`torch.distributions`: samples that gradients flow through, densities, and how far two distributions are apart."""

from ...aliases import attributes
from . import constraints, kl, transforms
from .continuous import Exponential, Gumbel, Laplace, LogNormal, Normal, Uniform
from .counts import Binomial, Geometric, NegativeBinomial, Poisson
from .discrete import Bernoulli, Categorical, OneHotCategorical, OneHotCategoricalStraightThrough
from .distribution import Distribution
from .gammas import Beta, Chi2, Dirichlet, Gamma, StudentT
from .joint import Independent, MultivariateNormal
from .kl import kl_divergence, register_kl
from .made import (
    Cauchy,
    HalfCauchy,
    HalfNormal,
    MixtureSameFamily,
    Pareto,
    TransformedDistribution,
    Weibull,
)  # fmt: skip
from .transforms import *
from .transforms import biject_to, transform_to

__all__ = [
    *transforms.__all__, "Beta", "Binomial", "Cauchy", "Chi2", "Dirichlet", "Gamma", "Geometric", "HalfCauchy",
    "HalfNormal", "MixtureSameFamily", "NegativeBinomial", "Pareto", "Poisson", "StudentT",
    "TransformedDistribution", "Weibull", "biject_to", "transform_to",
    "Bernoulli", "Categorical", "Distribution", "Exponential", "Gumbel", "Independent", "Laplace", "LogNormal",
    "MultivariateNormal", "Normal", "OneHotCategorical", "OneHotCategoricalStraightThrough", "Uniform",
    "constraints", "kl", "kl_divergence", "register_kl",
]  # fmt: skip

__getattr__ = attributes(__name__)
