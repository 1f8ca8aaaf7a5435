"""`Tensor`: an array of one dtype. It has no gradient: derivatives are functions of functions (`gradient`).

A tensor holds `_value`: a NumPy array or scalar, or, while a derivative is being taken, the engine's box around one.
Its operators and most of its methods are the functions of `ops`, attached by `ops` itself; here is what is not an op.
"""

from collections.abc import Callable
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import autograd.numpy as anp
import numpy as np

from ...dialects.argument_types import of_kind
from ...dialects.class_paths import Placed
from ...dialects.unsupported import member
from ...engine import cast, custom_vjp, getval, isbox, running
from ...engine import stop_gradient as constant
from ..graph.recorder import numbers_of, only_inside, text_of, truth
from . import dtype as mstype
from . import indexing as _indexing
from . import printing as _printing
from .initializer import Initializer, initializer

__all__ = ["Tensor", "from_numpy", "tensor"]

NOT_CALLABLE = "Expected a callable hook function, but got {kind}."  # a hook
_ACCEPTED = "['TensorPy', 'Tensor', 'ndarray', 'str_', 'list', 'tuple', 'float', 'int', 'bool', 'complex', 'bytes']"
_UNCHANGED = "MindSpore on the CPU leaves the tensor unchanged, too: write x = x.{name}(...)"


def wrap(value):
    """The tensor that holds `value`, an array, NumPy scalar or box."""
    made = _new(Tensor)
    made._value = value
    return made


_new = object.__new__


def put(held, value):
    """Write `value` into the array `held`, which other tensors may share, if it fits there; whether it did.

    While a derivative or a recording runs, arrays stay as they are: the backward pass may need them.
    """
    if not isinstance(held, np.ndarray) or not held.flags.writeable or isbox(value) or running():
        return False
    if np.shape(value) != held.shape or value.dtype != held.dtype:
        return False
    held[...] = value
    return True


def _lacking(tensor, name):
    """The error for an attribute that a tensor does not have."""
    error = member("mindspore", "Tensor", f"'{type(tensor).__name__}' object has no attribute '{name}'", name, tensor)
    if name.endswith("_") and hasattr(type(tensor), name[:-1]):
        error.add_note(_UNCHANGED.format(name=name[:-1]))
    return error


@contextmanager
def _holding(tensor, value):
    before = tensor._value
    tensor._value = value
    try:
        yield
    finally:
        tensor._value = before


class Tensor(metaclass=Placed):
    """A tensor of `input_data`: a number, (nested) list or tuple, array or tensor; `dtype` a `ms.float32` and so on.

    Without `dtype`: Python floats and lists become Float32, integers Int64, and arrays keep their type. Or an empty
    one by `shape`, `dtype` and `init`, an initializer's name or object. Raises TypeError for data of another type.

    >>> Tensor([1.0, 2.0]) * 2
    Tensor(shape=[2], dtype=Float32, value= [ 2.00000000e+00,  4.00000000e+00])
    """

    __slots__ = ("__weakref__", "_value")

    def __init__(self, input_data=None, dtype=None, shape=None, init=None):
        if dtype is not None and not isinstance(dtype, mstype.DType):
            names = ", ".join(map(repr, mstype.ALL))
            raise TypeError(f"For 'Tensor', the 'dtype' should be one of [{names}], but got {dtype!r}.")
        if input_data is None and shape is not None:
            shape, kind = (shape,) if isinstance(shape, int) else tuple(shape), dtype or mstype.float32
            input_data = np.zeros(shape, kind.numpy) if init is None else initializer(init, shape, kind).asnumpy()
        self._value = _array(input_data, dtype)

    if TYPE_CHECKING:  # operators and methods that `ops` attaches

        def __getattr__(self, name: str) -> Any: ...
        def _operator(self, other: Any) -> "Tensor": ...

        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _operator
        __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = _operator
        __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _operator
        __lt__ = __le__ = __gt__ = __ge__ = _operator
    else:

        def __getattr__(self, name):  # the error in no variable of this frame, else they would keep each other alive
            raise _lacking(self, name)

    # ---- the protocol of the engine's front door ----

    def __engine_value__(self):
        return self._value

    def __engine_wrap__(self, value):
        return wrap(value)

    def __engine_hold__(self, value):
        """A context in which the tensor has this value; then again what it had."""
        return _holding(self, value)

    @staticmethod
    def from_numpy(array) -> "Tensor":
        """A tensor that shares its memory with a NumPy array. Raises TypeError for anything else.

        >>> array = np.zeros(2)
        >>> shared = Tensor.from_numpy(array)
        >>> array[0] = 5
        >>> print(shared)
        [5. 0.]
        """
        of_kind(array, np.ndarray, "Expected a NumPy array.")
        mstype.of(array.dtype)
        return wrap(array)

    # ---- what it is ----

    @property
    def shape(self) -> tuple[int, ...]:
        """Its lengths, a tuple."""
        return np.shape(getval(self._value))

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return np.size(getval(self._value))

    @property
    def dtype(self) -> mstype.DType:
        """Its element type, such as `ms.float32`."""
        return mstype.of(self._value.dtype)

    @property
    def itemsize(self) -> int:
        """Bytes per element."""
        return self._value.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes to step along each axis."""
        return np.asarray(getval(self._value)).strides

    def asnumpy(self) -> np.ndarray:
        """Its elements as a NumPy array. Inside a gradient this array is a constant.

        A compiled function that asks for it is called as it is, every time, as the real one falls back to Python.
        """
        array = np.asarray(numbers_of(self._value, "take the array of a tensor"))
        return array if array.flags.writeable else array.copy()

    numpy = asnumpy

    def __array__(self, dtype=None, copy=None):
        """For NumPy: `np.float32(2) * tensor` is NumPy's product, and a constant inside a gradient."""
        return np.array(self.asnumpy(), dtype=dtype, copy=True if copy is None else copy)

    def item(self) -> Any:
        """The single element as a Python number. Raises ValueError where there is another number of them."""
        return self._single().item()

    def tolist(self) -> Any:
        """Its elements as nested lists; a number for a 0-d tensor."""
        return self.asnumpy().tolist()

    def value(self) -> "Tensor":
        """The tensor itself; for a parameter, its value as a plain tensor."""
        return wrap(self._value)

    # ---- as a Python object ----

    def __str__(self):
        return text_of(self._value, _printing.as_str)

    def __repr__(self):
        return text_of(self._value, _printing.as_repr)

    def __len__(self):
        if not self.shape:
            raise TypeError("Not support len of a 0-D tensor")
        return self.shape[0]

    def __iter__(self):
        if not self.shape:
            raise TypeError("iteration over a 0-d tensor")
        return (self[i] for i in range(self.shape[0]))

    def _single(self):
        array = np.asarray(numbers_of(self._value, "convert a tensor to a Python number"))
        if array.size != 1:
            raise ValueError(
                f"The tensor should have only one element, but got {array.size}, more than one element is ambiguous."
            )
        return array.reshape(())[()]

    def __bool__(self):
        return truth(self._value)

    def _scalar(self):
        if self.size != 1:
            raise ValueError("Only one element tensors can be converted to Python scalars")
        return self._single()

    def __float__(self):
        return float(self._scalar())

    def __int__(self):
        return int(self._scalar())

    def __round__(self, digits=0):
        return wrap(np.round(self.asnumpy(), digits)[()])

    def __index__(self):
        scalar = self._scalar()
        if scalar.dtype.kind not in "iub":
            raise TypeError("Only integer tensors of a single element can be converted to an index.")
        return int(scalar)

    __hash__ = object.__hash__

    def __deepcopy__(self, memo):
        return wrap(np.array(self.asnumpy()))

    def __reduce__(self):
        return wrap, (self.asnumpy(),)

    # ---- elements ----

    def __getitem__(self, index):
        return wrap(_indexing.read(self._value, _indexing.as_index(index)))

    def __setitem__(self, index, value):
        only_inside(self, "change a tensor from outside")
        if isinstance(value, Tensor):
            value = value._value
        elif isinstance(value, (list, tuple)):
            value = np.asarray(value)
        elif not isinstance(value, (bool, int, float, np.generic)):
            raise _indexing.unsupported(value)
        if not np.isscalar(value) or isinstance(value, np.generic):
            value = cast(value, self._value.dtype)
        self._write(_indexing.write(self._value, _indexing.as_index(index), value))

    def _write(self, value):
        """Take over a value of the same shape and type, with all who share this memory: views of it, its NumPy array."""
        if not put(self._value, value):
            self._value = value

    # ---- gradients ----

    def register_hook(self, hook) -> "_Handle":
        """From here on, `hook(gradient)` replaces the gradient that comes back to this tensor; None leaves it."""
        handle = _Handle(hook)
        value, hooks = _HOOKS.get(self, (None, None))
        if hooks is None or value is not self._value:
            hooks = []
            self._value = hooked(self._value, partial(in_turn, hooks))
            _HOOKS[self] = self._value, hooks
        hooks.append(handle)
        return handle

    def set_dtype(self, dtype) -> mstype.DType:
        """Change the element type in place; returns the type."""
        only_inside(self, "change a tensor from outside")
        self._value = cast(self._value, mstype.as_numpy(dtype))
        return self.dtype


class _Handle(metaclass=Placed):
    """What `register_hook` returns: `remove()` ends the hook."""

    _shown = "mindspore.common.hook_handle._TensorHookHandle"

    def __init__(self, hook):
        self.hook = of_kind(hook, Callable, NOT_CALLABLE)

    def remove(self):
        """From now on the gradient passes unchanged, also through what was computed before."""
        self.hook = None

    def __call__(self, gradient):
        return None if self.hook is None else self.hook(gradient)


_HOOKS: WeakKeyDictionary = WeakKeyDictionary()  # tensor -> its value with the hooks on, and these


def under_hooks(box, tensor):
    """`box`, which stands for the value of `tensor`, with the hooks that were registered on it."""
    value, hooks = _HOOKS.get(tensor, (None, None))
    return box if hooks is None or value is not tensor._value else hooked(box, partial(in_turn, hooks))


def in_turn(hooks, gradient):
    """What the hooks make of a gradient, the one registered first before the others."""
    for hook in hooks:
        changed = hook(gradient)
        gradient = gradient if changed is None else changed
    return gradient


def hooked(value, hook):
    """`value` unchanged, but whose gradient goes through `hook`, a function of tensors; None leaves it as it is."""

    def rule(ans, g, x):
        changed = hook(wrap(g))
        return (g if changed is None else changed._value if isinstance(changed, Tensor) else changed,)

    return custom_vjp(_through_hook, rule, made_of_ops=True, any_shape=True)(value)


def _through_hook(x):
    return x


def _array(data, dtype):
    """The NumPy array (or box) of what a student gives `Tensor`."""
    if isinstance(data, Tensor):
        return data._value if dtype is None else cast(data._value, dtype.numpy)
    if isinstance(data, (list, tuple)):
        data = _from_sequence(data, dtype)
    elif isinstance(data, (bool, int, float)) and not isinstance(data, np.generic):
        data = np.asarray(data, np.float32 if dtype is None and isinstance(data, float) else None)
    elif not isinstance(data, (np.ndarray, np.generic)):
        raise TypeError(
            f"For 'Tensor', the type of 'input_data' should be one of '{_ACCEPTED}', "
            f"but got type '{type(data).__name__}'."
        )
    if isbox(data):
        return data if dtype is None else cast(data, dtype.numpy)
    if dtype is not None:
        with np.errstate(all="ignore"):
            return np.array(data).astype(dtype.numpy)
    mstype.of(data.dtype)
    return np.array(data)


def _from_sequence(data, dtype):
    """An array of nested lists of numbers or tensors; floats become Float32 unless `dtype` says otherwise."""
    if any(isinstance(d, Tensor) for d in data):
        parts = [d._value if isinstance(d, Tensor) else np.asarray(d) for d in data]
        return anp.stack([constant(p) for p in parts]) if any(map(isbox, parts)) else np.stack(parts)
    try:
        array = np.array(data)
    except ValueError:
        array = np.array(data, object)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"For Tensor, the input_data is {data} that contain unsupported element.")
    return array.astype(np.float32) if array.dtype == np.float64 and dtype is None else array


Initializer.tensor_of = staticmethod(wrap)


def tensor(input_data=None, dtype=None, shape=None, init=None, const_arg=False, device=None) -> Tensor:
    """The same as `Tensor(...)`; there is one `device`."""
    return Tensor(input_data, dtype, shape, init)


from_numpy = Tensor.from_numpy
