"""`Distribution`: parameters, checked and broadcast; samples as transforms of noise; the log of the density."""

import inspect
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

from ...aliases import attributes
from ...layout import Placed
from .. import _modes
from .._creation import empty
from .._size import Size
from .._tensor import Tensor
from ..autograd import grad
from . import constraints
from .utils import broadcast_all, lazy_property

__all__ = ["Distribution", "ExponentialFamily"]

_CONSTRAINTS = {
    "loc": constraints.real, "scale": constraints.positive, "rate": constraints.positive, "probs": constraints.unit_interval,
    "logits": constraints.real, "df": constraints.positive, "df1": constraints.positive, "df2": constraints.positive,
    "concentration": constraints.positive, "concentration1": constraints.positive, "concentration0": constraints.positive,
}  # fmt: skip


def given_one(probs=None, logits=None) -> dict[str, Tensor]:
    """The one of the two that is given. Raises ValueError for none, and for both."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")
    return {"probs": probs} if logits is None else {"logits": logits}


class Distribution(metaclass=Placed):
    """A batch (`batch_shape`) of distributions, whose samples each have `event_shape`.

    One of them is its parameters, which `arg_constraints` names; `rsample`, a transform of noise that passes gradients on to
    them (or `sample`, which does not); and `log_prob`. Raises ValueError for parameters or values that break their constraints,
    unless `validate_args` is False.

    >>> import labkit.torch as torch
    >>> class Shifted(Distribution):
    ...     arg_constraints, support = {"loc": constraints.real}, constraints.real
    ...     def __init__(self, loc):
    ...         self.loc = loc
    ...         super().__init__(loc.shape)
    ...     def rsample(self, sample_shape=()):
    ...         return self.loc + torch.rand(self._extended_shape(sample_shape))
    >>> loc = torch.zeros(3, requires_grad=True)
    >>> Shifted(loc).rsample((2,)).sum().backward()
    >>> loc.grad
    tensor([2., 2., 2.])
    """

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...  # the parameters

    has_rsample: Any = False
    has_enumerate_support = False
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value) -> None:
        """Say whether distributions check what they are given, where they are not told."""
        Distribution._validate_args = value

    def __init__(self, batch_shape=(), event_shape=(), validate_args=None):
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()

    def _check_parameters(self):
        if not hasattr(self, "arg_constraints"):
            self._warn("arg_constraints", "Please set `arg_constraints = {}` or initialize")
        for name, constraint in getattr(self, "arg_constraints", {}).items():
            lazy = name not in vars(self) and isinstance(getattr(type(self), name, None), lazy_property)
            if not lazy:
                words = f"parameter {name}", f"of distribution {self!r} to satisfy the constraint {constraint!r}"
                self._check(getattr(self, name), constraint, *words)

    def _warn(self, lacked, advice):
        warnings.warn(f"{type(self)} does not define `{lacked}`{'.' if lacked[0] == 'a' else ''} {advice} the distribution with "
                      "`validate_args=False` to turn off validation.", stacklevel=4)  # fmt: skip

    @staticmethod
    def _check(value, constraint, what, rule) -> None:
        if not constraint.check(value).all():
            kind = f"({type(value).__name__} of shape {tuple(value.shape)})"
            raise ValueError(f"Expected {what} {kind} {rule}, but found invalid values:\n{value}")

    def _get_checked_instance(self, cls, _instance=None):
        """A bare one of this class to fill; NotImplementedError for a subclass with an `__init__` and no `expand` of its own."""
        if _instance is None and type(self).__init__ != cls.__init__:
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method must also define a "
                "custom .expand() method."
            )
        return type(self).__new__(type(self)) if _instance is None else _instance

    def expand(self, batch_shape, _instance=None) -> "Distribution":
        """The same distribution for each place of a larger batch."""
        new = type(self).__new__(type(self)) if _instance is None else _instance
        new.__dict__.update(vars(self))
        new._batch_shape, known = Size(batch_shape), len(self._batch_shape)
        for name, value in vars(self).items():
            if isinstance(value, Tensor):
                new.__dict__[name] = value.expand(*batch_shape, *value.shape[known:])
        return new

    def _given(self):
        return [name for name in self.arg_constraints if name in vars(self)]

    batch_shape = property(lambda self: self._batch_shape, doc="The shape of the parameters without that of an event.")
    event_shape = property(lambda self: self._event_shape, doc="The shape of one sample of one of the batch.")
    stddev = property(lambda self: self.variance.sqrt(), doc="The standard deviation.")

    def sample(self, sample_shape=()) -> Tensor:
        """Numbers of shape `sample_shape + batch_shape + event_shape`, off the tape."""
        with _modes.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=()) -> Tensor:
        """Such numbers as a function of the parameters and of noise, so that gradients come to the parameters."""
        parameter = next(v for v in vars(self).values() if isinstance(v, Tensor)) if self.has_rsample else self._none()
        return self._of_noise(self._noise(empty(self._extended_shape(sample_shape), dtype=parameter.dtype)))

    def log_prob(self, value) -> Tensor:
        """The logarithm of the density, or of the probability, at each event of `value`."""
        return self._log_density(self._valid(value))

    def cdf(self, value) -> Tensor:
        """How probable it is to be at most `value`."""
        return self._below(self._valid(value))

    def entropy(self) -> Tensor:
        """The mean of -log_prob, for each of the batch."""
        return self._none()

    def perplexity(self) -> Tensor:
        """exp(entropy)."""
        return self.entropy().exp()

    def enumerate_support(self, expand=True) -> Tensor:
        """All values of a discrete distribution along the first dimension; for each of the batch with `expand`."""
        values = self._values() if self.has_enumerate_support else self._none()
        values = values.reshape(len(values), *(1 for _ in self._batch_shape), *values.shape[1:])
        return values.expand(len(values), *self._batch_shape, *self._event_shape) if expand else values

    @property
    def mode(self) -> Tensor:
        """The most probable event."""
        raise NotImplementedError(f"{type(self)} does not implement mode")

    def _none(self, *args):
        raise NotImplementedError

    mean = variance = property(_none)
    icdf = _log_density = _below = _of_noise = _noise = _none

    def _extended_shape(self, sample_shape=()):
        return Size(sample_shape) + self._batch_shape + self._event_shape

    def _valid(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return value

    def _validate_sample(self, value):
        """Raises ValueError for a value that is no tensor, whose shape does not fit, or that is beyond the support."""
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        shape, expected = value.shape, self._batch_shape + self._event_shape
        if shape[value.ndim - len(self._event_shape) :] != self._event_shape:
            raise ValueError(f"The right-most size of value must match event_shape: {shape} vs {self._event_shape}.")
        if any(i != 1 and j != 1 and i != j for i, j in zip(reversed(shape), reversed(expected))):
            raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {expected}.")
        if not hasattr(self, "support"):
            self._warn("support", "to enable sample validation. Please initialize")
            return
        self._check(value, self.support, "value argument", f"to be within the support ({self.support!r}) "
                    f"of the distribution {self!r}")  # fmt: skip

    def __repr__(self):
        shown = ((name, vars(self)[name]) for name in self._given())
        return f"{type(self).__name__}({', '.join(f'{n}: {v if v.numel() == 1 else v.size()}' for n, v in shown)})"


class ExponentialFamily(Distribution):
    """A distribution with the density exp(<t(x), n> - F(n) + k(x)), of natural parameters n.

    A subclass defines `_natural_params`, a tuple, `_log_normalizer(*params)`, F, and `_mean_carrier_measure`, the mean of k;
    the entropy follows from the slope of F.
    """

    @property
    def _natural_params(self):
        raise NotImplementedError

    def _log_normalizer(self, *natural_params):
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self):
        raise NotImplementedError

    def entropy(self) -> Tensor:
        carried = self._mean_carrier_measure
        params = [p.detach().requires_grad_() for p in self._natural_params]
        normalizer = self._log_normalizer(*params)
        slopes = grad(normalizer.sum(), params, create_graph=True)
        spread = sum((p * g).reshape(*self._batch_shape, -1).sum(-1) for p, g in zip(params, slopes, strict=True))
        return normalizer - spread - carried


class OfElements(Distribution):
    """A distribution of numbers, one for each element of its parameters: numbers and tensors, which are broadcast.

    `class Normal(OfElements, takes="loc scale")` says all of its parameters (`scale=1.0`: with its default); of `probs` and
    `logits` one is given.
    """

    _takes: inspect.Signature
    _defaults: dict[str, float] = {}

    def __init_subclass__(cls, takes="", **facts):
        super().__init_subclass__(**facts)
        names = dict(word.partition("=")[::2] for word in takes.split())
        if names:
            cls.arg_constraints = vars(cls).get("arg_constraints") or {n: _CONSTRAINTS[n] for n in names}
            cls._defaults = {n: float(value) for n, value in names.items() if value}
            default: dict[str, Any] = {"default": None} if "logits" in names else {}
            option = partial(inspect.Parameter, kind=inspect.Parameter.POSITIONAL_OR_KEYWORD)
            optional = {n: {"default": cls._defaults[n]} if n in cls._defaults else default for n in names}
            cls._takes = inspect.Signature(
                [*(option(n, **optional[n]) for n in names), option("validate_args", default=None)]
            )
        cls.has_rsample = cls.has_rsample or cls._of_noise is not Distribution._of_noise

    def __init__(self, *parameters, **named):
        given = {**self._defaults, **self._takes.bind(*parameters, **named).arguments}
        validate_args = given.pop("validate_args", None)
        values = given_one(**given) if "logits" in self._takes.parameters else given
        found = broadcast_all(*values.values())
        self.__dict__.update(zip(values, found))
        super().__init__(found[0].shape, validate_args=validate_args)


__getattr__ = attributes(__name__)
