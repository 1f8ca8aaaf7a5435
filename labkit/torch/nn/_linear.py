"""Linear maps and dropout: part of `torch.nn.functional`."""

from .._autocast import lowered
from .._dispatch import tensor_of
from .._linear import matmul
from .._random import dropped
from .._table import FUNCTIONS
from .._tensor import Tensor

__all__ = [
    "alpha_dropout", "bilinear", "dropout", "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout", "linear",
]  # fmt: skip


@lowered
def linear(input, weight, bias=None) -> Tensor:
    """`input @ weight.T + bias`; `weight` has shape (out features, in features)."""
    tensor_of(input, "linear")
    flipped = weight.t() if weight.ndim == 2 else weight
    if bias is not None and input.ndim == 1 and weight.ndim == 2:
        return FUNCTIONS["addmm"](bias, input.view(1, -1), flipped).view(-1)
    if bias is not None and input.ndim == 2 and weight.ndim == 2:
        return FUNCTIONS["addmm"](bias, input, flipped)
    if bias is not None and input.ndim > 2:
        tall = FUNCTIONS["addmm"](bias, input.reshape(-1, input.shape[-1]), flipped)
        return tall.view(*input.shape[:-1], weight.shape[0])
    made = matmul(input, flipped)
    return made if bias is None else made + bias


def dropout(input, p=0.5, training=True, inplace=False) -> Tensor:
    """Zero each element with probability `p` and scale the rest by 1 / (1 - p), while training.

    Raises ValueError for `p` outside [0, 1].
    """
    return _thinned(input, p, training, inplace, lambda: input)


def _thinned(input, p, training, inplace, like):
    """`input` times what `dropped` draws for `like()`."""
    check_probability(p)
    if not training or p == 0 or not input.numel():
        return input
    factors = dropped(like(), p)
    return input.mul_(factors) if inplace else input * factors


def check_probability(p):
    """Raise ValueError unless `p` is from 0 to 1."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _feature_dropout(input, p, training, inplace):
    """Dropout of whole channels, dimension 1."""
    one_each = lambda: input.new_empty(*input.shape[:2], *(1,) * (input.ndim - 2))
    return _thinned(input, p, training, inplace, one_each)


def dropout1d(input, p=0.5, training=True, inplace=False) -> Tensor:
    """Dropout of whole channels of sequences (batch, channels, length), or of one."""
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.ndim}D input. Note that dropout1d exists to provide "
            "channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch dimension "
            "(i.e. 2D or 3D inputs)."
        )
    if input.ndim == 2:
        return _feature_dropout(input.unsqueeze(0), p, training, inplace).squeeze(0)
    return _feature_dropout(input, p, training, inplace)


def dropout2d(input, p=0.5, training=True, inplace=False) -> Tensor:
    """Dropout of whole channels of images (batch, channels, height, width)."""
    return _feature_dropout(input, p, training, inplace)


def dropout3d(input, p=0.5, training=True, inplace=False) -> Tensor:
    """Dropout of whole channels of volumes (batch, channels, depth, height, width), or of one."""
    if input.ndim == 4:
        return _feature_dropout(input.unsqueeze(0), p, training, inplace).squeeze(0)
    return _feature_dropout(input, p, training, inplace)


def _to_the_least(input, p, training, inplace, shape):
    """`input` where 1 is drawn, in places of `shape`, else the least value of SELU; mean and variance stay (ICLR 2017)."""
    check_probability(p)
    if not training or p == 0 or not input.numel():
        return input
    if p == 1:
        return input * input.new_zeros(())
    least = 1.7580993408473766
    scale = 1 / ((least**2 * p + 1) * (1 - p)) ** 0.5
    kept = input.new_empty(*shape).bernoulli_(1 - p)
    shift = (kept - 1) * (least * scale) + least * scale * p
    return input.mul_(kept * scale).add_(shift) if inplace else input * (kept * scale) + shift


def alpha_dropout(input, p=0.5, training=False, inplace=False) -> Tensor:
    """Dropout that keeps mean and variance of what `selu` gives: dropped elements take its least value."""
    return _to_the_least(input, p, training, inplace, input.shape)


def feature_alpha_dropout(input, p=0.5, training=False, inplace=False) -> Tensor:
    """`alpha_dropout` of whole channels, dimension 1."""
    return _to_the_least(input, p, training, inplace, (*input.shape[:2], *(1,) * (input.ndim - 2)))


def bilinear(input1, input2, weight, bias=None) -> Tensor:
    """`input1 @ weight[k] @ input2 + bias[k]` for each output k; `weight` (out, in 1, in 2)."""
    rows = FUNCTIONS["einsum"](
        "bi,oij,bj->bo", input1.reshape(-1, weight.shape[1]), weight, input2.reshape(-1, weight.shape[2])
    )
    made = rows.view(*input1.shape[:-1], weight.shape[0])
    return made if bias is None else made + bias
