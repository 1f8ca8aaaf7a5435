"""Transforms of random numbers: each is a function, its inverse, and the logarithm of the size of its slope.

`TransformedDistribution` makes a distribution of another one and of transforms.
"""

import math
from typing import Any

import numpy as np

from ...aliases import attributes
from .._dtype import finfo
from .._tensor import Tensor
from ..nn.functional import logsigmoid, pad, softplus
from . import constraints
from .utils import sum_rightmost

__all__ = [
    "AbsTransform", "AffineTransform", "ComposeTransform", "ExpTransform", "IndependentTransform", "LowerCholeskyTransform",
    "PowerTransform", "ReshapeTransform", "SigmoidTransform", "SoftmaxTransform", "SoftplusTransform", "StickBreakingTransform",
    "TanhTransform", "Transform", "identity_transform",
]  # fmt: skip


class Transform:
    """A function from `domain` to `codomain`: `t(x)`, `t.inv(y)`, and `t.log_abs_det_jacobian(x, y)`.

    A class of one has `_call(x)`, `_inverse(y)` and the last. With `cache_size=1` the inverse of what it has just made is what
    it was made of, to the last digit.

    >>> import labkit.torch as torch
    >>> t = ExpTransform()
    >>> t(torch.tensor(0.0)), t.inv(torch.tensor(1.0))
    (tensor(1.), tensor(0.))
    """

    domain: Any = constraints.real
    codomain: Any = constraints.real
    bijective: Any = True
    sign: Any = 1

    def __init__(self, cache_size=0):
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size, self._last = cache_size, (None, None)

    def __call__(self, x) -> Tensor:
        return self._known(x, 0, self._call)

    def _known(self, given, side, compute):
        if self._cache_size and given is self._last[side]:
            return self._last[1 - side]
        found = compute(given)
        if self._cache_size:
            self._last = (found, given) if side else (given, found)
        return found

    @property
    def inv(self) -> "Transform":
        """The inverse, which is a transform, too."""
        return _Inverse(self)

    def log_abs_det_jacobian(self, x, y) -> Tensor:
        """log |dy/dx| at x, of which y was made."""
        raise NotImplementedError

    def forward_shape(self, shape) -> Any:
        """The shape of what is made of a tensor of this one."""
        return shape

    def inverse_shape(self, shape) -> Any:
        """The shape of what a tensor of this one is made of."""
        return shape

    def with_cache(self, cache_size=1) -> "Transform":
        """The same with another `cache_size`."""
        new = type(self).__new__(type(self))
        new.__dict__.update(vars(self), _cache_size=cache_size, _last=(None, None))
        return new

    def _call(self, x):
        raise NotImplementedError

    def _inverse(self, y):
        raise NotImplementedError

    def __eq__(self, other):
        mine, theirs = ({k: v for k, v in vars(t).items() if k not in ("_cache_size", "_last")} for t in (self, other))
        return type(self) is type(other) and mine.keys() == theirs.keys() and all(_same(mine[k], theirs[k]) for k in mine)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def _same(a, b):
    return bool((a == b).all()) if isinstance(a, Tensor) or isinstance(b, Tensor) else a == b


class _Inverse(Transform):
    """The inverse of a transform."""

    def __init__(self, transform):
        super().__init__()
        self._inv = transform

    inv = property(lambda self: self._inv)
    domain = property(lambda self: self._inv.codomain)
    codomain = property(lambda self: self._inv.domain)
    bijective = property(lambda self: self._inv.bijective)
    sign = property(lambda self: self._inv.sign)
    __call__ = lambda self, y: self._inv._known(y, 1, self._inv._inverse)
    log_abs_det_jacobian = lambda self, y, x: -self._inv.log_abs_det_jacobian(x, y)
    forward_shape = lambda self, shape: self._inv.inverse_shape(shape)
    inverse_shape = lambda self, shape: self._inv.forward_shape(shape)
    __repr__ = lambda self: f"_InverseTransform({self._inv!r})"


class ComposeTransform(Transform):
    """One transform after the other."""

    def __init__(self, parts, cache_size=0):
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else list(parts)
        super().__init__(cache_size)

    bijective = property(lambda self: all(p.bijective for p in self.parts))
    sign = property(lambda self: math.prod(p.sign for p in self.parts))
    domain = property(lambda self: self._end(self.parts, "domain", "codomain"))
    codomain = property(lambda self: self._end(self.parts[::-1], "codomain", "domain"))
    inv = property(lambda self: ComposeTransform([part.inv for part in self.parts[::-1]]))

    @staticmethod
    def _end(parts, near, far):
        """The constraint at the end that comes first, for events as large as any part needs."""
        if not parts:
            return constraints.real
        own = dims = getattr(parts[-1], far).event_dim
        for part in parts[::-1]:
            dims += getattr(part, near).event_dim - getattr(part, far).event_dim
            dims = max(dims, getattr(part, near).event_dim)
        own = getattr(parts[0], near)
        return constraints.independent(own, dims - own.event_dim) if dims > own.event_dim else own

    def __call__(self, x) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x, y) -> Tensor:
        dims, terms = self.domain.event_dim, []
        for part in self.parts:
            made = part(x) if part is not self.parts[-1] else y
            terms.append(sum_rightmost(part.log_abs_det_jacobian(x, made), dims - part.domain.event_dim))
            dims, x = dims + part.codomain.event_dim - part.domain.event_dim, made
        return sum(terms) if terms else x.new_zeros(x.shape)

    def forward_shape(self, shape) -> Any:
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape) -> Any:
        for part in self.parts[::-1]:
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self) -> str:
        return "ComposeTransform(\n    " + ",\n    ".join(map(repr, self.parts)) + "\n)"


identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """A transform whose last `reinterpreted_batch_ndims` dimensions are those of one event."""

    def __init__(self, base_transform, reinterpreted_batch_ndims, cache_size=0):
        super().__init__(cache_size)
        self.base_transform, self.reinterpreted_batch_ndims = base_transform, reinterpreted_batch_ndims

    bijective = property(lambda self: self.base_transform.bijective)
    sign = property(lambda self: self.base_transform.sign)
    domain = property(lambda self: constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims))
    codomain = property(lambda self: constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims))
    _call = lambda self, x: self.base_transform(x)
    _inverse = lambda self, y: self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x, y) -> Tensor:
        return sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"IndependentTransform({self.base_transform!r}, {self.reinterpreted_batch_ndims})"


class ReshapeTransform(Transform):
    """Events of `in_shape` as those of `out_shape`."""

    def __init__(self, in_shape, out_shape, cache_size=0):
        if math.prod(in_shape) != math.prod(out_shape):
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size)
        self.in_shape, self.out_shape = in_shape, out_shape

    domain = property(lambda self: constraints.independent(constraints.real, len(self.in_shape)))
    codomain = property(lambda self: constraints.independent(constraints.real, len(self.out_shape)))
    _call = lambda self, x: x.reshape(self.forward_shape(x.shape))
    _inverse = lambda self, y: y.reshape(self.inverse_shape(y.shape))
    log_abs_det_jacobian = lambda self, x, y: x.new_zeros(x.shape[: x.ndim - len(self.in_shape)])
    forward_shape = lambda self, shape: (*shape[: len(shape) - len(self.in_shape)], *self.out_shape)
    inverse_shape = lambda self, shape: (*shape[: len(shape) - len(self.out_shape)], *self.in_shape)


class ExpTransform(Transform):
    """y = exp(x)."""

    codomain = constraints.positive
    _call = lambda self, x: x.exp()
    _inverse = lambda self, y: y.log()
    log_abs_det_jacobian = lambda self, x, y: x


class PowerTransform(Transform):
    """y = x ** exponent, of positive x."""

    domain = codomain = constraints.positive

    def __init__(self, exponent, cache_size=0):
        super().__init__(cache_size)
        self.exponent = exponent

    sign = property(lambda self: self.exponent.sign())
    _call = lambda self, x: x.pow(self.exponent)
    _inverse = lambda self, y: y.pow(1 / self.exponent)
    log_abs_det_jacobian = lambda self, x, y: (self.exponent * y / x).abs().log()
    forward_shape = inverse_shape = lambda self, shape: np.broadcast_shapes(shape, getattr(self.exponent, "shape", ()))


class SigmoidTransform(Transform):
    """y = 1 / (1 + exp(-x))."""

    codomain = constraints.unit_interval
    _call = lambda self, x: x.sigmoid().clamp(min=finfo(x.dtype).tiny, max=1.0 - finfo(x.dtype).eps)
    log_abs_det_jacobian = lambda self, x, y: -softplus(-x) - softplus(x)

    def _inverse(self, y):
        y = y.clamp(min=finfo(y.dtype).tiny, max=1.0 - finfo(y.dtype).eps)
        return y.log() - (-y).log1p()


class SoftplusTransform(Transform):
    """y = log(1 + exp(x))."""

    codomain = constraints.positive
    _call = lambda self, x: softplus(x)
    _inverse = lambda self, y: (-y).expm1().neg().log() + y
    log_abs_det_jacobian = lambda self, x, y: -softplus(-x)


class TanhTransform(Transform):
    """y = tanh(x). With `cache_size=1` it is inverted where y is rounded to 1, too."""

    codomain = constraints.interval(-1.0, 1.0)
    _call = lambda self, x: x.tanh()
    _inverse = lambda self, y: y.atanh()
    log_abs_det_jacobian = lambda self, x, y: 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class AbsTransform(Transform):
    """y = |x|, which has no inverse: the positive one is taken for it."""

    codomain, bijective = constraints.positive, False
    _call = lambda self, x: x.abs()
    _inverse = lambda self, y: y


class AffineTransform(Transform):
    """y = loc + scale * x, of numbers or, with `event_dim`, of events."""

    def __init__(self, loc, scale, event_dim=0, cache_size=0):
        super().__init__(cache_size)
        self.loc, self.scale, self.event_dim = loc, scale, event_dim

    domain = codomain = property(
        lambda self: constraints.independent(constraints.real, self.event_dim) if self.event_dim else constraints.real
    )
    _call = lambda self, x: self.loc + self.scale * x
    _inverse = lambda self, y: (y - self.loc) / self.scale
    forward_shape = inverse_shape = lambda self, shape: np.broadcast_shapes(
        shape, getattr(self.loc, "shape", ()), getattr(self.scale, "shape", ())
    )

    @property
    def sign(self) -> Any:
        return self.scale.sign() if isinstance(self.scale, Tensor) else (self.scale > 0) - (self.scale < 0)

    def log_abs_det_jacobian(self, x, y) -> Tensor:
        size = self.scale.abs().log() if isinstance(self.scale, Tensor) else x.new_full(x.shape, math.log(abs(self.scale)))
        return sum_rightmost(size.expand(x.shape), self.event_dim)


class SoftmaxTransform(Transform):
    """Shares of exp(x), which add up to 1; x is known but for a constant."""

    domain, codomain, bijective = constraints.real_vector, constraints.simplex, False
    _call = lambda self, x: (x - x.max(-1, True)[0]).softmax(-1)
    _inverse = lambda self, y: y.log()


class StickBreakingTransform(Transform):
    """n numbers as n + 1 shares: each the sigmoid, moved, of what the ones before have left."""

    domain, codomain = constraints.real_vector, constraints.simplex
    forward_shape = lambda self, shape: (*shape[:-1], shape[-1] + 1)
    inverse_shape = lambda self, shape: (*shape[:-1], shape[-1] - 1)

    def _left(self, x):
        return x.new_tensor([float(x.shape[-1] - k) for k in range(x.shape[-1])])

    def _call(self, x):
        z = SigmoidTransform()(x - self._left(x).log())
        return pad(z, [0, 1], value=1) * pad((1 - z).cumprod(-1), [1, 0], value=1)

    def _inverse(self, y):
        rest = (1 - y[..., :-1].cumsum(-1)).clamp(min=finfo(y.dtype).tiny)
        return y[..., :-1].log() - rest.log() + self._left(y[..., :-1]).log()

    def log_abs_det_jacobian(self, x, y) -> Tensor:
        x = x - self._left(x).log()
        return (-x + logsigmoid(x) + y[..., :-1].log()).sum(-1)


class LowerCholeskyTransform(Transform):
    """A matrix as a lower triangular one with a positive diagonal, the exponential of its own."""

    domain, codomain = constraints.independent(constraints.real, 2), constraints.lower_cholesky
    _call = lambda self, x: x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()
    _inverse = lambda self, y: y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


def _between(low, high):
    """A transform of all numbers onto those between."""
    span = [] if (low, high) == (0, 1) else [AffineTransform(low, high - low)]
    return ComposeTransform([SigmoidTransform(), *span]) if span else SigmoidTransform()


_ONTO = {  # of a constraint, by the name of its class
    "Real": lambda c: identity_transform, "Interval": lambda c: _between(c.lower_bound, c.upper_bound),
    "LowerCholesky": lambda c: LowerCholeskyTransform(),
    "independent": lambda c: IndependentTransform(biject_to(c.base_constraint), c.reinterpreted_batch_ndims),
    "LessThan": lambda c: ComposeTransform([ExpTransform(), AffineTransform(c.upper_bound, -1)]),
}  # fmt: skip
_ONTO |= dict.fromkeys(
    ("GreaterThan", "GreaterThanEq"),
    lambda c: ExpTransform() if c.lower_bound == 0 else ComposeTransform([ExpTransform(), AffineTransform(c.lower_bound, 1)]),
)


def biject_to(constraint) -> Transform:
    """The transform that maps all numbers, one to one, onto what a constraint allows.

    Raises NotImplementedError for one that has none.

    >>> import labkit.torch as torch
    >>> biject_to(constraints.positive)(torch.tensor(0.0))
    tensor(1.)
    """
    kind = type(constraint).__name__.lstrip("_")
    if kind == "Simplex":
        return StickBreakingTransform()
    if kind not in _ONTO:
        raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
    return _ONTO[kind](constraint)


def transform_to(constraint) -> Transform:
    """`biject_to`, or one that need not be one to one, where that is simpler: softmax for shares."""
    return SoftmaxTransform() if constraint is constraints.simplex else biject_to(constraint)


__getattr__ = attributes(__name__)
