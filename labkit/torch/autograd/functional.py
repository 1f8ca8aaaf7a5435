"""Whole derivatives of functions of tensors, by way of the tape: Jacobians, Hessians and their products with vectors.

`inputs` is a tensor or a tuple of tensors; results mirror its structure. With `create_graph=True` they can be
differentiated again.
"""

from typing import Any

from ...dialects.argument_types import as_tuple, of_kind
from ...dialects.unsupported import attributes
from .._error_texts import error
from .._ops import creation as _creation
from .._ops import shape as _shape
from .._tape.grad_mode import enable_grad
from .._tensor.tensor import Tensor
from .._transforms.function_call import units


def _tuple(x, what, name):
    found = as_tuple(x)
    for t in found:
        said = f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but found {{type}}."
        of_kind(t, Tensor, said)
    return found


def _mirrored(found, like, create_graph):
    """`found`, tensors or tuples of them, as one or as a tuple, as `like` is; off the tape unless it is to be differentiated."""
    found = tuple(t if create_graph or isinstance(t, tuple) else t.detach() for t in found)
    return found if isinstance(like, tuple) else found[0]


def _as_leaves(inputs, name, create_graph):
    """The inputs as fresh leaves, or still on the tape where the result is to be differentiated again."""
    fresh = lambda t: t.view_as(t) if create_graph and t.requires_grad else t.detach().requires_grad_()
    return tuple(map(fresh, _tuple(inputs, "inputs", name)))


def _called(func, inputs, name, strict):
    """What `func` returns, and that as a tuple."""
    out = func(*inputs)
    outputs = _tuple(out, "outputs of the user-provided function", name)
    _on_tape(outputs, strict, "output_constant")
    return out, outputs


def _pulled(
    outputs, inputs, seeds, create_graph, strict=False, said="independent", again="jacobian_independent", output=0
):
    """The gradients; with `strict`, an error is raised: `said` where there is none, `again` where it is constant."""
    from . import grad

    used = [(o, s) for o, s in zip(outputs, seeds, strict=True) if o.requires_grad]
    if not used:
        return tuple(_creation.zeros_like(t) for t in inputs)
    outputs, seeds = zip(*used, strict=True)
    found = grad(outputs, inputs, seeds, create_graph=create_graph, retain_graph=True, allow_unused=True)
    for i, g in enumerate(found):
        if strict and g is None:
            raise error(said, i=i, output=output)
    _on_tape(found, strict and create_graph and bool(again), again)
    return tuple(_creation.zeros_like(t) if g is None else g for g, t in zip(found, inputs, strict=True))


def _on_tape(tensors, strict, said):
    for i, t in enumerate(tensors):
        if strict and not t.requires_grad:
            raise error(said, i=i)


def _vector(v, like, name, one, single="input to the user-provided function is"):
    """The vector of a product, checked against what it is paired with, `one` tensor or a tuple; ones for a single element."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(f"The vector v can only be None if the {single} a single Tensor with a single element.")
        return (_creation.ones_like(like[0]),)
    v = _tuple(v, "v", name)
    if len(v) != len(like):
        if one:
            raise RuntimeError("The given v should contain a single Tensor.")
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}.")
    for i, (a, b) in enumerate(zip(v, like, strict=True)):
        if a.shape != b.shape:
            prefix = f"Entry {i} in " if len(v) > 1 else ""
            raise RuntimeError(f"{prefix}v has invalid size: should be {b.shape} but got {a.shape}.")
    return v


@enable_grad()
def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode") -> Any:
    """The Jacobian of `func` at `inputs`: for each output and input, shape = output shape + input shape.

    >>> import labkit.torch as torch
    >>> torch.autograd.functional.jacobian(lambda x: x**2, torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    leaves = _as_leaves(inputs, "jacobian", create_graph)
    out, outputs = _called(func, leaves, "jacobian", strict)
    rows = []
    for i, output in enumerate(outputs):
        more = {"said": "output_independent", "output": i}
        pulled = [_pulled((output,), leaves, (Tensor._of(u),), create_graph, strict, **more) for u in units(output)]
        columns = zip(*pulled, strict=True) if pulled else ((),) * len(leaves)
        found = [_stacked(c, (*output.shape, *t.shape)) for c, t in zip(columns, leaves, strict=True)]
        rows.append(_mirrored(found, inputs, create_graph))
    return _mirrored(rows, out, create_graph)


def _stacked(parts, shape):
    return _shape.reshape(_shape.stack(parts), shape) if parts else _creation.zeros(shape)


@enable_grad()
def hessian(
    func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"
) -> Any:
    """The Hessian of a scalar `func`: for each pair of inputs, shape = input shape + input shape.

    `inputs`: a tensor, or a tuple, which gives a tuple of tuples. Raises RuntimeError for a `func` that is not scalar, and with
    `strict` where it does not depend on an input.

    >>> import labkit.torch as torch
    >>> torch.autograd.functional.hessian(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """

    def first(*values):
        out = func(*values)
        if not isinstance(out, Tensor):
            raise error("hessian_output", type=type(out))
        if out.numel() != 1:
            raise RuntimeError("The Tensor returned by the function given to hessian should contain a single element")
        _on_tape((out,), strict, "output_constant")
        row = _pulled((out,), values, (_creation.ones_like(out),), True)
        _on_tape(row, strict, "jacobian_constant")
        return tuple(g if g.shape == t.shape else g.reshape(t.shape) for g, t in zip(row, values, strict=True))

    found = jacobian(first, _tuple(inputs, "inputs", "hessian"), create_graph, strict)
    return found if isinstance(inputs, tuple) else found[0][0]


@enable_grad()
def vjp(func, inputs, v=None, create_graph=False, strict=False) -> tuple:
    """`(outputs, v^T J)`: the vector-Jacobian product."""
    leaves = _as_leaves(inputs, "vjp", create_graph)
    out, outputs = _called(func, leaves, "vjp", strict)
    v = _vector(v, outputs, "vjp", not isinstance(out, tuple), "user-provided function returns")
    found = _pulled(outputs, leaves, v, create_graph, strict)
    return _mirrored(outputs, out, create_graph), _mirrored(found, inputs, create_graph)


@enable_grad()
def jvp(func, inputs, v=None, create_graph=False, strict=False) -> tuple:
    """`(outputs, J v)`: the Jacobian-vector product, by two reverse passes."""
    leaves = _as_leaves(inputs, "jvp", create_graph)
    v = _vector(v, leaves, "jvp", not isinstance(inputs, tuple))
    out, outputs = _called(func, leaves, "jvp", strict)
    dummies = tuple(_creation.zeros_like(o).requires_grad_() for o in outputs)
    pulled = _pulled(outputs, leaves, dummies, True, strict, again="")
    _on_tape(pulled, strict, "pulled_constant")
    found = _pulled(pulled, dummies, v, create_graph, strict, "pushed_constant")
    return _mirrored(outputs, out, create_graph), _mirrored(found, out, create_graph)


def _hessian_product(name, independent, does):
    @enable_grad()
    def product(func, inputs, v=None, create_graph=False, strict=False) -> tuple:
        leaves = _as_leaves(inputs, name, create_graph)
        v = _vector(v, leaves, name, not isinstance(inputs, tuple))
        out, outputs = _called(func, leaves, name, strict)
        if isinstance(out, tuple) or out.numel() != 1:
            raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a single element")
        first = _pulled(outputs, leaves, (_creation.ones_like(out),), True, strict, again="")
        _on_tape(first, strict, "jacobian_constant")
        found = _pulled(first, leaves, v, create_graph, strict, independent, "hessian_independent")
        return _mirrored(outputs, out, create_graph), _mirrored(found, inputs, create_graph)

    product.__name__ = product.__qualname__ = name
    product.__doc__ = does
    return product


vhp = _hessian_product("vhp", "vhp_independent", "`(output, v^T H)`: the vector-Hessian product of a scalar `func`.")
hvp = _hessian_product(
    "hvp", "hvp_independent", "`(output, H v)`: the Hessian-vector product of a scalar `func`; as `vhp`."
)

__getattr__ = attributes(__name__)
