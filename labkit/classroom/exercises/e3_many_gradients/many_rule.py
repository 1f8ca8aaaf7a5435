"""# The batching rule of a matrix product (3 points)

For one example, `y = x @ w` with `x` of shape `(k,)` and `w` of shape `(k, m)`. Now there are `n` examples at once. Write
`product(x, w)`, which returns the `y` of all examples, of shape `(n, m)`. If `x` has two axes, the first is the batch axis;
if it has one, all examples share `x`. If `w` has three axes, the first is the batch axis; if it has two, all examples share
`w`. At least one of `x` and `w` has a batch axis.
"""

from functools import partial

import numpy as np

from labkit.classroom.writing import judged, same, wrong


def product(x, w):
    if x.ndim == 1:
        return x @ w
    return (x[:, None, :] @ w)[:, 0]


def _draw_product(rng, many_x, many_w, alike=False):
    """`alike`: as many examples as elements, so that a product of the wrong axes has a shape, too."""
    n, k, m = (int(size) for size in rng.permutation([2, 3, 4]))
    n = k if alike else n
    x = rng.integers(-5, 6, (n, k) if many_x else k)
    w = rng.integers(-5, 6, (n, k, m) if many_w else (k, m))
    return x.astype(float), w.astype(float)


draw = (
    partial(_draw_product, many_x=True, many_w=False),
    partial(_draw_product, many_x=False, many_w=True),
    partial(_draw_product, many_x=True, many_w=True),
    partial(_draw_product, many_x=True, many_w=True, alike=True),
)


def _all_pairs(x, w):
    return np.matmul(x, w) if x.ndim == 2 and w.ndim == 3 else None


@wrong(
    "With both batched, you multiplied every x by every w. Example i has one x and one w: multiply only these two.",
    when=lambda i, expected, got: (
        got.ndim == 3 and any(same(pairs, got) for pairs in (_all_pairs(*i), np.swapaxes(_all_pairs(*i), 0, 1)))
    ),
)
def every_pair(x, w):
    return x @ w


@wrong(
    "With both batched, you have one product for all examples: you summed over the batch axis. Keep the batch axis in "
    "front, and sum over k.",
    when=lambda i, expected, got: i[0].ndim == 2 and i[1].ndim == 3 and got.shape == expected.shape[1:],
)
def examples_summed(x, w):
    return product(x, w) if w.ndim == 2 or x.ndim == 1 else np.einsum("ni,nij->j", x, w)


def _like(right, got):
    """True for the same elements in the same order, with or without axes of length 1."""
    return np.size(right) == np.size(got) and same(np.ravel(right), np.ravel(got))


@wrong(
    "Your result is the sum of the right rows: the axis of the examples was summed away. It stays in front.",
    when=lambda i, expected, got: i[1].ndim == 3 and _like(expected.sum(axis=0), got),
)
def rows_added_up(x, w):
    return x @ w if w.ndim == 2 else product(x, w).sum(axis=0)


@wrong(
    "You took the same matrix for all examples. If w has three axes, each example has its own.",
    when=lambda i, expected, got: (
        i[1].ndim == 3
        and any(_like(i[0] @ one, got) or same(np.broadcast_to(i[0] @ one, expected.shape), got) for one in i[1])
    ),
)
def first_matrix_for_all(x, w):
    return x @ w if x.ndim == 1 or w.ndim == 2 else x @ w[0]


@wrong(
    "With both batched, you took the first x for all examples. Each example has its own.",
    when=lambda i, expected, got: i[0].ndim == 2 and i[1].ndim == 3 and same(np.matmul(i[0][0], i[1]), got),
)
def first_row_for_all(x, w):
    return x @ w if w.ndim == 2 or x.ndim == 1 else np.matmul(x[0], w)


@wrong(
    "The numbers are right, but an axis of length 1 is left over: an example's y has the shape (m,).",
    when=lambda i, expected, got: (
        got.size == expected.size and got.ndim == 3 and same(expected, got.reshape(expected.shape))
    ),
)
def axis_left(x, w):
    return product(x, w) if x.ndim == 1 or w.ndim == 2 else np.matmul(x[:, None, :], w)


@wrong(
    "You took the mean over k. A matrix product adds up.",
    when=lambda i, expected, got: same(expected / i[0].shape[-1], got),
)
def mean_over_k(x, w):
    return product(x, w) / x.shape[-1]


@judged("first-matrix-for-all")
def first_matrix_always(x, w):
    return x @ (w[0] if w.ndim == 3 else w)


@wrong(
    "Your result has as many rows as x has elements. If x has one axis, all examples share x, and w has the batch axis.",
    when=lambda i, expected, got: i[0].ndim == 1 and len(got) == len(i[0]) != len(expected),
)
def length_of_a_shared_x(x, w):
    return product(x, w) if x.ndim == 2 else np.resize(product(x, w), (len(x), w.shape[2]))


@wrong(
    "Your result has as many rows as w. If w has two axes, all examples share w, and x has the batch axis.",
    when=lambda i, expected, got: i[1].ndim == 2 and len(got) == len(i[1]) != len(expected),
)
def length_of_a_shared_w(x, w):
    return product(x, w) if w.ndim == 3 else np.resize(product(x, w), (len(w), w.shape[1]))


@wrong(
    "A row of your result uses the x or the w of another example.",
    when=lambda i, expected, got: any(
        same(product(x, w), got) and not same(expected, got)
        for x in _moved(i[0], i[0].ndim == 2)
        for w in _moved(i[1], i[1].ndim == 3)
    ),
)
def matrix_of_another(x, w):
    return product(x, w) if x.ndim == 1 or w.ndim == 2 else product(x, w[::-1])


@judged("matrix-of-another")
def row_before(x, w):
    return product(np.roll(x, 1, axis=0), w) if x.ndim == 2 else product(x, w)


def _moved(array, batched):
    return (array, array[::-1], np.roll(array, 1, axis=0), np.roll(array, -1, axis=0)) if batched else (array,)


@wrong(
    "Your result is that of the first example alone.",
    when=lambda i, expected, got: _like(expected[0], got) and not same(expected, got),
)
def first_example_alone(x, w):
    return np.array([a @ b for a, b in zip(np.atleast_2d(x), w if w.ndim == 3 else [w])])


@judged("first-matrix-for-all")
def last_matrix_for_all(x, w):
    return x @ (w[-1] if w.ndim == 3 else w)


@judged("first-matrix-for-all")
def first_matrix_in_a_row(x, w):
    return x @ w if w.ndim == 2 else np.atleast_2d(x) @ w[0]


@judged("error")
def elementwise(x, w):
    return (x * w).sum(-1)


@wrong(
    "You averaged the matrices of all examples. If w has three axes, each example has its own.",
    when=lambda i, expected, got: i[1].ndim == 3 and _like(i[0] @ i[1].mean(axis=0), got),
)
def mean_of_the_matrices(x, w):
    return x @ w if w.ndim == 2 else x @ w.mean(axis=0)


@wrong(
    "With both batched, you added up the matrices of all examples. Each example has its own.",
    when=lambda i, expected, got: i[0].ndim == 2 and i[1].ndim == 3 and same(i[0] @ i[1].sum(axis=0), got),
)
def sum_of_the_matrices(x, w):
    return product(x, w) if x.ndim == 1 or w.ndim == 2 else x @ w.sum(axis=0)


@wrong(
    "You summed over the axis of the outputs, m. A matrix product sums over k, the axis that x and w share.",
    when=lambda i, expected, got: (
        i[0].ndim == 2 and i[1].ndim == 3 and same((i[0][:, :, None] * i[1]).sum(axis=2), got)
    ),
)
def summed_over_the_outputs(x, w):
    return product(x, w) if x.ndim == 1 or w.ndim == 2 else (x[:, :, None] * w).sum(axis=2)


@wrong(
    "The products are right, but not added up: sum over k, the axis that x and w share.",
    when=lambda i, expected, got: got.ndim == 3 and same(expected, got.sum(axis=1)),
)
def never_added_up(x, w):
    return (x[..., :, None] * w) if w.ndim == 3 else x[:, :, None] * w


errors = (
    (
        "enough dimensions (has 0",
        "One factor is a single number. If x has one axis, all examples share it, and x[i] is one of its numbers.",
    ),
    (
        "einstein sum",
        "The letters of einsum have to match the axes. x or w may have one axis fewer: there are three cases.",
    ),
    ("remapped shapes", "A letter of einsum stands for two lengths. The axes of x are (n, k), those of w (n, k, m)."),
    (
        "mismatch in its core",
        "The axis before the last of w is k, the last of x as well. Which of the three cases is this?",
    ),
)


@wrong(
    "The result has the shape (n, m). Yours keeps the axis k, which x and w share: sum over it.",
    when=lambda i, expected, got: got.ndim == 2 and got.shape[1] == np.shape(i[0])[-1] != expected.shape[1],
)
def wrong_axis_kept(x, w):
    n = len(product(x, w))
    return np.broadcast_to(x, (n, x.shape[-1])) * np.broadcast_to(w, (n, *w.shape[-2:])).sum(axis=2)


hints = (
    "Two of the three cases are one `@`: NumPy's takes a stack of matrices, too. Which case is left?",
    "If both are batched, make each x a matrix with one row: x[:, None, :] has shape (n, 1, k).",
    "x[:, None, :] @ w has shape (n, 1, m). Remove the axis of length 1: [:, 0].",
)
