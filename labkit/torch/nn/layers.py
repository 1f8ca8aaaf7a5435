"""Layers: linear, shapes, dropout."""

import math
from typing import Any

from ...layout import with_names
from .._tensor import Tensor
from . import functional as F
from . import init
from ._linear import check_probability
from .module import Layer
from .parameter import add_weights

__all__ = [
    "AlphaDropout", "Bilinear", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout", "Flatten", "Identity",
    "Linear", "Unflatten",
]  # fmt: skip


class Linear(Layer):
    """`y = x @ weight.T + bias`; `weight` (out, in) starts uniform within 1/sqrt(in features).

    `x`: (..., in), the result (..., out). `bias` starts in the same range; `bias=False` leaves it out.

    >>> import labkit.torch as torch
    >>> layer = torch.nn.Linear(3, 2)
    >>> layer.weight.shape, layer(torch.ones(5, 3)).shape
    (torch.Size([2, 3]), torch.Size([5, 2]))
    """

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        add_weights(self, (out_features, in_features), bias, dtype)

    def reset_parameters(self) -> None:
        """Draw weight and bias anew."""
        init.as_layer(self.weight, self.bias)

    def forward(self, input) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"{with_names(self, 'in_features', 'out_features')}, bias={self.bias is not None}"


class Bilinear(Layer):
    """`x1 @ weight[k] @ x2 + bias[k]` for each output k; `weight` (out, in 1, in 2) starts uniform within 1 / sqrt(in 1)."""

    def __init__(self, in1_features, in2_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        add_weights(self, (out_features, in1_features, in2_features), bias, dtype)

    def reset_parameters(self) -> None:
        """Draw weight and bias anew."""
        bound = 1 / math.sqrt(self.in1_features)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def forward(self, input1, input2) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"{with_names(self, 'in1_features', 'in2_features', 'out_features')}, bias={self.bias is not None}"


class Identity(Layer):
    """Returns its input."""

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input) -> Any:
        return input


class Flatten(Layer):
    """All dimensions from `start_dim` as one.

    >>> import labkit.torch as torch
    >>> torch.nn.Flatten()(torch.zeros(2, 3, 4)).shape
    torch.Size([2, 12])
    """

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return with_names(self, "start_dim", "end_dim")


class _DropoutNd(Layer):
    """What layers have in common that drop at random; `function(input, p, training, inplace)` does it."""

    function: Any = None

    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        check_probability(p)
        self.p, self.inplace = p, inplace

    def forward(self, input) -> Tensor:
        return self.function(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return with_names(self, "p", "inplace")


class Dropout(_DropoutNd):
    """Zeroes elements at random with probability `p` while training.

    The others are divided by 1 - p, so that the expected value stays; after `eval()` nothing changes. Raises ValueError for
    `p` outside [0, 1].

    >>> import labkit.torch as torch
    >>> x = torch.ones(100)
    >>> sorted(set(torch.nn.Dropout(0.5)(x).tolist())), bool((torch.nn.Dropout().eval()(x) == x).all())
    ([0.0, 2.0], True)
    """

    function = staticmethod(F.dropout)


class Dropout1d(_DropoutNd):
    """Zeroes whole channels of sequences (batch, channels, length) with probability `p` while training; see `Dropout`."""

    function = staticmethod(F.dropout1d)


class Dropout2d(_DropoutNd):
    """Zeroes whole channels of images (batch, channels, height, width) with probability `p` while training; see `Dropout`."""

    function = staticmethod(F.dropout2d)


class Dropout3d(_DropoutNd):
    """Zeroes whole channels of volumes with probability `p` while training; see `Dropout`."""

    function = staticmethod(F.dropout3d)


class AlphaDropout(_DropoutNd):
    """Dropout that keeps mean and variance of what `SELU` gives: dropped elements take its least value.

    >>> AlphaDropout(p=0.2)
    AlphaDropout(p=0.2, inplace=False)
    """

    function = staticmethod(F.alpha_dropout)


class FeatureAlphaDropout(_DropoutNd):
    """`AlphaDropout` of whole channels."""

    function = staticmethod(F.feature_alpha_dropout)


class Unflatten(Layer):
    """Dimension `dim` as several, of `unflattened_size`."""

    def __init__(self, dim, unflattened_size):
        super().__init__()
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, input) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return with_names(self, "dim", "unflattened_size")
