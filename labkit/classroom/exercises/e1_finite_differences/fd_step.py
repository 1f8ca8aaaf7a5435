"""# A good step for a central difference (2 points)

Write `step(x, name)`, which returns the step of a central difference at `x` in the format called `name`: `"float64"`,
`"float32"` or `"float16"`. The rule is the cube root of eps, times the absolute value of `x` if that is larger than 1.
`np.finfo(name).eps` is the eps of a format. Return one number.
"""

from functools import partial

import numpy as np

from labkit.classroom.writing import judged, slip, wrong


def step(x, name):
    eps = np.finfo(name).eps
    return float(eps) ** (1 / 3) * max(abs(x), 1.0)


def reference(x, name):
    return np.dtype(name).type(step(x, name))  # with the tolerance of the format


def _drawn_step(rng, low, high, name):
    return float(rng.uniform(low, high)), name


_SIZES = ((20.0, 900.0), (0.05, 0.9), (1.2, 4.0))
_NAMES = ("float64", "float32", "float16", "float32", "float16", "float64")
_ENDS = (*_SIZES, *((-high, -low) for low, high in _SIZES))
draw = tuple(partial(_drawn_step, low=low, high=high, name=name) for (low, high), name in zip(_ENDS, _NAMES))
draws = 8


@wrong(
    "This is the step of another format. Each has an eps of its own, np.finfo(name).eps.",
    when=lambda i, expected, got: any(
        np.isclose(step(i[0], other), got, 1e-3, 0) for other in ("float64", "float32", "float16") if other != i[1]
    ),
)
def format_is_ignored(x, name):
    return step(x, "float64")


@judged("kind")
def a_dtype(x, name):
    return np.dtype(name)


square_root = slip(
    "That is the rule for a forward difference. A central one has a smaller truncation error, so its step is larger: a cube "
    "root.",
    "(1 / 3) -> 0.5",
)
sign_of_x = slip("The sign of x does not matter: use abs(x).", "max(abs(x), 1.0) -> max(x, 1.0)")
x_is_forgotten = slip(
    "At a large x the stored numbers are further apart, so the step has to grow with the size of x.",
    " * max(abs(x), 1.0) -> ",
)
too_small_near_zero = slip(
    "Near 0 your step shrinks towards 0. For abs(x) below 1, use the step for 1.", "max(abs(x), 1.0) -> abs(x)"
)
power_rounded = slip("1 / 3 is not 0.33: a rounded power changes the step by several percent.", "(1 / 3) -> 0.33")
largest_for_eps = slip("max is the largest number of the format. The rule uses eps, the gap at 1.", ".eps\n -> .max\n")

one_added = slip(
    "You added 1 to the size of x. Take the larger of the two: max(abs(x), 1.0).",
    "max(abs(x), 1.0) -> (1 + abs(x))",
)

smaller_of_both = slip(
    "The root is multiplied by the smaller of abs(x) and 1. Take the larger one.",
    "max(abs(x), 1.0) -> min(abs(x), 1.0)",
)

fourth_root = slip(
    "That is a fourth root. The rule uses a cube root.",
    "1 / 3 -> 1 / 4",
)

cubed = slip(
    "Your step is almost 0, as if eps were cubed. The rule uses the cube root, eps ** (1 / 3).",
    "(1 / 3) -> 3",
)

divided_by_three = slip(
    "You divided eps by 3. The cube root is eps ** (1 / 3).",
    "float(eps) ** (1 / 3) -> float(eps) / 3",
)

divided_by_x = slip(
    "The step grows with the size of x: multiply, do not divide.",
    "* max(abs(x), 1.0) -> / max(abs(x), 1.0)",
)

eps_itself = slip(
    "The cube root is missing.",
    "float(eps) ** (1 / 3) -> float(eps)",
)

x_in_the_root = slip(
    "You took the root of the size of x, too. Take the root of eps only.",
    "float(eps) ** (1 / 3) * max(abs(x), 1.0) -> (float(eps) * max(abs(x), 1.0)) ** (1 / 3)",
)

sign_kept = slip(
    "The step has the sign of x. Multiply by the absolute value.", "max(abs(x), 1.0) -> (x if abs(x) > 1 else 1.0)"
)
times_x = slip("You multiplied by x itself: the step vanishes near 0, and has a sign.", "max(abs(x), 1.0) -> x")
two_thirds = slip("The cube root has the power 1 / 3.", "(1 / 3) -> (2 / 3)")
whole_size = slip("The digits of x after the point are lost. Use abs(x).", "max(abs(x), 1.0) -> max(int(abs(x)), 1.0)")
width = slip(
    "You multiplied by 2. The points x - h and x + h are 2 * h apart, and h is the step.",
    "max(abs(x), 1.0) -> 2 * max(abs(x), 1.0)",
)
point_returned = slip(
    "You return the point x + h. The exercise asks for the step h.", "return float(eps) -> return x + float(eps)"
)
gap_below = slip("epsneg is the gap below 1. The rule uses eps, the gap above 1.", ".eps\n -> .epsneg\n")
decimal_digits = slip("resolution is a power of 10. The rule uses eps, the gap at 1.", ".eps\n -> .resolution\n")
number_for_eps = slip("You wrote a number for eps. Each format has its own.", "np.finfo(name).eps -> 1e-16")
doubled_size = slip("The size of x counts once: it is abs(x).", "max(abs(x), 1.0) -> max(2 * abs(x), 1.0)")
cube_root_of_the_root = slip(
    "Your step is the square root divided by 3. The rule uses the cube root.", "** (1 / 3) -> ** (1 / 2) / 3"
)

_SUM = "Your step has the size of x as a term. The rule multiplies the root of eps by this size, and adds nothing."
x_added = slip(_SUM, "* max(abs(x), 1.0) -> + abs(x)")
size_added = slip(_SUM, "* max(abs(x), 1.0) -> + max(abs(x), 1.0)")
one_added_to_the_root = slip(_SUM, "float(eps) ** (1 / 3) -> (float(eps) ** (1 / 3) + 1)")
whole_division = slip(
    "Your step is the size of x, as if the power of eps were 0, like 1 // 3. The power is 1 / 3.", "(1 / 3) -> (1 // 3)"
)
squared_size = slip("The size of x is abs(x), not its square.", "max(abs(x), 1.0) -> max(x**2, 1.0)")
power_of_all = slip(
    "Take the cube root of eps only.",
    "float(eps) ** (1 / 3) * max(abs(x), 1.0) -> float(eps) * max(abs(x), 1.0) ** (1 / 3)",
)
reciprocal_root = slip("The power is 1 / 3, not -1 / 3.", "(1 / 3) -> (-1 / 3)")
halves = slip(
    "You divided by 2. A central difference has x - h and x + h, and h is the step.",
    "max(abs(x), 1.0) -> max(abs(x), 1.0) / 2",
)

tiny_for_eps = slip("tiny is the smallest normal number. The rule uses eps, the gap at 1.", ".eps\n -> .tiny\n")

larger_of_root_and_x = slip(
    "The root of eps is multiplied by the size of x. You took the larger of the two.",
    "float(eps) ** (1 / 3) * max(abs(x), 1.0) -> max(float(eps) ** (1 / 3), abs(x))",
)
root_of_the_size = slip("Use the size of x itself, without a root.", "max(abs(x), 1.0) -> max(abs(x), 1.0) ** 0.5")
hints = (
    "There are three parts: the eps of the format, its cube root, the size of x.",
    "A cube root is ** (1 / 3). The size of x is abs(x).",
    "max(abs(x), 1.0) is the size of x where it is larger than 1, and 1 elsewhere.",
)
