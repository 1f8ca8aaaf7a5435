"""05 Vectors: VJP, JVP, Jacobians."""

import autograd.numpy as np
from sheets import above, right, wrong

from labkit import grad, jacfwd, jvp, vjp


@wrong("vector-unbroadcast", "the missing axes are taken at the end")
def unbroadcast(g, shape):
    while g.ndim > len(shape):
        g = g.sum(axis=-1)
    for axis, n in enumerate(shape):
        if n == 1:
            g = g.sum(axis=axis, keepdims=True)
    return g


wrong(
    "vector-unbroadcast",
    "takes one of the repeats instead of their sum",
    above(".sum(axis=-1) -> [0]", "sum(axis=axis, keepdims=True) -> take([0], axis=axis)"),
)


@wrong("vector-unbroadcast", "axes of length 1 are not summed")
def unbroadcast(g, shape):
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    return g


@wrong("vector-unbroadcast", "axes of length 1 disappear")
def unbroadcast(g, shape):
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    axes = tuple(i for i, n in enumerate(shape) if n == 1)
    return g.sum(axis=axes) if axes else g


@wrong("vector-unbroadcast", "the missing axes stay as axes of length 1")
def unbroadcast(g, shape):
    padded = (1,) * (g.ndim - len(shape)) + shape
    for axis, n in enumerate(padded):
        if n == 1:
            g = g.sum(axis=axis, keepdims=True)
    return g


@wrong("vector-unbroadcast", "the mean over the repeats")
def unbroadcast(g, shape):
    while g.ndim > len(shape):
        g = g.mean(axis=0)
    for axis, n in enumerate(shape):
        if n == 1:
            g = g.mean(axis=axis, keepdims=True)
    return g


@wrong("vector-unbroadcast", "np.resize: the first elements in a new shape")
def unbroadcast(g, shape):
    return np.resize(g, shape)


@wrong("vector-unbroadcast", "sums everything, and spreads it out again")
def unbroadcast(g, shape):
    return np.full(shape, g.sum())


@wrong("vector-unbroadcast", "the axes of the longer shape are used for the shorter one")
def unbroadcast(g, shape):
    for axis in range(len(shape)):
        if shape[axis] == 1:
            g = g.sum(axis=axis, keepdims=True)
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    return g


@right("vector-unbroadcast", "all axes at once, then reshape")
def unbroadcast(g, shape):
    padded = (1,) * (g.ndim - len(shape)) + tuple(shape)
    axes = tuple(i for i in range(g.ndim) if padded[i] == 1)
    return np.sum(g, axis=axes, keepdims=True).reshape(shape)


@right("vector-unbroadcast", "labkit's own grad of the broadcast sum")
def unbroadcast(g, shape):
    return grad(lambda b: np.sum(g * (np.zeros(g.shape) + b)))(np.zeros(shape))


eight = [(3, 2), (2,), (4, 2, 3, 2), (4, 2, 2), (4, 2), (4, 3), (4, 2), (4, 3)]
wrong("vector-shapes", "the axes of the input come first", [*eight[:2], (3, 2, 4, 2), (2, 4, 2), *eight[4:]])
wrong("vector-shapes", "a Jacobian is a matrix: the axes are flattened", [*eight[:2], (8, 6), (8, 2), *eight[4:]])
wrong("vector-shapes", "a gradient has the shape of the output", [(), (), *eight[2:]])
wrong("vector-shapes", "v has the shape of the input", [*eight[:4], (4, 3), *eight[5:]])
wrong("vector-shapes", "a pull gives the shape of the output", [*eight[:5], (4, 2), *eight[6:]])
wrong("vector-shapes", "J t has the shape of w", [*eight[:6], (3, 2), eight[7]])
wrong("vector-shapes", "the Jacobian of one number keeps an axis for it", [*eight[:7], (1, 4, 3)])
wrong("vector-shapes", "the gradient for b keeps the batch", [(3, 2), (4, 2), *eight[2:]])
wrong("vector-shapes", "the pull's first result is that for w", [*eight[:5], (3, 2), *eight[6:]])
wrong("vector-shapes", "pull and push are exchanged", [*eight[:4], (3, 2), (4, 2), (4, 3), (4, 3)])
wrong("vector-shapes", "lists, where tuples are asked for", [list(shape) for shape in eight])


@wrong("vector-columns", "takes the tangent, but the pushes stay rows")
def jacobian(a, x):
    def f(x):
        return a @ np.tanh(x)

    pushes = [jvp(f, (x,), (t,))[1] for t in np.eye(len(x))]
    return np.array(pushes)


wrong(
    "vector-columns",
    "transposed, but still the outputs",
    above("(x,), (t,))[1] for t in np.eye( -> (x,), (t,))[0] for t in np.eye(", "(pushes) -> (pushes).T"),
)
wrong("vector-columns", "reshape is taken for a transpose", above("(pushes) -> (pushes).reshape(len(a), len(x))"))
wrong(
    "vector-columns",
    "both are changed back: the transpose is of the eye",
    above("[jvp(f, (x,), (t,))[1] for t in np.eye(len(x))] -> [jvp(f, (x,), (t,))[1] for t in np.eye(len(x)).T]"),
)


@wrong("vector-columns", "one push per output: the unit vectors have the wrong length")
def jacobian(a, x):
    def f(x):
        return a @ np.tanh(x)

    pushes = [jvp(f, (x,), (t,))[1] for t in np.eye(len(a))]
    return np.array(pushes).T


@wrong("vector-columns", "tanh is left out of the function")
def jacobian(a, x):
    pushes = [jvp(lambda x: a @ x, (x,), (t,))[1] for t in np.eye(len(x))]
    return np.array(pushes).T


@wrong("vector-columns", "the pushes are added up")
def jacobian(a, x):
    def f(x):
        return a @ np.tanh(x)

    return sum(jvp(f, (x,), (t,))[1] for t in np.eye(len(x)))


@wrong("vector-columns", "concatenated into one long vector")
def jacobian(a, x):
    def f(x):
        return a @ np.tanh(x)

    return np.concatenate([jvp(f, (x,), (t,))[1] for t in np.eye(len(x))])


@right("vector-columns", "stacked along the second axis")
def jacobian(a, x):
    def f(x):
        return a @ np.tanh(x)

    return np.stack([jvp(f, (x,), (t,))[1] for t in np.eye(len(x))], axis=1)


@right("vector-columns", "jacfwd does the pushes")
def jacobian(a, x):
    return jacfwd(lambda x: a @ np.tanh(x))(x)


structures = ["D", "B", "I", "G", "A", "H", "F", "C"]
wrong("vector-structures", "cumsum is drawn transposed", ["D", "E", "I", "G", "A", "H", "F", "C"])
wrong("vector-structures", "softmax is elementwise", ["D", "B", "I", "G", "D", "H", "F", "C"])
wrong("vector-structures", "subtracting x[0] fills the first row", ["D", "B", "I", "G", "A", "J", "F", "C"])
wrong("vector-structures", "sort has no derivative pattern but the diagonal", ["D", "B", "I", "G", "A", "H", "F", "D"])
wrong("vector-structures", "sort mixes everything", ["D", "B", "I", "G", "A", "H", "F", "A"])
wrong("vector-structures", "reversing gives the same diagonal", ["D", "B", "D", "G", "A", "H", "F", "C"])
wrong("vector-structures", "neighbours' products have a diagonal pattern", ["D", "B", "I", "D", "A", "H", "F", "C"])
wrong("vector-structures", "a mean depends on everything", ["D", "B", "I", "G", "A", "H", "A", "C"])
wrong("vector-structures", "transposes both cumsum and x - x[0]", ["D", "E", "I", "G", "A", "J", "F", "C"])
wrong("vector-structures", "sort and reverse are exchanged", ["D", "B", "C", "G", "A", "H", "F", "I"])
right("vector-structures", "one text as a list of letters", list("DBIGAHFC"))


@wrong("vector-pull-cumsum", "a push: the running sum of v")
def pull(v):
    return np.cumsum(v)


wrong("vector-pull-cumsum", "reversed, but not turned back", above("cumsum(v) -> cumsum(v[::-1])"))
wrong("vector-pull-cumsum", "turned at the end alone", above("cumsum(v) -> cumsum(v)[::-1]"))
wrong("vector-pull-cumsum", "the total for each element", above("cumsum(v) -> full(len(v), np.sum(v))"))
wrong("vector-pull-cumsum", "the element itself is left out", above("cumsum -> sum(v) - np.cumsum"))
wrong("vector-pull-cumsum", "the inverse of a running sum: differences", above("cumsum(v) -> diff(v, prepend=0.0)"))
wrong("vector-pull-cumsum", "builds the matrix", above("np.cumsum(v) -> v @ np.tri(len(v))"))
wrong("vector-pull-cumsum", "one sum, one number", above("np.cumsum(v) -> sum(v[i:].sum() for i in range(len(v)))"))
right("vector-pull-cumsum", "the total, less what lies before", above("cumsum(v) -> sum(v) - np.cumsum(v) + v"))


@wrong("vector-pull-cumsum", "each v counts as often as its element is used")
def pull(v):
    return v * np.arange(len(v), 0, -1)


@wrong("vector-pull-cumsum", "labkit's vjp")
def pull(v):
    return vjp(np.cumsum, np.zeros(len(v)))[1](v)[0]


@right("vector-pull-cumsum", "a sum of the rest for each element")
def pull(v):
    return np.array([np.sum(v[i:]) for i in range(len(v))])


six = [(1, 1000), (3, 1), (50, 50), (8, 12), (8, 6), (2, 12)]
wrong("vector-passes", "pulls and pushes are exchanged", [pair[::-1] for pair in six])
wrong("vector-passes", "one pass is enough for elementwise functions", [*six[:2], (1, 1), *six[3:]])
wrong("vector-passes", "rows are counted, not elements", [(1, 1000), (3, 1), (50, 50), (4, 4), (4, 3), (1, 4)])
wrong("vector-passes", "both factors are inputs", [*six[:3], (8, 18), (8, 18), (2, 18)])
wrong("vector-passes", "the sum of the rows still has 8 outputs", [*six[:5], (8, 12)])
wrong("vector-passes", "the sum over axis 0 leaves 4 numbers", [*six[:5], (4, 12)])
wrong("vector-passes", "the sum makes it a single number", [*six[:5], (1, 12)])
wrong("vector-passes", "a point in space is one output", [(1, 1000), (1, 1), *six[2:]])
wrong("vector-passes", "lists, where pairs are written as tuples", [list(pair) for pair in six])


@wrong("vector-matmul", "g is left out")
def pull(x, w, g):
    return w.T, x.T


wrong("vector-matmul", "the transposes are forgotten", above("return w.T, x.T -> return g @ w, x @ g"))
wrong("vector-matmul", "the order of the products is exchanged", above("return w.T, x.T -> return w.T @ g, g @ x.T"))
wrong("vector-matmul", "elementwise, as for a product of numbers", above("return w.T, x.T -> return g * w, g * x"))
wrong("vector-matmul", "the two gradients are exchanged", above("return w.T, x.T -> return x.T @ g, g @ w.T"))
wrong("vector-matmul", "dw is right, dx is transposed", above("return w.T, x.T -> return w @ g.T, x.T @ g"))
wrong("vector-matmul", "g is transposed, not the other factor", above("return w.T, x.T -> return g.T @ w, x @ g.T"))
wrong("vector-matmul", "each gets its own matrix", above("return w.T, x.T -> return g @ x.T, w.T @ g"))


@wrong("vector-matmul", "dx is right; in dw the order is kept and x not transposed")
def pull(x, w, g):
    return g @ w.T, g @ x.T


@right("vector-matmul", "einsum over the indices of the derivation")
def pull(x, w, g):
    return np.einsum("ij,kj->ik", g, w), np.einsum("ik,ij->kj", x, g)


@right("vector-matmul", "three loops")
def pull(x, w, g):
    dx, dw = np.zeros(x.shape), np.zeros(w.shape)
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            for j in range(w.shape[1]):
                dx[i, k] += g[i, j] * w[k, j]
                dw[k, j] += g[i, j] * x[i, k]
    return dx, dw
