"""Layers that take the number of their inputs from the first one that they see: one mechanism for all of them."""

from collections.abc import Callable
from inspect import Parameter as Option
from inspect import signature
from typing import Any

from .convolutions import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from .layers import Linear
from .modules.lazy import LazyModuleMixin
from .normalization import BatchNorm1d, BatchNorm2d, BatchNorm3d, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from .parameter import UninitializedBuffer, UninitializedParameter, is_lazy

__all__ = [
    "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d", "LazyConv1d", "LazyConv2d", "LazyConv3d", "LazyConvTranspose1d",
    "LazyConvTranspose2d", "LazyConvTranspose3d", "LazyInstanceNorm1d", "LazyInstanceNorm2d", "LazyInstanceNorm3d",
    "LazyLinear",
]  # fmt: skip


_DOC = """`{name}` that takes `{inferred}` from its first input, and is a `{name}` from then on.

Until then its parameters have no shape: printed as `<UninitializedParameter>`, they raise ValueError in operations. From one
seed it draws the same first values as `{name}`, at the first call.
"""


def _lazy(cls, inferred, measure: Callable, **defaults) -> Any:
    """The class of layers `cls` whose option `inferred` is `measure(layer, input)` of the first input."""
    options = [o for o in signature(cls.__init__).parameters.values() if o.name not in ("self", inferred)]
    options = [o.replace(default=defaults.get(o.name, o.default)) for o in options]
    own = signature(cls.__init__).replace(parameters=options)

    class Unknown(cls):
        """One that draws nothing: it is asked for its shapes."""

        def reset_parameters(self):
            pass

    def __init__(self, *args, **kwargs):
        given = {**defaults, **own.bind(*args, **kwargs).arguments}
        LazyModuleMixin.__init__(self, **{inferred: 0, **given})
        self._options = given
        _without_shapes(self)

    def reset_parameters(self):
        """Draw the parameters anew, if they have shapes."""
        if not self.has_uninitialized_params() and getattr(self, inferred):
            cls.reset_parameters(self)

    def initialize_parameters(self, input, *args, **kwargs):
        """Give the parameters the shapes that fit `input`, and draw them."""
        if not getattr(self, inferred):
            setattr(self, inferred, measure(self, input))
        if self.has_uninitialized_params():
            _take_shapes(self, Unknown(**{inferred: getattr(self, inferred), **self._options}))
            self.reset_parameters()
        del self._options

    __init__.__signature__ = own.replace(parameters=[Option("self", Option.POSITIONAL_OR_KEYWORD), *options])  # type: ignore[attr-defined]
    members: dict[str, Any] = {fun.__name__: fun for fun in (__init__, reset_parameters, initialize_parameters)}
    members |= {"__doc__": _DOC.format(name=cls.__name__, inferred=inferred)}
    members |= {"cls_to_become": cls, "__module__": __name__}
    return type(f"Lazy{cls.__name__}", (LazyModuleMixin, cls), members)


def _without_shapes(layer):
    """Let a layer have floating parameters and buffers whose shapes are not known yet."""
    for table, kind in ((layer._parameters, UninitializedParameter), (layer._buffers, UninitializedBuffer)):
        for name, tensor in table.items():
            if tensor is not None and tensor.dtype.is_floating_point:
                table[name] = kind(dtype=tensor.dtype)


def _take_shapes(layer, known):
    """Give what has no shape yet the one that it has in the layer `known`."""
    for table, shapes in ((layer._parameters, known._parameters), (layer._buffers, known._buffers)):
        for name, tensor in table.items():
            if is_lazy(tensor):
                tensor.materialize(shapes[name].shape)


def _channels(layer, input):
    """The channels of an input with or without a batch."""
    single = len(layer.kernel_size) + 1
    if input.ndim not in (single, single + 1):
        raise RuntimeError(
            f"Expected {single}D (unbatched) or {single + 1}D (batched) input to {type(layer).__name__}, but got input of "
            f"size: {input.shape}"
        )
    return input.shape[input.ndim - single]


LazyLinear = _lazy(Linear, "in_features", lambda layer, input: input.shape[-1])
LazyConv1d, LazyConv2d, LazyConv3d, LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d = (
    _lazy(cls, "in_channels", _channels)
    for cls in (Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)
)
LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d, LazyInstanceNorm1d, LazyInstanceNorm2d, LazyInstanceNorm3d = (
    _lazy(cls, "num_features", lambda layer, input: input.shape[1], affine=True, track_running_stats=True)
    for cls in (BatchNorm1d, BatchNorm2d, BatchNorm3d, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d)
)
