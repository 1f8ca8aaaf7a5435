"""04 Vectors."""

import autograd.numpy as np
from sheets import above, right, wrong

wrong("start-shapes", "x[0] is taken for a column", [(2, 3), (2,), (2, 3), ()])
wrong("start-shapes", "2 * x has twice as many elements", [(2, 3), (3,), (4, 6), ()])


@right("vector-unbroadcast", "all axes at once, then reshape")
def unbroadcast(g, shape):
    padded = (1,) * (g.ndim - len(shape)) + tuple(shape)
    axes = tuple(i for i in range(g.ndim) if padded[i] == 1)
    return np.sum(g, axis=axes, keepdims=True).reshape(shape)


wrong("vector-unbroadcast", "the mean over the repeats", above("np.sum -> np.mean"))

eight = [(3, 2), (2,), (4, 2, 3, 2), (4, 2, 2), (4, 2), (4, 3), (4, 2), (4, 3)]
wrong("vector-shapes", "a gradient has the shape of the output", [(), (), *eight[2:]])
wrong("vector-shapes", "a VJP has the shape of the output", [*eight[:5], (4, 2), *eight[6:]])


@wrong("vector-pull-cumsum", "a JVP: the running sum of v")
def pull(v):
    return np.cumsum(v)


wrong("vector-pull-cumsum", "the element itself is left out", above("cumsum -> sum(v) - np.cumsum"))
right("vector-pull-cumsum", "the total minus the sum of the earlier", above("cumsum(v) -> sum(v) - np.cumsum(v) + v"))


@wrong("vector-matmul", "g is left out")
def pull(x, w, g):
    return w.T, x.T


wrong("vector-matmul", "the transposes are forgotten", above("w.T, x.T -> g @ w, x @ g"))
wrong("vector-matmul", "the order of the products is exchanged", above("w.T, x.T -> w.T @ g, g @ x.T"))
wrong("vector-matmul", "elementwise, as for a product of numbers", above("w.T, x.T -> g * w, g * x"))
wrong("vector-matmul", "the value y takes the place of g", above("w.T, x.T -> g @ w.T, x.T @ (x @ w)"))
wrong("vector-matmul", "each gets its own matrix", above("w.T, x.T -> g @ x.T, w.T @ g"))
right("vector-matmul", "einsum", above('w.T, x.T -> np.einsum("ij,kj->ik", g, w), np.einsum("ik,ij->kj", x, g)'))
