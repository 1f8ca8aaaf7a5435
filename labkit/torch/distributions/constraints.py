"""What parameters and samples have to be: `constraints.positive.check(x)` says it of each element, or of each event.

A constraint is a condition and the bounds in it; an event is what its last `event_dim` dimensions hold.
"""

from typing import Any

import numpy as np

from ...aliases import attributes
from .._dispatch import off_tape
from .._tensor import Tensor

__all__ = [
    "Constraint", "boolean", "dependent_property", "greater_than", "greater_than_eq", "half_open_interval",
    "independent", "integer_interval", "interval", "less_than", "lower_cholesky", "multinomial", "nonnegative",
    "nonnegative_integer", "one_hot", "positive", "positive_definite", "real", "real_vector", "simplex",
    "unit_interval",
]  # fmt: skip


class Constraint:
    """A region in which a tensor's elements, or events of `event_dim` dimensions, have to lie.

    >>> import labkit.torch as torch
    >>> interval(0.0, 1.0).check(torch.tensor([0.5, 2.0]))
    tensor([ True, False])
    """

    is_discrete: Any = False
    event_dim: Any = 0

    def check(self, value) -> Tensor:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__.lstrip('_')}({', '.join(f'{k}={v}' for k, v in vars(self).items())})"


def _region(name, condition, bounds="", is_discrete=False, event_dim=0) -> Any:
    """The class of constraints with `bounds`, between which `condition(value, *bounds)` holds."""

    def __init__(self, *given, **named):
        named.update(zip(bounds.split(), given))
        self.__dict__.update({n: named[n] for n in bounds.split()})

    check = lambda self, value: condition(value, *vars(self).values())
    members = {"is_discrete": is_discrete, "event_dim": event_dim, "__init__": __init__, "check": check}
    return type(f"_{name}", (Constraint,), {**members, "__module__": __name__, "__doc__": f"`{name}` with its bounds."})


def _all(x, dims):
    return x.reshape(*x.shape[: x.ndim - dims], -1).all(-1)


def _is_definite(x):
    positive = off_tape(np.linalg.eigvalsh(np.nan_to_num(x._array)).min(-1) > 0, "eigvalsh", x)
    return _all((x - x.mT).abs() < 1e-6, 2) & positive


_ENDS = "lower_bound upper_bound"
greater_than = _region("GreaterThan", lambda x, low: low < x, "lower_bound")
greater_than_eq = _region("GreaterThanEq", lambda x, low: low <= x, "lower_bound")
less_than = _region("LessThan", lambda x, high: x < high, "upper_bound")
interval = _region("Interval", lambda x, low, high: (low <= x) & (x <= high), _ENDS)
half_open_interval = _region("HalfOpenInterval", lambda x, low, high: (low <= x) & (x < high), _ENDS)
integer_interval = _region("IntegerInterval", lambda x, low, high: (x % 1 == 0) & (low <= x) & (x <= high), _ENDS, True)
nonnegative_integer = _region("IntegerGreaterThan", lambda x, low: (x % 1 == 0) & (x >= low), "lower_bound", True)(0)
real = _region("Real", lambda x: x == x)()
positive, nonnegative, unit_interval = greater_than(0.0), greater_than_eq(0.0), interval(0.0, 1.0)
boolean = _region("Boolean", lambda x: (x == 0) | (x == 1), "", True)()
one_hot = _region("OneHot", lambda x: boolean.check(x).all(-1) & x.sum(-1).eq(1), "", True, 1)()
multinomial = _region("Multinomial", lambda x, bound: (x >= 0).all(-1) & (x.sum(-1) == bound), "upper_bound", True, 1)
simplex = _region("Simplex", lambda x: (x >= 0).all(-1) & ((x.sum(-1) - 1).abs() < 1e-6), event_dim=1)()
lower_cholesky = _region(
    "LowerCholesky", lambda x: _all(x.tril() == x, 2) & (x.diagonal(0, -2, -1) > 0).all(-1), event_dim=2
)()
positive_definite = _region("PositiveDefinite", _is_definite, event_dim=2)()


multinomial.__repr__ = lambda self: "Multinomial()"


class independent(Constraint):
    """A constraint of events: all elements over `reinterpreted_batch_ndims` more dimensions fulfil `base_constraint`."""

    def __init__(self, base_constraint, reinterpreted_batch_ndims):
        self.base_constraint, self.reinterpreted_batch_ndims = base_constraint, reinterpreted_batch_ndims
        self.is_discrete = base_constraint.is_discrete
        self.event_dim = base_constraint.event_dim + reinterpreted_batch_ndims

    def check(self, value) -> Tensor:
        return _all(self.base_constraint.check(value), self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"IndependentConstraint({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class dependent_property(property, Constraint):
    """A property that is a constraint, which only an instance knows."""

    def __init__(self, fn=None, *, is_discrete=False, event_dim=0):
        super().__init__(fn)
        self.is_discrete, self.event_dim = is_discrete, event_dim

    def __call__(self, fn) -> "dependent_property":
        return dependent_property(fn, is_discrete=self.is_discrete, event_dim=self.event_dim)


real_vector = independent(real, 1)
__getattr__ = attributes(__name__)
