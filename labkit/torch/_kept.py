"""What the node of an op keeps until the walk back: of the arguments and the result what the derivative needs.

An array that it does not need leaves a stand-in of its shape and dtype. Of each tensor that is saved the version is
known, so that a change in place is noticed. Once the node has run, all of it is let go, unless the graph is retained.
"""

import weakref
from functools import lru_cache
from typing import Any

import numpy as np

from . import _modes
from ._node import NONE, Node, short_name
from ._saved import packed, unpacked

FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)
INFERENCE = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in "
    "autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
)
KEEP_BELOW = 64  # elements: smaller arrays are not worth a stand-in
KEEP_CONSTANT = (
    4096  # elements: of a constant that a node which has run may hold, so that its values can be computed again
)


class Kept(Node):
    """A node with the arguments and the result of an op, as far as its `plan` says that they are needed."""

    versions = packed = apart = NONE
    plan: Any  # see `_tape.Plan`
    args: Any  # a tuple; None once they are let go
    value: Any
    let_go: tuple = ()  # what they were, as long as somebody else holds it

    info = property(lambda self: self.plan.info)
    argnums = property(lambda self: self.plan.argnums)
    releases = property(lambda self: bool(self.plan.saved))

    def keep(self, args, value):
        """Keep what the plan says of these arguments and this result."""
        kept, self.args, self.value = self.plan.kept, tuple(args), value
        if kept is not None:
            self.args = tuple([
                a if type(a) is not np.ndarray or a.size <= KEEP_BELOW or i in kept else self._without(i, a)
                for i, a in enumerate(args)
            ])  # fmt: skip
            self.value = value if "result" in self.plan.saved else stand_in(value)

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
        """Remember the versions of the saved tensors, to notice an in-place change before the walk back.

        A saved result is from now on the array that its tensor holds (an op may answer with a NumPy scalar).
        """
        if type(self.value) is not np.ndarray and self.value is not None and np.ndim(self.value) == 0:
            self.value = result._data
        for name, place in self.plan.saved.items() if tensors else ():
            tensor: Any = result if name == "result" else tensors[place] if place is not None else None
            counter = getattr(tensor, "_version_counter", None)
            if counter is None:
                continue
            if tensor._inference:
                raise RuntimeError(INFERENCE)
            if _modes.state.saving is not None:
                self.pack(name, tensor, _modes.state.saving)
            else:
                self.own("versions")[name] = (weakref.ref(tensor), counter, counter.number)

    def pack(self, name, tensor, hooks):
        """Keep, in place of a saved tensor, what the first of two hooks makes of it; the second makes it a tensor again."""
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
            raise RuntimeError(FREED)
        for name, (ref, counter, number) in self.versions.items():
            if counter.number != number:
                raise RuntimeError(modified(ref(), counter, number, self if name == "result" else None))

    def release(self):
        self.released = True
        if self.plan.saved and self.args is not None:
            constant = [KEEP_CONSTANT if i not in self.plan.argnums else 1 for i in range(len(self.args))]
            self.let_go = tuple([_loosely(a, size) for a, size in zip(self.args, constant, strict=True)])
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


_GONE: Any = weakref.ref(set())  # nobody holds it


def _still(thing):
    """What was let go, if somebody else keeps it; None if not, also for a tuple with such a thing in it."""
    if isinstance(thing, tuple):
        found = tuple(map(_still, thing))
        lost = any(now is None and was is not None for now, was in zip(found, thing, strict=True))
        return None if lost else found
    return thing() if type(thing) is weakref.ref else thing


def modified(tensor, counter, number, maker=None):
    """The message for a saved tensor that was changed; `maker` is the node that made it, if not its present one."""
    where = ""
    if tensor is not None:
        where = f"[torch.{tensor.dtype.legacy}Tensor {list(tensor.shape)}] "
        maker = maker or tensor.grad_fn
        if maker is not None:
            where = f"{where.rstrip()}, which is output {tensor.output_nr} of {short_name(maker)}, "
    hint = (
        "Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )
    return (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"{where}is at version {counter.number}; expected version {number} instead. {hint}"
    )
