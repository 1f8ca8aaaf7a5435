"""`Embedding` and `EmbeddingBag`: a table of vectors, looked up by number, one by one or in bags."""

from typing import Self

from .. import _creation, _modes
from .._tensor import Tensor
from . import init
from ._embedding import NO_SPARSE, embedding, embedding_bag, row_of
from .module import Layer
from .parameter import Parameter

__all__ = ["Embedding", "EmbeddingBag"]


class _Table(Layer):
    """What a table of vectors is, however they are looked up."""

    _usual: dict = {"padding_idx": None, "max_norm": None, "norm_type": 2, "scale_grad_by_freq": False}  # not printed

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

    def reset_parameters(self) -> None:
        """Draw all vectors anew, but that of `padding_idx`, which is zero."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with _modes.no_grad():
                self.weight.select(0, self.padding_idx).fill_(0)

    def extra_repr(self) -> str:
        unusual = [f"{n}={getattr(self, n)!r}" for n, value in self._usual.items() if getattr(self, n) != value]
        return ", ".join([str(self.num_embeddings), str(self.embedding_dim), *unusual])


class Embedding(_Table):
    """A table of `num_embeddings` vectors of size `embedding_dim`, looked up by number; see `torch.nn.functional.embedding`.

    `weight` starts with normal numbers, the row `padding_idx` with zeros. Raises AssertionError for a `padding_idx` that is no
    row, IndexError for a number that is none.

    >>> import labkit.torch as torch
    >>> table = torch.nn.Embedding(10, 3, padding_idx=0)
    >>> table, table(torch.tensor([[1, 2, 0]])).shape
    (Embedding(10, 3, padding_idx=0), torch.Size([1, 3, 3]))
    """

    @classmethod
    def from_pretrained(cls, embeddings, freeze=True, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False,
                        sparse=False) -> Self:  # fmt: skip
        """A layer with these vectors (rows, size), which are not trained unless `freeze=False`."""
        if embeddings.ndim != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, size = embeddings.shape
        return cls(rows, size, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, embeddings, freeze)

    def forward(self, input) -> Tensor:
        return embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        )


class EmbeddingBag(_Table):
    """A table like `Embedding`, of which bags of rows are summed or averaged; see `torch.nn.functional.embedding_bag`.

    >>> import labkit.torch as torch
    >>> bags = torch.nn.EmbeddingBag(10, 3, mode="sum")
    >>> bags, bags(torch.tensor([1, 2, 4]), torch.tensor([0, 2])).shape
    (EmbeddingBag(10, 3, mode='sum'), torch.Size([2, 3]))
    """

    _usual = {"max_norm": None, "norm_type": 2, "scale_grad_by_freq": False, "mode": None, "padding_idx": None}

    def __init__(self, num_embeddings, embedding_dim, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode="mean",
                 sparse=False, _weight=None, include_last_offset=False, padding_idx=None, device=None, dtype=None):  # fmt: skip
        super().__init__(num_embeddings, embedding_dim, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, _weight,
                         dtype=dtype)  # fmt: skip
        self.mode, self.include_last_offset = mode, include_last_offset

    @classmethod
    def from_pretrained(cls, embeddings, freeze=True, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode="mean",
                        sparse=False, include_last_offset=False, padding_idx=None) -> Self:  # fmt: skip
        """A layer with these vectors (rows, size), which are not trained unless `freeze=False`."""
        rows, size = embeddings.shape
        made = cls(rows, size, max_norm, norm_type, scale_grad_by_freq, mode, sparse, embeddings, include_last_offset,
                   padding_idx)  # fmt: skip
        made.weight.requires_grad_(not freeze)
        return made

    def forward(self, input, offsets=None, per_sample_weights=None) -> Tensor:
        options = self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode, self.sparse
        return embedding_bag(
            input, self.weight, offsets, *options, per_sample_weights, self.include_last_offset, self.padding_idx
        )
