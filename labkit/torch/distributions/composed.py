"""`Transform`: a function of samples that knows its inverse, and how much it stretches; and what is made of several."""

from functools import reduce
from operator import mul
from typing import Any

from ...layout import Placed
from .._table import FUNCTIONS
from .._tensor import Tensor
from . import constraints
from .utils import sum_rightmost

__all__ = ["ComposeTransform", "IndependentTransform", "Transform", "identity_transform"]


class Transform(metaclass=Placed):
    """A function of tensors in `domain` to tensors in `codomain`; `inv` is its inverse.

    A subclass defines `_call`, `_inverse` and `log_abs_det_jacobian(x, y)`. With `cache_size=1` the inverse of the last value
    is what it was made of, not computed.

    >>> import labkit.torch as torch
    >>> class Doubled(Transform):
    ...     _call = lambda self, x: 2 * x
    ...     _inverse = lambda self, y: y / 2
    >>> Doubled().inv(torch.tensor([1.0]))
    tensor([0.5000])
    """

    bijective: Any = False
    domain: Any = constraints.real
    codomain: Any = constraints.real
    _call: Any
    _inverse: Any
    log_abs_det_jacobian: Any
    _last: tuple[Any, Any] = None, None

    def __init__(self, cache_size=0):
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size

    @property
    def inv(self) -> "Transform":
        """The inverse."""
        return _InverseTransform(self)

    @property
    def sign(self) -> Any:
        """1 where larger values become larger ones, -1 where they become smaller."""
        raise NotImplementedError

    def with_cache(self, cache_size=1) -> "Transform":
        """The same, which keeps its last value or does not."""
        new = type(self).__new__(type(self))
        new.__dict__.update(vars(self), _cache_size=cache_size, _last=(None, None))
        return new

    def __call__(self, x) -> Tensor:
        kept, found = self._last
        return found if x is kept and x is not None else self._kept(x, self._call(x))[1]

    def _back(self, y):
        found, kept = self._last
        return found if y is kept and y is not None else self._kept(self._inverse(y), y)[0]

    def _kept(self, x, y):
        if self._cache_size:
            self._last = x, y
        return x, y

    def forward_shape(self, shape) -> tuple:
        """The shape of what is made of a tensor of this one."""
        return shape

    def inverse_shape(self, shape) -> tuple:
        """The shape of what a tensor of this one is made of."""
        return shape

    def _options(self):
        return {name: value for name, value in vars(self).items() if name not in ("_last", "_cache_size")}

    def __eq__(self, other):
        if type(self) is not type(other) or self._options().keys() != other._options().keys():
            return self is other
        return all(_equal(a, b) for a, b in zip(self._options().values(), other._options().values()))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self):
        return f"{type(self).__name__}()"


def _equal(a, b):
    return bool((a == b).all()) if isinstance(a, Tensor) and isinstance(b, Tensor) else a is b or bool(a == b)


class _InverseTransform(Transform):
    """The inverse of a transform, which has its inverse in `inv`."""

    def __init__(self, transform):
        super().__init__(transform._cache_size)
        self._inv = transform

    inv = property(lambda self: self._inv)
    domain = property(lambda self: self._inv.codomain)
    codomain = property(lambda self: self._inv.domain)
    bijective = property(lambda self: self._inv.bijective)
    sign = property(lambda self: self._inv.sign)
    __call__ = lambda self, x: self._inv._back(x)
    _back = lambda self, y: self._inv(y)
    log_abs_det_jacobian = lambda self, x, y: -self._inv.log_abs_det_jacobian(y, x)
    forward_shape = lambda self, shape: self._inv.inverse_shape(shape)
    inverse_shape = lambda self, shape: self._inv.forward_shape(shape)
    __repr__ = lambda self: f"_InverseTransform({self._inv!r})"


class ComposeTransform(Transform):
    """Transforms one after the other: the first of `parts` first."""

    def __init__(self, parts, cache_size=0):
        super().__init__(cache_size)
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else list(parts)

    bijective = property(lambda self: all(part.bijective for part in self.parts))
    sign = property(lambda self: reduce(mul, (part.sign for part in self.parts), 1))

    @property
    def domain(self) -> Any:
        """That of the first part, with as many dimensions of an event as the others want of it."""
        if not self.parts:
            return constraints.real
        dims = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            dims = max(dims + part.domain.event_dim - part.codomain.event_dim, part.domain.event_dim)
        return of_events(self.parts[0].domain, dims)

    @property
    def codomain(self) -> Any:
        """That of the last part, likewise."""
        if not self.parts:
            return constraints.real
        dims = self.parts[0].domain.event_dim
        for part in self.parts:
            dims = max(dims + part.codomain.event_dim - part.domain.event_dim, part.codomain.event_dim)
        return of_events(self.parts[-1].codomain, dims)

    inv = property(lambda self: ComposeTransform([part.inv for part in reversed(self.parts)]))
    _call = __call__ = lambda self, x: reduce(lambda value, part: part(value), self.parts, x)
    _inverse = _back = lambda self, y: reduce(lambda value, part: part.inv(value), reversed(self.parts), y)
    forward_shape = lambda self, shape: reduce(lambda s, part: part.forward_shape(s), self.parts, shape)
    inverse_shape = lambda self, shape: reduce(lambda s, part: part.inverse_shape(s), reversed(self.parts), shape)

    def log_abs_det_jacobian(self, x, y) -> Tensor:
        """The sum of those of the parts, each with as many dimensions as an event of the whole."""
        total: Any = 0.0 if self.parts else FUNCTIONS["zeros_like"](x)
        dims = self.domain.event_dim
        for part in self.parts:
            value = part(x)
            total += sum_rightmost(part.log_abs_det_jacobian(x, value), dims - part.domain.event_dim)
            x, dims = value, dims + part.codomain.event_dim - part.domain.event_dim
        return total

    def __repr__(self):
        inner = ",\n    ".join(map(repr, self.parts))
        return f"ComposeTransform(\n    {inner}\n)"


def of_events(constraint, dims) -> Any:
    """The constraint for events of `dims` dimensions."""
    more = dims - constraint.event_dim
    return constraints.independent(constraint, more) if more else constraint


identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """A transform of events with `reinterpreted_batch_ndims` dimensions more, over which its log-jacobian is summed."""

    def __init__(self, base_transform, reinterpreted_batch_ndims, cache_size=0):
        super().__init__(cache_size)
        self.base_transform, self.reinterpreted_batch_ndims = base_transform, reinterpreted_batch_ndims

    bijective = property(lambda self: self.base_transform.bijective)
    sign = property(lambda self: self.base_transform.sign)
    domain = property(lambda self: constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims))
    codomain = property(
        lambda self: constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)
    )
    _call = lambda self, x: self.base_transform(x)
    _inverse = lambda self, y: self.base_transform.inv(y)
    log_abs_det_jacobian = lambda self, x, y: sum_rightmost(
        self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims
    )
    forward_shape = lambda self, shape: self.base_transform.forward_shape(shape)
    inverse_shape = lambda self, shape: self.base_transform.inverse_shape(shape)
    __repr__ = lambda self: f"IndependentTransform({self.base_transform!r}, {self.reinterpreted_batch_ndims})"
