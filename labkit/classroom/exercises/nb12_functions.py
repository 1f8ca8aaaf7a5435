"""The functions to write in notebook 12: a static scaler, the largest scale, a dynamic scaler, and a step to repair."""

from functools import partial

import numpy as np

from ... import mindspore as ms
from ...precision import statistics
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer
from .nb12 import NOTEBOOK

# ---- scale-static ----


def _scaled_gradient(w, x, scale):
    return ms.grad(lambda w: (w.astype(ms.float16) * x).sum() * 2**-16 * scale)(w)


def _step(w, x, scale, lr):
    return w - lr * (_scaled_gradient(w, x, scale) / scale)


def _stepped(inputs, scale, divided):
    """The new weights with another scale, or another division, as a plain array."""
    w, x, _, lr = inputs
    gradient = _scaled_gradient(ms.Tensor(w), ms.Tensor(x), scale).asnumpy()
    return (w - lr * gradient / divided).astype(np.float32)


_STATIC = """
def step(w, x, scale, lr):
    def loss(w):
        return (w.astype(ms.float16) * x).sum() * 2**-16

    gradient = {}
    return {}


answer = step
"""
_GRADIENT, _NEW = "ms.grad(lambda w: loss(w) * scale)(w)", "w - lr * (gradient / scale)"

STATIC = Exercise(
    name="scale-static",
    notebook=NOTEBOOK,
    title="Write the static scaler",
    points=3,
    statement="""`w` is a float32 Tensor of weights, `x` a float16 Tensor of data. The loss is computed in float16:

```python
def loss(w):
    return (w.astype(ms.float16) * x).sum() * 2**-16
```

Its gradient vanishes. Write `step(w, x, scale, lr)`: one training step with the loss scale `scale`. It returns the new
weights, `w - lr * gradient`, where `gradient` is that of the loss *without* the scale. (`lr` is large, because the loss is
tiny.)""",
    reference=_step,
    draw=lambda rng: (
        rng.uniform(0.5, 2.0, 4).astype(np.float32),
        (rng.uniform(0.5, 1.0, 4) * 2.0**-10).astype(np.float16),
        2.0 ** int(rng.integers(11, 14)),
        2.0**22,
    ),
    arguments=("w", "x", "scale", "lr"),
    tensors="mindspore",
    misconceptions=(
        Misconception(
            "vanished",
            "The weights did not move: the gradient was 0. It vanishes on the way back, so multiplying it afterwards is too "
            "late. Multiply the loss.",
            lambda i, expected, got: np.array_equal(i[0], got),
        ),
        Misconception(
            "not-unscaled",
            "The step is too large, by the factor scale: divide the gradient by it before the step.",
            lambda i, expected, got: same(_stepped(i, i[2], 1.0), got),
        ),
        Misconception(
            "divided-twice",
            "The step is too small: divide by the scale once.",
            lambda i, expected, got: same(_stepped(i, i[2], i[2] ** 2), got),
        ),
        Misconception(
            "uphill",
            "The weights moved the wrong way: w - lr * gradient.",
            lambda i, expected, got: same(_stepped(i, i[2], -i[2]), got),
        ),
    ),
    hints=(
        "Three lines: the gradient of the scaled loss, divided by the scale, and the step.",
        "ms.grad takes a function. Give it one that multiplies: lambda w: loss(w) * scale.",
        "gradient = ms.grad(lambda w: loss(w) * scale)(w) / scale; return w - lr * gradient.",
    ),
    solution=_STATIC.format(_GRADIENT, _NEW),
    wrong_answers=(
        WrongAnswer("no scale", _STATIC.format("ms.grad(loss)(w)", "w - lr * gradient"), "vanished"),
        WrongAnswer("too late", _STATIC.format("ms.grad(loss)(w) * scale", _NEW), "vanished"),
        WrongAnswer("not divided", _STATIC.format(_GRADIENT, "w - lr * gradient"), "not-unscaled"),
        WrongAnswer("twice", _STATIC.format(_GRADIENT, "w - lr * (gradient / scale / scale)"), "divided-twice"),
        WrongAnswer("uphill", _STATIC.format(_GRADIENT, "w + lr * (gradient / scale)"), "uphill"),
        WrongAnswer("float16", _STATIC.format(_GRADIENT, f"({_NEW}).astype(ms.float16)"), "dtype"),
        WrongAnswer("gradient alone", _STATIC.format(_GRADIENT, "gradient / scale"), "value"),
    ),
)


# ---- scale-largest ----


def _largest(g1, g2):
    return statistics((g1, g2)).largest_scale("float16")


def _power_below(value):
    return 2.0 ** np.floor(np.log2(65504 / value))


_LARGEST = """
def largest(g1, g2):
    top = {}
    return {}


answer = largest
"""
_TOP, _POWER = "max(np.abs(g1).max(), np.abs(g2).max())", "2.0 ** np.floor(np.log2(65504 / top))"


def _drawn_gradients(rng, sign, place, near=None):
    """Two arrays, with the largest magnitude at a place of theirs, of this sign: `near / 2**n`, or any size."""
    sizes = np.sort(10.0 ** rng.uniform(-5, 1, 7))
    if near:
        sizes[-1] = near / 2.0 ** rng.integers(8, 14)
        sizes[:-1] *= min(1.0, sizes[-1] / 20)
    values = sizes[:-1] * rng.choice([-1.0, 1.0], 6)
    values[:2] = sizes[:2]
    values = np.insert(rng.permutation(values), place, sign * sizes[-1]).astype(np.float32)
    values[4] = sizes[-1] / 4  # another one in the second array that is not small
    return values[:3], values[3:].reshape(2, 2)


LARGEST = Exercise(
    name="scale-largest",
    notebook=NOTEBOOK,
    title="The largest scale that fits",
    points=2,
    statement="""`g1` and `g2` are the gradients of a network, two float32 arrays, without a loss scale. Write
`largest(g1, g2)`: it returns the largest power of two with which all of them can be multiplied, so that the largest
magnitude stays at 65504 or below.""",
    reference=_largest,
    draw=(
        partial(_drawn_gradients, sign=-1, place=1),
        partial(_drawn_gradients, sign=-1, place=5, near=60000.0),
        partial(_drawn_gradients, sign=1, place=6, near=65530.0),  # 65536 would be too large a limit
        partial(_drawn_gradients, sign=-1, place=0, near=65503.5),
        partial(_drawn_gradients, sign=1, place=2),
    ),
    arguments=("g1", "g2"),
    misconceptions=(
        Misconception(
            "sign-forgotten",
            "The gradient with the largest magnitude is negative. Take absolute values first.",
            lambda i, expected, got: got == _power_below(max(i[0].max(), i[1].max())),
        ),
        Misconception(
            "rounded-up",
            "This power of two is too large: 65504 divided by the largest gradient has to be rounded down to a power.",
            lambda i, expected, got: got == 2 * expected,
        ),
        Misconception(
            "no-power-of-two",
            "So large a scale fits, but it is not a power of two. Only a power of two leaves the bits of the fraction alone.",
            lambda i, expected, got: expected < got < 2 * expected,
        ),
        Misconception(
            "smallest-gradient",
            "The largest gradient overflows first. You looked at the smallest one.",
            lambda i, expected, got: got == _power_below(min(np.abs(i[0]).min(), np.abs(i[1]).min())),
        ),
        Misconception(
            "one-array-only",
            "One scale serves all gradients: look at both arrays.",
            lambda i, expected, got: got > expected and got in [_power_below(np.abs(g).max()) for g in i],
        ),
    ),
    hints=(
        "Which of the gradients overflows first?",
        "The largest magnitude times the scale may be 65504 at most. That gives an upper limit for the scale.",
        "2.0 ** np.floor(np.log2(65504 / top)), where top is the largest absolute value of both arrays.",
    ),
    solution=_LARGEST.format(_TOP, _POWER),
    wrong_answers=(
        WrongAnswer("no abs", _LARGEST.format("max(g1.max(), g2.max())", _POWER), "sign-forgotten"),
        WrongAnswer("ceil", _LARGEST.format(_TOP, _POWER.replace("floor", "ceil")), "rounded-up"),
        WrongAnswer("no power", _LARGEST.format(_TOP, "float(65504 / top)"), "no-power-of-two"),
        WrongAnswer("min", _LARGEST.format(_TOP.replace("max", "min"), _POWER), "smallest-gradient"),
        WrongAnswer("first", _LARGEST.format("np.abs(g1).max()", _POWER), "one-array-only"),
        WrongAnswer("exponent", _LARGEST.format(_TOP, "np.floor(np.log2(65504 / top))"), "value"),
        WrongAnswer("a text", 'answer = lambda g1, g2: "1024"', "kind"),
    ),
)

EXERCISES = (STATIC, LARGEST)
