"""The user's own derivatives: an op with its rule, and a value that every derivative treats as a constant."""

from collections.abc import Callable
from functools import wraps

import numpy as np
from autograd.extend import defvjp_argnums, primitive, register_notrace, vspace
from autograd.tracer import find_top_boxed_args
from autograd.util import subvals

from .box_errors import run
from .boxes import new_box
from .checks import check_function, numeric
from .dtypes import Array, shape_of
from .forward import Forward
from .reverse import Reverse

NO_TUPLE = "custom_vjp: expected the rule to return a tuple with one gradient per argument, but got {kind}"
OTHER_COUNT = "custom_vjp: expected {expected} gradients, one per argument, but got {got}"
OTHER_SHAPE = (
    "custom_vjp: expected the rule's gradient {place} to have shape {expected}, like its argument, but got {got}"
)


def custom_vjp(fun, rule, made_of_ops=False, any_shape=False) -> Callable:
    """`fun` as one op of the graph, with its own derivative.

    `rule(ans, g, *args)`, with the keywords of the call, gives one gradient per argument (None for zero); it may itself be
    differentiated. Where `fun` is `made_of_ops`, a compiled program gets these instead of a call of `fun`. Each gradient has the
    shape of its argument, else ValueError is raised, unless `any_shape` lets it pass, as MindSpore does.

    >>> from labkit.engine import grad
    >>> straight_through = custom_vjp(np.round, lambda ans, g, x: (g,))
    >>> float(grad(straight_through)(2.4))
    1.0
    """
    check_function("custom_vjp(f, rule)", fun)
    check_function("custom_vjp(f, rule)", rule)
    op = _seen_through(fun) if made_of_ops else primitive(_own(fun))

    def pull(argnums, ans, args, kwargs):
        def back(g):
            answers = run(rule, (ans, g, *args), kwargs)
            if not isinstance(answers, (tuple, list)):
                raise TypeError(NO_TUPLE.format(kind=type(answers).__name__))
            if len(answers) != len(args):
                raise ValueError(OTHER_COUNT.format(expected=len(args), got=len(answers)))
            given = [vspace(args[i]).zeros() if answers[i] is None else answers[i] for i in argnums]
            return [_fitting(g, None if any_shape else args[i], i) for g, i in zip(given, argnums, strict=True)]

        return back

    defvjp_argnums(op, pull)
    return op


def _fitting(g, arg, place):
    """A rule's gradient, which has the shape of its argument, where one is given."""
    g = numeric(g, "custom_vjp: the rule's gradient")
    if arg is not None and shape_of(g) != shape_of(arg):
        raise ValueError(OTHER_SHAPE.format(place=place, expected=shape_of(arg), got=shape_of(g)))
    return g


def _own(fun):
    """`fun`; for a ufunc a function around it, because autograd has a primitive of that ufunc already."""
    return wraps(fun)(lambda *args, **kwargs: fun(*args, **kwargs)) if isinstance(fun, np.ufunc) else fun


def _seen_through(fun):
    """`fun` as one op, except for nodes with `sees_through`, which record the ops inside."""

    @wraps(fun)
    def op(*args, **kwargs):
        boxed, level, node = find_top_boxed_args(args)[:3]
        if not boxed or getattr(node, "sees_through", False):
            return fun(*args, **kwargs)
        values = subvals(args, [(i, box._value) for i, box in boxed])
        ans = op(*values, **kwargs)
        argnums, parents = tuple(i for i, _ in boxed), tuple(box._node for _, box in boxed)
        return new_box(ans, level, node(ans, op, values, kwargs, argnums, parents))

    return op


@primitive
def stop_gradient(x) -> Array:
    """`x` unchanged, but a constant to every derivative taken around this call.

    `x`: a number or an array. Raises TypeError for anything else.

    >>> from labkit import grad, stop_gradient
    >>> float(grad(lambda x: x * stop_gradient(x))(3.0))
    3.0
    """
    numeric(x, "stop_gradient")
    return x


for _node in (Reverse, Forward):  # what is recorded shares its set with the first
    register_notrace(_node, stop_gradient)
