"""Layers that normalise: over the batch, each instance, the last dimensions, or groups of channels."""

import warnings

from ...layout import with_names
from .. import _creation
from .._tensor import Tensor
from . import _norms as F
from . import init
from .module import Layer, Module
from .parameter import Parameter

__all__ = [
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d",
    "LayerNorm", "RMSNorm", "SyncBatchNorm",
]  # fmt: skip


class _Scaled(Layer):
    """What has a weight and a bias, or not all of that."""

    def _scaling(self, shape, weight, bias, dtype):
        """Give it a weight and a bias of this shape, those that it has."""
        for name, has in (("weight", weight), ("bias", bias)):
            self.register_parameter(name, Parameter(_creation.empty(shape, dtype=dtype)) if has else None)

    def reset_parameters(self) -> None:
        """Weight 1, bias 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if getattr(self, "bias", None) is not None:
            init.zeros_(self.bias)


class _NormBase(_Scaled):
    """What keeps running statistics of channels; `dims`: how many dimensions an input may have."""

    dims: tuple[int, ...] = (4,)
    _version = 2

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None,
                 dtype=None, *, bias=True):  # fmt: skip
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        self._scaling(num_features, affine, affine and bias, dtype)
        tracked = track_running_stats
        self.register_buffer("running_mean", _creation.zeros(num_features, dtype=dtype) if tracked else None)
        self.register_buffer("running_var", _creation.ones(num_features, dtype=dtype) if tracked else None)
        self.register_buffer("num_batches_tracked", _creation.tensor(0) if tracked else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Let the running statistics begin anew: mean 0, variance 1."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Begin anew: statistics, weight 1, bias 0."""
        self.reset_running_stats()
        super().reset_parameters()

    def _check_input_dim(self, input):
        if input.ndim not in self.dims:
            expected = " or ".join(f"{n}D" for n in self.dims)
            raise ValueError(f"expected {expected} input (got {input.ndim}D input)")

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *rest):
        """A state from before there was a number of batches has none."""
        name = f"{prefix}num_batches_tracked"
        if (local_metadata.get("version") or 1) < 2 and self.track_running_stats:
            state_dict.setdefault(name, self.num_batches_tracked)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_NormBase):
    """What `BatchNorm1d`, `BatchNorm2d` and `BatchNorm3d` have in common."""

    def forward(self, input) -> Tensor:
        self._check_input_dim(input)
        momentum = self.momentum
        if self.training and self.track_running_stats:
            self.num_batches_tracked.add_(1)
            momentum = 1 / self.num_batches_tracked.item() if momentum is None else momentum
        own = self.training or not self.track_running_stats
        mean, var = (self.running_mean, self.running_var) if self.training or not own else (None, None)
        return F.batch_norm(input, mean, var, self.weight, self.bias, own, momentum, self.eps)


class BatchNorm2d(_BatchNorm):
    """(x - mean) / sqrt(variance + eps) * weight + bias for every channel of images (batch, channels, height, width).

    While training, mean and variance are those of the batch, and `running_mean`, `running_var` move towards them by
    `momentum` (None: they are the mean of all batches); in `eval` mode the running ones are used.
    """


class BatchNorm1d(_BatchNorm):
    """`BatchNorm2d` for inputs (batch, channels) or (batch, channels, length)."""

    dims = (2, 3)


class BatchNorm3d(_BatchNorm):
    """`BatchNorm2d` for volumes (batch, channels, depth, height, width)."""

    dims = (5,)


class SyncBatchNorm(_BatchNorm):
    """`BatchNorm2d` of inputs of any dimensions, whose statistics are those of all processes; of which there is one here."""

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, process_group=None,
                 device=None, dtype=None, *, bias=True):  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype=dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input):
        if input.ndim < 2:
            raise ValueError(f"expected at least 2D input (got {input.ndim}D input)")

    @classmethod
    def convert_sync_batchnorm(cls, module, process_group=None) -> Module:
        """The module with one of these, of the same numbers, in the place of each batch normalization in it."""
        made = module
        if isinstance(module, _BatchNorm):
            options = module.eps, module.momentum, module.affine, module.track_running_stats
            made = cls(module.num_features, *options, process_group, bias=module.bias is not None)
            made._parameters.update(module._parameters)
            made._buffers.update(module._buffers)
            made.training = module.training
        for name, child in module.named_children():
            made.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return made


class _InstanceNorm(_NormBase):
    """What `InstanceNorm1d`, `InstanceNorm2d` and `InstanceNorm3d` have in common."""

    dims = (3, 4)

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False, device=None,
                 dtype=None, *, bias=True):  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype=dtype, bias=bias)

    def forward(self, input) -> Tensor:
        self._check_input_dim(input)
        place = 0 if input.ndim == self.dims[0] else 1
        self._check_channels(place, input.shape[place])
        return self._apart(input.unsqueeze(0)).squeeze(0) if place == 0 else self._apart(input)

    def _apart(self, input):
        own = self.training or not self.track_running_stats
        statistics = self.running_mean, self.running_var
        return F.instance_norm(input, *statistics, self.weight, self.bias, own, self.momentum or 0.0, self.eps)

    def _check_channels(self, place, channels):
        if channels == self.num_features:
            return
        if self.affine:
            raise ValueError(
                f"expected input's size at dim={place} to match num_features ({self.num_features}), but got: {channels}."
            )
        warnings.warn(
            f"input's size at dim={place} does not match num_features. You can silence this warning by not passing in "
            "num_features, which is not used because affine=False",
            stacklevel=4,
        )


class InstanceNorm2d(_InstanceNorm):
    """As `BatchNorm2d`, but each image by its own mean and variance; without weight and running statistics unless told.

    `input`: (batch, channels, height, width), or one image. Raises ValueError for other dimensions or channels.
    """


class InstanceNorm1d(_InstanceNorm):
    """`InstanceNorm2d` for sequences (batch, channels, length), or one of them."""

    dims = (2, 3)


class InstanceNorm3d(_InstanceNorm):
    """`InstanceNorm2d` for volumes (batch, channels, depth, height, width), or one of them."""

    dims = (4, 5)


class LayerNorm(_Scaled):
    """The last dimensions, of `normalized_shape`, to mean 0 and variance 1, then times `weight` plus `bias` of that shape.

    >>> import labkit.torch as torch
    >>> layer = torch.nn.LayerNorm(2)
    >>> layer, layer(torch.tensor([[1.0, 3.0]]))
    (LayerNorm((2,), eps=1e-05, elementwise_affine=True, bias=True),
     tensor([[-1.0000,  1.0000]], grad_fn=<NativeLayerNormBackward0>))
    """

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self._scaling(self.normalized_shape, elementwise_affine, elementwise_affine and bias, dtype)
        self.reset_parameters()

    def forward(self, input) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        shown = with_names(self, "eps", "elementwise_affine")
        return f"{self.normalized_shape}, {shown}, bias={self.bias is not None}"


class RMSNorm(_Scaled):
    """The last dimensions, of `normalized_shape`, divided by the root of their mean square, times `weight`."""

    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        weight = Parameter(_creation.empty(self.normalized_shape, dtype=dtype)) if elementwise_affine else None
        self.register_parameter("weight", weight)
        self.reset_parameters()

    def forward(self, input) -> Tensor:
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, {with_names(self, 'eps', 'elementwise_affine')}"


class GroupNorm(_Scaled):
    """The channels in `num_groups` groups, each to mean 0 and variance 1 in each example, then times `weight` plus `bias`.

    Raises ValueError for channels that cannot be divided so.
    """

    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, device=None, dtype=None, *, bias=True):
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self._scaling(num_channels, affine, affine and bias, dtype)
        self.reset_parameters()

    def forward(self, input) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        shown = with_names(self, "eps", "affine")
        return f"{self.num_groups}, {self.num_channels}, {shown}, bias={self.bias is not None}"
