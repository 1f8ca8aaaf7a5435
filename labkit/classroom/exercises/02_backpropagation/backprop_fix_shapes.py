"""# Fix the engine that forgets the broadcast (2 points)

The loss is `np.sum((x * w + b) ** 2)`. `x` has several rows of 3 numbers, `w` has the shape `(3,)`, and `b` is one number. The
function below is the backward pass, but it returns gradients in the shape of `x`.

[[as_it_came_back as fixed]]

Fix the function so that it returns the gradients of `w` and of `b`, each in the shape of its value.
"""

import numpy as np

from labkit.classroom.writing import judged, slip, wrong


def fixed(x, w, b):
    h = x * w + b
    d_h = 2 * h
    d_w = np.sum(d_h * x, axis=0)
    d_b = np.sum(d_h)
    return d_w, d_b


errors = (
    ("cannot reshape", "reshape keeps the number of elements. Sum over the axes along which the value was repeated."),
)


def draw(rng):
    return (
        rng.integers(-4, 5, (int(rng.integers(4, 7)), 3)).astype(float),
        rng.integers(1, 5, 3) * rng.choice([-1.0, 1.0], 3),
        float(rng.integers(1, 6) * rng.choice([-1, 1])),
    )


@wrong(
    "A gradient still has the shape of h. It has an entry for each use, and the uses of one number add up.",
    when=lambda i, expected, got: np.shape(got[0]) == i[0].shape or np.shape(got[1]) == i[0].shape,
)
def as_it_came_back(x, w, b):
    h = x * w + b
    d_h = 2 * h
    d_w = d_h * x
    d_b = d_h
    return d_w, d_b


def _slopes(x, w, b):
    d_h = 2 * (x * w + b)
    return d_h * x, d_h


@wrong("You took the mean. Every use changes the loss, and the changes add up: sum.", parts=(0, 1))
def mean(x, w, b):
    d_w, d_b = _slopes(x, w, b)
    return np.mean(d_w, axis=0), np.mean(d_b)


@wrong(
    "Sum over the axis along which w was repeated: axis 0, the rows. Its three numbers stay separate.",
    when=lambda i, expected, got: np.shape(got[0]) == (len(i[0]),),
)
def wrong_axis(x, w, b):
    d_w, d_b = _slopes(x, w, b)
    return np.sum(d_w, axis=1), np.sum(d_b)


@wrong(
    "w has three numbers, so its gradient has three. Yours is one number.",
    when=lambda i, expected, got: np.shape(got[0]) == (),
)
def everything_summed(x, w, b):
    d_w, d_b = _slopes(x, w, b)
    return np.sum(d_w), np.sum(d_b)


@wrong(
    "b is one number and was repeated along both axes. Its gradient is one number, too: the sum over both.",
    when=lambda i, expected, got: np.shape(got[1]) not in ((), (1,), (1, 1)) and np.shape(got[1]) != i[0].shape,
)
def b_is_one_number(x, w, b):
    d_w, d_b = _slopes(x, w, b)
    return np.sum(d_w, axis=0), np.sum(d_b, axis=0)


@judged("as-it-came-back")
def only_w(x, w, b):
    d_w, d_b = _slopes(x, w, b)
    return np.sum(d_w, axis=0), d_b


@judged("two-missing")
def no_factor_2(x, w, b):
    d_w, d_b = fixed(x, w, b)
    return d_w / 2, d_b / 2


two_missing = slip(
    "The 2 of the square is missing.",
    "d_h = 2 * h -> d_h = h",
)

x_missing = slip(
    "x is missing in the gradient of w: it is the local derivative of x * w.",
    "np.sum(d_h * x, axis=0) -> np.sum(d_h, axis=0)",
)

w_for_x = slip(
    "The local derivative of x * w with respect to w is x, the other factor.",
    "np.sum(d_h * x, axis=0) -> np.sum(d_h * w, axis=0)",
)

summed_first = slip(
    "You sum before you multiply. The gradient of each row belongs to the x of that row: multiply first, then sum.",
    "np.sum(d_h * x, axis=0) -> np.sum(d_h, axis=0) * np.sum(x, axis=0)",
)

mean_for_b = slip(
    "For b you take the mean. Every use of b adds to the loss: sum.",
    "d_b = np.sum(d_h) -> d_b = np.mean(d_h)",
)

mean_for_w = slip(
    "For w you take the mean over the rows. Every use of w adds to the loss: sum.",
    "d_w = np.sum( -> d_w = np.mean(",
)

b_times_x = slip(
    "x is not a factor of the gradient of b: the local derivative of x * w + b with respect to b is 1.",
    "d_b = np.sum(d_h) -> d_b = np.sum(d_h * x)",
)

exchanged = slip(
    "The two gradients are exchanged.",
    "return d_w, d_b -> return d_b, d_w",
)


first_row_for_w = slip(
    "For w you take one row of the contributions. All rows count: sum over them.",
    "np.sum(d_h * x, axis=0) -> (d_h * x)[0]",
)

last_row_for_w = slip(
    "For w you take one row of the contributions, the last one. All rows count: sum over them.",
    "np.sum(d_h * x, axis=0) -> (d_h * x)[-1]",
)

one_use_of_b = slip(
    "For b you take one element of d_h. b was used for every element: sum over all of them.",
    "d_b = np.sum(d_h) -> d_b = d_h[0, 0]",
)

one_row_for_b = slip(
    "For b you sum one row of d_h. b was used in every row: sum over all elements.",
    "d_b = np.sum(d_h) -> d_b = np.sum(d_h[0])",
)

uses_of_b_counted = slip(
    "You count how often b was used. Its gradient is the sum of the contributions of all uses, the elements of d_h.",
    "d_b = np.sum(d_h) -> d_b = float(d_h.size)",
)

h_for_b = slip(
    "For b you sum h. The backward pass sends d_h, which is 2 * h.",
    "d_b = np.sum(d_h) -> d_b = np.sum(h)",
)

h_for_w = slip(
    "For w you use h. The backward pass sends d_h, which is 2 * h.",
    "np.sum(d_h * x, axis=0) -> np.sum(h * x, axis=0)",
)


@wrong(
    "A matrix product such as x.T @ d_h belongs to x @ w. Here w multiplies element by element: multiply d_h * x, then sum.",
    when=lambda i, expected, got: np.shape(got[0]) == (3, 3),
)
def matrix_product(x, w, b):
    return x.T @ (2 * (x * w + b)), fixed(x, w, b)[1]


reshaped = slip(
    "reshape mixes the columns. Sum over axis 0: each element of w belongs to one column.",
    "np.sum(d_h * x, axis=0) -> (d_h * x).reshape(3, -1).sum(axis=1)",
)

b_left_out = slip(
    "b is missing in h. The square's derivative is taken at h = x * w + b.",
    "h = x * w + b -> h = x * w",
)

b_from_each_row = slip(
    "For b you take the mean over the rows. Every use of b adds to the loss: sum over rows and columns.",
    "d_b = np.sum(d_h) -> d_b = np.sum(np.mean(d_h, axis=0))",
)

b_by_w = slip(
    "w does not belong in the gradient of b: the local derivative of x * w + b with respect to b is 1.",
    "d_b = np.sum(d_h) -> d_b = np.sum(d_h * w)",
)

largest = slip(
    "For w you take the largest contribution of each column. All of them add up: sum.",
    "d_w = np.sum( -> d_w = np.max(",
)


upstream_missing = slip(
    "For w you sum x alone. Multiply it by the upstream gradient d_h.",
    "np.sum(d_h * x, axis=0) -> np.sum(x, axis=0)",
)

square_left = slip(
    "The derivative of h ** 2 is 2 * h. You keep the square.",
    "d_h = 2 * h -> d_h = h**2",
)

w_in_d_h = slip(
    "d_h is the gradient at h: 2 * h. The local gradient w belongs to x, whose gradient is not needed here.",
    "d_h = 2 * h -> d_h = 2 * h * w",
)


b_times_b = slip(
    "b does not belong in its own gradient: the local derivative of x * w + b with respect to b is 1.",
    "d_b = np.sum(d_h) -> d_b = np.sum(d_h * b)",
)

b_counts_once = slip(
    "1 is the local derivative for b. Multiply it by the upstream gradient d_h, and sum over all uses.",
    "d_b = np.sum(d_h) -> d_b = 1.0",
)


first_row_of_x = slip(
    "You multiply the sum by one row of x. Each row of d_h belongs to its own row of x: multiply first, then sum.",
    "np.sum(d_h * x, axis=0) -> np.sum(d_h, axis=0) * x[0]",
)


x_added = slip(
    "d_h and x are multiplied, not added.",
    "d_h * x -> d_h + x",
)

b_subtracted = slip(
    "h is x * w + b. You subtract b.",
    "x * w + b -> x * w - b",
)

values_added = slip(
    "h is x * w + b. You add x and w.",
    "x * w + b -> x + w + b",
)

b_multiplied = slip(
    "h is x * w + b. You multiply by b.",
    "x * w + b -> x * w * b",
)

sign_for_w = slip(
    "The sign of the gradient of w is wrong. The derivative of h with respect to w is x, with a plus.",
    "np.sum(d_h * x, -> np.sum(-d_h * x,",
)

sign_for_b = slip(
    "The sign of the gradient of b is wrong. The derivative of h with respect to b is 1.",
    "d_b = np.sum(d_h) -> d_b = -np.sum(d_h)",
)

one_column_for_b = slip(
    "For b you sum one column of d_h. b was used in every column: sum over all elements.",
    "d_b = np.sum(d_h) -> d_b = np.sum(d_h[:, 0])",
)

all_of_w_for_b = slip(
    "For b you add up the contributions of one row. All rows count.",
    "d_b = np.sum(d_h) -> d_b = np.sum(d_h[-1])",
)


inner_value_missing = slip(
    "The derivative of h ** 2 is 2 * h. The h is missing.",
    "2 * h -> 2",
)


@judged("inner-value-missing")
def two_for_each_element(x, w, b):
    return 2 * x.sum(axis=0), 2.0 * x.size


square_of_the_sum = slip(
    "The loss is a sum of squares, not the square of a sum: each h has its own derivative, 2 * h.",
    "2 * h -> 2 * h.sum() * np.ones_like(h)",
)


b_in_the_factor = slip(
    "The local derivative of x * w + b with respect to w is x. b does not belong in it.",
    "d_h * x -> d_h * (x + b)",
)


hints = (
    "Write the shapes below the lines: h, d_h and d_w have the shape of x.",
    "w was repeated for each row. b was repeated for each row and each column.",
    "np.sum(d_h * x, axis=0) and np.sum(d_h).",
)
