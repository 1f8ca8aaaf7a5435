"""`Parameter`: a tensor that a module trains; a buffer; a parameter whose shape is not known yet."""

from contextlib import contextmanager
from typing import Never

import numpy as np

from ...dialects.class_paths import Placed
from ...dialects.provenance import DETACHED
from ...dialects.unsupported import attributes
from .._error_texts import error
from .._ops import creation as _creation
from .._ops.function_table import METHODS
from .._tape import grad_mode, tensor_provenance
from .._tensor.tensor import Tensor

__all__ = ["Parameter", "UninitializedParameter", "is_lazy"]


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
        tensor_provenance.aside(self, "Parameter", (data,), DETACHED, grad_mode.grad_enabled())

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


class _Unmade(np.ndarray):
    """The array of a tensor without a shape: no function of NumPy takes it."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        raise error("uninitialized", name=f"<function {ufunc.__name__}>", kind="UninitializedParameter")

    def __array_function__(self, func, types, args, kwargs):
        raise error("uninitialized", name=f"<function {func.__name__}>", kind="UninitializedParameter")


_ALLOWED = {"to", "cpu", "half", "float", "double", "char", "short", "int", "long", "is_complex", "is_floating_point",
    "size", "get_device"}  # fmt: skip


class UninitializedParameter(Parameter):
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

    def __new__(cls, requires_grad=True, device=None, dtype=None):
        return object.__new__(cls)

    def __init__(self, requires_grad=True, device=None, dtype=None):
        self._unmade(dtype)
        self._requires = requires_grad

    def _unmade(self, dtype):
        self._set_up(_creation.empty(0, dtype=dtype)._data.view(_Unmade))

    def materialize(self, shape, device=None, dtype=None) -> None:
        """Become an ordinary tensor of this shape, whose elements are not set."""
        self.data = _creation.empty(*shape, dtype=dtype or self.dtype)
        self.__class__ = Parameter  # type: ignore[assignment]

    def __engine_value__(self) -> Never:
        raise RuntimeError("This parameter is created by the first run of its module: run the module once before.")

    @property
    def data(self) -> Tensor:
        """An empty tensor, so that it can be filled before it has a shape."""
        return _creation.empty(0, dtype=self.dtype)

    @data.setter
    def data(self, value) -> None:
        Tensor.data.fset(self, value)  # type: ignore[attr-defined]

    @property
    def shape(self) -> Never:
        raise error("uninitialized_shape")

    def __repr__(self):
        return f"<{type(self).__name__}>"

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            made = memo[id(self)] = type(self).__new__(type(self))
            made._unmade(self.dtype)
            made._requires = self._requires
        return memo[id(self)]

    def __reduce_ex__(self, protocol):
        return type(self), (self._requires, None, self.dtype)


def _refused(name):
    def refuse(self, *args, **kwargs):
        kind = "slot wrapper" if name.startswith("__") else "method"
        raise error(
            "uninitialized", name=f"<{kind} '{name}' of 'torch._C.TensorBase' objects>", kind=type(self).__name__
        )

    return refuse


def _plain(operator):
    """The method that the real framework's operator calls, such as `add` for `__radd__`."""
    name = operator.strip("_")
    return next((n for n in (name, name[1:]) if n in METHODS), operator) if operator != name else name


_OWN = {name for name in dir(Tensor) if not name.startswith("_") and callable(getattr(Tensor, name))}
for _name in {*METHODS, *_OWN, "__len__"} - _ALLOWED - {*vars(UninitializedParameter)}:
    setattr(UninitializedParameter, _name, _refused(_plain(_name)))


def is_lazy(param) -> bool:
    """Whether `param` is a parameter whose shape is not known yet."""
    return isinstance(param, UninitializedParameter)


def add_weights(layer, shape, bias, dtype) -> None:
    """Give a layer its weight of `shape` and, if it has one, its bias, an element for each output; and draw them."""
    layer.weight = Parameter(_creation.empty(*shape, dtype=dtype))
    layer.register_parameter("bias", Parameter(_creation.empty(shape[0], dtype=dtype)) if bias else None)
    layer.reset_parameters()


__getattr__ = attributes(__name__)
