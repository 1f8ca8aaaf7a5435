"""`_Function`: an op of one's own, as a class with `forward` and `backward`."""

import inspect
from typing import Any

import numpy as np

from ...engine import map_leaves
from ...kinds import as_tuple
from ...layout import Placed
from .._own_rule import OwnRule
from .._printing import shape_text
from ..ops import stop_gradient
from ..tensor import Tensor

__all__ = ["_Function"]


class _Function(metaclass=Placed):
    """Subclass it with static methods `forward(ctx, *args)` and `backward(ctx, *gradients)`; call it by `apply(*args)`.

    `ctx` carries what `forward` leaves for `backward`, which gets a gradient for each output and returns one for each
    argument, None for zero. With `setup_context(ctx, inputs, output)`, `forward` gets no `ctx`.

    >>> import labkit.mindspore as ms
    >>> class Doubled(_Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return 2 * x
    ...     @staticmethod
    ...     def backward(ctx, gradient):
    ...         return 2 * gradient
    >>> Doubled.apply(ms.Tensor(3.0)), ms.grad(Doubled.apply)(ms.Tensor(3.0))
    (Tensor(shape=[], dtype=Float32, value= 6), Tensor(shape=[], dtype=Float32, value= 2))
    """

    _shown = "mindspore.common._grad_function._Function"
    saved_tensors: tuple = ()
    needs_input_grad: tuple = ()
    non_differentiable: tuple = ()
    materialize_grads = True

    @staticmethod
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        """The output, a tensor or a tuple; to be defined by the subclass."""
        raise NotImplementedError("forward function should be customized.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradients of the arguments; to be defined by the subclass."""
        raise NotImplementedError("backward function should be customized.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: Any) -> Any:
        """Leave in `ctx` what `backward` needs."""
        raise NotImplementedError("setup_context is not implemented.")

    @classmethod
    def apply(cls, *args, **kwargs) -> Any:
        """What `forward` gives for these arguments, with the derivative of `backward`.

        Keyword arguments are taken with a `setup_context` only, else TypeError is raised. The derivative raises
        RuntimeError for a wrong number of gradients, or for one of another type or shape.
        """
        if cls.setup_context is not _Function.setup_context:
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        if kwargs:
            raise TypeError("apply() takes no keyword arguments")
        return _Application(cls, args).run()

    def save_for_backward(self, *tensors: Tensor) -> None:
        """Keep tensors for `backward`, where they are `ctx.saved_tensors`."""
        if not all(t is None or isinstance(t, Tensor) for t in tensors):
            raise RuntimeError(
                "Please check your custom function, that save_for_backward() only support None and tensor, but got other type!"
            )
        self.saved_tensors = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Say which arguments `forward` changes in place. Raises NotImplementedError: it cannot, here."""
        raise NotImplementedError(
            "mark_dirty: a forward that changes its argument in place is not part of labkit; return a new tensor"
        )

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Say which outputs are constants to every derivative."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether `backward` gets zeros (the default) or None for an output that got no gradient."""
        self.materialize_grads = value


class _Application:
    """One call of `apply`: its context, and what `forward` had then."""

    def __init__(self, kind, args):
        self.kind, self.ctx = kind, kind()
        self.own = OwnRule(self._forward, self._backward, args)
        self.ctx.needs_input_grad = tuple(i in self.own.boxed for i in range(len(args)))

    def run(self):
        if not self.own.boxed:
            return stop_gradient(self._forward(*self.own.args))
        output = self.own.run()
        if not self.constant:
            return output
        parts = [stop_gradient(o) if i in self.constant else o for i, o in enumerate(as_tuple(output))]
        return type(output)(parts) if isinstance(output, (tuple, list)) else parts[0]

    def _forward(self, *args):
        if self.kind.setup_context is _Function.setup_context:
            output = self.kind.forward(self.ctx, *args)
        else:
            output = self.kind.forward(*args)
            self.kind.setup_context(self.ctx, tuple(args), output)
        marked = self.ctx.non_differentiable
        self.constant = [i for i, o in enumerate(as_tuple(output)) if any(o is m for m in marked)]
        self.left, self.known = dict(vars(self.ctx)), [*args, *as_tuple(output)]
        return output

    def _backward(self, args, out, gradients):
        now = [*args, *as_tuple(out)]  # for a derivative of the derivative, other boxes than `forward` had
        instead = {id(then): new for then, new in zip(self.known, now, strict=True) if isinstance(then, Tensor)}
        vars(self.ctx).update(map_leaves(lambda leaf: instead.get(id(leaf), leaf), self.left))
        several = isinstance(gradients, (tuple, list))
        if several and not self.ctx.materialize_grads:
            gradients = [g if i in self.own.arrived else None for i, g in enumerate(gradients)]
        found = self.kind.backward(self.ctx, *(gradients if several else (gradients,)))
        return self._checked(as_tuple(found, (tuple, list)), args)

    def _checked(self, found, args):
        if len(found) < len(args):
            raise RuntimeError(
                f"Function backward return a wrong number of gradients, expect: {len(args)}but: {len(found)}"
            )
        for place, gradient in enumerate(found):
            argument = args[place] if place < len(args) else None
            if gradient is not None and not isinstance(argument, Tensor):
                raise RuntimeError(
                    f"Input is not tensor, but gradient is not none, position: {place} type: {type(gradient)}"
                )
            if gradient is not None:
                _check_gradient(gradient, argument, place)
        return found


def _check_gradient(gradient, argument, place):
    if not isinstance(gradient, Tensor):
        raise RuntimeError(f"Gradient should be none or tensor, position: {place} type: {type(gradient)}")
    try:
        np.broadcast_shapes(gradient.shape, argument.shape)
        fits = len(gradient.shape) >= len(argument.shape)
    except ValueError:
        fits = False
    if not fits:
        shapes = [f"[const vector]{shape_text(t.shape)}" for t in (gradient, argument)]
        raise RuntimeError(
            "For grad interface or custom function, grad tensor should be broadcast to expected shape, "
            f"but got {shapes[0]} vs {shapes[1]}"
        )
