"""Rows of a table by number: `embedding`, part of `torch.nn.functional`."""

import numpy as np

from ...kinds import of_kind
from .. import _modes
from .._dispatch import apply, overwrite, placed
from .._rules import layers as rules
from .._tensor import Tensor

__all__ = ["embedding", "embedding_bag"]

NO_SPARSE = "labkit.torch has no sparse gradients: leave out sparse=True, and the gradient is the same, with its zeros"

ONLY_SUM = (
    "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got mode='{mode}'). "
    "Please open a feature request on GitHub."
)
OFFSETS = {
    True: "offsets has to be a 1D Tensor but got None",
    False: "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length sequences. "
    "However, found offsets of type <class 'torch.Tensor'>",
}


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
    return placed(apply(rules.embedding, weight, places, padding_idx, scale_grad_by_freq), input)


def embedding_bag(
    input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode="mean", sparse=False,
    per_sample_weights=None, include_last_offset=False, padding_idx=None,
) -> Tensor:  # fmt: skip
    """The rows of `weight` (rows, size) at the integers of each bag, in one: their "mean", "sum" or "max".

    A bag is a row of `input` (bags, n), or, of one dimension, what stands from one of `offsets` to the next.
    `per_sample_weights` multiplies rows that are summed; an empty bag, like the row `padding_idx`, gives zeros. Raises
    ValueError for offsets that do not fit, NotImplementedError for weights in another mode.

    >>> import labkit.torch as torch
    >>> table = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> embedding_bag(torch.tensor([0, 1, 1]), table, torch.tensor([0, 2]))
    tensor([[2., 3.],
            [3., 4.]])
    """
    if sparse or scale_grad_by_freq:
        raise NotImplementedError(NO_SPARSE)
    if mode not in ("mean", "sum", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(ONLY_SUM.format(mode=mode))
    if (input.ndim == 1) is (offsets is None):
        raise ValueError(OFFSETS[input.ndim == 1])
    places, padding_idx = input._array.reshape(-1), row_of(padding_idx, weight.shape[0])
    begin = np.arange(0, places.size, input.shape[-1]) if offsets is None else offsets._array
    begin = begin[:-1] if include_last_offset else begin
    if begin.size and begin[0] != 0:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, got "
            f"{begin[0]}"
        )
    wrong = np.flatnonzero((places < 0) | (places >= weight.shape[0]))
    if wrong.size:
        raise RuntimeError(
            f"Index {wrong[0]} of input takes value {places[wrong[0]]} which is not in the valid range [0, {weight.shape[0]})"
        )
    if max_norm is not None:
        embedding(input, weight, None, max_norm, norm_type)
    number = np.searchsorted(begin, np.arange(places.size), "right") - 1
    share = ((number == np.arange(begin.size)[:, None]) & (places != padding_idx)).astype(weight._array.dtype)
    share = share / np.maximum(share.sum(1, keepdims=True), 1) if mode == "mean" else share
    given = None if per_sample_weights is None else per_sample_weights.reshape(-1)
    if padding_idx is not None:
        used = np.flatnonzero(places != padding_idx)
        places, share, given = places[used], share[:, used], given if given is None else given[used]
    return placed(apply(rules.embedding_bag, weight, given, places, share, mode), input)


def _shortened(table, rows, most, p):
    """The table with these rows no longer than `most`."""
    found = np.array(table)
    lengths = np.linalg.norm(found[rows], p, axis=1, keepdims=True)
    found[rows] = np.where(lengths > most, found[rows] * (most / (lengths + 1e-7)), found[rows])
    return found
