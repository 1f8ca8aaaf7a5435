"""A tensor's gradient: `.grad`, to which the walk back adds, and the hooks that are called when it is known."""

import warnings
import weakref
from collections import OrderedDict

import numpy as np

from ..engine import dtype_of, isbox
from ..kinds import of_kind
from ..trails import place
from . import _modes, _rules
from ._fields import Fields, part
from ._node import Handle

NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
    "use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the "
    "leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)

_C_NAMES = {"float32": "float", "float64": "double", "int32": "int", "int64": "long", "float16": "c10::Half"}


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
            warnings.warn(NON_LEAF_GRAD, UserWarning, stacklevel=2)
        return self._grad

    @grad.setter
    def grad(self, value):
        if value is not None:
            of_kind(value, Fields, "assigned grad expected to be a Tensor or None but got grad of type {kind}")
            if value is self:
                raise RuntimeError("can't assign Variable as its own grad")
            expected = vars(self).get("_grad_kind", self.dtype)
            if expected is not None and value.dtype is not expected:
                raise RuntimeError(
                    f"attempting to assign a gradient with dtype '{_legible(value)}' to a tensor with grad_dtype "
                    f"'{expected.legacy}'. The gradient must match the tensor's grad_dtype (defaults to the "
                    "tensor's dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None "
                    "to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its "
                    "gradient may break downstream systems that assume they match."
                )
            if value.shape != self.shape:
                raise RuntimeError(
                    f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of size "
                    f"'{list(self.shape)}'. Please ensure that the gradient and the tensor are the same size"
                )
        self._grad, self._forgotten = value, place()

    @grad.deleter
    def grad(self):
        self._grad, self._forgotten = None, place()

    @property
    def grad_dtype(self):
        """The dtype in which gradients arrive at this leaf: its own unless set, None for the one that each has."""
        self._leaf_alone("accessed")
        return vars(self).get("_grad_kind", self.dtype)

    @grad_dtype.setter
    def grad_dtype(self, dtype):
        self._leaf_alone("set")
        if dtype is not None and self._grad is not None and self._grad.dtype is not dtype:
            raise RuntimeError(
                f"Cannot set grad_dtype to '{dtype.legacy}' because there is already a gradient with dtype "
                f"'{_legible(self._grad)}'. Please clear the gradient (.grad = None) before changing grad_dtype, or ensure the "
                "new grad_dtype matches the existing gradient's dtype."
            )
        self._grad_kind = dtype

    def _leaf_alone(self, done):
        if not self.is_leaf:
            raise RuntimeError(f"grad_dtype can only be {done} on leaf tensors.")

    def _accumulate(self, g, create):
        """Add the gradient value `g` to `.grad`: never an alias of anything else."""
        if create:
            if self._grad is None:
                self._grad = self._wrap(_rules.copy(laid_out(self._array, dtype_of(g)), g))
            else:
                self._grad = self._grad + self._wrap(g)
        elif self._grad is None:
            like = self._array if _modes.state.laid_out else g
            self._grad = self._wrap(g if isbox(g) else _copied(laid_out(like, dtype_of(g)), g))
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
        _modes.refuse_in_transform("retain_grad()", "retain_grad()")
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

    @property
    def _backward_hooks(self):
        """The hooks of `register_hook`, by their numbers; None where there are none."""
        edge = self._edge
        found = self._hooks if edge is None else edge.node.own("tensor_hooks").get(edge.nr, {})
        return OrderedDict(found) if found else None

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


def _legible(tensor):
    return _C_NAMES.get(tensor.dtype.name, tensor.dtype.name)


def forget_gradients(tensors, set_to_none):
    """Let the gradients of leaves go, or fill them with zeros."""
    for t in tensors:
        if t._grad is not None:
            t._grad = None if set_to_none else t._grad.detach().zero_()
            t._forgotten = place()
