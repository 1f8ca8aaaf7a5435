"""Derivatives of one's own, to write in notebook 09: straight-through, and logsumexp."""

from functools import partial

import numpy as np

from ... import mindspore as ms
from ..compare import same
from ..exercise import PLAIN, Exercise, Misconception, WrongAnswer
from .nb09 import NOTEBOOK

# ---- straight-through ----


def _between(rng):
    """Four numbers that are not close to a whole number or to the middle between two, and four targets."""
    x = rng.integers(-4, 5, 4) + rng.choice([-1, 1], 4) * rng.uniform(0.15, 0.4, 4)
    return x.astype(np.float32), rng.uniform(-5, 5, 4).astype(np.float32)


def _straight(x, t):
    def rounded(x):
        return x + ms.ops.stop_gradient(ms.ops.round(x) - x)

    return rounded(x), ms.grad(lambda x: ((rounded(x) - t) ** 2).sum())(x)


STRAIGHT = Exercise(
    name="straight-through",
    notebook=NOTEBOOK,
    title="Round, straight through",
    points=2,
    statement="""Write `answer(x, t)` for two MindSpore Tensors of four elements. Inside, write a function `rounded(x)` whose
value is `ops.round(x)` and whose derivative is 1. Return a pair: `rounded(x)`, and the gradient of
`((rounded(x) - t) ** 2).sum()` for `x`. Use `ms.ops.stop_gradient`; no rule of your own is needed.""",
    reference=_straight,
    draw=_between,
    arguments=("x", "t"),
    tensors="mindspore",
    errors=(("'detach'", "MindSpore has no detach: its word is ops.stop_gradient."),),
    misconceptions=(
        Misconception(
            "slope-of-round",
            "Your gradient is 0: it went through ops.round, whose slope is 0. Put round inside stop_gradient, and give the "
            "gradient a way round it.",
            lambda i, expected, got: same(expected[0], got[0]) and not np.any(got[1]),
        ),
        Misconception(
            "not-rounded",
            "Your value is x itself. Straight-through changes the gradient only: forwards, it still rounds.",
            lambda i, expected, got: same(i[0], got[0]),
        ),
        Misconception(
            "loss-not-rounded",
            "Your gradient is 2 * (x - t), that of a loss without rounding. The loss sees rounded(x), so 2 * (rounded(x) - t) "
            "arrives, and passes straight through.",
            lambda i, expected, got: same(expected[0], got[0]) and same(2 * (i[0] - i[1]), got[1]),
        ),
        Misconception(
            "slope-two",
            "Your gradient is twice too large: the gradient reaches x on two ways. One of them must be stopped.",
            lambda i, expected, got: same(expected[0], got[0]) and same(2 * expected[1], got[1]),
        ),
    ),
    hints=(
        "You need a sum: one part carries the gradient, the other one, stopped, corrects the value.",
        "If x carries the gradient, what has to be added to x so that the value is round(x)?",
        "x + ops.stop_gradient(ops.round(x) - x)",
    ),
    solution="""
def rounded(x):
    return x + ms.ops.stop_gradient(ms.ops.round(x) - x)


def straight(x, t):
    return rounded(x), ms.grad(lambda x: ((rounded(x) - t) ** 2).sum())(x)


answer = straight
""",
    wrong_answers=(
        WrongAnswer(
            "plain round",
            "answer = lambda x, t: (ms.ops.round(x), ms.grad(lambda x: ((ms.ops.round(x) - t) ** 2).sum())(x))",
            "slope-of-round",
        ),
        WrongAnswer(
            "all stopped",
            """
def answer(x, t):
    rounded = lambda x: ms.ops.stop_gradient(ms.ops.round(x))
    return rounded(x), ms.grad(lambda x: ((rounded(x) - t) ** 2).sum())(x)
""",
            "slope-of-round",
        ),
        WrongAnswer("no round", "answer = lambda x, t: (x, ms.grad(lambda x: ((x - t) ** 2).sum())(x))", "not-rounded"),
        WrongAnswer(
            "loss of x",
            "answer = lambda x, t: (ms.ops.round(x), ms.grad(lambda x: ((x - t) ** 2).sum())(x))",
            "loss-not-rounded",
        ),
        WrongAnswer(
            "both ways",
            """
def answer(x, t):
    rounded = lambda x: 2 * x + ms.ops.stop_gradient(ms.ops.round(x) - 2 * x)
    return rounded(x), ms.grad(lambda x: ((rounded(x) - t) ** 2).sum())(x)
""",
            "slope-two",
        ),
        WrongAnswer("gradient alone", "answer = lambda x, t: 2 * (ms.ops.round(x) - t)", "kind"),
    ),
)


# ---- logsumexp-rule ----


def _far_away(rng, side):
    """Four numbers near each other, far away from 0 on this side; and a cotangent."""
    return side * rng.uniform(1500, 3000) + rng.uniform(-2, 2, 4), float(rng.uniform(0.5, 3.0) * rng.choice([-1, 1]))


def _logsumexp(x, g):
    top = np.max(x)
    value = top + np.log(np.sum(np.exp(x - top)))
    return value, g * np.exp(x - value)


def _one_hot(x):
    return (x == np.max(x)).astype(float)


LOGSUMEXP = Exercise(
    name="logsumexp-rule",
    notebook=NOTEBOOK,
    title="logsumexp without overflow",
    points=3,
    statement="""`logsumexp(x)` is `log(sum(exp(x)))`. Write `answer(x, g)` in plain NumPy. It returns a pair: the value of
`logsumexp(x)`, and the gradient that goes back to `x` when the cotangent `g` (a number) arrives. `x` has four elements, all of
them near 2000 or all near -2000, where `exp` gives infinity or 0. Both results must be finite and exact.""",
    reference=_logsumexp,
    draw=tuple(partial(_far_away, side=side) for side in (1, -1)),
    arguments=("x", "g"),
    ways=(PLAIN,),
    misconceptions=(
        Misconception(
            "overflow",
            "There is inf or nan in your result: exp was given large numbers, or log was given 0. Take the largest element "
            "out first: log(sum(exp(x))) = m + log(sum(exp(x - m))).",
            lambda i, expected, got: not all(np.isfinite(part).all() for part in got),
        ),
        Misconception(
            "cotangent-forgotten",
            "Your gradient is the local derivative alone. A rule of vjp multiplies it with what arrives, g.",
            lambda i, expected, got: same(expected[0], got[0]) and same(expected[1] / i[1], got[1]),
        ),
        Misconception(
            "only-the-largest",
            "You sent all of g to the largest element: that is the gradient of max. Here every element gets its share, "
            "exp(x - logsumexp).",
            lambda i, expected, got: same(i[1] * _one_hot(i[0]), got[1]),
        ),
        Misconception(
            "shares-do-not-add-up",
            "Your shares add up to more than g. Divide by the sum: the gradient of logsumexp adds up to what arrives.",
            lambda i, expected, got: same(i[1] * np.exp(i[0] - i[0].max()), got[1]),
        ),
        Misconception(
            "offset-lost",
            "Your gradient is right. The value misses the number that you subtracted: add it again after the log.",
            lambda i, expected, got: same(expected[1], got[1]) and same(expected[0] - i[0].max(), got[0]),
        ),
    ),
    hints=(
        "With m = max(x): exp(x - m) is never larger than 1, and one of its elements is exactly 1.",
        "The derivative for x[i] is exp(x[i]) / sum(exp(x)). Shift it by m, too; then multiply with g.",
        "value = m + log(sum(exp(x - m))); gradient = g * exp(x - value)",
    ),
    solution="""
def logsumexp(x, g):
    largest = np.max(x)
    value = largest + np.log(np.sum(np.exp(x - largest)))
    return value, g * np.exp(x - value)


answer = logsumexp
""",
    wrong_answers=(
        WrongAnswer(
            "as it is written",
            """
def answer(x, g):
    with np.errstate(all="ignore"):
        return np.log(np.sum(np.exp(x))), g * np.exp(x) / np.sum(np.exp(x))
""",
            "overflow",
        ),
        WrongAnswer(
            "no cotangent",
            """
def answer(x, g):
    value = x.max() + np.log(np.exp(x - x.max()).sum())
    return value, np.exp(x - value)
""",
            "cotangent-forgotten",
        ),
        WrongAnswer(
            "gradient of max",
            """
def answer(x, g):
    return x.max() + np.log(np.exp(x - x.max()).sum()), g * (x == x.max())
""",
            "only-the-largest",
        ),
        WrongAnswer(
            "not divided",
            """
def answer(x, g):
    return x.max() + np.log(np.exp(x - x.max()).sum()), g * np.exp(x - x.max())
""",
            "shares-do-not-add-up",
        ),
        WrongAnswer(
            "offset not added",
            """
def answer(x, g):
    shifted = np.exp(x - x.max())
    return np.log(shifted.sum()), g * shifted / shifted.sum()
""",
            "offset-lost",
        ),
        WrongAnswer("value alone", "answer = lambda x, g: x.max() + np.log(np.exp(x - x.max()).sum())", "kind"),
    ),
)

EXERCISES = (STRAIGHT, LOGSUMEXP)
