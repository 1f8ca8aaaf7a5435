"""What the node of an op saves until the backward pass: the arguments and results that its derivative needs.

An array that it does not need leaves a stand-in of its shape and dtype. Of each tensor that is saved the version is
known, so that a change in place is noticed. Once the node has run, all of it is let go, unless the graph is retained.
Hooks on saved tensors pack what is saved, and unpack it when the backward pass comes to the node.
"""

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np

from ...dialects.class_paths import Placed
from .._error_texts import error, said
from . import grad_mode
from .node import NONE, Node, short_name

KEEP_BELOW = 64  # elements: smaller arrays are not worth a stand-in
KEEP_CONSTANT = (
    4096  # elements: of a constant that a node which has run may hold, so that its values can be computed again
)


class Kept(Node):
    """A node with the arguments and the result of an op, as far as its `plan` says that they are needed."""

    versions = packed = apart = NONE
    plan: Any  # see `op_node.Plan`
    args: Any  # a tuple; None once they are let go
    value: Any
    let_go: tuple = ()  # what they were, as long as somebody else holds it

    info = property(lambda self: self.plan.info)
    argnums = property(lambda self: self.plan.argnums)
    releases = property(lambda self: bool(self.plan.saved))

    def keep(self, args, value):
        """Keep what the plan says of these arguments and this result."""
        self.args, self.value = tuple(args), value
        kept = self.plan.kept
        if kept is None:
            return
        for i, a in enumerate(args):
            if type(a) is np.ndarray and a.size > KEEP_BELOW and i not in kept:
                self.args = (*self.args[:i], self._without(i, a), *self.args[i + 1 :])
        if type(value) is np.ndarray and value.size > KEEP_BELOW and "result" not in self.plan.saved:
            self.value = stand_in(value)

    def _without(self, place, array):
        """A stand-in for an argument; where it is a constant, one knows where it was."""
        if place not in self.plan.argnums:
            self.own("apart")[place] = weakref.ref(array)
        return stand_in(array)

    def known(self):
        """The arguments and the result, as far as they are still there; None for each that is not."""
        if self.args is None:
            return [_still(a) for a in self.let_go], None
        args = [self.apart[i]() if i in self.apart else a for i, a in enumerate(self.args)]
        return args, self.value if "result" in self.plan.saved else None

    def watch(self, tensors, result):
        """Remember the versions of the saved tensors, to notice an in-place change before the backward pass."""
        for name, place in self.plan.saved.items() if tensors else ():
            tensor: Any = result if name == "result" else tensors[place] if place is not None else None
            counter = getattr(tensor, "_version_counter", None)
            if counter is None:
                continue
            if tensor._inference:
                raise error("inference_saved")
            if grad_mode.state.saving is not None:
                self.pack(name, tensor, grad_mode.state.saving)
            else:
                self.own("versions")[name] = (weakref.ref(tensor), counter, counter.number)

    def pack(self, name, tensor, hooks):
        """Keep, in place of a saved tensor, what the first of two hooks returns for it; the second returns a tensor again."""
        self.own("packed")[name] = packed(tensor, hooks)
        place = self.plan.saved[name]
        if place is None:
            self.value = stand_in(self.value)
        else:
            self.args = (*self.args[:place], stand_in(self.args[place]), *self.args[place + 1 :])

    def with_unpacked(self):
        """The arguments and the result, what was packed among them unpacked."""
        args, value = list(self.args), self.value
        for name, kept in self.packed.items():
            place, array = self.plan.saved[name], unpacked(kept)._array
            if place is None:
                value = array
            else:
                args[place] = array
        return tuple(args), value

    def keep_original(self, name="self"):
        """Save the present content of the argument `name` apart, for its memory is about to be overwritten."""
        if name in self.versions:
            del self.versions[name]
            place = self.info.names.index(name)
            self.args = (*self.args[:place], np.array(self.args[place]), *self.args[place + 1 :])

    def now_in(self, tensor):
        """The result was written into `tensor`: it is there that a later change would spoil what was saved."""
        if "result" in self.versions:
            counter = tensor._version_counter
            self.versions["result"] = (weakref.ref(tensor), counter, counter.number)

    def check(self):
        if self.released and self.plan.saved:
            raise error("graph_freed")
        for name, (ref, counter, number) in self.versions.items():
            if counter.number != number:
                tensor, maker = self._shown(name, ref())
                raise RuntimeError(modified(tensor, maker, counter, number))

    def _shown(self, name, tensor):
        """A saved tensor and the node that made it; of one that is gone, such as a view, its array as a tensor."""
        if name == "result":
            return self.tensor_of(self.value) if tensor is None else tensor, short_name(self)
        if tensor is not None:
            return tensor, maker_of(tensor)
        place = self.plan.saved[name]
        return self.tensor_of(self.args[place]), "AsStrided" if place in self.plan.argnums else ""

    def release(self):
        self.released = True
        if self.plan.saved and self.args is not None:
            left, argnums = [], self.plan.argnums
            for i, a in enumerate(self.args):
                if type(a) in _PLAIN:
                    left.append(a)
                else:
                    left.append(_loosely(a, 1 if i in argnums else KEEP_CONSTANT))
            self.let_go = tuple(left)
            self.args = self.value = None
            self.__dict__.pop("versions", None)
            self.__dict__.pop("packed", None)


def stand_in(value):
    """An array of the same shape and dtype that holds no memory; anything else as it is."""
    if not isinstance(value, np.ndarray) or value.size <= KEEP_BELOW:
        return value
    return _zeros(value.shape, value.dtype)


@lru_cache(1024)
def _zeros(shape, dtype):
    return np.broadcast_to(np.zeros((), dtype), shape)


def _loosely(argument, size=1):
    """An argument that is let go: no array, or one of at most this `size`, stays; of any other one knows where it was."""
    if type(argument) is np.ndarray:
        return argument if argument.size <= size else weakref.ref(argument)
    if isinstance(argument, (tuple, list)):
        return tuple(map(_loosely, argument)) if any(hasattr(a, "dtype") for a in argument) else argument
    return argument if argument is None or isinstance(argument, (bool, int, float, str, slice, np.generic)) else _GONE


_PLAIN = (int, float, bool, type(None))
_GONE: Any = weakref.ref(set())  # nobody holds it


def _still(thing):
    """What was released, if other code still holds it; None if not, also for a tuple with such a thing in it."""
    if isinstance(thing, tuple):
        found = tuple(map(_still, thing))
        lost = any(now is None and was is not None for now, was in zip(found, thing, strict=True))
        return None if lost else found
    return thing() if type(thing) is weakref.ref else thing


def maker_of(tensor):
    """The name of the node that made a tensor, or ""."""
    return short_name(tensor.grad_fn) if tensor.grad_fn is not None else ""


def modified(tensor, maker, counter, number):
    """The message for a saved tensor that was changed; `maker`: the name of the node that made it, or ""."""
    where = f"[torch.{tensor.dtype.legacy}Tensor {list(tensor.shape)}]"
    if maker:
        where += f", which is output {tensor.output_nr} of {maker},"
    hint = said("modified_shown" if grad_mode.state.anomaly else "modified_hint")
    return said("modified", where=where, number=counter.number, expected=number, hint=hint)


NOTHING = "Calling register_hooks on a saved tensor with value None is forbidden"


def packed(tensor, hooks):
    """What the first of `hooks` returns for a tensor that is saved, with the second. Raises RuntimeError if it changes it."""
    pack, unpack = hooks
    number = tensor._version_counter.number
    with grad_mode.no_grad():
        held = pack(tensor)
    if tensor._version_counter.number != number:
        raise error("pack_in_place")
    return held, unpack


def unpacked(kept):
    """The tensor that the second hook returns for the result of the first. Raises TypeError for anything else."""
    held, unpack = kept
    found = unpack(held)
    if not hasattr(found, "__engine_wrap__"):
        kind = type(found).__name__
        raise TypeError(f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {kind}")
    return found


@contextmanager
def refused(message) -> Iterator[None]:
    """While open, there may be no hooks for all that is saved: to ask for some raises RuntimeError with this message."""
    before = grad_mode.state.refused
    grad_mode.state.refused = message
    try:
        yield
    finally:
        grad_mode.state.refused = before


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
            raise error("hooks_after_freed")
        if name in node.packed:
            raise error("hooks_twice")
        node.pack(name, getattr(node, f"_saved_{name}").detach(), (pack_hook, unpack_hook))
        node.versions.pop(name, None)
