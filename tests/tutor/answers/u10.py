"""10 Clipping."""

import numpy as np
from sheets import right, wrong

import labkit.mindspore as ms
from labkit.mindspore import ops

right("clip-ratios", "rounded, as fractions", [12 / 5, 12 / 5, 12 / 5, 1, 6 / 5, 4 / 5])

orders = ["alone", "right", "scale", "apart", "right", "hidden"]
wrong("clip-orders", "the check must always come before the clip", [*orders[:4], "hidden", "hidden"])
wrong("clip-ratios", "the largest element for the norm", [3, 3, 3, 1, 1.5, 1])


@right("clip-prove", "the sum for the mean, because a cosine does not depend on the norm; the factor from a maximum")
def answer(a, b, limit):
    def clip(g):
        norm = np.linalg.norm(g)
        return g if norm <= limit else g * limit / norm

    total, clipped = a + b, clip(a) + clip(b)
    cosine = total @ clipped / (np.linalg.norm(total) * np.linalg.norm(clipped))
    return cosine, limit / max(limit, np.linalg.norm(total / 2))


@wrong("clip-fix", "the clip's tuple is not unpacked")
def answer(w, first, second, scale, limit):
    mean = (first + second) / 2 / scale
    if not ms.amp.all_finite((mean,)):
        return w
    mean = ops.clip_by_global_norm((mean,), limit)
    return w - 0.1 * mean


@right("clip-fix", "by hand, with NumPy")
def answer(w, first, second, scale, limit):
    mean = (first.asnumpy() + second.asnumpy()) / np.float32(2 * scale)
    if not np.all(np.isfinite(mean)):
        return w
    norm = np.linalg.norm(mean)
    if norm > limit:
        mean = mean * np.float32(limit / norm)
    return w - 0.1 * ms.Tensor(mean)


@right("grad-clip", "one factor, min, and NumPy's norm")
def clip(a, b, max_norm):
    whole = np.concatenate([a.asnumpy().ravel(), b.asnumpy().ravel()])
    factor = min(1.0, float(max_norm / np.linalg.norm(whole)))
    return a * factor, b * factor
