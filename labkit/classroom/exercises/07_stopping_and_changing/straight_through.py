"""# Round with a straight-through gradient (2 points)

Write `answer(x, t)` for two MindSpore Tensors of four elements. Inside it, write a function `rounded(x)` whose value is
`ops.round(x)` and whose derivative is 1. Return a pair: `rounded(x)`, and the gradient of `((rounded(x) - t) **
2).sum()` with respect to `x`. Let MindSpore compute this gradient.
`ms.ops.stop_gradient` is enough for it: you need no rule of your own.
"""

import numpy as np

from labkit import mindspore as ms
from labkit.classroom.ways import DELIVERED, delivered
from labkit.classroom.writing import Way, judged, slip, wrong


def rounded(x):
    return x + ms.ops.stop_gradient(ms.ops.round(x) - x)


def answer(x, t):
    return rounded(x), ms.grad(lambda x: ((rounded(x) - t) ** 2).sum())(x)


def draw(rng):
    """Four numbers that are not close to a whole number or to the middle between two, and four targets."""
    x = rng.integers(-4, 5, 4) + rng.choice([-1, 1], 4) * rng.uniform(0.15, 0.4, 4)
    return x.astype(np.float32), rng.uniform(-5, 5, 4).astype(np.float32)


tensors = "mindspore"
errors = (("'detach'", "MindSpore has no detach: use ops.stop_gradient."),)


@wrong(
    "Your gradient is 0: ops.round passes none on, and every other path is stopped or cancels out. Put round inside "
    "stop_gradient, and leave one path for the gradient."
)
def slope_of_round(x, t):
    return ms.ops.round(x), ms.grad(lambda x: ((ms.ops.round(x) - t) ** 2).sum())(x)


@wrong("Your value is x itself. Straight-through changes only the gradient: the forward pass still rounds.", parts=(0,))
def not_rounded(x, t):
    return x, ms.grad(lambda x: ((x - t) ** 2).sum())(x)


@wrong("Your gradient is twice as large as it should be: x contributes twice, and should contribute once.")
def slope_two(x, t):
    rounded = lambda x: 2 * x + ms.ops.stop_gradient(ms.ops.round(x) - 2 * x)
    return rounded(x), ms.grad(lambda x: ((rounded(x) - t) ** 2).sum())(x)


@judged("slope-of-round")
def all_stopped(x, t):
    rounded = lambda x: ms.ops.stop_gradient(ms.ops.round(x))
    return rounded(x), ms.grad(lambda x: ((rounded(x) - t) ** 2).sum())(x)


@judged("kind")
def gradient_alone(x, t):
    return 2 * (ms.ops.round(x) - t)


def _through_the_loss(inputs, expected, got, done):
    return delivered(got[1], done, ((np.round(inputs[0]) - inputs[1]) ** 2).sum())


x_left_in = slip(
    "The value is x + round(x). Subtract x inside stop_gradient, so that the value is round(x).",
    "ms.ops.round(x) - x -> ms.ops.round(x)",
)

difference_turned_round = slip(
    "The sign of the difference is wrong: the value has to be x + (round(x) - x).",
    "ms.ops.round(x) - x -> x - ms.ops.round(x)",
)

mean = slip(
    "The loss is a sum. You took the mean.",
    "t) ** 2).sum() -> t) ** 2).mean()",
)

two_missing = slip(
    "The 2 of the square is missing in the gradient.",
    "return rounded(x), ms.grad -> return rounded(x), 0.5 * ms.grad",
)


stopped_factor = slip(
    "As a stopped factor round(x) / x also scales the gradient: use a stopped term that is added.",
    "x + ms.ops.stop_gradient(ms.ops.round(x) - x) -> x * ms.ops.stop_gradient(ms.ops.round(x) / x)",
)

wrong_x_stopped = slip(
    "The sign of your gradient is wrong. Either the derivative of your rounded(x) is -1, because the x with the minus is "
    "not stopped, or you differentiate with respect to t.",
    "x + ms.ops.stop_gradient(ms.ops.round(x) - x) -> ms.ops.stop_gradient(x) - x + ms.ops.round(x)",
)

gradient_of_rounded = slip(
    "Your gradient is 1, that of rounded(x) or of rounded(x) - t. The loss is a square: 2 * (rounded(x) - t) is missing.",
    "((rounded(x) - t) ** 2).sum() -> rounded(x).sum()",
)


rounded_down = slip(
    "ops.round gives the nearest whole number. You round down.",
    "ms.ops.round(x) - x -> ms.ops.floor(x) - x",
)

loss_returned = slip(
    "The second part is the loss. The exercise asks for its gradient.",
    "ms.grad(lambda x: ((rounded(x) - t) ** 2).sum())(x) -> ((rounded(x) - t) ** 2).sum()",
)

times_x = slip(
    "The gradient is 2 * (rounded(x) - t). You also multiply by x.",
    "return rounded(x), ms.grad -> return rounded(x), x * ms.grad",
)


loss_not_rounded = slip(
    "Your gradient is 2 * (x - t), that of a loss without rounding. The loss depends on rounded(x), so the upstream "
    "gradient is 2 * (rounded(x) - t), which passes straight through.",
    "((rounded(x) - t) ** 2).sum() -> ((x - t) ** 2).sum()",
)


target_missing = slip(
    "t is missing: the loss contains rounded(x) - t.",
    "((rounded(x) - t) ** 2) -> (rounded(x) ** 2)",
)

target_added = slip(
    "The loss contains rounded(x) - t. You add t.",
    "rounded(x) - t) -> rounded(x) + t)",
)

twice_for_squared = slip(
    "The loss is the square of rounded(x) - t, not twice that difference.",
    "t) ** 2).sum() -> t) * 2).sum()",
)

product_for_sum = slip(
    "A stopped factor scales the gradient. The correction round(x) - x is added to x.",
    "x + ms.ops.stop_gradient -> x * ms.ops.stop_gradient",
)

x_added_twice = slip(
    "The value is round(x) + 2 * x. Inside stop_gradient, x is subtracted.",
    "ms.ops.round(x) - x -> ms.ops.round(x) + x",
)

rounded_up = slip(
    "ops.round gives the nearest whole number. You round up.",
    "ms.ops.round(x) - x -> ms.ops.ceil(x) - x",
)

correction_alone = slip(
    "The value is round(x) - x. x is missing in front of stop_gradient.",
    "x + ms.ops.stop_gradient(ms.ops.round(x) - x) -> 0 * x + ms.ops.stop_gradient(ms.ops.round(x) - x)",
)


times_rounded = slip(
    "The gradient is 2 * (rounded(x) - t). You also multiply by round(x).",
    "return rounded(x), ms.grad -> return rounded(x), ms.ops.round(x) * ms.grad",
)

absolute_value = slip(
    "The loss contains the square of rounded(x) - t. You take the absolute value.",
    "((rounded(x) - t) ** 2).sum() -> ms.ops.abs(rounded(x) - t).sum()",
)


@wrong("The derivative of rounded(x) is 1 everywhere. You set the gradient to 0 where x is far from 0.")
def only_near_zero(x, t):
    return rounded(x), 2 * (rounded(x) - t) * (ms.ops.abs(x) <= 1)


ways = (Way(DELIVERED, ("passes",), holds=_through_the_loss),)
hints = (
    "You need a sum: one term carries the gradient, and the other, a stopped term, corrects the value.",
    "If x carries the gradient, what do you have to add to x so that the value is round(x)?",
    "x + ops.stop_gradient(ops.round(x) - x)",
)
