"""`Tensor`: an array, and its place on the tape.

`_data` is a NumPy array (or, inside `torch.func` and `labkit.trace`, a box of theirs around one); `_node_edge` says
which output of which node it is. Memory is shared where NumPy shares it, and so is the version counter that in-place
changes advance. A view remembers its base and how to look at it, so that both stay right when either is changed.
"""

import threading
import warnings
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..absent import member
from ..engine import Forward, getval, isbox, new_box
from ..kinds import of_kind
from ..trails import DETACHED, place
from . import _modes, _rules, _trail
from ._device import device
from ._dtype import of_numpy
from ._printing import tensor_text
from ._refused import refuse_view
from ._size import Size
from ._tape import AccumulateGrad, Edge, Handle, Node, Nowhere, TapeNode

NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
    "use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the "
    "leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)

_accumulators = threading.RLock()


class Version:
    """How often a piece of memory was changed in place; one counter for all that share it."""

    number = 0
    place: Any = None  # where the last change was asked for


class Tensor:
    """An n-dimensional array that can take part in differentiation.

    Make one with `torch.tensor(data)`. `requires_grad=True` makes it a leaf: operations on it are recorded, and
    `backward()` on a result adds the gradient to its `.grad`.

    Its `shape` and `dtype` are those of the data. Raises RuntimeError where a gradient is asked of integers.

    >>> import labkit.torch as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> (x**2).sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """

    __array_priority__ = 1000  # NumPy leaves `numpy_number * tensor` to the tensor
    _grad: "Tensor | None" = None
    _requires = False
    _node_edge: Edge | None = None
    _base: Any = None
    _view: Callable | None = None
    _seen = 0  # the version of the memory when this view last looked at its base's history
    _origin: str | None = None  # of a view: why it may not be changed in place (a key of `_dispatch.REFUSED`)
    _traced_views: tuple = ()  # of a base inside a transform
    _primal: Any = None  # inside a transform: the caller's tensor that this one stands for
    _level = 0  # the transform it was made in
    _inference = False
    _retains = False
    _trail: Any = None  # off the tape: the note of what it was made of (see `_trail`)
    _leaf_trail: Any = None  # of a leaf: its own
    _forgotten: Any = None  # where its gradient was let go
    _accumulator: Callable | None = None

    def _set_up(self, data):
        self._data, self._version_counter = data, Version()
        birth = _modes.state.birth
        if birth is not None:
            self._inference, self._level = birth

    if TYPE_CHECKING:

        def __init__(self, *data: Any, dtype: Any = None) -> None: ...

        def __getattr__(self, name: str) -> Any: ...  # the operations, entered from the table
        def __add__(self, other: Any) -> "Tensor": ...

    else:

        def __getattr__(self, name):
            raise member("torch", "Tensor", f"'{type(self).__name__}' object has no attribute '{name}'", name, self)

    # ---- making ----

    @classmethod
    def _of(cls, data, requires_grad=False) -> "Tensor":
        """A tensor around `data` itself (no copy)."""
        made = Tensor.__new__(Tensor)
        made._set_up(data)
        if requires_grad:
            made.requires_grad = True
        return made

    @classmethod
    def _wrap(cls, value, args=()) -> "Tensor":
        """The tensor of an op's result; `args` are the op's arguments, whose versions the node will watch."""
        if type(value) is np.ndarray or not isbox(value):
            return Tensor._of(np.asarray(value))
        if value._trace:
            made = Tensor._of(value)
            return made if _modes.state.dual is None else _modes.state.dual.holding(made)
        return Tensor._at(value._node, value._value, args)

    @classmethod
    def _at(cls, edge, data, args=()) -> "Tensor":
        """The tensor of an op's result `data` that is at `edge` on the tape."""
        made = Tensor._of(data if type(data) is np.ndarray else np.asarray(data))
        made._node_edge = edge
        node = edge.node
        if edge.nr == 0 and isinstance(node, TapeNode) and node.plan.saved:
            node.watch(args, made)
        return made

    # ---- the engine's protocol ----

    def __engine_value__(self):
        return self._data  # the tape is this dialect's own business

    def __engine_wrap__(self, value):
        return Tensor._wrap(value)

    def __engine_notes__(self):
        return _trail.notes_of(self)

    # ---- on the tape ----

    @property
    def _array(self):
        data = self._data
        return data if type(data) is np.ndarray else getval(data)

    @property
    def _edge(self):
        if self._base is not None and self._seen != self._version_counter.number:
            self._look_again()
        return self._node_edge

    def _look_again(self, indirect=True):
        """The memory was changed in place: this view's history is now a look at the base's new one."""
        edge = None if isbox(self._data) else self._base._gradient_edge()
        if edge is None:
            self._seen = self._version_counter.number
            return
        if indirect and self._origin:
            refuse_view(self, "its base or another view of its base has been")
        self._seen = self._version_counter.number
        self._move_to(_rules.viewed(new_box(self._base._data, 0, edge), self._view)._node)

    def _move_to(self, edge):
        """An in-place op gave this tensor a new place on the tape; `retain_grad` goes along, hooks stay behind."""
        before = self._node_edge
        if self._retains and before is not None:
            before.node.retained.pop(before.nr, None)
            if edge is not None:
                edge.node.own("retained")[edge.nr] = weakref.ref(self)
        self._node_edge, self._retains = edge, self._retains and edge is not None

    def _placed_at(self, edge):
        """This new tensor, now at `edge` on the tape (None: off the tape), where it may stand for a leaf."""
        if edge is not None and isinstance(edge.node, AccumulateGrad):
            self._requires, self._accumulator = True, weakref.ref(edge.node)
        else:
            self._node_edge = edge
        return self

    def _gradient_edge(self):
        """Where gradients of this tensor go: its node, its accumulator if it is a leaf that wants one, or None."""
        base = self._base
        edge = self._node_edge if base is None else self._edge
        if edge is not None:
            return edge
        if not self._requires:
            if base is None or isbox(self._data) or not (base._node_edge or base._requires):
                return None
            return Edge.of(Nowhere(), 0, self.dtype.np, self.shape)
        node = self._accumulator() if self._accumulator else None
        if node is None:
            with _accumulators:  # two threads must find the same one
                node = self._accumulator() if self._accumulator else None
                if node is None:
                    node = AccumulateGrad(self)
                    self._accumulator = weakref.ref(node)
        array = self._array
        return Edge.of(node, 0, array.dtype, array.shape)

    @property
    def _value(self):
        if isbox(self._data):
            return self._data
        edge = self._gradient_edge()
        return self._data if edge is None else new_box(self._data, 0, edge)

    def _recorded(self):
        """The value an op sees: on the tape if recording is on."""
        frozen = _modes.frozen_level()
        if frozen < 0:
            return self._value
        return _without_reverse(self._data, frozen)

    @property
    def _hooks(self):
        return self.__dict__.setdefault("_hook_table", {})

    @property
    def _accumulate_hooks(self):
        return self.__dict__.setdefault("_accumulate_hook_table", {})

    @property
    def requires_grad(self):
        """Whether operations on this tensor are recorded."""
        if self._node_edge is not None or self._requires or _is_recorded(self._data):
            return True
        return self._base is not None and self._base.requires_grad

    @requires_grad.setter
    def requires_grad(self, flag):
        if self._edge is not None and not flag:
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed variable "
                "in a subgraph that doesn't require differentiation use var_no_grad = var.detach()."
            )
        if flag and not self.dtype.is_floating_point:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        if self._edge is None:
            self._requires = bool(flag)

    def requires_grad_(self, requires_grad=True):
        """Make this leaf require a gradient (or not); returns the tensor."""
        self.requires_grad = requires_grad
        return self

    @property
    def is_leaf(self):
        """True for a tensor that no recorded operation made."""
        return self._edge is None and (self._requires or not _is_recorded(self._data))

    @property
    def grad_fn(self):
        """The node that made this tensor; None for a leaf."""
        edge = self._edge
        return None if edge is None else edge.node

    @property
    def output_nr(self):
        edge = self._edge
        return 0 if edge is None else edge.nr or edge.node.shown_nr

    @property
    def grad(self):
        """The gradient accumulated by `backward()`; None before the first one."""
        if self._grad is None and self._edge is not None and not self.retains_grad:
            warnings.warn(NON_LEAF_GRAD, UserWarning, stacklevel=2)
        return self._grad

    @grad.setter
    def grad(self, value):
        if value is not None:
            of_kind(value, Tensor, "assigned grad expected to be a Tensor or None but got grad of type {kind}")
            if value is self:
                raise RuntimeError("can't assign Variable as its own grad")
            if value.dtype is not self.dtype:
                raise RuntimeError(
                    f"attempting to assign a gradient with dtype '{_legible(value)}' to a tensor with grad_dtype "
                    f"'{self.dtype.legacy}'. The gradient must match the tensor's grad_dtype (defaults to the "
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

    def _accumulate(self, g, create):
        """Add the gradient value `g` to `.grad`: never an alias of anything else."""
        if create:
            if self._grad is None:
                self._grad = Tensor._wrap(_rules.copy(np.empty(np.shape(getval(g)), self._array.dtype), g))
            else:
                self._grad = self._grad + Tensor._wrap(g)
        elif self._grad is None:
            self._grad = Tensor._wrap(np.array(g) if not isbox(g) else g)
        elif isbox(g) or isbox(self._grad._data):
            self._grad = self._grad + Tensor._wrap(g)
        else:
            self._grad._data += g
            self._grad._version_counter.number += 1
        for hook in list(vars(self).get("_accumulate_hook_table", {}).values()):
            hook(self)

    def retain_grad(self):
        """Keep `.grad` for this tensor although it is not a leaf."""
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

    # ---- the same memory, off the tape ----

    def detach(self):
        """The same memory as a constant: nothing flows back through it."""
        made = Tensor._of(self._array if isbox(self._data) else self._data)
        made._version_counter = self._version_counter
        return _trail.aside(made, "detach", (self,), DETACHED)

    def detach_(self):
        """Cut this tensor off the tape, in place."""
        if self._base is not None:
            raise RuntimeError(
                "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
                "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence "
                "detach_() cannot be called on these gradients. To fix this error, please refer to the "
                "Optimizer.zero_grad() function in torch/optim/optimizer.py as a reference."
            )
        made = _trail.aside(Tensor._of(self._data), "detach_", (self,), DETACHED)
        self._move_to(None)
        self._requires, self._trail = False, made._trail
        return self

    @property
    def data(self):
        """The same memory, off the tape and with a version counter of its own."""
        return _trail.aside(Tensor._of(self._array), "data", (self,), DETACHED)

    @data.setter
    def data(self, value):
        of_kind(value, Tensor, "Variable data has to be a tensor, but got {kind}")
        if self.requires_grad and not value.dtype.is_floating_point:
            raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
        self._data, self._accumulator = value._array, None

    @property
    def _version(self):
        if self._inference:
            raise RuntimeError("Inference tensors do not track version counter.")
        return self._version_counter.number

    def is_inference(self):
        """Whether this tensor was made in inference mode."""
        return self._inference

    def _is_view(self):
        return self._base is not None

    # ---- shape and type ----

    @property
    def shape(self):
        return Size(self._array.shape)

    def size(self, dim=None):
        """The shape, or its entry `dim`."""
        return self.shape if dim is None else self.shape[dim]

    @property
    def dtype(self):
        return of_numpy(self._array.dtype)

    @property
    def ndim(self):
        return self._array.ndim

    def dim(self):
        return self._array.ndim

    ndimension = dim

    def numel(self):
        """How many elements there are."""
        return int(self._array.size)

    nelement = numel

    def element_size(self):
        return self._array.itemsize

    itemsize = property(element_size)
    nbytes = property(lambda self: self._array.nbytes)

    @property
    def device(self):
        return device("cpu")

    is_cpu = property(lambda self: True)
    is_cuda = is_mps = is_meta = is_xpu = is_quantized = is_nested = property(lambda self: False)
    is_sparse = property(lambda self: False)
    layout = property(lambda self: "torch.strided")

    def get_device(self):
        return -1

    def stride(self, dim=None):
        """Elements from one entry to the next, per dimension."""
        strides = tuple(s // self._array.itemsize for s in self._array.strides)
        return strides if dim is None else strides[dim]

    def storage_offset(self):
        array, base = self._array, self._base._array if self._base is not None else self._array
        return (_address(array) - _address(base)) // array.itemsize

    def data_ptr(self):
        """The address of the first element."""
        return _address(self._array)

    def is_contiguous(self):
        return bool(self._array.flags.c_contiguous)

    def is_floating_point(self):
        return self.dtype.is_floating_point

    def is_complex(self):
        return False

    def is_signed(self):
        return self.dtype.is_signed

    # ---- out to Python and NumPy ----

    def numpy(self, *, force=False):
        """The NumPy array that shares this tensor's memory."""
        if self.requires_grad and not force:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        if self.dtype.name == "bfloat16":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return _trail.left(self, "numpy", self._array)

    def __array__(self, dtype=None, copy=None):
        array = self.numpy()
        return array if dtype is None else array.astype(dtype, copy=False)

    def item(self):
        """The one element as a Python number."""
        return _trail.left(self, "item", self._item())

    def _item(self):
        if self.numel() != 1:
            raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        return _python(self._array.reshape(()))

    def tolist(self):
        """Nested lists of Python numbers; a number for a 0-d tensor."""
        array = self._array
        found = (
            _python(array)
            if array.ndim == 0
            else (array.astype(np.float32) if array.dtype.kind == "V" else array).tolist()
        )
        return _trail.left(self, "tolist", found)

    def _number(self, kind):
        if self.numel() != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return _trail.left(self, kind.__name__, kind(self._array.reshape(()).item()))

    def __float__(self):
        return self._number(float)

    def __int__(self):
        return self._number(int)

    def __index__(self):
        if self.numel() != 1 or self.dtype.is_floating_point:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return self._number(int)

    def __bool__(self):
        if self.numel() > 1:
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        if self.numel() == 0:
            raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
        return self._number(bool)

    def __len__(self):
        if self.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return self._array.shape[0]

    def __iter__(self):
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __contains__(self, element):
        return bool((self == element).any())

    def __hash__(self):
        return id(self)

    def __reduce_ex__(self, protocol):
        return _rebuild, (None if type(self) is Tensor else type(self), self._array.copy(), self._requires)

    def __deepcopy__(self, memo):
        if not self.is_leaf:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the "
                "moment.  If you were attempting to deepcopy a module, this may be because of a "
                "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001"
            )
        if id(self) not in memo:
            made = memo[id(self)] = _rebuild(type(self), self._array.copy(), self._requires)
            made._grad = None if self._grad is None else self._grad.__deepcopy__(memo)
            _trail.aside(made, "deepcopy", (self,), DETACHED)
        return memo[id(self)]

    # ---- text ----

    def _grad_text(self):
        if self._edge is not None:
            return f"grad_fn=<{type(self._edge.node).__name__}>"
        return "requires_grad=True" if self._requires else ""

    def __repr__(self):
        dual, texts = _modes.state.dual, [self._grad_text()]
        if dual is not None and dual.has(self):
            texts.append(f"tangent={dual.taken_apart(self)[1]}")
        elif isbox(self._data):
            return _traced_text(self._data)
        return tensor_text(self._array, self.dtype, *texts)

    def __format__(self, spec):
        if self.ndim == 0 and type(self) is Tensor and not isbox(self._data):
            return format(self._item(), spec)
        return object.__format__(self, spec)


def forget_gradients(tensors, set_to_none):
    """Let the gradients of leaves go, or fill them with zeros."""
    for t in tensors:
        if t._grad is not None:
            t._grad = None if set_to_none else t._grad.detach().zero_()
            t._forgotten = place()


def _without_reverse(value, level):
    """`value` as a constant to the reverse passes up to this level; tangents stay, for no mode stops forward mode."""
    while isbox(value) and value._trace <= level:
        if type(value._node) is Forward:
            return new_box(_without_reverse(value._value, level), value._trace, value._node)
        value = value._value
    return value


def _is_recorded(value):
    """Whether a reverse pass records what is done with `value`."""
    while isbox(value):
        if type(value._node) is not Forward:
            return True
        value = value._value
    return False


def _address(array):
    return array.__array_interface__["data"][0]


def _python(zero_d):
    value = zero_d.item()
    return float(value) if zero_d.dtype.kind == "V" else value


_C_NAMES = {"float32": "float", "float64": "double", "int32": "int", "int64": "long", "float16": "c10::Half"}


def _legible(tensor):
    return _C_NAMES.get(tensor.dtype.name, tensor.dtype.name)


def _rebuild(kind, array, requires_grad):
    kind = kind or Tensor
    made = kind.__new__(kind)
    made._set_up(array)
    made._requires = requires_grad
    return made


def _traced_text(value):
    levels, inner = 1, value._value
    while isbox(inner) and inner._trace:
        levels, inner = levels + 1, inner._value
    text = repr(Tensor._wrap(inner))
    for level in range(1, levels + 1):
        body = "\n".join("    " + line for line in text.splitlines())
        text = f"GradTrackingTensor(lvl={level}, value=\n{body}\n)"
    return text


Node.tensor_of = staticmethod(Tensor._wrap)
