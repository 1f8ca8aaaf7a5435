"""The repair of notebook 09: a nan behind a `where`."""

import numpy as np

from ... import torch
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer
from .nb09 import NOTEBOOK


def _with_bad_ones(rng):
    """Six elements, of which one is 0 and two are negative, in any order; and a weight."""
    x = np.concatenate([rng.uniform(0.5, 4.0, 3), [0.0], -rng.uniform(0.5, 4.0, 2)])
    return rng.permutation(x).astype(np.float32), np.array(rng.uniform(0.5, 2.0), np.float32)


def _gradients(x, w, inner, outer=True):
    root = w * torch.sqrt(inner(x))
    if outer:
        root = torch.where(x > 0, root, 0.0)
    return torch.autograd.grad(root.sum(), (x, w))


def _repaired(x, w):
    return _gradients(x, w, lambda x: torch.where(x > 0, x, 1.0))


def _right_where_positive(i, expected, got):
    return same(expected[0][i[0] > 0], got[0][i[0] > 0])


REPAIR = Exercise(
    name="nan-repair",
    notebook=NOTEBOOK,
    title="Repair the nan",
    points=3,
    statement="""`x` has six elements, some of them negative and one 0; `w` is a number. Both are leaves that require grad. This
function should give the gradients of `sum(w * sqrt(x))`, where elements that are not positive count 0. It gives nan: in `x`, and,
far worse, in `w`, which all elements share. Repair it so that every gradient is finite and exact.

```python
def answer(x, w):
    root = torch.where(x > 0, w * torch.sqrt(x), 0.0)
    return torch.autograd.grad(root.sum(), (x, w))
```""",
    reference=_repaired,
    draw=_with_bad_ones,
    arguments=("x", "w"),
    tensors="torch",
    misconceptions=(
        Misconception(
            "nan-in-the-weight",
            "There is still nan in the gradient for w. The where chose the right value, but sqrt was run on all elements, and "
            "the 0 that where sends back to the others is multiplied with nan. Give sqrt a harmless input there.",
            lambda i, expected, got: np.isnan(got[1]),
        ),
        Misconception(
            "painted-over",
            "You replaced nan by 0 at the end. That hides it: the whole gradient of w is lost, with the part that was right.",
            lambda i, expected, got: got[1] == 0 and _right_where_positive(i, expected, got),
        ),
        Misconception(
            "zero-left",
            "Negative elements are repaired; where x is 0, nan or inf is left, for the slope of sqrt at 0 is infinite. "
            "Exclude 0, too.",
            lambda i, expected, got: not np.isfinite(got[0]).all() and bool((np.isfinite(got[0]) | (i[0] == 0)).all()),
        ),
        Misconception(
            "harmless-input-counted",
            "The inner where is right. But now the harmless values count: keep the outer where, too.",
            lambda i, expected, got: (
                same(expected[0], got[0]) and np.isfinite(got[1]) and float(got[1]) > float(expected[1]) * 1.01
            ),
        ),
        Misconception(
            "others-count",
            "Every element is finite now, but those that are not positive have a gradient. They count 0, so it must be 0.",
            lambda i, expected, got: bool(np.isfinite(got[0]).all() and np.any(got[0][i[0] <= 0])),
        ),
    ),
    hints=(
        "where computes both of its branches in full. On the way back it sends 0 to the elements that it did not choose.",
        "0 * nan is nan, and 0 * inf is nan. So the slope of sqrt must be finite for the elements that are not chosen.",
        "safe = torch.where(x > 0, x, 1.0); then sqrt(safe) inside the where that is there already.",
    ),
    solution="""
def repaired(x, w):
    safe = torch.where(x > 0, x, 1.0)
    root = torch.where(x > 0, w * torch.sqrt(safe), 0.0)
    return torch.autograd.grad(root.sum(), (x, w))


answer = repaired
""",
    wrong_answers=(
        WrongAnswer(
            "as it was",
            """
def answer(x, w):
    root = torch.where(x > 0, w * torch.sqrt(x), 0.0)
    return torch.autograd.grad(root.sum(), (x, w))
""",
            "nan-in-the-weight",
        ),
        WrongAnswer(
            "nan made 0",
            """
def answer(x, w):
    root = torch.where(x > 0, w * torch.sqrt(x), 0.0)
    found = torch.autograd.grad(root.sum(), (x, w))
    return tuple(torch.where(torch.isnan(g), 0.0, g) for g in found)
""",
            "painted-over",
        ),
        WrongAnswer(
            "clamped at 0",
            """
def answer(x, w):
    root = torch.where(x > 0, w * torch.sqrt(x.clamp(min=0.0)), 0.0)
    return torch.autograd.grad(root.sum(), (x, w))
""",
            "zero-left",
        ),
        WrongAnswer(
            "inner where alone",
            """
def answer(x, w):
    root = w * torch.sqrt(torch.where(x > 0, x, 1.0))
    return torch.autograd.grad(root.sum(), (x, w))
""",
            "harmless-input-counted",
        ),
        WrongAnswer(
            "absolute value",
            """
def answer(x, w):
    root = w * torch.sqrt(torch.abs(x) + 1e-6)
    return torch.autograd.grad(root.sum(), (x, w))
""",
            "others-count",
        ),
        WrongAnswer(
            "weight forgotten",
            """
def answer(x, w):
    root = torch.where(x > 0, w * torch.sqrt(torch.where(x > 0, x, 1.0)), 0.0)
    return torch.autograd.grad(root.sum(), x)
""",
            "structure",
        ),
    ),
)

EXERCISES = (REPAIR,)
