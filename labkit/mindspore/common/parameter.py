"""`Parameter`: a tensor that a network owns, with a name; and tuples of them.

Its value can be substituted for the time of one derivative, in one thread: `grad` never writes into a parameter, so
there is nothing to put back when the differentiated function raises.
"""

from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import Any, Self

import numpy as np

from ... import ops as primitives
from ...dialects.argument_types import of_kind
from ...dialects.class_paths import Placed
from ...dialects.unsupported import attributes
from ...engine import cast, getval, isbox, running
from ..graph.recorder import current, refuse_set_data
from . import dtype as mstype
from .initializer import initializer
from .tensor import Tensor, _Handle, hooked, in_turn, put, wrap

__all__ = ["Parameter", "ParameterTuple"]

_generated = count(2)  # as in the real framework, whose first is Parameter#2
_GENERATED = "Parameter#"
_stored = vars(Tensor)["_value"]  # the slot of Tensor, which `_value` below stands before


@contextmanager
def bound(parameters, values):
    """While open, in this thread, each parameter has the value given, a box; then again what it had."""
    substituted = current.substitutions
    keys = [id(p) for p in parameters]
    before = [substituted.get(key) for key in keys]
    substituted.update(zip(keys, values, strict=True))
    try:
        yield
    finally:
        for key, value in zip(keys, before, strict=True):
            if value is None:
                substituted.pop(key, None)
            else:
                substituted[key] = value


@primitives.rule(lambda ans, leaf, new: lambda g: g, None, rounds=False)
def _overwritten(leaf, new):
    """`new`, whose gradient goes to `leaf`: what is assigned to a parameter is a parameter, not a result."""
    return new


class Parameter(Tensor):
    """A named tensor of a network, from a tensor, number, list or array.

    `name`: a cell gives its own where there is none. `requires_grad`: whether it is among `trainable_params()`.

    >>> Parameter(Tensor([1.0, 2.0]), name="w")
    Parameter (name=w, shape=(2,), dtype=Float32, requires_grad=True)
    """

    __slots__ = ("__dict__", "_hooks", "_name", "_requires_grad", "layerwise_parallel", "parallel_optimizer")
    _shown = "abc.Parameter"  # it makes the class of its parameters at run time

    def __init__(self, default_input, name=None, requires_grad=True, layerwise_parallel=False, parallel_optimizer=True,
                 storage_format="", device=None):  # fmt: skip
        if isinstance(default_input, bool):
            raise ValueError("Parameter data can not be `bool`")
        if isinstance(default_input, (tuple, dict)):
            raise TypeError(
                "The type of the argument 'default_input' must be in ['Tensor', 'int', 'float', 'numpy.ndarray', "
                f"'list']. But got type {type(default_input)}."
            )
        super().__init__(default_input, mstype.int32 if isinstance(default_input, int) else None)
        self._name, self._hooks = "", []
        self.name, self.requires_grad = name, requires_grad
        self.layerwise_parallel, self.parallel_optimizer = layerwise_parallel, parallel_optimizer

    @property
    def _value(self):
        substituted = current.substitutions
        if substituted:
            value = substituted.get(id(self))
            if value is not None:
                return value
        if current.recorder is not None:
            return current.recorder.value(self, _stored.__get__(self))
        return _stored.__get__(self)

    @_value.setter
    def _value(self, value):
        """Write for good. While a derivative runs, later reads see the new value and still count as this parameter."""
        if current.recorder is None or self._memory() is None:  # it may be made in a function that is compiled
            plain = getval(value)
            if not put(self._memory(), plain):
                _stored.__set__(self, np.array(plain) if isinstance(plain, np.ndarray) else plain)
        else:
            plain = current.recorder.write(self, value)
        box = current.substitutions.get(id(self))
        if box is not None:
            current.substitutions[id(self)] = _overwritten(box, plain)

    def _memory(self):
        """The array that it has, None before it has one."""
        try:
            return _stored.__get__(self)
        except AttributeError:
            return None

    def __engine_bind__(self, value):
        return bound((self,), (value,))

    __engine_hold__ = __engine_bind__

    @property
    def name(self) -> str:
        """Its name, such as `fc.weight`."""
        return self._name

    @name.setter
    def name(self, name):
        if name is None:
            name = f"{_GENERATED}{next(_generated)}"
        elif not isinstance(name, str):
            raise ValueError(f"The type of the Parameter's name should be 'string' or 'None', but got {type(name)}.")
        self._name = name.strip()

    @property
    def has_generated_name(self) -> bool:
        """Whether it has no name yet."""
        return self._name.startswith(_GENERATED)

    @property
    def requires_grad(self) -> bool:
        """Whether it is to be trained."""
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, value=True):
        self._requires_grad = value

    @property
    def data(self) -> Tensor:
        """Its value as a tensor in the same memory: what is written into one is seen in the other. Assigned: `set_data`.

        >>> p = Parameter(Tensor([1.0, 2.0]), name="p")
        >>> p.data[0] = 5.0
        >>> print(p.asnumpy())
        [5. 2.]
        """
        return wrap(self._value)

    @data.setter
    def data(self, data):
        self.set_data(data)

    def value(self) -> Tensor:
        """Its value as a tensor of its own."""
        value = self._value
        return wrap(value if isbox(value) else np.array(value))

    def __str__(self):
        return (
            f"Parameter (name={self.name}, shape={self.shape}, dtype={self.dtype}, requires_grad={self.requires_grad})"
        )

    __repr__ = __str__

    def set_data(self, data, slice_shape=False) -> Self:
        """Replace the value by `data`, a tensor or number, in the parameter's type; returns the parameter.

        A tensor of this type shares its memory with the parameter from then on. Raises RuntimeError in a compiled function.
        """
        refuse_set_data()
        text = "Parameter data must be [`Tensor`, `int`, `float`] or a kind of `Tensor` (like `Tensor`). But with type {type}."
        of_kind(data, (Tensor, int, float, bool), text)
        value = data._value if isinstance(data, Tensor) else np.asarray(data)
        dtype = self._value.dtype
        value = value if value.dtype == dtype else cast(value, dtype)
        if running() or isbox(value):
            self._value = primitives.copy(value)
        else:
            _stored.__set__(self, np.asarray(value))
        return self

    def clone(self, init="same") -> "Parameter":
        """A parameter of its own, of the same name: `init` "same", an initializer's name, a number or a tensor."""
        if isinstance(init, str) and init == "same":
            data = wrap(np.array(self.asnumpy()))
        else:
            data = Tensor(init, self.dtype) if isinstance(init, Tensor) else initializer(init, self.shape, self.dtype)
        return Parameter(data, self.name, self.requires_grad, self.layerwise_parallel, self.parallel_optimizer)

    def copy(self) -> "Parameter":
        """A parameter of its own with the same value."""
        return self.clone()

    def register_hook(self, hook) -> _Handle:
        """From here on, `hook(gradient)` replaces this parameter's gradient; `remove()` the result to end it."""
        handle = _Handle(hook)
        self._hooks.append(handle)
        return handle

    def under_hooks(self, box) -> Any:
        """`box`, whose gradient goes through this parameter's hooks."""
        return hooked(box, partial(in_turn, self._hooks)) if self._hooks else box

    def __deepcopy__(self, memo):
        return self.clone()

    def __reduce__(self):
        return Parameter, (wrap(self.asnumpy()), self.name, self.requires_grad)


def assigned(variable, value, name):
    """Write `value` into a tensor or parameter of the same shape, in its type. Raises ValueError for another shape."""
    check_like(variable, value, name)
    value = value if isinstance(value, Tensor) else Tensor(value)
    variable._write(cast(value._value, variable._value.dtype))


def check_like(variable, value, name):
    """Raise ValueError unless `value` has the shape of `variable`."""
    value = value if isinstance(value, Tensor) else Tensor(value)
    if value.ndim != variable.ndim:
        raise ValueError(
            f"For '{name}','value' must have the same rank as 'variable'. But got 'value' rank: {value.ndim}, "
            f"'variable' rank: {variable.ndim}."
        )
    if value.shape != variable.shape:
        shapes = [f"({', '.join(map(str, s))})" for s in (value.shape, variable.shape)]
        raise ValueError(
            f"For '{name}','value' must have the same shape as 'variable'. "
            f"But got 'value' shape: {shapes[0]}, 'variable' shape: {shapes[1]}."
        )


class ParameterTuple(tuple, metaclass=Placed):
    """A tuple of parameters. Raises TypeError for anything else in it, ValueError for two of the same name.

    >>> import labkit.mindspore as ms
    >>> one, two = (ms.Parameter(ms.Tensor([1.0]), name=name) for name in ("w", "b"))
    >>> [p.name for p in ms.ParameterTuple([one, two])]
    ['w', 'b']
    """

    def __new__(cls, iterable):
        parameters = tuple(iterable)
        seen: dict[str, Parameter] = {}
        for p in parameters:
            text = "For ParameterTuple initialization, ParameterTuple input should be 'Parameter' collection, but got a {given}. "
            of_kind(p, Parameter, text, given=type(iterable))
            if seen.setdefault(p.name, p) is not p:
                raise ValueError(
                    f"The value {p} , its name '{p.name}' already exists. Please set a unique name for the parameter."
                )
        return super().__new__(cls, parameters)

    def clone(self, prefix, init="same") -> "ParameterTuple":
        """New parameters named `prefix.name`, of the same values or initialised by `init`."""
        clones = [p.clone(init) for p in self]
        for p in clones:
            p.name = f"{prefix}.{p.name}"
        return ParameterTuple(clones)


__getattr__ = attributes(__name__)
