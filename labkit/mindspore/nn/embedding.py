"""Rows of a trained table, by their numbers."""

import numpy as np

from ...kinds import of_kind
from ...layout import with_names
from .._initializer import initializer
from ..dtype import DType, float32
from ..ops import _op
from ..parameter import Parameter
from ..tensor import Tensor
from ._checks import check_type
from .cell import Cell

__all__ = ["Embedding"]


class Embedding(Cell):
    """`layer(ids)` is the row of `embedding_table` (vocab_size, embedding_size) for each number of `ids`.

    The row `padding_idx` begins as zeros. Raises TypeError or ValueError for arguments of another type or range.

    >>> import labkit.mindspore as ms
    >>> ms.nn.Embedding(10, 3)(ms.Tensor([[1, 2], [3, 4]], ms.int32)).shape
    (2, 2, 3)
    """

    def __init__(self, vocab_size, embedding_size, use_one_hot=False, embedding_table="normal", dtype=float32,
                 padding_idx=None):  # fmt: skip
        super().__init__()
        check_type(vocab_size, "vocab_size", int, self.cls_name)
        check_type(embedding_size, "embedding_size", int, self.cls_name)
        of_kind(use_one_hot, bool, "For 'Embedding', the 'use_one_hot' must be a bool, but got {kind}.")
        of_kind(dtype, DType, "For 'Embedding', the 'dtype' must be a mindspore.dtype, but got {kind}.")
        self.vocab_size, self.embedding_size, self.use_one_hot = vocab_size, embedding_size, use_one_hot
        self.dtype, self.padding_idx = dtype, padding_idx
        table = initializer(embedding_table, (vocab_size, embedding_size), dtype)
        if padding_idx is not None:
            if (
                not 0
                <= of_kind(padding_idx, int, "For 'Embedding', the 'padding_idx' must be int, but got {kind}.")
                < vocab_size
            ):
                raise ValueError(
                    f"For 'Embedding', the 'padding_idx' must be in range of [0, {vocab_size}), but got {padding_idx}."
                )
            rows = np.array(table.asnumpy())
            rows[padding_idx] = 0
            table = Tensor(rows)
        self.init_tensor = table
        self.embedding_table = Parameter(table, name="embedding_table")

    def construct(self, ids) -> Tensor:
        if not self.use_one_hot:
            return self.embedding_table[ids]
        hot = _op.OPS["one_hot"](ids, self.vocab_size, Tensor(1.0, self.dtype), Tensor(0.0, self.dtype))
        return _op.OPS["matmul"](hot, self.embedding_table)

    def extend_repr(self) -> str:
        return with_names(
            self, "vocab_size", "embedding_size", "use_one_hot", "embedding_table", "dtype", "padding_idx"
        )
