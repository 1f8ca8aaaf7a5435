"""# Repair the gradient by differences (3 points)

`by_differences(x, h)` should return the forward difference of `f` for each of the numbers in the array `x`, as a new array,
and leave `x` as it was. Repair the two mistakes of this version.

[[f, as_it_was as by_differences]]
"""

import numpy as np

from labkit.classroom.writing import judged, same, slip, wrong


def f(x):
    return np.sum(x * x * x) + x[0] * x[1]


def by_differences(x, h):
    gradient = np.zeros(len(x))
    for i in range(len(x)):
        moved = x.copy()
        moved[i] += h
        gradient[i] = (f(moved) - f(x)) / h
    return gradient


answer = by_differences


def draw(rng):
    x = rng.uniform(0.5, 2.0, int(rng.integers(3, 6)))
    return x * rng.choice([-1, 1], len(x)), float(rng.choice([0.05, 0.1, 0.2, 0.3]))


def _all_at_once(x, h):
    return (f(x + h) - f(x)) / h


@wrong("The first number is right. When you move the second number, the first one is still moved.")
def never_moved_back(x, h):
    moved = x.copy()
    gradient = np.zeros(len(x))
    for i in range(len(x)):
        moved[i] += h
        gradient[i] = (f(moved) - f(x)) / h
    return gradient


@wrong("That is the exact derivative. The exercise asks for what the difference gives, with its truncation error.")
def the_derivative_itself(x, h):
    found = 3 * x * x
    found[0] += x[1]
    found[1] += x[0]
    return found


@wrong(
    "You moved all numbers together. For the derivative with respect to one of them, keep the others fixed.",
    when=lambda i, expected, got: same(np.full(np.shape(got), _all_at_once(*i)), got),
)
def all_at_once(x, h):
    return _all_at_once(x, h) + 0 * x


@wrong("That is the central difference. The exercise asks for the forward one: from x to x + h.")
def central(x, h):
    return (by_differences(x, h) + by_differences(x, -h)) / 2


@wrong("That is the change of f. A slope is this change divided by the change of x.")
def not_divided(x, h):
    return by_differences(x, h) * h


@wrong(
    "Every number is 0. moved = x does not copy the array: does x[i] differ between the two arrays, and is the difference "
    "stored?"
)
def compared_with_itself(x, h):
    return 0 * x


@judged("all-at-once")
def one_number(x, h):
    return _all_at_once(x, h)


@judged("compared-with-itself")
def as_it_was(x, h):
    moved = x
    gradient = np.zeros(len(x))
    for i in range(len(x)):
        moved[i] += h
        gradient[i] = (f(moved) - f(x)) / h
    return gradient


moved_backward = slip(
    "That is the backward difference, from x - h to x. The exercise asks for the forward one.",
    "moved[i] += h\n -> moved[i] -= h\n",
    "f(moved) - f(x) -> f(x) - f(moved)",
)

values_added = slip("A difference subtracts f(x). You added it.", "f(moved) - f(x) -> f(moved) + f(x)")
_BACK = "You moved by -h, and the sign of the difference is that of a step by h. Add h."
moved_back_alone = slip(_BACK, "moved[i] += h\n -> moved[i] -= h\n")
sign = slip(
    "The sign is wrong: subtract the value before the move from the value after it.",
    "f(moved) - f(x) -> f(x) - f(moved)",
)

divided_by_two_steps = slip(
    "2 * h belongs to the central difference. Divide by h.",
    "/ h -> / (2 * h)",
)

multiplied = slip(
    "Divide by h. You multiplied by it.",
    "/ h -> * h",
)

last_left_out = slip(
    "The last number has no difference: the loop ends too early.",
    "range(len(x)) -> range(len(x) - 1)",
)

first_number_only = slip(
    "The return is inside the loop: only the first number gets a difference.",
    "    return gradient ->         return gradient",
)
first_left_out = slip("The first number has no difference: the loop begins at 1.", "range(len(x)) -> range(1, len(x))")
gradient_added_up = slip(
    "Each number has a difference of its own. You added them up.", "gradient[i] = ( -> gradient[: i + 1] += ("
)
moved_from_here = slip("You moved the numbers from i on together. Move one.", "moved[i] += h -> moved[i:] += h")
first_moved = slip("You always moved the first number. Move number i.", "moved[i] += h -> moved[0] += h")
step_doubled = slip("You moved the number by 2 * h, and divided by h.", "moved[i] += h\n -> moved[i] += 2 * h\n")
forward_with_two_steps = slip(
    "That is the difference from x to x + 2 * h. The exercise asks for the one to x + h.",
    "moved[i] += h\n -> moved[i] += 2 * h\n",
    "/ h -> / (2 * h)",
)
_BRACKETS = "Only one of the two values is divided by h. The difference needs brackets."
first_value_divided = slip(_BRACKETS, "(f(moved) - f(x)) / h -> f(moved) / h - f(x)")
second_value_divided = slip(_BRACKETS, "(f(moved) - f(x)) / h -> f(moved) - f(x) / h")
added_to_all = slip("You add each difference to all elements. Number i has its own.", "gradient[i] = -> gradient +=")
one_place = slip(
    "All differences are stored at index 0. The one for number i belongs at index i.", "gradient[i] = -> gradient[0] ="
)
moved_returned = slip("You return the moved point. Return the differences.", "return gradient -> return moved")
all_moved_subtracted = slip(
    "You subtract the value after all numbers have moved. Subtract f(x).", "f(moved) - f(x) -> f(moved) - f(x + h)"
)
squares_added = slip("f has the cube of each number. You took the square.", "x * x * x -> x * x")


def _one_copy(x, h, back):
    moved, found = x.copy(), []
    for i in range(len(x)):
        moved[i] += h
        found.append((f(moved) - f(x)) / h)
        moved[i] = back(x[i], h)
    return np.array(found)


@wrong("A number that has moved is set to 0 afterwards. Set it back to x[i].")
def set_to_zero(x, h):
    return _one_copy(x, h, lambda number, h: 0.0)


@wrong("A number moves back too far: by 2 * h. It moved by h.")
def back_too_far(x, h):
    return _one_copy(x, h, lambda number, h: number - h)


moved_to_h = slip("You set the number to h. Add h to it.", "moved[i] += h -> moved[i] = h")
moved_by_a_factor = slip("You moved the number in proportion to its size. Add h.", "moved[i] += h -> moved[i] *= 1 + h")

divided_by_x = slip("Divide by h, the distance that x moved. You divided by x.", "/ h -> / x[i]")
product_forgotten = slip("f also contains the product x[0] * x[1].", " + x[0] * x[1] -> ")
central_over_h = slip(
    "That is f(x + h) - f(x - h). A forward difference subtracts f(x).",
    "(f(moved) - f(x)) / h -> (f(moved) - f(2 * x - moved)) / h",
)


@wrong("You subtract the value after the previous move. Subtract f(x), and move one number at a time.")
def telescoped(x, h):
    moved, found = x.copy(), []
    for i in range(len(x)):
        before = f(moved)
        moved[i] += h
        found.append((f(moved) - before) / h)
    return np.array(found)


@wrong("Each number moves by h, not by h times itself.")
def relative_step(x, h):
    return np.array([by_differences(x, h * x[i])[i] for i in range(len(x))])


size_only = slip(
    "The difference has a sign. You took its absolute value.", "(f(moved) - f(x)) / h -> abs(f(moved) - f(x)) / h"
)
half_a_step = slip("You moved the number by h / 2, and divided by h.", "moved[i] += h\n -> moved[i] += h / 2\n")
second_difference = slip(
    "That approximates the second derivative. A forward difference is f(moved) - f(x), divided by h.",
    "(f(moved) - f(x)) / h -> (f(moved) - 2 * f(x) + f(2 * x - moved)) / h**2",
)

one_place_early = slip("The differences are stored one index too early.", "gradient[i] = -> gradient[i - 1] =")
all_moved_before = slip(
    "All numbers are moved before number i is. Start from a copy of x.", "moved = x.copy() -> moved = x + h"
)
all_moved_back = slip(
    "You subtract the value after all numbers have moved back. Subtract f(x).", "- f(x)) -> - f(moved - h))"
)


hints = (
    "After moved = x there are two names for one array. What is f(moved) - f(x) then?",
    "x.copy() makes a new array. Where does it belong, before the loop or inside it?",
    "Inside the loop: moved = x.copy(), then moved[i] += h. Each iteration starts from the given x.",
)
