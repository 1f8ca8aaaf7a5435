"""# Two faults that bytes show (2 points)

How many bytes does the difference `p - y` of [[n]] predictions `p` and [[n]] labels `y` take?
Answer with a list of five numbers.

| item | `p` | `y` |
|---|---|---|
| 0 | ([[n]], 1) float32 | ([[n]], 1) float32 |
| 1 | ([[n]], 1) float32 | ([[n]],) float32 |
| 2 | ([[n]],) float32 | ([[n]],) float32 |
| 3 | ([[n]], 1) float32 | ([[n]], 1) float64 |
| 4 | ([[n]], 1) float32 | ([[n]],) float64 |
"""

import numpy as np

from labkit.classroom.writing import drawn, either, judged, wrong

n = drawn(1000, lambda rng: 100 * int(rng.choice([2, 3, 5, 6, 7, 8, 9])))

answer = [4 * n, 4 * n * n, 4 * n, 8 * n, 8 * n * n]
rules = (
    "Both have the same shape: how many numbers has the difference, and how many bytes has each?",
    "A column and a row broadcast to a matrix. How many numbers does it have, and how many bytes has each?",
    "Both have the same shape: how many numbers has the difference, and how many bytes has each?",
    "The wider dtype wins: how many bytes has each number then?",
    "A column and a row broadcast to a matrix, and the wider dtype wins.",
)
hints = (
    "Find the shape of the result first, then its dtype, then multiply.",
    f"Items 1 and 4 have the shape ({n}, {n}).",
    f"Item 3: {n} numbers of 8 bytes.",
)


def reference():
    from labkit import memory_report
    from labkit import mindspore as ms

    def difference(a, b):
        return a - b

    column, row = np.zeros((n, 1), np.float32), np.zeros(n, np.float32)
    pairs = ((column, column), (column, row), (row, row), (column, column.astype(float)), (column, row.astype(float)))
    return [memory_report(difference, *map(ms.Tensor, pair)).rows[-1].bytes for pair in pairs]


_SCALED = "A byte is the unit. You counted in thousands of bytes."
kilobytes = wrong(_SCALED, {0: n / 250, 1: n * n / 250, 2: n / 250, 3: n / 125, 4: n * n / 125}, together=True)
kibibytes = wrong(
    "You counted 1024 for 1000. The answer is a number of bytes.",
    {0: 4.096 * n, 3: 8.192 * n},
    together=True,
)
half_the_bytes = wrong(
    "A float32 takes 4 bytes, a float64 takes 8. You counted half as many.",
    {0: 2 * n, 1: 2 * n * n, 2: 2 * n, 3: 4 * n, 4: 4 * n * n},
    together=True,
)
eight_bytes_each = wrong(
    "A float32 takes 4 bytes. You took 8 for every number.", {0: 8 * n, 1: 8 * n * n, 2: 8 * n}, together=True
)
result_and_operands = wrong(
    "p and y are not counted, only their difference, which is one array.",
    {0: 12 * n, 2: 12 * n, 3: 20 * n},
    together=True,
)
one_number = wrong(
    "You counted the bytes of one number. The difference has many numbers.",
    {0: 4, 1: 4, 2: 4, 3: 8, 4: 8},
    together=True,
)
nothing_left = wrong(
    "The size of an array does not depend on its values: a difference of equal numbers takes the same number of bytes.",
    {0: 0, 2: 0},
)

no_broadcast = wrong(
    f"({n}, 1) and ({n},) are not the same shape. Broadcasting makes a table of {n} rows and {n} columns.",
    {1: 4 * n, 4: 8 * n},
)

float32_wins = wrong("float32 and float64 give float64: 8 bytes for each number.", {3: 4 * n})
numbers_not_bytes = wrong("You counted numbers. A float32 takes 4 bytes, a float64 takes 8.", {0: n})

half_a_leak = judged("table-of-float32", {4: 4 * n * n})

bits = wrong(
    "These are bits. A byte has 8 of them.",
    {0: 32 * n, 1: 32 * n * n, 2: 32 * n, 3: 64 * n, 4: 64 * n * n},
)

operands_counted = wrong(
    "p and y are not counted, only their difference, which is one array.",
    {0: 8 * n, 1: 8 * n, 2: 8 * n, 3: 12 * n, 4: 12 * n},
    together=True,
)

numbers_in_the_table = wrong(
    "You counted numbers. A float32 takes 4 bytes, a float64 takes 8.",
    {1: n * n, 2: n, 3: n, 4: n * n},
)

table_of_float32 = wrong(
    "float32 and float64 give float64, in a matrix as well.",
    {4: 4 * n * n},
)

twice_the_bytes = wrong(
    "A float32 takes 4 bytes, a float64 takes 8. You counted twice as many.",
    {0: 8 * n, 1: 8 * n * n, 2: 8 * n, 3: 16 * n, 4: 16 * n * n},
    together=True,
)

lengths_added = wrong(
    f"A column of {n} and a row of {n} broadcast to a table of {n} by {n}: the lengths are multiplied, not added.",
    {1: 8 * n, 4: 16 * n},
)

always_a_table = wrong(
    "Both have the same shape, so nothing is broadcast: each number is paired with one other.",
    {0: 4 * n * n, 2: 4 * n * n, 3: 8 * n * n},
)

bytes_averaged = wrong(
    "float32 and float64 give float64: the difference is one array with 8 bytes for each number.",
    {3: either(6 * n, 12 * n), 4: either(6 * n * n, 12 * n * n)},
)
