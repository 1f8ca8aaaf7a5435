"""`TransformedDistribution`: what becomes of samples; and the transforms that lead into the region of a constraint."""

from typing import Any

from .. import _modes
from .._tensor import Tensor
from . import constraints
from . import transforms as T
from .distribution import Distribution
from .joint import Independent
from .utils import sum_rightmost

__all__ = ["TransformedDistribution", "biject_to", "transform_to"]


class TransformedDistribution(Distribution):
    """The distribution of `transforms`, one or a list, of the samples of `base_distribution`.

    `log_prob` is that of the base where the value comes from, less the logarithm of how much the transforms stretch there.
    Raises ValueError for what are not transforms.

    >>> import labkit.torch as torch
    >>> normal = torch.distributions.Normal(0.0, 1.0)
    >>> TransformedDistribution(normal, [T.ExpTransform()]).log_prob(torch.tensor(2.0))
    tensor(-1.8523)
    """

    arg_constraints: Any = {}

    def __init__(self, base_distribution, transforms, validate_args=None):
        self.transforms = [transforms] if isinstance(transforms, T.Transform) else transforms
        if not isinstance(self.transforms, list) or not all(isinstance(t, T.Transform) for t in self.transforms):
            raise ValueError("transforms must be a Transform or a list of Transforms")
        shape = base_distribution.batch_shape + base_distribution.event_shape
        dims, whole = len(base_distribution.event_shape), T.ComposeTransform(self.transforms)
        taken, given = whole.domain.event_dim, whole.codomain.event_dim
        if len(shape) < taken:
            raise ValueError(f"base_distribution needs to have shape with size at least {taken}, but got {shape}.")
        forward = whole.forward_shape(shape)
        base_distribution = base_distribution.expand(
            whole.inverse_shape(forward)[: len(forward) - given + taken - dims]
        )
        self.base_dist = Independent(base_distribution, taken - dims) if taken > dims else base_distribution
        cut = len(forward) - given - max(dims - taken, 0)
        super().__init__(forward[:cut], forward[cut:], validate_args)

    has_rsample = property(lambda self: self.base_dist.has_rsample)

    @constraints.dependent_property
    def support(self) -> Any:
        """That of the last transform, for whole events."""
        found = self.transforms[-1].codomain if self.transforms else self.base_dist.support
        more = len(self.event_shape) - found.event_dim
        return constraints.independent(found, more) if more > 0 else found

    def expand(self, batch_shape, _instance=None) -> Distribution:
        new = super().expand(batch_shape, _instance)
        whole = T.ComposeTransform(self.transforms)
        shape = whole.inverse_shape((*batch_shape, *self.event_shape))
        new.base_dist = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        return new

    def sample(self, sample_shape=()) -> Tensor:
        with _modes.no_grad():
            return self._through(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape=()) -> Tensor:
        return self._through(self.base_dist.rsample(sample_shape))

    def _through(self, value):
        for transform in self.transforms:
            value = transform(value)
        return value

    def _log_density(self, y):
        stretched: Any = 0.0
        dims = len(self.event_shape)
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            dims += transform.domain.event_dim - transform.codomain.event_dim
            stretch = transform.log_abs_det_jacobian(x, y)
            stretched, y = stretched - sum_rightmost(stretch, dims - transform.domain.event_dim), x
        return stretched + sum_rightmost(self.base_dist.log_prob(y), dims - len(self.base_dist.event_shape))

    def _turned(self, share):
        """How probable it is to be below, where the transforms turn what is larger into what is smaller."""
        return T.ComposeTransform(self.transforms).sign * (share - 0.5) + 0.5

    def _below(self, y):
        for transform in reversed(self.transforms):
            y = transform.inv(y)
        return self._turned(self.base_dist.cdf(y))

    icdf = lambda self, value: self._through(self.base_dist.icdf(self._turned(value)))
    __repr__ = lambda self: "TransformedDistribution()"


class _Registry:
    """A transform of all numbers into a region, by the class of its constraint.

    >>> biject_to(constraints.unit_interval)
    SigmoidTransform()
    """

    def __init__(self, **of_class):
        self._made = {}
        for name, made in of_class.items():
            self.register(getattr(constraints, name), made)

    def register(self, constraint, factory=None) -> Any:
        """Enter the function that makes a transform of a constraint of this class; as a decorator without it."""
        if factory is None:
            return lambda made: self.register(constraint, made)
        self._made[constraint if isinstance(constraint, type) else type(constraint)] = factory
        return factory

    def __call__(self, constraint) -> T.Transform:
        made = self._made.get(constraint if isinstance(constraint, type) else type(constraint))
        if made is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return made(constraint)


def _one_sided(factor, bound):
    return lambda c: T.ComposeTransform([T.ExpTransform(), T.AffineTransform(getattr(c, bound), factor)])


def _two_sided(c):
    if (c.lower_bound, c.upper_bound) == (0, 1):
        return T.SigmoidTransform()
    return T.ComposeTransform([T.SigmoidTransform(), T.AffineTransform(c.lower_bound, c.upper_bound - c.lower_bound)])


def _both(**more):
    above = _one_sided(1, "lower_bound")
    found = _Registry(
        real=lambda c: T.identity_transform, interval=_two_sided, greater_than=above, greater_than_eq=above,
        less_than=_one_sided(-1, "upper_bound"), **more,
    )  # fmt: skip
    inner = lambda c: T.IndependentTransform(found(c.base_constraint), c.reinterpreted_batch_ndims)
    found.register(constraints.independent, inner)
    return found


biject_to = _both(simplex=lambda c: T.StickBreakingTransform())
transform_to = _both(simplex=lambda c: T.SoftmaxTransform(), lower_cholesky=lambda c: T.LowerCholeskyTransform())
