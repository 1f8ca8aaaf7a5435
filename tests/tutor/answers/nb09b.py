"""09b Rules, derived."""

import numpy as np
from sheets import right, wrong


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


# ---- rule-softmax ----


@wrong("rule-softmax", "the whole Jacobian, transposed signs: p outside, plus")
def pull(z, g):
    p = softmax(z)
    return p * (g + (g * p).sum(axis=1, keepdims=True))


@wrong("rule-softmax", "the rule of a sigmoid")
def pull(z, g):
    s = 1 / (1 + np.exp(-np.clip(z, -500, 500)))
    return g * s * (1 - s)


@wrong("rule-softmax", "mean instead of sum")
def pull(z, g):
    p = softmax(z)
    return p * (g - (g * p).mean(axis=1, keepdims=True))


@wrong("rule-softmax", "the rule of log softmax")
def pull(z, g):
    return g - softmax(z) * g.sum(axis=1, keepdims=True)


@wrong("rule-softmax", "sums over the rows")
def pull(z, g):
    p = softmax(z)
    return p * (g - (g * p).sum(axis=0, keepdims=True))


@right("rule-softmax", "by the Jacobian of each row")
def pull(z, g):
    return np.stack([(np.diag(p) - np.outer(p, p)) @ one for p, one in zip(softmax(z), g, strict=True)])


# ---- rule-cross-entropy ----


@wrong("rule-cross-entropy", "one-hot minus p")
def pull(z, labels):
    return (np.eye(z.shape[1])[labels] - softmax(z)) / len(z)


@wrong("rule-cross-entropy", "sum over the examples")
def pull(z, labels):
    return softmax(z) - np.eye(z.shape[1])[labels]


@wrong("rule-cross-entropy", "squared error between p and the one-hot row")
def pull(z, labels):
    return 2 * (softmax(z) - np.eye(z.shape[1])[labels]) / len(z)


@wrong("rule-cross-entropy", "divided by the classes instead of the examples")
def pull(z, labels):
    return (softmax(z) - np.eye(z.shape[1])[labels]) / z.shape[1]


@wrong("rule-cross-entropy", "softmax without its maximum")
def pull(z, labels):
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    return (p - np.eye(z.shape[1])[labels]) / len(z)


@right("rule-cross-entropy", "with one-hot rows")
def pull(z, labels):
    return (softmax(z) - np.eye(z.shape[1])[labels]) / z.shape[0]


# ---- rule-convolution ----


@wrong("rule-convolution", "np.convolve without the stride")
def pull(x, w, stride, g):
    return np.convolve(g, w)[: len(x)], np.correlate(x, g, "valid")[: len(w)]


@wrong("rule-convolution", "dx by fancy indexing, which adds each place once")
def pull(x, w, stride, g):
    places = np.arange(len(g))[:, None] * stride + np.arange(len(w))
    dx = np.zeros_like(x)
    dx[places] += g[:, None] * w
    return dx, g @ x[places]


@wrong("rule-convolution", "each output sends its g to the whole window, without w")
def pull(x, w, stride, g):
    dx, dw = np.zeros_like(x), np.zeros_like(w)
    for i in range(len(g)):
        dx[i * stride : i * stride + len(w)] += g[i]
        dw += g[i] * x[i * stride : i * stride + len(w)]
    return dx, dw


@wrong("rule-convolution", "dw turned round")
def pull(x, w, stride, g):
    dx, dw = np.zeros_like(x), np.zeros_like(w)
    for i in range(len(g)):
        dx[i * stride : i * stride + len(w)] += g[i] * w
        dw += g[i] * x[i * stride : i * stride + len(w)]
    return dx, dw[::-1]


@wrong("rule-convolution", "the stride multiplies the place in the window as well")
def pull(x, w, stride, g):
    dx, dw = np.zeros_like(x), np.zeros_like(w)
    for i in range(len(g)):
        for k in range(len(w)):
            at = min((i + k) * stride, len(x) - 1)
            dx[at] += g[i] * w[k]
            dw[k] += g[i] * x[at]
    return dx, dw


@right("rule-convolution", "with np.add.at")
def pull(x, w, stride, g):
    places = np.arange(len(g))[:, None] * stride + np.arange(len(w))
    dx = np.zeros_like(x)
    np.add.at(dx, places, g[:, None] * w)
    return dx, g @ x[places]


# ---- rule-batch-norm ----


@wrong("rule-batch-norm", "plus the last term")
def pull(x, g, eps):
    std = np.sqrt(x.var(axis=0) + eps)
    y = (x - x.mean(axis=0)) / std
    return (g - g.mean(axis=0) + y * (g * y).mean(axis=0)) / std


@wrong("rule-batch-norm", "divided by the variance")
def pull(x, g, eps):
    var = x.var(axis=0) + eps
    y = (x - x.mean(axis=0)) / np.sqrt(var)
    return (g - g.mean(axis=0) - y * (g * y).mean(axis=0)) / var


@wrong("rule-batch-norm", "the variance of a sample: n - 1")
def pull(x, g, eps):
    std = np.sqrt(x.var(axis=0, ddof=1) + eps)
    y = (x - x.mean(axis=0)) / std
    return (g - g.mean(axis=0) - y * (g * y).mean(axis=0)) / std


@wrong("rule-batch-norm", "layer norm: along the rows")
def pull(x, g, eps):
    std = np.sqrt(x.var(axis=1, keepdims=True) + eps)
    y = (x - x.mean(axis=1, keepdims=True)) / std
    return (g - g.mean(axis=1, keepdims=True) - y * (g * y).mean(axis=1, keepdims=True)) / std


@wrong("rule-batch-norm", "the mean of g times the mean of y")
def pull(x, g, eps):
    std = np.sqrt(x.var(axis=0) + eps)
    y = (x - x.mean(axis=0)) / std
    return (g - g.mean(axis=0) - y * g.mean(axis=0) * y.mean(axis=0)) / std


@right("rule-batch-norm", "path by path")
def pull(x, g, eps):
    n, centred = len(x), x - x.mean(axis=0)
    var = x.var(axis=0) + eps
    dvar = (g * centred).sum(axis=0) * -0.5 * var**-1.5
    dmean = -(g / np.sqrt(var)).sum(axis=0)
    return g / np.sqrt(var) + dvar * 2 * centred / n + dmean / n
