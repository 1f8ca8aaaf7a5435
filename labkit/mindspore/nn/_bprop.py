"""A cell with a derivative of its own: `construct` as one op of the graph, whose rule is the cell's `bprop`."""

import inspect

from ...engine import custom_vjp, isbox, shape_of, unbroadcast_f
from ...kinds import as_tuple, of_kind
from ...packed import forms, pack, unpack
from ..context import in_graph_mode
from ..ops import stop_gradient
from ..tensor import Tensor, wrap


def with_own_derivative(cell, args, kwargs):
    """Run `construct` as one op whose derivative is the cell's `bprop`; unless nothing is being differentiated."""
    if kwargs:
        bound = inspect.signature(cell.construct).bind(*args, **kwargs)
        bound.apply_defaults()
        args = bound.args
    boxed = [i for i, a in enumerate(args) if isinstance(a, Tensor) and isbox(a._value)]
    if not boxed:
        return stop_gradient(cell.construct(*args))  # its parameters get no gradient but through `bprop`
    level = max(args[i]._value._trace for i in boxed)
    packing = _Packing()

    def forward(*values):
        out = cell.construct(*_with_values(args, boxed, values))
        return packing.packed(out, level)

    def rule(ans, g, *values):
        found = cell.bprop(*_with_values(args, boxed, values), packing.tensors(ans), packing.tensors(g))
        return _gradients(cell, found, args, boxed, values)

    return packing.tensors(
        custom_vjp(forward, rule, made_of_ops=True, any_shape=True)(*(args[i]._value for i in boxed))
    )


class _Packing:
    """How the outputs of one call lie in one array, for an op has one: a single one as it is, several one after the other."""

    def packed(self, out, level):
        self.kind = type(out) if isinstance(out, (tuple, list)) else None
        if self.kind is None:
            return _without_level(out._value, level)
        values = [_without_level(o._value, level) for o in out]
        self.forms = forms(values)
        return pack(values)

    def tensors(self, packed):
        """The outputs, or their gradients, as tensors again."""
        if self.kind is None:
            return wrap(packed)
        return self.kind(map(wrap, unpack(packed, self.forms)))


def _with_values(args, places, values):
    filled = list(args)
    for place, value in zip(places, values, strict=True):
        filled[place] = wrap(value)
    return filled


def _gradients(cell, found, args, boxed, values):
    """The gradients of the differentiated inputs, out of the tuple that `bprop` returned."""
    if in_graph_mode():
        _check_in_graph(found, args, cell)
    found = as_tuple(found, (tuple, list))
    if len(found) < len(args):
        raise RuntimeError(f"Grad size should lager than forward inputs, but got {len(found)} vs {len(args)}\n")
    gradients = [found[i]._value if isinstance(found[i], Tensor) else None for i in boxed]
    return [g if g is None else _summed_to_shape(g, v) for g, v in zip(gradients, values, strict=True)]


def _check_in_graph(found, args, cell):
    of_kind(found, tuple, "For bprop function, output should be a tuple, but got {kind}\n")
    if len(found) != len(args):
        raise RuntimeError(
            "The output size of the 'bprop' must match the number of parameters in its corresponding primal function "
            f"'{cell.cls_name}()' : {len(found)} vs. {len(args)}."
        )


def _summed_to_shape(gradient, value):
    """A gradient summed to the shape of its input, where `bprop` gave one that was broadcast."""
    return gradient if shape_of(gradient) == shape_of(value) else unbroadcast_f(value, lambda g: g)(gradient)


def _without_level(value, level):
    return value._value if isbox(value) and value._trace == level else value
