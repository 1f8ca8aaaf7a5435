"""Transforms of random numbers: each is a function, its inverse, and the logarithm of the size of its slope."""

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
    "AbsTransform", "AffineTransform", "ComposeTransform", "ExpTransform", "PowerTransform", "SigmoidTransform", "SoftmaxTransform",
    "SoftplusTransform", "StickBreakingTransform", "TanhTransform", "Transform", "identity_transform",
]  # fmt: skip


class Transform:
    """A function from `domain` to `codomain`: `t(x)`, `t.inv(y)`, and `t.log_abs_det_jacobian(x, y)`.

    A class of one has `_call(x)`, `_inverse(y)` and the last. With `cache_size=1` the inverse of what it has just made is what
    it was made of, to the last digit.

    >>> import labkit.torch as torch
    >>> t = torch.distributions.ExpTransform()
    >>> t(torch.tensor(0.0)), t.inv(torch.tensor(1.0))
    (tensor(1.), tensor(0.))
    """

    domain: Any = constraints.real
    codomain: Any = constraints.real
    bijective: Any = True
    sign: Any = 1
    inv: Any = property(lambda self: _Inverse(self), doc="The inverse, which is a transform, too.")
    forward_shape: Any = lambda self, shape: shape
    inverse_shape: Any = lambda self, shape: shape

    def __init__(self, cache_size=0):
        self._cache_size, self._last = cache_size, (None, None)

    def __call__(self, x) -> Tensor:
        return self.known(x, 0, self._call)

    def known(self, given, side, compute) -> Tensor:
        """What `compute` makes of the input (side 0) or the output (1), or what is kept of the last time."""
        if self._cache_size and given is self._last[side]:
            return self._last[1 - side]
        found = compute(given)
        if self._cache_size:
            self._last = (found, given) if side else (given, found)
        return found

    def log_abs_det_jacobian(self, x, y) -> Tensor:
        """log |dy/dx| at x, of which y was made."""
        raise NotImplementedError

    def _call(self, x):
        raise NotImplementedError

    def _inverse(self, y):
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class _Inverse(Transform):
    """The inverse of a transform."""

    def __init__(self, inv):
        super().__init__()
        self.__dict__["of"] = inv

    inv = property(lambda self: self.of)
    domain, codomain = property(lambda self: self.of.codomain), property(lambda self: self.of.domain)
    bijective, sign = property(lambda self: self.of.bijective), property(lambda self: self.of.sign)
    __call__ = lambda self, y: self.of.known(y, 1, self.of._inverse)
    log_abs_det_jacobian = lambda self, y, x: -self.of.log_abs_det_jacobian(x, y)
    forward_shape = lambda self, shape: self.of.inverse_shape(shape)
    inverse_shape = lambda self, shape: self.of.forward_shape(shape)
    __repr__ = lambda self: f"_InverseTransform({self.of!r})"


class ComposeTransform(Transform):
    """One transform after the other."""

    def __init__(self, parts, cache_size=0):
        super().__init__(cache_size)
        self.parts = list(parts)

    bijective = property(lambda self: all(p.bijective for p in self.parts))
    sign = property(lambda self: math.prod(p.sign for p in self.parts))
    inv = property(lambda self: ComposeTransform([part.inv for part in self.parts[::-1]]))
    domain = property(lambda self: _end([(p.domain, p.codomain) for p in self.parts]))
    codomain = property(lambda self: _end([(p.codomain, p.domain) for p in self.parts[::-1]]))

    def _call(self, x):
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x, y) -> Tensor:
        dims, found = self.domain.event_dim, x.new_zeros(x.shape[: x.ndim - self.domain.event_dim])
        for part in self.parts:
            made = part(x)
            found = found + sum_rightmost(part.log_abs_det_jacobian(x, made), dims - part.domain.event_dim)
            dims, x = dims + part.codomain.event_dim - part.domain.event_dim, made
        return found

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


def _end(ends):
    """The first constraint of pairs `(near, far)`, for events as large as any of them needs."""
    dims = 0
    for near, far in ends[::-1]:
        dims = max(dims + near.event_dim - far.event_dim, near.event_dim)
    own = ends[0][0] if ends else constraints.real
    return constraints.independent(own, dims - own.event_dim) if dims > own.event_dim else own


identity_transform = ComposeTransform([])


def _element(name, meaning, call, inverse, size, codomain=constraints.positive, **facts) -> Any:
    """The class of a transform of each element."""
    members = {"_call": lambda self, x: call(x), "_inverse": lambda self, y: inverse(y), "codomain": codomain, **facts,
               "log_abs_det_jacobian": lambda self, x, y: size(x, y), "__doc__": meaning, "__module__": __name__}  # fmt: skip
    return type(name, (Transform,), members)


def _inside(y):
    return y.clamp(min=finfo(y.dtype).tiny, max=1.0 - finfo(y.dtype).eps)


ExpTransform = _element("ExpTransform", "y = exp(x).", lambda x: x.exp(), lambda y: y.log(), lambda x, y: x)
SigmoidTransform = _element("SigmoidTransform", "y = 1 / (1 + exp(-x)).", lambda x: _inside(x.sigmoid()),
                            lambda y: _inside(y).log() - (-_inside(y)).log1p(), lambda x, y: -softplus(-x) - softplus(x),
                            constraints.unit_interval)  # fmt: skip
SoftplusTransform = _element("SoftplusTransform", "y = log(1 + exp(x)).", softplus, lambda y: (-y).expm1().neg().log() + y,
                             lambda x, y: -softplus(-x))  # fmt: skip
TanhTransform = _element("TanhTransform", "y = tanh(x).", lambda x: x.tanh(), lambda y: y.atanh(),
                         lambda x, y: 2.0 * (math.log(2.0) - x - softplus(-2.0 * x)), constraints.interval(-1.0, 1.0))  # fmt: skip
AbsTransform = _element("AbsTransform", "y = |x|, of which the positive one is taken for the inverse.", lambda x: x.abs(),
                        lambda y: y, Transform.log_abs_det_jacobian, bijective=False)  # fmt: skip
SoftmaxTransform = _element("SoftmaxTransform", "Shares of exp(x), which add up to 1.", lambda x: (x - x.max(-1, True)[0]).softmax(-1),
                            lambda y: y.log(), Transform.log_abs_det_jacobian, constraints.simplex, domain=constraints.real_vector,
                            bijective=False)  # fmt: skip


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


class AffineTransform(Transform):
    """y = loc + scale * x, of numbers or, with `event_dim`, of events."""

    def __init__(self, loc, scale, event_dim=0, cache_size=0):
        super().__init__(cache_size)
        self.loc, self.scale, self.event_dim = loc, scale, event_dim

    domain = codomain = property(
        lambda self: constraints.independent(constraints.real, self.event_dim) if self.event_dim else constraints.real
    )
    sign = property(lambda self: self.scale.sign() if isinstance(self.scale, Tensor) else math.copysign(1, self.scale))
    _call = lambda self, x: self.loc + self.scale * x
    _inverse = lambda self, y: (y - self.loc) / self.scale
    forward_shape = inverse_shape = lambda self, shape: np.broadcast_shapes(
        shape, getattr(self.loc, "shape", ()), getattr(self.scale, "shape", ())
    )

    def log_abs_det_jacobian(self, x, y) -> Tensor:
        size = (
            self.scale.abs().log() if isinstance(self.scale, Tensor) else x.new_full(x.shape, math.log(abs(self.scale)))
        )
        return sum_rightmost(size.expand(x.shape), self.event_dim)


class StickBreakingTransform(Transform):
    """n numbers as n + 1 shares: each the sigmoid, moved, of what the ones before have left."""

    domain, codomain = constraints.real_vector, constraints.simplex
    forward_shape = lambda self, shape: (*shape[:-1], shape[-1] + 1)
    inverse_shape = lambda self, shape: (*shape[:-1], shape[-1] - 1)
    _moved = lambda self, x: x.new_tensor([math.log(x.shape[-1] - k) for k in range(x.shape[-1])])

    def _call(self, x):
        z = _inside((x - self._moved(x)).sigmoid())
        return pad(z, [0, 1], value=1) * pad((1 - z).cumprod(-1), [1, 0], value=1)

    def _inverse(self, y):
        rest = (1 - y[..., :-1].cumsum(-1)).clamp(min=finfo(y.dtype).tiny)
        return y[..., :-1].log() - rest.log() + self._moved(rest)

    def log_abs_det_jacobian(self, x, y) -> Tensor:
        x = x - self._moved(x)
        return (-x + logsigmoid(x) + y[..., :-1].log()).sum(-1)


def biject_to(constraint) -> Transform:
    """The transform that maps all numbers, one to one, onto what a constraint allows.

    Raises NotImplementedError for one that has none here.
    """
    low, high = (getattr(constraint, end, None) for end in ("lower_bound", "upper_bound"))
    if constraint is constraints.simplex:
        return StickBreakingTransform()
    if low is None and high is None and constraint not in (constraints.real, constraints.real_vector):
        raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
    if low is None:
        return identity_transform if high is None else ComposeTransform([ExpTransform(), AffineTransform(high, -1)])
    begin, scale = (ExpTransform(), 1) if high is None else (SigmoidTransform(), high - low)
    return begin if (low, scale) == (0, 1) else ComposeTransform([begin, AffineTransform(low, scale)])


def transform_to(constraint) -> Transform:
    """`biject_to`, or one that need not be one to one, where that is simpler: softmax for shares."""
    return SoftmaxTransform() if constraint is constraints.simplex else biject_to(constraint)


__getattr__ = attributes(__name__)
