"""04 Build the engine."""

import math

import numpy as np
from sheets import above, right, wrong

wrong("engine-boxes", "everything inside of f is a box", ["box", "box", "box", "box", "box", "box", 5])
wrong(
    "engine-boxes",
    "what is computed from a box's value is a box again",
    ["number", "box", "box", "box", "number", "box", 4],
)
wrong("engine-boxes", "box + number is a number", ["number", "box", "number", "number", "number", "number", 1])
wrong(
    "engine-boxes", "an operation of the engine always gives a box", ["number", "box", "number", "box", "box", "box", 4]
)
wrong(
    "engine-boxes",
    "operations on plain numbers are recorded, too",
    ["number", "box", "number", "box", "number", "box", 6],
)
wrong("engine-boxes", "the result is not recorded", ["number", "box", "number", "box", "number", "box", 2])
wrong(
    "engine-boxes", "the result of f is taken out of its box", ["number", "box", "number", "box", "number", "number", 3]
)
wrong("engine-boxes", "counts the input as an operation", ["number", "box", "number", "box", "number", "box", 4])
right("engine-boxes", "a tuple for a list", ("number", "box", "number", "box", "number", "box", 3))


@wrong("engine-program", "tanh's slope is taken at its argument's square, not its result's")
def run(program, inputs):
    values = list(inputs)
    for op, *args in program:
        a = [values[i] for i in args]
        values.append(a[0] + a[1] if op == "add" else a[0] * a[1] if op == "multiply" else np.tanh(a[0]))
    grads = [0.0] * len(values)
    grads[-1] = 1.0
    for i in range(len(values) - 1, len(inputs) - 1, -1):
        op, *args = program[i - len(inputs)]
        if op == "add":
            for p in args:
                grads[p] += grads[i]
        elif op == "multiply":
            grads[args[0]] += grads[i] * values[args[1]]
            grads[args[1]] += grads[i] * values[args[0]]
        else:
            grads[args[0]] += grads[i] * (1 - values[args[0]] ** 2)
    return values[-1], grads[: len(inputs)]


wrong(
    "engine-program",
    "all derivatives are returned, not those of the inputs alone",
    above("values[args[0]] * -> values[i] *", "[: len(inputs)] -> "),
)


@wrong("engine-program", "overwrites what has arrived")
def run(program, inputs):
    values = list(inputs)
    for op, *args in program:
        a = [values[i] for i in args]
        values.append(a[0] + a[1] if op == "add" else a[0] * a[1] if op == "multiply" else math.tanh(a[0]))
    grads = [0.0] * len(values)
    grads[-1] = 1.0
    for k in reversed(range(len(program))):
        op, *args = program[k]
        g = grads[len(inputs) + k]
        if op == "add":
            grads[args[0]] = g
            grads[args[1]] = g
        elif op == "multiply":
            grads[args[0]] = g * values[args[1]]
            grads[args[1]] = g * values[args[0]]
        else:
            grads[args[0]] = g * (1 - values[len(inputs) + k] ** 2)
    return values[-1], grads[: len(inputs)]


@wrong("engine-program", "the factors' slopes are exchanged")
def run(program, inputs):
    values = list(inputs)
    for op, *args in program:
        if op == "add":
            values.append(values[args[0]] + values[args[1]])
        elif op == "multiply":
            values.append(values[args[0]] * values[args[1]])
        else:
            values.append(np.tanh(values[args[0]]))
    grads = np.zeros(len(values))
    grads[-1] = 1
    for node in range(len(values) - 1, len(inputs) - 1, -1):
        op, *args = program[node - len(inputs)]
        if op == "add":
            grads[args[0]] += grads[node]
            grads[args[1]] += grads[node]
        elif op == "multiply":
            grads[args[0]] += grads[node] * values[args[0]]
            grads[args[1]] += grads[node] * values[args[1]]
        else:
            grads[args[0]] += grads[node] * (1 - values[node] ** 2)
    return values[-1], list(grads[: len(inputs)])


@wrong("engine-program", "walks forwards through the program")
def run(program, inputs):
    values = list(inputs)
    for op, *args in program:
        a = [values[i] for i in args]
        values.append(a[0] + a[1] if op == "add" else a[0] * a[1] if op == "multiply" else np.tanh(a[0]))
    n = len(inputs)
    grads = [0.0] * len(values)
    grads[-1] = 1.0
    for i, (op, *args) in enumerate(program):
        g = grads[n + i]
        if op == "add":
            grads[args[0]] += g
            grads[args[1]] += g
        elif op == "multiply":
            grads[args[0]] += g * values[args[1]]
            grads[args[1]] += g * values[args[0]]
        else:
            grads[args[0]] += g * (1 - values[n + i] ** 2)
    return values[-1], grads[:n]


@wrong("engine-program", "the program's index is taken for the value's: the inputs are not counted")
def run(program, inputs):
    values = list(inputs)
    for op, *args in program:
        a = [values[i] for i in args]
        values.append(a[0] + a[1] if op == "add" else a[0] * a[1] if op == "multiply" else np.tanh(a[0]))
    grads = [0.0] * len(values)
    grads[-1] = 1.0
    for i in reversed(range(len(program))):
        op, *args = program[i]
        g = grads[i + 1]
        if op == "add":
            grads[args[0]] += g
            grads[args[1]] += g
        elif op == "multiply":
            grads[args[0]] += g * values[args[1]]
            grads[args[1]] += g * values[args[0]]
        else:
            grads[args[0]] += g * (1 - values[i + 1] ** 2)
    return values[-1], grads[: len(inputs)]


@wrong("engine-program", "a finite difference in place of a walk back")
def run(program, inputs):
    def forward(inputs):
        values = list(inputs)
        for op, *args in program:
            a = [values[i] for i in args]
            values.append(a[0] + a[1] if op == "add" else a[0] * a[1] if op == "multiply" else math.tanh(a[0]))
        return values[-1]

    h = 1e-4
    slopes = []
    for i in range(len(inputs)):
        moved = list(inputs)
        moved[i] += h
        slopes.append((forward(moved) - forward(inputs)) / h)
    return forward(inputs), slopes


@wrong("engine-program", "the inputs are extended in place: they are changed by a run")
def run(program, inputs):
    n = len(inputs)
    values = inputs
    for op, *args in program:
        a = [values[i] for i in args]
        values += [a[0] + a[1] if op == "add" else a[0] * a[1] if op == "multiply" else math.tanh(a[0])]
    grads = [0.0] * len(values)
    grads[-1] = 1.0
    for i in range(len(values) - 1, n - 1, -1):
        op, *args = program[i - n]
        if op == "add":
            for p in args:
                grads[p] += grads[i]
        elif op == "multiply":
            grads[args[0]] += grads[i] * values[args[1]]
            grads[args[1]] += grads[i] * values[args[0]]
        else:
            grads[args[0]] += grads[i] * (1 - values[i] ** 2)
    return values[-1], grads


@right("engine-program", "forward mode: each value takes its derivatives along")
def run(program, inputs):
    n = len(inputs)
    values = [(v, np.eye(n)[i]) for i, v in enumerate(inputs)]
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


@right("engine-program", "recursion from the result, with a table of rules")
def run(program, inputs):
    values = [*inputs]
    forward = {"add": lambda a, b: a + b, "multiply": lambda a, b: a * b, "tanh": math.tanh}
    for op, *args in program:
        values.append(forward[op](*(values[i] for i in args)))
    slopes = {
        "add": lambda ans, a, b: (1.0, 1.0),
        "multiply": lambda ans, a, b: (b, a),
        "tanh": lambda ans, a: (1 - ans**2,),
    }

    def walk(i, grads):
        if i < len(inputs):
            return grads[: len(inputs)]
        op, *args = program[i - len(inputs)]
        for p, slope in zip(args, slopes[op](values[i], *(values[k] for k in args))):
            grads[p] += grads[i] * slope
        return walk(i - 1, grads)

    return values[-1], walk(len(values) - 1, [0.0] * (len(values) - 1) + [1.0])


@wrong("engine-tanh", "2 x from the square's rule")
def tanh_rule(g, ans, x):
    return g * (1 - 2 * ans)


wrong("engine-tanh", "what has arrived is forgotten", above("g * (1 - 2 * ans) -> 1 - ans**2"))
wrong("engine-tanh", "x for tanh(x)", above("2 * ans -> x**2"))
wrong("engine-tanh", "the square is forgotten", above("2 * ans -> ans"))
wrong("engine-tanh", "the brackets are missing", above("(1 - 2 * ans) -> 1 - ans**2"))
wrong("engine-tanh", "1 + for 1 -", above("- 2 * ans -> + ans**2"))
wrong("engine-tanh", "computes tanh again with math, which fails for boxes", above("2 * ans -> math.tanh(x) ** 2"))
wrong("engine-tanh", "the derivative is added to what arrives", above("* (1 - 2 * ans) -> + (1 - ans**2)"))
wrong("engine-tanh", "the value is sent, not the slope", above("(1 - 2 * ans) -> ans"))
right("engine-tanh", "factored", above("- 2 * ans -> - ans) * (1 + ans"))


@wrong("engine-mend-levels", "the smallest level first")
def mended(a, b):
    args, nodes = [a, b], []
    while any(args):
        level = min(levels[0] for levels in args if levels)
        opened = [i for i, levels in enumerate(args) if levels and levels[0] == level]
        nodes.append((level, opened))
        args = [levels[1:] if i in opened else levels for i, levels in enumerate(args)]
    return nodes


wrong("engine-mend-levels", "takes off all boxes of what is opened", above("min -> max", "levels[1:] -> ()"))
wrong("engine-mend-levels", "the pair is turned round", above("min -> max", "level, opened -> opened, level"))


@wrong("engine-mend-levels", "opens only the first argument of the level")
def mended(a, b):
    args, nodes = [a, b], []
    while any(args):
        level = max(levels[0] for levels in args if levels)
        opened = [i for i, levels in enumerate(args) if levels and levels[0] == level][:1]
        nodes.append((level, opened))
        args = [levels[1:] if i in opened else levels for i, levels in enumerate(args)]
    return nodes


wrong(
    "engine-mend-levels",
    "opens a box that has the level anywhere inside",
    above("levels and levels[0] == level][:1 -> level in levels", "return nodes -> return nodes[::-1]"),
)
wrong("engine-mend-levels", "opens what is at the level or above 0: still both", above("== level][:1 -> <= level"))


@wrong("engine-mend-levels", "stops after the outermost level")
def mended(a, b):
    args = [a, b]
    level = max(levels[0] for levels in args if levels)
    return [(level, [i for i, levels in enumerate(args) if levels and levels[0] == level])]


@wrong("engine-mend-levels", "the last level of each argument, from the inside out")
def mended(a, b):
    args, nodes = [a, b], []
    while any(args):
        level = max(levels[-1] for levels in args if levels)
        opened = [i for i, levels in enumerate(args) if levels and levels[-1] == level]
        nodes.append((level, opened))
        args = [levels[:-1] if i in opened else levels for i, levels in enumerate(args)]
    return nodes


@right("engine-mend-levels", "one sorted set of levels, no loop that opens")
def mended(a, b):
    levels = sorted({*a, *b}, reverse=True)
    return [(level, [i for i, box in enumerate((a, b)) if level in box]) for level in levels]


wrong("engine-nesting", "the outer derivative is left out in the first one", [32, 1, 12, 8, 0])
wrong("engine-nesting", "the second derivative of x**4 is taken for 4 * 3 * x", [24, 1, 12, 8, 0])
wrong("engine-nesting", "the inner function's slope for x counts as well", [48, 2, 12, 8, 2])
wrong("engine-nesting", "in a product the inner gradient is a constant", [48, 1, 4, 8, 0])
wrong("engine-nesting", "y is set to x before it is differentiated", [48, 1, 12, 12, 2])
wrong("engine-nesting", "only the explicit x is differentiated, not the place", [48, 1, 12, 4, 0])
wrong("engine-nesting", "the inner x is confused with y: the slope of x * x is 2 x", [48, 1, 12, 8, 2])
wrong("engine-nesting", "the inner gradient is evaluated, and then nothing depends on x", [48, 1, 4, 0, 0])
wrong("engine-nesting", "the value of the inner gradient, not its derivative", [48, 1, 8, 8, 8])
right("engine-nesting", "floats", [48.0, 1.0, 12.0, 8.0, 0.0])


@wrong("engine-arrays", "the factors are exchanged")
def multiply_rule(g, a, b):
    def back(d, x):
        while np.ndim(d) > np.ndim(x):
            d = np.sum(d, axis=0)
        for axis, n in enumerate(np.shape(x)):
            if n == 1:
                d = np.sum(d, axis=axis, keepdims=True)
        return d

    return back(g * a, a), back(g * b, b)


wrong(
    "engine-arrays", "axes of length 1 are lost", above(", keepdims=True -> ", "a, a), back(g * b -> b, a), back(g * a")
)
wrong(
    "engine-arrays",
    "sums g before it is multiplied",
    above("(g * a, a), back(g * b, b) -> (g, a) * np.mean(b), back(g, b) * np.mean(a)"),
)


@wrong("engine-arrays", "the repeats are forgotten")
def multiply_rule(g, a, b):
    return g * b, g * a


@wrong("engine-arrays", "always sums over the rows")
def multiply_rule(g, a, b):
    da, db = g * b, g * a
    if np.shape(a) != np.shape(g):
        da = np.sum(da, axis=0)
    if np.shape(b) != np.shape(g):
        db = np.sum(db, axis=0)
    return da, db


@wrong("engine-arrays", "axes of length 1 are not summed")
def multiply_rule(g, a, b):
    def back(d, shape):
        while np.ndim(d) > len(shape):
            d = np.sum(d, axis=0)
        return d

    return back(g * b, np.shape(a)), back(g * a, np.shape(b))


@wrong("engine-arrays", "the mean over the repeats")
def multiply_rule(g, a, b):
    def back(d, x):
        while np.ndim(d) > np.ndim(x):
            d = np.mean(d, axis=0)
        for axis, n in enumerate(np.shape(x)):
            if n == 1:
                d = np.mean(d, axis=axis, keepdims=True)
        return d

    return back(g * b, a), back(g * a, b)


@wrong("engine-arrays", "reshape in place of a sum: the first numbers are taken")
def multiply_rule(g, a, b):
    da, db = g * b, g * a
    return np.resize(da, np.shape(a)), np.resize(db, np.shape(b))


@wrong("engine-arrays", "only b may be the small one")
def multiply_rule(g, a, b):
    da, db = g * b, g * a
    while np.ndim(db) > np.ndim(b):
        db = np.sum(db, axis=0)
    for axis, n in enumerate(np.shape(b)):
        if n == 1:
            db = np.sum(db, axis=axis, keepdims=True)
    return da, db


@right("engine-arrays", "all axes at once, then a reshape")
def multiply_rule(g, a, b):
    def back(d, shape):
        padded = (1,) * (d.ndim - len(shape)) + tuple(shape)
        axes = tuple(i for i, n in enumerate(padded) if n == 1 and d.shape[i] != 1)
        return d.sum(axis=axes, keepdims=True).reshape(shape)

    a, b = np.asarray(a), np.asarray(b)
    return back(g * b, a.shape), back(g * a, b.shape)


@right("engine-arrays", "element by element")
def multiply_rule(g, a, b):
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    da, db = np.zeros(a.shape), np.zeros(b.shape)
    where_a = np.broadcast_to(np.arange(a.size).reshape(a.shape), g.shape)
    where_b = np.broadcast_to(np.arange(b.size).reshape(b.shape), g.shape)
    for index in np.ndindex(g.shape):
        i, j = where_a[index], where_b[index]
        da.flat[i] += g[index] * b.flat[j]
        db.flat[j] += g[index] * a.flat[i]
    return da, db
