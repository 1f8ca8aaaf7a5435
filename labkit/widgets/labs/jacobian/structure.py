"""Describes a matrix in words: diagonal, banded, rank one, symmetric ... each computed, none assumed."""

from collections.abc import Sequence

import numpy as np

from ...kit.words import number

MAX_RANKED = 300  # a singular value decomposition beyond this takes longer than the sentence is worth


def structure(matrix: np.ndarray, rows: Sequence[str], columns: Sequence[str], batch: int = 1) -> list[str]:
    """Sentences that are true of a Jacobian, its most telling property first.

    `matrix`: rows are outputs, columns inputs, whose labels `rows` and `columns` are. `batch`: how many examples both are
    made of (their common first axis), 1 for none. Zeros are exact zeros; equality is to rounding in the matrix's dtype.

    >>> structure(np.diag([1.0, 2.0]), ["y[0]", "y[1]"], ["x[0]", "x[1]"])
    ['Diagonal, as of an elementwise function: each output depends only on its own input.']
    """
    wrong = ~np.isfinite(matrix)
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        count = f"Entries that are not finite: {wrong.sum()} of {matrix.size}"
        return [f"{count}, the first at {rows[i]} by {columns[j]}: {number(matrix[i, j])}."]
    if not matrix.any():
        return ["All zero: no output moves with any input here."]
    shape = _shape(matrix, batch)
    diagonal = shape is not None and shape.startswith("Diagonal")
    silent = (
        []
        if diagonal
        else _sentence_about(rows, matrix.any(1), "{} moves with no input here.", "{} move with no input here.")
    )
    unused = _sentence_about(columns, matrix.any(0), "No output moves with {} here.", "No output moves with {} here.")
    more = [] if diagonal else [*_equal(matrix), *_rank(matrix)]
    return [words for words in (shape, *unused, *silent, *more) if words]


def _sentence_about(labels, used, one, several):
    names = [label for label, is_used in zip(labels, used, strict=True) if not is_used]
    if not names:
        return []
    shown = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
    return [(one if len(names) == 1 else several).format(shown)]


def _shape(matrix, batch):
    """Where the entries that are not zero stand."""
    m, n = matrix.shape
    i, j = np.nonzero(matrix)
    low, high = int((j - i).min()), int((j - i).max())
    if m == n > 1 and low == high == 0:
        entries = np.diagonal(matrix)
        if len(set(entries.tolist())) == 1:
            return f"Diagonal: {number(entries[0])} times the identity."
        return "Diagonal, as of an elementwise function: each output depends only on its own input."
    if batch > 1 and np.array_equal(i // (m // batch), j // (n // batch)):
        return f"Block diagonal: {batch} examples, each output depends only on the input of its own example."
    if min(m, n) > 2 and high - low + 1 <= n // 2:
        return f"Banded: row i is zero outside columns {_offset(low)} to {_offset(high)}."
    if m == n > 2 and high == 0:
        return "Lower triangular: an output depends on the inputs up to its own position, as in a running sum."
    if m == n > 2 and low == 0:
        return "Upper triangular: an output depends on the inputs from its own position on."
    return None


def _offset(by):
    return "i" if by == 0 else f"i {'+' if by > 0 else '−'} {abs(by)}"


def _equal(matrix):
    m, n = matrix.shape
    close = 10 * _eps(matrix) * np.abs(matrix).max()
    return ["Symmetric."] if m == n > 1 and np.abs(matrix - matrix.T).max() <= close else []


def _rank(matrix):
    least = min(matrix.shape)
    if least < 2 or least > MAX_RANKED:
        return []
    sizes = np.linalg.svd(matrix.astype(float), compute_uv=False)
    rank = int(np.sum(sizes > sizes.max() * max(matrix.shape) * _eps(matrix)))
    if rank == 1:
        return ["Rank one: every row is a multiple of one row."]
    if rank < least:
        return [f"Rank {rank}, where {least} is possible: some rows are combinations of others."]
    return []


def _eps(matrix):
    return np.finfo(matrix.dtype).eps


def pooled(matrix: np.ndarray, rows: Sequence[np.ndarray], columns: Sequence[np.ndarray]) -> np.ndarray:
    """One number for each block: its entry of largest magnitude, or one that is not finite where there is one.

    >>> pooled(np.array([[1.0, -3.0, 0.0], [2.0, 0.5, 0.0]]), [np.arange(2)], [np.arange(2), np.arange(2, 3)])
    array([[-3.,  0.]])
    """
    size = np.where(np.isfinite(matrix), np.abs(matrix), np.inf)
    found = np.empty((len(rows), len(columns)), matrix.dtype)
    for i, r in enumerate(rows):
        for j, c in enumerate(columns):
            block = np.ix_(r, c)
            found[i, j] = matrix[block].flat[np.argmax(size[block])]
    return found
