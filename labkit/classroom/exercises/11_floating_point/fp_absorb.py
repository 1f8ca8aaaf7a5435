"""# Sums in float16 (2 points)

`f = np.float16`, so every number below is a float16 and every sum is rounded to float16.
Predict the six results. Answer with a list of six numbers.

0. `f(2048) + f(1)`
1. `f(2048) + f(3)`
2. `f(4096) + f(2)`
3. `(f(2048) + f(1)) + f(1)`
4. `f(2048) + (f(1) + f(1))`
5. start with `f(0)` and add `f(1)` five thousand times
"""

import numpy as np

from labkit.classroom.writing import judged, wrong

answer = [2048, 2052, 4096, 2048, 2050, 2048]
rules = (
    "Which numbers of float16 are the neighbours, and which of them is nearer? Halfway, the even one wins.",
    "Which numbers of float16 are the neighbours, and which of them is nearer? Halfway, the even one wins.",
    "From here on the numbers of float16 lie twice as far apart as before. Which numbers of float16 are the "
    "neighbours, and which of them is nearer? Halfway, the even one wins.",
    "Round after the first sum already, then after the second one.",
    "The bracket comes first, and its result is rounded, too.",
    "The sum grows until adding once more no longer reaches the next number. Which number is that?",
)
hints = (
    "Write down the neighbours first: from 2048 to 4096 the numbers of float16 are 2 apart.",
    "Halfway between two neighbours the even one wins. Counted in gaps from 2048: 2048 is even, 2050 odd, 2052 even.",
    "Item 5: the sum is right up to 2048. Then look at item 0.",
)


def _counted():
    total = np.float16(0)
    for _ in range(5000):
        total = total + np.float16(1)
    return total


def reference():
    f = np.float16
    found = (
        f(2048) + f(1),
        f(2048) + f(3),
        f(4096) + f(2),
        (f(2048) + f(1)) + f(1),
        f(2048) + (f(1) + f(1)),
        _counted(),
    )
    return [float(v) for v in found]


no_rounding = wrong(
    "These are the exact sums. From 2048 on the gap between neighbours in float16 is 2, from 4096 on it is 4: "
    "what lies between them has to go to one of them.",
    {0: 2049, 1: 2051, 2: 4098},
    answer=[2049, 2051, 4098, 2050, 2050, 5000],
)

ties_go_up = wrong(
    "You rounded every half upwards. A tie goes to the neighbour whose last bit is 0, up or down.",
    {0: 2050, 2: 4100},
    together=True,
)

ties_go_down = wrong(
    "You rounded every half downwards. A tie goes to the neighbour whose last bit is 0, and that may be the "
    "upper one: count the gaps from 2048.",
    {1: 2050},
)

order_is_free = wrong(
    "Items 3 and 4 are not the same. One at a time, each 1 is absorbed; together they are a whole gap.", {3: 2050}
)

counting_goes_on = wrong("The sum stops growing. What is 2048 + 1? And what happens with the next 1?", {5: 5000})

infinite = judged("value", {5: float("inf")})
one_number = judged("kind", 2048)
