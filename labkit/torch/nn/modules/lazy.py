"""What layers have in common that take the number of their inputs from the first one that they see."""

from itertools import chain
from typing import Any

from ....aliases import attributes
from ..module import Layer
from ..parameter import is_lazy

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin(Layer):
    """Part of a layer whose parameters get their shapes at the first call, from its input.

    A class with this before `Module` makes `UninitializedParameter`s in `__init__` and gives them shapes in
    `initialize_parameters(input)`; after that it is of class `cls_to_become`. Raises RuntimeError where one has no shape then.

    >>> import labkit.torch as torch
    >>> class Scale(torch.nn.modules.lazy.LazyModuleMixin, torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factors = torch.nn.UninitializedParameter()
    ...     def initialize_parameters(self, x):
    ...         self.factors.materialize(x.shape[-1:])
    ...         torch.nn.init.ones_(self.factors)
    ...     def forward(self, x):
    ...         return x * self.factors
    >>> net = Scale()
    >>> net.factors
    <UninitializedParameter>
    >>> net(torch.zeros(2, 3)).shape, net.factors.shape
    (torch.Size([2, 3]), torch.Size([3]))
    """

    cls_to_become: Any = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._initialize_hook = self.register_forward_pre_hook(_infer, with_kwargs=True)

    def initialize_parameters(self, *args, **kwargs) -> None:
        """Give all parameters their shapes; called with what the first forward is called with."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self) -> bool:
        """Whether a parameter or buffer has no shape yet."""
        return any(map(is_lazy, chain(self._parameters.values(), self._buffers.values())))


def _infer(module, args, kwargs):
    module.initialize_parameters(*args, **kwargs)
    if module.has_uninitialized_params():
        raise RuntimeError(f"module {module._get_name()} has not been fully initialized")
    module._initialize_hook.remove()
    del module._initialize_hook
    if module.cls_to_become is not None:
        module.__class__ = module.cls_to_become


__getattr__ = attributes(__name__)
