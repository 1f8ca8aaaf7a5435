"""Derivatives written by hand: subclass `Function`, give `forward` and `backward`, call `apply`."""

from collections.abc import Callable
from functools import cache, wraps
from inspect import signature
from typing import Any

from ...dialects.argument_types import as_tuple
from ...dialects.class_paths import Placed
from ...dialects.unsupported import attributes
from ...engine import isbox
from .._error_texts import error
from .._ops.dispatch import check_view, move_history
from .._tape import grad_mode
from .._tape.node import Node
from .._tape.op_node import Edge
from .._tensor.tensor import Tensor
from ._function_context import FunctionCtx, among
from ._function_in_transforms import applied_to_traced


@cache
def _ctx_class(function):
    back = lambda ctx, *gradients: function._derivative()(ctx, *gradients)
    members = {"__module__": "torch.autograd.function", "_backward": staticmethod(back)}
    return type(function.__name__ + "Backward", (FunctionCtx,), members)


class Function(metaclass=Placed):
    """An op with a derivative of its own.

    `forward(ctx, *args)` computes, `backward(ctx, *grad_outputs)` gives one gradient (or None) per argument; both are
    static methods. Or `forward(*args)` computes and `setup_context(ctx, inputs, output)` saves. Call it by `apply`. For
    forward mode, `jvp(ctx, *tangents)` gives one tangent per output.

    >>> import labkit.torch as torch
    >>> class Double(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x * 2
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         return g * 2
    >>> x = torch.tensor(1.0, requires_grad=True)
    >>> Double.apply(x)
    tensor(2., grad_fn=<DoubleBackward>)
    """

    generate_vmap_rule = False

    @staticmethod
    def forward(*args, **kwargs) -> Any:
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx, inputs, output) -> None:
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grad_outputs) -> Any:
        raise error("no_backward")

    @staticmethod
    def vjp(ctx, *grad_outputs) -> Any:
        """Another name for `backward`: one of both is to be given."""
        return Function.backward(ctx, *grad_outputs)

    @classmethod
    def _derivative(cls) -> Any:
        """`backward`, under the name that it was given."""
        return cls.backward if cls.vjp is Function.vjp else cls.vjp

    @staticmethod
    def jvp(ctx, *grad_inputs) -> Any:
        raise error("no_jvp")

    @staticmethod
    def vmap(info, in_dims, *args) -> Any:
        """A rule for a whole batch, which the real one needs: here `vmap` runs the function for each entry."""
        raise error("no_vmap")

    @classmethod
    def apply(cls, *args, **kwargs) -> Any:
        """Run `forward` and put the op on the tape."""
        if cls.setup_context is not Function.setup_context:
            given = signature(cls.forward).bind(*args, **kwargs)
            given.apply_defaults()
            args, kwargs = given.args, given.kwargs
        tensors = [a for a in args if isinstance(a, Tensor)]
        traced = any(isbox(t._data) for t in tensors)
        if traced or grad_mode.state.drawing is not None:
            _check_transform(cls, traced, tensors)
        if traced:
            return applied_to_traced(cls, args, kwargs, _run_forward, _applied)
        return _applied(cls, args, kwargs)[1]


def _applied(cls, args, kwargs):
    """The node of a function, and its outputs on the tape."""
    tensors = [a for a in args if isinstance(a, Tensor)]
    recorded = grad_mode.grad_enabled() and any(t.requires_grad for t in tensors)
    parents = tuple(t._gradient_edge() for t in tensors) if recorded else ()
    needed = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)
    with grad_mode.no_grad():
        ctx, output = _run_forward(cls, args, kwargs, needed)
    ctx._places = tuple(i for i, a in enumerate(args) if isinstance(a, Tensor))
    ctx.edges = parents
    return ctx, _attached(ctx, output, tensors)


def _check_transform(cls, traced, tensors):
    """Raise RuntimeError for a function that cannot be inside a transform of `torch.func`, or of `vmap`."""
    drawing = grad_mode.state.drawing
    batched = drawing is not None and any(drawing.holds(t) for t in tensors)
    if cls.setup_context is Function.setup_context and (batched or (traced and grad_mode.transform_level())):
        raise error("no_context")
    if batched and not cls.generate_vmap_rule and cls.vmap is Function.vmap:
        raise error("no_batches", kind=cls.__name__)


def _run_forward(cls, args, kwargs, needed):
    """The context, which knows which gradients are `needed`, and what `forward` returned."""
    ctx = _ctx_class(cls)()
    ctx.needs_input_grad = needed
    if cls.setup_context is not Function.setup_context:
        output = cls.forward(*args, **kwargs)
        cls.setup_context(ctx, args, output)
        ctx.check_returned(args, output)
    else:
        output = cls.forward(ctx, *args, **kwargs)
    return ctx, output


def _attached(ctx, output, inputs):
    """The outputs as outputs of the node `ctx`."""
    outputs = as_tuple(output)
    if not all(among(t, outputs) for t in ctx._dirty if among(t, inputs)):
        raise error("dirty_not_returned")
    ctx.outputs = len(outputs)
    ctx._kinds = tuple(map(ctx._arrives, outputs))
    made = tuple(_placed(ctx, nr, out, inputs) for nr, out in enumerate(outputs))
    for t in ctx._saved if ctx.edges else ():
        if t is not None and t.is_inference():
            raise error("inference_saved")
    ctx._versions = tuple(None if t is None else t._version_counter.number for t in ctx._saved)
    if grad_mode.state.saving is not None and ctx.edges:
        ctx._pack(grad_mode.state.saving)
    return made if isinstance(output, tuple) else made[0]


def _placed(ctx, nr, out, inputs):
    """Output number `nr` of the node `ctx`: an input returned as it is becomes a view, one that was changed stays."""
    if not isinstance(out, Tensor) or not out.dtype.is_floating_point or among(out, ctx._constant):
        return out
    edge = Edge.of(ctx, nr, out._array.dtype, out._array.shape) if ctx.edges else None
    if among(out, inputs) and among(out, ctx._dirty):
        return _changed(ctx, edge, out, inputs)
    if out._base is not None and among(out, ctx._dirty):
        raise error("not_an_input")
    seen = out._base is not None and any(out._base is x or out._base is x._base for x in inputs)
    if edge is None and out.requires_grad and (among(out, inputs) or not seen):
        return out.detach()
    if among(out, inputs):
        with grad_mode.no_grad():
            out = out.view_as(out)
    if out._base is not None:
        out._origin = "function"
    if edge is not None:
        out._node_edge, out._requires = edge, False
    return out


def _changed(ctx, edge, out, inputs):
    """An input that `forward` changed in place takes its new place on the tape."""
    out._version_counter.number += 1
    if edge is None:
        return out
    if out._requires and out.is_leaf:
        raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
    if out._base is not None:
        check_view(out)
        if ctx.outputs > 1:
            raise error("view_among_outputs")
    move_history(out, edge, ctx.edges[next(i for i, t in enumerate(inputs) if t is out)])
    return out


__getattr__ = attributes(__name__)


NOT_TWICE = "trying to differentiate twice a function that was marked with @once_differentiable"


class Error(Node):
    """The node of gradients that have none themselves: a walk that comes to it ends with its message."""

    def __init__(self, message, tensors):
        super().__init__()
        self.message, self.outputs = message, len(tensors)
        leaves = [t if t is None else t.detach().requires_grad_() for t in tensors]
        self.edges = tuple(t if t is None else t._gradient_edge() for t in leaves)

    def pull(self, gradients, wanted, create) -> list:
        raise RuntimeError(self.message)

    def release(self) -> None:
        pass


Error.__module__ = "builtins"


def once_differentiable(fun) -> Callable:
    """Mark a `backward` as not differentiable again: a backward pass through its results raises RuntimeError."""

    @wraps(fun)
    def wrapper(ctx, *grads):
        with grad_mode.no_grad():
            found = fun(ctx, *grads)
        again = grad_mode.grad_enabled() and any(isinstance(g, Tensor) and g.requires_grad for g in grads)
        return _ending(found) if again else found

    return wrapper


def _ending(found):
    """What a derivative has found, as outputs of a node that ends the walk."""
    tensors = [t if t is None else t.detach() for t in as_tuple(found)]
    node = Error(NOT_TWICE, tensors)
    for nr, t in enumerate(tensors):
        if t is not None:
            t._placed_at(Edge.of(node, nr, t._array.dtype, t._array.shape))
    return tuple(tensors) if isinstance(found, tuple) else tensors[0]
