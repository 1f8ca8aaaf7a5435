"""e2 Other ways to a derivative."""

import math

from sheets import above, right, wrong

RULES = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "multiply": lambda a, b: (a[0] * b[0], a[1] * b[0] + a[0] * b[1]),
    "tanh": lambda a: (math.tanh(a[0]), (1 - math.tanh(a[0]) ** 2) * a[1]),
}


@right("dual-program", "pairs and a table of rules")
def run(program, inputs, direction):
    pairs = list(zip(inputs, direction, strict=True))
    for op, *places in program:
        pairs.append(RULES[op](*[pairs[i] for i in places]))
    return pairs[-1]


@right("dual-fix", "with expm1, and the limit")
def fixed(x, s):
    if x == 0:
        return 1, 0.5 * s
    return math.expm1(x) / x, s * (x * math.exp(x) - math.expm1(x)) / x**2


wrong("dual-fix", "the value at 0 is changed, too, and wrongly", above("1, 0.5 * s -> 0.0, s / 2"))

wrong("engine-nesting", "the value of the inner function for its gradient", [48, 7, 36, 8, 0])
wrong("engine-nesting", "only the explicit x is differentiated, not the point", [48, 1, 12, 4, 0])
right("engine-nesting", "floats", [48.0, 1.0, 12.0, 8.0, 0.0])

right("kink-answers", "as floats", [0.0, 0.5, 0.0, 1.0, 0.0, 6.0])
