"""A Hessian-vector product with two inputs, to write in notebook 10."""

import numpy as np

from ... import torch
from ..compare import same
from ..exercise import Exercise, Misconception, Way, WrongAnswer
from .nb10 import NOTEBOOK

# ---- own-hvp ----


def _place_and_direction(rng):
    x, y = rng.uniform(0.5, 1.5, (2, 3)).astype(np.float32)
    u, v = rng.uniform(0.5, 2.0, (2, 3)).astype(np.float32) * rng.choice([-1, 1], (2, 3)).astype(np.float32)
    return x, y, u, v


def _product(x, y, u, v):
    first = torch.autograd.grad((x * y).sum() ** 2, (x, y), create_graph=True)
    return torch.autograd.grad(first, (x, y), grad_outputs=(u, v))


def _blocks(x, y):
    """Of (x . y)**2: the blocks xx, xy and yy of the Hessian; yx is xy transposed."""
    s, one = np.sum(x * y), np.eye(len(x), dtype=x.dtype)
    return 2 * np.outer(y, y), 2 * np.outer(y, x) + 2 * s * one, 2 * np.outer(x, x)


def _along(i, u, v):
    xx, xy, yy = _blocks(*i[:2])
    return xx @ u + xy @ v, xy.T @ u + yy @ v


def _own_blocks(i):
    xx, _, yy = _blocks(*i[:2])
    return xx @ i[2], yy @ i[3]


def _other_blocks(i):
    _, xy, _ = _blocks(*i[:2])
    return xy @ i[3], xy.T @ i[2]


def _first_order(i):
    x, y, u, v = i
    return 2 * np.sum(x * y) * y * u, 2 * np.sum(x * y) * x * v


def _sums_of_rows(i):
    return _along(i, np.ones_like(i[2]), np.ones_like(i[3]))


HVP = Exercise(
    name="own-hvp",
    notebook=NOTEBOOK,
    title="Hessian times vector, with two inputs",
    points=3,
    statement="""The function `f(x, y) = (x * y).sum() ** 2` has two inputs of three elements, so its Hessian is 6 by 6. You go
from `(x, y)` along the direction `(u, v)`. Write `answer(x, y, u, v)` in PyTorch: it returns how the gradient for `x` and the
gradient for `y` change, as a tuple of two tensors. That is the Hessian times the six elements of the direction. Walk back only
twice. All four are tensors of three elements; `x` and `y` are leaves that require grad.""",
    reference=_product,
    draw=_place_and_direction,
    arguments=("x", "y", "u", "v"),
    ways=(Way("Walk back only twice: once for the gradient, once along the direction.", ("walk back",), most=2),),
    tensors="torch",
    errors=(
        ("does not require grad", "The first gradient has no history: say create_graph=True when you compute it."),
        ("second time", "The walk before freed its saved values. One walk can take both gradients and both inputs."),
        (
            "only for scalar outputs",
            "A gradient has three elements. Say how much each counts: grad_outputs=(u, v), or a sum of products.",
        ),
    ),
    misconceptions=(
        Misconception(
            "own-blocks-only",
            "You let each input act on its own gradient alone. But the gradient for x also changes when y does: x and y are "
            "multiplied. Walk back from both gradients at once.",
            lambda i, expected, got: same(_own_blocks(i), got),
        ),
        Misconception(
            "other-blocks-only",
            "You have what y does to the gradient for x, and x to that for y. What each does to its own gradient is missing.",
            lambda i, expected, got: same(_other_blocks(i), got),
        ),
        Misconception(
            "direction-ignored",
            "The direction plays no part: this is the sum of the Hessian's rows. Weight the gradients with u and v before you "
            "walk back again.",
            lambda i, expected, got: same(_sums_of_rows(i), got),
        ),
        Misconception(
            "weighted-afterwards",
            "You multiplied with the direction after the second walk. Weight the gradients before it.",
            lambda i, expected, got: same(tuple(h * d for h, d in zip(_sums_of_rows(i), i[2:], strict=True)), got),
        ),
        Misconception(
            "first-order",
            "These are the gradients with u and v, first derivatives. Differentiate once more.",
            lambda i, expected, got: same(_first_order(i), got),
        ),
        Misconception(
            "swapped",
            "The two results have changed places.",
            lambda i, expected, got: same(tuple(expected[::-1]), got),
        ),
    ),
    hints=(
        "Call the gradients g and h. The number (g * u).sum() + (h * v).sum() knows all you need.",
        "Its gradient for (x, y) is the answer, if g and h are on the tape: create_graph=True.",
        "first = torch.autograd.grad(..., (x, y), create_graph=True); then grad(first, (x, y), grad_outputs=(u, v)).",
    ),
    solution="""
def product(x, y, u, v):
    first = torch.autograd.grad((x * y).sum() ** 2, (x, y), create_graph=True)
    return torch.autograd.grad(first, (x, y), grad_outputs=(u, v))


answer = product
""",
    wrong_answers=(
        WrongAnswer(
            "each for itself",
            """
def answer(x, y, u, v):
    g, h = torch.autograd.grad((x * y).sum() ** 2, (x, y), create_graph=True)
    along_x = torch.autograd.grad(g, x, grad_outputs=u, retain_graph=True)[0]
    return along_x, torch.autograd.grad(h, y, grad_outputs=v)[0]
""",
            "own-blocks-only",
        ),
        WrongAnswer(
            "each for the other",
            """
def answer(x, y, u, v):
    g, h = torch.autograd.grad((x * y).sum() ** 2, (x, y), create_graph=True)
    along_y = torch.autograd.grad(h, x, grad_outputs=v, retain_graph=True)[0]
    return along_y, torch.autograd.grad(g, y, grad_outputs=u)[0]
""",
            "other-blocks-only",
        ),
        WrongAnswer(
            "no direction",
            """
def answer(x, y, u, v):
    g, h = torch.autograd.grad((x * y).sum() ** 2, (x, y), create_graph=True)
    return torch.autograd.grad(g.sum() + h.sum(), (x, y))
""",
            "direction-ignored",
        ),
        WrongAnswer(
            "direction at the end",
            """
def answer(x, y, u, v):
    g, h = torch.autograd.grad((x * y).sum() ** 2, (x, y), create_graph=True)
    a, b = torch.autograd.grad(g.sum() + h.sum(), (x, y))
    return a * u, b * v
""",
            "weighted-afterwards",
        ),
        WrongAnswer(
            "one walk",
            """
def answer(x, y, u, v):
    g, h = torch.autograd.grad((x * y).sum() ** 2, (x, y))
    return g * u, h * v
""",
            "first-order",
        ),
        WrongAnswer(
            "swapped",
            """
def answer(x, y, u, v):
    first = torch.autograd.grad((x * y).sum() ** 2, (x, y), create_graph=True)
    return torch.autograd.grad(first, (y, x), grad_outputs=(u, v))
""",
            "swapped",
        ),
        WrongAnswer(
            "no history",
            """
def answer(x, y, u, v):
    first = torch.autograd.grad((x * y).sum() ** 2, (x, y))
    return torch.autograd.grad(first, (x, y), grad_outputs=(u, v))
""",
            "error",
        ),
        WrongAnswer(
            "for x alone",
            """
def answer(x, y, u, v):
    g, h = torch.autograd.grad((x * y).sum() ** 2, (x, y), create_graph=True)
    return torch.autograd.grad((g * u).sum() + (h * v).sum(), x)[0]
""",
            "kind",
        ),
    ),
)

EXERCISES = (HVP,)
