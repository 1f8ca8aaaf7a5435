"""02 Graphs and the chain rule."""

from sheets import above, right, wrong


@wrong("graph-local", "the square in the quotient is forgotten")
def local(op, a, b):
    if op == "add":
        return 1, 1
    if op == "subtract":
        return 1, -1
    if op == "multiply":
        return b, a
    return 1 / b, -a / b


wrong("graph-local", "whole-number division", above("return 1 / b, -a / b -> return 1 // b, -a // b**2"))


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


wrong("graph-count", "the constant 1 is an input", [3, 4, 8, 3, 2])
right("graph-count", "floats", [2.0, 4.0, 7.0, 3.0, 2.0])


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


@right("graph-by-hand", "multiplied out: z = x**2 * (y**2 + y)")
def by_hand(x, y):
    return x * x * (y * y + y), 2 * x * (y * y + y), x * x * (2 * y + 1)
