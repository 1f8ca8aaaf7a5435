"""Hooks on what a node saves: one packs it when it is saved, the other unpacks it when the walk back comes to it."""

from collections.abc import Iterator
from contextlib import contextmanager

from ..layout import Placed
from . import _modes

CHANGED = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
    "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you need to "
    "perform in-place operations on the input to a pack hook."
)
GONE = (
    "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are freed "
    "when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the graph "
    "a second time or if you need to access saved variables after calling backward."
)
TWICE = (
    "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of hooks is allowed "
    "at a time."
)
NOTHING = "Calling register_hooks on a saved tensor with value None is forbidden"


def packed(tensor, hooks):
    """What the first of `hooks` makes of a tensor that is saved, with the second. Raises RuntimeError if it changes it."""
    pack, unpack = hooks
    number = tensor._version_counter.number
    with _modes.no_grad():
        held = pack(tensor)
    if tensor._version_counter.number != number:
        raise RuntimeError(CHANGED)
    return held, unpack


def unpacked(kept):
    """The tensor that the second hook makes of what the first has made. Raises TypeError for anything else."""
    held, unpack = kept
    found = unpack(held)
    if not hasattr(found, "__engine_wrap__"):
        kind = type(found).__name__
        raise TypeError(f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {kind}")
    return found


@contextmanager
def refused(message) -> Iterator[None]:
    """While open, there may be no hooks for all that is saved: to ask for some raises RuntimeError with this message."""
    before = _modes.state.refused
    _modes.state.refused = message
    try:
        yield
    finally:
        _modes.state.refused = before


class SavedTensor(metaclass=Placed):
    """What a node keeps of a tensor, as `grad_fn._raw_saved_self`: `register_hooks(pack, unpack)` packs it now."""

    _shown = "torch._C._autograd.SavedTensor"

    def __init__(self, node, name):
        self._node, self._name = node, name

    def register_hooks(self, pack_hook, unpack_hook) -> None:
        """Keep `pack_hook(tensor)` from now on; `unpack_hook` of that is the tensor again. Once for a saved tensor."""
        node, name = self._node, self._name
        if name in node.plan.unsaved:
            raise RuntimeError(NOTHING)
        if node.released:
            raise RuntimeError(GONE)
        if name in node.packed:
            raise RuntimeError(TWICE)
        node.pack(name, getattr(node, f"_saved_{name}").detach(), (pack_hook, unpack_hook))
        node.versions.pop(name, None)
