"""The exercises of notebook 01 about the step of a finite difference."""

from functools import partial

from ...precision import FORMATS
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer

NOTEBOOK = "01_slopes"


# ---- fd-balance ----


BALANCE = Exercise(
    name="fd-balance",
    notebook=NOTEBOOK,
    title="Where the two errors balance",
    points=2,
    statement="""A forward difference has the truncation error `c * h` and the round-off error `e / h`. Write `best(c, e)`. It
returns a tuple: the `h` for which the sum of both errors is smallest, and that smallest sum.
`c` and `e` are positive numbers.""",
    reference=lambda c, e: ((e / c) ** 0.5, 2 * (e * c) ** 0.5),
    draw=lambda rng: (float(rng.uniform(1.5, 9.0)), float(rng.uniform(1.0, 9.0) * 10.0 ** rng.integers(-8, -3))),
    arguments=("c", "e"),
    misconceptions=(
        Misconception(
            "upside-down",
            "A larger round-off error asks for a larger step. Your h gets smaller.",
            lambda i, expected, got: same((i[0] / i[1]) ** 0.5, got[0]),
        ),
        Misconception(
            "no-root",
            "With h = e / c the two errors are far from equal. Put the derivative of c*h + e/h to zero: c = e / h**2.",
            lambda i, expected, got: same(i[1] / i[0], got[0]),
        ),
        Misconception(
            "one-of-two-errors",
            "The step is right. At this step both errors are equally large, and the sum has two of them.",
            lambda i, expected, got: same(expected[0], got[0]) and same(expected[1] / 2, got[1]),
        ),
        Misconception(
            "as-small-as-it-gets",
            "With a step of the size of e, round-off is as large as the slope itself.",
            lambda i, expected, got: same(i[1], got[0]),
        ),
    ),
    hints=(
        "The sum is c*h + e/h. You know from school how to find where a function is smallest.",
        "Its derivative is c - e / h**2. Where is it zero?",
        "h = (e / c) ** 0.5. Put that h into c*h + e/h for the second number.",
    ),
    solution="""
def best(c, e):
    h = (e / c) ** 0.5
    return h, c * h + e / h


answer = best
""",
    wrong_answers=(
        WrongAnswer("upside down", "answer = lambda c, e: ((c / e) ** 0.5, 2 * (c * e) ** 0.5)", "upside-down"),
        WrongAnswer("no root", "answer = lambda c, e: (e / c, e + c)", "no-root"),
        WrongAnswer("one error", "answer = lambda c, e: ((e / c) ** 0.5, (e * c) ** 0.5)", "one-of-two-errors"),
        WrongAnswer("h is e", "answer = lambda c, e: (e, c * e + 1)", "as-small-as-it-gets"),
        WrongAnswer("the step alone", "answer = lambda c, e: (e / c) ** 0.5", "kind"),
        WrongAnswer("a cube root", "answer = lambda c, e: ((e / c) ** (1 / 3), 2 * (e * c) ** 0.5)", "value"),
    ),
)


# ---- fd-step ----


def _step(x, name):
    return FORMATS[name].eps ** (1 / 3) * max(abs(x), 1.0)


def _eps(i):
    return FORMATS[i[1]].eps


def _drawn_step(rng, low, high, name):
    return float(rng.uniform(low, high)), name


_SIZES = ((20.0, 900.0), (0.05, 0.9), (1.2, 4.0))
_NAMES = ("float64", "float32", "float16", "float32", "float16", "float64")
_ENDS = (*_SIZES, *((-high, -low) for low, high in _SIZES))


STEP = Exercise(
    name="fd-step",
    notebook=NOTEBOOK,
    title="A good step for a central difference",
    points=2,
    statement="""Write `step(x, name)` for a central difference at `x` in the format called `name`: `"float64"`, `"float32"` or
`"float16"`. The rule is: the cube root of eps; times the size of `x` where that is larger than 1.
`np.finfo(name).eps` is the eps of a format. Return a Python float.""",
    reference=_step,
    draw=tuple(partial(_drawn_step, low=low, high=high, name=name) for (low, high), name in zip(_ENDS, _NAMES)),
    arguments=("x", "name"),
    draws=8,
    misconceptions=(
        Misconception(
            "square-root",
            "That is the rule for a forward difference. The truncation of a central one shrinks faster, so its step is "
            "larger: a cube root.",
            lambda i, expected, got: same(_eps(i) ** 0.5 * max(abs(i[0]), 1.0), float(got)),
        ),
        Misconception(
            "sign-of-x",
            "The size of x counts, not its sign: use abs(x).",
            lambda i, expected, got: i[0] < -1 and same(_eps(i) ** (1 / 3), float(got)),
        ),
        Misconception(
            "x-is-forgotten",
            "At a large x the stored numbers lie further apart, so the step has to grow with the size of x.",
            lambda i, expected, got: abs(i[0]) > 1 and same(_eps(i) ** (1 / 3), float(got)),
        ),
        Misconception(
            "too-small-near-zero",
            "Near 0 the step would shrink to nothing. Below 1 it stays as it is for 1.",
            lambda i, expected, got: abs(i[0]) < 1 and same(_eps(i) ** (1 / 3) * abs(i[0]), float(got)),
        ),
    ),
    hints=(
        "There are three parts: the eps of the format, its cube root, the size of x.",
        "A cube root is ** (1 / 3). The size of x is abs(x).",
        "max(abs(x), 1.0) is the size of x where it is larger than 1, and 1 elsewhere. Wrap it all in float(...).",
    ),
    solution="""
def step(x, name):
    eps = np.finfo(name).eps
    return float(eps) ** (1 / 3) * max(abs(x), 1.0)


answer = step
""",
    wrong_answers=(
        WrongAnswer(
            "forward", "answer = lambda x, name: float(np.finfo(name).eps) ** 0.5 * max(abs(x), 1.0)", "square-root"
        ),
        WrongAnswer("no x", "answer = lambda x, name: float(np.finfo(name).eps) ** (1 / 3)", "x-is-forgotten"),
        WrongAnswer(
            "always times x",
            "answer = lambda x, name: float(np.finfo(name).eps) ** (1 / 3) * abs(x)",
            "too-small-near-zero",
        ),
        WrongAnswer(
            "no abs", "answer = lambda x, name: float(np.finfo(name).eps) ** (1 / 3) * max(x, 1.0)", "sign-of-x"
        ),
        WrongAnswer("one format", "answer = lambda x, name: 6.0555e-06 * max(abs(x), 1.0)", "value"),
        WrongAnswer("a dtype", "answer = lambda x, name: np.dtype(name)", "kind"),
    ),
)

EXERCISES = (BALANCE, STEP)
