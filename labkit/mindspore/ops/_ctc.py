"""The loss of a sequence that may be stretched (connectionist temporal classification): over all ways to say it."""

import numpy as np

from ..tensor import Tensor
from . import _joining, _reduction  # noqa: F401  (whose ops it asks for)
from ._op import OPS, register


def _numbers(given):
    return [int(n) for n in np.ravel(given.asnumpy() if isinstance(given, Tensor) else given)]


def _ways(log_probs, labels, blank, count):
    """The rows, one for each of the first `count` times, of the log-probabilities to be at each of the labels with blanks around
    them by any way; a number far below all stands for what cannot be."""
    places = np.full(2 * len(labels) + 1, blank)
    places[1::2] = labels
    # a label may follow the one before it at once, unless they are the same
    at_once = [k % 2 == 1 and (k == 1 or places[k] != places[k - 2]) for k in range(len(places))]
    scores = log_probs[:, Tensor(places)]
    kind, least = log_probs.dtype, -1e30
    never = OPS["full"]((2,), least, dtype=kind)
    now = OPS["where"](Tensor(np.arange(len(places)) < 2), scores[0], Tensor(least, kind))
    rows = [now]
    for k in range(1, count):
        one, two = OPS["concat"]((never[:1], now[:-1]), 0), OPS["concat"]((never, now[:-2]), 0)
        two = OPS["where"](Tensor(np.array(at_once)), two, Tensor(least, kind))
        now = OPS["logsumexp"](OPS["stack"]((now, one[: len(places)], two[: len(places)]), 0), 0) + scores[k]
        rows.append(now)
    return rows


def _each(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity):
    losses, tables = [], []
    wide, first = targets.ndim == 2, 0
    for b, (count, length) in enumerate(zip(_numbers(input_lengths), _numbers(target_lengths), strict=True)):
        known = targets[b].asnumpy() if wide else targets.asnumpy()[first : first + length]
        first += length
        rows = _ways(log_probs[:, b], known, blank, count)
        end = rows[-1]
        loss = -(OPS["logaddexp"](end[2 * length], end[2 * length - 1]) if length else end[0])
        said = log_probs[:count, b].exp().sum()
        loss = (
            loss + said - OPS["stop_gradient"](said)
        )  # its gradient is that for what log_softmax gave, as in the real one
        beyond = bool(loss.asnumpy() > 1e20)
        losses.append(0 * loss if beyond and zero_infinity else loss * np.inf if beyond else loss)
        table = np.stack([row.asnumpy() for row in rows])
        at = np.arange(table.shape[1])
        table = np.where((table < -1e20) | (at > 2 * length), -np.inf, table)
        tables.append(np.pad(table, ((0, log_probs.shape[0] - count), (0, 0)), constant_values=-np.inf))
    width = max(table.shape[1] for table in tables)
    tables = [np.pad(t, ((0, 0), (0, width - t.shape[1])), constant_values=-np.inf) for t in tables]
    return OPS["stack"](losses, 0), Tensor(np.stack(tables).astype(log_probs.asnumpy().dtype))


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    """`(loss, log_alpha)`: minus the log-probability of each of the `targets`, (batch, labels) or all in a row, given `log_probs`
    (times, batch, classes); and the log-probabilities of being at each of the labels with blanks around them, by time.

    "mean" divides each loss by the number of labels. `zero_infinity`: 0 where there are more labels than times.

    >>> import labkit.mindspore as ms
    >>> scores = ms.Tensor([[[0.3, 0.6, 0.6]], [[0.9, 0.4, 0.2]]])
    >>> loss, _ = ctc_loss(scores, ms.Tensor([[1]]), ms.Tensor([2]), ms.Tensor([1]))
    >>> print(f"{loss.item():.4f}")
    -2.2207
    """
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"For 'ctc_loss', the 'reduction' must be 'none', 'mean' or 'sum', but got {reduction}.")
    losses, table = _each(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity)
    if reduction == "none":
        return losses, table
    if reduction == "sum":
        return losses.sum(), table
    lengths = Tensor(np.maximum(_numbers(target_lengths), 1).astype(log_probs.asnumpy().dtype))
    return (losses / lengths).mean(), table


register(ctc_loss, method=False)
