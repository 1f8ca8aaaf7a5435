"""# Which slope does the engine return there? (2 points)

Each function is continuous, and `labkit.grad` differentiates the operations that run. Predict the six slopes. `anp` is
`autograd.numpy`. Answer with a list of six numbers.

0. `anp.abs(x)` at 0.0
1. `anp.maximum(x, 0.0)` at 0.0
2. `x * (x > 0)` at 0.0
3. `x if x >= 0 else 0 * x` at 0.0
4. `x * x if x != 3 else 9.0` at 3.0
5. `x * x if x > 3 else 6 * x - 9` at 3.0
"""

import autograd.numpy as anp

from labkit.classroom.writing import either, judged, wrong
from labkit.engine import grad

answer = [0, 0.5, 0, 1, 0, 6]
rules = (
    "At its kink, abs has a rule of its own, which returns the mean of the slopes on both sides.",
    "At a tie, maximum divides the upstream gradient between its arguments.",
    "x > 0 is a constant for the engine. Which number is it at 0?",
    "Which branch runs at 0? The engine differentiates that one.",
    "Which branch runs at 3, and does it use x?",
    "Which branch runs at 3? Differentiate that one.",
)
places = ("abs", "maximum", "x * (x > 0)", "x >= 0", "x != 3", "x > 3")
hints = (
    "Where there is a condition, find out which branch runs. Only this branch is differentiated.",
    "At their kink, abs and maximum return the mean of the slopes on both sides.",
    "A comparison gives a constant, False or True. What is the derivative of False times x?",
)
LINES = (
    (lambda x: anp.abs(x), 0.0),
    (lambda x: anp.maximum(x, 0.0), 0.0),
    (lambda x: x * (x > 0), 0.0),
    (lambda x: x if x >= 0 else 0 * x, 0.0),
    (lambda x: x * x if x != 3 else 9.0, 3.0),
    (lambda x: x * x if x > 3 else 6 * x - 9, 3.0),
)


def reference():
    return [float(grad(line)(at)) for line, at in LINES]


slope_on_one_side = wrong(
    "This is the slope on one side of the kink. abs returns the mean of both slopes.", {0: either(1, -1)}
)

no_tie = wrong("At 0 the two arguments are equal, a tie, so maximum gives a half to each.", {1: either(0, 1)})

middle_everywhere = wrong(
    "Only abs and maximum return the mean. A comparison has no slope: it gives a constant, or selects the branch.",
    {2: 0.5, 3: 0.5},
)

other_branch = wrong("x >= 0 is true at 0, so x itself is returned.", {3: 0})

slope_of_the_function = wrong(
    "6 is the slope of the function. The engine does not compute it, because at 3 the constant 9.0 ran.", {4: 6}
)

no_slope_at_a_seam = wrong(
    "At 3 the last branch runs, 6 * x - 9. Both branches have the same slope there, so the result is right.",
    {5: either(0, 3, float("nan"))},
)

another = judged("value", {5: 77})
five = judged("structure", [0, 0.5, 0, 1, 0])

no_slope_at_a_corner = wrong(
    "Mathematically there is no slope at a kink. A program returns a number, which the rule of the operation determines.",
    {i: either(float("nan"), lambda expected, got: got is None) for i in range(4)},
)

comparison_is_true = wrong(
    "0 > 0 is False, so x is multiplied by the constant 0.",
    {2: 1},
)

value_for_slope = wrong("That is the value of the function. The exercise asks for its slope.", {4: 9, 5: 9})

branches_averaged = wrong(
    "Nothing is averaged between branches: the branch that runs at this point is differentiated.", {4: 3}
)

no_slope_at_a_point = wrong(
    "The values have no kink here. The engine differentiates the branch that runs, whatever it is.", {4: float("nan")}
)
half_a_tie = wrong("abs has the slopes -1 and 1 at its kink, and returns their mean.", {0: 0.5})
both_branches = wrong("Only the branch that runs is differentiated.", {5: either(12, 15, -3)})
