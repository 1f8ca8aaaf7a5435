"""Derivatives written by hand: subclass `Function`, give `forward` and `backward`, call `apply`."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from inspect import signature
from typing import Any

import numpy as np

from ...aliases import attributes
from ...engine import isbox
from ...kinds import as_tuple, of_kind
from ...layout import Placed
from .. import _modes
from .._dispatch import check_view, move_history
from .._kept import FREED, INFERENCE, modified
from .._node import Node
from .._saved import packed, unpacked
from .._tape import Edge
from .._tensor import Tensor
from .._walk import wrapped
from ._once import once_differentiable as once_differentiable
from ._traced import applied_to_traced

VIEW_AMONG_OUTPUTS = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more than "
    "one Tensor. This is not supported by the current autograd engine. You should either make sure the input is not a "
    "view (using .clone() for example) or make your Function only return one Tensor (potentially splitting it into two "
    "Functions: one doing the inplace that returns a single Tensor and a second one that does the other operations). "
    "You can ask on the forum https://discuss.pytorch.org/ if you need help to do this change."
)

RETURNED_AS_IS = (
    "An input that has been returned as-is as output is being saved for backward. This is not supported if you override "
    "setup_context. You should return and save a view of the input instead, e.g. with x.view_as(x) or setup ctx inside the "
    "forward function itself."
)
ONE_OF_BOTH = (
    "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only implement one of "
    "them."
)
NOT_AN_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be passed to "
    "ctx.mark_dirty()."
)
NO_CONTEXT = (
    "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override the "
    "setup_context staticmethod. For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
)
NO_BATCHES = (
    "You tried to vmap over {}, but it does not have vmap support. Please override and implement the vmap staticmethod or set "
    "generate_vmap_rule=True. For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
)
NOT_INSTANTIATED = (
    "{} should not be instantiated. Methods on autograd functions are all static, so you should invoke them on the class "
    "itself. Instantiating an autograd function will raise an error in a future version of PyTorch."
)

LEGACY = (
    "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function with "
    "static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
)


class FunctionCtx(Node):
    """What `forward` leaves for `backward`; on the tape it is the node itself."""

    materialize = _materialize_non_diff_grads = True
    _saved: tuple = ()
    _versions: tuple = ()
    saved_for_forward: tuple | None = None  # what `jvp` finds in `saved_tensors`
    _packed: tuple = ()  # what hooks made of the saved tensors, and where on the tape each of these is
    _kinds: tuple = ()
    _backward: staticmethod

    def __init__(self):
        super().__init__()
        self._saved, self._versions, self._dirty, self._constant = (), (), (), ()
        self.edges, self._places, self.needs_input_grad = (), (), ()

    def save_for_backward(self, *tensors) -> None:
        """Keep tensors for `backward`; it finds them in `ctx.saved_tensors`."""
        for t in tensors:
            if t is not None and not isinstance(t, Tensor):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument {len(self._saved)} is of type "
                    f"{type(t).__name__}"
                )
        self._saved = tensors
        self.releases = bool(tensors)

    def save_for_forward(self, *tensors) -> None:
        """Keep tensors for `jvp`; it finds them in `ctx.saved_tensors`."""
        self.saved_for_forward = tensors

    def mark_dirty(self, *tensors) -> None:
        """Say which inputs `forward` changed in place."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors) -> None:
        """Say which outputs are constants."""
        self._constant = tensors

    def set_materialize_grads(self, value) -> None:
        """False: `backward` gets None, not zeros, for an output that received no gradient."""
        self.materialize = value

    @property
    def saved_tensors(self) -> tuple:
        """What `save_for_backward` kept."""
        if self.released and self.releases:
            raise RuntimeError(FREED)
        if self._packed:
            return tuple(
                None if kept is None else unpacked(kept).detach()._placed_at(edge) for kept, edge in self._packed
            )
        for t, number in zip(self._saved, self._versions, strict=False):
            if t is not None and t._version_counter.number != number:
                raise RuntimeError(modified(t, t._version_counter, number))
        return tuple(self._saved)

    @property
    def saved_variables(self) -> tuple:
        """The old name of `saved_tensors`."""
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
        return self.saved_tensors

    @contextmanager
    def saved_for_jvp(self) -> Iterator[None]:
        """While open, `saved_tensors` are those of `save_for_forward`, where there are any."""
        kept = self._saved, self._versions, self._packed
        if self.saved_for_forward is not None:
            self._saved, self._versions, self._packed = self.saved_for_forward, (), ()
        try:
            yield
        finally:
            self._saved, self._versions, self._packed = kept

    def check_returned(self, inputs, output) -> None:
        """Raise RuntimeError where an input that `forward` returned as it is is saved, but for one that it changed."""
        returned = [t for t in as_tuple(output) if _among(t, inputs) and not _among(t, self._dirty)]
        if any(_among(t, returned) for t in (*self._saved, *(self.saved_for_forward or ())) if t is not None):
            raise RuntimeError(RETURNED_AS_IS)

    def _arrives(self, output):
        """The shape and dtype of the zeros that stand for a gradient of `output`; None where None does."""
        constant = _among(output, self._constant) and not self._materialize_non_diff_grads
        return (output._array.shape, output._array.dtype) if isinstance(output, Tensor) and not constant else None

    def pull(self, gradients, wanted, create, result=None) -> list:
        given = [self._arriving(k, g) for k, g in enumerate(gradients)]
        answers = self._backward(self, *given)
        answers = as_tuple(answers)
        answers = self._gradient_values(answers)
        return [a for a, edge in zip(answers, self.edges, strict=True) if edge is not None]

    def _arriving(self, k, g):
        if g is None and self.materialize and self._kinds[k] is not None:
            shape, dtype = self._kinds[k]
            g = np.zeros(shape, dtype)
        return None if g is None else wrapped(g)

    def _gradient_values(self, answers):
        """One gradient value per tensor argument, in the right number and shape."""
        expected = len(self.needs_input_grad)
        if len(answers) > expected and all(a is None for a in answers[expected:]):
            answers = answers[:expected]
        if len(answers) != expected:
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected {expected}, got "
                f"{len(answers)})"
            )
        found: list = []
        for i, a in enumerate(answers):
            if i not in self._places:
                if a is not None:
                    raise RuntimeError(
                        f"function {self.name()} returned a gradient different than None at position {i + 1}, but the "
                        "corresponding forward input was not a Variable"
                    )
                continue
            found.append(self._fitting(len(found), a))
        return found

    def _fitting(self, i, answer):
        edge = self.edges[i]
        if answer is None or edge is None:
            return None
        of_kind(answer, Tensor, "expected Variable or None (got {kind})", RuntimeError)
        if tuple(answer.shape) != tuple(edge.shape):
            try:
                back = np.broadcast_shapes(tuple(answer.shape), tuple(edge.shape)) == tuple(answer.shape)
            except ValueError:
                back = False
            if not back:
                raise RuntimeError(
                    f"Function {self.name()} returned an invalid gradient at index {i} - got {list(answer.shape)} but "
                    f"expected shape compatible with {list(edge.shape)}"
                )
            answer = _summed(answer, edge.shape)
        return answer._value

    def release(self) -> None:
        self.released = True
        if self.releases:
            self._saved = self._packed = ()

    def _pack(self, hooks):
        """Keep what the first of `hooks` makes of the saved tensors, in their place."""
        pairs = [(None, None) if t is None else (packed(t, hooks), t._gradient_edge()) for t in self._saved]
        self._packed, self._saved = tuple(pairs), ()


def _summed(tensor, shape):
    """The gradient of a value that was broadcast, summed back to `shape`."""
    extra = tensor.ndim - len(shape)
    dims = [*range(extra), *(i + extra for i, n in enumerate(shape) if n == 1 and tensor.shape[i + extra] != 1)]
    return tensor.sum(dims, keepdim=True).reshape(tuple(shape)) if dims else tensor


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

    def __init__(self, *args, **kwargs):
        warnings.warn(NOT_INSTANTIATED.format(type(self)), DeprecationWarning, stacklevel=2)

    def __call__(self, *args, **kwargs) -> Any:
        raise RuntimeError(LEGACY)

    @staticmethod
    def forward(*args, **kwargs) -> Any:
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx, inputs, output) -> None:
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grad_outputs) -> Any:
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    @staticmethod
    def vjp(ctx, *grad_outputs) -> Any:
        """Another name for `backward`: one of both is to be given."""
        return Function.backward(ctx, *grad_outputs)

    @classmethod
    def _derivative(cls) -> Any:
        """`backward`, under the name that it was given."""
        if cls.vjp is Function.vjp:
            return cls.backward
        if cls.backward is not Function.backward:
            raise RuntimeError(ONE_OF_BOTH)
        return cls.vjp

    @staticmethod
    def jvp(ctx, *grad_inputs) -> Any:
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def vmap(info, in_dims, *args) -> Any:
        """A rule for a whole batch, which the real one needs: here `vmap` runs the function for each entry."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args, **kwargs) -> Any:
        """Run `forward` and put the op on the tape."""
        if cls.setup_context is not Function.setup_context:
            given = signature(cls.forward).bind(*args, **kwargs)
            given.apply_defaults()
            args, kwargs = given.args, given.kwargs
        tensors = [a for a in args if isinstance(a, Tensor)]
        traced = any(isbox(t._data) for t in tensors)
        if traced or _modes.state.drawing is not None:
            _check_transform(cls, traced, tensors)
        if traced:
            return applied_to_traced(cls, args, kwargs, _run_forward, _applied)
        return _applied(cls, args, kwargs)[1]


def _applied(cls, args, kwargs):
    """The node of a function, and its outputs on the tape."""
    tensors = [a for a in args if isinstance(a, Tensor)]
    recorded = _modes.grad_enabled() and any(t.requires_grad for t in tensors)
    parents = tuple(t._gradient_edge() for t in tensors) if recorded else ()
    needed = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)
    with _modes.no_grad():
        ctx, output = _run_forward(cls, args, kwargs, needed)
    ctx._places = tuple(i for i, a in enumerate(args) if isinstance(a, Tensor))
    ctx.edges = parents
    return ctx, _attached(ctx, output, tensors)


def _check_transform(cls, traced, tensors):
    """Raise RuntimeError for a function that cannot be inside of a transform of `torch.func`, or of `vmap`."""
    drawing = _modes.state.drawing
    batched = drawing is not None and any(drawing.holds(t) for t in tensors)
    if cls.setup_context is Function.setup_context and (batched or (traced and _modes.transform_level())):
        raise RuntimeError(NO_CONTEXT)
    if batched and not cls.generate_vmap_rule and cls.vmap is Function.vmap:
        raise RuntimeError(NO_BATCHES.format(cls.__name__))


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
    if not all(_among(t, outputs) for t in ctx._dirty if _among(t, inputs)):
        raise RuntimeError(
            "Some elements marked as dirty during the forward method were not returned as output. The inputs that are "
            "modified inplace must all be outputs of the Function."
        )
    ctx.outputs = len(outputs)
    ctx._kinds = tuple(map(ctx._arrives, outputs))
    made = tuple(_placed(ctx, nr, out, inputs) for nr, out in enumerate(outputs))
    for t in ctx._saved if ctx.edges else ():
        if t is not None and t.is_inference():
            raise RuntimeError(INFERENCE)
    ctx._versions = tuple(None if t is None else t._version_counter.number for t in ctx._saved)
    if _modes.state.saving is not None and ctx.edges:
        ctx._pack(_modes.state.saving)
    return made if isinstance(output, tuple) else made[0]


def _among(tensor, others):
    return any(tensor is t for t in others)


def _placed(ctx, nr, out, inputs):
    """Output number `nr` of the node `ctx`: an input returned as it is becomes a view, one that was changed stays."""
    if not isinstance(out, Tensor) or not out.dtype.is_floating_point or _among(out, ctx._constant):
        return out
    edge = Edge.of(ctx, nr, out._array.dtype, out._array.shape) if ctx.edges else None
    if _among(out, inputs) and _among(out, ctx._dirty):
        return _changed(ctx, edge, out, inputs)
    if out._base is not None and _among(out, ctx._dirty):
        raise RuntimeError(NOT_AN_INPUT)
    seen = out._base is not None and any(out._base is x or out._base is x._base for x in inputs)
    if edge is None and out.requires_grad and (_among(out, inputs) or not seen):
        return out.detach()
    if _among(out, inputs):
        with _modes.no_grad():
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
            raise RuntimeError(VIEW_AMONG_OUTPUTS)
    move_history(out, edge, ctx.edges[next(i for i, t in enumerate(inputs) if t is out)])
    return out


class InplaceFunction(Function):
    """The old name of a `Function` that changes its inputs in place."""

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace


__getattr__ = attributes(__name__)
