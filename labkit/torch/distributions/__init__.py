"""`torch.distributions`: samples that gradients flow through, densities, and how far two distributions are apart."""

from ...aliases import attributes
from . import constraints, kl, transforms
from .continuous import Cauchy, Exponential, Gumbel, HalfNormal, Laplace, LogNormal, Normal, Uniform
from .counts import Geometric, Poisson
from .discrete import Bernoulli, Categorical, OneHotCategorical, OneHotCategoricalStraightThrough
from .distribution import Distribution, ExponentialFamily
from .gammas import Beta, Chi2, Dirichlet, Gamma, StudentT
from .joint import Independent, MixtureSameFamily, MultivariateNormal
from .kl import kl_divergence, register_kl
from .relaxed import RelaxedBernoulli, RelaxedOneHotCategorical
from .tails import HalfCauchy, LogisticNormal, Pareto, Weibull
from .transformed import TransformedDistribution, biject_to, transform_to
from .transforms import (
    AbsTransform,
    AffineTransform,
    ComposeTransform,
    ExpTransform,
    IndependentTransform,
    LowerCholeskyTransform,
    PowerTransform,
    SigmoidTransform,
    SoftmaxTransform,
    SoftplusTransform,
    StickBreakingTransform,
    TanhTransform,
    Transform,
    identity_transform,
)
from .trials import Binomial, Multinomial, NegativeBinomial

__all__ = [
    "AbsTransform", "AffineTransform", "Bernoulli", "Beta", "Binomial", "Categorical", "Cauchy", "Chi2",
    "ComposeTransform", "Dirichlet", "Distribution", "ExpTransform", "Exponential", "ExponentialFamily",
    "Gamma", "Geometric", "Gumbel",
    "HalfCauchy", "HalfNormal", "Independent", "IndependentTransform", "Laplace", "LogNormal", "LogisticNormal",
    "LowerCholeskyTransform", "MixtureSameFamily", "Multinomial", "MultivariateNormal", "NegativeBinomial",
    "Normal", "OneHotCategorical", "OneHotCategoricalStraightThrough", "Pareto", "Poisson", "PowerTransform",
    "RelaxedBernoulli", "RelaxedOneHotCategorical", "SigmoidTransform", "SoftmaxTransform", "SoftplusTransform",
    "StickBreakingTransform", "StudentT", "TanhTransform", "Transform", "TransformedDistribution", "Uniform",
    "Weibull", "biject_to", "constraints", "identity_transform", "kl", "kl_divergence", "register_kl",
    "transform_to", "transforms",
]  # fmt: skip

__getattr__ = attributes(__name__)
