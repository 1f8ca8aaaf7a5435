"""Linear maps, rows of a table, shapes and dropout: functions, part of `torch.nn.functional`, and modules."""

from typing import Any

import numpy as np

from ...dialects.argument_types import of_kind
from ...dialects.class_paths import with_names
from .._error_texts import error
from .._ops import creation as _creation
from .._ops.dispatch import apply, overwrite, placed, tensor_of
from .._ops.function_table import FUNCTIONS
from .._ops.linear_algebra import matmul
from .._ops.random import dropped
from .._rules import nn_layers as rules
from .._tape import grad_mode
from .._tensor.tensor import Tensor
from ..amp._autocast_mode import lowered
from . import init
from .module import Layer
from .parameter import Parameter, add_weights

__all__ = ["Dropout", "Dropout2d", "Embedding", "Flatten", "Identity", "Linear"]


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


def dropout2d(input, p=0.5, training=True, inplace=False) -> Tensor:
    """Dropout of whole channels of images (batch, channels, height, width)."""
    one_each = lambda: _creation.empty(*input.shape[:2], *(1,) * (input.ndim - 2), dtype=input.dtype)
    return _thinned(input, p, training, inplace, one_each)


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
        """Initialize the weight and the bias again."""
        init.as_layer(self.weight, self.bias)

    def forward(self, input) -> Tensor:
        return linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"{with_names(self, 'in_features', 'out_features')}, bias={self.bias is not None}"


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

    function = staticmethod(dropout)


class Dropout2d(_DropoutNd):
    """Zeroes whole channels of images (batch, channels, height, width) with probability `p` while training; see `Dropout`."""

    function = staticmethod(dropout2d)


NO_SPARSE = (
    "labkit.torch has no sparse gradients: leave out sparse=True; the gradient is then dense, with the same values"
)


def row_of(padding_idx, rows) -> int | None:
    """The row of padding, counted from 0; None where there is none. Raises AssertionError for a number that is not a row."""
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return padding_idx if padding_idx is None else padding_idx % rows


def embedding(
    input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False
) -> Tensor:
    """The rows of `weight` (rows, size) at the integers `input`, of any shape, which the result has with one dimension more.

    The row `padding_idx` gets no gradient; rows longer than `max_norm` are first scaled down, in place, to it;
    `scale_grad_by_freq` divides gradients by how often a row is used. Raises IndexError for a number that is not a row.

    >>> import labkit.torch as torch
    >>> embedding(torch.tensor([1, 0]), torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[3., 4.],
            [1., 2.]])
    """
    of_kind(input, Tensor, "embedding(): argument 'indices' (position 2) must be Tensor, not {kind}")
    if input.dtype.name not in ("int64", "int32"):
        raise error("index_dtype", legacy=input.dtype.legacy)
    if sparse:
        raise NotImplementedError(NO_SPARSE)
    places = input._array
    if places.size and not 0 <= places.min() <= places.max() < weight.shape[0]:
        raise IndexError("index out of range in self")
    padding_idx = row_of(padding_idx, weight.shape[0])
    if max_norm is not None:
        with grad_mode.no_grad():
            overwrite(weight, Tensor._of(_shortened(weight._array, np.unique(places), max_norm, norm_type)))
    return placed(apply(rules.embedding, weight, places, padding_idx, scale_grad_by_freq), input)


def _shortened(table, rows, most, p):
    """The table with these rows no longer than `most`."""
    found = np.array(table)
    lengths = np.linalg.norm(found[rows], p, axis=1, keepdims=True)
    found[rows] = np.where(lengths > most, found[rows] * (most / (lengths + 1e-7)), found[rows])
    return found


class Embedding(Layer):
    """A table of `num_embeddings` vectors of size `embedding_dim`, looked up by number; see `torch.nn.functional.embedding`.

    `weight` starts with normal numbers, the row `padding_idx` with zeros. Raises AssertionError for a `padding_idx` that is no
    row, IndexError for a number that is none.

    >>> import labkit.torch as torch
    >>> table = torch.nn.Embedding(10, 3, padding_idx=0)
    >>> table, table(torch.tensor([[1, 2, 0]])).shape
    (Embedding(10, 3, padding_idx=0), torch.Size([1, 3, 3]))
    """

    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False,
                 sparse=False, _weight=None, _freeze=False, device=None, dtype=None):  # fmt: skip
        super().__init__()
        if sparse:
            raise NotImplementedError(NO_SPARSE)
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = row_of(padding_idx, num_embeddings)
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        made = _creation.empty(num_embeddings, embedding_dim, dtype=dtype) if _weight is None else _weight
        self.weight = Parameter(made, requires_grad=not _freeze)
        if _weight is None:
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialize all vectors again; that of `padding_idx` is zero."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with grad_mode.no_grad():
                self.weight.select(0, self.padding_idx).fill_(0)

    def extra_repr(self) -> str:
        usual = {"padding_idx": None, "max_norm": None, "norm_type": 2, "scale_grad_by_freq": False}  # not printed
        unusual = [f"{n}={getattr(self, n)!r}" for n, value in usual.items() if getattr(self, n) != value]
        return ", ".join([str(self.num_embeddings), str(self.embedding_dim), *unusual])

    def forward(self, input) -> Tensor:
        return embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        )
