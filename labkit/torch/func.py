"""`torch.func`: derivatives as functions of functions. They nest, and pass through tensors that require a gradient.

Built on the engine's levels: the function runs once on traced values, and nothing is added to any `.grad`.
"""

from collections import Counter
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from .. import engine
from ..dialects.argument_types import as_tuple, of_kind
from ..dialects.unsupported import attributes
from ._error_texts import error
from ._ops import shape as _shape
from ._tensor.tensor import Tensor
from ._transforms import function_call as calls
from ._transforms.function_call import flatten, of_chosen, pullback, units, values_of
from ._transforms.vmap import Draws, vmap

__all__ = ["functional_call", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize",
    "stack_module_state", "vjp", "vmap"]  # fmt: skip

VJP, JVP = "vjp(f, *primals)", "jvp(f, primals, tangents)"


def grad_and_value(func, argnums=0, has_aux=False) -> Callable:
    """A function that returns `(gradient, value)` of a scalar `func`; with `has_aux`, `(gradient, (value, aux))`.

    The gradient is that by the argument at `argnums`, or a tuple of gradients, of the arguments' shapes and dtypes. Raises
    RuntimeError for a value that is not a scalar.

    >>> import labkit.torch as torch
    >>> torch.func.grad_and_value(lambda x: (x**2).sum())(torch.tensor([1.0, 2.0]))
    (tensor([2., 4.]), tensor(5.))
    """

    @wraps(func)
    def differentiated(*args, **kwargs):
        of_those, primals = of_chosen(func, args, kwargs, argnums)
        calls.require_floating(primals)
        value, aux, pull = pullback(of_those, primals, has_aux, calls.GRAD)
        found = pull([np.ones((), value._array.dtype)])
        found = found[0] if isinstance(argnums, int) else found
        return found, ((value, aux) if has_aux else value)

    return differentiated


def grad(func, argnums=0, has_aux=False) -> Callable:
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


def vjp(func, *primals, has_aux=False) -> tuple:
    """`(output, pull)`: `pull(cotangents)` gives one gradient per primal, as a tuple; with `has_aux` also the aux.

    A gradient has its primal's shape and dtype. Raises RuntimeError for cotangents of other shapes than the output's.

    >>> import labkit.torch as torch
    >>> output, pull = torch.func.vjp(torch.sin, torch.tensor([0.0, 1.0]))
    >>> pull(torch.tensor([1.0, 2.0]))
    (tensor([1.0000, 1.0806]),)
    """
    output, aux, pull = pullback(func, primals, has_aux, VJP)

    def pulled(cotangents, retain_graph=True, create_graph=None):
        calls.check_cotangents(cotangents, output)
        return pull(values_of(flatten(cotangents)[0]))

    return (output, pulled, aux) if has_aux else (output, pulled)


def jvp(func, primals, tangents, *, strict=False, has_aux=False) -> tuple:
    """`(output, J tangents)`, by forward mode; `primals` and `tangents` are tuples.

    `strict`: raise RuntimeError if an output does not depend on the primals. What `func` does in place to a primal
    happens to the caller's tensor.

    >>> import labkit.torch as torch
    >>> x, direction = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0])
    >>> torch.func.jvp(lambda x: x**2, (x,), (direction,))
    (tensor([1., 4.]), tensor([2., 0.]))
    """
    calls.check_jvp(primals, tangents, JVP)
    leaves, rebuild = flatten(primals)
    call = calls.Call(func, has_aux, JVP, lambda out: calls.check_outputs(out, JVP))
    run = lambda *values: call.run(values, leaves, rebuild, False)
    flat, pushed = engine.jvp(run, values_of(leaves), values_of(flatten(tangents)[0]))
    if strict and call.independent:
        raise error("jvp_strict")
    output, tangent = call.output(flat), call.output(pushed)
    return (output, tangent, call.aux_of(flat)) if has_aux else (output, tangent)


def linearize(func, *primals) -> tuple[Any, Callable]:
    """`(output, push)`: `push(*tangents)` is the Jacobian-vector product at `primals`, in forward mode.

    >>> import labkit.torch as torch
    >>> output, push = torch.func.linearize(lambda x: x**2, torch.tensor(3.0))
    >>> output, push(torch.tensor(1.0))
    (tensor(9.), tensor(6.))
    """
    return func(*primals), lambda *tangents: jvp(func, primals, tangents)[1]


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None) -> Callable:
    """The Jacobian function by reverse mode: shape = output shape + input shape.

    By the argument at `argnums`, or a tuple of Jacobians for a tuple; with `has_aux`, `(Jacobian, aux)`.

    >>> import labkit.torch as torch
    >>> torch.func.jacrev(lambda x: x**2)(torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """

    @wraps(func)
    def jacobian(*args, **kwargs):
        of_those, primals = of_chosen(func, args, kwargs, argnums)
        output, aux, pull = pullback(of_those, primals, has_aux, VJP)
        outputs, like = flatten(output)
        found = like([_rows(k, outputs, primals, pull, isinstance(argnums, int)) for k in range(len(outputs))])
        return (found, aux) if has_aux else found

    return jacobian


def _rows(k, outputs, primals, pull, single):
    """d outputs[k] / d primals, each stacked over the elements of the output."""
    zeros = [np.zeros(tuple(o.shape), o._array.dtype) for o in outputs]
    pulled = [flatten(pull([unit if i == k else z for i, z in enumerate(zeros)]))[0] for unit in units(outputs[k])]
    leaves, rebuild = flatten(tuple(primals))
    columns = list(zip(*pulled, strict=True))
    made = rebuild(
        [_shape.reshape(_shape.stack(c), (*outputs[k].shape, *x.shape)) for c, x in zip(columns, leaves, strict=True)]
    )
    return made[0] if single else made


def jacfwd(func, argnums=0, has_aux=False, *, randomness="error") -> Callable:
    """The Jacobian function by forward mode: shape = output shape + input shape."""

    @wraps(func)
    def jacobian(*args, **kwargs):
        as_before = _memory(args)
        chosen = lambda: of_chosen(func, as_before(), kwargs, argnums, allow_none=True)
        with Draws(randomness, 1).of_entry(0):
            leaves, rebuild = flatten(tuple(chosen()[1]))
            found = [_columns(chosen, k, has_aux) for k in range(len(leaves))]
        by_output = [rebuild([column[i] for column, _, _ in found]) for i in range(len(found[0][0]))]
        made = found[0][1]([row[0] if isinstance(argnums, int) else row for row in by_output])
        return (made, found[0][2]) if has_aux else made

    return jacobian


def _memory(args):
    """A function that gives `args` as they are now, also after a function has changed them in place."""
    leaves, rebuild = flatten(tuple(args))
    kept = [(a, a._version_counter.number, a.clone()) if isinstance(a, Tensor) else (a, None, None) for a in leaves]
    return lambda: rebuild(
        [a if copy is None or a._version_counter.number == number else copy.clone() for a, number, copy in kept]
    )


def _columns(chosen, k, has_aux):
    """d outputs / d tensor number k of the primals, a run of the function that `chosen` gives for each of its elements."""
    columns, like, aux = [], None, None
    by = flatten(tuple(chosen()[1]))[0][k]
    shape = tuple(by.shape)
    for unit in units(by):
        func, primals = chosen()
        leaves, rebuild = flatten(tuple(primals))
        tangents = [
            Tensor._of(unit if i == k else np.zeros(tuple(p.shape), p._array.dtype)) for i, p in enumerate(leaves)
        ]
        result = jvp(func, tuple(primals), rebuild(tangents), has_aux=has_aux)
        pushed, like = flatten(result[1])
        aux = result[2] if has_aux else None
        columns.append(pushed)
    stacked = [_shape.stack(c, -1) for c in zip(*columns, strict=True)]
    return [_shape.reshape(c, (*c.shape[:-1], *shape)) for c in stacked], like, aux


def hessian(func, argnums=0) -> Callable:
    """The Hessian function: forward mode over reverse mode."""
    return jacfwd(jacrev(func, argnums), argnums)


def stack_module_state(models) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """`(parameters, buffers)` of modules of one class, `{name: tensor}`, each stacked along a new first dimension.

    Raises RuntimeError for none, for several classes, for several modes.

    >>> import labkit.torch as torch
    >>> parameters, buffers = torch.func.stack_module_state([torch.nn.Linear(2, 1) for _ in range(3)])
    >>> parameters["weight"].shape
    torch.Size([3, 1, 2])
    """
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({m.training for m in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if len({type(m) for m in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = [dict(m.named_parameters()) for m in models]
    buffers = [dict(m.named_buffers()) for m in models]
    return _stacked_by_name(parameters), _stacked_by_name(buffers)


def _stacked_by_name(found):
    return {name: _stacked(name, [each[name] for each in found]) for name in found[0]}


def _stacked(name, tensors):
    wanted = {t.requires_grad for t in tensors}
    if len(wanted) > 1:
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    return _shape.stack(tensors).detach().requires_grad_(wanted.pop())


def _check_names(module, given, own):
    """Raise unless `given` has the names in `own`."""
    unexpected, missing = [n for n in given if n not in own], [n for n in own if n not in given]
    told = [
        f"\n\t{what} key(s): {', '.join(map(repr, sorted(names)))}."
        for what, names in (("Unexpected", unexpected), ("Missing", missing))
        if names
    ]
    if told:
        raise RuntimeError(f"Error(s) in reparametrizing for {module._get_name()}:" + "".join(told))


def functional_call(
    module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False
) -> Any:
    """Call `module` with the tensors in `{name: tensor}` (or several such dicts) in place of its own.

    `args`: one argument, or a tuple of them. With `strict`, raises RuntimeError for names that the module does not have,
    and if one of its own is missing.
    """
    args = () if args is None else as_tuple(args)
    of_kind(parameter_and_buffer_dicts, (dict, list, tuple),
        "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type}", ValueError)  # fmt: skip
    names = [name for part in as_tuple(parameter_and_buffer_dicts, (tuple, list)) for name in part]
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise ValueError(f"{twice} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    given = {name: t for part in as_tuple(parameter_and_buffer_dicts, (tuple, list)) for name, t in part.items()}
    own = dict((*module.named_parameters(), *module.named_buffers()))
    if strict:
        _check_names(module, given, own)
    given = {name: t for name, t in given.items() if name in own}
    return module._called_with(given, args, kwargs or {})


__getattr__ = attributes(__name__)
