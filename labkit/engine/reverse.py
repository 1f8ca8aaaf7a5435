"""Derivatives: the reverse pass, the forward pass, and what is built from the two.

`vjp` is the one place where a function is run under boxes and walked back; everything else is a few lines on top of it or
of `jvp`. Functions here take and return NumPy arrays (write them with `autograd.numpy`); every output, however nested in
tuples, lists and dicts, counts, and integers are differentiated too.
"""

from functools import wraps

import autograd.numpy as anp
import numpy as np
from autograd.core import SparseBox, SparseObject, sparse_add
from autograd.extend import defvjp_argnums, primitive, register_notrace, vspace
from autograd.tracer import find_top_boxed_args
from autograd.util import subvals

from .boxes import box, numeric
from .guest import inside, new_level
from .mistakes import check_function, run
from .record import Forward, Record, Reverse, getval, isbox, match_dtype, shape_of
from .scope import watch


def dense(g):
    """A gradient as a plain array: indexing answers with a sparse one."""
    return sparse_add(vspace(g), None, g) if type(g) in (SparseObject, SparseBox) else g


def accumulate(total, g):
    """`total + g`, always a new array, so that a partial sum once seen never changes."""
    if total is None:
        return g
    return total + g if type(g) is np.ndarray is type(total) else vspace(g).add(total, g)


def reverse_pass(ends, seeds, observe=None):
    """Walk back from many nodes at once. Returns `{node: gradient}` for the roots that were reached.

    A node is visited after all its children, for ids grow as the program runs; `observe(node, gradient, contributions)`
    sees each step, a contribution being `(parent, value, running total)`.
    """
    totals, reached = {}, {end.id: end for end in ends}
    for end, seed in zip(ends, seeds, strict=True):
        totals[end] = accumulate(totals.get(end), match_dtype(seed, end.dtype))
    stack = list(reached.values())
    while stack:
        new = {parent.id: parent for parent in stack.pop().parents if parent.id not in reached}
        reached.update(new)
        stack.extend(new.values())
    observe, outer = observe or watch.observe, watch.node
    try:
        for node in [reached[i] for i in sorted(reached, reverse=True) if reached[i].parents]:
            watch.node, gradient, contributions = node, totals.pop(node), []
            for parent, g in zip(node.parents, node.vjp(gradient), strict=True):
                g = match_dtype(dense(g), parent.dtype)
                totals[parent] = accumulate(totals.get(parent), g)
                contributions.append((parent, g, totals[parent]))
            if observe:
                observe(node, gradient, contributions)
    finally:
        watch.node = outer
    return totals


def leaves(tree):
    """The values in nested tuples, lists and dicts, in order."""
    if isinstance(tree, (tuple, list, dict)):
        return [leaf for branch in (tree.values() if isinstance(tree, dict) else tree) for leaf in leaves(branch)]
    return [tree]


def map_leaves(fun, tree):
    """The same nested structure with `fun` applied to every leaf."""
    if isinstance(tree, dict):
        return {key: map_leaves(fun, branch) for key, branch in tree.items()}
    if isinstance(tree, (tuple, list)):
        branches = [map_leaves(fun, branch) for branch in tree]
        return tree._make(branches) if hasattr(tree, "_make") else type(tree)(branches)
    return fun(tree)


def vjp(fun, *args):
    """Run `fun(*args)` once and return `(output, pull)`.

    `pull(seeds)` gives one gradient per argument, each with its argument's shape and dtype (an integer's as its rule
    answers); `seeds` is one cotangent per leaf of the output, or a single one that serves every leaf; without `seeds`
    every output element counts once, as in the gradient of their sum. An argument that the output does not depend on
    gets zeros. `pull` can be called again.

    >>> out, pull = vjp(lambda x, y: x * y, 3.0, 4.0)
    >>> float(out), [float(g) for g in pull()]
    (12.0, [4.0, 3.0])
    """
    check_function("vjp(f, x)", fun)
    args = [numeric(value, "vjp: argument", i) for i, value in enumerate(args)]
    with _quietly():
        output, pull = _vjp(fun, args)

    def quiet_pull(seeds=None):
        with _quietly():
            return pull(seeds)

    return check_output(fun, output), quiet_pull


def _quietly():
    """An inf or nan is an answer here, as in every part of labkit, and no warning of NumPy's comes with it."""
    return np.errstate(all="ignore")


def _vjp(fun, args):
    """`vjp` for values that have been looked at."""
    level = new_level()
    roots = [Reverse.new_root(value) for value in args]
    with inside(level):
        output = run(fun, [box(value, level, root) for value, root in zip(args, roots, strict=True)])
    boxes = [leaf if isbox(leaf) and leaf._trace == level else None for leaf in leaves(output)]

    def pull(seeds=None):
        seeds = seeds if isinstance(seeds, (list, tuple)) else [seeds] * len(boxes)
        if len(seeds) != len(boxes):
            raise ValueError(f"vjp: expected {len(boxes)} cotangents, one per output, but got {len(seeds)}")
        ends = [(box._node, _seed(box._value, s)) for box, s in zip(boxes, seeds, strict=True) if box is not None]
        totals = reverse_pass(*zip(*ends, strict=True)) if ends else {}
        return [totals[r] if r in totals else anp.zeros_like(a) for r, a in zip(roots, args, strict=True)]

    return map_leaves(lambda leaf: _below(leaf, level), output), pull


def _below(leaf, level):
    return leaf._value if isbox(leaf) and leaf._trace == level else leaf


def _seed(value, seed):
    """The cotangent of an output `value`: ones, or `seed`, where a scalar serves every element."""
    if seed is None:
        return anp.ones_like(value)
    seed = numeric(seed, "vjp: the cotangent")
    if shape_of(seed) not in (shape_of(value), ()):
        raise ValueError(f"vjp: expected a cotangent of shape {shape_of(value)}, as the output, got {shape_of(seed)}")
    return seed if shape_of(seed) == shape_of(value) else seed * anp.ones_like(value)


def jvp(fun, args, tangents):
    """`(output, directional derivative)` of `fun` at `args` along `tangents`, both in the output's nested structure.

    >>> [float(v) for v in jvp(lambda x, y: x * y, (3.0, 4.0), (1.0, 0.0))]
    [12.0, 4.0]
    """
    check_function("jvp(f, (x,), (v,))", fun)
    if not (isinstance(args, (tuple, list)) and isinstance(tangents, (tuple, list)) and len(args) == len(tangents)):
        raise TypeError(
            "jvp: expected a tuple of arguments and one of as many tangents. Write labkit.jvp(f, (x,), (v,))"
        )
    level, boxes = new_level(), []
    for value, tangent in zip(args, tangents, strict=True):
        tangent = numeric(tangent, "jvp: the tangent")
        if shape_of(value) != shape_of(tangent):
            raise ValueError(
                f"jvp: expected a tangent of shape {shape_of(value)}, as its argument, got {shape_of(tangent)}"
            )
        boxes.append(box(numeric(value, "jvp: the argument"), level, Forward.new_root(tangent)))
    with _quietly(), inside(level):
        output = check_output(fun, run(fun, boxes))

    def tangent_of(leaf):
        return leaf._node.g if isbox(leaf) and leaf._trace == level else anp.zeros_like(leaf)

    return map_leaves(lambda leaf: _below(leaf, level), output), map_leaves(tangent_of, output)


def restrict(fun, args, argnums, kwargs):
    """`fun` as a function of the arguments at `argnums` alone, and those arguments."""
    places = tuple(argnums) if isinstance(argnums, (tuple, list)) else (argnums,)
    if not all(isinstance(p, int) for p in places):
        raise TypeError(f"argnums: expected a position or a tuple of positions, but got {argnums!r}")
    if not all(0 <= p < len(args) for p in places):
        raise IndexError(f"argnums {argnums}: expected positions below {len(args)}, the number of arguments given")
    chosen = [numeric(args[p], "argument", p) for p in places]

    def restricted(*values):
        given = dict(zip(places, values, strict=True))
        return check_output(fun, fun(*(given.get(i, arg) for i, arg in enumerate(args)), **kwargs))

    return restricted, chosen


def check_output(fun, output):
    """`output`, if there is something numeric in it. Raises TypeError for None or text, as of a forgotten `return`, and
    for an array of boxes, which plain NumPy's `stack` or `where` make: they do not see through a box."""
    if isbox(output):
        return output
    found = leaves(output)
    if any(type(leaf) is np.ndarray and leaf.dtype == object and any(map(isbox, leaf.flat)) for leaf in found):
        raise TypeError(
            f"{getattr(fun, '__name__', 'the function')}: its result was made by plain NumPy, which loses the gradient. "
            "Use the function of the same name in autograd.numpy"
        )
    if found and not any(isbox(leaf) or hasattr(leaf, "dtype") or isinstance(leaf, (int, float)) for leaf in found):
        name = getattr(fun, "__name__", "the function")
        raise TypeError(f"{name}: expected numbers or arrays to be returned, but got {output!r}")
    return output


def value_and_grad(fun, argnums=0):
    """A function that returns `(output, gradient)`; a tuple of `argnums` gives a tuple of gradients.

    The gradient is that of the sum of all elements of all outputs.
    """

    check_function("value_and_grad(f)(x)", fun)

    @wraps(fun)
    def differentiated(*args, **kwargs):
        restricted, values = restrict(fun, args, argnums, kwargs)
        with _quietly():
            output, pull = _vjp(restricted, values)
            gradients = pull()
        return output, gradients[0] if isinstance(argnums, int) else tuple(gradients)

    return differentiated


def grad(fun, argnums=0):
    """The gradient function of `fun` with respect to the argument (or tuple of arguments) at `argnums`.

    >>> float(grad(grad(lambda x: x**3))(3.0))
    18.0
    """
    check_function("grad(f)(x)", fun)
    with_value = value_and_grad(fun, argnums)
    return wraps(fun)(lambda *args, **kwargs: with_value(*args, **kwargs)[1])


def _unit_arrays(value):
    """The unit arrays of `value`'s shape and dtype, one per element."""
    for index in np.ndindex(shape_of(value)):
        unit = np.zeros_like(getval(value))
        unit[index] = 1
        yield unit


def _one_array(caller, output=None):
    if isinstance(output, (tuple, list, dict)):
        came = f"a {type(output).__name__} of {len(output)}"
        raise TypeError(
            f"{caller}: expected one array to be returned, but got {came}. Take one: {caller}(lambda x: f(x)[0])"
        )


def jacrev(fun, argnums=0):
    """Jacobian by reverse mode, one pull per output element: shape = output shape + argument shape.

    Cheapest when there are fewer outputs than inputs. `fun` returns one array.
    """
    check_function("jacrev(f)(x)", fun)

    @wraps(fun)
    def jacobian(*args, **kwargs):
        restricted, values = restrict(fun, args, argnums, kwargs)
        output, pull = vjp(restricted, *values)
        _one_array("jacrev", output)
        rows = [pull([unit]) for unit in _unit_arrays(output)]
        blocks = [anp.array([row[i] for row in rows]) for i in range(len(values))]
        blocks = [anp.reshape(b, shape_of(output) + shape_of(v)) for b, v in zip(blocks, values, strict=True)]
        return blocks[0] if isinstance(argnums, int) else tuple(blocks)

    return jacobian


def jacfwd(fun, argnums=0):
    """Jacobian by forward mode, one push per input element; the same result as `jacrev`, cheapest for few inputs."""
    check_function("jacfwd(f)(x)", fun)

    @wraps(fun)
    def jacobian(*args, **kwargs):
        restricted, values = restrict(fun, args, argnums, kwargs)
        blocks = []
        for place, value in enumerate(values):
            still = [anp.zeros_like(v) for v in values]
            pushed = [jvp(restricted, values, [*still[:place], u, *still[place + 1 :]])[1] for u in _unit_arrays(value)]
            _one_array("jacfwd", *pushed[:1])
            blocks.append(anp.reshape(anp.stack(pushed, -1), shape_of(pushed[0]) + shape_of(value)))
        return blocks[0] if isinstance(argnums, int) else tuple(blocks)

    return jacobian


def hvp(fun, x, v):
    """Hessian of `fun` at `x` times `v`, without the Hessian: forward mode over reverse mode (Pearlmutter, 1994).

    >>> float(hvp(lambda x: x**3, 2.0, 1.0))
    12.0
    """
    check_function("hvp(f, x, v)", fun)
    return jvp(grad(fun), (numeric(x, "hvp: x"),), (numeric(v, "hvp: v"),))[1]


def custom_vjp(fun, rule, made_of_ops=False):
    """`fun` as one op of the graph, with its own derivative.

    `rule(ans, g, *args)` gives one gradient per argument (None for zero); it may itself be differentiated. Where `fun`
    is `made_of_ops`, a program that is being recorded gets these instead of a call of `fun`.

    >>> straight_through = custom_vjp(np.round, lambda ans, g, x: (g,))
    >>> float(grad(straight_through)(2.4))
    1.0
    """
    check_function("custom_vjp(f, rule)", fun)
    check_function("custom_vjp(f, rule)", rule)
    op = _seen_through(fun) if made_of_ops else primitive(_own(fun))

    def pull(argnums, ans, args, kwargs):
        def back(g):
            answers = rule(ans, g, *args, **kwargs)
            if not isinstance(answers, (tuple, list)):
                came = type(answers).__name__
                raise TypeError(
                    f"custom_vjp: expected the rule to return a tuple, one gradient per argument, but got {came}"
                )
            if len(answers) != len(args):
                raise ValueError(f"custom_vjp: expected {len(args)} gradients, one per argument, got {len(answers)}")
            given = [vspace(args[i]).zeros() if answers[i] is None else answers[i] for i in argnums]
            return [numeric(g, "custom_vjp: the rule's gradient") for g in given]

        return back

    defvjp_argnums(op, pull)
    return op


def _own(fun):
    """`fun` as a function of its own: of NumPy's ufuncs autograd would let the new op take the place of its own."""
    return wraps(fun)(lambda *args, **kwargs: fun(*args, **kwargs)) if isinstance(fun, np.ufunc) else fun


def _seen_through(fun):
    """`fun` as an op for derivatives; nodes that are `for_programs` see the ops inside."""

    @wraps(fun)
    def op(*args, **kwargs):
        boxed, level, node = find_top_boxed_args(args)[:3]
        if not boxed or getattr(node, "for_programs", False):
            return fun(*args, **kwargs)
        values = subvals(args, [(i, box._value) for i, box in boxed])
        ans = op(*values, **kwargs)
        argnums, parents = tuple(i for i, _ in boxed), tuple(box._node for _, box in boxed)
        return box(ans, level, node(ans, op, values, kwargs, argnums, parents))

    return op


@primitive
def stop_gradient(x):
    """`x` unchanged, but a constant to every derivative taken around this call."""
    numeric(x, "stop_gradient")
    return x


for _node in (Record, Reverse, Forward):
    register_notrace(_node, stop_gradient)
