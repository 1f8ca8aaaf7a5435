"""`torch.nn.functional`: layers and losses as functions."""

import numpy as np

from ...dialects.unsupported import attributes
from .._ops.dispatch import off_tape
from .._tensor.tensor import Tensor
from .activations import gelu, leaky_relu, leaky_relu_, log_softmax, relu, relu_, sigmoid, silu, softmax, softplus, tanh
from .convolutions import conv1d, conv2d, conv_transpose1d, conv_transpose2d, pad
from .layers import dropout, dropout2d, embedding, linear
from .losses import binary_cross_entropy, binary_cross_entropy_with_logits, cross_entropy, l1_loss, mse_loss, nll_loss
from .normalization import batch_norm, layer_norm
from .pooling import adaptive_avg_pool2d, avg_pool2d, max_pool2d

__all__ = ["adaptive_avg_pool2d", "avg_pool2d", "batch_norm", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "conv1d", "conv2d", "conv_transpose1d", "conv_transpose2d", "cross_entropy",
    "dropout", "dropout2d", "embedding", "gelu", "l1_loss", "layer_norm", "leaky_relu", "leaky_relu_", "linear",
    "log_softmax", "max_pool2d", "mse_loss", "nll_loss", "one_hot", "pad", "relu", "relu_", "sigmoid", "silu",
    "softmax", "softplus", "tanh"]  # fmt: skip


def one_hot(tensor, num_classes=-1) -> Tensor:
    """Class numbers as rows with a single 1."""
    if num_classes == -1 and not tensor.numel():
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if tensor.dtype.name != "int64":
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if tensor.numel() and tensor._array.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if tensor.numel() and -1 != num_classes <= tensor._array.max():
        raise RuntimeError("Class values must be smaller than num_classes.")
    classes = int(tensor._array.max()) + 1 if num_classes == -1 else num_classes
    return off_tape(np.eye(classes, dtype=np.int64)[tensor._array], "one_hot", tensor)


__getattr__ = attributes(__name__)
