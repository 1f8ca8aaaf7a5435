"""05b Many gradients at once."""

import numpy as np
from sheets import right, wrong


@wrong("many-rule", "the examples are summed as well")
def product(x, w):
    if x.ndim == 2 and w.ndim == 3:
        return np.tensordot(x, w, axes=([0, 1], [0, 1]))
    return x @ w


@right("many-rule", "einsum for each case")
def product(x, w):
    left = "nk" if x.ndim == 2 else "k"
    return np.einsum(f"{left},{'nkm' if w.ndim == 3 else 'km'}->nm", x, w)


@wrong("many-norms", "the bias has the gradient 1")
def lengths(x, g):
    return np.sqrt((x**2).sum(1) * (g**2).sum(1) + 1)


@right("many-norms", "a one is put to each row of x")
def lengths(x, g):
    x = np.hstack([x, np.ones((len(x), 1))])
    return np.linalg.norm(x, axis=1) * np.linalg.norm(g, axis=1)
