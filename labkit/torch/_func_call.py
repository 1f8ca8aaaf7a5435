"""One run of a function inside a transform of `torch.func`: what it is given, and what it returned, taken apart."""

from contextlib import nullcontext

import numpy as np

from .. import engine
from ..engine import isbox
from ..kinds import of_kind
from . import _modes
from ._func_checks import check_outputs, check_scalar, checked_argnums, checked_aux, split_aux
from ._saved import refused
from ._tensor import Tensor
from ._tree import flatten, mapped

NO_HOOKS = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with your use "
    "case."
)
GRAD = "grad_and_value(f)(*args)"


def values_of(tensors):
    return [t._recorded() for t in tensors]


def _tensors(values):
    return [Tensor._wrap(v) for v in values]


def _arguments(values, callers, differentiable):
    """A transform's arguments as its function sees them. In reverse mode they are leaves, which no op may change;
    forward mode writes through to its caller's tensors."""
    if not differentiable:
        return [_dual(v, caller) for v, caller in zip(values, callers, strict=True)]
    made = _tensors(values)
    for t in made:
        t._requires = True
    return made


def _argument(value, caller):
    """An argument that writes through to its caller's tensor. It has memory of its own, for what the transform saves."""
    made = Tensor._wrap(value)
    made._data, made._primal = made._data if isbox(made._data) else np.array(made._data), caller
    return made


def _dual(value, caller):
    looked = caller.view_as(caller)
    looked._level = _modes.transform_level()
    return _argument(value, looked)


class Call:
    """The one run of a transform's function: what it returned, taken apart."""

    def __init__(self, func, has_aux, name, check):
        self.func, self.has_aux, self.name, self.check = func, has_aux, name, check

    def run(self, values, callers, rebuild, differentiable):
        """The values of the outputs, then those of the aux."""
        self.level = values[0]._trace
        with _modes.inside_transform(self.level), refused(NO_HOOKS) if differentiable else nullcontext():
            out = self.func(*rebuild(_arguments(values, callers, differentiable)))
            out, self.aux = split_aux(out, self.has_aux, self.name)
            self.check(out)
            outputs, self.like = flatten(out)
            found = [t._value for t in (*outputs, *(checked_aux(self.aux) if self.has_aux else ()))]
        self.count = len(outputs)
        self.independent = not all(isbox(v) and v._trace == self.level for v in found[: self.count])
        return found

    def output(self, flat):
        return self.like(_modern(flat[: self.count]))

    def aux_of(self, flat):
        found = iter(_modern(flat[self.count :]))
        return mapped(lambda _: next(found), self.aux)


def _modern(values):
    """Tensors of values that a transform leaves to the mode outside of it."""
    return [Tensor._wrap(t._recorded()) if isbox(t._data) or t._node_edge else t for t in _tensors(values)]


def pullback(func, primals, has_aux, name):
    """`(output tree, aux, pull)`; `pull(cotangent values)` gives a tree like `primals`."""
    leaves, rebuild = flatten(tuple(primals))
    _require_tensors(leaves, name)
    call = Call(func, has_aux, name, check_scalar if name == GRAD else lambda out: check_outputs(out, name))
    flat, pull_values = engine.vjp(lambda *values: call.run(values, leaves, rebuild, True), *values_of(leaves))

    def pull(cotangents):
        zeros = [np.zeros(np.shape(engine.getval(v)), engine.dtype_of(v)) for v in flat[call.count :]]
        return rebuild(_modern(pull_values([*cotangents, *zeros])))

    return call.output(flat), call.aux_of(flat) if has_aux else None, pull


def _require_tensors(leaves, name):
    if not leaves:
        raise RuntimeError(f"{name}: Expected primals to contain at least one Tensor.")
    for leaf in leaves:
        of_kind(
            leaf,
            Tensor,
            "{name}: expected Tensors as inputs, but got {kind}: pass it by another argument",
            ValueError,
            name=name,
        )


def of_chosen(func, args, kwargs, argnums, allow_none=False):
    """`func` as a function of the arguments at `argnums` (None: all), and those arguments."""
    places = tuple(range(len(args))) if argnums is None and allow_none else checked_argnums(argnums, len(args))

    def of_those(*chosen):
        filled = [_argument(a._recorded(), a) if isinstance(a, Tensor) else a for a in args]
        for place, value in zip(places, chosen, strict=True):
            filled[place] = value
        return func(*filled, **kwargs)

    return of_those, [args[p] for p in places]


def require_floating(trees):
    for leaf in flatten(tuple(trees))[0]:
        if isinstance(leaf, Tensor) and not leaf.dtype.is_floating_point:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
