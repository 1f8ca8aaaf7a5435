"""05b Many gradients at once."""

import numpy as np
from sheets import above, right, wrong


@wrong("many-rule", "a column instead of a row: the axis of one stays")
def product(x, w):
    if x.ndim == 2 and w.ndim == 3:
        return np.swapaxes(w, 1, 2) @ x[:, :, None]
    return x @ w


wrong(
    "many-rule", "the axis in the middle is left over", above("np.swapaxes(w, 1, 2) @ x[:, :, None] -> x[:, None] @ w")
)


@wrong("many-rule", "one product for all three cases")
def product(x, w):
    return x @ w


@wrong("many-rule", "the examples are summed as well")
def product(x, w):
    if x.ndim == 2 and w.ndim == 3:
        return np.tensordot(x, w, axes=([0, 1], [0, 1]))
    return x @ w


@wrong("many-rule", "w of the first example for all")
def product(x, w):
    if w.ndim == 3 and x.ndim == 2:
        w = w[0]
    return x @ w


@wrong("many-rule", "a loop that keeps the last example only")
def product(x, w):
    if x.ndim == 2 and w.ndim == 3:
        for a, b in zip(x, w):
            y = a @ b
        return y
    return x @ w


@right("many-rule", "einsum for each case")
def product(x, w):
    left = "nk" if x.ndim == 2 else "k"
    return np.einsum(f"{left},{'nkm' if w.ndim == 3 else 'km'}->nm", x, w)


@right("many-rule", "everything is broadcast, then multiplied and summed")
def product(x, w):
    n = len(x) if x.ndim == 2 else len(w)
    x, w = np.broadcast_to(x, (n, x.shape[-1])), np.broadcast_to(w, (n, *w.shape[-2:]))
    return (x[:, :, None] * w).sum(axis=1)


wrong("many-shapes", "grad of a batch is added up", [(3,), (6, 3), (3, 6), (6,), (4, 3), (4, 3), (4, 3), (6, 3, 4)])
wrong(
    "many-shapes",
    "the mean still has a gradient each",
    [(3,), (6, 3), (3, 6), (6,), (4, 3), (6, 4, 3), (6, 4, 3), (6, 3, 4)],
)
wrong("many-shapes", "examples behind", [(3,), (3, 6), (6, 3), (6,), (4, 3), (4, 3, 6), (4, 3), (3, 4, 6)])
wrong("many-shapes", "the gradient has the shape of x", [(3,), (6, 3), (3, 6), (6,), (4,), (6, 4), (4, 3), (6, 3, 4)])
wrong(
    "many-shapes",
    "the Jacobian with respect to w",
    [(3,), (6, 3), (3, 6), (6,), (4, 3), (6, 4, 3), (4, 3), (6, 3, 4, 3)],
)
wrong(
    "many-shapes",
    "vmap of a loss is the sum of the losses",
    [(3,), (6, 3), (3, 6), (), (4, 3), (6, 4, 3), (4, 3), (6, 3, 4)],
)
wrong("many-shapes", "inputs before outputs", [(3,), (6, 3), (3, 6), (6,), (4, 3), (6, 4, 3), (4, 3), (6, 4, 3)])
wrong("many-shapes", "out_dims is not seen", [(3,), (6, 3), (6, 3), (6,), (4, 3), (6, 4, 3), (4, 3), (6, 3, 4)])
right("many-shapes", "a tuple of tuples", ((3,), (6, 3), (3, 6), (6,), (4, 3), (6, 4, 3), (4, 3), (6, 3, 4)))


@wrong("many-norms", "the bias has the gradient 1")
def lengths(x, g):
    return np.sqrt((x**2).sum(1) * (g**2).sum(1) + 1)


wrong("many-norms", "x and g as one vector", above("* (g**2).sum(1) + 1 -> + (g**2).sum(1)"))


@right("many-norms", "a one is put to each row of x")
def lengths(x, g):
    x = np.hstack([x, np.ones((len(x), 1))])
    return np.linalg.norm(x, axis=1) * np.linalg.norm(g, axis=1)


wrong("many-norms", "the gradient of w alone", above("    x = np.hstack([x, np.ones((len(x), 1))])\n -> "))


@wrong("many-norms", "the norms of w and b are added")
def lengths(x, g):
    a, b = np.linalg.norm(x, axis=1), np.linalg.norm(g, axis=1)
    return a * b + b


@wrong("many-norms", "no root")
def lengths(x, g):
    return (x**2).sum(1) * (g**2).sum(1) + (g**2).sum(1)


@wrong("many-norms", "the norm of the batch's gradient")
def lengths(x, g):
    dw, db = x.T @ g, g.sum(0)
    return np.sqrt((dw**2).sum() + (db**2).sum())


@wrong("many-norms", "the mean instead of the sum of the squares")
def lengths(x, g):
    return np.sqrt(((x**2).mean(1) + 1) * (g**2).mean(1))


@right("many-norms", "einsum of squares")
def lengths(x, g):
    squares = np.einsum("ij,ij->i", g, g)
    return np.sqrt(np.einsum("ij,ij->i", x, x) * squares + squares)


@wrong("many-colours", "the row decides on the push")
def matrix(pushes):
    n = pushes.shape[1]
    J = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if abs(i - j) <= 1:
                J[i, j] = pushes[i % 3][i]
    return J


wrong("many-colours", "rows for columns", above("i, j] = pushes[i % 3][i -> j, i] = pushes[j % 3, i"))


@wrong("many-colours", "no zeros outside the band")
def matrix(pushes):
    n = pushes.shape[1]
    return np.array([[pushes[j % 3, i] for j in range(n)] for i in range(n)])


@wrong("many-colours", "the lower diagonal is forgotten")
def matrix(pushes):
    n = pushes.shape[1]
    J = np.zeros((n, n))
    for i in range(n):
        J[i, i] = pushes[i % 3, i]
        if i + 1 < n:
            J[i, i + 1] = pushes[(i + 1) % 3, i]
    return J


@wrong("many-colours", "each push is a column of its own")
def matrix(pushes):
    n = pushes.shape[1]
    J = np.zeros((n, n))
    J[:, :3] = pushes.T
    return J


@wrong("many-colours", "the last column is left out")
def matrix(pushes):
    n = pushes.shape[1]
    J = np.zeros((n, n))
    for i in range(n):
        for j in range(max(0, i - 1), min(n - 1, i + 2)):
            J[i, j] = pushes[j % 3, i]
    return J


@right("many-colours", "a mask over the tiled pushes")
def matrix(pushes):
    n = pushes.shape[1]
    i, j = np.indices((n, n))
    return np.where(abs(i - j) <= 1, pushes[j % 3, i], 0.0)
