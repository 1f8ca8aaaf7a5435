"""More functions of functions: products with a Jacobian, whole Jacobians, mapping over a batch axis."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import autograd.numpy as anp
import numpy as np

from ... import engine
from ...dialects.argument_types import as_tuple, of_kind
from ...engine import getval
from ..common.tensor import Tensor, wrap
from ..ops.elementwise import stop_gradient
from .grad import check_positions, first_of_many, weight_list
from .reverse_run import MUTABLE, Run
from .sens import check_cotangent

__all__ = ["jacfwd", "jacrev", "jvp", "mutable", "vjp", "vmap"]
_BATCH_SIZES = "vmap: expected one batch size along the axes {axes}, but got {sizes}"


def unwrapped(tree):
    """The arrays of nested tuples of tensors."""
    if isinstance(tree, Tensor):
        return tree._value
    return tuple(unwrapped(branch) for branch in tree) if isinstance(tree, (tuple, list)) else tree


def wrapped(tree):
    """Tensors of nested tuples of arrays."""
    return tuple(map(wrapped, tree)) if isinstance(tree, (tuple, list)) else wrap(tree)


def _tuple_of_tensors(inputs):
    if isinstance(inputs, Tensor):
        return (inputs,)
    if not isinstance(inputs, (tuple, list)) or not all(isinstance(x, Tensor) for x in inputs):
        raise TypeError("The inputs type must be a Tensor, tuple or list of Tensors.")
    return tuple(inputs)


def _aux(output):
    """The other outputs: bare where there is one."""
    rest = output[1:]
    return rest[0] if len(rest) == 1 else rest


def _with_aux(fn, has_aux, kept):
    """`fn` without its other outputs, which go into the list `kept`."""

    def first(*args):
        output = fn(*args)
        if not has_aux:
            return output
        main = first_of_many(output)
        kept.append(_aux(output))
        return main

    return first


def jvp(fn, inputs, v, has_aux=False) -> tuple:
    """`(output, derivative along v)`: the Jacobian of `fn` times `v`, by forward mode.

    `inputs` and `v`: a tensor each, or tuples of the same length; with `has_aux` also the other outputs.

    >>> jvp(lambda x: x**2, Tensor([1.0, 2.0]), Tensor([1.0, 0.0]))[1]
    Tensor(shape=[2], dtype=Float32, value= [ 2.00000000e+00,  0.00000000e+00])
    """
    points, tangents = _tuple_of_tensors(inputs), _tuple_of_tensors(v)
    kept: list = []
    if len(points) != len(tangents):
        raise ValueError(f"v has invalid length: should be {len(points)}, but got {len(tangents)}")
    first = _with_aux(fn, has_aux, kept)
    with np.errstate(all="ignore"):
        output, along = engine.jvp(
            lambda *values: unwrapped(first(*map(wrap, values))), unwrapped(points), unwrapped(tangents)
        )
    return (wrapped(output), wrapped(along), *map(stop_gradient, kept))


def vjp(fn, *inputs, weights=None, has_aux=False) -> tuple:
    """`(output, pull)`; `pull(cotangent)` is a tuple with the gradient of every input: v times the Jacobian.

    With `weights`, `pull` gives `(gradients of inputs, gradients of weights)`; with `has_aux` the other outputs follow.

    >>> output, pull = vjp(lambda x: x**2, Tensor([1.0, 2.0]))
    >>> pull(Tensor([1.0, 10.0]))
    (Tensor(shape=[2], dtype=Float32, value= [ 2.00000000e+00,  4.00000000e+01]),)
    """
    parameters = () if weights is None else weight_list(weights)
    if not all(isinstance(x, Tensor) for x in inputs):
        raise TypeError("The inputs type must be Tensor.")
    run = Run(fn, inputs, range(len(inputs)), parameters, first_of_many if has_aux else None)

    def pull(*cotangents):
        if not cotangents:
            raise RuntimeError("vjp: expected a cotangent for every output, but got none")
        check_cotangent(cotangents, run)
        by_place, by_weight = run.pull(cotangents)
        of_inputs = tuple(g for _, g in by_place)
        if weights is None:
            return of_inputs
        return of_inputs, by_weight[0] if isinstance(weights, Tensor) else tuple(by_weight)

    return (run.output[0], pull, _aux(run.output)) if has_aux else (run.output, pull)


# ---- whole Jacobians ----


def _positions(grad_position, args):
    positions = as_tuple(grad_position)
    if any(p >= len(args) for p in positions):
        raise ValueError("The element in grad_position must belong to [0, args_num).")
    for p in positions:
        of_kind(args[p], Tensor, "'{kind}' object is not iterable")
    return positions


def _jacobian(fn, grad_position, has_aux, rows_of):
    """The transform that `jacrev` and `jacfwd` share; `rows_of` finds one Jacobian per output and position."""
    check_positions(grad_position)

    @wraps(fn, updated=())
    def jacobian(*args):
        positions = _positions(grad_position, args)
        kept: list = []
        first = _with_aux(fn, has_aux, kept)
        with np.errstate(all="ignore"):
            several, by_output = rows_of(first, args, positions)
        found = tuple(row[0] if len(positions) == 1 else row for row in by_output)
        result = found if several else found[0]
        return (result, *map(stop_gradient, kept[-1:])) if has_aux else result

    return jacobian


def jacrev(fn, grad_position=0, has_aux=False) -> Callable:
    """The function that gives the Jacobian of `fn` by reverse mode: shape of the output, then of the input.

    A tuple over outputs where there are several, and over positions; with `has_aux`, `(Jacobian, the other outputs)`.

    >>> import labkit.mindspore as ms
    >>> ms.jacrev(lambda x: x**2)(ms.Tensor([1.0, 2.0])).asnumpy()
    array([[2., 0.],
           [0., 4.]], dtype=float32)
    """

    def rows_of(first, args, positions):
        run = Run(first, args, positions, ())
        found = []
        for i, end in enumerate(run.ends):
            pulled = [run.pull(seeds)[0] for seeds in _units(run.ends, i)]
            rows = zip(*[[g._value for _, g in gradients] for gradients in pulled], strict=True)
            shapes = [end.shape + args[p].shape for p in positions]
            found.append(tuple(wrap(anp.reshape(anp.stack(row), s)) for row, s in zip(rows, shapes, strict=True)))
        return isinstance(run.raw, (tuple, list)), found

    return _jacobian(fn, grad_position, has_aux, rows_of)


def _units(ends, i):
    """Cotangents for all outputs: zero but for one element of output `i`, each element in turn."""
    zeros = [wrap(np.zeros(e.shape, e._value.dtype)) for e in ends]
    for unit in _basis(ends[i].shape, ends[i]._value.dtype):
        yield [*zeros[:i], wrap(unit), *zeros[i + 1 :]]


def _basis(shape, dtype):
    for index in np.ndindex(shape):
        unit = np.zeros(shape, dtype)
        unit[index] = 1
        yield unit


def jacfwd(fn, grad_position=0, has_aux=False) -> Callable:
    """The function that gives the Jacobian of `fn` by forward mode; the same result as `jacrev`."""

    def rows_of(first, args, positions):
        columns: dict[int, list] = {p: [] for p in positions}
        for p in positions:
            value = args[p]._value
            for unit in _basis(np.shape(getval(value)), value.dtype):
                output, column = engine.jvp(_of_one(first, args, p), (value,), (unit,))
                columns[p].append(as_tuple(column))
        several = isinstance(output, tuple)
        found = []
        for k in range(len(columns[positions[0]][0])):
            parts = [(args[p]._value, [c[k] for c in columns[p]]) for p in positions]
            found.append(tuple(_side_by_side(value, cs) for value, cs in parts))
        return several, found

    return _jacobian(fn, grad_position, has_aux, rows_of)


def _of_one(fn, args, place):
    return lambda value: unwrapped(fn(*args[:place], wrap(value), *args[place + 1 :]))


def _side_by_side(value, columns):
    stacked = anp.stack(columns, -1)
    shape = np.shape(getval(columns[0])) + np.shape(getval(value))
    return wrap(anp.reshape(stacked, shape))


# ---- mapping, compiling, marking ----


def vmap(fn, in_axes=0, out_axes=0) -> Callable:
    """`fn` applied to every slice along a batch axis, results stacked along `out_axes`; None keeps an input whole.

    `in_axes`: the batch axis of each input, one for all or a tuple of them. `fn` runs once for each slice. Raises ValueError
    for inputs whose batches have different sizes.

    >>> import labkit.mindspore as ms
    >>> print(ms.vmap(lambda x, w: (x * w).sum(), in_axes=(0, None))(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), ms.Tensor([1.0, 10.0])))
    [21. 43.]
    """

    @wraps(fn, updated=())
    def mapped(*args):
        axes = in_axes if isinstance(in_axes, (tuple, list)) else (in_axes,) * len(args)
        sizes = {a.shape[axis] for a, axis in zip(args, axes, strict=True) if axis is not None}
        if len(sizes) != 1:
            raise ValueError(_BATCH_SIZES.format(axes=axes, sizes=sorted(sizes)))
        results = [fn(*_slices(args, axes, i)) for i in range(sizes.pop())]
        if isinstance(results[0], tuple):
            return tuple(_stacked(column, out_axes) for column in zip(*results, strict=True))
        return _stacked(results, out_axes)

    return mapped


def _slices(args, axes, i):
    return [a if x is None else a[(slice(None),) * (x % a.ndim) + (i,)] for a, x in zip(args, axes, strict=True)]


def _stacked(tensors, axis):
    return wrap(anp.stack([t._value for t in tensors], axis))


def mutable(input_data, dynamic_len=False) -> Any:
    """Mark a tuple or list of tensors as inputs to differentiate in graph mode; other data stay as they are.

    Raises TypeError for what is not a number, tensor, or tuple, list or dict of them.
    """
    if not _takes_part(input_data):
        raise TypeError(
            "For 'mutable', the 'input_data' should be one of (bool, int, float, Tensor, tuple, list, dict) or their "
            f"nested structures with no self-reference, but got {type(input_data).__name__}: {input_data}."
        )
    if dynamic_len:
        text = "For 'mutable', when the variable_len is True, the first input should be list or tuple, but got: {kind}"
        of_kind(input_data, (tuple, list), text)
    return MUTABLE[type(input_data)](input_data) if type(input_data) in MUTABLE else input_data


def _takes_part(data):
    if isinstance(data, (tuple, list, dict)):
        return all(map(_takes_part, data.values() if isinstance(data, dict) else data))
    return isinstance(data, (bool, int, float, Tensor))
