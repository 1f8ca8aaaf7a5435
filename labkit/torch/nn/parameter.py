"""`Parameter`: a tensor that a module trains; parameters and buffers whose shape is not known yet."""

from contextlib import contextmanager
from typing import Any, Never

import numpy as np

from ...aliases import attributes
from ...layout import Placed
from ...trails import DETACHED
from .. import _creation, _modes, _trail
from .._table import METHODS
from .._tensor import Tensor

__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "UninitializedTensorMixin",
    "is_lazy",
]


class Parameter(Tensor, metaclass=Placed):
    """A leaf that a `Module` finds among its attributes; it requires a gradient unless told otherwise.

    `data`: a tensor, whose memory, shape and dtype it has. Raises RuntimeError for integers, unless `requires_grad=False`.

    >>> import labkit.torch as torch
    >>> torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    Parameter containing:
    tensor([1., 2.], requires_grad=True)
    """

    def __new__(cls, data=None, requires_grad=True):
        return object.__new__(cls)

    def __init__(self, data=None, requires_grad=True):
        data = Tensor(0) if data is None else data
        self._set_up(data._array)
        if requires_grad and not self.dtype.is_floating_point:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        self._requires = bool(requires_grad)
        _trail.aside(self, "Parameter", (data,), DETACHED, _modes.grad_enabled())

    def __repr__(self):
        return "Parameter containing:\n" + super().__repr__()

    @contextmanager
    def __engine_bind__(self, value):
        """Inside, this parameter's value is `value`, which may be a box; afterwards it is what it was."""
        kept = self._data, self._requires
        self._data, self._requires = value, False
        try:
            yield self
        finally:
            self._data, self._requires = kept


class Buffer(Tensor, metaclass=Placed):
    """A tensor that a `Module` finds among its attributes and keeps with its state, but does not train.

    `persistent=False` leaves it out of `state_dict()`.

    >>> import labkit.torch as torch
    >>> net = torch.nn.Module()
    >>> net.mean = torch.nn.Buffer(torch.zeros(2))
    >>> list(net.state_dict())
    ['mean']
    """

    persistent = True

    def __new__(cls, data=None, *, persistent=True):
        return object.__new__(cls)

    def __init__(self, data=None, *, persistent=True):
        self._set_up((Tensor(0) if data is None else data)._array)
        self.persistent = persistent


class _Unmade(np.ndarray):
    """The array of a tensor without a shape: no function of NumPy takes it."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        raise ValueError(_USED.format(name=f"<function {ufunc.__name__}>", kind="UninitializedParameter"))

    def __array_function__(self, func, types, args, kwargs):
        raise ValueError(_USED.format(name=f"<function {func.__name__}>", kind="UninitializedParameter"))


_USED = (
    "Attempted to use an uninitialized parameter in {name}. This error happens when you are using a `LazyModule` or "
    "explicitly manipulating `torch.nn.parameter.{kind}` objects. When using LazyModules Call `forward` with a dummy batch "
    "to initialize the parameters before calling torch functions"
)
_NO_SHAPE = (
    "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in `load_state_dict` when "
    "trying to load an uninitialized parameter into an initialized one. Call `forward` to initialize the parameters before "
    "accessing their attributes."
)
_ALLOWED = {
    "to", "cpu", "half", "float", "double", "char", "short", "int", "long", "is_complex", "is_floating_point", "size",
    "get_device",
}  # fmt: skip


class UninitializedTensorMixin:
    """A tensor that has a dtype, but no shape yet: `materialize(shape)` gives it one, and makes it an ordinary tensor."""

    cls_to_become: type = Tensor
    data: Any  # as of any tensor
    dtype: Any

    def _unmade(self, dtype):
        self._set_up(_creation.empty(0, dtype=dtype)._data.view(_Unmade))  # type: ignore[attr-defined]

    def materialize(self, shape, device=None, dtype=None) -> None:
        """Become an ordinary tensor of this shape, whose elements are not set."""
        self.data = _creation.empty(*shape, dtype=dtype or self.dtype)
        self.__class__ = self.cls_to_become  # type: ignore[assignment]

    def __engine_value__(self) -> Never:
        raise RuntimeError("This parameter is made by the first run of its module: run that once before.")

    @property
    def shape(self) -> Never:
        raise RuntimeError(_NO_SHAPE)

    def __repr__(self):
        return f"<{type(self).__name__}>"

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            made = memo[id(self)] = type(self).__new__(type(self))
            made._unmade(self.dtype)
            made._requires = self._requires  # type: ignore[attr-defined]
        return memo[id(self)]

    def __reduce_ex__(self, protocol):
        return type(self), (self._requires, None, self.dtype)  # type: ignore[attr-defined]


def _refused(name):
    def refuse(self, *args, **kwargs):
        kind = "slot wrapper" if name.startswith("__") else "method"
        raise ValueError(
            _USED.format(name=f"<{kind} '{name}' of 'torch._C.TensorBase' objects>", kind=type(self).__name__)
        )

    return refuse


def _plain(operator):
    """The method that the real framework's operator calls, such as `add` for `__radd__`."""
    name = operator.strip("_")
    return next((n for n in (name, name[1:]) if n in METHODS), operator) if operator != name else name


_OWN = {name for name in dir(Tensor) if not name.startswith("_") and callable(getattr(Tensor, name))}
for _name in {*METHODS, *_OWN, "__len__"} - _ALLOWED:
    setattr(UninitializedTensorMixin, _name, _refused(_plain(_name)))


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter whose shape is not known yet, as in a layer that takes it from its first input.

    It has a dtype; any operation on it raises ValueError, and its `shape` RuntimeError.

    >>> import labkit.torch as torch
    >>> p = torch.nn.UninitializedParameter()
    >>> p
    <UninitializedParameter>
    >>> p.materialize((2, 3))
    >>> type(p).__name__, p.shape
    ('Parameter', torch.Size([2, 3]))
    """

    cls_to_become = Parameter

    def __new__(cls, requires_grad=True, device=None, dtype=None):
        return object.__new__(cls)

    def __init__(self, requires_grad=True, device=None, dtype=None):
        self._unmade(dtype)
        self._requires = requires_grad


class UninitializedBuffer(UninitializedTensorMixin, Tensor, metaclass=Placed):
    """A buffer whose shape is not known yet."""

    def __new__(cls, requires_grad=False, device=None, dtype=None, persistent=True):
        return object.__new__(cls)

    def __init__(self, requires_grad=False, device=None, dtype=None, persistent=True):
        self._unmade(dtype)
        self._requires = requires_grad


def is_lazy(param) -> bool:
    """Whether `param` is a parameter or buffer whose shape is not known yet."""
    return isinstance(param, UninitializedTensorMixin)


def add_weights(layer, shape, bias, dtype, outputs=None) -> None:
    """Give a layer its weight of `shape` and, if it has one, its bias, an element for each output; and draw them."""
    layer.weight = Parameter(_creation.empty(*shape, dtype=dtype))
    layer.register_parameter("bias", Parameter(_creation.empty(outputs or shape[0], dtype=dtype)) if bias else None)
    layer.reset_parameters()


__getattr__ = attributes(__name__)
