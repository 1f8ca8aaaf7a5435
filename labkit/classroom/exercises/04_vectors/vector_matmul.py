"""# The rule of matmul (2 points)

`y = x @ w`, and `g` is the upstream gradient at `y`. Write `pull(x, w, g)`, which returns the tuple `(dx, dw)` of both
gradients, in plain NumPy. All three arrays are square, so the shapes do not show the order.
"""

import numpy as np

from labkit.classroom.writing import PLAIN, judged, same, wrong


def pull(x, w, g):
    return g @ w.T, x.T @ g


def draw(rng):
    return tuple(rng.integers(-3, 4, (3, 3, 3)).astype(float))


@wrong(
    "In the backward pass the other matrix is transposed: a row of w weights the outputs that an element of x affects, and "
    "the transpose collects their gradients.",
    parts=(0, 1),
)
def not_transposed(x, w, g):
    return g @ w, x @ g


@wrong(
    "The two factors of a product are in the wrong order. w is on the right of x, so its transpose is on "
    "the right of g; x is on the left of w, and its transpose on the left of g.",
    parts=(0, 1),
)
def wrong_side(x, w, g):
    return w.T @ g, g @ x.T


@wrong(
    "Both gradients are right, but in the wrong order: first the gradient with respect to x, then the one with respect "
    "to w."
)
def results_swapped(x, w, g):
    return x.T @ g, g @ w.T


@wrong(
    "One of your products is transposed: a gradient has the same rows and columns as its array.",
    when=lambda i, expected, got: same(expected[0].T, got[0]) or same(expected[1].T, got[1]),
)
def result_transposed(x, w, g):
    return g @ w.T, g.T @ x


@wrong("You used the same gradient for every element of y. g contains the gradient of each element.")
def g_forgotten(x, w, g):
    return np.ones((3, 3)) @ w.T, x.T @ np.ones((3, 3))


@wrong("That is the rule of x * w. In x @ w each element of x is multiplied by a whole row of w.", parts=(0, 1))
def elementwise(x, w, g):
    return g * w, g * x


@judged("not-transposed")
def one_transposed(x, w, g):
    return g @ w.T, x @ g


@judged("kind")
def only_one(x, w, g):
    return g @ w.T


@wrong(
    "`*` multiplies element by element. The rule of a matrix product consists of matrix products: use @.", parts=(0, 1)
)
def star_for_at(x, w, g):
    return g * w.T, x.T * g


@wrong(
    "The other matrix is not transposed, and it is on the wrong side: w is on the right of x, and its transpose on the "
    "right of g.",
    parts=(0, 1),
)
def neither_side_nor_transpose(x, w, g):
    return w @ g, g @ x


@wrong("You divide by a matrix. The gradient multiplies by the transpose, not by the inverse.", parts=(0, 1))
def inverse(x, w, g):
    return g @ np.linalg.pinv(w), np.linalg.pinv(x) @ g


@wrong("Each gradient contains the other matrix: dx contains w, and dw contains x.", parts=(0, 1))
def own_matrix(x, w, g):
    return g @ x.T, w.T @ g


@wrong("The upstream gradient g is missing.", parts=(0, 1))
def upstream_missing(x, w, g):
    return w.T, x.T


@wrong("You transpose g, too. Only the other factor of x @ w is transposed.", parts=(0, 1))
def upstream_transposed(x, w, g):
    return g.T @ w.T, x.T @ g.T


@wrong("Only the other matrix is transposed, not g.", parts=(0, 1))
def upstream_transposed_alone(x, w, g):
    return g.T @ w, x @ g.T


@wrong(
    "You return the other factor itself. A gradient is a product of the upstream gradient g and the other factor, transposed.",
    parts=(0, 1),
)
def factors_alone(x, w, g):
    return w, x


@wrong("You return g alone. The other factor of x @ w is missing, transposed.", parts=(0, 1))
def upstream_alone(x, w, g):
    return g, g


@wrong("Both transposes are missing, and the two gradients are exchanged: first the gradient with respect to x.")
def exchanged_and_not_transposed(x, w, g):
    return x @ g, g @ w


@wrong(
    "One of your gradients contains its own matrix, and no transpose. dx contains w, transposed; dw contains x, transposed.",
    parts=(0, 1),
)
def own_matrix_not_transposed(x, w, g):
    return g @ x, w @ g


@wrong("You multiply by y = x @ w, a value. The upstream gradient is g.")
def value_for_g(x, w, g):
    return x @ w @ w.T, x.T @ (x @ w)


@judged("value-for-g")
def value_for_g_in_dx(x, w, g):
    return x @ w @ w.T, x.T @ g


@judged("value-for-g")
def value_for_g_in_dw(x, w, g):
    return g @ w.T, x.T @ (x @ w)


@wrong("g is multiplied by the other factor, not added to it.")
def added(x, w, g):
    return g + w.T, x.T + g


@wrong("g occurs twice. Each gradient has g once, and the other factor of x @ w, transposed.")
def g_twice(x, w, g):
    return g @ w.T * g, x.T @ g * g


@wrong("A reversed matrix is not a transposed one: w.T exchanges rows and columns.")
def reversed_rows(x, w, g):
    return g @ w[::-1], x[::-1] @ g


@judged("reversed-rows")
def reversed_rows_in_dx(x, w, g):
    return g @ w[::-1], x.T @ g


@judged("reversed-rows")
def reversed_rows_in_dw(x, w, g):
    return g @ w.T, x[::-1] @ g


@wrong("You sum g. Each element of g belongs to its own element of y: use a matrix product with g.")
def upstream_summed(x, w, g):
    return g.sum() * w.T, g.sum() * x.T


@wrong(
    "You sum rows or columns first. A matrix product multiplies rows of g by columns of the transposed matrix, and then sums."
)
def sums_of_rows(x, w, g):
    return g * w.sum(axis=1), x.sum(axis=0)[:, None] * g


@judged("sums-of-rows")
def sums_of_rows_in_dx(x, w, g):
    return g * w.sum(axis=1), x.T @ g


@wrong("x itself has to be transposed, not the product: x.T @ g is not (x @ g).T. The same holds for w.")
def product_transposed(x, w, g):
    return (g @ w).T, (x @ g).T


@judged("product-transposed")
def product_transposed_in_dw(x, w, g):
    return g @ w.T, (x @ g).T


@judged("product-transposed")
def product_transposed_in_dx(x, w, g):
    return (g @ w).T, x.T @ g


ways = (PLAIN,)
hints = (
    "y[i, j] is the sum of x[i, k] * w[k, j] over k. Which elements of y depend on x[i, k], and how strongly?",
    "So dx[i, k] is the sum of g[i, j] * w[k, j] over j. Which matrix product is that?",
    "dx = g @ w.T. For dw[k, j], sum x[i, k] * g[i, j] over i.",
)
