"""# How often does the function run? (2 points)

A function `f` takes `n` numbers and returns one. You want its derivative with respect to each of them. Compute `f(x)` only
once, if you need it. How many times does `f` run? Answer with a list of five whole numbers.

| item | difference | n |
|---|---|---|
| 0 | forward | 1 |
| 1 | forward | [[few]] |
| 2 | central | 1 |
| 3 | central | [[few]] |
| 4 | forward | [[many]] |
"""

import numpy as np

from labkit.classroom.writing import drawn, either, judged, wrong

few, many = drawn((10, 500), lambda rng: (int(rng.integers(5, 40)), int(rng.integers(100, 900))))

answer = [2, few + 1, 2, 2 * few, many + 1]
places = ("forward, 1", f"forward, {few}", "central, 1", f"central, {few}", f"forward, {many}")
rules = (
    "A forward difference compares each moved point with f(x), which is computed once for all of them.",
    "A forward difference compares each moved point with f(x), which is computed once for all of them.",
    "A central difference takes a point on either side of x. Does it need f(x) itself?",
    "Every number of the input is moved to both sides. Does a central difference need f(x) itself?",
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
    return [_runs(1), _runs(few), _runs(1, True), _runs(few, True), _runs(many)]


two_for_each = wrong("f(x) is the same for all n differences. It is computed once and kept.", {1: 2 * few})
f_of_x_forgotten = wrong("A forward difference also needs f(x), which is one more run.", {0: 1, 1: few}, together=True)

central_keeps_too = wrong(
    "A central difference does not use f(x). It runs at x + h and at x - h for each number, and shares nothing.",
    {2: 3, 3: either(2 * few + 1, few + 1, 3 * few)},
)

all_move_together = wrong(
    "Moving all numbers together gives one slope, not n slopes. Each number needs a run of its own.",
    {1: either(1, 2), 3: 2, 4: 2},
)

the_last_one = judged("f-of-x-forgotten-for-many", {4: many})
too_few = judged("structure", [2, 11])

f_of_x_forgotten_for_many = wrong(
    "A forward difference also needs f(x), which is one more run.",
    {4: many, 1: few},
)

forward_and_central_exchanged = wrong(
    "You exchanged the two: a forward difference has one moved point for each number, a central one has two.",
    {1: 2 * few, 3: few + 1, 4: 2 * many},
    together=True,
)

two_runs_for_each_of_many = wrong(
    "f(x) is the same for all differences. It is computed once.",
    {4: 2 * many},
)

two_points_each = wrong("A central difference runs at x + h and at x - h: two runs for each number.", {2: 1, 3: few})

forward_points_and_central = wrong(
    "A central difference needs no run but two for each number: at x + h and at x - h.",
    {2: 4, 3: either(2 * few + 2, 4 * few)},
)

every_pair = wrong(
    "Each number moves alone: there are n differences, not n * n.", {1: few**2, 3: 2 * few**2, 4: many**2}
)

f_of_x_counted_twice = wrong("f(x) is needed once, next to one run for each number.", {0: 3, 1: few + 2, 4: many + 2})
one_number_too_few = wrong(
    "Each number has a moved point of its own, and f(x) is one more run.", {0: either(1, 0), 1: few - 1, 4: many - 1}
)
