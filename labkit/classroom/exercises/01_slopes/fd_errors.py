"""# How large is the truncation error? (2 points)

Each line asks for the error: the distance between the difference and the exact derivative. Work it out
with pencil and paper, and write positive numbers. Answer with a list of six.

| item | difference | f(x) | x | h |
|---|---|---|---|---|
| 0 | forward | `x * x` | 3 | 0.1 |
| 1 | forward | `x * x` | 5 | 0.1 |
| 2 | forward | `7 * x - 4` | 3 | 0.1 |
| 3 | central | `x * x` | 3 | 0.1 |
| 4 | central | `x * x * x` | 2 | 0.1 |
| 5 | central | `x * x * x` | 2 | 0.2 |
"""

from labkit.classroom.writing import judged, wrong

answer = [0.1, 0.1, 0, 0, 0.01, 0.04]
places = (
    "forward, x * x at 3",
    "forward, x * x at 5",
    "forward, a straight line",
    "central, x * x",
    "central, h = 0.1",
    "central, h = 0.2",
)
rules = (
    "Write out the difference for x * x: the slope is there, and next to it one thing more. Does it depend on x?",
    "Write out the difference for x * x: the slope is there, and next to it one thing more. Does it depend on x?",
    "A straight line has the same slope everywhere: is anything cut off?",
    "The errors of the two sides of x * x are opposite, and a central difference is the mean of the two.",
    "Write out the central difference of x * x * x: next to the slope, one power of h is left over.",
    "The central difference of x * x * x leaves a power of h over. What does a step twice as long make of it?",
)
hints = (
    "Write the difference out. For item 0: ((3 + h)**2 - 3**2) / h. What is left besides 6?",
    "Two of the six are 0. For a line nothing is cut off, and for x * x the two sides cancel.",
    "For x * x * x the central difference is 3 * x**2 + h**2.",
)


def _forward(f, x, h):
    return (f(x + h) - f(x)) / h


def _central(f, x, h):
    return (f(x + h) - f(x - h)) / (2 * h)


def _error(rule, f, x, h, exact):
    return abs(rule(f, x, h) - exact)


def reference():
    return [
        _error(_forward, lambda x: x * x, 3.0, 0.1, 6.0),
        _error(_forward, lambda x: x * x, 5.0, 0.1, 10.0),
        _error(_forward, lambda x: 7 * x - 4, 3.0, 0.1, 7.0),
        _error(_central, lambda x: x * x, 3.0, 0.1, 6.0),
        _error(_central, lambda x: x * x * x, 2.0, 0.1, 12.0),
        _error(_central, lambda x: x * x * x, 2.0, 0.2, 12.0),
    ]


the_difference_itself = wrong(
    "These are the differences themselves. The error is how far they are from the exact derivative.",
    {0: 6.1, 1: 10.1},
    answer=[6.1, 10.1, 7, 6, 12.01, 12.04],
)

grows_with_x = wrong(
    "For x * x the forward difference is 2x + h. What is left beside the slope does not grow with x: it is the same at every x.",
    {1: lambda expected, got: got > expected + 0.01},
    answer={1: 0.1667},
)

a_line_has_an_error = wrong(
    "A straight line is its own secant: the difference is exact for every h.",
    {2: lambda expected, got: got > 0.01},
    answer={2: 0.1},
)

central_as_forward = wrong(
    "The central difference has no error of order h: on the two sides of x these errors have opposite signs.",
    {3: lambda expected, got: got > 0.01},
    answer={3: 0.05},
)

central_is_linear = wrong(
    "The error of a central difference goes with the square of h: twice the step, four times the error.", {5: 0.02}
)

a_sign = judged("value", {0: -0.1})
five = judged("structure", [0.1, 0.1, 0, 0, 0.01])
