"""# Falls, swings or grows? (3 points)

Gradient descent from a place where every coordinate is 1, hundreds of steps. `h` is the matrix with 1 and 4 on its diagonal and 0
elsewhere. What becomes of the distance to the place where the gradient is 0? Answer with a list of eight words: `"falls"`
(towards 0), `"swings"` (it stays the same from some step on, not 0) or `"grows"` (without limit).

0. `x @ h @ x / 2`, rate 0.4
1. `x @ h @ x / 2`, rate 0.5
2. `x @ h @ x / 2`, rate 0.6
3. `5 * x**2` for one number `x`, rate 0.15
4. `5 * x**2` for one number `x`, rate 0.2
5. ten times the function of item 0, rate 0.1
6. `x[0]**2 / 2 - x[1]**2 / 2`, rate 0.01
7. the function of item 0 with `x = 2 * u`, descent on `u`, rate 0.2
"""

import numpy as np

import labkit
from labkit.classroom.writing import judged, wrong

answer = ["falls", "swings", "grows", "falls", "swings", "grows", "grows", "grows"]
rules = (
    "Compare the rate with 2 / 4: the larger curvature decides.",
    "Compare the rate with 2 / 4: what is the factor of a step, exactly at the edge?",
    "Compare the rate with 2 / 4: the larger curvature decides.",
    "The curvature is the second derivative of 5 * x**2, not the 5.",
    "The curvature is the second derivative of 5 * x**2, not the 5.",
    "A factor before the function is a factor of all its curvatures.",
    "Where a curvature is negative, what is 1 - rate * h?",
    "Write the function in u, and take its second derivatives: each coordinate comes in squared.",
)
hints = (
    "A step multiplies each coordinate by 1 - rate * h. It shrinks if this is between -1 and 1.",
    "5 * x**2 has the second derivative 10. Ten times a function has ten times its curvatures.",
    "Item 6: 1 - 0.01 * (-1) is above 1. Item 7: (2 * u)**2 = 4 * u**2, so the curvatures are 4 and 16.",
)


def _bowl(x):
    return (x[0] ** 2 + 4 * x[1] ** 2) / 2


RUNS = (
    (_bowl, 2, 0.4),
    (_bowl, 2, 0.5),
    (_bowl, 2, 0.6),
    (lambda x: 5 * x[0] ** 2, 1, 0.15),
    (lambda x: 5 * x[0] ** 2, 1, 0.2),
    (lambda x: 10 * _bowl(x), 2, 0.1),
    (lambda x: x[0] ** 2 / 2 - x[1] ** 2 / 2, 2, 0.01),
    (lambda u: _bowl(2 * u), 2, 0.2),
)


def _fate(f, size, rate):
    x = np.ones(size)
    for _ in range(400):
        x = x - rate * labkit.grad(f)(x)
    distance = np.sqrt(x @ x)
    return "falls" if distance < 0.1 else "swings" if distance < 1.5 else "grows"


def reference():
    return [_fate(*run) for run in RUNS]


edge_is_one = wrong(
    "The edge is at 2 / h. Above 1 / h a step jumps over the minimum, but it still lands closer.",
    {0: "grows", 3: "grows"},
)

smallest_decides = wrong(
    "The largest curvature decides: along it the steps grow first, even if all others shrink.", {2: "falls"}
)

edge_falls = wrong(
    "Exactly at the edge the factor is -1: from side to side, at the same distance, for ever.",
    {1: "falls"},
)

edge_grows = wrong(
    "Exactly at the edge the factor is -1, not below: it neither shrinks nor grows.", {1: "grows", 4: "grows"}
)

five_for_ten = wrong("The curvature of 5 * x**2 is its second derivative, 10. The edge is at 0.2.", {4: "falls"})

scale_ignored = wrong(
    "Ten times the function is ten times the curvature: the edge moves from 0.5 to 0.05.", {5: "falls"}
)

small_is_safe = wrong(
    "A small rate does not help where the curvature is negative. Each step leads further down that side, slowly at first.",
    {6: "falls"},
)

coordinates_do_not_matter = wrong(
    "In u the curvatures are four times as large: the edge moves from 0.5 to 0.125. Gradient descent depends on the "
    "coordinates.",
    {7: "falls"},
)

seven = judged("structure", ["falls", "swings", "grows", "falls", "swings", "grows", "grows"])
