"""# Which clip changes the ratio? (2 points)

Two parameters have the gradients `a = ms.Tensor([[a]])` and `b = ms.Tensor([0.0, [[b]]])`.
For each line, what is the norm of the second result divided by the norm of the first? Answer with a list of six numbers.

0. `a, b` (no clip)
1. `ops.clip_by_global_norm((a, b), 1.0)`
2. `ops.clip_by_norm((a, b), 1.0)`
3. `ops.clip_by_norm(a, 1.0), ops.clip_by_norm(b, 1.0)`
4. `ops.clip_by_norm(a, [[limit]]), ops.clip_by_norm(b, [[limit]])`
5. `ops.clip_by_value((a, b), -[[most]], [[most]])`
"""

import numpy as np

from labkit.classroom.writing import drawn, either, judged, wrong
from labkit.mindspore import Tensor, ops


def _drawn(rng):
    small, large = (float(v) for v in rng.choice([(6, 8), (9, 12), (5, 12), (8, 15)]))
    length = (small**2 + large**2) ** 0.5
    return [small, large], 2.0 * length, length + float(rng.integers(1, 5)), large


a, b, limit, most = drawn(([3.0, 4.0], 12.0, 6.0, 4.0), _drawn)
length = (a[0] ** 2 + a[1] ** 2) ** 0.5

answer = [b / length, b / length, b / length, 1.0, limit / length, most / length]
rules = (
    "The norms do not change: divide the second by the first.",
    "One norm over both gradients gives one factor for both.",
    "A tuple is clipped with one norm over all of it: one factor for both.",
    "Each is clipped by its own norm: what is the norm of each of them then?",
    "Each is clipped by its own norm: which of the norms is above the limit?",
    "By value each element is clipped separately: what is left of each gradient?",
)
hints = (
    f"The norms are {length:g} and {b:g} before the clip, so line 0 is {b:g} / {length:g}.",
    "The ratio stays if one factor multiplies both gradients. Which lines use one factor for both?",
    f"Line 3 gives two gradients of norm 1. In line 5, b becomes [0, {most:g}] and a does not change.",
)


def _ratio(pair):
    first, second = (float(np.linalg.norm(tensor.asnumpy())) for tensor in pair)
    return second / first


def reference():
    first, second = Tensor(a), Tensor([0.0, b])
    pairs = [
        (first, second),
        ops.clip_by_global_norm((first, second), 1.0),
        ops.clip_by_norm((first, second), 1.0),
        (ops.clip_by_norm(first, 1.0), ops.clip_by_norm(second, 1.0)),
        (ops.clip_by_norm(first, limit), ops.clip_by_norm(second, limit)),
        ops.clip_by_value((first, second), -most, most),
    ]
    return [_ratio(pair) for pair in pairs]


global_means_each = wrong(
    "A global norm is the norm of all gradients together. There is one factor, so the ratio stays.", {1: 1.0}
)

tuple_means_each = wrong(
    "Given a tuple, ops.clip_by_norm takes one norm of all its tensors together. Lines 3 and 4 clip each alone.", {2: 1}
)

all_to_the_limit = wrong(
    f"In line 4 only the norm of b exceeds {limit:g}. The norm of a is {length:g}, and a does not change.",
    {4: either(1, b / limit)},
)
by_value_keeps_ratios = wrong(
    f"By value, each element is limited for itself: {b:g} becomes {most:g}, and {a[0]:g} and {a[1]:g} stay.",
    {5: b / length},
)

upside_down = judged("quotient-upside-down", [length / b, length / b, length / b, 1, length / limit, length / most])
five = judged("structure", answer[:5])

shortened_to_the_limit = wrong(
    f"By value, b has the norm {most:g}. a keeps its elements {a[0]:g} and {a[1]:g}: its norm is larger than {most:g}.",
    {5: 1},
)

raised_to_the_limit = wrong(
    f"By value, an element between -{most:g} and {most:g} stays as it is: a keeps its element {a[0]:g}.", {5: 0.5**0.5}
)


ratio_is_kept = wrong(
    "Each tensor is clipped by its own norm here, so the ratio changes.",
    {3: b / length, 4: b / length},
)

quotient_upside_down = wrong(
    "The quotient is inverted: divide the norm of the second by that of the first.",
    {0: length / b, 1: length / b, 2: length / b, 4: length / limit, 5: length / most},
)

norms_are_squared = wrong(
    "You divided the squared norms.",
    {
        0: (b / length) ** 2,
        1: (b / length) ** 2,
        2: (b / length) ** 2,
        4: (limit / length) ** 2,
        5: (most / length) ** 2,
    },
)

elements_added = wrong(
    "You added the elements. The norm is the root of the sum of their squares.",
    {0: b / sum(a), 1: b / sum(a), 2: b / sum(a), 5: most / sum(a)},
)

norms_subtracted = wrong("You subtracted the norms. Divide them.", {0: b - length, 1: b - length, 2: b - length})

limit_for_each = wrong(
    "In line 3 each tensor is clipped to the norm 1, so both norms are equal.", {3: either(limit, 0, length / b)}
)

whole = (length**2 + b**2) ** 0.5  # the global norm

largest_element = wrong(
    "You used the largest element as the norm. The norm is the root of the sum of squares.",
    {0: b / a[1], 1: b / a[1], 2: b / a[1], 4: limit / a[1], 5: most / a[1]},
    answer={0: b / a[1], 1: b / a[1], 2: b / a[1], 4: limit / a[1]},
)

second_norm = wrong(
    "You gave the norm of the second result. It is divided by the norm of the first one.",
    {0: b, 1: b / whole, 2: b / whole, 4: limit, 5: most},
)

first_norm = wrong(
    "You gave the norm of the first result. The norm of the second one is divided by it.",
    {0: length, 1: length / whole, 2: length / whole, 4: length, 5: length},
)

factor_for_ratio = wrong(
    "You gave the factor of the clip. Both norms are multiplied by it, so it cancels in their ratio.",
    {1: 1 / whole, 2: 1 / whole},
)
