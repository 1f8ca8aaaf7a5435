"""Normalisation of batches, instances, layers and groups; part of `torch.nn.functional`."""

import math

import numpy as np

from .. import _modes
from .._dispatch import apply
from .._rules import images, layers
from .._table import METHODS
from .._tensor import Tensor

__all__ = ["batch_norm", "group_norm", "instance_norm", "layer_norm", "normalize", "rms_norm"]


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    """Every channel shifted and scaled to mean 0 and variance 1, then times `weight` plus `bias`.

    While training the statistics are those of the batch, and the running ones move towards them by `momentum`.
    """
    if running_mean is not None and running_mean.shape[0] != input.shape[1]:
        raise RuntimeError(f"running_mean should contain {input.shape[1]} elements not {running_mean.shape[0]}")
    if training and input.numel() == input.shape[1]:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
    if training and running_mean is not None:
        _move(running_mean, running_var, input, momentum)
    mean, var = (None, None) if training else (running_mean._array, running_var._array)
    with np.errstate(all="ignore"):
        return apply(images.batch_norm, input, weight, bias, mean, var, eps)


def _move(running_mean, running_var, input, momentum, instances=1):
    """Let the running statistics go a little towards those of this batch (the mean over its instances)."""
    with _modes.no_grad():
        mean, var = (
            new.reshape(instances, -1).mean(0)
            for new in images.batch_statistics(input._array, running_mean._data.dtype)
        )
        for running, new in ((running_mean, mean), (running_var, var)):
            old, kind = running._data, running._data.dtype
            if (
                kind.name == "bfloat16"
            ):  # the numbers, too, have its digits; a mean's products are rounded, a variance's added
                part = (
                    new.astype(kind) if running is running_mean else new.astype(kind).astype(np.float32)
                ) * kind.type(momentum)
                old[...] = part + old * kind.type(1 - momentum)
            else:
                old[...] = (1 - momentum) * old.astype(mean.dtype) + momentum * new


def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1,
                  eps=1e-5) -> Tensor:  # fmt: skip
    """As `batch_norm`, but with the statistics of each example of the batch alone."""
    if use_input_stats and math.prod(input.shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.shape}")
    n, channels = input.shape[:2]
    apart = METHODS["reshape"](input, (1, n * channels, *input.shape[2:]))
    scale, shift = (None if t is None else METHODS["repeat"](t, n) for t in (weight, bias))
    if use_input_stats and running_mean is not None:
        _move(running_mean, running_var, apart, momentum, n)
    mean, var = (None if use_input_stats else METHODS["repeat"](t, n) for t in (running_mean, running_var))
    return batch_norm(apart, mean, var, scale, shift, training=use_input_stats, eps=eps).view(input.shape)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5) -> Tensor:
    """The last dimensions, of `normalized_shape`, to mean 0 and variance 1; then times `weight` plus `bias`, of that shape.

    Raises RuntimeError where `input` does not end in `normalized_shape`.

    >>> import labkit.torch as torch
    >>> layer_norm(torch.tensor([[1.0, 3.0]]), (2,))
    tensor([[-1.0000,  1.0000]])
    """
    shape = _ends_in(input, normalized_shape)
    return apply(layers.layer_norm, input, weight, bias, shape, eps)


def _ends_in(input, normalized_shape):
    shape = tuple(normalized_shape)
    if tuple(input.shape[-len(shape) :]) != shape:
        wanted = ", ".join(map(str, ("*", *shape)))
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [{wanted}], but got input of "
            f"size{list(input.shape)}"
        )
    return shape


def rms_norm(input, normalized_shape, weight=None, eps=None) -> Tensor:
    """The last dimensions divided by the root of their mean square, a two-byte float in float32 until the last rounding.

    `eps`: by default the smallest step of the dtype in which it is computed.
    """
    shape = _ends_in(input, normalized_shape)
    wide = input.float() if input.dtype.itemsize == 2 else input
    eps = float(np.finfo(wide.dtype.np).eps) if eps is None else eps
    mean = METHODS["mean"](METHODS["pow"](wide, 2), tuple(range(-len(shape), 0)), keepdim=True)
    made = wide * METHODS["rsqrt"](mean + eps)
    return (made if weight is None else made * weight).type_as(input)


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5) -> Tensor:
    """The channels (dimension 1) in `num_groups` groups, each to mean 0 and variance 1 in each example.

    Raises RuntimeError where the channels cannot be divided so.
    """
    if input.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.ndim}")
    if input.shape[1] % num_groups:
        raise RuntimeError(
            f"Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(input.shape)} and num_groups={num_groups}"
        )
    return apply(layers.group_norm, input, weight, bias, num_groups, eps)


def normalize(input, p=2.0, dim=1, eps=1e-12) -> Tensor:
    """`input` divided by its norm along `dim`."""
    return input / METHODS["norm"](input, p, dim, keepdim=True).clamp_min(eps).expand_as(input)
