"""`torch.nn.utils.rnn`: sequences of different lengths, padded to one or packed."""

from typing import Any, NamedTuple

import numpy as np

from ....aliases import attributes
from ... import _creation
from ..._dispatch import apply
from ..._rules import layers as rules
from ..._table import FUNCTIONS, METHODS
from ..._tensor import Tensor

__all__ = [
    "PackedSequence", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence", "pad_sequence", "unpack_sequence",
    "unpad_sequence",
]  # fmt: skip


class _Packed(NamedTuple):
    data: Any
    batch_sizes: Any
    sorted_indices: Any
    unsorted_indices: Any


_Packed.__name__ = "PackedSequence_"


class PackedSequence(_Packed):
    """Sequences of different lengths without padding: `data` has step after step, `batch_sizes` how many are in each.

    Made by `pack_padded_sequence` or `pack_sequence`; recurrent layers take and return it.
    """

    def __new__(cls, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None):
        if unsorted_indices is None and sorted_indices is not None:
            unsorted_indices = _inverse(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args, **kwargs) -> "PackedSequence":
        """`data` cast."""
        return type(self)(self.data.to(*args, **kwargs), *self[1:])


def _inverse(order):
    return Tensor._of(np.argsort(order._array, kind="stable"))


def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True) -> PackedSequence:
    """Pack `input` (steps, batch, ...), with `batch_first` (batch, steps, ...), of sequences of these `lengths`.

    They have to be sorted, the longest first, unless `enforce_sorted=False`. Raises RuntimeError otherwise.

    >>> import labkit.torch as torch
    >>> packed = pack_padded_sequence(torch.tensor([[1, 2], [3, 0]]), [2, 1], batch_first=True)
    >>> packed.data, packed.batch_sizes
    (tensor([1, 3, 2]), tensor([2, 1]))
    """
    lengths, order = _creation.as_tensor(lengths)._array.astype(np.int64), None
    if not enforce_sorted:
        values, order = METHODS["sort"](Tensor._of(lengths), descending=True)
        lengths, input = values._array, input.index_select(0 if batch_first else 1, order)
    if (np.diff(lengths) > 0).any():
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not "
            "need ONNX exportability."
        )
    if lengths[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    sizes = (lengths > np.arange(lengths[0])[:, None]).sum(1)
    input = input.transpose(0, 1) if batch_first else input
    return PackedSequence(apply(rules.packed, input, _places(sizes)), Tensor._of(sizes), order)


def _places(sizes):
    """`(step, place in the batch)` of each packed element, as two arrays."""
    return np.repeat(np.arange(len(sizes)), sizes), np.concatenate([np.arange(n) for n in sizes])


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None) -> tuple[Tensor, Tensor]:
    """The inverse of `pack_padded_sequence`: the padded sequences and their lengths, in the order they were packed in."""
    sizes = sequence.batch_sizes._array
    length = len(sizes) if total_length is None else total_length
    if length < len(sizes):
        raise ValueError(
            "Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={total_length} and max sequence length being {len(sizes)}"
        )
    lengths = (sizes[:, None] > np.arange(sizes[0])).sum(0)
    made = apply(rules.padded, sequence.data, _places(sizes), (length, int(sizes[0])), padding_value)
    made = made.transpose(0, 1) if batch_first else made
    back = sequence.unsorted_indices
    if back is None:
        return made, Tensor._of(lengths)
    return made.index_select(0 if batch_first else 1, back), Tensor._of(lengths[back._array])


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right") -> Tensor:
    """Sequences (steps, ...) of different lengths as one tensor (longest, batch, ...), filled with `padding_value`.

    >>> import labkit.torch as torch
    >>> pad_sequence([torch.tensor([1, 2]), torch.tensor([3])], batch_first=True)
    tensor([[1, 2],
            [3, 0]])
    """
    sequences = list(sequences)
    longest = max(len(s) for s in sequences)
    shape = (longest, len(sequences), *sequences[0].shape[1:])
    made = FUNCTIONS["full"](shape, padding_value, dtype=sequences[0].dtype)
    for place, sequence in enumerate(sequences):
        n = len(sequence)
        made[longest - n if padding_side == "left" else 0 : longest if padding_side == "left" else n, place] = sequence
    return made.transpose(0, 1) if batch_first else made


def unpad_sequence(padded_sequences, lengths, batch_first=False) -> list[Tensor]:
    """The sequences of these `lengths` in a padded tensor."""
    if not batch_first:
        padded_sequences.transpose_(0, 1)  # in place, as there
    return [row[:n] for row, n in zip(padded_sequences, lengths.tolist(), strict=True)]


def pack_sequence(sequences, enforce_sorted=True) -> PackedSequence:
    """Pack sequences (steps, ...) of different lengths; see `pack_padded_sequence`."""
    lengths = [len(s) for s in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences) -> list[Tensor]:
    """The sequences of a `PackedSequence`."""
    return unpad_sequence(*pad_packed_sequence(packed_sequences, batch_first=True), batch_first=True)


__getattr__ = attributes(__name__)
