"""# Repair the order of a step (3 points)

`g` is the gradient of the *scaled* loss, an array. Gradients longer than `limit` are to be shortened to it
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
the weights have to stay as they are. Repair it.
"""

from functools import partial

import numpy as np

from labkit.classroom.writing import judged, wrong


def step(w, g, scale, limit, lr):
    if not np.isfinite(g).all():
        return w
    g = g / scale
    norm = np.sqrt((g**2).sum())
    if norm > limit:
        g = g * (limit / norm)
    return w - lr * g


def _drawn_gradient(rng, length, ill=()):
    """Scaled gradients, so many times as long as the limit; some of their elements are ill."""
    scale, limit, lr = 2.0 ** int(rng.integers(8, 14)), float(rng.integers(2, 10)) / 2, float(rng.choice([0.25, 0.5]))
    g = rng.uniform(0.5, 1.0, 3) * rng.choice([-1.0, 1.0], 3)
    g *= length * limit * scale / np.linalg.norm(g)
    g[rng.permutation(3)[: len(ill)]] = ill
    return rng.uniform(0.5, 2.0, 3).astype(np.float32), g.astype(np.float32), scale, limit, lr


draw = (
    partial(_drawn_gradient, length=2.5),
    partial(_drawn_gradient, length=0.8),
    partial(_drawn_gradient, length=1.25, ill=(np.inf,)),
    partial(_drawn_gradient, length=0.5, ill=(np.nan,)),
    partial(_drawn_gradient, length=1.25),
    partial(_drawn_gradient, length=2.5, ill=(-np.inf,)),
    partial(_drawn_gradient, length=0.8, ill=(np.inf, -np.inf)),
)
draws = 8


def _shortened(g, limit):
    norm = np.sqrt((g**2).sum())
    return g * (limit / norm) if norm > limit else g


@wrong(
    "With an infinite element the step has to be left out as a whole: return w. What is infinite cannot be made "
    "finite by a division, and inf / inf is nan.",
    when=lambda i, expected, got: not np.isfinite(i[1]).all(),
)
@np.errstate(all="ignore")
def steps_into_inf(w, g, scale, limit, lr):
    return w - lr * _shortened(g / scale, limit)


@wrong(
    "The limit still meets the scaled gradient: nearly every step is cut, and then divided by the scale. First "
    "divide, then look at the norm."
)
@np.errstate(all="ignore")
def limits_the_scaled(w, g, scale, limit, lr):

    return w - lr * _shortened(g, limit) / scale


@wrong("The gradient was not divided by the scale.")
@np.errstate(all="ignore")
def not_unscaled(w, g, scale, limit, lr):
    return step(w, g, 1.0, limit, lr)


@wrong("Gradients longer than the limit were not shortened.")
def limit_forgotten(w, g, scale, limit, lr):
    return w - lr * g / scale


@judged("steps-into-inf")
@np.errstate(all="ignore")
def inf_alone(w, g, scale, limit, lr):
    return w if np.isinf(g).any() else w - lr * _shortened(g / scale, limit)


@judged("steps-into-inf")
@np.errstate(all="ignore")
def zero_for_inf(w, g, scale, limit, lr):
    return w - lr * _shortened(np.where(np.isfinite(g), g, 0) / scale, limit)


@judged("limits-the-scaled")
@np.errstate(all="ignore")
def skips_only(w, g, scale, limit, lr):
    return w - lr * _shortened(g, limit) / scale if np.isfinite(g).all() else w


@judged("value")
def uphill(w, g, scale, limit, lr):
    return step(w, -g, scale, limit, lr)


@judged("kind")
def the_gradient(w, g, scale, limit, lr):
    return list(_shortened(g / scale, limit)) if np.isfinite(g).all() else w


hints = (
    "The order is: look whether all is finite, divide by the scale, shorten, step.",
    "if not np.isfinite(g).all(): return w, as the first line.",
    "Move g = g / scale up, above the line with norm.",
)
