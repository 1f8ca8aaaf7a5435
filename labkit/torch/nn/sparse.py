"""`Embedding`: a table of vectors, looked up by number."""

from typing import Self

from .. import _creation, _modes
from .._tensor import Tensor
from . import init
from ._embedding import NO_SPARSE, embedding, row_of
from .module import Module
from .parameter import Parameter

__all__ = ["Embedding"]


class Embedding(Module):
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
        self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse = (
            max_norm,
            norm_type,
            scale_grad_by_freq,
            sparse,
        )
        if _weight is not None and list(_weight.shape) != [num_embeddings, embedding_dim]:
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        made = _creation.empty(num_embeddings, embedding_dim, dtype=dtype) if _weight is None else _weight
        self.weight = Parameter(made, requires_grad=not _freeze)
        if _weight is None:
            self.reset_parameters()

    @classmethod
    def from_pretrained(cls, embeddings, freeze=True, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False,
                        sparse=False) -> Self:  # fmt: skip
        """A layer with these vectors (rows, size), which are not trained unless `freeze=False`."""
        if embeddings.ndim != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, size = embeddings.shape
        return cls(rows, size, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, embeddings, freeze)

    def reset_parameters(self) -> None:
        """Draw all vectors anew, but that of `padding_idx`, which is zero."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with _modes.no_grad():
                self.weight.select(0, self.padding_idx).fill_(0)

    def forward(self, input) -> Tensor:
        return embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        )

    def extra_repr(self) -> str:
        usual = {"padding_idx": None, "max_norm": None, "norm_type": 2, "scale_grad_by_freq": False}
        unusual = [f"{n}={getattr(self, n)}" for n, value in usual.items() if getattr(self, n) != value]
        return ", ".join([str(self.num_embeddings), str(self.embedding_dim), *unusual])
