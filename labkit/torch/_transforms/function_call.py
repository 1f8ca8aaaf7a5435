"""One run of a function inside a transform of `torch.func`: its arguments and its result, taken apart."""

from contextlib import nullcontext

import numpy as np

from ... import engine
from ...dialects.argument_types import as_tuple, of_kind
from ...engine import isbox
from .._error_texts import error
from .._tape import grad_mode
from .._tape.saved_values import refused
from .._tensor.tensor import Tensor

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
    looked._level = grad_mode.transform_level()
    return _argument(value, looked)


class Call:
    """The one run of a transform's function: what it returned, taken apart."""

    def __init__(self, func, has_aux, name, check):
        self.func, self.has_aux, self.name, self.check = func, has_aux, name, check

    def run(self, values, callers, rebuild, differentiable):
        """The values of the outputs, then those of the aux."""
        self.level = values[0]._trace
        with grad_mode.inside_transform(self.level), refused(NO_HOOKS) if differentiable else nullcontext():
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
    """Tensors of values that a transform leaves to the mode outside it."""
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
        of_kind(leaf, Tensor, "{name}: expected Tensors as inputs, but got {kind}: pass it by another argument",
            ValueError, name=name)  # fmt: skip


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


def checked_argnums(argnums, count):
    """The positions `argnums` names among `count` arguments, counted from the front."""
    of_kind(argnums, (int, tuple, bool), "argnums must be int or Tuple[int, ...], got: {type}", RuntimeError)
    places = as_tuple(argnums)
    if not places:
        raise RuntimeError("argnums must be non-empty")
    for p in places:
        of_kind(p, (int, bool), "argnum must be int, got: {type}", RuntimeError)
        if not -count <= p < count:
            raise RuntimeError(f"Got argnum={p}, but only {count} positional inputs")
    places = tuple(p % count for p in places)
    if len(set(places)) < len(places):
        raise RuntimeError(f"argnums elements must be unique, got {places}")
    return places


def check_tangent(tensor, tangent):
    """Raise RuntimeError unless both have one shape."""
    if tensor.shape != tangent.shape:
        raise error("tangent_size", shape=list(tensor.shape), given=list(tangent.shape))


def split_aux(out, has_aux, call):
    """`(output, aux)` of what a function returned."""
    if not has_aux:
        return out, None
    if not (isinstance(out, tuple) and len(out) == 2):
        raise RuntimeError(f"{call}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return out


def checked_aux(aux):
    """The leaves of `aux`, which have to be tensors."""
    leaves, _ = flatten(aux)
    for leaf in leaves:
        of_kind(leaf, Tensor, "Expected tensors, got unsupported type {type}", RuntimeError)
    return leaves


def check_outputs(out, call):
    """Raise unless `out` is one or more tensors, however nested in tuples, lists and dicts."""
    leaves, _ = flatten(out)
    if not leaves or leaves == [None]:
        raise RuntimeError(f"{call}: Expected f to be a function that has non-empty output (got output = {leaves})")
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise error(
                "output_type",
                call=call,
                args=call[:-1].partition("(")[2].split(", ")[1].lstrip("*"),
                type=type(leaf),
            )


def check_scalar(out):
    """Raise unless `out` is a tensor without dimensions."""
    of_kind(out, Tensor, "grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type}", RuntimeError)
    if out.ndim:
        raise error("scalar_output", ndim=out.ndim)


def check_jvp(primals, tangents, call):
    """Raise unless `primals` and `tangents` are tuples of tensors of one structure and of the same shapes."""
    of_kind(primals, tuple, "{call}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).",
        RuntimeError, call=call)  # fmt: skip
    if structure(primals) != structure(tangents):
        raise error("jvp_structure", call=call, structure=structure(primals), structure2=structure(tangents))
    for name, tree in (("primals", primals), ("tangents", tangents)):
        leaves, _ = flatten(tree)
        if not leaves:
            raise RuntimeError(f"{call}: Expected {name} to contain at least one Tensor.")
        for leaf in leaves:
            of_kind(leaf, Tensor, "{call}: Expected {name} to only contain Tensors, got {type}", RuntimeError,
                call=call, name=name)  # fmt: skip
    for primal, tangent in zip(flatten(primals)[0], flatten(tangents)[0], strict=True):
        check_tangent(primal, tangent)


def check_cotangents(cotangents, output):
    """Raise unless `cotangents` has the structure and the shapes of `output`."""
    given, expected = structure(cotangents), structure(output)
    if given != expected:
        raise error("cotangent_structure", given=given, expected=expected)
    for i, (g, out) in enumerate(zip(flatten(cotangents)[0], flatten(output)[0], strict=True)):
        check_shape(i, g.shape, out.shape)


def check_shape(i, given, expected):
    """Raise unless the gradient of output number `i` has the shape of that output."""
    if given != expected:
        raise error("grad_output_shape", i=i, given=given, expected=expected)


def units(tensor):
    """Arrays like `tensor` with a single 1, one for each element."""
    for index in np.ndindex(tuple(tensor.shape)):
        unit = np.zeros(tuple(tensor.shape), tensor._array.dtype)
        unit[index] = 1
        yield unit


def structure(tree):
    """How tuples, lists and dicts nest in `tree`, a `*` for each leaf."""
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{key!r}: {structure(branch)}" for key, branch in tree.items()) + "}"
    if isinstance(tree, tuple):
        return "(" + ", ".join(map(structure, tree)) + (",)" if len(tree) == 1 else ")")
    return "[" + ", ".join(map(structure, tree)) + "]" if isinstance(tree, list) else "*"


def flatten(tree):
    """The leaves of `tree` in order, and a function that puts a list of new ones in their places."""
    found: list = []
    _collect(tree, found)

    def rebuild(leaves):
        return _filled(tree, iter(leaves))

    return found, rebuild


def _collect(tree, found):
    if isinstance(tree, dict):
        tree = list(tree.values())
    if isinstance(tree, (tuple, list)):
        for branch in tree:
            _collect(branch, found)
    else:
        found.append(tree)


def _filled(tree, leaves):
    if isinstance(tree, dict):
        return type(tree)((key, _filled(branch, leaves)) for key, branch in tree.items())
    if isinstance(tree, (tuple, list)):
        branches = [_filled(branch, leaves) for branch in tree]
        return type(tree)(*branches) if hasattr(tree, "_fields") else type(tree)(branches)
    return next(leaves)


def mapped(fun, tree):
    """`fun` of each tensor in `tree`; other leaves as they are."""
    leaves, rebuild = flatten(tree)
    return rebuild([fun(leaf) if isinstance(leaf, Tensor) else leaf for leaf in leaves])
