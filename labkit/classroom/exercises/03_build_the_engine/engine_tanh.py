"""# Add tanh (2 points)

The derivative of `tanh(x)` is `1 - tanh(x)**2`. Write its rule for the engine, `tanh_rule(g, ans, x)`, where `g` is the
upstream gradient, `ans` is `tanh(x)`, and `x` is the argument. The rule returns the contribution to the gradient of `x`. The
three arguments may be boxes of an engine, so use only `+ - * /` and `**` on them: a function of plain numbers such as
`math.tanh` does not work on a box.
"""

from functools import partial

import numpy as np

from labkit.classroom.writing import judged, slip, wrong


def tanh_rule(g, ans, x):
    return g * (1 - ans * ans)


def _draw_point(rng, signs):
    """`g`, `tanh(x)` and `x`, with these signs of `g` and `x`."""
    g, x = float(signs[0] * rng.uniform(1.2, 3.0)), float(signs[1] * rng.uniform(0.3, 1.5))
    return g, float(np.tanh(x)), x


tensors = "boxes"
errors = (
    ("has no attribute 'value'", "The rule works for boxes of any engine: use + - * / and ** on ans itself."),
    ("a Python float", "A function of plain numbers fails on boxes: use + - * / and **."),
)
draw = tuple(partial(_draw_point, signs=signs) for signs in ((-1, 1), (1, 1), (-1, -1), (1, -1)))


@wrong("ans is tanh(x) already. You took the tanh of it once more.")
def tanh_of_the_result(g, ans, x):
    return g * (1 - np.tanh(ans) ** 2)


@judged("kind")
def a_list(g, ans, x):
    return [g * (1 - ans**2)]


brackets_missing = slip(
    "The brackets are missing: g multiplies the whole derivative.",
    "g * (1 - ans * ans) -> g * 1 - ans * ans",
)

sign = slip(
    "The sign is wrong: the derivative of tanh is never negative.",
    "1 - ans * ans -> ans * ans - 1",
)

twice_for_squared = slip(
    "tanh(x)**2 is ans * ans, not 2 * ans.",
    "ans * ans -> 2 * ans",
)

twice_x = slip(
    "tanh(x)**2 is ans * ans, not 2 * x.",
    "ans * ans -> 2 * x",
)

derived_once_more = slip(
    "1 - tanh(x)**2 is the derivative already. You differentiated it once more.",
    "(1 - ans * ans) -> (-2 * ans)",
)

divided = slip(
    "g is multiplied by the local derivative, not divided by it.",
    "g * (1 - ans * ans) -> g / (1 - ans * ans)",
)

upstream_squared = slip(
    "The square belongs to tanh(x), not to g.",
    "ans * ans -> g * g",
)


value_for_derivative = slip(
    "ans is the value tanh(x). The derivative is 1 - tanh(x)**2.",
    "(1 - ans * ans) -> ans",
)


rule_of_the_sigmoid = slip(
    "ans * (1 - ans) is the derivative of the sigmoid. The derivative of tanh is 1 - tanh(x)**2.",
    "(1 - ans * ans) -> ans * (1 - ans)",
)

bracket_squared = slip(
    "The square belongs to tanh(x) alone, not to the whole bracket.",
    "(1 - ans * ans) -> (1 - ans) ** 2",
)

times_x = slip(
    "1 - tanh(x)**2 is the whole derivative. You also multiply by x.",
    "g * ( -> g * x * (",
)

times_the_result = slip(
    "1 - tanh(x)**2 is the whole derivative. You also multiply by ans.",
    "g * ( -> g * ans * (",
)

one_missing = slip(
    "The derivative is 1 - tanh(x)**2. The 1 is missing.",
    "(1 - ans * ans) -> (-ans * ans)",
)

square_alone = slip(
    "tanh(x)**2 alone is not the derivative: it is 1 - tanh(x)**2.",
    "(1 - ans * ans) -> (ans * ans)",
)

divided_by_g = slip(
    "You divide the local gradient by g. Multiply them.",
    "g * (1 - ans * ans) -> (1 - ans * ans) / g",
)

result_for_g = slip(
    "The upstream gradient is g. You multiply by ans.",
    "g * ( -> ans * (",
)

argument_for_g = slip(
    "The upstream gradient is g. You multiply by x.",
    "g * ( -> x * (",
)

cube = slip(
    "tanh(x)**2 is ans**2: a square, not another power.",
    "ans * ans -> ans * ans * ans",
)


derivative_of_arctan = slip(
    "1 / (1 + x**2) is the derivative of arctan. The derivative of tanh is 1 - tanh(x)**2.",
    "g * (1 - ans * ans) -> g / (1 + x * x)",
)

inverse_cosh = slip(
    "The derivative of tanh is 1 - tanh(x)**2. You divide by 1 + tanh(x)**2.",
    "g * (1 - ans * ans) -> g / (1 + ans * ans)",
)


g_forgotten = slip(
    "That is the local gradient alone. Multiply it by the upstream gradient g.",
    "g * (1 - ans * ans) -> 1 - ans * ans",
)


x_for_the_result = slip(
    "You squared x. The derivative contains tanh(x), which is ans.",
    "ans * ans -> x * x",
)


not_squared = slip(
    "The square is missing: 1 - tanh(x)**2.",
    "ans * ans -> ans",
)


g_added = slip(
    "g and the local gradient are multiplied, not added.",
    "g * ( -> g + (",
)


plus = slip(
    "The derivative of tanh is 1 - tanh(x)**2, with a minus.",
    "1 - ans * ans -> 1 + ans * ans",
)


g_inside_the_square = slip(
    "g multiplies the whole derivative. It does not belong inside the square.",
    "g * (1 - ans * ans) -> 1 - (g * ans) ** 2",
)

two_in_front = slip(
    "1 - tanh(x)**2 is the whole derivative. A factor of 2 does not belong in it.",
    "g * (1 - ans * ans) -> g * (1 - 2 * ans * ans)",
)

sigmoid_of_the_argument = slip(
    "x * (1 - x) is the derivative of the sigmoid, if x is replaced by its value. The derivative of tanh is 1 - tanh(x)**2.",
    "g * (1 - ans * ans) -> g * x * (1 - x)",
)

g_in_the_square = slip(
    "In the derivative tanh(x) is squared. You replaced one of its two factors by g.",
    "g * (1 - ans * ans) -> g * (1 - g * ans)",
)


root_taken = slip(
    "1 - tanh(x)**2 is the whole derivative. You took its root.",
    "g * (1 - ans * ans) -> g * (1 - ans * ans) ** 0.5",
)


x_in_the_square = slip(
    "tanh(x)**2 is ans * ans. You multiply ans by x.",
    "ans * ans -> ans * x",
)


hints = (
    "Every rule is the upstream gradient times the local gradient.",
    "The local gradient is 1 - tanh(x)**2, and ans is already tanh(x).",
    "g * (1 - ans**2), or without powers g * (1 - ans * ans).",
)
