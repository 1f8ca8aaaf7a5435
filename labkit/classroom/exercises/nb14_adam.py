"""An exercise of notebook 14: an Adam to mend."""

from functools import partial

import numpy as np

from ... import mindspore as ms
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer
from .nb14 import NOTEBOOK

# ---- step-adam ----


def _slopes(rng, steps, steady=False):
    """So many gradients of four elements, of very different size; steady ones have one sign, and one element that is 0.

    None is so small that it would matter where 1e-8 is added, which differs between frameworks.
    """
    sizes = 10.0 ** rng.uniform(-1, 2, 4)
    either = lambda low: rng.uniform(low, 2, 4) * rng.choice([-1, 1], 4)
    if steady:
        sizes[rng.integers(4)] = 0.0
    gradients = [np.float32(sizes * (np.abs(g) if steady else g)) for g in (either(0.3) for _ in range(steps))]
    return np.float32(either(0.5)), gradients, float(rng.uniform(0.05, 0.5))


def _small_slopes(rng):
    """Small beside 1e-4, the root of 1e-8, and large beside 1e-8: where that is added is seen, in the root or behind it."""
    gradients = [np.float32(rng.uniform(1.0e-3, 1.4e-3, 4) * rng.choice([-1, 1], 4)) for _ in range(2)]
    return np.float32(rng.uniform(2, 4, 4)), gradients, 0.3


def _adam(p, gradients, rate, corrected=True, rooted=True, counts_from=1, overwrites=False, eps_in_root=False):
    m = v = np.zeros_like(p)
    for t, g in enumerate(gradients, counts_from):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        m_hat, v_hat = (m / (1 - 0.9**t), v / (1 - 0.999**t)) if corrected and t else (m, v)
        if overwrites:
            m, v = m_hat, v_hat
        eps, inside = (0.0, 1e-8) if eps_in_root else (1e-8, 0.0)
        p = p - rate * m_hat / ((np.sqrt(v_hat + inside) if rooted else v_hat) + eps)
    return p


def _by_labkit(p, gradients, rate):
    parameter = ms.Parameter(ms.Tensor(p), name="p")
    optimizer = ms.nn.Adam([parameter], rate)
    for g in gradients:
        optimizer((ms.Tensor(g),))
    return parameter.asnumpy()


def _made(**how):
    return lambda i, expected, got: same(_adam(*i, **how), got)


_BROKEN = """
def adam(p, gradients, rate):
    m, v = np.zeros_like(p), np.zeros_like(p)
    for g in gradients:
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g**2
        p = p - rate * m / (v + 1e-8)
    return p
"""
_MENDED = """
def adam(p, gradients, rate):
    m, v = np.zeros_like(p), np.zeros_like(p)
    for t, g in enumerate(gradients, 1):
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g**2
        mean, square = m / (1 - 0.9**t), v / (1 - 0.999**t)
        p = p - rate * mean / (np.sqrt(square) + 1e-8)
    return p


answer = adam
"""

MEND = Exercise(
    name="step-adam",
    notebook=NOTEBOOK,
    title="Mend Adam",
    points=2,
    statement=f"""`adam` takes one step for each of the `gradients` (a list of arrays) and returns the new `p`. Two things are
missing: the square root, and the bias correction. Mend both.

```python{_BROKEN}```""",
    reference=lambda p, gradients, rate: np.asarray(_by_labkit(p, gradients, rate)),
    draw=(partial(_slopes, steps=3), partial(_slopes, steps=8, steady=True), _small_slopes),
    arguments=("p", "gradients", "rate"),
    misconceptions=(
        Misconception(
            "as-it-was",
            "That is Adam as it was. Divide by the square root of v, and correct m and v for their start at 0.",
            _made(corrected=False, rooted=False),
        ),
        Misconception(
            "no-bias-correction",
            "The bias correction is missing. m and v start at 0 and are too small at first: divide them by 1 - beta**t.",
            _made(corrected=False),
        ),
        Misconception(
            "no-root",
            "The square root is missing. v is the mean of squares: only its root has the size of a gradient.",
            _made(rooted=False),
        ),
        Misconception(
            "eps-in-the-root",
            "1e-8 stands under the root, where it counts as 1e-4. It belongs behind the root.",
            _made(eps_in_root=True),
        ),
        Misconception(
            "corrected-for-good",
            "You wrote the corrected means back into m and v, so the next step corrects them once more. Give them other names.",
            _made(overwrites=True),
        ),
        Misconception(
            "counts-from-zero",
            "The first step has t = 1. With t = 0, 1 - beta**t is 0.",
            _made(counts_from=0),
        ),
    ),
    hints=(
        "enumerate(gradients, 1) gives t = 1, 2, 3 along with the gradients.",
        "The corrected means are m / (1 - 0.9**t) and v / (1 - 0.999**t). Keep m and v themselves as they are.",
        "p = p - rate * m_corrected / (np.sqrt(v_corrected) + 1e-8)",
    ),
    solution=_MENDED,
    wrong_answers=(
        WrongAnswer("as it was", _BROKEN + "\n\nanswer = adam", "as-it-was"),
        WrongAnswer(
            "root only",
            _BROKEN.replace("(v + 1e-8)", "(np.sqrt(v) + 1e-8)") + "\n\nanswer = adam",
            "no-bias-correction",
        ),
        WrongAnswer("correction only", _MENDED.replace("np.sqrt(square)", "square"), "no-root"),
        WrongAnswer(
            "t from 0",
            _MENDED.replace("enumerate(gradients, 1)", "enumerate(gradients)").replace(
                "mean, square = m / (1 - 0.9**t), v / (1 - 0.999**t)",
                "mean, square = (m / (1 - 0.9**t), v / (1 - 0.999**t)) if t else (m, v)",
            ),
            "counts-from-zero",
        ),
        WrongAnswer(
            "written back",
            _MENDED.replace("mean, square", "m, v").replace("mean", "m").replace("square", "v"),
            "corrected-for-good",
        ),
        WrongAnswer(
            "eps in the root", _MENDED.replace("(np.sqrt(square) + 1e-8)", "np.sqrt(square + 1e-8)"), "eps-in-the-root"
        ),
        WrongAnswer("v corrected alone", _MENDED.replace("m / (1 - 0.9**t), v", "m, v"), "value"),
        WrongAnswer("the last step", _MENDED.replace("    return p", "    return mean"), "value"),
    ),
)

EXERCISES = (MEND,)
