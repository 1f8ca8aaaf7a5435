"""e3 Many gradients at once."""

import numpy as np
from sheets import above, right, wrong


@right("many-rule", "einsum for each case")
def product(x, w):
    left = "nk" if x.ndim == 2 else "k"
    return np.einsum(f"{left},{'nkm' if w.ndim == 3 else 'km'}->nm", x, w)


wrong("many-rule", "the examples are summed as well", above("->nm -> ->{'m' if x.ndim + w.ndim == 5 else 'nm'}"))


@right("many-norms", "a one is appended to each row of x")
def norms(x, g):
    x = np.hstack([x, np.ones((len(x), 1))])
    return np.linalg.norm(x, axis=1) * np.linalg.norm(g, axis=1)


wrong("many-norms", "one norm of the whole x", above("np.linalg.norm(x, axis=1) -> np.linalg.norm(x)"))
wrong("many-rule", "the first matrix for all", lambda x, w: x @ (w[0] if w.ndim == 3 else w))
