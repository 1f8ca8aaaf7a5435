"""Gradients, Jacobians and Hessian-vector products, a few lines each on top of a backward pass and of `jvp`.

Functions here take and return NumPy arrays (write them with `autograd.numpy`). A gradient is that of the sum of all outputs,
however nested in tuples, lists and dicts; a Jacobian is that of one array. Integers are differentiated too.
"""

from collections.abc import Callable
from functools import wraps

import autograd.numpy as anp
import numpy as np

from .checks import check_function, check_output, numeric
from .dtypes import Array, getval, shape_of
from .forward import jvp
from .no_warnings import no_warnings
from .observers import watch
from .reverse import vjp_unchecked


def restrict(fun, args, argnums, kwargs) -> tuple[Callable, list]:
    """`fun` as a function of the arguments at `argnums` alone, and those arguments."""
    places = tuple(argnums) if isinstance(argnums, (tuple, list)) else (argnums,)
    if not all(isinstance(p, int) for p in places):
        raise TypeError("argnums: expected a position or a tuple of them, but got {argnums!r}".format(argnums=argnums))
    if not all(0 <= p < len(args) for p in places):
        raise IndexError("argnums {argnums}: expected positions below {count}".format(argnums=argnums, count=len(args)))
    if len(set(places)) < len(places):
        raise ValueError("argnums: expected each position once, but got {argnums!r}".format(argnums=argnums))
    chosen = [numeric(args[p], "argument", p) for p in places]

    def restricted(*values):
        given = dict(zip(places, values, strict=True))
        return check_output(fun, fun(*(given.get(i, arg) for i, arg in enumerate(args)), **kwargs))

    return restricted, chosen


def value_and_grad(fun, argnums=0) -> Callable:
    """A function that returns `(output, gradient)`; a tuple of `argnums` gives a tuple of gradients.

    The gradient is that of the sum of all elements of all outputs.

    Each gradient has its argument's shape, and the dtype of a floating one. Raises TypeError for one that is
    neither a number nor an array.

    >>> value, gradients = value_and_grad(lambda x, y: x**2 * y, (0, 1))(3.0, 2.0)
    >>> float(value), [float(g) for g in gradients]
    (18.0, [12.0, 9.0])
    """

    check_function("value_and_grad(f)(x)", fun)

    @wraps(fun)
    def differentiated(*args, **kwargs):
        watch.asks(fun, args)
        restricted, values = restrict(fun, args, argnums, kwargs)
        with no_warnings():
            output, pull = vjp_unchecked(restricted, values)
            gradients = pull()
        return output, gradients[0] if isinstance(argnums, int) else tuple(gradients)

    return differentiated


def grad(fun, argnums=0) -> Callable:
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
        kind = f"a {type(output).__name__} of {len(output)}"
        raise TypeError(_SEVERAL.format(caller=caller, kind=kind))


_SEVERAL = "{caller}: expected one array to be returned, but got {kind}. Choose one: {caller}(lambda x: f(x)[0])"


def jacrev(fun, argnums=0) -> Callable:
    """Jacobian by reverse mode, one VJP per output element: shape = output shape + argument shape.

    Cheapest when there are fewer outputs than inputs. `fun` returns one array.

    A tuple of `argnums` gives a tuple.

    >>> jacrev(lambda x: x**2)(anp.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    check_function("jacrev(f)(x)", fun)

    @wraps(fun)
    def jacobian(*args, **kwargs):
        watch.asks(fun, args)
        restricted, values = restrict(fun, args, argnums, kwargs)
        with no_warnings():
            output, pull = vjp_unchecked(restricted, values)
            _one_array("jacrev", output)
            rows = [pull([unit]) for unit in _unit_arrays(output)]
        blocks = [anp.array([row[i] for row in rows]) for i in range(len(values))]
        blocks = [anp.reshape(b, shape_of(output) + shape_of(v)) for b, v in zip(blocks, values, strict=True)]
        return blocks[0] if isinstance(argnums, int) else tuple(blocks)

    return jacobian


def jacfwd(fun, argnums=0) -> Callable:
    """Jacobian by forward mode, one JVP per input element; the same result as `jacrev`, cheapest for few inputs.

    Shape = output shape + argument shape; a tuple of `argnums` gives a tuple. `fun` returns one array.

    >>> jacfwd(lambda x: anp.stack([x, x**2]))(3.0)
    array([1., 6.])
    """
    check_function("jacfwd(f)(x)", fun)

    @wraps(fun)
    def jacobian(*args, **kwargs):
        restricted, values = restrict(fun, args, argnums, kwargs)
        blocks = []
        for place, value in enumerate(values):
            still = [anp.zeros_like(v) for v in values]
            pushed = [jvp(restricted, values, [*still[:place], u, *still[place + 1 :]])[1] for u in _unit_arrays(value)]
            one = pushed[0] if pushed else restricted(*values)  # there is none of an argument without elements
            _one_array("jacfwd", one)
            columns = anp.stack(pushed, -1) if pushed else np.zeros(0)
            blocks.append(anp.reshape(columns, shape_of(one) + shape_of(value)))
        return blocks[0] if isinstance(argnums, int) else tuple(blocks)

    return jacobian


def hvp(fun, x, v) -> Array:
    """Hessian of `fun` at `x` times `v`, without the Hessian: forward mode over reverse mode (Pearlmutter, 1994).

    >>> float(hvp(lambda x: x**3, 2.0, 1.0))
    12.0
    """
    check_function("hvp(f, x, v)", fun)
    return jvp(grad(fun), (numeric(x, "hvp: x"),), (numeric(v, "hvp: v"),))[1]
