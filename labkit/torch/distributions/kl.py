"""`kl_divergence`: how far one distribution is from another; a formula for each pair of classes that is registered."""

import math
import warnings
from collections.abc import Callable

from ...aliases import attributes
from .._table import FUNCTIONS
from .._tensor import Tensor
from ..linalg import solve_triangular
from ..nn.functional import softplus
from .continuous import Cauchy, Exponential, Gumbel, HalfNormal, Laplace, LogNormal, Normal, Uniform
from .counts import Geometric, Poisson
from .discrete import Bernoulli, Categorical, OneHotCategorical
from .gammas import Beta, Dirichlet, Gamma
from .joint import Independent, MultivariateNormal, log_size, mahalanobis
from .transformed import TransformedDistribution
from .trials import Binomial
from .utils import sum_rightmost

__all__ = ["kl_divergence", "register_kl"]

_FORMULAS: dict[tuple[type, type], Callable] = {}


def register_kl(type_p, type_q) -> Callable:
    """Enter the decorated function of (p, q) as the formula for these classes and what is derived of them.

    >>> import labkit.torch as torch
    >>> class Narrow(Normal): pass
    >>> @register_kl(Narrow, Narrow)
    ... def _(p, q):
    ...     return torch.zeros(())
    >>> kl_divergence(Narrow(0.0, 1.0), Narrow(1.0, 1.0))
    tensor(0.)
    """
    return lambda fun: _FORMULAS.setdefault((type_p, type_q), fun)


def kl_divergence(p, q) -> Tensor:
    """The mean of log(p(x) / q(x)) over samples x of `p`, for each of the batch.

    Raises NotImplementedError where no formula is registered for the two classes.

    >>> import labkit.torch as torch
    >>> scale = torch.tensor(2.0, requires_grad=True)
    >>> kl_divergence(Normal(0.0, scale), Normal(0.0, 1.0)).backward()
    >>> scale.grad
    tensor(1.5000)
    """
    kinds = type(p), type(q)
    far = {
        pair: tuple(kind.__mro__.index(known) for kind, known in zip(kinds, pair, strict=True))
        for pair in _FORMULAS
        if isinstance(p, pair[0]) and isinstance(q, pair[1])
    }
    if not far:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {kinds[0].__name__} and q type {kinds[1].__name__}"
        )
    first, second = min(far, key=far.__getitem__), min(far, key=lambda pair: far[pair][::-1])
    if _FORMULAS[first] is not _FORMULAS[second]:
        warnings.warn(f"Ambiguous kl_divergence({kinds[0].__name__}, {kinds[1].__name__}). Please register_kl("
                      f"{first[0].__name__}, {second[1].__name__})", RuntimeWarning, stacklevel=2)  # fmt: skip
    return _FORMULAS[first](p, q)


@register_kl(LogNormal, LogNormal)
@register_kl(Normal, Normal)
def _normals(p, q):
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(Bernoulli, Bernoulli)
def _bernoullis(p, q):
    one = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    one = one.masked_fill(q.probs == 0, math.inf).masked_fill(p.probs == 0, 0)
    zero = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    return one + zero.masked_fill(q.probs == 1, math.inf).masked_fill(p.probs == 1, 0)


@register_kl(OneHotCategorical, OneHotCategorical)
@register_kl(Categorical, Categorical)
def _categoricals(p, q):
    each = p.probs * (p.logits - q.logits)
    return each.masked_fill(q.probs == 0, math.inf).masked_fill(p.probs == 0, 0).sum(-1)


@register_kl(Binomial, Binomial)
def _binomials(p, q):
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    each = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    return each.masked_fill(p.total_count > q.total_count, math.inf)


@register_kl(Uniform, Uniform)
def _uniforms(p, q):
    ratio = ((q.high - q.low) / (p.high - p.low)).log()
    return ratio.masked_fill((q.low > p.low) | (q.high < p.high), math.inf)


@register_kl(Uniform, Normal)
def _uniform_normal(p, q):
    width = p.high - p.low
    squares = width.pow(2) / 12 + ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return (math.sqrt(math.pi * 2) * q.scale / width).log() + 0.5 * squares / q.scale.pow(2)


@register_kl(Laplace, Laplace)
def _laplaces(p, q):
    ratio, apart = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + apart / q.scale + ratio * (-apart / p.scale).exp() - 1


@register_kl(Exponential, Exponential)
def _exponentials(p, q):
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate_normals(p, q):
    ours, theirs = p.root, q.root
    spread = solve_triangular(theirs, ours, upper=False).pow(2).sum((-2, -1))
    return log_size(theirs) - log_size(ours) + 0.5 * (spread + mahalanobis(theirs, q.loc - p.loc) - p.event_shape[0])


@register_kl(Independent, Independent)
def _independents(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(Dirichlet, Dirichlet)
def _dirichlets(p, q):
    a, b, whole = p.concentration, q.concentration, p.concentration.sum(-1)
    spread = whole.lgamma() - b.sum(-1).lgamma() - (a.lgamma() - b.lgamma()).sum(-1)
    return spread + ((a - b) * (a.digamma() - whole.digamma().unsqueeze(-1))).sum(-1)


@register_kl(Gamma, Gamma)
def _gammas(p, q):
    a, b, ratio = p.concentration, q.concentration, p.rate / q.rate
    return b * ratio.log() + b.lgamma() - a.lgamma() + (a - b) * a.digamma() + (q.rate - p.rate) * (a / p.rate)


_EULER = 0.57721566490153286060
register_kl(Beta, Beta)(lambda p, q: _dirichlets(p._dirichlet, q._dirichlet))
register_kl(HalfNormal, HalfNormal)(lambda p, q: _normals(p.base_dist, q.base_dist))
register_kl(Poisson, Poisson)(lambda p, q: p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate))
register_kl(Geometric, Geometric)(lambda p, q: -p.entropy() - (-q.probs).log1p() / p.probs - q.logits)
register_kl(Cauchy, Cauchy)(
    lambda p, q: ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()
)
register_kl(Gamma, Exponential)(lambda p, q: -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate)
register_kl(Exponential, Gamma)(
    lambda p, q: (
        -q.concentration * (q.rate / p.rate).log()
        + q.rate / p.rate
        + q.concentration.lgamma()
        + q.concentration * _EULER
        - (1 + _EULER)
    )
)
for _p, _q in ((Normal, Uniform), (Normal, Exponential), (Laplace, Uniform), (Laplace, Exponential)):
    register_kl(_p, _q)(lambda p, q: FUNCTIONS["full_like"](p.loc, math.inf))  # some of p is where q is not
__getattr__ = attributes(__name__)


@register_kl(Laplace, Normal)
@register_kl(Gumbel, Normal)
@register_kl(Exponential, Normal)
@register_kl(Gamma, Normal)
@register_kl(Beta, Normal)
def _to_normal(p, q):
    """Of anything, by its mean and its variance."""
    squares = (p.variance + (p.mean - q.loc).pow(2)) / (2 * q.scale.pow(2))
    return 0.5 * math.log(2 * math.pi) + q.scale.log() + squares - p.entropy()


@register_kl(Gamma, Exponential)
@register_kl(Beta, Exponential)
def _to_exponential(p, q):
    return q.rate * p.mean - q.rate.log() - p.entropy()


@register_kl(Exponential, Gamma)
def _exponential_gamma(p, q):
    return kl_divergence(Gamma(FUNCTIONS["ones_like"](p.rate), p.rate), q)


@register_kl(Normal, Laplace)
def _normal_laplace(p, q):
    apart = (p.loc - q.loc) / p.scale
    size = math.sqrt(2 / math.pi) * (-0.5 * apart.pow(2)).exp() + apart * (math.sqrt(0.5) * apart).erf()
    return (2 * q.scale).log() + p.scale * size / q.scale - p.entropy()


@register_kl(Normal, Gumbel)
def _normal_gumbel(p, q):
    apart, ratio = (p.loc - q.loc) / q.scale, p.scale / q.scale
    return apart + (0.5 * ratio.pow(2) - apart).exp() + q.scale.log() - p.entropy()


@register_kl(Gumbel, Gumbel)
def _gumbels(p, q):
    ratio, apart = p.scale / q.scale, (p.loc - q.loc) / q.scale
    mean = (p.mean - q.loc) / q.scale
    return mean + ((1 + ratio).lgamma() - apart).exp() + q.scale.log() - p.entropy()


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p, q):
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), len(p.event_shape) - len(p.base_dist.event_shape))
