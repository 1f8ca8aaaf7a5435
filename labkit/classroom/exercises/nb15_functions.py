"""Three functions to write in notebook 15: accumulation, a reduction for uneven shards, and where to clip."""

from functools import partial

import numpy as np

from ... import torch
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer
from .nb15 import NOTEBOOK

# ---- parallel-accumulate ----


def _data(rng):
    count = int(rng.integers(2, 5))
    rows = count * int(rng.integers(2, 4))
    return rng.normal(size=3), rng.normal(size=(rows, 3)), rng.normal(size=rows), count


def _running(w, x, y, count, divide=True, keep=True):
    """`.grad` after every micro-batch, by the formula; without `keep`: the gradient of each micro-batch alone."""
    grads = [
        2 * part.T @ (part @ w - label) / len(label) for part, label in zip(np.split(x, count), np.split(y, count))
    ]
    rows = np.cumsum(grads, axis=0) if keep else np.array(grads)
    return rows / count if divide else rows


def _accumulated(w, x, y, count):
    size, seen = len(y) // count, []
    w.grad = None
    for start in range(0, len(y), size):
        loss = ((x[start : start + size] @ w - y[start : start + size]) ** 2).mean()
        (loss / count).backward()
        seen.append(w.grad.clone())
    return torch.stack(seen)


def _is(**how):
    return lambda i, expected, got: same(_running(*i, **how), got)


_ACCUMULATE = """
def accumulate(w, x, y, count):
    size = len(y) // count
    seen = []
    for k in range(count):
        rows = slice(k * size, (k + 1) * size)
        loss = ((x[rows] @ w - y[rows]) ** 2).mean()
        (loss / count).backward()
        seen.append(w.grad.clone())
    return torch.stack(seen)


answer = accumulate
"""

ACCUMULATE = Exercise(
    name="parallel-accumulate",
    notebook=NOTEBOOK,
    title="Accumulate the big batch",
    points=3,
    statement="""Write `accumulate(w, x, y, count)` in PyTorch. All but `count` are float64 tensors; `w` is a leaf whose
`.grad` is None. The loss is the mean of `(x @ w - y) ** 2`. Cut the rows of `x` and `y` into `count` equal micro-batches,
and call `backward` for each one, so that `w.grad` ends as the gradient of the **whole** batch, to 12 digits.

After each micro-batch note what is in `w.grad`. Return all these notes, `torch.stack(notes)`: one row per micro-batch.""",
    reference=_accumulated,
    draw=_data,
    arguments=("w", "x", "y", "count"),
    tensors="torch",
    misconceptions=(
        Misconception(
            "not-divided",
            "This is the sum of the micro-batches' means: count times too much. Divide each loss by count.",
            _is(divide=False),
        ),
        Misconception(
            "set-to-zero",
            "Each row is one micro-batch alone. Between the micro-batches of a step, .grad has to stay as it is.",
            lambda *seen: any(_is(keep=False, divide=divide)(*seen) for divide in (True, False)),
        ),
        Misconception(
            "same-tensor-noted",
            "All rows are the last one: w.grad is one tensor, changed in place. Note a copy, w.grad.clone().",
            lambda i, expected, got: same(np.repeat(expected[-1:], i[3], axis=0), got),
        ),
        Misconception(
            "only-the-last",
            "Only the last row came. Note w.grad after every micro-batch.",
            lambda i, expected, got: same(expected[-1], got) or same(expected[-1:], got),
        ),
    ),
    hints=(
        "size = len(y) // count, and the rows of micro-batch k are slice(k * size, (k + 1) * size).",
        "The mean over all is the mean of the count means: (loss / count).backward().",
        "Then notes.append(w.grad.clone()), for w.grad is changed in place.",
    ),
    solution=_ACCUMULATE,
    wrong_answers=(
        WrongAnswer("no division", _ACCUMULATE.replace("(loss / count)", "loss"), "not-divided"),
        WrongAnswer(
            "zeroed", _ACCUMULATE.replace("        loss =", "        w.grad = None\n        loss ="), "set-to-zero"
        ),
        WrongAnswer("no clone", _ACCUMULATE.replace(".clone()", ""), "same-tensor-noted"),
        WrongAnswer("last", _ACCUMULATE.replace("torch.stack(seen)", "seen[-1]"), "only-the-last"),
        WrongAnswer("divided by size", _ACCUMULATE.replace("loss / count", "loss / size / count"), "value"),
    ),
)


# ---- parallel-uneven ----


def _shards(rng):
    workers = int(rng.integers(2, 6))
    sizes = rng.integers(1, 20, workers)
    sizes[0] = sizes[1] + 5
    return rng.normal(size=(workers, 4)), sizes


def _weighted(gradients, sizes):
    return sizes @ gradients / sizes.sum()


UNEVEN = Exercise(
    name="parallel-uneven",
    notebook=NOTEBOOK,
    title="Shards of different sizes",
    points=2,
    statement="""Write `reduce(gradients, sizes)`, with NumPy. Row `k` of `gradients` is what worker `k` computed: the gradient of
the **mean** loss of its `sizes[k]` samples. Return the gradient of the mean loss of all samples.""",
    reference=_weighted,
    draw=_shards,
    arguments=("gradients", "sizes"),
    misconceptions=(
        Misconception(
            "plain-mean",
            "This is the plain mean. So a sample of a small shard counts more than one of a large shard.",
            lambda i, expected, got: same(i[0].mean(axis=0), got),
        ),
        Misconception(
            "plain-sum",
            "This is the sum of the workers' means. It is too long, and the shards' sizes do not matter in it.",
            lambda i, expected, got: same(i[0].sum(axis=0), got),
        ),
        Misconception(
            "weighted-not-divided",
            "This is the gradient of the sum over all samples. The loss is their mean: divide by the number of samples.",
            lambda i, expected, got: same(i[1] @ i[0], got),
        ),
        Misconception(
            "divided-by-workers",
            "The weights have to add up to 1: divide by the number of samples, not of workers.",
            lambda i, expected, got: same(i[1] @ i[0] / len(i[1]), got),
        ),
    ),
    hints=(
        "Worker k's mean, times sizes[k], is the sum over its samples.",
        "Add these sums for all workers. Then divide by the number of all samples.",
        "(gradients * sizes[:, None]).sum(axis=0) / sizes.sum()",
    ),
    solution="""
def reduce(gradients, sizes):
    return (gradients * sizes[:, None]).sum(axis=0) / sizes.sum()


answer = reduce
""",
    wrong_answers=(
        WrongAnswer("mean", "answer = lambda gradients, sizes: gradients.mean(axis=0)", "plain-mean"),
        WrongAnswer("sum", "answer = lambda gradients, sizes: gradients.sum(axis=0)", "plain-sum"),
        WrongAnswer("no division", "answer = lambda gradients, sizes: sizes @ gradients", "weighted-not-divided"),
        WrongAnswer(
            "workers", "answer = lambda gradients, sizes: sizes @ gradients / len(sizes)", "divided-by-workers"
        ),
        WrongAnswer("inverse", "answer = lambda gradients, sizes: (gradients / sizes[:, None]).sum(axis=0)", "value"),
    ),
)


# ---- parallel-order ----


def _scaled(rng, workers, part):
    """Gradients of very different length, and a limit that is this part of the length of their mean."""
    scale = float(2 ** rng.integers(6, 12))
    gradients = rng.normal(size=(workers, 3)) * np.linspace(0.4, 2.0, workers)[:, None]
    return gradients * scale, scale, float(part * np.linalg.norm(gradients.mean(axis=0)))


def _clipped(gradient, limit):
    return gradient * min(1.0, limit / np.linalg.norm(gradient))


def _ordered(gradients, scale, limit):
    return _clipped(gradients.mean(axis=0) / scale, limit)


_ORDER = """
def clip(gradient, limit):
    length = np.sqrt((gradient**2).sum())
    return gradient * min(1.0, limit / length)


def combine(gradients, scale, limit):
    return clip(gradients.mean(axis=0) / scale, limit)


answer = combine
"""
_COMBINED = "clip(gradients.mean(axis=0) / scale, limit)"

ORDER = Exercise(
    name="parallel-order",
    notebook=NOTEBOOK,
    title="Unscale, reduce, clip: in a right order",
    points=2,
    statement="""Row `k` of `gradients` is the gradient of worker `k`. All workers have equally many samples, each loss is
a mean, and was multiplied by the loss scale `scale` before the derivative was taken. Write
`combine(gradients, scale, limit)`, with NumPy: it returns the gradient for the optimizer, unscaled, reduced to the mean, and
clipped to the length `limit`, as one worker with all samples would have it.""",
    reference=_ordered,
    draw=tuple(
        partial(_scaled, workers=workers, part=part)
        for workers, part in ((2, 0.3), (4, 1.3), (3, 0.6), (2, 1.6), (4, 0.9))
    ),
    arguments=("gradients", "scale", "limit"),
    misconceptions=(
        Misconception(
            "clipped-on-each-worker",
            "Each worker's gradient was clipped, then the mean was taken. That turns the step: reduce first, then clip.",
            lambda i, expected, got: same(np.mean([_clipped(g / i[1], i[2]) for g in i[0]], axis=0), got),
        ),
        Misconception(
            "clipped-while-scaled",
            "You clipped while the loss scale was still in it, and then divided: the step is scale times too short.",
            lambda i, expected, got: same(_clipped(i[0].mean(axis=0), i[2]) / i[1], got),
        ),
        Misconception(
            "still-scaled",
            "The loss scale has to be divided out.",
            lambda i, expected, got: (
                same(i[0].mean(axis=0), got) or same(_clipped(i[0].mean(axis=0), i[2] * i[1]), got)
            ),
        ),
        Misconception(
            "always-at-the-limit",
            "Your gradient has the length of the limit in any case. Is the loss scale divided out before you measure it? And "
            "does the clip leave alone what is shorter?",
            lambda i, expected, got: same(i[2] * i[0].mean(axis=0) / np.linalg.norm(i[0].mean(axis=0)), got),
        ),
        Misconception(
            "not-clipped",
            "Unscaled and reduced, but the clip is missing.",
            lambda i, expected, got: same(i[0].mean(axis=0) / i[1], got),
        ),
    ),
    hints=(
        "Unscaling and reducing are linear: it does not matter which of them is first.",
        "The clip is not linear. It needs the length of the gradient that one worker with all samples would have.",
        "mean over axis 0, divide by scale, then multiply by min(1, limit / length).",
    ),
    solution=_ORDER,
    wrong_answers=(
        WrongAnswer(
            "clip first",
            _ORDER.replace(_COMBINED, "np.mean([clip(g / scale, limit) for g in gradients], axis=0)"),
            "clipped-on-each-worker",
        ),
        WrongAnswer(
            "unscale last",
            _ORDER.replace(_COMBINED, "clip(gradients.mean(axis=0), limit) / scale"),
            "clipped-while-scaled",
        ),
        WrongAnswer("scaled", _ORDER.replace(_COMBINED, "gradients.mean(axis=0)"), "still-scaled"),
        WrongAnswer(
            "always scaled", _ORDER.replace("min(1.0, limit / length)", "limit / length"), "always-at-the-limit"
        ),
        WrongAnswer("clipped, never unscaled", _ORDER.replace(" / scale, limit", ", limit"), "always-at-the-limit"),
        WrongAnswer("no clip", _ORDER.replace(_COMBINED, "gradients.mean(axis=0) / scale"), "not-clipped"),
        WrongAnswer(
            "value", _ORDER.replace(_COMBINED, "np.clip(gradients.mean(axis=0) / scale, -limit, limit)"), "value"
        ),
    ),
)

EXERCISES = (ACCUMULATE, UNEVEN, ORDER)
