"""Cells that hold others, or an op or two: layers with a norm and an activation, by time steps, images' middles and gradients."""

from typing import Any

from ..dtype import float32
from ..ops import _op
from ..tensor import Tensor
from .activation import get_activation
from .cell import Cell
from .convolutional import Conv2d
from .dense import Dense
from .embedding import Embedding
from .losses import LossBase
from .normalization import BatchNorm1d, BatchNorm2d

__all__ = [
    "CTCLoss",
    "CentralCrop", "Conv2dBnAct", "DenseBnAct", "EmbeddingLookup", "IGamma", "ImageGradients", "LBeta",
    "RReLU",
]  # fmt: skip

_OPS = _op.OPS


def _activation(given, alpha):
    if not isinstance(given, str):
        return given
    made = get_activation(given)
    if given == "leakyrelu":
        made.alpha = alpha
    return made


class Conv2dBnAct(Cell):
    """`Conv2d`, then with `has_bn` `BatchNorm2d`, then the activation, a name or a cell.

    >>> import labkit.mindspore as ms
    >>> Conv2dBnAct(2, 3, 3, has_bn=True, activation="relu")(ms.ops.ones((1, 2, 4, 4))).shape
    (1, 3, 4, 4)
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0, dilation=1, group=1,
                 has_bias=False, weight_init=None, bias_init=None, has_bn=False, momentum=0.997, eps=1e-5, activation=None,
                 alpha=0.2, after_fake=True):  # fmt: skip
        super().__init__()
        self.conv = Conv2d(in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias,
                           weight_init, bias_init)  # fmt: skip
        self.has_bn, self.has_act = has_bn, activation is not None
        if has_bn:
            self.batchnorm: Any = BatchNorm2d(out_channels, eps, momentum)
        self.activation = _activation(activation, alpha)

    def construct(self, x) -> Tensor:
        x = self.conv(x)
        x = self.batchnorm(x) if self.has_bn else x
        return self.activation(x) if self.has_act else x


class DenseBnAct(Cell):
    """`Dense`, then with `has_bn` `BatchNorm1d`, then the activation, a name or a cell.

    >>> import labkit.mindspore as ms
    >>> DenseBnAct(3, 4)(ms.ops.ones((2, 3))).shape
    (2, 4)
    """

    def __init__(self, in_channels, out_channels, weight_init=None, bias_init=None, has_bias=True, has_bn=False,
                 momentum=0.9, eps=1e-5, activation=None, alpha=0.2, after_fake=True):  # fmt: skip
        super().__init__()
        self.dense = Dense(in_channels, out_channels, weight_init, bias_init, has_bias)
        self.has_bn, self.has_act = has_bn, activation is not None
        if has_bn:
            self.batchnorm: Any = BatchNorm1d(out_channels, eps, momentum)
        self.activation = _activation(activation, alpha)

    def construct(self, x) -> Tensor:
        x = self.dense(x)
        x = self.batchnorm(x) if self.has_bn else x
        return self.activation(x) if self.has_act else x


class CentralCrop(Cell):
    """The middle of images (..., height, width): `central_fraction` of both lengths.

    >>> import labkit.mindspore as ms
    >>> CentralCrop(0.5)(ms.ops.ones((3, 4, 4))).shape
    (3, 2, 2)
    """

    def __init__(self, central_fraction):
        super().__init__()
        if not 0.0 < central_fraction <= 1.0:
            raise ValueError(
                f"For 'CentralCrop', the 'central_fraction' must be in (0.0, 1.0], but got {central_fraction}."
            )
        self.central_fraction = central_fraction

    def construct(self, image) -> Tensor:
        starts = [int((n - n * self.central_fraction) / 2) for n in image.shape[-2:]]
        (top, left), (height, width) = starts, image.shape[-2:]
        return image[..., top : height - top, left : width - left]


class ImageGradients(Cell):
    """The differences of neighbouring pixels, down and across, of images (n, c, height, width); 0 at the last row or column.

    >>> import labkit.mindspore as ms
    >>> down, across = ImageGradients()(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]))
    >>> down.tolist()
    [[[[2.0, 2.0], [0.0, 0.0]]]]
    """

    def construct(self, images) -> tuple[Tensor, Tensor]:
        down, across = images[:, :, 1:] - images[:, :, :-1], images[..., 1:] - images[..., :-1]
        return _OPS["pad"](down, (0, 0, 0, 1)), _OPS["pad"](across, (0, 1))


class CTCLoss(LossBase):
    """`ops.ctc_loss` as a cell: log_probs (times, batch, classes), or (times, classes) of one; targets, and both lengths."""

    def __init__(self, blank=0, reduction="mean", zero_infinity=False):
        super().__init__()
        self.blank, self.reduction, self.zero_infinity = blank, reduction, zero_infinity

    def construct(self, log_probs, targets, input_lengths, target_lengths) -> Tensor:
        single = log_probs.ndim == 2
        if single:
            log_probs, targets = log_probs.expand_dims(1), targets.expand_dims(0)
        how = self.blank, self.reduction, self.zero_infinity
        loss, _ = _OPS["ctc_loss"](log_probs, targets, input_lengths, target_lengths, *how)
        return loss.squeeze(0) if single and loss.ndim else loss


class LBeta(Cell):
    """The logarithm of the beta function of two tensors."""

    def construct(self, x, y) -> Tensor:
        return _OPS["lgamma"](x) + _OPS["lgamma"](y) - _OPS["lgamma"](x + y)


class IGamma(Cell):
    """`ops.igamma` as a cell: the lower incomplete gamma function, regularised."""

    def construct(self, a, x) -> Tensor:
        return _OPS["igamma"](a, x)


class RReLU(Cell):
    """`ops.rrelu` as a cell: x where positive, elsewhere x times a number between `lower` and `upper`, by chance."""

    def __init__(self, lower=1 / 8, upper=1 / 3):
        super().__init__()
        if not 0 <= lower <= upper <= 1:
            raise ValueError(f"For 'RReLU', expected 0 <= lower <= upper <= 1, but got {lower} and {upper}.")
        self.lower, self.upper = lower, upper

    def construct(self, x) -> Tensor:
        return _OPS["rrelu"](x, self.lower, self.upper)


class EmbeddingLookup(Cell):
    """The rows of a table (vocab_size, embedding_size) at the places it is called with; see `Embedding`.

    >>> import labkit.mindspore as ms
    >>> EmbeddingLookup(4, 2)(ms.Tensor([[1, 0], [3, 2]])).shape
    (2, 2, 2)
    """

    def __init__(self, vocab_size, embedding_size, param_init="normal", target="CPU", slice_mode="batch_slice",
                 manual_shapes=None, max_norm=None, sparse=True, vocab_cache_size=0, dtype=float32):  # fmt: skip
        super().__init__()
        self.vocab_size, self.embedding_size, self.target, self.max_norm = vocab_size, embedding_size, target, max_norm
        table = Embedding(vocab_size, embedding_size, embedding_table=param_init, dtype=dtype)
        self.embedding_table = table.embedding_table

    def construct(self, indices) -> Tensor:
        return self.embedding_table[indices]
