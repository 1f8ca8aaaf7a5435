"""# Examples that count more (2 points)

Some examples are more important than others. `losses` returns one loss for each example:

```python
def losses(w):
    return ((x * w).sum(1) - y) ** 2
```

Write `weighted(w, x, y, c)`: it returns the gradient with respect to `w` in which example `i` counts `c[i]` times.
Leave `losses` as it is
(define it inside), and use a seed. All arguments are Tensors: `w` of shape `(2,)`, `x` of `(n, 2)`, `y` and `c` of `(n,)`.
"""

import numpy as np

from labkit import mindspore as ms
from labkit.classroom.writing import judged, wrong


def weighted(w, x, y, c):
    def losses(w):
        return ((x * w).sum(1) - y) ** 2

    return ms.grad(losses, sens_param=True)(w, c)


def draw(rng):
    n = int(rng.integers(3, 6))
    w, x, y = rng.uniform(-1, 1, 2), rng.uniform(-1, 1, (n, 2)), rng.uniform(-1, 1, n)
    return tuple(a.astype(np.float32) for a in (w, x, y, rng.uniform(0.5, 3, n)))


tensors = "mindspore"


@wrong("Every example counts once: that is grad without a seed. Hand over c.")
def all_alike(w, x, y, c):
    return ms.grad(lambda w: ((x * w).sum(1) - y) ** 2)(w)


@wrong("You divided by the number of examples. A seed multiplies rows, and the rows are added: no mean.")
def mean_taken(w, x, y, c):
    return ms.grad(lambda w: (c * ((x * w).sum(1) - y) ** 2).mean())(w)


@wrong("You divided the weights by their sum. Example i is to count c[i] times, just that.")
def normalised(w, x, y, c):
    return ms.grad(lambda w: ((x * w).sum(1) - y) ** 2, sens_param=True)(w, c / c.sum())


@wrong("Each weight came in squared. It belongs outside the square, on the loss of its example.")
def squared(w, x, y, c):
    return ms.grad(lambda w: (c * ((x * w).sum(1) - y)) ** 2)(w)


@judged("value")
def on_the_inputs(w, x, y, c):
    return ms.grad(lambda w: (((c * x.T).T * w).sum(1) - y) ** 2)(w)


@judged("shape")
def a_row_each(w, x, y, c):
    return ms.jacrev(lambda w: ((x * w).sum(1) - y) ** 2)(w)


@judged("error")
def sens_left_out(w, x, y, c):
    return ms.grad(lambda w: ((x * w).sum(1) - y) ** 2)(w, c)


hints = (
    "losses has n outputs. How much each of them counts is what sens says.",
    "ms.grad(losses, sens_param=True) takes what losses takes, and then the seed.",
    "ms.grad(losses, sens_param=True)(w, c)",
)
