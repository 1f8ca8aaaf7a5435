"""# Clip by the global norm, yourself (2 points)

Write `clip(a, b, max_norm)`, where `a` and `b` are gradients (Tensors) and `max_norm` is a number. If the norm of all their
elements together is larger than `max_norm`, scale both gradients by the same factor so that this norm becomes `max_norm`;
otherwise do not change them. Return both in a tuple. Do not use the `clip` functions of `ops`.
"""

from functools import partial

import numpy as np

from labkit import mindspore as ms
from labkit.classroom.writing import Way, judged, slip, wrong


def clip(a, b, max_norm):
    norm = float(((a**2).sum() + (b**2).sum()).asnumpy()) ** 0.5
    factor = max_norm / max(norm, max_norm)
    return a * factor, b * factor


def _norm(*arrays):
    return np.sqrt(sum(np.sum(np.square(a)) for a in arrays))


def _draw_gradients(rng, part, size):
    """Two gradients, and a limit that is this part of their norm: below the norm of one, of both, or above all.

    With `size` their norm is below or above 1, so that its square is shorter or longer than the limit where the norm is not.
    """
    a, b = (g / _norm(g) for g in (rng.normal(size=(2, 3)), rng.normal(size=4)))
    a, b = (np.float32(g * size * rng.uniform(1.0, 1.2)) for g in (a, b))
    return a, b, round(float(_norm(a, b) * part), 3)


def reference(a, b, max_norm):
    return ms.ops.clip_by_global_norm((a, b), float(max_norm))


draw = tuple(
    partial(_draw_gradients, part=part, size=size)
    for part, size in ((0.3, 1.0), (1.5, 0.3), (0.6, 1.0), (1.2, 3.0), (0.9, 0.3))
)
tensors = "mindspore"


@wrong(
    "You clipped each gradient by its own norm. Global means one norm over all elements, and one factor for all: "
    "it keeps the direction of the whole step."
)
def each_its_own_norm(a, b, m):
    return tuple(g * min(1.0, m / float((g**2).sum().asnumpy()) ** 0.5) for g in (a, b))


@wrong("You clipped each element. That changes the direction; scaling all of them by one factor keeps it.")
def by_value(a, b, m):
    return ms.ops.clip_by_value(a, -m, m), ms.ops.clip_by_value(b, -m, m)


@wrong("You scaled gradients whose norm was already small enough. Clipping never increases a norm.")
def always_scaled(a, b, m):
    f = m / float(((a**2).sum() + (b**2).sum()).asnumpy()) ** 0.5
    return a * f, b * f


@wrong("You added the two norms. Add the squares of all elements first, and take one root at the end.")
def norms_added(a, b, m):
    n = float((a**2).sum().asnumpy()) ** 0.5 + float((b**2).sum().asnumpy()) ** 0.5
    return a * min(1.0, m / n), b * min(1.0, m / n)


@judged("kind")
def a_list(a, b, m):
    return list(ms.ops.clip_by_global_norm((a, b), m))


root_missing = slip(
    "The square root of the sum of squares is missing.",
    ".asnumpy()) ** 0.5 -> .asnumpy())",
)

norm_of_one = slip(
    "The clipped gradients have the norm 1. They should have the norm max_norm.",
    "max_norm / max(norm, max_norm) -> (1 / norm if norm > max_norm else 1.0)",
)

b_not_scaled = slip(
    "b is not scaled. Both gradients get the same factor.",
    "a * factor, b * factor -> a * factor, b",
)

mean_of_squares = slip(
    "A norm adds the squares. You took their mean.",
    "(a**2).sum() + (b**2).sum() -> (a**2).mean() + (b**2).mean()",
)

only_a_counts = slip(
    "The norm is that of all elements of a and b. b is missing.",
    "((a**2).sum() + (b**2).sum()) -> ((a**2).sum())",
)

factor_upside_down = slip(
    "The factor is inverted: divide max_norm by the norm.",
    "max_norm / max(norm, max_norm) -> max(norm, max_norm) / max_norm",
)

largest_element = slip(
    "You used the largest element as the norm. The norm is the root of the sum of all squares.",
    "float(((a**2).sum() + (b**2).sum()).asnumpy()) ** 0.5 -> max(float(abs(a).max()), float(abs(b).max()))",
)


limit_squared = slip(
    "The clipped gradients have the norm max_norm**2. Multiply by max_norm once.",
    "max_norm / max(norm, max_norm) -> (max_norm**2 / norm if norm > max_norm else 1.0)",
)

larger_norm = slip(
    "You took the larger of the two norms. The global norm is the root of the sum of all squares, of a and b.",
    "float(((a**2).sum() + (b**2).sum()).asnumpy()) ** 0.5 -> "
    "max(float((a**2).sum().asnumpy()), float((b**2).sum().asnumpy())) ** 0.5",
)

sum_of_elements = slip(
    "You added the elements. A norm adds their squares, and takes the root.",
    "(a**2).sum() + (b**2).sum() -> a.sum() ** 2 + b.sum() ** 2",
)

absolute_values = slip(
    "You added the absolute values. A norm adds the squares, and takes the root.",
    "float(((a**2).sum() + (b**2).sum()).asnumpy()) ** 0.5 -> float((abs(a).sum() + abs(b).sum()).asnumpy())",
)

not_clipped = slip("Nothing is clipped.", "return a * factor, b * factor -> return a, b")
a_not_scaled = slip("a is not scaled. Both gradients get the same factor.", "a * factor, b * factor -> a, b * factor")

mean_of_the_norms = slip(
    "You took the mean of the two norms. The global norm is the root of the sum of all squares.",
    "float(((a**2).sum() + (b**2).sum()).asnumpy()) ** 0.5 -> "
    "(float((a**2).sum().asnumpy()) ** 0.5 + float((b**2).sum().asnumpy()) ** 0.5) / 2",
)

excess_subtracted = slip(
    "A clip multiplies all elements by one factor. You subtracted a number from each.",
    "a * factor, b * factor -> a - max(0, norm - max_norm), b - max(0, norm - max_norm)",
)

limit_added = slip(
    "The factor is max_norm / norm. You added max_norm to the norm.",
    "max_norm / max(norm, max_norm) -> max_norm / (norm + max_norm)",
)


@wrong(
    "You compute the norm again after scaling a, so b gets a different factor. Compute one norm, and one factor for both."
)
def norm_again(a, b, m):
    def norm():
        return float(((a**2).sum() + (b**2).sum()).asnumpy()) ** 0.5

    a = a * (m / max(norm(), m))
    return a, b * (m / max(norm(), m))


squared_in_the_factor = slip(
    "The factor divides by the norm. You divided by its square.",
    "max_norm / max(norm, max_norm) -> (max_norm / norm**2 if norm > max_norm else 1.0)",
)


squares_compared = slip(
    "You compared the squared norm with max_norm. The square root belongs to the comparison, too.",
    "max_norm / max(norm, max_norm) -> (max_norm / norm if norm**2 > max_norm else 1.0)",
)
comparison_reversed = slip(
    "The comparison is reversed: you scaled the gradients with a norm below max_norm, and not those above it.",
    "max(norm, max_norm) -> min(norm, max_norm)",
)
only_b_counts = slip(
    "The norm is that of all elements of a and b. a is missing.",
    "((a**2).sum() + (b**2).sum()) -> ((b**2).sum())",
)
scaled_twice = slip(
    "You applied the factor twice. Multiply by it once.", "a * factor, b * factor -> a * factor**2, b * factor**2"
)
elements_of_one_alone = slip(
    "Compare the norm of all elements with max_norm. You compared the larger norm of the two.",
    "max_norm / max(norm, max_norm) -> "
    "(max_norm / norm if max(float((g**2).sum()) ** 0.5 for g in (a, b)) > max_norm else 1.0)",
)


@judged("mean-of-squares")
def mean_of_all_squares(a, b, m):
    squares = np.append(a.asnumpy(), b.asnumpy()) ** 2
    factor = m / max(float(squares.mean()) ** 0.5, m)
    return a * factor, b * factor


@judged("mean-of-squares")
def mean_of_the_means(a, b, m):
    norm = float((((a**2).mean() + (b**2).mean()) / 2).asnumpy()) ** 0.5
    return a * (m / max(norm, m)), b * (m / max(norm, m))


own_factor_for_each = slip(
    "One factor serves both: max_norm divided by the norm of all elements. You divided by the norm of each.",
    "a * factor, b * factor -> [g * (max_norm / float((g**2).sum()) ** 0.5 if norm > max_norm else 1) for g in (a, b)]",
)
zeros_below = slip(
    "Gradients whose norm is small enough do not change. You set them to 0.",
    "max_norm / max(norm, max_norm) -> (max_norm / norm if norm > max_norm else 0.0)",
)
sign_changed = slip(
    "A clip keeps the direction. You changed the sign.", "a * factor, b * factor -> a * -factor, b * -factor"
)


root_of_the_factor = slip(
    "Your factor is the root of the right one. Divide max_norm by the norm, without another root.",
    "factor = max_norm / max(norm, max_norm) -> factor = (max_norm / max(norm, max_norm)) ** 0.5",
)


ways = (
    Way(
        "Do not use the `clip` functions of `ops`.",
        ("clips",),
        holds=lambda inputs, expected, got, done: not done["clips"],
    ),
)
hints = (
    "The global norm is the root of the sum of the squares of all elements of a and of b.",
    "Use one factor for both: max_norm / norm if norm is larger than max_norm, else 1.",
    "norm = ((a**2).sum() + (b**2).sum()) ** 0.5; multiply both by max_norm / max(norm, max_norm).",
)
