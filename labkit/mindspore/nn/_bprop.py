"""A cell with a derivative of its own: `construct` as one op of the graph, whose rule is the cell's `bprop`."""

import inspect

from ...kinds import as_tuple, of_kind
from .._own_rule import OwnRule
from ..context import in_graph_mode
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
