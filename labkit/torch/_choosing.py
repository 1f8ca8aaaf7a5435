"""Drawing by weight, and seeds drawn for generators of their own."""

import numpy as np

from . import _draws
from ._dispatch import off_tape
from ._dtype import DTYPES
from ._generator import default_generator
from ._table import both


def drawn_seed(generator) -> int:
    """A seed for another generator, as PyTorch's loaders and samplers draw it."""
    return int(_draws.any_integers(generator or default_generator, 1, DTYPES["int64"].np)[0])


def _exponential(generator, count):
    return -np.log1p(-_draws.unit(generator or default_generator, count, np.float64))


@both()
def multinomial(input, num_samples, replacement=False, *, generator=None):
    """Positions in each row of `input`, drawn with these weights: int64, of shape `(num_samples,)` or `(rows, num_samples)`.

    Weights are at least 0 and need not add up to 1. Raises RuntimeError for others, and where more are to be drawn
    without `replacement` than there are.

    >>> import labkit.torch as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.multinomial(torch.tensor([0.0, 10.0, 3.0, 0.0]), 2)
    tensor([1, 2])
    """
    _check_weights(input, num_samples, replacement)
    rows = input._array.reshape(-1, input.shape[-1])
    if not replacement or num_samples == 1:
        drawn = _exponential(generator, rows.size).astype(rows.dtype).reshape(rows.shape)
        found = np.argsort(-(rows / drawn), axis=-1, kind="stable")[:, :num_samples]
    else:
        found = _with_replacement(generator, rows, num_samples)
    return off_tape(found.astype(np.int64).reshape(*input.shape[:-1], num_samples), "multinomial", input)


def _with_replacement(generator, rows, count):
    drawn = _draws.unit(generator or default_generator, len(rows) * count, np.float64).reshape(-1, count)
    upto = np.cumsum(rows, axis=-1, dtype=rows.dtype)
    upto = upto / upto[:, -1:]
    return np.stack([np.searchsorted(u, d) for u, d in zip(upto, drawn, strict=True)])


def _check_weights(weights, count, replacement):
    if weights.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if not weights.dtype.is_floating_point:
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {weights.dtype.legacy}")
    if count <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and count > weights.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    array = weights._array
    if not np.isfinite(array).all() or (array < 0).any():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if (array.sum(-1) <= 0).any():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
