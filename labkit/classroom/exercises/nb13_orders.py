"""Two exercises of notebook 13 about the order of unscale, reduce, clip and check: a proof, and a step to mend."""

from functools import partial

import numpy as np

from ... import mindspore as ms
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer
from .nb13 import NOTEBOOK

# ---- clip-prove ----


def _two_workers(rng, first, second):
    """Two gradients of these lengths, in any directions, and a limit between 1 and 3."""
    a, b = rng.normal(size=(2, 4))
    return first * _unit(a), second * _unit(b), float(rng.uniform(1.0, 3.0))


def _unit(v):
    return v / np.linalg.norm(v)


def _shortened(g, limit):
    return g * min(1.0, limit / np.linalg.norm(g))


def _cosine(u, v):
    return float(u @ v / (np.linalg.norm(u) * np.linalg.norm(v)))


def _proof(a, b, limit, *, clip=_shortened):
    mean = (a + b) / 2
    return _cosine((clip(a, limit) + clip(b, limit)) / 2, mean), _cosine(clip(mean, limit), mean)


_STRETCH, _VALUES = "limit / np.linalg.norm(g)", "np.clip(g, -limit, limit)"
_PROOF = """
def proof(a, b, limit):
    def clip(g):
        return g * min(1.0, limit / np.linalg.norm(g))

    def cosine(u, v):
        return u @ v / (np.linalg.norm(u) * np.linalg.norm(v))

    mean = (a + b) / 2
    return cosine((clip(a) + clip(b)) / 2, mean), cosine(clip(mean), mean)


answer = proof
"""

PROVE = Exercise(
    name="clip-prove",
    notebook=NOTEBOOK,
    title="Prove it",
    points=2,
    statement="""Two workers have the unscaled gradients `a` and `b`, NumPy arrays of four elements. The right direction is
that of their mean. Write `proof(a, b, limit)`, with a clip by norm. It returns a tuple of two cosines:

- the cosine between the mean and what the document's order gives: clip each, then take the mean
- the cosine between the mean and what the other order gives: take the mean, then clip

The cosine between `u` and `v` is `u @ v / (np.linalg.norm(u) * np.linalg.norm(v))`; 1 says: the same direction.""",
    reference=_proof,
    draw=tuple(
        partial(_two_workers, first=first, second=second)
        for first, second in ((20.0, 0.5), (20.0, 8.0), (0.5, 0.8), (0.5, 20.0), (8.0, 20.0))
    ),
    arguments=("a", "b", "limit"),
    misconceptions=(
        Misconception(
            "changed-places",
            "Your two cosines have changed places. A 1 belongs to the second order.",
            lambda i, expected, got: same(expected, tuple(got[::-1])),
        ),
        Misconception(
            "stretched",
            "You made the short gradient longer. The factor is limit / length, but never above 1.",
            lambda i, expected, got: same(_proof(i[0], i[1], i[2], clip=lambda g, limit: limit * _unit(g)), got),
        ),
        Misconception(
            "one-worker-clipped",
            "You clipped one of the two gradients. Each worker clips its own: a short one stays as it is, a long one does not.",
            lambda i, expected, got: any(
                same(_cosine(_shortened(one, i[2]) + other, one + other), got[0]) for one, other in (i[:2], i[1::-1])
            ),
        ),
        Misconception(
            "by-value",
            "You clipped by value, which turns the gradient in both orders. Here it is a clip by norm.",
            lambda i, expected, got: same(
                _proof(i[0], i[1], i[2], clip=lambda g, limit: np.clip(g, -limit, limit)), got
            ),
        ),
        Misconception(
            "nothing-clipped",
            "Both of your cosines are 1. Then nothing was clipped before the mean: clip a and b, each on its own.",
            lambda i, expected, got: same((1.0, 1.0), got),
        ),
    ),
    hints=(
        "Write the clip first: g * min(1, limit / length of g).",
        "Three vectors: the mean, the mean of the two clipped ones, and the clipped mean.",
        "return cosine((clip(a) + clip(b)) / 2, mean), cosine(clip(mean), mean)",
    ),
    solution=_PROOF,
    wrong_answers=(
        WrongAnswer("changed places", _PROOF + "answer = lambda *inputs: proof(*inputs)[::-1]", "changed-places"),
        WrongAnswer("stretched", _PROOF.replace("min(1.0, limit / np.linalg.norm(g))", _STRETCH), "stretched"),
        WrongAnswer("by value", _PROOF.replace("g * min(1.0, limit / np.linalg.norm(g))", _VALUES), "by-value"),
        WrongAnswer("nothing", _PROOF.replace("(clip(a) + clip(b)) / 2", "clip(mean)"), "nothing-clipped"),
        WrongAnswer("a alone", _PROOF.replace("clip(a) + clip(b)", "clip(a) + b"), "one-worker-clipped"),
        WrongAnswer("products", _PROOF.replace(" / (np.linalg.norm(u) * np.linalg.norm(v))", ""), "value"),
        WrongAnswer("one of them", _PROOF + "answer = lambda *inputs: proof(*inputs)[0]", "kind"),
    ),
)


# ---- clip-mend ----


def _scaled_workers(rng, limit, ill=(), long=0):
    """The gradient of one worker is 16 times as `long` as the other's; the limit is this part of their mean's norm.

    `ill`: for some workers, what one element of their gradients is.
    """
    w, *workers = (rng.normal(size=3) for _ in range(3))
    scale = float(2 ** rng.integers(2, 5))
    workers = [g * (8.0 if worker == long else 0.5) for worker, g in enumerate(workers)]
    limit = round(float(limit * np.linalg.norm(sum(workers) / 2)), 3)
    place = rng.integers(0, 3)
    for worker, value in ill:
        workers[worker][place] = value
    return np.float32(w), *(np.float32(g * scale) for g in workers), scale, limit


def _norm_clip(g, limit):
    return ms.ops.clip_by_global_norm((g,), limit)[0]


def _value_clip(g, limit):
    return ms.ops.clip_by_value(g, -limit, limit)


def _step(w, first, second, scale, limit, order="urkc", clip=_norm_clip, looks_at=2, workers=2):
    """One step with unscale, reduce, clip and check (k) in this order; the check looks at so many of the workers."""
    w, now = ms.Tensor(w), [ms.Tensor(first), ms.Tensor(second)]
    for item in order:
        if item == "u":
            now = [g / scale for g in now]
        elif item == "r":
            now = [(now[0] + now[1]) / workers] * 2
        elif item == "c":
            now = [clip(g, limit) for g in now]
        elif not ms.amp.all_finite(tuple(now[:looks_at])):
            return w
    return w - 0.1 * now[0]


def _was(**how):
    """Whether the answer is what a step done in another way gives."""
    return lambda i, expected, got: same(_step(*i, **how).asnumpy(), got)


_BROKEN = """
def step(w, first, second, scale, limit):
    first = ms.ops.clip_by_global_norm((first,), limit)[0]
    second = ms.ops.clip_by_global_norm((second,), limit)[0]
    first, second = first / scale, second / scale
    if not ms.amp.all_finite((first,)):
        return w
    mean = (first + second) / 2
    return w - 0.1 * mean
"""
_MENDED = """
def step(w, first, second, scale, limit):
    mean = (first / scale + second / scale) / 2
    if not ms.amp.all_finite((mean,)):
        return w
    mean = ms.ops.clip_by_global_norm((mean,), limit)[0]
    return w - 0.1 * mean


answer = step
"""
_SCALED_CLIP = """
def answer(w, first, second, scale, limit):
    mean = ms.ops.clip_by_global_norm(((first + second) / 2,), limit)[0] / scale
    return w - 0.1 * mean if ms.amp.all_finite((mean,)) else w
"""
_EACH_CLIPPED = """
def answer(w, first, second, scale, limit):
    first, second = (ms.ops.clip_by_global_norm((g / scale,), limit)[0] for g in (first, second))
    mean = (first + second) / 2
    return w - 0.1 * mean if ms.amp.all_finite((mean,)) else w
"""

MEND = Exercise(
    name="clip-mend",
    notebook=NOTEBOOK,
    title="Mend the step of two workers",
    points=3,
    statement=f"""`first` and `second` are the gradients of two workers, and still carry the loss scale. `step` returns the
new weights. If a worker overflows, the weights have to stay as they are. Three things are wrong. Mend them.

```python{_BROKEN}```""",
    reference=lambda *inputs: _step(*inputs),
    draw=(
        partial(_scaled_workers, limit=0.3),
        partial(_scaled_workers, limit=1.5, ill=[(1, np.inf)]),
        partial(_scaled_workers, limit=1.4),
        partial(_scaled_workers, limit=0.3, ill=[(0, np.inf)], long=1),
        partial(_scaled_workers, limit=0.6, long=1),
        partial(_scaled_workers, limit=0.6, ill=[(1, np.nan)]),
        partial(_scaled_workers, limit=0.3, ill=[(0, np.inf), (1, -np.inf)]),
        partial(_scaled_workers, limit=2.5, long=1),
    ),
    draws=8,
    arguments=("w", "first", "second", "scale", "limit"),
    tensors="mindspore",
    errors=(("AddN", "all_finite and clip_by_global_norm take a tuple of tensors: (mean,)."),),
    misconceptions=(
        Misconception(
            "one-worker-looked-at",
            "After an overflow a nan or an inf gets into the weights. The check must look at the mean, or at both workers.",
            lambda i, expected, got: not np.isfinite(got).all() and same(i[0], expected),
        ),
        Misconception(
            "as-it-was",
            "That is the step as it was. Start with this question: what must have happened before the clip?",
            _was(order="cukr", looks_at=1),
        ),
        Misconception(
            "clip-before-unscale",
            "The clip sees gradients that are too long by the loss scale. Unscale first.",
            _was(order="rcuk"),
        ),
        Misconception(
            "clip-before-mean",
            "Each worker is clipped alone, so the long gradient loses more than the short one. Take the mean first.",
            _was(order="ucrk"),
        ),
        Misconception(
            "by-value",
            "You clip by value, which turns the step. And before the check it makes an ordinary number of an inf. Clip by the "
            "global norm.",
            _was(order="urck", clip=_value_clip),
        ),
        Misconception(
            "sum-for-mean",
            "You clipped the sum of both gradients, not their mean: twice as long, so it is clipped too early.",
            _was(workers=1),
        ),
    ),
    hints=(
        "Write down what has to come before what: unscale before clip, mean before clip, mean before check.",
        "First the mean of first / scale and second / scale. Then look at it. Then clip it.",
        "if not ms.amp.all_finite((mean,)): return w. The clip is the last thing before the update.",
    ),
    solution=_MENDED,
    wrong_answers=(
        WrongAnswer("as it was", _BROKEN + "\n\nanswer = step", "as-it-was"),
        WrongAnswer("clip, then unscale", _SCALED_CLIP, "clip-before-unscale"),
        WrongAnswer("clip, then mean", _EACH_CLIPPED, "clip-before-mean"),
        WrongAnswer("first looked at", _MENDED.replace("((mean,))", "((first,))"), "one-worker-looked-at"),
        WrongAnswer(
            "by value",
            "def answer(w, first, second, scale, limit):\n"
            "    mean = ms.ops.clip_by_value((first / scale + second / scale) / 2, -limit, limit)\n"
            "    return w - 0.1 * mean if ms.amp.all_finite((mean,)) else w",
            "by-value",
        ),
        WrongAnswer("sum", _MENDED.replace(" / 2", ""), "sum-for-mean"),
        WrongAnswer("never updates", "answer = lambda w, first, second, scale, limit: w", "value"),
    ),
)

EXERCISES = (PROVE, MEND)
