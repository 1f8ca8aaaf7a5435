"""Rows of a table by number: `embedding`, part of `torch.nn.functional`."""

import numpy as np

from ...kinds import of_kind
from .. import _modes
from .._dispatch import apply, overwrite
from .._rules import layers as rules
from .._tensor import Tensor

__all__ = ["embedding"]

NO_SPARSE = "labkit.torch has no sparse gradients: leave out sparse=True, and the gradient is the same, with its zeros"


def row_of(padding_idx, rows) -> int | None:
    """The row of padding, counted from 0; None where there is none. Raises AssertionError for a number that is no row."""
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return padding_idx if padding_idx is None else padding_idx % rows


def embedding(
    input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False
) -> Tensor:
    """The rows of `weight` (rows, size) at the integers `input`, of any shape, which the result has with one dimension more.

    The row `padding_idx` gets no gradient; rows longer than `max_norm` are first scaled down, in place, to it;
    `scale_grad_by_freq` divides gradients by how often a row is used. Raises IndexError for a number that is no row.

    >>> import labkit.torch as torch
    >>> embedding(torch.tensor([1, 0]), torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[3., 4.],
            [1., 2.]])
    """
    of_kind(input, Tensor, "embedding(): argument 'indices' (position 2) must be Tensor, not {kind}")
    if input.dtype.name not in ("int64", "int32"):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"torch.{input.dtype.legacy}Tensor instead (while checking arguments for embedding)"
        )
    if sparse:
        raise NotImplementedError(NO_SPARSE)
    places = input._array
    if places.size and not 0 <= places.min() <= places.max() < weight.shape[0]:
        raise IndexError("index out of range in self")
    padding_idx = row_of(padding_idx, weight.shape[0])
    if max_norm is not None:
        with _modes.no_grad():
            overwrite(weight, Tensor._of(_shortened(weight._array, np.unique(places), max_norm, norm_type)))
    return apply(rules.embedding, weight, places, padding_idx, scale_grad_by_freq)


def _shortened(table, rows, most, p):
    """The table with these rows no longer than `most`."""
    found = np.array(table)
    lengths = np.linalg.norm(found[rows], p, axis=1, keepdims=True)
    found[rows] = np.where(lengths > most, found[rows] * (most / (lengths + 1e-7)), found[rows])
    return found
