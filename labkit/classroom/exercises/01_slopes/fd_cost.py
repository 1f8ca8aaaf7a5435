"""# How often does the function run? (2 points)

A function takes `n` numbers and returns one. You want its derivative with respect to each of them. `f(x)`, where it is needed, is
computed once and kept. How often does the function run? Answer with a list of five whole numbers.

| item | difference | n |
|---|---|---|
| 0 | forward | 1 |
| 1 | forward | 10 |
| 2 | central | 1 |
| 3 | central | 10 |
| 4 | forward | 500 |
"""

import numpy as np

from labkit.classroom.writing import either, judged, wrong

answer = [2, 11, 2, 20, 501]
places = ("forward, 1", "forward, 10", "central, 1", "central, 10", "forward, 500")
rules = (
    "A forward difference compares each moved point with f(x), which is computed once for all of them.",
    "A forward difference compares each moved point with f(x), which is computed once for all of them.",
    "A central difference takes a point on either side of x. Does it need f(x) itself?",
    "Every number of the input is moved to either side. Does a central difference need f(x) itself?",
    "A forward difference compares each moved point with f(x), which is computed once for all of them.",
)
hints = (
    "Count for n = 2 with pencil and paper. Which runs can be shared?",
    "Forward: f(x) once, and one run for each number.",
    "Central: two runs for each number, and f(x) is not needed at all.",
)


def _runs(count, central=False):
    """How often a function of `count` numbers runs for its gradient by differences."""
    runs = []

    def f(x):
        runs.append(1)
        return 0.0

    x = np.zeros(count)
    here = None if central else f(x)
    for i in range(count):
        moved = x.copy()
        moved[i] += 1.0
        other = f(-moved) if central else here
        assert f(moved) == other
    return len(runs)


def reference():
    return [_runs(1), _runs(10), _runs(1, True), _runs(10, True), _runs(500)]


two_for_each = wrong("f(x) is the same for all n differences. It is computed once and kept.", {1: 20})
f_of_x_forgotten = wrong("A forward difference also needs f(x): one run more.", {0: 1, 1: 10}, together=True)

central_keeps_too = wrong(
    "A central difference does not use f(x). It runs at x + h and at x - h for each number, and shares nothing.",
    {2: 3, 3: either(21, 11)},
)

all_move_together = wrong(
    "One move of all numbers together gives one slope, not n of them. Each number needs a run of its own.",
    {1: either(1, 2)},
)

the_last_one = judged("value", {4: 500})
too_few = judged("structure", [2, 11])
