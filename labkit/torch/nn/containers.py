"""Modules that hold others, or parameters, in order or by name."""

from collections import OrderedDict
from collections.abc import Iterable
from itertools import groupby
from typing import Any, Self

from ...kinds import of_kind
from .._tensor import Tensor
from .module import Layer, Module
from .parameter import Parameter

__all__ = ["DataParallel", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


def _module(value):
    return of_kind(value, (Module, type(None)), "{name} is not a Module subclass", name=_kind(value))


def _kind(value):
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


class _InOrder(Layer):
    """Modules under the names 0, 1 ..., or under others, by their places."""

    def _key(self, index):
        n = len(self)
        if not -n <= index < n:
            raise IndexError(self._out_of_range(index))
        return list(self._modules)[index]

    def _out_of_range(self, index):
        return f"index {index} is out of range"

    def _renamed(self, modules):
        self._modules.clear()
        self.extend(modules)

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __getitem__(self, index) -> Any:
        if isinstance(index, slice):
            return self._some(list(self._modules.items())[index])
        return self._modules[self._key(index)]

    def _some(self, items):
        raise NotImplementedError

    def __setitem__(self, index, module):
        self._modules[self._key(index)] = _module(module)

    def __delitem__(self, index):
        keys = list(self._modules)[index] if isinstance(index, slice) else [self._key(index)]
        for key in keys:
            del self._modules[key]
        self._renamed(list(self))

    def append(self, module) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), _module(module))
        return self

    def extend(self, modules) -> Self:
        """Add modules at the end."""
        if not isinstance(modules, Iterable):
            name = self._get_name()
            raise TypeError(f"{name}.extend should be called with an iterable, but got {type(modules).__name__}")
        for module in modules:
            self.append(module)
        return self

    def insert(self, index, module) -> Any:
        """Add a module before the one at `index`."""
        modules = list(self)
        modules.insert(index, _module(module))
        self._renamed(modules)
        return self

    def pop(self, key) -> Any:
        """Take out the module at this place."""
        module = self[key]
        del self[key]
        return module


class Sequential(_InOrder):
    """Modules called one after the other.

    `Sequential(first, second)` has them under the names 0, 1 ..., or those of one `OrderedDict`. An index gives a module.

    >>> import labkit.torch as torch
    >>> net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh())
    >>> net(torch.zeros(4, 2)).shape, net[1]
    (torch.Size([4, 3]), Tanh())
    """

    def __init__(self, *modules):
        super().__init__()
        named = modules[0].items() if len(modules) == 1 and isinstance(modules[0], OrderedDict) else enumerate(modules)
        for name, module in named:
            self.add_module(str(name), _module(module))

    def _some(self, items):
        return type(self)(OrderedDict(items))

    def __add__(self, other) -> "Sequential":
        return Sequential(*self, *other)

    def forward(self, input) -> Any:
        for module in self:
            input = module(input)
        return input


class ModuleList(_InOrder):
    """Modules in a list, for the forward of another module to call."""

    def __init__(self, modules=()):
        super().__init__()
        self.extend(modules or ())

    def _some(self, items):
        return type(self)([module for _, module in items])

    def __add__(self, other) -> "ModuleList":
        return ModuleList([*self, *other])

    def __repr__(self):
        """Equal neighbours stand on one line."""
        lines = []
        for text, group in groupby(self._modules.items(), lambda pair: repr(pair[1])):
            keys = [key for key, _ in group]
            begin = f"({keys[0]}): " if len(keys) == 1 else f"({keys[0]}-{keys[-1]}): {len(keys)} x "
            lines.append(begin + text.replace("\n", "\n  "))
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)" if lines else f"{self._get_name()}()"


class _ByName(Layer):
    """What a dict can do, on the things of one table."""

    def _items(self):
        return dict(self._modules)

    def __init__(self, given=None):
        super().__init__()
        self.update({} if given is None else given)

    def update(self, given) -> None:
        """Take over the pairs of a dict or of another iterable."""
        for key, value in given.items() if hasattr(given, "items") else given:
            self[key] = value

    def __getitem__(self, key):
        return self._items()[key]

    def __delitem__(self, key):
        delattr(self, key)

    def __len__(self):
        return len(self._items())

    def __iter__(self):
        return iter(self._items())

    def __contains__(self, key):
        return key in self._items()

    def keys(self) -> Any:
        return self._items().keys()

    def values(self) -> Any:
        return self._items().values()

    def items(self) -> Any:
        return self._items().items()

    def pop(self, key) -> Any:
        """Take out what stands under this name."""
        value = self[key]
        del self[key]
        return value

    def clear(self) -> None:
        """Take everything out."""
        for key in list(self):
            del self[key]


class ModuleDict(_ByName):
    """Modules in a dict, for the forward of another module to call.

    >>> import labkit.torch as torch
    >>> torch.nn.ModuleDict({"act": torch.nn.ReLU()})["act"]
    ReLU()
    """

    def __setitem__(self, key, module):
        self.add_module(key, _module(module))


class _Parameters(_ByName):
    """Parameters under their names, and other things."""

    def __init__(self, parameters=None):
        object.__setattr__(self, "_others", {})
        super().__init__(parameters)

    def _items(self):
        return {**self._parameters, **self._others}

    def __setitem__(self, key, value):
        if isinstance(value, Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        if isinstance(value, Parameter):
            self.register_parameter(str(key), value)
        else:
            self._others[str(key)] = value

    def __delitem__(self, key):
        (self._parameters if key in self._parameters else self._others).pop(key)

    def extra_repr(self) -> str:
        return "\n".join(_line(key, value, "torch.{}Tensor") for key, value in self._items().items())


class ParameterDict(_Parameters):
    """Parameters in a dict; tensors that are assigned become parameters, other things stay as they are."""


class ParameterList(_Parameters):
    """Parameters in a list; tensors that are added become parameters, other things stay as they are.

    >>> import labkit.torch as torch
    >>> torch.nn.ParameterList([torch.zeros(2, 3)])
    ParameterList(  (0): Parameter containing: [torch.float32 of size 2x3])
    """

    def __init__(self, values=None):
        super().__init__()
        self.extend(values or ())

    def append(self, value) -> Self:
        """Add a parameter at the end."""
        self[len(self)] = value
        return self

    def extend(self, values) -> Self:
        """Add parameters at the end."""
        for value in values:
            self.append(value)
        return self

    def __setitem__(self, index, value):
        super().__setitem__(str(self._place(index) if index != len(self) else index), value)

    def _place(self, index):
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range")
        return index % len(self)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return ParameterList([self[i] for i in range(*index.indices(len(self)))])
        return self._items()[str(self._place(index))]

    def __iter__(self):
        return iter([self[i] for i in range(len(self))])

    def extra_repr(self) -> str:
        return "\n".join(_line(key, value, "") for key, value in self._items().items())


def _line(key, value, legacy):
    if not isinstance(value, Tensor):
        return f"  ({key}): Object of type: {type(value).__name__}"
    kind, size = "Parameter" if isinstance(value, Parameter) else "Tensor", "x".join(map(str, value.shape))
    return f"  ({key}): {kind} containing: [{legacy.format(value.dtype.legacy) or value.dtype} of size {size}]"


class DataParallel(Layer):
    """A module as it is spread over GPUs; without one, as here, it calls `module`, whose names then begin with "module.".

    >>> from labkit.torch import nn
    >>> list(DataParallel(nn.Linear(2, 1)).state_dict())
    ['module.weight', 'module.bias']
    """

    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__()
        self.module, self.device_ids, self.output_device, self.dim = module, [], None, dim

    def forward(self, *inputs, **kwargs) -> Any:
        return self.module(*inputs, **kwargs)
