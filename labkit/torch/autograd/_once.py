"""`once_differentiable`: gradients that a walk back does not go through again."""

from collections.abc import Callable
from functools import wraps

from ...kinds import as_tuple
from .. import _modes
from .._node import Node
from .._tape import Edge
from .._tensor import Tensor

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
    """Mark a `backward` as not differentiable again: a walk back through its results raises RuntimeError."""

    @wraps(fun)
    def wrapper(ctx, *grads):
        with _modes.no_grad():
            found = fun(ctx, *grads)
        again = _modes.grad_enabled() and any(isinstance(g, Tensor) and g.requires_grad for g in grads)
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
