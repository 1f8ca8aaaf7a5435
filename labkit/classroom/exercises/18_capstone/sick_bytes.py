"""# Two leaks that bytes betray (2 points)

The difference `p - y` is computed for 1000 predictions `p` and 1000 labels `y`. How many bytes does it take?
Answer with a list of five numbers.

0. `p` (1000, 1) float32, `y` (1000, 1) float32
1. `p` (1000, 1) float32, `y` (1000,) float32
2. `p` (1000,) float32, `y` (1000,) float32
3. `p` (1000, 1) float32, `y` (1000, 1) float64
4. `p` (1000, 1) float32, `y` (1000,) float64
"""

import numpy as np

from labkit.classroom.writing import judged, wrong

answer = [4000, 4_000_000, 4000, 8000, 8_000_000]
rules = (
    "Both have the same shape: how many numbers has the difference, and how many bytes has each?",
    "A column and a row make a table. How many numbers are in it, and how many bytes has each?",
    "Both have the same shape: how many numbers has the difference, and how many bytes has each?",
    "The wider dtype wins: how many bytes has each number then?",
    "A column and a row make a table, and the wider dtype wins.",
)
hints = (
    "Find the shape of the result first, then its dtype, then multiply.",
    "Items 1 and 4 have the shape (1000, 1000).",
    "Item 3: 1000 numbers of 8 bytes.",
)


def reference():
    from labkit import memory_report
    from labkit import mindspore as ms

    def difference(a, b):
        return a - b

    column, row = np.zeros((1000, 1), np.float32), np.zeros(1000, np.float32)
    pairs = ((column, column), (column, row), (row, row), (column, column.astype(float)), (column, row.astype(float)))
    return [memory_report(difference, *map(ms.Tensor, pair)).rows[-1].bytes for pair in pairs]


no_broadcast = wrong(
    "(1000, 1) and (1000,) are not the same shape. Broadcasting makes a table of 1000 rows and 1000 columns.",
    {1: 4000, 4: 8000},
)

float32_wins = wrong("float32 and float64 give float64: 8 bytes for each number.", {3: 4000})
numbers_not_bytes = wrong("You counted numbers. A float32 takes 4 bytes, a float64 takes 8.", {0: 1000})

half_a_leak = judged("value", {4: 4000000})
