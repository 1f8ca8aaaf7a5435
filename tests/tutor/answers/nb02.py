"""02 Graphs and the chain rule."""

import numpy as np
from sheets import above, right, wrong

wrong("graph-names", "a name that is used again overwrites the node", ["x", "y", "b", "a", "v1"])
wrong("graph-names", "`b = a` makes a node", ["x", "y", "a", "b", "a_2", "v1"])
wrong("graph-names", "the second `a` is called `a` again", ["x", "y", "a", "a", "v1"])
wrong("graph-names", "a value without a name is no node", ["x", "y", "a", "a_2"])
wrong("graph-names", "the inputs are not listed", ["a", "a_2", "v1"])
wrong(
    "graph-names",
    "numbering starts at the first `a`, and the result is the second unnamed value",
    ["x", "y", "a_1", "a_2", "v2"],
)
wrong("graph-names", "the result takes the name of the function", ["x", "y", "a", "a_2", "f"])
right("graph-names", "a tuple for a list", ("x", "y", "a", "a_2", "v1"))


@wrong("graph-local", "the square in the quotient is forgotten")
def local(op, a, b):
    if op == "add":
        return 1, 1
    if op == "subtract":
        return 1, -1
    if op == "multiply":
        return b, a
    return 1 / b, -a / b


wrong(
    "graph-local",
    "the product's slopes are exchanged: each factor gets itself",
    above("return b, a -> return a, b", "return 1 / b, -a / b -> return 1 / b, -a / b**2"),
)
wrong("graph-local", "whole-number division", above("return 1 / b, -a / b -> return 1 // b, -a // b**2"))


@wrong("graph-local", "a difference has the slope 1 for both")
def local(op, a, b):
    if op in ("add", "subtract"):
        return 1.0, 1.0
    if op == "multiply":
        return b, a
    return 1 / b, -a / b**2


@wrong("graph-local", "the quotient's minus is forgotten")
def local(op, a, b):
    return {
        "add": (1, 1),
        "subtract": (1, -1),
        "multiply": (b, a),
        "divide": (1 / b, a / b**2),
    }[op]


@wrong("graph-local", "the derivative of a + b for a is a: values for slopes")
def local(op, a, b):
    if op == "add":
        return a, b
    if op == "subtract":
        return a, -b
    if op == "multiply":
        return b, a
    return 1 / b, -a / b**2


@wrong("graph-local", "1 / a belongs to the second argument of a quotient")
def local(op, a, b):
    if op == "add":
        return 1, 1
    elif op == "subtract":
        return 1, -1
    elif op == "multiply":
        return b, a
    elif op == "divide":
        return 1 / b, 1 / a


@wrong("graph-local", "a finite difference with a coarse step")
def local(op, a, b):
    f = {
        "add": lambda a, b: a + b,
        "subtract": lambda a, b: a - b,
        "multiply": lambda a, b: a * b,
        "divide": lambda a, b: a / b,
    }[op]
    h = 1e-2
    return (f(a + h, b) - f(a, b)) / h, (f(a, b + h) - f(a, b)) / h


@right("graph-local", "a quotient as a product with a power, and match")
def local(op, a, b):
    match op:
        case "add":
            return 1.0, 1.0
        case "subtract":
            return 1.0, -1.0
        case "multiply":
            return b, a
        case "divide":
            return b**-1.0, -a * b**-2.0


wrong("graph-edges", "the product's slopes are exchanged", [2, 3, 1, 1, 16])
wrong("graph-edges", "the values at the start of each edge", [2, 3, 6, 2, 8])
wrong("graph-edges", "the square's slope is v, not 2 v", [3, 2, 1, 1, 8])
wrong("graph-edges", "the square's slope is its value", [3, 2, 1, 1, 64])
wrong("graph-edges", "the whole derivative, not the edge's", [48, 32, 16, 16, 16])
wrong("graph-edges", "the edge from x counts both of its paths", [3, 2, 1, 4, 16])
wrong("graph-edges", "v is 6: the + x is forgotten", [3, 2, 1, 1, 12])
right("graph-edges", "floats, as an array", np.array([3.0, 2.0, 1.0, 1.0, 16.0]))

wrong("graph-count", "the edge of a value that is used twice counts once", [2, 4, 5, 3, 2])
wrong("graph-count", "the constant 1 is an input", [3, 4, 8, 3, 2])
wrong("graph-count", "the inputs are counted among the operations", [2, 6, 7, 3, 2])
wrong("graph-count", "`e - 1` is overlooked, for it has no name", [2, 3, 6, 3, 2])
wrong("graph-count", "paths are edges that leave the input", [2, 4, 7, 2, 1])
wrong("graph-count", "the constant is an edge, too", [2, 4, 8, 3, 2])
wrong("graph-count", "y is thought to reach d as well", [2, 4, 7, 3, 3])
right("graph-count", "floats", [2.0, 4.0, 7.0, 3.0, 2.0])


@wrong("graph-paths", "adds along the path")
def derivative(slopes):
    return np.sum(slopes)


wrong("graph-paths", "multiplies everything", above("sum -> prod"))
wrong("graph-paths", "the wrong axis", above("sum(slopes) -> sum(np.prod(slopes, axis=0))"))
wrong("graph-paths", "does not add up the paths", above("sum(slopes) -> prod(slopes, axis=1)"))
wrong("graph-paths", "the mean of the paths", above("sum(slopes) -> mean(np.prod(slopes, axis=1))"))


@wrong("graph-paths", "multiplies over the paths, adds along them: sums and products exchanged")
def derivative(slopes):
    return np.prod(np.sum(slopes, axis=1))


@wrong("graph-paths", "the first path alone")
def derivative(slopes):
    total = 1.0
    for slope in slopes[0]:
        total *= slope
    return total


@wrong("graph-paths", "the product is not set back for the next path")
def derivative(slopes):
    total, product = 0.0, 1.0
    for path in slopes:
        for slope in path:
            product *= slope
        total += product
    return total


@right("graph-paths", "two loops")
def derivative(slopes):
    total = 0
    for path in slopes:
        product = 1
        for slope in path:
            product = product * slope
        total = total + product
    return total


@right("graph-paths", "math.prod of each row")
def derivative(slopes):
    import math

    return sum(math.prod(path.tolist()) for path in slopes)


@wrong("graph-by-hand", "the contributions to a are multiplied")
def by_hand(x, y):
    a = x * y
    b = a + x
    z = b * a
    db = a
    da = b * db
    return z, da * y + db, da * x


wrong(
    "graph-by-hand",
    "the slopes of the product a = x * y are exchanged",
    above("b * db -> b + db", "y + db, da * x -> x + db, da * y"),
)
wrong("graph-by-hand", "the slopes of z = b * a are exchanged", above("db = a -> db = b", "= b * db -> = a + db"))


@wrong("graph-by-hand", "the gradients for x and y are exchanged")
def by_hand(x, y):
    a = x * y
    b = a + x
    da = b + a
    return b * a, da * x, da * y + a


wrong("graph-by-hand", "the value is left out", above("b * a, da * x, da * y + a -> da * y + a, da * x"))


@wrong("graph-by-hand", "the path of a through b is forgotten")
def by_hand(x, y):
    a = x * y
    b = a + x
    z = b * a
    dz_da = b
    dz_dx = dz_da * y + a
    dz_dy = dz_da * x
    return z, dz_dx, dz_dy


@wrong("graph-by-hand", "x's direct path through b is forgotten")
def by_hand(x, y):
    a = x * y
    b = a + x
    z = b * a
    dz_db = a
    dz_da = b + dz_db
    return z, dz_da * y, dz_da * x


@wrong("graph-by-hand", "a finite difference")
def by_hand(x, y):
    def f(x, y):
        return (x * y + x) * (x * y)

    h = 1e-5
    return f(x, y), (f(x + h, y) - f(x - h, y)) / (2 * h), (f(x, y + h) - f(x, y - h)) / (2 * h)


@right("graph-by-hand", "multiplied out: z = x**2 * (y**2 + y)")
def by_hand(x, y):
    return x * x * (y * y + y), 2 * x * (y * y + y), x * x * (2 * y + 1)
