"""A tensor's gradient: `.grad`, to which the backward pass adds, and the hooks that run when it is complete."""

import warnings
import weakref

import numpy as np

from ...dialects.argument_types import of_kind
from ...dialects.provenance import place
from ...engine import dtype_of, isbox
from .. import _rules
from .._error_texts import error, said
from .._tape import grad_mode
from .._tape.node import Handle
from .attributes import Fields, part


@part
class WithGradient(Fields):
    """The part of `Tensor` that has to do with its gradient."""

    @property
    def _hooks(self):
        return self.__dict__.setdefault("_hook_table", {})

    @property
    def _accumulate_hooks(self):
        return self.__dict__.setdefault("_accumulate_hook_table", {})

    @property
    def grad(self):
        """The gradient accumulated by `backward()`; None before the first one."""
        if self._grad is None and self._edge is not None and not self.retains_grad:
            warnings.warn(said("non_leaf_grad"), UserWarning, stacklevel=2)
        return self._grad

    @grad.setter
    def grad(self, value):
        if value is not None:
            of_kind(value, Fields, "assigned grad expected to be a Tensor or None but got grad of type {kind}")
            if value is self:
                raise RuntimeError("can't assign Variable as its own grad")
            if value.dtype is not self.dtype:
                raise error("grad_dtype", given=value.dtype.in_c, kind=self.dtype.legacy)
            if value.shape != self.shape:
                raise error("grad_size", given=list(value.shape), shape=list(self.shape))
        self._grad, self._forgotten = value, place()

    @grad.deleter
    def grad(self):
        self._grad, self._forgotten = None, place()

    def _accumulate(self, g, create):
        """Add the gradient value `g` to `.grad`: never an alias of anything else."""
        data = self._data
        if self._grad is None and not create and type(g) is np.ndarray is type(data) and data.flags.c_contiguous:
            self._grad = self._of(np.array(g, order="C"))
        elif create:
            if self._grad is None:
                self._grad = self._wrap(_rules.copy(laid_out(self._array, dtype_of(g)), g))
            else:
                self._grad = self._grad + self._wrap(g)
        elif self._grad is None:
            self._grad = self._wrap(g if isbox(g) else _copied(laid_out(self._array, dtype_of(g)), g))
        elif isbox(g) or isbox(self._grad._data):
            self._grad = self._grad + self._wrap(g)
        else:
            self._grad._data += g
            self._grad._version_counter.number += 1
        for hook in list(vars(self).get("_accumulate_hook_table", {}).values()):
            answer = hook(self)
            if answer is not None and answer is not self:
                of_kind(answer, Fields, "expected Variable, but hook returned '{kind}'")
                raise RuntimeError("Tensor post accumulate grad hooks should return None.")

    def retain_grad(self):
        """Keep `.grad` for this tensor although it is not a leaf."""
        grad_mode.refuse_in_transform("retain_grad()", "retain_grad()")
        if not self.requires_grad:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        edge = self._edge
        if edge is not None:
            edge.node.own("retained")[edge.nr] = weakref.ref(self)
            self._retains = True

    @property
    def retains_grad(self):
        """Whether `.grad` will be kept although this is not a leaf."""
        return self._retains

    def register_hook(self, hook):
        """Call `hook(grad)` when the gradient of this tensor is known; a tensor it returns replaces the gradient."""
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        edge = self._edge
        return Handle(self._hooks if edge is None else edge.node.own("tensor_hooks").setdefault(edge.nr, {}), hook)

    def register_post_accumulate_grad_hook(self, hook):
        """Call `hook(tensor)` each time this leaf's `.grad` has been added to."""
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if not self.is_leaf:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        return Handle(self._accumulate_hooks, hook)


def laid_out(array, dtype=None):
    """Memory for a gradient: laid out as what it is the gradient of, where that has no gaps, else row by row."""
    return np.empty_like(array, dtype) if _dense(array) else np.empty(array.shape, dtype or array.dtype)


def _dense(array):
    step = array.itemsize
    for stride, n in sorted((s, n) for s, n in zip(array.strides, array.shape, strict=True) if n != 1):
        if stride != step:
            return False
        step *= n
    return True


def _copied(memory, value):
    memory[...] = value
    return memory


def forget_gradients(tensors, set_to_none):
    """Let the gradients of leaves go, or fill them with zeros."""
    for t in tensors:
        if t._grad is not None:
            t._grad = None if set_to_none else t._grad.detach().zero_()
            t._forgotten = place()
