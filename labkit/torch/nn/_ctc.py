"""Connectionist temporal classification: the loss of all ways to say a sequence of labels; part of `torch.nn.functional`."""

import autograd.numpy as anp
import numpy as np

from ...engine import dtype_of, getval
from .._creation import as_tensor
from .._dispatch import apply
from .._rules import fused
from .._tensor import Tensor
from ._losses import check_reduction

__all__ = ["ctc_loss"]

_NEVER = -1e30  # the logarithm of what cannot be, small enough for sums of it


@fused("CtcLossBackward0", "log_probs", "targets input_lengths target_lengths blank zero_infinity", name="ctc_loss")
def _ctc(logs, labels, steps, lengths, blank, zero_infinity):
    """The costs (batch,) of `labels` (batch, longest) under logarithms of probabilities (time, batch, classes)."""
    batch, longest = labels.shape
    path = np.full((batch, 2 * longest + 1), blank)  # blanks around all labels
    path[:, 1::2] = labels
    leap = np.zeros(path.shape, bool)  # past a blank, between two labels that differ
    leap[:, 3::2] = labels[:, 1:] != labels[:, :-1]
    rows, never = np.arange(batch)[:, None], np.full((batch, 2), _NEVER, dtype_of(logs))
    first = np.arange(path.shape[1]) < np.where(lengths > 0, 2, 1)[:, None]
    ways = anp.where(first, logs[0][rows, path], _NEVER)
    for t in range(1, len(logs)):
        one = anp.concatenate([never[:, :1], ways[:, :-1]], 1)
        two = anp.concatenate([never[:, : path.shape[1]], ways[:, :-2]], 1) if path.shape[1] > 1 else one
        said = anp.logaddexp(anp.logaddexp(ways, one), anp.where(leap, two, _NEVER)) + logs[t][rows, path]
        ways = anp.where((t < steps)[:, None], said, ways)
    ends = rows[:, 0], 2 * lengths
    whole = anp.logaddexp(ways[ends], anp.where(lengths > 0, ways[ends[0], np.maximum(2 * lengths - 1, 0)], _NEVER))
    inside = anp.where(np.arange(len(logs))[:, None, None] < steps[:, None], anp.exp(logs), 0)
    total = anp.sum(
        inside, axis=(0, 2)
    )  # is the same for all; its slope is what PyTorch adds, for a log_softmax before
    if zero_infinity:
        return anp.where(getval(whole) > _NEVER / 2, total - getval(total) - whole, 0)
    lost = np.where(getval(whole) > _NEVER / 2, 0, np.inf).astype(dtype_of(logs))  # then all slopes are nan
    return (total - getval(total)) - whole * (1 + lost) + total / getval(total) * lost


def ctc_loss(
    log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False
) -> Tensor:
    """-log of the probability that `log_probs` (time, batch, classes) say the labels, with blanks and repeated ones left out.

    `targets`: labels (batch, longest), or all one after the other; `input_lengths` and `target_lengths` say how much of each
    counts. What cannot be said costs inf, or 0 with `zero_infinity`. "mean" divides each by its length first. The gradient is
    that for `log_probs` which are a log_softmax, as in PyTorch. Raises RuntimeError for lengths that do not fit.

    >>> import labkit.torch as torch
    >>> half = torch.full((2, 1, 2), 0.5).log()
    >>> ctc_loss(half, torch.tensor([[1]]), [2], [1])
    tensor(0.2877)
    """
    check_reduction(reduction)
    if log_probs.ndim == 2:
        cost = ctc_loss(log_probs.unsqueeze(1), targets, input_lengths, target_lengths, blank, reduction, zero_infinity)
        return cost.squeeze(0) if reduction == "none" else cost
    steps, lengths = (as_tensor(n)._array.reshape(-1).astype(int) for n in (input_lengths, target_lengths))
    for name, found in (("input", steps), ("target", lengths)):
        if len(found) != log_probs.shape[1]:
            raise RuntimeError(f"{name}_lengths must be of size batch_size")
    if (steps > len(log_probs)).any():
        raise RuntimeError(f"Expected input_lengths to have value at most {len(log_probs)}, but got value {steps.max()} "
                           "(while checking arguments for ctc_loss_allocate_outputs)")  # fmt: skip
    labels = np.zeros((len(lengths), lengths.max(initial=0)), int)
    given = targets._array.reshape(-1) if targets.ndim == 1 else None
    for row, n in enumerate(lengths):
        start = lengths[:row].sum()
        labels[row, :n] = targets._array[row, :n] if given is None else given[start : start + n]
    cost = apply(_ctc, log_probs, labels, steps, lengths, blank, zero_infinity)
    if reduction == "mean":
        return (cost / as_tensor(np.maximum(lengths, 1)).to(cost.dtype)).mean()
    return cost.sum() if reduction == "sum" else cost
