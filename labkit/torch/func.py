"""`torch.func`: derivatives as functions of functions. They nest, and pass through tensors that require a gradient.

Built on the engine's levels: the function runs once on traced values, and nothing is added to any `.grad`.
"""

from functools import wraps

import numpy as np

from .. import engine
from . import _joining, _shaping
from ._tensor import Tensor
from ._tree import flatten, mapped

__all__ = [
    "functional_call",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "vjp",
    "vmap",
]


def _values(tensors):
    return [t._recorded() for t in tensors]


def _tensors(values):
    return [Tensor._wrap(v) for v in values]


def _require_tensors(leaves, name):
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise ValueError(
                f"{name}: expected Tensors as inputs, but got {type(leaf).__name__}: pass it by another argument"
            )


def _pullback(func, primals, has_aux, name):
    """`(output tree, aux, pull)`; `pull(cotangent tensors)` gives a tree like `primals`."""
    leaves, rebuild = flatten(tuple(primals))
    _require_tensors(leaves, name)
    seen = {}

    def run(*values):
        out = func(*rebuild(_tensors(values)))
        if has_aux:
            if not (isinstance(out, tuple) and len(out) == 2):
                raise RuntimeError(
                    f"{name}(f)(*args): output of function f should be a tuple: (output, aux) if has_aux is True"
                )
            out, seen["aux"] = out
        seen["out"] = out
        outputs, seen["like"] = flatten(out)
        if name == "grad_and_value":
            _check_scalar(out)
        return [o._value if isinstance(o, Tensor) else o for o in outputs] + _aux_values(seen)

    flat, pull_values = engine.vjp(run, *_values(leaves))
    count = len(flat) - len(_aux_values(seen))
    output = seen["like"](_tensors(flat[:count]))
    aux = _lowered_aux(seen.get("aux"), flat[count:])

    def pull(cotangents):
        zeros = [np.zeros(np.shape(engine.getval(v)), engine.dtype_of(v)) for v in flat[count:]]
        return rebuild(_tensors(pull_values([*cotangents, *zeros])))

    return output, aux, pull


def _aux_values(seen):
    leaves, _ = flatten(seen.get("aux"))
    return [a._value for a in leaves if isinstance(a, Tensor)]


def _lowered_aux(aux, values):
    found = iter(_tensors(values))
    return mapped(lambda _: next(found), aux)


def _check_scalar(out):
    if not isinstance(out, Tensor):
        raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(out)}")
    if out.ndim:
        raise RuntimeError(
            f"grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with {out.ndim} dims. "
            "Maybe you wanted to use the vjp or jacrev APIs instead?"
        )


def _chosen(args, argnums):
    places = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    for p in places:
        if not -len(args) <= p < len(args):
            raise RuntimeError(f"Got argnum={p}, but only {len(args)} positional inputs")
    return [p % len(args) for p in places]


def _of_chosen(func, args, kwargs, argnums):
    """`func` as a function of the arguments at `argnums`, and those arguments."""
    places = _chosen(args, argnums)

    def of_those(*chosen):
        filled = list(args)
        for place, value in zip(places, chosen, strict=True):
            filled[place] = value
        return func(*filled, **kwargs)

    return of_those, [args[p] for p in places]


def _require_floating(trees):
    for leaf in flatten(tuple(trees))[0]:
        if isinstance(leaf, Tensor) and not leaf.dtype.is_floating_point:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")


def grad_and_value(func, argnums=0, has_aux=False):
    """A function that returns `(gradient, value)` of a scalar `func`; with `has_aux`, `(gradient, (value, aux))`."""

    @wraps(func)
    def differentiated(*args, **kwargs):
        of_those, primals = _of_chosen(func, args, kwargs, argnums)
        _require_floating(primals)
        value, aux, pull = _pullback(of_those, primals, has_aux, "grad_and_value")
        found = pull([np.ones((), value._array.dtype)])
        found = found[0] if isinstance(argnums, int) else found
        return found, ((value, aux) if has_aux else value)

    return differentiated


def grad(func, argnums=0, has_aux=False):
    """The gradient function of a scalar `func` by the argument at `argnums` (a tuple of them gives a tuple).

    >>> import labkit.torch as torch
    >>> torch.func.grad(torch.func.grad(lambda x: x**3))(torch.tensor(2.0))
    tensor(12.)
    """
    with_value = grad_and_value(func, argnums, has_aux)

    @wraps(func)
    def differentiated(*args, **kwargs):
        found, value = with_value(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return differentiated


def vjp(func, *primals, has_aux=False):
    """`(output, pull)`: `pull(cotangents)` gives one gradient per primal, as a tuple; with `has_aux` also the aux."""
    output, aux, pull = _pullback(func, primals, has_aux, "vjp")

    def pulled(*cotangents, retain_graph=True, create_graph=None):
        given, _ = flatten(cotangents if len(cotangents) > 1 else cotangents[0])
        wanted, _ = flatten(output)
        if len(given) != len(wanted):
            raise RuntimeError(f"vjp_fn: expected {len(wanted)} cotangents, one per output, but got {len(given)}")
        found = pull(_values(given))
        return found[0] if len(primals) == 1 else found

    def always_tuple(*cotangents, **kwargs):
        found = pulled(*cotangents, **kwargs)
        return found if len(primals) != 1 else (found,)

    return (output, always_tuple, aux) if has_aux else (output, always_tuple)


def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    """`(output, J tangents)`, by forward mode; `primals` and `tangents` are tuples."""
    if not isinstance(primals, tuple):
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    leaves, rebuild = flatten(primals)
    given, _ = flatten(tangents)
    seen = {}

    def run(*values):
        out = func(*rebuild(_tensors(values)))
        if has_aux:
            out, seen["aux"] = out
        outputs, seen["like"] = flatten(out)
        return [o._value for o in outputs] + _aux_values(seen)

    flat, pushed = engine.jvp(run, _values(leaves), _values(given))
    count = len(flat) - len(_aux_values(seen))
    output, tangent = seen["like"](_tensors(flat[:count])), seen["like"](_tensors(pushed[:count]))
    return (output, tangent, _lowered_aux(seen["aux"], flat[count:])) if has_aux else (output, tangent)


def linearize(func, *primals):
    """`(output, push)`: `push(*tangents)` gives J tangents at `primals`."""
    return func(*primals), lambda *tangents: jvp(func, primals, tangents)[1]


def _units(tensor):
    for index in np.ndindex(tuple(tensor.shape)):
        unit = np.zeros(tuple(tensor.shape), tensor._array.dtype)
        unit[index] = 1
        yield unit


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None):
    """The Jacobian function by reverse mode: shape = output shape + input shape."""

    @wraps(func)
    def jacobian(*args, **kwargs):
        of_those, primals = _of_chosen(func, args, kwargs, argnums)
        output, aux, pull = _pullback(of_those, primals, has_aux, "jacrev")
        outputs, like = flatten(output)
        found = like([_rows(k, outputs, primals, pull, isinstance(argnums, int)) for k in range(len(outputs))])
        return (found, aux) if has_aux else found

    return jacobian


def _rows(k, outputs, primals, pull, single):
    """d outputs[k] / d primals, each stacked over the elements of the output."""
    zeros = [np.zeros(tuple(o.shape), o._array.dtype) for o in outputs]
    pulled = [flatten(pull([unit if i == k else z for i, z in enumerate(zeros)]))[0] for unit in _units(outputs[k])]
    leaves, rebuild = flatten(tuple(primals))
    columns = list(zip(*pulled, strict=True))
    made = rebuild(
        [
            _shaping.reshape(_joining.stack(c), (*outputs[k].shape, *x.shape))
            for c, x in zip(columns, leaves, strict=True)
        ]
    )
    return made[0] if single else made


def jacfwd(func, argnums=0, has_aux=False, *, randomness="error"):
    """The Jacobian function by forward mode: shape = output shape + input shape."""

    @wraps(func)
    def jacobian(*args, **kwargs):
        of_those, primals = _of_chosen(func, args, kwargs, argnums)
        seen = {}

        def output_only(*chosen):
            out = of_those(*chosen)
            out, seen["aux"] = out if has_aux else (out, None)
            return (out, seen["aux"]) if has_aux else out

        found = [_columns(output_only, primals, k, has_aux) for k in range(len(primals))]
        by_output = [tuple(column[i] for column, _, _ in found) for i in range(len(found[0][0]))]
        made = found[0][1]([row[0] if isinstance(argnums, int) else row for row in by_output])
        return (made, found[0][2]) if has_aux else made

    return jacobian


def _columns(func, primals, k, has_aux):
    columns, like, aux, shapes = [], None, None, None
    for unit in _units(primals[k]):
        tangents = tuple(
            Tensor._of(unit if i == k else np.zeros(tuple(p.shape), p._array.dtype)) for i, p in enumerate(primals)
        )
        result = jvp(func, tuple(primals), tangents, has_aux=has_aux)
        pushed, like = flatten(result[1])
        aux, shapes = result[2] if has_aux else None, [tuple(o.shape) for o in pushed]
        columns.append(pushed)
    return (
        [
            _shaping.reshape(_joining.stack(c, -1), (*s, *primals[k].shape))
            for c, s in zip(zip(*columns, strict=True), shapes, strict=True)
        ],
        like,
        aux,
    )


def hessian(func, argnums=0):
    """The Hessian function: forward mode over reverse mode."""
    return jacfwd(jacrev(func, argnums), argnums)


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    """`func` of one example as a function of a batch: it runs once per entry, and the results are stacked.

    `in_dims`: the batch dimension of each argument (None: the same for all), one for all or a tuple;
    `out_dims` likewise.
    """

    @wraps(func)
    def batched(*args, **kwargs):
        dims = in_dims if isinstance(in_dims, (tuple, list)) else (in_dims,) * len(args)
        if len(dims) != len(args):
            raise ValueError(f"vmap: in_dims has {len(dims)} entries, but {len(args)} arguments were given")
        pairs = [(leaf, d) for a, d in zip(args, dims, strict=True) for leaf in flatten(a)[0]]
        sizes = {leaf.shape[d] for leaf, d in pairs if d is not None and isinstance(leaf, Tensor)}
        if len(sizes) != 1:
            raise ValueError(
                f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                f"{sorted(sizes)} for "
                "the mapped dimension"
            )
        results = [
            func(*(_entry(a, d, i) for a, d in zip(args, dims, strict=True)), **kwargs) for i in range(sizes.pop())
        ]
        return _stacked(results, out_dims)

    return batched


def _entry(tree, dim, i):
    if dim is None:
        return tree
    return mapped(lambda t: _joining.select(t, dim, i), tree)


def _stacked(results, out_dims):
    flat, like = [flatten(r)[0] for r in results], flatten(results[0])[1]
    columns = list(zip(*flat, strict=True))
    dims = out_dims if isinstance(out_dims, (tuple, list)) else (out_dims,) * len(columns)
    return like([_joining.stack(c, d) for c, d in zip(columns, dims, strict=True)])


def functional_call(module, parameters, args=(), kwargs=None):
    """Call `module` with the tensors in `parameters` (`{name: tensor}`) in place of its own."""
    args = args if isinstance(args, tuple) else (args,)
    given = {
        name: t
        for part in (parameters if isinstance(parameters, (tuple, list)) else (parameters,))
        for name, t in part.items()
    }
    return module._called_with(given, args, kwargs or {})
