"""# Choose the upstream gradient (2 points)

A function `y(x)` has three outputs. At this `x` they are `[3.0, -1.0, 2.0]`. Which `sens` makes `ms.grad(y,
sens_param=True)(x, sens)` the gradient of

0. the sum `y[0] + y[1] + y[2]`?
1. the mean of the outputs?
2. only `y[1]`?
3. `2 * y[0] - y[2]`?
4. `y[0]**2 + y[1]**2 + y[2]**2`?
5. the largest output?

Answer with a list of six lists of three numbers.
"""

import autograd.numpy as anp
import numpy as np

from labkit import engine
from labkit.classroom.writing import either, judged, same, wrong

answer = [[1, 1, 1], [1 / 3, 1 / 3, 1 / 3], [0, 1, 0], [2, 0, -1], [6.0, -2.0, 4.0], [1, 0, 0]]
rules = (
    "sens says how much each output counts.",
    "A mean is a sum in which each output has the same weight.",
    "The other outputs have the weight 0. The first output is y[0].",
    "sens has the factor of each output, and 0 for an output that does not occur.",
    "sens is the derivative of the wanted number with respect to each output, at the values given above.",
    "Which output is the largest at this x? The others do not matter.",
)
third_rounded = wrong(
    "This is a third, rounded. Write 1/3: Python computes it.",
    {1: either([0.33] * 3, [0.3] * 3, [0.333] * 3)},
)


hints = (
    "sens[i] is the weight of output i: the derivative of what you want with respect to y[i].",
    "Items 0 to 3 are sums of the outputs with factors. The factors are sens; write 1/3 for a third.",
    "Item 4: differentiate y[0]**2 with respect to y[0]. Item 5: only one output is the largest one.",
)
Y = np.array([3.0, -1.0, 2.0])
GOALS = (anp.sum, anp.mean, lambda y: y[1], lambda y: 2 * y[0] - y[2], lambda y: anp.sum(y**2), anp.max)


def reference():
    return [[float(seed) for seed in engine.grad(goal)(Y)] for goal in GOALS]


values_as_seeds = wrong(
    "You gave values. sens is a derivative: how much the wanted number changes when this output changes. For the sum of "
    "squares that is 2 * y[i]; for the largest output it is 1 or 0.",
    {4: either([9.0, 1.0, 4.0], lambda expected, got: same(list(Y), list(got))), 5: [3.0, 0.0, 0.0]},
)

mean_as_sum = wrong(
    "Ones give the sum. In a mean each output counts one third.",
    {1: lambda expected, got: same([1.0] * 3, list(got))},
    answer={1: [1, 1, 1], 4: [6, -2, 4]},
)

sign_dropped = wrong("y[2] is subtracted: its factor is negative.", {3: [2.0, 0.0, 1.0]})

signs_of_the_values = wrong(
    "The sign in sens is not the sign of the output. In item 2 y[1] counts once, whatever its value is.",
    {2: [0.0, -1.0, 0.0]},
)

the_largest_value = judged("values-as-seeds", {4: [6, -2, 4], 5: [3, 0, 0]})
all_ones = judged("mean-as-sum", [[1.0] * 3] * 6)
one_number_each = judged("structure", [1, 1 / 3, 1, 2, 6, 1])
twice_too_much = judged("value", {4: [12, -4, 8]})

ones_for_squares = wrong(
    "The derivative of y[i]**2 is 2 * y[i]: it depends on the output.",
    {4: either([1.0, 1.0, 1.0], [2.0, 2.0, 2.0])},
)

values_for_sums = wrong(
    "You gave values. sens is the derivative of the wanted number with respect to each output.",
    {0: [3.0, -1.0, 2.0], 1: [1.0, -1 / 3, 2 / 3], 3: [6.0, 0.0, -2.0]},
)

outputs_counted_from_one = wrong(
    "Outputs count from 0: y[1] is the second one.",
    {2: [1.0, 0.0, 0.0], 3: [0.0, 2.0, -1.0]},
)

sign_of_the_square_lost = wrong(
    "The derivative of y[1]**2 is 2 * y[1], which is negative here.",
    {4: [6.0, 2.0, 4.0]},
)

largest_by_place = wrong(
    "The largest output is the first one here, 3.0. Only that output counts.",
    {5: either([0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 1.0, 1.0])},
)


zero_left_out = wrong(
    "sens has one number for each output, in their order. An output that does not occur has the factor 0.",
    {3: either([2.0, -1.0, 0.0], [2.0, -1.0])},
)

another_output_counted = wrong(
    "y[1] does not occur in 2 * y[0] - y[2]: its factor is 0.", {3: either([2.0, 1.0, -1.0], [2.0, -1.0, -1.0])}
)

factor_left_out = wrong("y[0] counts twice: its factor is 2.", {3: [1.0, 0.0, -1.0]})

mean_by_another_number = wrong(
    "In a mean of three outputs each one has the weight 1/3.",
    {1: either([3.0, 3.0, 3.0], [0.5, 0.5, 0.5], [4 / 3, 4 / 3, 4 / 3])},
)

sums_of_values = wrong("sens has a factor for each output, not the sum itself.", {0: [4.0, 4.0, 4.0]})

alone_and_others = wrong(
    "Only y[1] counts: the other outputs have the factor 0.",
    {2: either([1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0])},
)

without_the_two = wrong(
    "The derivative of y[i]**2 is 2 * y[i]. The 2 is missing at some outputs.",
    {4: either([6.0, -1.0, 4.0], [6.0, 1.0, 4.0])},
)
