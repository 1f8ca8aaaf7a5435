"""`torch.distributions`: samples that gradients flow through, densities, and how far two distributions are apart."""

from ...aliases import attributes
from . import constraints, kl
from .continuous import Exponential, Gumbel, Laplace, LogNormal, Normal, Uniform
from .discrete import Bernoulli, Categorical, OneHotCategorical, OneHotCategoricalStraightThrough
from .distribution import Distribution
from .joint import Independent, MultivariateNormal
from .kl import kl_divergence, register_kl

__all__ = [
    "Bernoulli", "Categorical", "Distribution", "Exponential", "Gumbel", "Independent", "Laplace", "LogNormal",
    "MultivariateNormal", "Normal", "OneHotCategorical", "OneHotCategoricalStraightThrough", "Uniform",
    "constraints", "kl", "kl_divergence", "register_kl",
]  # fmt: skip

__getattr__ = attributes(__name__)
