"""A function to write in notebook 07: one gradient in two parts."""

import numpy as np

from ... import mindspore as ms
from ..compare import same
from ..exercise import Exercise, Misconception, Way, WrongAnswer
from .nb07 import NOTEBOOK

# ---- sens-two-parts ----


def _first(x):
    return x**2 * x.sum()


def _second(h):
    return (h**3).sum()


def _through(x):
    return ms.grad(_first, sens_param=True)(x, ms.grad(_second)(_first(x)))


def _jacobian(x):
    """That of the first part."""
    return np.diag(2 * x * x.sum()) + np.outer(x**2, np.ones_like(x))


def _instead(compute):
    return lambda i, expected, got: same(np.asarray(compute(i[0].astype(float)), np.float32), got)


TWO_PARTS = Exercise(
    name="sens-two-parts",
    notebook=NOTEBOOK,
    title="Two machines",
    points=3,
    statement="""A function is too large for one machine. The first half runs on one, the second half on another:

```python
def first(x):
    return x**2 * x.sum()

def second(h):
    return (h**3).sum()
```

Write `through(x)`: it returns the gradient of `second(first(x))` for `x`. Call `ms.grad` once for each half: no function
may contain both. (Define `first` and `second` inside. `x` is a Tensor of three elements.)""",
    reference=_through,
    draw=lambda rng: (rng.uniform(0.4, 1.4, 3).astype(np.float32),),
    arguments=("x",),
    ways=(Way("Call `ms.grad` once for each half: no function may contain both.", ("walk back",), most=None, least=2),),
    tensors="mindspore",
    misconceptions=(
        Misconception(
            "no-seed",
            "That is the gradient of the first half alone, with every element of h counting once. How much each of them "
            "counts, the second half says.",
            _instead(lambda x: np.ones(3) @ _jacobian(x)),
        ),
        Misconception(
            "second-only",
            "That is the gradient for h. It has come back to the first machine; now pull it through the first half.",
            _instead(lambda x: 3 * (x**2 * x.sum()) ** 2),
        ),
        Misconception(
            "at-the-wrong-place",
            "You differentiated the second half at x. It was run at h = first(x): its slopes belong to that place.",
            _instead(lambda x: 3 * x**2 @ _jacobian(x)),
        ),
        Misconception(
            "multiplied-element-by-element",
            "You multiplied two gradients element by element. The chain rule multiplies by a Jacobian: each h depends on "
            "all of x here. Give the gradient for h as the seed.",
            _instead(lambda x: 3 * (x**2 * x.sum()) ** 2 * (np.ones(3) @ _jacobian(x))),
        ),
        Misconception(
            "h-as-the-seed",
            "You seeded with h itself. The seed is the gradient of the second half for h.",
            _instead(lambda x: (x**2 * x.sum()) @ _jacobian(x)),
        ),
    ),
    hints=(
        "First compute h = first(x): that is what goes to the second machine.",
        "The second machine sends back one array: the gradient of second at h. It says how much each element of h counts.",
        "That array is the sens of the first half: ms.grad(first, sens_param=True)(x, sens).",
    ),
    solution="""
def through(x):
    def first(x):
        return x**2 * x.sum()

    def second(h):
        return (h**3).sum()

    h = first(x)
    sens = ms.grad(second)(h)
    return ms.grad(first, sens_param=True)(x, sens)


answer = through
""",
    wrong_answers=(
        WrongAnswer("first half", "answer = lambda x: ms.grad(lambda x: x**2 * x.sum())(x)", "no-seed"),
        WrongAnswer("second half", "answer = lambda x: ms.grad(lambda h: (h**3).sum())(x**2 * x.sum())", "second-only"),
        WrongAnswer(
            "at x",
            "answer = lambda x: ms.grad(lambda x: x**2 * x.sum(), sens_param=True)(x, ms.grad(lambda h: (h**3).sum())(x))",
            "at-the-wrong-place",
        ),
        WrongAnswer(
            "product",
            "answer = lambda x: ms.grad(lambda x: x**2 * x.sum())(x) * ms.grad(lambda h: (h**3).sum())(x**2 * x.sum())",
            "multiplied-element-by-element",
        ),
        WrongAnswer(
            "h",
            "answer = lambda x: ms.grad(lambda x: x**2 * x.sum(), sens_param=True)(x, x**2 * x.sum())",
            "h-as-the-seed",
        ),
        WrongAnswer("one number", "answer = lambda x: ms.grad(lambda x: (x**2 * x.sum()).sum())(x).sum()", "shape"),
        WrongAnswer(
            "a loss as the seed",
            "answer = lambda x: ms.grad(lambda x: x**2 * x.sum(), sens_param=True)(x, ((x**2 * x.sum()) ** 3).sum())",
            "error",
        ),
        WrongAnswer("itself", "answer = lambda x: x * 1", "value"),
    ),
)

EXERCISES = (TWO_PARTS,)
