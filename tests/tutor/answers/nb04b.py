"""04b Other ways to a derivative."""

import math

from sheets import above, right, wrong


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


@wrong("dual-program", "all inputs move at the same rate")
def run(program, inputs, direction):
    return _forward(program, inputs, [1.0 for _ in inputs], RULES)


right("dual-program", "pairs and a table of rules", above("[1.0 for _ in inputs] -> direction"))


@wrong("dual-mend", "at 0 the slope of the argument")
def mended(x, s):
    if x == 0:
        return 1.0, s
    return (math.exp(x) - 1) / x, s * (x * math.exp(x) - math.exp(x) + 1) / x**2


wrong("dual-mend", "the value at 0 is mended, too, and wrongly", above("return 1.0, s -> return 0.0, s / 2"))
wrong("dual-mend", "the second derivative's factor: a third", above("return 1.0, s -> return 1.0, s / 3"))


@right("dual-mend", "with expm1, and the limit")
def mended(x, s):
    if x == 0:
        return 1, 0.5 * s
    return math.expm1(x) / x, s * (x * math.exp(x) - math.expm1(x)) / x**2


right("kink-answers", "as floats", [0.0, 0.5, 0.0, 1.0, 0.0, 6.0])
