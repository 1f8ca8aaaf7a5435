"""A step of Newton's method, to write in notebook 10."""

import numpy as np

from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer
from .nb10 import NOTEBOOK

# ---- newton-step ----


def _bowl(rng):
    """A symmetric matrix with clearly positive eigenvalues, a vector, and a place."""
    m = rng.uniform(-1, 1, (3, 3))
    return m @ m.T + 2 * np.eye(3), rng.uniform(-2, 2, 3), rng.uniform(-1, 1, 3)


def _derivatives(a, b, x):
    """Gradient and Hessian of x.a.x / 2 - b.x + sum(exp(x))."""
    return a @ x - b + np.exp(x), a + np.diag(np.exp(x))


def _newton(a, b, x):
    gradient, hessian = _derivatives(a, b, x)
    return x - np.linalg.solve(hessian, gradient)


def _stepped(how):
    def recognises(i, expected, got):
        gradient, hessian = _derivatives(*i)
        return same(i[2] + how(gradient, hessian), got)

    return recognises


STEP = Exercise(
    name="newton-step",
    notebook=NOTEBOOK,
    title="One step of Newton's method",
    points=3,
    statement="""The function is `f(x) = x @ a @ x / 2 - b @ x + sum(exp(x))`, with a symmetric matrix `a` (3 by 3), and vectors
`b` and `x` of three elements. Write `answer(a, b, x)`: it returns the place after one Newton step from `x`, an array.
Let labkit compute the gradient and the Hessian (write `f` with `autograd.numpy`), or work them out by hand.
`np.linalg.solve(m, y)` gives the `z` for which `m @ z = y`.""",
    reference=_newton,
    draw=_bowl,
    arguments=("a", "b", "x"),
    misconceptions=(
        Misconception(
            "wrong-way",
            "The size of the step is right, its direction is not: go against it, x - step.",
            _stepped(lambda g, h: np.linalg.solve(h, g)),
        ),
        Misconception(
            "step-alone",
            "That is the step. Asked is the place after it: x - step.",
            lambda i, expected, got: same(i[2] - expected, got) or same(expected - i[2], got),
        ),
        Misconception(
            "gradient-step",
            "That is a step of gradient descent. Newton's step divides by the curvature: solve(hessian, gradient).",
            _stepped(lambda g, h: -g),
        ),
        Misconception(
            "multiplied",
            "You multiplied with the Hessian. Large curvature means a short way to the minimum, so divide: solve.",
            _stepped(lambda g, h: -h @ g),
        ),
        Misconception(
            "diagonal-only",
            "You divided by the diagonal of the Hessian. What stands beside it belongs to the step, too: solve with the matrix.",
            _stepped(lambda g, h: -g / np.diag(h)),
        ),
        Misconception(
            "rows-added-up",
            "You divided by grad of grad. That is the sum of the Hessian's rows, not the Hessian: use jacrev or jacfwd of grad.",
            _stepped(lambda g, h: -g / h.sum(0)),
        ),
        Misconception(
            "curvature-of-exp-forgotten",
            "You used a for the Hessian. sum(exp(x)) is curved as well: exp(x) on the diagonal.",
            lambda i, expected, got: same(i[2] - np.linalg.solve(i[0], _derivatives(*i)[0]), got),
        ),
    ),
    hints=(
        "The step is the solution z of hessian @ z = gradient; the new place is x - z.",
        "hessian = labkit.jacfwd(labkit.grad(f))(x); labkit.grad(f)(x) is the gradient.",
        "By hand: gradient = a @ x - b + exp(x), hessian = a + diag(exp(x)).",
    ),
    solution="""
import autograd.numpy as anp
import labkit


def newton(a, b, x):
    f = lambda x: x @ a @ x / 2 - b @ x + anp.sum(anp.exp(x))
    gradient = labkit.grad(f)
    return x - np.linalg.solve(labkit.jacfwd(gradient)(x), gradient(x))


answer = newton
""",
    wrong_answers=(
        WrongAnswer(
            "plus",
            "answer = lambda a, b, x: x + np.linalg.solve(a + np.diag(np.exp(x)), a @ x - b + np.exp(x))",
            "wrong-way",
        ),
        WrongAnswer(
            "the step",
            "answer = lambda a, b, x: np.linalg.solve(a + np.diag(np.exp(x)), a @ x - b + np.exp(x))",
            "step-alone",
        ),
        WrongAnswer("descent", "answer = lambda a, b, x: x - (a @ x - b + np.exp(x))", "gradient-step"),
        WrongAnswer(
            "times", "answer = lambda a, b, x: x - (a + np.diag(np.exp(x))) @ (a @ x - b + np.exp(x))", "multiplied"
        ),
        WrongAnswer(
            "diagonal",
            "answer = lambda a, b, x: x - (a @ x - b + np.exp(x)) / (np.diag(a) + np.exp(x))",
            "diagonal-only",
        ),
        WrongAnswer(
            "grad of grad",
            """
import labkit
import autograd.numpy as anp


def answer(a, b, x):
    g = labkit.grad(lambda x: x @ a @ x / 2 - b @ x + anp.sum(anp.exp(x)))
    return x - g(x) / labkit.grad(g)(x)
""",
            "rows-added-up",
        ),
        WrongAnswer(
            "a is the Hessian",
            "answer = lambda a, b, x: x - np.linalg.solve(a, a @ x - b + np.exp(x))",
            "curvature-of-exp-forgotten",
        ),
        WrongAnswer("as a list", "answer = lambda a, b, x: list(x)", "kind"),
    ),
)

EXERCISES = (STEP,)
