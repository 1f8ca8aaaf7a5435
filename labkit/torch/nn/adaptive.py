"""Softmax over many classes, of which the rare ones share a place in the first softmax and have one of their own."""

from collections import namedtuple
from itertools import pairwise

from .._creation import zeros
from .._picking import gather
from .._tensor import Tensor
from . import functional as F
from .containers import ModuleList, Sequential
from .layers import Linear
from .module import Layer

__all__ = ["AdaptiveLogSoftmaxWithLoss"]

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])
CUTOFFS = (
    "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each value is between 1 "
    "and n_classes-1"
)


class AdaptiveLogSoftmaxWithLoss(Layer):
    """Log-probabilities of targets, and their negative mean, for classes ordered by how often they come (E. Grave et al., 2017).

    The first `cutoffs[0]` classes stand in the `head`, with one place for each later group, whose own softmax, of
    `in_features / div_value**k` features, is in the `tail`. Raises ValueError for other cutoffs than ascending ones.

    >>> import labkit.torch as torch
    >>> layer = AdaptiveLogSoftmaxWithLoss(8, 10, cutoffs=[4, 7], div_value=2.0)
    >>> layer.log_prob(torch.ones(2, 8)).shape, layer.head, layer(torch.ones(2, 8), torch.tensor([0, 9])).output.shape
    (torch.Size([2, 10]), Linear(in_features=8, out_features=6, bias=False), torch.Size([2]))
    """

    def __init__(self, in_features, n_classes, cutoffs, div_value=4.0, head_bias=False, device=None, dtype=None):
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if cutoffs != sorted({int(c) for c in cutoffs}) or cutoffs[0] <= 0 or cutoffs[-1] > n_classes - 1:
            raise ValueError(CUTOFFS)
        self.in_features, self.n_classes, self.cutoffs = in_features, n_classes, [*cutoffs, n_classes]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size, self.n_clusters = cutoffs[0], len(cutoffs)
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, dtype=dtype)
        self.tail = ModuleList()
        for i, (first, end) in enumerate(pairwise(self.cutoffs), 1):
            inner = int(in_features // div_value**i)
            down, up = Linear(in_features, inner, False, dtype=dtype), Linear(inner, end - first, False, dtype=dtype)
            self.tail.append(Sequential(down, up))

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        self.head.reset_parameters()
        for down, up in self.tail:
            down.reset_parameters()
            up.reset_parameters()

    def forward(self, input_, target_) -> _ASMoutput:
        """`(output, loss)`: the log-probability of each target, and their negative mean."""
        _check(input_, target_)
        input, target = (input_, target_) if target_.ndim else (input_.unsqueeze(0), target_.unsqueeze(0))
        output, place, used = zeros(len(target), dtype=input.dtype), target.clone(), 0
        for i, (first, end) in enumerate(pairwise([0, *self.cutoffs])):
            rows = ((target >= first) & (target < end)).nonzero().squeeze(1)
            used += len(rows)
            if i and len(rows):
                logs = F.log_softmax(self.tail[i - 1](input.index_select(0, rows)), dim=1)
                own = gather(logs, 1, (target[rows] - first).unsqueeze(1))
                place = place.index_fill(0, rows, self.shortlist_size + i - 1)
                output = output.index_copy(0, rows, own.squeeze(1))
        if used != len(target):
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range [{target.min().item()}, "
                f"{target.max().item()}] were found. "
            )
        output = output + gather(F.log_softmax(self.head(input), dim=1), 1, place.unsqueeze(1)).squeeze(1)
        loss = (-output).mean()
        return _ASMoutput(output if target_.ndim else output.squeeze(0), loss)

    def log_prob(self, input) -> Tensor:
        """The log-probabilities of all classes, (batch, n_classes)."""
        head = F.log_softmax(self.head(input), dim=1)
        out = input.new_empty((len(input), self.n_classes))
        out[:, : self.shortlist_size] = head[:, : self.shortlist_size]
        for i, (first, end) in enumerate(pairwise(self.cutoffs)):
            logs = F.log_softmax(self.tail[i](input), dim=1)
            out[:, first:end] = logs + head[:, self.shortlist_size + i].unsqueeze(1)
        return out

    def predict(self, input) -> Tensor:
        """The most probable class of each example."""
        best = self.head(input).argmax(dim=1)
        far = best >= self.shortlist_size
        if far.any():
            best[far] = self.log_prob(input[far]).argmax(dim=1)
        return best


def _check(input, target):
    if target.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if target.ndim and len(input) != len(target):
        raise RuntimeError("Input and target should have the same size in the batch dimension.")
    if input.ndim != target.ndim + 1:
        raise RuntimeError(
            f"{target.ndim}D target tensor expects {target.ndim + 1}D input tensors, but found inputs with size {input.shape}"
        )
