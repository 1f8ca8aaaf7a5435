"""A cell with a derivative of its own: `construct` as one op of the graph, whose rule is the cell's `bprop`."""

import inspect

from ...dialects.argument_types import as_tuple, of_kind
from ...dialects.packed_arrays import forms, pack, unpack
from ...engine import custom_vjp, isbox, shape_of, unbroadcast_f
from ..common.tensor import Tensor, wrap
from ..context import in_graph_mode
from ..gradient.tensor_hooks import marked
from ..ops import stop_gradient


def with_own_derivative(cell, args, kwargs):
    """Run `construct` as one op whose derivative is the cell's `bprop`; unless nothing is being differentiated."""
    if kwargs:
        bound = inspect.signature(cell.construct).bind(*args, **kwargs)
        bound.apply_defaults()
        args = bound.args
    own = OwnRule(cell.construct, lambda args, out, dout: _checked(cell, cell.bprop(*args, out, dout), args), args)
    if not own.boxed:
        return stop_gradient(cell.construct(*args))  # its parameters get no gradient but through `bprop`
    return own.run()


def _checked(cell, found, args):
    """The tuple that `bprop` returned, which has a gradient for each argument."""
    if in_graph_mode():
        _check_in_graph(found, args, cell)
    found = as_tuple(found, (tuple, list))
    if len(found) < len(args):
        raise RuntimeError(f"Grad size should lager than forward inputs, but got {len(found)} vs {len(args)}\n")
    return found


def _check_in_graph(found, args, cell):
    of_kind(found, tuple, "For bprop function, output should be a tuple, but got {kind}\n")
    if len(found) != len(args):
        raise RuntimeError(
            "The output size of the 'bprop' must match the number of parameters in its corresponding primal function "
            f"'{cell.cls_name}()' : {len(found)} vs. {len(args)}."
        )


NOT_BROADCAST = (
    "For grad interface or custom function, grad tensor should be broadcast to expected shape, but got "
    "[const vector]{{{}}} vs [const vector]{{{}}}\n"
)


class OwnRule:
    """One call of `forward(*args)` as one op with the rule `back(args, out, gradients)`.

    `back` gets the arguments and the output as they are then, for the rule may itself be differentiated; it returns a tuple
    of gradients, one for each argument, None for zero. `arrived` are the numbers of the outputs that got a gradient.
    """

    def __init__(self, forward, back, args):
        self.forward, self.back, self.args = forward, back, args
        self.boxed = [i for i, a in enumerate(args) if isinstance(a, Tensor) and isbox(a._value)]
        self.arrived: set = set()

    def run(self):
        """The output, a tensor or a tuple or list. At least one of the arguments is a box."""
        values = [self.args[i]._value for i in self.boxed]
        self.level = max(value._trace for value in values)
        return self._tensors(custom_vjp(self._packed, self._rule, made_of_ops=True, any_shape=True)(*values), marked)

    def _with_values(self, values):
        filled = list(self.args)
        for place, value in zip(self.boxed, values, strict=True):
            filled[place] = wrap(value)
        return filled

    def _packed(self, *values):
        """The outputs in one array, for an op has one: a single one as it is, several one after the other."""
        self.out = self.forward(*self._with_values(values))
        if isinstance(self.out, Tensor):
            return self._lowered(self.out)
        found = [self._lowered(o) for o in self.out if isinstance(o, Tensor)]
        self.forms = forms(found)
        return pack(found)

    def _tensors(self, packed, mark=lambda value, place, seen: value, others=True):
        """The outputs, or their gradients, as tensors again; what is no tensor as it is, or None."""
        if isinstance(self.out, Tensor):
            return wrap(packed)
        parts = iter(unpack(packed, self.forms))
        places = [i for i, o in enumerate(self.out) if isinstance(o, Tensor)]
        filled = [o if others else None for o in self.out]
        for i in places:
            filled[i] = wrap(mark(next(parts), i, self.arrived))
        return type(self.out)(filled)

    def _lowered(self, tensor):
        value = tensor._value
        return value._value if isbox(value) and value._trace == self.level else value

    def _rule(self, ans, g, *values):
        args = self._with_values(values)
        found = self.back(args, self._tensors(ans), self._tensors(g, others=False))
        self.arrived.clear()
        gradients = [found[i]._value if isinstance(found[i], Tensor) else None for i in self.boxed]
        return [g if g is None else _summed_to_shape(g, v) for g, v in zip(gradients, values, strict=True)]


def _summed_to_shape(gradient, value):
    """A gradient summed to the shape of its input, where the rule gave one that was broadcast.

    Raises RuntimeError where no input of that shape can have been broadcast to the gradient's.
    """
    given, expected = shape_of(gradient), shape_of(value)
    if len(given) < len(expected) or any(n not in (1, g) for n, g in zip(expected[::-1], given[::-1], strict=False)):
        raise RuntimeError(NOT_BROADCAST.format(*(", ".join(map(str, shape)) for shape in (given, expected))))
    return gradient if shape_of(gradient) == shape_of(value) else unbroadcast_f(value, lambda g: g)(gradient)
