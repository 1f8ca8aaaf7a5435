"""The context of a `Function`: what it saves for its derivative. On the tape the context is the node itself."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ...dialects.argument_types import as_tuple, of_kind
from .._error_texts import error
from .._tape.backward_pass import wrapped
from .._tape.node import Node
from .._tape.saved_values import maker_of, modified, packed, unpacked
from .._tensor.tensor import Tensor


def among(tensor, others) -> bool:
    """Whether `tensor` itself is one of the others."""
    return any(tensor is t for t in others)


class FunctionCtx(Node):
    """What `forward` leaves for `backward`; on the tape it is the node itself."""

    _shown = "torch.autograd.function.FunctionCtx"

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

    def op_name(self):
        """The name of the user's class."""
        return type(self).__name__.removesuffix("Backward")

    def save_for_backward(self, *tensors) -> None:
        """Keep tensors for `backward`; it finds them in `ctx.saved_tensors`."""
        for t in tensors:
            if t is not None and not isinstance(t, Tensor):
                raise error("save_for_backward", saved=len(self._saved), kind=type(t).__name__)
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
            raise error("graph_freed")
        if self._packed:
            return tuple(
                None if kept is None else unpacked(kept).detach()._placed_at(edge) for kept, edge in self._packed
            )
        for t, number in zip(self._saved, self._versions, strict=False):
            if t is not None and t._version_counter.number != number:
                raise RuntimeError(modified(t, maker_of(t), t._version_counter, number))
        return tuple(self._saved)

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
        """Raise RuntimeError where an input that `forward` returned unchanged is saved, except one that it changed."""
        returned = [t for t in as_tuple(output) if among(t, inputs) and not among(t, self._dirty)]
        if any(among(t, returned) for t in (*self._saved, *(self.saved_for_forward or ())) if t is not None):
            raise error("returned_as_is")

    def _arrives(self, output):
        """The shape and dtype of the zeros that stand for a gradient of `output`; None where None does."""
        constant = among(output, self._constant) and not self._materialize_non_diff_grads
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
            raise error("gradient_count", op=self.name(), expected=expected, answers=len(answers))
        found: list = []
        for i, a in enumerate(answers):
            if i not in self._places:
                if a is not None:
                    raise error("gradient_of_constant", op=self.name(), i=i + 1)
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
                raise error("gradient_shape", op=self.name(), i=i, given=list(answer.shape), shape=list(edge.shape))
            answer = _summed(answer, edge.shape)
        return answer._value

    def release(self) -> None:
        self.released = True
        if self.releases:
            self._saved = self._packed = ()

    def _pack(self, hooks):
        """Keep what the first of `hooks` returns for the saved tensors, in their place."""
        pairs = [(None, None) if t is None else (packed(t, hooks), t._gradient_edge()) for t in self._saved]
        self._packed, self._saved = tuple(pairs), ()


def _summed(tensor, shape):
    """The gradient of a value that was broadcast, summed back to `shape`."""
    extra = tensor.ndim - len(shape)
    dims = [*range(extra), *(i + extra for i, n in enumerate(shape) if n == 1 and tensor.shape[i + extra] != 1)]
    return tensor.sum(dims, keepdim=True).reshape(tuple(shape)) if dims else tensor
