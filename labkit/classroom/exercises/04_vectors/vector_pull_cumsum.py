"""# A VJP without the matrix (2 points)

`y = np.cumsum(x)` is the running sum: `y[i] = x[0] + ... + x[i]`. Write `pull(v)`, which returns the VJP `v @ J`, an array of
the shape of `v`, without automatic differentiation. Do not build the matrix `J`: for a `v` of 700 elements it takes more
memory than your function may use. One line is enough.
"""

import numpy as np

from labkit.classroom.writing import PLAIN, Way, judged, slip, wrong


def pull(v):
    return np.cumsum(v[::-1])[::-1]


LARGE = 700  # elements of v, for which the matrix takes 490 kB, even of booleans


def _not_zero(rng, count):
    return rng.integers(1, 10, count) * rng.choice([-1.0, 1.0], count)


def few(rng):
    return (_not_zero(rng, int(rng.integers(4, 8))),)


def many(rng):
    return (_not_zero(rng, LARGE),)


draw = (few, few, few, few, many)


@wrong(
    "That is the JVP J @ v: you used v as a tangent of the input. A VJP multiplies from the left: its element j is v times "
    "column j, added up."
)
def pushed(v):
    return np.cumsum(v)


@wrong("The sums are right, but their order is not: the first element belongs to x[0], which every output contains.")
def in_reverse_order(v):
    return np.cumsum(v[::-1])


@wrong("y[i] contains x[i] itself: the diagonal of the matrix is filled, too.")
def without_its_own(v):
    return np.cumsum(v[::-1])[::-1] - v


@wrong(
    "You added up all of v for every input. An output y[i] does not depend on inputs after x[i]: above the "
    "diagonal the matrix is zero."
)
def everything_counts(v):
    return np.full(v.shape, v.sum())


@wrong("You returned v: that would be the VJP of y = x. Here every output depends on x[0].")
def elementwise(v):
    return v.copy()


@judged("shape")
def one_number(v):
    return v.sum()


@judged("the-inverse")
def differences(v):
    return np.diff(v, prepend=0.0)


the_inverse = slip(
    "np.diff is the inverse of np.cumsum. A VJP multiplies by the transposed Jacobian: sum up from the end.",
    "np.cumsum(v[::-1])[::-1] -> np.diff(v, prepend=0)",
)

turned_afterwards = slip(
    "You reverse the running sum. Reverse v first, take the running sum, and reverse the result.",
    "np.cumsum(v[::-1])[::-1] -> np.cumsum(v)[::-1]",
)

counted = slip(
    "x[j] is in several outputs, each with its own entry of v. You multiplied v[j] by their number: add their "
    "entries instead.",
    "np.cumsum(v[::-1])[::-1] -> v * np.arange(len(v), 0, -1)",
)

means = slip(
    "These are means. Each output that contains x[j] adds its entry of v.",
    "np.cumsum(v[::-1])[::-1] -> np.cumsum(v[::-1])[::-1] / np.arange(len(v), 0, -1)",
)

row_sums = slip(
    "You returned how many outputs contain each input. Weight each output with its entry of v.",
    "np.cumsum(v[::-1])[::-1] -> np.arange(len(v), 0, -1.0)",
)


before_its_own = slip(
    "You add up the elements before v[i]. x[i] is in y[i] and in all outputs after it: add from v[i] to the end.",
    "np.cumsum(v[::-1])[::-1] -> np.cumsum(v) - v",
)

reversed_only = slip(
    "You reverse v, but you do not add anything up. x[i] is in y[i] and in all outputs after it.",
    "np.cumsum(v[::-1])[::-1] -> v[::-1]",
)

times_v = slip(
    "The sum from v[i] to the end is the result. You also multiply it by v.",
    "np.cumsum(v[::-1])[::-1] -> np.cumsum(v[::-1])[::-1] * v",
)

products = slip(
    "You multiply the elements of v. Contributions are added: a running sum.",
    "np.cumsum(v[::-1])[::-1] -> np.cumprod(v[::-1])[::-1]",
)

next_one_only = slip(
    "You add only the next element. x[i] is in all outputs after y[i].",
    "np.cumsum(v[::-1])[::-1] -> v + np.append(v[1:], 0.0)",
)


moved_by_one = slip(
    "The sums are right, but each is one position too far: the first element contains all of v.",
    "np.cumsum(v[::-1])[::-1] -> np.roll(np.cumsum(v[::-1])[::-1], 1)",
)

moved_back_by_one = slip(
    "The sums are right, but each is one position too early: the first element contains all of v.",
    "np.cumsum(v[::-1])[::-1] -> np.roll(np.cumsum(v[::-1])[::-1], -1)",
)


largest_so_far = slip(
    "You take the largest entry from v[i] to the end. The entries add up.",
    "np.cumsum(v[::-1])[::-1] -> np.maximum.accumulate(v[::-1])[::-1]",
)

summed_twice = slip(
    "You take two running sums. One, from the end, is enough.",
    "np.cumsum(v[::-1])[::-1] -> np.cumsum(np.cumsum(v))",
)

summed_twice_from_the_end = slip(
    "You take two running sums from the end. One is enough.",
    "np.cumsum(v[::-1])[::-1] -> np.cumsum(np.cumsum(v[::-1]))[::-1]",
)


last_one_only = slip(
    "Your result is the last entry of v everywhere. x[i] is in all outputs from y[i] on: add their entries.",
    "np.cumsum(v[::-1])[::-1] -> np.full(len(v), v[-1])",
)

counted_from_the_left = slip(
    "You multiply v[i] by i + 1. x[i] is in y[i] and all outputs after it, each with its own entry of v: add these entries.",
    "np.cumsum(v[::-1])[::-1] -> v * np.arange(1, len(v) + 1)",
)


ways = (
    PLAIN,
    Way(
        "You built the matrix: compute the result without it, in less memory.",
        ("peak bytes",),
        holds=lambda inputs, expected, got, done: len(got) < LARGE or done["peak bytes"] < 450_000,
    ),
)
hints = (
    "Draw the Jacobian for three elements: ones on and below the diagonal.",
    "Element j of the VJP is the sum of v[i] over all outputs y[i] that contain x[j], which are those with i >= j.",
    "Take a running sum from the end: reverse v, take np.cumsum, and reverse the result.",
)
