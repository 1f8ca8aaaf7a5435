"""`torch.autograd.graph`: the nodes of the tape, and hooks on what they save and on several gradients at once."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple

from ...aliases import attributes
from ...layout import Placed
from .. import _modes
from .._node import Handle, Node
from .._saved import refused
from .._tape import Edge
from .._tensor import Tensor

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]

OUTSIDE = (
    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"
    "in which the graph was originally recorded."
)


class saved_tensors_hooks(metaclass=Placed):
    """`with saved_tensors_hooks(pack, unpack):` what the nodes made inside save is `pack(tensor)`.

    When the walk back comes to a node, `unpack` of that has to be the tensor again. The innermost pair is used, under
    `no_grad`. Raises RuntimeError where hooks are disabled, later where `pack` has changed its tensor in place; TypeError
    where `unpack` returns something else than a tensor.

    >>> import labkit.torch as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), lambda numbers: torch.tensor(numbers)):
    ...     y = x**2
    >>> y.sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """

    def __init__(self, pack_hook: Callable, unpack_hook: Callable):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self) -> None:
        state = _modes.state
        if state.refused is not None:
            raise RuntimeError(state.refused)
        state.saving_before = (*state.saving_before, state.saving)
        state.saving = self.pack_hook, self.unpack_hook

    def __exit__(self, *exc) -> None:
        *before, _modes.state.saving = _modes.state.saving_before or (None,)
        _modes.state.saving_before = tuple(before)


class save_on_cpu(saved_tensors_hooks):
    """`with save_on_cpu():` what is saved is kept on the CPU, where all is here anyway."""

    def __init__(self, pin_memory=False, device_type="cuda"):
        super().__init__(lambda tensor: (tensor.device, tensor.cpu()), lambda packed: packed[1].to(packed[0]))


def disable_saved_tensors_hooks(error_message: str) -> AbstractContextManager[None]:
    """While open, `saved_tensors_hooks` raises RuntimeError with this message.

    >>> from labkit.torch.autograd import graph
    >>> with graph.disable_saved_tensors_hooks("not here"):
    ...     try:
    ...         graph.save_on_cpu().__enter__()
    ...     except RuntimeError as error:
    ...         print(error)
    not here
    """
    return refused(error_message)


class _Copies(metaclass=Placed):
    """What `allow_mutation_on_saved_tensors` gives: the copies that it keeps, until `clear()`."""

    open = True

    def clear(self) -> None:
        self.open = False


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[Any]:
    """While open, tensors that were saved may be changed in place: nodes keep copies. `backward()` has to run inside, too.

    PyTorch copies a tensor when it is changed, this when it is saved; the gradients are the same.

    >>> import labkit.torch as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.autograd.graph.allow_mutation_on_saved_tensors():
    ...     y = x.clone()
    ...     z = (y**2).sum()
    ...     _ = y.zero_()
    ...     z.backward()
    >>> x.grad
    tensor([2., 2.])
    """
    copies = _Copies()

    def again(copy):
        if not copies.open:
            raise AssertionError(OUTSIDE)
        return copy

    with saved_tensors_hooks(lambda tensor: tensor.detach().clone(), again):
        try:
            yield copies
        finally:
            copies.clear()


# ---- edges ----


class GradientEdge(NamedTuple):
    """Output number `output_nr` of `node`: a place on the tape, in the place of a tensor for `backward` and `grad`."""

    node: Node
    output_nr: int
    ownership_token: Any = None


def get_gradient_edge(tensor) -> GradientEdge:
    """Where the gradient of `tensor` goes. Raises RuntimeError where it requires none.

    >>> import labkit.torch as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> edge = torch.autograd.graph.get_gradient_edge(x**2)
    >>> torch.autograd.grad(edge, x, torch.tensor(1.0))
    (tensor(6.),)
    """
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    edge = tensor._gradient_edge()
    edge.node.own("_edges")[edge.nr] = (edge.dtype, edge.shape)
    return GradientEdge(edge.node, edge.nr)


def edge_of(place) -> Edge | None:
    """The edge of a tensor or of a `GradientEdge`; None for a tensor that requires no gradient."""
    if isinstance(place, Tensor):
        return place._gradient_edge()
    node, number, _ = place
    return Edge.of(node, number, *vars(node).get("_edges", {}).get(number, (None, None)))


def increment_version(tensor) -> None:
    """Say that the memory of a tensor, or of each of several, was changed in place by other means; one made in
    inference mode has no version."""
    for t in (tensor,) if isinstance(tensor, Tensor) else tensor:
        if not t.is_inference():
            t._version_counter.number += 1


# ---- hooks on several gradients ----


class _Handles(Handle):
    """`remove()` takes all the hooks off again."""

    _shown = "torch.autograd.graph._MultiHandle"

    def __repr__(self):
        return f"<{self._shown} object at {id(self):#x}>"

    def __init__(self, handles):
        self.handles = tuple(handles)

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()


def register_multi_grad_hook(tensors: Sequence[Tensor], fn: Callable, *, mode="all") -> Handle:
    """Call `fn(gradients)` once in each walk back that has the gradients of `tensors`: all that it comes to, else None.

    With `mode="any"`, `fn(gradient)` of the first that is known. Raises ValueError for another mode, AssertionError for
    a tensor that requires no gradient; with "all", such a walk may not be one of `grad` that comes to a leaf.

    >>> import labkit.torch as torch
    >>> x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    >>> handle = torch.autograd.graph.register_multi_grad_hook((x, y), lambda grads: print(len(grads)))
    >>> (x * y).sum().backward()
    2
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of {('all', 'any')} but got {mode}")
    if mode == "any":
        first = _First(fn)
        return _Handles([t.register_hook(first) for t in tensors if t.requires_grad])
    if not all(t.requires_grad for t in tensors):
        raise AssertionError("Expected gradient function to be set")
    together = _Together(fn, tensors)
    return _Handles([t.register_hook(together.at(i)) for i, t in enumerate(tensors)])


class _Together:
    """Collects the gradients of one walk."""

    def __init__(self, fn, tensors):
        self.fn, self.walk = fn, None
        self.nodes = [t._gradient_edge().node for t in tensors]

    def at(self, place):
        def hook(grad):
            walk = _modes.state.walk
            if self.walk is not walk:
                self.walk, self.found = walk, [None] * len(self.nodes)
                self.missing = sum(walk.will_run(node) for node in self.nodes)
            self.found[place] = grad
            self.missing -= 1
            if not self.missing:
                self.walk = None
                self.fn(self.found)

        return hook


class _First:
    """Passes on the first gradient of a walk."""

    def __init__(self, fn):
        self.fn, self.walk = fn, None

    def __call__(self, grad):
        if self.walk is not _modes.state.walk:
            self.walk = _modes.state.walk
            self.fn(grad)


__getattr__ = attributes(__name__)
