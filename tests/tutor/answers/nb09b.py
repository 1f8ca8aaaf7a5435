"""09b Rules, derived."""

import numpy as np
from sheets import above, right, wrong


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


# ---- rule-softmax ----


@wrong("rule-softmax", "the plain middle of the places, not weighted by p")
def pull(z, g):
    p, j = softmax(z), np.arange(z.shape[1])
    return g[:, None] * p * (j - j.mean())


wrong("rule-softmax", "plus the average", above("- j.mean() -> + (p * j).sum(axis=1, keepdims=True)"))


@wrong("rule-softmax", "g is forgotten")
def pull(z, g):
    p, j = softmax(z), np.arange(z.shape[1])
    return p * (j - (p * j).sum(axis=1, keepdims=True))


wrong("rule-softmax", "the softmax of the places, without p outside", above("return p * -> return g[:, None] *"))


@wrong("rule-softmax", "argmax is flat, so nothing goes back")
def pull(z, g):
    return np.zeros_like(z)


@wrong("rule-softmax", "only the place that is largest gets something")
def pull(z, g):
    dz = np.zeros_like(z)
    dz[np.arange(len(z)), z.argmax(axis=1)] = g
    return dz


@wrong("rule-softmax", "the average of the places is not taken away")
def pull(z, g):
    return g[:, None] * softmax(z) * np.arange(z.shape[1])


@right("rule-softmax", "by the Jacobian of each row")
def pull(z, g):
    j = np.arange(z.shape[1])
    return np.stack([one * (np.diag(p) - np.outer(p, p)) @ j for p, one in zip(softmax(z), g, strict=True)])


@right("rule-softmax", "places counted from 1")
def pull(z, g):
    p, j = softmax(z), np.arange(1, z.shape[1] + 1)
    return g[:, None] * p * (j - (p * j).sum(axis=1, keepdims=True))


# ---- rule-cross-entropy ----


@wrong("rule-cross-entropy", "divided by the classes instead of the examples")
def pull(z, labels):
    return (softmax(z) - np.eye(z.shape[1])[labels]) / z.shape[1]


right("rule-cross-entropy", "with one-hot rows", above("/ z.shape[1] -> / z.shape[0]"))


@wrong("rule-cross-entropy", "one-hot minus p")
def pull(z, labels):
    return (np.eye(z.shape[1])[labels] - softmax(z)) / len(z)


@wrong("rule-cross-entropy", "sum over the examples")
def pull(z, labels):
    return softmax(z) - np.eye(z.shape[1])[labels]


@wrong("rule-cross-entropy", "squared error between p and the one-hot row")
def pull(z, labels):
    return 2 * (softmax(z) - np.eye(z.shape[1])[labels]) / len(z)


@wrong("rule-cross-entropy", "softmax without its maximum")
def pull(z, labels):
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    return (p - np.eye(z.shape[1])[labels]) / len(z)


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


@wrong("rule-batch-norm", "the standard deviation of a sample: n - 1")
def pull(x, g, eps):
    std = x.std(axis=0, ddof=1)
    c = x - x.mean(axis=0)
    return (g - g.mean(axis=0)) / (std + eps) - c * (g * c).mean(axis=0) / (std * (std + eps) ** 2)


wrong("rule-batch-norm", "plus the last term", above(", ddof=1 -> ", "+ eps) - c * ( -> + eps) + c * ("))


@wrong("rule-batch-norm", "eps moved into the variance, with the formula of the text")
def pull(x, g, eps):
    std = np.sqrt(x.var(axis=0) + eps)
    y = (x - x.mean(axis=0)) / std
    return (g - g.mean(axis=0) - y * (g * y).mean(axis=0)) / std


@wrong("rule-batch-norm", "divided by the standard deviation without eps at the end")
def pull(x, g, eps):
    std = x.std(axis=0)
    y = (x - x.mean(axis=0)) / (std + eps)
    return (g - g.mean(axis=0) - y * (g * y).mean(axis=0)) / std


@wrong("rule-batch-norm", "both factors of the last term divided by std alone")
def pull(x, g, eps):
    std = x.std(axis=0)
    n = (x - x.mean(axis=0)) / std
    return (g - g.mean(axis=0) - n * (g * n).mean(axis=0)) / (std + eps)


@wrong("rule-batch-norm", "the factor of the last term upside down")
def pull(x, g, eps):
    std = x.std(axis=0)
    y = (x - x.mean(axis=0)) / (std + eps)
    return (g - g.mean(axis=0) - y * (g * y).mean(axis=0) * std / (std + eps)) / (std + eps)


@right("rule-batch-norm", "path by path")
def pull(x, g, eps):
    n, c = len(x), x - x.mean(axis=0)
    std = np.sqrt((c * c).sum(axis=0) / n)
    d_scale = -(g * c).sum(axis=0) / (std + eps) ** 2
    d_c = g / (std + eps) + d_scale * c / (n * std)
    return d_c - d_c.mean(axis=0)
