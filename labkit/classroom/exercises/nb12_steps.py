"""More functions of notebook 12: the heart of a dynamic scaler, and a training step in the right order."""

from functools import partial

import numpy as np

from ... import mindspore as ms
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer
from .nb12 import NOTEBOOK

# ---- scale-dynamic ----


def _adjusted(scale, counter, finite, factor, window):
    scaler = ms.amp.DynamicLossScaler(scale, factor, window)
    scaler.counter.set_data(ms.Tensor(counter, ms.int32))
    scaler.adjust(ms.Tensor(finite))
    return float(scaler.scale_value.asnumpy()), int(scaler.counter.asnumpy())


def _drawn_step(rng, kind, factor):
    """A step that overflows at a scale "near 1" or "far" from it, a "good" one, or the "last" good one of a window."""
    window, finite = int(rng.integers(2, 6)), kind in ("good", "last")
    scale = float(rng.integers(1, factor)) if kind == "near 1" else 2.0 ** int(rng.integers(4, 12))
    counter = {"good": int(rng.integers(0, window - 1)), "last": window - 1}.get(kind, int(rng.integers(1, window)))
    return scale, counter, finite, factor, window


_ADJUST = """
def adjust(scale, counter, finite, factor, window):
    if not finite:
        return {bad}
    counter = counter + 1
    if {full}:
        return {full_result}
    return {good}


answer = adjust
"""
_PARTS = {
    "bad": "max(scale / factor, 1.0), 0",
    "full": "counter == window",
    "full_result": "scale * factor, 0",
    "good": "scale, counter",
}


def _adjust(**parts):
    return _ADJUST.format(**(_PARTS | parts))


DYNAMIC = Exercise(
    name="scale-dynamic",
    notebook=NOTEBOOK,
    title="Write the dynamic scaler",
    points=3,
    statement="""A dynamic scaler keeps two numbers: `scale`, and `counter`, the good steps in a row. Write
`adjust(scale, counter, finite, factor, window)`, which is called after each step; `finite` tells whether all gradients were
finite. It returns the tuple `(scale, counter)` for the next step.

- After a step that was not finite: the scale is divided by `factor`, but never below 1; counting starts again at 0.
- After a good step: the counter grows by one. When it reaches `window`, the scale is multiplied by `factor`, and counting
  starts again at 0.""",
    reference=_adjusted,
    draw=tuple(
        partial(_drawn_step, kind=kind, factor=factor)
        for factor in (2, 3, 4)
        for kind in ("good", "last", "far", "near 1")
    ),
    arguments=("scale", "counter", "finite", "factor", "window"),
    draws=12,
    misconceptions=(
        Misconception(
            "below-one",
            "The scale fell below 1. A scale below 1 would make gradients smaller: stop at 1.",
            lambda i, expected, got: not i[2] and same(i[0] / i[3], got[0]) and got[0] < 1,
        ),
        Misconception(
            "counter-survives-overflow",
            "After an overflow the counting starts again at 0.",
            lambda i, expected, got: not i[2] and same(expected[0], got[0]) and got[1] in (i[1], i[1] + 1),
        ),
        Misconception(
            "counter-survives-growth",
            "When the scale has grown, the counting starts again at 0. Else it grows after every further step.",
            lambda i, expected, got: i[2] and same(expected[0], got[0]) and got[1] == i[4],
        ),
        Misconception(
            "one-step-late",
            "The step just made counts as well: first add one, then compare with the window.",
            lambda i, expected, got: i[2] and i[1] == i[4] - 1 and got[0] == i[0],
        ),
        Misconception(
            "no-window",
            "The scale grew after a single good step. It waits until the counter reaches the window.",
            lambda i, expected, got: i[2] and got[0] == i[0] * i[3] and i[1] < i[4] - 1,
        ),
        Misconception(
            "up-and-down-exchanged",
            "Up and down are exchanged: overflow means that the scale is too large.",
            lambda i, expected, got: same(i[0] / i[3] if i[2] else i[0] * i[3], got[0]),
        ),
    ),
    hints=(
        "Two cases: not finite, and finite. Begin with the first one and return at once.",
        "Never below 1: max(scale / factor, 1.0).",
        "Good step: counter = counter + 1; if counter == window: return scale * factor, 0; else: return scale, counter.",
    ),
    solution=_adjust(),
    wrong_answers=(
        WrongAnswer("no floor", _adjust(bad="scale / factor, 0"), "below-one"),
        WrongAnswer("counter kept", _adjust(bad="max(scale / factor, 1.0), counter"), "counter-survives-overflow"),
        WrongAnswer("counter goes on", _adjust(full_result="scale * factor, counter"), "counter-survives-growth"),
        WrongAnswer("late", _adjust(full="counter > window"), "one-step-late"),
        WrongAnswer("always", _adjust(full="True"), "no-window"),
        WrongAnswer(
            "exchanged",
            _adjust(bad="scale * factor, 0", full_result="scale / factor, 0", full="True"),
            "up-and-down-exchanged",
        ),
        WrongAnswer("scale alone", "answer = lambda scale, counter, finite, factor, window: scale", "kind"),
        WrongAnswer(
            "nothing changes", "answer = lambda scale, counter, finite, factor, window: (scale, counter)", "value"
        ),
    ),
)


# ---- scale-repair ----


def _limited(g, limit):
    norm = np.sqrt((g.astype(np.float64) ** 2).sum())
    return g * np.float32(min(1.0, limit / norm)) if np.isfinite(norm) else g * np.float32(0)


def _repaired(w, g, scale, limit, lr):
    if not np.isfinite(g).all():
        return w
    return w - np.float32(lr) * _limited(g / np.float32(scale), limit)


def _limited_first(w, g, scale, limit, lr):
    return w - np.float32(lr) * _limited(g, limit) / np.float32(scale)


def _finite(inputs):
    return bool(np.isfinite(inputs[1]).all())


def _drawn_gradient(rng, length, ill=()):
    """Scaled gradients, so many times as long as the limit; some of their elements are ill."""
    scale, limit, lr = 2.0 ** int(rng.integers(8, 14)), float(rng.integers(2, 10)) / 2, float(rng.choice([0.25, 0.5]))
    g = rng.uniform(0.5, 1.0, 3) * rng.choice([-1.0, 1.0], 3)
    g *= length * limit * scale / np.linalg.norm(g)
    g[rng.permutation(3)[: len(ill)]] = ill
    return rng.uniform(0.5, 2.0, 3).astype(np.float32), g.astype(np.float32), scale, limit, lr


_REPAIR = """
@np.errstate(all="ignore")
def step(w, g, scale, limit, lr):
    {first}
    norm = np.sqrt((g**2).sum())
    if norm > limit:
        g = g * (limit / norm)
    {then}
    return w - lr * g


answer = step
"""
_SKIP, _UNSCALE = "if not np.isfinite(g).all():\n        return w", "g = g / scale"


def _repair(*lines, then=""):
    return _REPAIR.format(first="\n    ".join(lines), then=then)


_REPAIRED = _repair(_SKIP, _UNSCALE).replace('@np.errstate(all="ignore")\n', "").replace("    \n", "")


REPAIR = Exercise(
    name="scale-repair",
    notebook=NOTEBOOK,
    title="Repair the order of a step",
    points=3,
    statement="""`g` is the gradient of the *scaled* loss, an array. Gradients longer than `limit` are to be shortened to it
(notebook 13 says why). This step has two faults:

```python
def step(w, g, scale, limit, lr):
    norm = np.sqrt((g**2).sum())
    if norm > limit:
        g = g * (limit / norm)
    g = g / scale
    return w - lr * g
```

The limit is meant for the true gradient, not for the scaled one. And nobody looks whether `g` is finite: if it is not,
the weights have to stay as they are. Repair it.""",
    reference=_repaired,
    draw=(
        partial(_drawn_gradient, length=2.5),
        partial(_drawn_gradient, length=0.8),
        partial(_drawn_gradient, length=1.25, ill=(np.inf,)),
        partial(_drawn_gradient, length=0.5, ill=(np.nan,)),
        partial(_drawn_gradient, length=1.25),
        partial(_drawn_gradient, length=2.5, ill=(-np.inf,)),
        partial(_drawn_gradient, length=0.8, ill=(np.inf, -np.inf)),
    ),
    arguments=("w", "g", "scale", "limit", "lr"),
    draws=8,
    misconceptions=(
        Misconception(
            "steps-into-inf",
            "With an infinite element the step has to be left out as a whole: return w. What is infinite cannot be made "
            "finite by a division, and inf / inf is nan.",
            lambda i, expected, got: not _finite(i),
        ),
        Misconception(
            "limits-the-scaled",
            "The limit still meets the scaled gradient: nearly every step is cut, and then divided by the scale. First divide, "
            "then look at the norm.",
            lambda i, expected, got: not _finite(i) or same(_limited_first(*i), got),
        ),
        Misconception(
            "not-unscaled",
            "The gradient was not divided by the scale.",
            lambda i, expected, got: not _finite(i) or same(i[0] - np.float32(i[4]) * _limited(i[1], i[3]), got),
        ),
        Misconception(
            "limit-forgotten",
            "Gradients longer than the limit were not shortened.",
            lambda i, expected, got: not _finite(i) or same(i[0] - np.float32(i[4]) * i[1] / np.float32(i[2]), got),
        ),
    ),
    hints=(
        "The order is: look whether all is finite, divide by the scale, shorten, step.",
        "if not np.isfinite(g).all(): return w, as the first line.",
        "Move g = g / scale up, above the line with norm.",
    ),
    solution=_REPAIRED,
    wrong_answers=(
        WrongAnswer("as it was", _repair(then=_UNSCALE), "limits-the-scaled"),
        WrongAnswer("skips only", _repair(_SKIP, then=_UNSCALE), "limits-the-scaled"),
        WrongAnswer("order only", _repair(_UNSCALE), "steps-into-inf"),
        WrongAnswer("inf alone", _repair("if np.isinf(g).any():\n        return w", _UNSCALE), "steps-into-inf"),
        WrongAnswer("zero for inf", _repair("g = np.where(np.isfinite(g), g, 0)", _UNSCALE), "steps-into-inf"),
        WrongAnswer("scaled", _repair(_SKIP), "not-unscaled"),
        WrongAnswer(
            "no limit", "def answer(w, g, scale, limit, lr):\n    return w - lr * g / scale", "limit-forgotten"
        ),
        WrongAnswer("uphill", _REPAIRED.replace("w - lr", "w + lr"), "value"),
        WrongAnswer("gradient", _REPAIRED.replace("w - lr * g", "list(g)"), "kind"),
    ),
)

EXERCISES = (DYNAMIC, REPAIR)
