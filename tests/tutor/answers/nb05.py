"""05 Vectors: VJP, JVP, Jacobians."""

import autograd.numpy as np
from sheets import above, right, wrong


@wrong("vector-unbroadcast", "the mean over the repeats")
def unbroadcast(g, shape):
    while g.ndim > len(shape):
        g = g.mean(axis=0)
    for axis, n in enumerate(shape):
        if n == 1:
            g = g.mean(axis=axis, keepdims=True)
    return g


@wrong("vector-unbroadcast", "sums everything, and spreads it out again")
def unbroadcast(g, shape):
    return np.full(shape, g.sum())


@right("vector-unbroadcast", "all axes at once, then reshape")
def unbroadcast(g, shape):
    padded = (1,) * (g.ndim - len(shape)) + tuple(shape)
    axes = tuple(i for i in range(g.ndim) if padded[i] == 1)
    return np.sum(g, axis=axes, keepdims=True).reshape(shape)


eight = [(3, 2), (2,), (4, 2, 3, 2), (4, 2, 2), (4, 2), (4, 3), (4, 2), (4, 3)]
wrong("vector-shapes", "a gradient has the shape of the output", [(), (), *eight[2:]])
wrong("vector-shapes", "a pull gives the shape of the output", [*eight[:5], (4, 2), *eight[6:]])


wrong("vector-structures", "subtracting x[0] fills the first row", ["D", "B", "I", "G", "A", "J", "F", "C"])
wrong("vector-structures", "reversing gives the same diagonal", ["D", "B", "D", "G", "A", "H", "F", "C"])
right("vector-structures", "one text as a list of letters", list("DBIGAHFC"))


@wrong("vector-pull-cumsum", "a push: the running sum of v")
def pull(v):
    return np.cumsum(v)


wrong("vector-pull-cumsum", "the element itself is left out", above("cumsum -> sum(v) - np.cumsum"))
right("vector-pull-cumsum", "the total, less what lies before", above("cumsum(v) -> sum(v) - np.cumsum(v) + v"))


@wrong("vector-matmul", "g is left out")
def pull(x, w, g):
    return w.T, x.T


wrong("vector-matmul", "the transposes are forgotten", above("return w.T, x.T -> return g @ w, x @ g"))
wrong("vector-matmul", "the order of the products is exchanged", above("return w.T, x.T -> return w.T @ g, g @ x.T"))
wrong("vector-matmul", "elementwise, as for a product of numbers", above("return w.T, x.T -> return g * w, g * x"))
wrong("vector-matmul", "the two gradients are exchanged", above("return w.T, x.T -> return x.T @ g, g @ w.T"))
wrong("vector-matmul", "each gets its own matrix", above("return w.T, x.T -> return g @ x.T, w.T @ g"))


@right("vector-matmul", "einsum over the indices of the derivation")
def pull(x, w, g):
    return np.einsum("ij,kj->ik", g, w), np.einsum("ik,ij->kj", x, g)
