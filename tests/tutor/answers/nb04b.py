"""04b Other ways to a derivative."""

import math

from sheets import above, right, wrong


@wrong("dual-divide", "b is a constant")
def divide(a, b):
    (u, du), (v, dv) = a, b
    return (u / v, du / v)


wrong("dual-divide", "not divided by the square", above("(u / v, du / v) -> (u / v, du * v - u * dv)"))


@wrong("dual-divide", "the slopes are divided, too")
def divide(a, b):
    return a[0] / b[0], a[1] / b[1] if b[1] else 0.0


@wrong("dual-divide", "the sign of b's part")
def divide(a, b):
    return (a[0] / b[0], a[1] / b[0] + a[0] * b[1] / b[0] ** 2)


@wrong("dual-divide", "1 / b**2 for b's part, without a")
def divide(a, b):
    return (a[0] / b[0], a[1] / b[0] - b[1] / b[0] ** 2)


@right("dual-divide", "times the reciprocal")
def divide(a, b):
    one_over = b[0] ** -1, -b[1] * b[0] ** -2
    return a[0] * one_over[0], a[1] * one_over[0] + a[0] * one_over[1]


@right("dual-divide", "the formula of the school")
def divide(a, b):
    return a[0] / b[0], (a[1] * b[0] - a[0] * b[1]) / (b[0] * b[0])


def _forward(program, inputs, direction, rules):
    pairs = list(zip(inputs, direction))
    for op, *places in program:
        pairs.append(rules[op](*[pairs[i] for i in places]))
    return pairs[-1]


RULES = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "multiply": lambda a, b: (a[0] * b[0], a[1] * b[0] + a[0] * b[1]),
    "tanh": lambda a: (math.tanh(a[0]), (1 - math.tanh(a[0]) ** 2) * a[1]),
}


@wrong("dual-program", "tanh of the slope")
def run(program, inputs, direction):
    rules = {**RULES, "tanh": lambda a: (math.tanh(a[0]), math.tanh(a[1]))}
    return _forward(program, inputs, direction, rules)


wrong("dual-program", "1 + tanh squared", above("math.tanh(a[1]) -> (1 + math.tanh(a[0]) ** 2) * a[1]"))


@wrong("dual-program", "all inputs move at the same rate")
def run(program, inputs, direction):
    return _forward(program, inputs, [1.0 for _ in inputs], RULES)


right("dual-program", "pairs and a table of rules", above("[1.0 for _ in inputs] -> direction"))


@wrong("dual-program", "in a sum only the first term moves")
def run(program, inputs, direction):
    rules = {**RULES, "add": lambda a, b: (a[0] + b[0], a[1])}
    return _forward(program, inputs, direction, rules)


@wrong("dual-program", "slopes of a product are added")
def run(program, inputs, direction):
    rules = {**RULES, "multiply": lambda a, b: (a[0] * b[0], a[1] + b[1])}
    return _forward(program, inputs, direction, rules)


@wrong("dual-program", "slopes of a product are multiplied")
def run(program, inputs, direction):
    rules = {**RULES, "multiply": lambda a, b: (a[0] * b[0], a[1] * b[1])}
    return _forward(program, inputs, direction, rules)


@wrong("dual-mend", "at 0 the slope of the argument")
def mended(x, s):
    if x == 0:
        return 1.0, s
    return (math.exp(x) - 1) / x, s * (x * math.exp(x) - math.exp(x) + 1) / x**2


wrong("dual-mend", "a half, whatever s", above("return 1.0, s -> return 1.0, 0.5"))
wrong("dual-mend", "a slope of 1 at 0", above("return 1.0, s -> return 1.0, 1.0"))
wrong("dual-mend", "the value at 0 is mended, too, and wrongly", above("return 1.0, s -> return 0.0, s / 2"))
wrong("dual-mend", "the second derivative's factor: a third", above("return 1.0, s -> return 1.0, s / 3"))


@right("dual-mend", "with expm1, and the limit")
def mended(x, s):
    if x == 0:
        return 1, 0.5 * s
    return math.expm1(x) / x, s * (x * math.exp(x) - math.expm1(x)) / x**2


wrong("kink-answers", "all corners answer a half", [0, 0.5, 0.5, 0.5, 0, 6])
wrong("kink-answers", "the slope on the right everywhere", [1, 1, 1, 1, 6, 6])
wrong("kink-answers", "the slope on the left everywhere", [-1, 0, 0, 0, 6, 6])
wrong("kink-answers", "the true slope at 3", [0, 0.5, 0, 1, 6, 6])
wrong("kink-answers", "a seam has no slope", [0, 0.5, 0, 1, 0, 0])
wrong("kink-answers", "maximum as relu", [0, 0, 0, 1, 0, 6])
right("kink-answers", "as floats", [0.0, 0.5, 0.0, 1.0, 0.0, 6.0])
