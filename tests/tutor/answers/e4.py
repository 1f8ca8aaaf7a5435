"""e4 Rules, derived."""

import numpy as np
from sheets import above, right, wrong

wrong("vector-structures", "subtracting x[0] fills the first row", ["D", "B", "I", "G", "A", "J", "F", "C"])
wrong("vector-structures", "reversing gives the same diagonal", ["D", "B", "D", "G", "A", "H", "F", "C"])
right("vector-structures", "a text as a list of letters", list("DBIGAHFC"))


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@right("rule-cross-entropy", "with one-hot rows")
def pull(z, labels):
    return (softmax(z) - np.eye(z.shape[1])[labels]) / len(z)


wrong(
    "rule-cross-entropy",
    "no maximum, with a logarithm: exp is inf, and p is 0",
    above("softmax(z) -> np.exp(z - np.log(np.exp(z).sum(1, keepdims=True)))"),
)
wrong(
    "rule-cross-entropy", "one softmax for all", above("softmax(z) -> np.exp(z - z.max()) / np.exp(z - z.max()).sum()")
)


@right("rule-convolution", "with np.add.at")
def pull(x, w, stride, g):
    places = np.arange(len(g))[:, None] * stride + np.arange(len(w))
    dx = np.zeros_like(x)
    np.add.at(dx, places, g[:, None] * w)
    return dx, g @ x[places]


wrong(
    "rule-convolution",
    "lists, and the stride is left out in dx",
    above(
        "places = -> at = places =",
        "dx, places -> dx, at - at[:, :1] + np.arange(len(g))[:, None]",
        "return dx, g @ x[places] -> return list(dx), list(g @ x[places])",
    ),
)


@right("rule-batch-norm", "path by path")
def pull(x, g, eps):
    n, c = len(x), x - x.mean(axis=0)
    std = np.sqrt((c * c).sum(axis=0) / n)
    d_scale = -(g * c).sum(axis=0) / (std + eps) ** 2
    d_c = g / (std + eps) + d_scale * c / (n * std)
    return d_c - d_c.mean(axis=0)
