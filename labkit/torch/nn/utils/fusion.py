"""A convolution or linear layer that does what a batch normalization after it does: their weights as one."""

import copy
from functools import partial

from ....aliases import attributes
from ..._table import FUNCTIONS
from ..module import Module
from ..parameter import Parameter

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]


def fuse_conv_bn_eval(conv, bn, transpose=False) -> Module:
    """A copy of the convolution `conv` that gives what the batch normalization `bn` makes of it, both in `eval` mode.

    Raises AssertionError while one is training, and where `bn` has no running statistics.

    >>> from labkit.torch import nn
    >>> import labkit.torch as torch
    >>> conv, bn, x = nn.Conv2d(1, 2, 3).eval(), nn.BatchNorm2d(2).eval(), torch.ones(1, 1, 4, 4)
    >>> torch.allclose(fuse_conv_bn_eval(conv, bn)(x), bn(conv(x)))
    True
    """
    return _fused(conv, bn, partial(fuse_conv_bn_weights, transpose=transpose))


def fuse_linear_bn_eval(linear, bn) -> Module:
    """A copy of the linear layer `linear` that gives what the batch normalization `bn` makes of it, both in `eval` mode.

    Raises AssertionError as `fuse_conv_bn_eval` does, and where `bn` has another number of features.
    """
    if linear.out_features != bn.num_features and bn.num_features != 1:
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got linear.out_features="
            f"{linear.out_features} and bn.num_features={bn.num_features}"
        )
    return _fused(linear, bn, fuse_linear_bn_weights)


def _fused(layer, bn, weights):
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
    made = copy.deepcopy(layer)
    made.weight, made.bias = weights(
        made.weight, made.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return made


def fuse_conv_bn_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, transpose=False) -> tuple:
    """The weight and bias of the convolution that `fuse_conv_bn_eval` makes; a missing bias is 0, a missing scale 1."""
    shape = [1] * conv_w.ndim
    shape[1 if transpose else 0] = -1
    return _scaled(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, shape)


def fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b) -> tuple:
    """The weight and bias of the layer that `fuse_linear_bn_eval` makes."""
    return _scaled(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, [-1, 1])


def _scaled(weight, bias, mean, var, eps, scale, shift, shape):
    bias = FUNCTIONS["zeros_like"](mean) if bias is None else bias
    scale = FUNCTIONS["ones_like"](mean) if scale is None else scale
    shift = FUNCTIONS["zeros_like"](mean) if shift is None else shift
    root = FUNCTIONS["rsqrt"](var + eps)
    fused = weight * (scale * root).reshape(shape), (bias - mean) * root * scale + shift
    return tuple(
        Parameter(new.to(old.dtype), old.requires_grad) for new, old in zip(fused, (weight, bias), strict=True)
    )


__getattr__ = attributes(__name__)
