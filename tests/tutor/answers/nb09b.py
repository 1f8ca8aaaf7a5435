"""09b Rules, derived."""

import numpy as np
from sheets import above, right, wrong


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


# ---- rule-cross-entropy ----


@wrong("rule-cross-entropy", "divided by the classes instead of the examples")
def pull(z, labels):
    return (softmax(z) - np.eye(z.shape[1])[labels]) / z.shape[1]


right("rule-cross-entropy", "with one-hot rows", above("/ z.shape[1] -> / z.shape[0]"))


@wrong("rule-cross-entropy", "softmax without its maximum")
def pull(z, labels):
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    return (p - np.eye(z.shape[1])[labels]) / len(z)


# ---- rule-convolution ----


@right("rule-convolution", "with np.add.at")
def pull(x, w, stride, g):
    places = np.arange(len(g))[:, None] * stride + np.arange(len(w))
    dx = np.zeros_like(x)
    np.add.at(dx, places, g[:, None] * w)
    return dx, g @ x[places]


# ---- rule-batch-norm ----


@wrong("rule-batch-norm", "the standard deviation of a sample: n - 1")
def pull(x, g, eps):
    std = x.std(axis=0, ddof=1)
    c = x - x.mean(axis=0)
    return (g - g.mean(axis=0)) / (std + eps) - c * (g * c).mean(axis=0) / (std * (std + eps) ** 2)


@right("rule-batch-norm", "path by path")
def pull(x, g, eps):
    n, c = len(x), x - x.mean(axis=0)
    std = np.sqrt((c * c).sum(axis=0) / n)
    d_scale = -(g * c).sum(axis=0) / (std + eps) ** 2
    d_c = g / (std + eps) + d_scale * c / (n * std)
    return d_c - d_c.mean(axis=0)
