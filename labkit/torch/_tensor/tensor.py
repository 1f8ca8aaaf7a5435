"""`Tensor`: an array, and its place on the tape.

Here is how one is made, copied, taken off the tape and written; `attributes` says what it holds, and its other parts are
`tape_position`, `grad_attribute` and `conversion`. The operations are entered from the table.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from ...dialects.argument_types import of_kind
from ...dialects.provenance import DETACHED
from ...dialects.unsupported import member
from ...engine import TAPE, isbox
from .._error_texts import error
from .._tape import grad_mode, tensor_provenance
from .._tape.node import Node
from .._tape.op_node import TapeNode
from .attributes import Described, Version
from .conversion import Leaving
from .grad_attribute import WithGradient
from .printing import tensor_text
from .tape_position import OnTape


class Tensor(OnTape, WithGradient, Described, Leaving):
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

    if TYPE_CHECKING:

        def __init__(self, *data: Any, dtype: Any = None) -> None: ...

        def __add__(self, other: Any) -> "Tensor": ...
        def __sub__(self, other: Any) -> "Tensor": ...

    else:

        def __getattr__(self, name):
            raise member("torch", "Tensor", f"'{type(self).__name__}' object has no attribute '{name}'", name, self)

    # ---- making ----

    @classmethod
    def _of(cls, data, requires_grad=False) -> "Tensor":
        """A tensor around `data` itself (no copy)."""
        made = _new(Tensor)
        made._data, made._version_counter = data, Version()
        birth = grad_mode.state.birth
        if birth is not None:
            made._inference, made._level = birth
        if requires_grad:
            made.requires_grad = True
        return made

    @classmethod
    def _wrap(cls, value, args=()) -> "Tensor":
        """The tensor of an op's result; `args` are the op's arguments, whose versions the node will watch."""
        if type(value) is np.ndarray or not isbox(value):
            return Tensor._of(np.asarray(value))
        if value._trace != TAPE:
            made = Tensor._of(value)
            return made if grad_mode.state.dual is None else grad_mode.state.dual.holding(made)
        return Tensor._at(value._node, np.asarray(value._value), args)

    @classmethod
    def _at(cls, edge, data, args=()) -> "Tensor":
        """The tensor of an op's result `data` that is at `edge` on the tape."""
        made = Tensor._of(data)
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
        return tensor_provenance.notes_of(self)

    # ---- the same memory, off the tape ----

    def detach(self):
        """The same memory as a constant: nothing flows back through it."""
        made = Tensor._of(self._array if isbox(self._data) else self._data)
        made._version_counter = self._version_counter
        return tensor_provenance.aside(made, "detach", (self,), DETACHED)

    def detach_(self):
        """Cut this tensor off the tape, in place."""
        if self._base is not None:
            raise error("detach_view")
        made = tensor_provenance.aside(Tensor._of(self._data), "detach_", (self,), DETACHED)
        self._move_to(None)
        self._requires, self._trail = False, made._trail
        return self

    @property
    def data(self):
        """The same memory, off the tape and with a version counter of its own."""
        return tensor_provenance.aside(Tensor._of(self._array), "data", (self,), DETACHED)

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

    # ---- copied ----

    def __reduce_ex__(self, protocol):
        return _rebuild, (None if type(self) is Tensor else type(self), self._array.copy(), self.requires_grad)

    def __deepcopy__(self, memo):
        if not self.is_leaf:
            raise error("deepcopy_non_leaf")
        if id(self) not in memo:
            made = memo[id(self)] = _rebuild(type(self), self._array.copy(), self._requires)
            if type(self) is Tensor and self._grad is not None:  # a parameter's gradient is left behind, as in PyTorch
                made._grad = self._grad.__deepcopy__(memo)
            tensor_provenance.aside(made, "deepcopy", (self,), DETACHED)
        return memo[id(self)]

    # ---- text ----

    def _grad_text(self):
        if self._edge is not None:
            return f"grad_fn=<{type(self._edge.node).__name__}>"
        return "requires_grad=True" if self._requires else ""

    def __repr__(self):
        dual, texts = grad_mode.state.dual, [self._grad_text()]
        if dual is not None and dual.has(self):
            texts.append(f"tangent={dual.taken_apart(self)[1]}")
        elif isbox(self._data):
            return _traced_text(self._data)
        return tensor_text(self._array, self.dtype, *texts)

    def __format__(self, spec):
        if self.ndim == 0 and type(self) is Tensor and not isbox(self._data):
            return format(self._item(), spec)
        return object.__format__(self, spec)


_new = object.__new__


def _rebuild(kind, array, requires_grad):
    kind = kind or Tensor
    made = kind.__new__(kind)
    made._set_up(array)
    made._requires = requires_grad
    return made


def _traced_text(value):
    levels, inner = 1, value._value
    while isbox(inner) and inner._trace != TAPE:
        levels, inner = levels + 1, inner._value
    text = repr(Tensor._wrap(inner))
    for level in range(1, levels + 1):
        body = "\n".join("    " + line for line in text.splitlines())
        text = f"GradTrackingTensor(lvl={level}, value=\n{body}\n)"
    return text


Node.tensor_of = staticmethod(Tensor._wrap)
