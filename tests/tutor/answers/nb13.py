"""13 Clipping: when a gradient is too long."""

import numpy as np
from sheets import right, wrong

import labkit.mindspore as ms

right("clip-ratios", "rounded, as fractions", [12 / 5, 12 / 5, 12 / 5, 1, 6 / 5, 4 / 5])

orders = ["alone", "right", "scale", "apart", "right", "hidden"]
wrong("clip-orders", "the check must always come before the clip", [*orders[:4], "hidden", "hidden"])
right("clip-orders", "a tuple", tuple(orders))


@wrong("clip-prove", "the two numbers are exchanged")
def answer(a, b, limit):
    def clip(g):
        return g * min(1.0, limit / np.linalg.norm(g))

    def cosine(u, v):
        return u @ v / (np.linalg.norm(u) * np.linalg.norm(v))

    mean = (a + b) / 2
    return min(1.0, limit / np.linalg.norm(mean)), cosine(mean, (clip(a) + clip(b)) / 2)


@wrong("clip-prove", "angles in degrees")
def answer(a, b, limit):
    def clip(g):
        return g * min(1.0, limit / np.linalg.norm(g))

    def angle(u, v):
        return np.degrees(np.arccos(np.clip(u @ v / (np.linalg.norm(u) * np.linalg.norm(v)), -1, 1)))

    mean = (a + b) / 2
    return angle(mean, (clip(a) + clip(b)) / 2), min(1.0, limit / np.linalg.norm(mean))


@right("clip-prove", "the sum for the mean, for a cosine knows no length; the factor from the largest of two")
def answer(a, b, limit):
    def clip(g):
        norm = np.linalg.norm(g)
        return g if norm <= limit else g * limit / norm

    total = a + b
    clipped = clip(a) + clip(b)
    return total @ clipped / (np.linalg.norm(total) * np.linalg.norm(clipped)), limit / max(
        limit, np.linalg.norm(total / 2)
    )


@wrong("clip-mend", "the clip's tuple is not opened")
def answer(w, first, second, scale, limit):
    mean = (first + second) / 2 / scale
    if not ms.amp.all_finite((mean,)):
        return w
    mean = ms.ops.clip_by_global_norm((mean,), limit)
    return w - 0.1 * mean


@right("clip-mend", "by hand, with NumPy")
def answer(w, first, second, scale, limit):
    mean = (first.asnumpy() + second.asnumpy()) / np.float32(2 * scale)
    if not np.all(np.isfinite(mean)):
        return w
    norm = np.linalg.norm(mean)
    if norm > limit:
        mean = mean * np.float32(limit / norm)
    return w - 0.1 * ms.Tensor(mean)
