"""Normalisation over the batch or the last dimensions: functions, part of `torch.nn.functional`, and modules."""

import numpy as np

from ...dialects.class_paths import with_names
from .._error_texts import error
from .._ops import creation as _creation
from .._ops.dispatch import apply, tensor_of
from .._rules import conv_and_pool as images
from .._rules import nn_layers as layers
from .._tape import grad_mode
from .._tensor.tensor import Tensor
from . import init
from .module import Layer
from .parameter import Parameter

__all__ = ["BatchNorm1d", "BatchNorm2d", "LayerNorm"]


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    """Every channel shifted and scaled to mean 0 and variance 1, then times `weight` plus `bias`.

    While training the statistics are those of the batch, and the running ones move towards them by `momentum`.
    """
    if running_mean is not None and running_mean.shape[0] != tensor_of(input, "batch_norm").shape[1]:
        raise RuntimeError(f"running_mean should contain {input.shape[1]} elements not {running_mean.shape[0]}")
    if training and input.numel() == input.shape[1]:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
    if training and running_mean is not None:
        _move(running_mean, running_var, input, momentum)
    mean, var = (None, None) if training else (running_mean._array, running_var._array)
    with np.errstate(all="ignore"):
        return apply(images.batch_norm, input, weight, bias, mean, var, eps)


def _move(running_mean, running_var, input, momentum):
    """Let the running statistics go a little towards those of this batch."""
    with grad_mode.no_grad():
        mean, var = images.batch_statistics(input._array, running_mean._data.dtype)
        for running, new in ((running_mean, mean.reshape(-1)), (running_var, var.reshape(-1))):
            old, kind = running._data, running._data.dtype
            if kind.name == "bfloat16":
                # the numbers, too, have its digits; a mean's products are rounded, a variance's added
                new = new.astype(kind) if running is running_mean else new.astype(kind).astype(np.float32)
                old[...] = new * kind.type(momentum) + old * kind.type(1 - momentum)
            else:
                old[...] = (1 - momentum) * old.astype(mean.dtype) + momentum * new


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5) -> Tensor:
    """The last dimensions, of `normalized_shape`, to mean 0 and variance 1; then times `weight` plus `bias`, of that shape.

    Raises RuntimeError where `input` does not end in `normalized_shape`.

    >>> import labkit.torch as torch
    >>> layer_norm(torch.tensor([[1.0, 3.0]]), (2,))
    tensor([[-1.0000,  1.0000]])
    """
    shape = _ends_in(tensor_of(input, "layer_norm"), normalized_shape)
    return apply(layers.layer_norm, input, weight, bias, shape, eps)


def _ends_in(input, normalized_shape):
    shape = tuple(normalized_shape)
    if tuple(input.shape[-len(shape) :]) != shape:
        wanted = ", ".join(map(str, ("*", *shape)))
        raise error("normalized_shape", shape=list(shape), wanted=wanted, size=list(input.shape))
    return shape


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


class _BatchNorm(_Scaled):
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
        """Reset the running statistics to mean 0 and variance 1."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Reset the statistics, the weight to 1 and the bias to 0."""
        self.reset_running_stats()
        super().reset_parameters()

    def _check_input_dim(self, input):
        if input.ndim not in self.dims:
            expected = " or ".join(f"{n}D" for n in self.dims)
            raise ValueError(f"expected {expected} input (got {input.ndim}D input)")

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def forward(self, input) -> Tensor:
        self._check_input_dim(input)
        momentum = self.momentum
        if self.training and self.track_running_stats:
            self.num_batches_tracked.add_(1)
            momentum = 1 / self.num_batches_tracked.item() if momentum is None else momentum
        own = self.training or not self.track_running_stats
        mean, var = (self.running_mean, self.running_var) if self.training or not own else (None, None)
        return batch_norm(input, mean, var, self.weight, self.bias, own, momentum, self.eps)


class BatchNorm2d(_BatchNorm):
    """(x - mean) / sqrt(variance + eps) * weight + bias for every channel of images (batch, channels, height, width).

    While training, mean and variance are those of the batch, and `running_mean`, `running_var` move towards them by
    `momentum` (None: they are the mean of all batches); in `eval` mode the running ones are used.
    """


class BatchNorm1d(_BatchNorm):
    """`BatchNorm2d` for inputs (batch, channels) or (batch, channels, length)."""

    dims = (2, 3)


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
        return layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        shown = with_names(self, "eps", "elementwise_affine")
        return f"{self.normalized_shape}, {shown}, bias={self.bias is not None}"
