"""Layers that take the number of their inputs from the first one that they see."""

from typing import Any

from .convolutions import Conv2d
from .layers import Linear
from .module import Layer
from .parameter import UninitializedParameter, is_lazy

__all__ = ["LazyConv2d", "LazyLinear"]


class _Lazy(Layer):
    """Part of a layer whose parameters get their shapes at the first call, from its input; then it is a `cls_to_become`.

    A subclass says which option is `inferred`, and defines `_shape_for(input)`: set that option, and return the weight's shape.
    """

    cls_to_become: Any
    inferred: str

    def _wait(self):
        """Let the parameters have no shape until the first call."""
        self._initialize_hook = self.register_forward_pre_hook(_infer, with_kwargs=True)
        for name, p in self._parameters.items():
            if p is not None:
                self._parameters[name] = UninitializedParameter(dtype=p.dtype)

    def has_uninitialized_params(self) -> bool:
        """Whether a parameter has no shape yet."""
        return any(map(is_lazy, self._parameters.values()))

    def reset_parameters(self) -> None:
        """Draw the parameters, if they have shapes."""
        if not self.has_uninitialized_params() and getattr(self, self.inferred):
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self, input) -> None:
        """Give the parameters the shapes that fit `input`, and draw them."""
        shape = self._shape_for(input)
        if self.has_uninitialized_params():
            for p, size in ((self.weight, shape), (self.bias, shape[:1])):
                if is_lazy(p):
                    p.materialize(size)
            self.reset_parameters()

    def _shape_for(self, input) -> tuple[int, ...]:
        raise NotImplementedError


def _infer(module, args, kwargs):
    module.initialize_parameters(*args, **kwargs)
    module._initialize_hook.remove()
    del module._initialize_hook
    module.__class__ = module.cls_to_become


class LazyLinear(_Lazy, Linear):
    """`Linear` that takes `in_features` from its first input, and is a `Linear` from then on.

    Until then its parameters have no shape: printed as `<UninitializedParameter>`, they raise ValueError in operations. From
    one seed it draws the same first values as `Linear`, at the first call.

    >>> import labkit.torch as torch
    >>> layer = torch.nn.LazyLinear(2)
    >>> layer, layer.weight
    (LazyLinear(in_features=0, out_features=2, bias=True), <UninitializedParameter>)
    >>> layer(torch.ones(5, 3)).shape, layer
    (torch.Size([5, 2]), Linear(in_features=3, out_features=2, bias=True))
    """

    cls_to_become, inferred = Linear, "in_features"

    def __init__(self, out_features, bias=True, device=None, dtype=None):
        super().__init__(0, out_features, bias, dtype=dtype)
        self._wait()

    def _shape_for(self, input):
        self.in_features = self.in_features or input.shape[-1]
        return self.out_features, self.in_features


class LazyConv2d(_Lazy, Conv2d):
    """`Conv2d` that takes `in_channels` from its first input, and is a `Conv2d` from then on; see `LazyLinear`."""

    cls_to_become, inferred = Conv2d, "in_channels"

    def __init__(self, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode="zeros",
                 device=None, dtype=None):  # fmt: skip
        super().__init__(
            0, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, dtype=dtype
        )
        self._wait()

    def _shape_for(self, input):
        self.in_channels = self.in_channels or input.shape[-3]
        return self.out_channels, self.in_channels // self.groups, *self.kernel_size
