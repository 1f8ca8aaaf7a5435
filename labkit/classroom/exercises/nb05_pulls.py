"""Functions to write in notebook 05: pulls that build no matrix."""

import autograd.numpy as anp
import numpy as np

from ... import engine
from ..compare import same
from ..exercise import PLAIN, Exercise, Misconception, Way, WrongAnswer
from .nb05 import NOTEBOOK

# ---- vector-pull-cumsum ----


def _pull_cumsum(v):
    return engine.vjp(anp.cumsum, np.zeros(v.shape))[1](v)[0]


PULL_CUMSUM = Exercise(
    name="vector-pull-cumsum",
    notebook=NOTEBOOK,
    title="A pull without the matrix",
    points=2,
    statement="""`y = np.cumsum(x)` is the running sum: `y[i] = x[0] + ... + x[i]`.
Write `pull(v)`: it returns v times the Jacobian, an array like `v`. Do not build the matrix, and use no labkit.
(One line is enough.)""",
    reference=_pull_cumsum,
    draw=lambda rng: (rng.integers(-9, 10, int(rng.integers(4, 8))).astype(float),),
    arguments=("v",),
    ways=(PLAIN, Way("The matrix was not to be built.", ("table",))),
    misconceptions=(
        Misconception(
            "pushed",
            "That is J v, a push: v went through the function like an input. A pull multiplies from the left: "
            "add up the columns.",
            lambda i, expected, got: same(np.cumsum(i[0]), got),
        ),
        Misconception(
            "in-reverse-order",
            "The sums are right, their order is not: the first element belongs to x[0], which every output contains.",
            lambda i, expected, got: same(expected[::-1], got),
        ),
        Misconception(
            "without-its-own",
            "y[i] contains x[i] itself: the diagonal of the matrix is filled, too.",
            lambda i, expected, got: same(expected - i[0], got),
        ),
        Misconception(
            "everything-counts",
            "You added up all of v for every input. An output y[i] does not depend on inputs after x[i]: "
            "half of the matrix is zero.",
            lambda i, expected, got: same(np.full(i[0].shape, i[0].sum()), got),
        ),
        Misconception(
            "elementwise",
            "You returned v: that would be the pull of y = x. Here x[0] moves every output.",
            lambda i, expected, got: same(i[0], got),
        ),
    ),
    hints=(
        "Draw the Jacobian for three elements: ones on and below the diagonal.",
        "Element j of the pull is the sum of v[i] over all outputs y[i] that contain x[j]: i = j and after.",
        "A running sum from the end: turn v round, take np.cumsum, turn it round again.",
    ),
    solution="""
def pull(v):
    return np.cumsum(v[::-1])[::-1]


answer = pull
""",
    wrong_answers=(
        WrongAnswer("a push", "answer = lambda v: np.cumsum(v)", "pushed"),
        WrongAnswer("not turned back", "answer = lambda v: np.cumsum(v[::-1])", "in-reverse-order"),
        WrongAnswer("later ones", "answer = lambda v: np.cumsum(v[::-1])[::-1] - v", "without-its-own"),
        WrongAnswer("all", "answer = lambda v: np.full(v.shape, v.sum())", "everything-counts"),
        WrongAnswer("itself", "answer = lambda v: v.copy()", "elementwise"),
        WrongAnswer("one number", "answer = lambda v: v.sum()", "shape"),
        WrongAnswer("differences", "answer = lambda v: np.diff(v, prepend=0.0)", "value"),
    ),
)


# ---- vector-matmul ----


def _pull_matmul(x, w, g):
    return tuple(engine.vjp(anp.matmul, x, w)[1](g))


MATMUL = Exercise(
    name="vector-matmul",
    notebook=NOTEBOOK,
    title="The rule of matmul",
    points=2,
    statement="""`y = x @ w`, and `g` is the gradient that arrives at `y`. Write `pull(x, w, g)`: it returns the tuple
`(dx, dw)` of both gradients, in plain NumPy. All three are square here, so the shapes do not give the order away.""",
    reference=_pull_matmul,
    draw=lambda rng: tuple(rng.integers(-3, 4, (3, 3, 3)).astype(float)),
    arguments=("x", "w", "g"),
    ways=(PLAIN,),
    misconceptions=(
        Misconception(
            "not-transposed",
            "Going back, the other matrix is transposed: a row of w says where a number of x goes to, and its transpose "
            "says where its gradient comes from.",
            lambda i, expected, got: same(i[2] @ i[1], got[0]) or same(i[0] @ i[2], got[1]),
        ),
        Misconception(
            "wrong-side",
            "The two factors of a product are in the wrong order. w stands on the right of x, so its transpose stands on "
            "the right of g; x stands on the left of w, and its transpose on the left of g.",
            lambda i, expected, got: same(i[1].T @ i[2], got[0]) or same(i[2] @ i[0].T, got[1]),
        ),
        Misconception(
            "results-swapped",
            "Both are there, in the wrong order: first the gradient for x, then the one for w.",
            lambda i, expected, got: same(expected[::-1], got),
        ),
        Misconception(
            "result-transposed",
            "One of your products is the transpose of what it should be: a gradient has its rows and columns where its "
            "array has them.",
            lambda i, expected, got: same(expected[0].T, got[0]) or same(expected[1].T, got[1]),
        ),
        Misconception(
            "g-forgotten",
            "You took the same gradient for every element of y. g says how much each of them counts.",
            lambda i, expected, got: same((np.ones((3, 3)) @ i[1].T, i[0].T @ np.ones((3, 3))), got),
        ),
        Misconception(
            "elementwise",
            "That is the rule of x * w. In x @ w each element of x meets a whole row of w.",
            lambda i, expected, got: same((i[2] * i[1], i[2] * i[0]), got),
        ),
    ),
    hints=(
        "y[i, j] is the sum of x[i, k] * w[k, j] over k. Which elements of y does x[i, k] move, and how much?",
        "So dx[i, k] is the sum of g[i, j] * w[k, j] over j. Which matrix product is that?",
        "dx = g @ w.T. For dw[k, j], sum x[i, k] * g[i, j] over i.",
    ),
    solution="""
def pull(x, w, g):
    return g @ w.T, x.T @ g


answer = pull
""",
    wrong_answers=(
        WrongAnswer("as they are", "answer = lambda x, w, g: (g @ w, x @ g)", "not-transposed"),
        WrongAnswer("one transposed", "answer = lambda x, w, g: (g @ w.T, x @ g)", "not-transposed"),
        WrongAnswer("sides", "answer = lambda x, w, g: (w.T @ g, g @ x.T)", "wrong-side"),
        WrongAnswer("swapped", "answer = lambda x, w, g: (x.T @ g, g @ w.T)", "results-swapped"),
        WrongAnswer("the other way round", "answer = lambda x, w, g: (g @ w.T, g.T @ x)", "result-transposed"),
        WrongAnswer("no g", "answer = lambda x, w, g: (np.ones((3, 3)) @ w.T, x.T @ np.ones((3, 3)))", "g-forgotten"),
        WrongAnswer("as for *", "answer = lambda x, w, g: (g * w, g * x)", "elementwise"),
        WrongAnswer("a list", "answer = lambda x, w, g: [g @ w.T, x.T @ g]", "kind"),
        WrongAnswer("only one", "answer = lambda x, w, g: g @ w.T", "kind"),
    ),
)

EXERCISES = (PULL_CUMSUM, MATMUL)
