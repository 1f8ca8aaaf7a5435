"""03 Build the engine."""

import numpy as np
from sheets import above, right, wrong

box, number = "box", "number"
wrong("engine-boxes", "everything inside of f is a box", [box, box, box, box, box, box, 5])
wrong("engine-boxes", "operations on plain numbers are recorded, too", [number, box, number, box, number, box, 6])
wrong("engine-boxes", "the result is not recorded", [number, box, number, box, number, box, 2])
right("engine-boxes", "a tuple for a list", (number, box, number, box, number, box, 3))


@right("engine-program", "forward mode: each value carries its derivatives")
def run(program, inputs):
    values = list(zip(inputs, np.eye(len(inputs)), strict=True))
    for op, *args in program:
        (a, da), (b, db) = values[args[0]], values[args[-1]]
        if op == "add":
            values.append((a + b, da + db))
        elif op == "multiply":
            values.append((a * b, da * b + a * db))
        else:
            t = np.tanh(a)
            values.append((t, (1 - t * t) * da))
    value, slopes = values[-1]
    return value, slopes.tolist()


@wrong("engine-tanh", "2 x from the square's rule")
def tanh_rule(g, ans, x):
    return g * (1 - 2 * ans)


wrong("engine-tanh", "x for tanh(x)", above("2 * ans -> x**2"))
wrong("engine-tanh", "the parentheses are missing", above("(1 - 2 * ans) -> 1 - ans**2"))
wrong("engine-tanh", "computes tanh again with math, which fails for boxes", above("2 * ans -> math.tanh(x) ** 2"))
right("engine-tanh", "factored", above("- 2 * ans -> - ans) * (1 + ans"))


@right("engine-arrays", "all axes at once, then a reshape")
def multiply_rule(g, a, b):
    def back(d, shape):
        padded = (1,) * (d.ndim - len(shape)) + tuple(shape)
        axes = tuple(i for i, n in enumerate(padded) if n == 1 and d.shape[i] != 1)
        return d.sum(axis=axes, keepdims=True).reshape(shape)

    a, b = np.asarray(a), np.asarray(b)
    return back(g * b, a.shape), back(g * a, b.shape)


wrong("engine-arrays", "the factors are exchanged", above("b, a.shape), back(g * a -> a, a.shape), back(g * b"))
wrong("engine-arrays", "axes of length 1 are lost", above(", keepdims=True).reshape(shape) -> )"))
