"""Modules that hold others: in order, in a list, spread over devices."""

from collections import OrderedDict
from itertools import groupby
from typing import Any, Self

from .module import Layer

__all__ = ["DataParallel", "ModuleList", "Sequential"]


class _InOrder(Layer):
    """Modules under the names 0, 1 ..., or under others, by their places."""

    def _key(self, index):
        n = len(self)
        if not -n <= index < n:
            raise IndexError(f"index {index} is out of range")
        return list(self._modules)[index]

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
        self._modules[self._key(index)] = module

    def append(self, module) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules) -> Self:
        """Add modules at the end."""
        for module in modules:
            self.append(module)
        return self


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
            self.add_module(str(name), module)

    def _some(self, items):
        return type(self)(OrderedDict(items))

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

    def __repr__(self):
        """Equal neighbours share a line."""
        lines = []
        for text, group in groupby(self._modules.items(), lambda pair: repr(pair[1])):
            keys = [key for key, _ in group]
            begin = f"({keys[0]}): " if len(keys) == 1 else f"({keys[0]}-{keys[-1]}): {len(keys)} x "
            lines.append(begin + text.replace("\n", "\n  "))
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)" if lines else f"{self._get_name()}()"


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
