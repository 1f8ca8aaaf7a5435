"""# The norm of each example's gradient (3 points)

A linear layer computes `z = x @ w + b` for a batch. Row `i` of `x` is the input of example `i`, and row `i` of `g` is the
upstream gradient at its outputs, for the loss of this example only. Write `norms(x, g)`, which returns for each example the
norm of its gradient with respect to `w` and `b` together, as if all elements of both were one vector. Do not form the
gradients, because those of a large layer do not fit into memory.
"""

from functools import partial

import numpy as np

from labkit.classroom.writing import Way, judged, same, slip, wrong

LARGE = 400  # one gradient of such a layer has 1.3 MB


def norms(x, g):
    return np.sqrt(np.sum(x**2, axis=1) + 1) * np.sqrt(np.sum(g**2, axis=1))


def _draw_layer(rng, n, k, m):
    return rng.uniform(-2, 2, (n, k)).round(2), rng.uniform(-2, 2, (n, m)).round(2)


draw = (
    partial(_draw_layer, n=4, k=3, m=2),
    partial(_draw_layer, n=3, k=3, m=3),
    partial(_draw_layer, n=1, k=2, m=4),
    partial(_draw_layer, n=5, k=1, m=1),
    partial(_draw_layer, n=2, k=LARGE, m=LARGE),
)


def _of_rows(a):
    return np.sqrt(np.sum(a**2, axis=1))


@wrong("That is the norm with respect to w alone. Include b, whose gradient is g: add the squares of g.")
def bias_forgotten(x, g):
    return _of_rows(x) * _of_rows(g)


@wrong("These are the squares of the norms. Take the root.")
def squared(x, g):
    return (np.sum(x**2, axis=1) + 1) * np.sum(g**2, axis=1)


@wrong("You added the two norms. To combine the norms of two parts of a vector, square them, add, and take the root.")
def norms_added(x, g):
    return _of_rows(x) * _of_rows(g) + _of_rows(g)


@wrong("That is the norm for b alone. The elements of the gradient with respect to w are missing.")
def bias_alone(x, g):
    return _of_rows(g)


@wrong(
    "You added up the gradients of the examples, and took the norm of the sum. Each example has its own norm.",
    when=lambda i, expected, got: (
        np.size(got) == 1
        and same(np.sqrt(np.sum((i[0].T @ i[1]) ** 2) + np.sum(i[1].sum(0) ** 2)), float(np.ravel(got)[0]))
    ),
)
def of_the_sum(x, g):
    return np.sqrt(np.sum((x.T @ g) ** 2) + np.sum(g.sum(axis=0) ** 2))


@wrong("You summed down the columns. One example is a row: sum along axis 1.")
def down_the_columns(x, g):
    return np.sqrt(np.sum(x**2) + 1) * np.sqrt(np.sum(g**2, axis=0))


@wrong("The gradient of b is g itself, not 1: the sum of the squares of g is a factor of both terms.")
def bias_moves_by_one(x, g):
    return np.sqrt(np.sum(x**2, axis=1) * np.sum(g**2, axis=1) + 1)


@wrong(
    "You put x and g into one vector. Each element of the gradient of w is a product of an element of x and one of g."
)
def of_both_inputs(x, g):
    return np.sqrt(np.sum(x**2, axis=1) + np.sum(g**2, axis=1))


@wrong("You took means of the squares. A norm adds up all squares.")
def means(x, g):
    return np.sqrt((np.mean(x**2, axis=1) + 1) * np.mean(g**2, axis=1))


@judged("of-the-sum")
def of_one_batch(x, g):
    return np.array([np.sqrt(np.sum((x.T @ g) ** 2) + np.sum(g.sum(axis=0) ** 2))])


one_with_g = slip(
    "The gradient of b is g. So the 1 is added to the squares of x: (sum(x**2) + 1) * sum(g**2).",
    "np.sqrt(np.sum(x**2, axis=1) + 1) * np.sqrt(np.sum(g**2, axis=1)) -> "
    "np.sqrt(np.sum(x**2, axis=1)) * np.sqrt(np.sum(g**2, axis=1) + 1)",
)
bias_twice = slip("b counts once: the squares of its gradient are those of g.", "axis=1) + 1) -> axis=1) + 2)")
root_of_a_part = slip(
    "Take the root of the whole sum, (sum(x**2) + 1) * sum(g**2).",
    "np.sqrt(np.sum(x**2, axis=1) + 1) * np.sqrt(np.sum(g**2, axis=1)) -> "
    "np.sqrt(np.sum(x**2, axis=1)) * np.sum(g**2, axis=1) + np.sum(g**2, axis=1)",
)
sums_squared = slip(
    "You squared the sums. A norm adds the squares.",
    "np.sum(x**2, axis=1) -> np.sum(x, axis=1) ** 2",
    "np.sum(g**2, axis=1) -> np.sum(g, axis=1) ** 2",
)
mean_of_g = slip("You took the mean of the squares of g. A norm adds them up.", "np.sum(g**2, -> np.mean(g**2,")
mean_of_x = slip("You took the mean of the squares of x. A norm adds them up.", "np.sum(x**2, -> np.mean(x**2,")
absolute_values = slip(
    "You added absolute values. A norm adds squares, and takes the root.",
    "np.sqrt(np.sum(g**2, axis=1)) -> np.sum(abs(g), axis=1)",
)
root_of_x_missing = slip(
    "The root of the sum of the squares of x is missing.",
    "np.sqrt(np.sum(x**2, axis=1) + 1) -> (np.sum(x**2, axis=1) + 1)",
)
root_of_g_missing = slip(
    "The root of the sum of the squares of g is missing.", "np.sqrt(np.sum(g**2, axis=1)) -> np.sum(g**2, axis=1)"
)
divided_by_the_examples = slip(
    "You divided by the number of examples. Each row of g belongs to the loss of its example alone.",
    "axis=1) + 1) -> axis=1) + 1) / len(x)",
)


@wrong(
    "You return one norm for the whole batch. Each example has its own: sum along axis 1.",
    when=lambda i, expected, got: np.size(got) == 1 and same(float(np.linalg.norm(expected)), float(np.ravel(got)[0])),
)
def one_for_the_batch(x, g):
    return np.sqrt(np.sum(norms(x, g) ** 2))


errors = (
    (
        "could not be broadcast",
        "Two shapes do not match. An example is a row of x and a row of g: sum each along axis 1, and then multiply.",
    ),
)

one_added_outside = slip(
    "The 1 belongs under the root: (sum(x**2) + 1) * sum(g**2).",
    "np.sqrt(np.sum(x**2, axis=1) + 1) * np.sqrt(np.sum(g**2, axis=1)) -> "
    "np.sqrt(np.sum(x**2, axis=1)) * np.sqrt(np.sum(g**2, axis=1)) + 1",
)
norms_under_the_root = slip(
    "Under the root there are sums of squares. You used norms.",
    "np.sqrt(np.sum(x**2, axis=1) + 1) * np.sqrt(np.sum(g**2, axis=1)) -> "
    "np.sqrt((np.sqrt(np.sum(x**2, axis=1)) + 1) * np.sqrt(np.sum(g**2, axis=1)))",
)

largest_of_x = slip(
    "You took the largest element of x. A norm adds the squares of all.", "np.sum(x**2, -> np.max(x**2,"
)
largest_of_g = slip(
    "You took the largest element of g. A norm adds the squares of all.", "np.sum(g**2, -> np.max(g**2,"
)


@wrong("You put x, g and 1 into one vector. The gradient of w contains the products of all elements of x and g.")
def one_vector(x, g):
    return np.sqrt(np.sum(x**2, axis=1) + np.sum(g**2, axis=1) + 1)


squares_outside = slip(
    "The squares of the gradient of b belong under the root: the root of the sum of all squares.",
    "np.sqrt(np.sum(x**2, axis=1) + 1) * np.sqrt(np.sum(g**2, axis=1)) -> "
    "np.sqrt(np.sum(x**2, axis=1)) * np.sqrt(np.sum(g**2, axis=1)) + np.sum(g**2, axis=1)",
)


@wrong(
    "You return one number. Each example has a norm of its own: an array, with one element for each row.",
    when=lambda i, expected, got: np.ndim(got) == 0,
)
def one_number(x, g):
    return float(np.linalg.norm(x.T @ g))


in_columns_of_x = slip(
    "You added the squares of x over all examples. One example is a row: sum along axis 1.",
    "np.sum(x**2, axis=1) + 1 -> np.sum(x**2) + 1",
)


@judged("in-columns-of-x")
def in_columns_of_x_and_ones(x, g):
    return np.sqrt(np.sum(x**2) + len(x)) * _of_rows(g)


in_columns_of_g = slip(
    "You added the squares of g over all examples. One example is a row: sum along axis 1.",
    "np.sum(g**2, axis=1) -> np.sum(g**2)",
)
g_for_x = slip("x is missing: the gradient of w has x and g as factors.", "np.sum(x**2 -> np.sum(g**2")
x_for_g = slip("g is missing: the gradients of w and of b have it as a factor.", "np.sum(g**2 -> np.sum(x**2")
columns_of_g_added = slip(
    "b counts once: its squares are those of g, whatever the shape of g.", "axis=1) + 1) -> axis=1) + g.shape[1])"
)
norms_of_the_factors_added = slip(
    "You added the norm of g to that of x and 1. The norm of an outer product is the product of two norms.",
    ") * np.sqrt(np.sum(g -> ) + np.sqrt(np.sum(g",
)
one_subtracted = slip(
    "The squares of the gradient of b are added. You subtracted them.", "axis=1) + 1) -> axis=1) - 1)"
)
absolute_values_of_x = slip(
    "You added absolute values of x. A norm adds squares.", "np.sum(x**2, axis=1) -> np.sum(abs(x), axis=1)"
)


@wrong("That is the norm of x with a 1 for b. g is missing: the gradients of w and of b have it as a factor.")
def without_g(x, g):
    return np.sqrt(np.sum(x**2, axis=1) + 1)


@judged("without-g")
def norm_of_x_alone(x, g):
    return _of_rows(x)


@wrong("You added up the elements of the gradient. A norm adds their squares, and takes the root.")
def elements_added(x, g):
    return (np.sum(x, axis=1) + 1) * np.sum(g, axis=1)


@judged("elements-added")
def absolute_elements_added(x, g):
    return (np.sum(abs(x), axis=1) + 1) * np.sum(abs(g), axis=1)


@wrong(
    "x and g were multiplied element by element. In the gradient of w each element of x is multiplied by each element of g."
)
def products_in_place(x, g):
    return np.sqrt(np.sum((x * g) ** 2, axis=1) + np.sum(g**2, axis=1)) if x.shape == g.shape else norms(x, g)


ways = (
    Way(
        "Do not form the gradients: their norms take less memory.",
        ("peak bytes",),
        holds=lambda inputs, expected, got, done: inputs[0].shape[1] < LARGE or done["peak bytes"] < 1_000_000,
    ),
)
hints = (
    "The gradient with respect to w is an outer product of a row of x and a row of g. What is the norm of an outer product?",
    "Its squared norm is sum(x**2) * sum(g**2), for each row. For b it is sum(g**2).",
    "Together: (sum(x**2) + 1) * sum(g**2) for each row, then the root.",
)
