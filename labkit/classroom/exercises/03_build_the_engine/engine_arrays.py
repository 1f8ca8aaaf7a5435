"""# A product of arrays (3 points)

In the small engine the rule of a product is `g * b` for `a`, and `g * a` for `b`. This is not enough for arrays, because `a`
or `b` may have been broadcast. Write `multiply_rule(g, a, b)`, which returns a tuple of the gradients of `a` and of `b`,
arrays with the shapes of `a` and `b`. `g` has the shape of `a * b`.

The smaller of the two may be a single number, a row such as `(4,)` or `(1, 4)`, or a column such as `(3, 1)`.
"""

from functools import partial

import numpy as np

from labkit.classroom.writing import judged, same, slip, wrong


def multiply_rule(g, a, b):
    def fit(part, value):
        while np.ndim(part) > np.ndim(value):
            part = np.sum(part, axis=0)
        for axis, length in enumerate(np.shape(value)):
            if length == 1:
                part = np.sum(part, axis=axis, keepdims=True)
        return part

    return fit(g * b, a), fit(g * a, b)


def _factors(rng, kind, swapped, square=False):
    """`b` (or `a`, swapped) is as large as the product, a row of either shape, a column, or one number."""
    rows = int(rng.integers(2, 4))
    columns = rows if square else int(rng.integers(4, 6))
    shapes = {"whole": (rows, columns), "flat": (columns,), "row": (1, columns), "column": (rows, 1), "one": ()}
    shape = shapes[kind]
    g, a, b = (
        np.asarray(rng.integers(1, 6, s) * rng.choice([-1.0, 1.0], s))
        for s in (shapes["whole"], shapes["whole"], shape)
    )
    return (g, b, a) if swapped else (g, a, b)


errors = (
    ("cannot reshape", "reshape keeps the number of elements. Sum over the axes along which the value was repeated."),
    ("axis 1 is out of bounds", "One number has no axis, and a row such as (4,) has one. Which axes were repeated?"),
)
draw = tuple(
    partial(_factors, kind=kind, swapped=swapped, square=square)
    for swapped, square in ((False, False), (True, True))
    for kind in ("flat", "column", "one", "row", "whole")
)
draws = 10


def _fit(part, value, reduce=np.sum, keepdims=True):
    """`part` in the shape of `value`."""
    while np.ndim(part) > np.ndim(value):
        part = reduce(part, axis=0)
    for axis, length in enumerate(np.shape(value)):
        if length == 1:
            part = reduce(part, axis=axis, keepdims=keepdims)
    return part


@wrong(
    "You summed over the axes that are missing. An axis of length 1 was repeated, too: sum over it, with keepdims=True."
)
def axes_of_length_1(g, a, b):
    def fit(part, value):
        while np.ndim(part) > np.ndim(value):
            part = np.sum(part, axis=0)
        return part

    return fit(g * b, a), fit(g * a, b)


@wrong("A contribution has the shape of the product. Sum it over the axes along which the argument was repeated.")
def not_summed(g, a, b):
    return g * b, g * a


@wrong("The local gradient with respect to a is the other factor, b.")
def own_factor(g, a, b):
    return _fit(g * a, a), _fit(g * b, b)


@wrong("You took the mean over the repeats. Each use sends its contribution, and the contributions add up.")
def mean(g, a, b):
    return _fit(g * b, a, np.mean), _fit(g * a, b, np.mean)


@wrong("The sum is right, but an axis of length 1 has to stay in the shape: keepdims=True.")
def keepdims_forgotten(g, a, b):
    return _fit(g * b, a, keepdims=False), _fit(g * a, b, keepdims=False)


@judged("exchanged")
def swapped(g, a, b):
    return _fit(g * a, b), _fit(g * b, a)


@judged("upstream-missing")
def g_forgotten(g, a, b):
    return multiply_rule(0 * g + 1, a, b)


axes_at_the_end = slip(
    "Broadcasting aligns shapes at the last axis, so the axes that a value lacks are in front. Sum over axis 0.",
    "part = np.sum(part, axis=0) -> part = np.sum(part, axis=-1)",
)

a_by_a = slip(
    "The local derivative with respect to a is b, the other factor.",
    "fit(g * b, a) -> fit(g * a, a)",
)

b_by_b = slip(
    "The local derivative with respect to b is a, the other factor.",
    "fit(g * a, b) -> fit(g * b, b)",
)

upstream_missing = slip(
    "The upstream gradient g is missing.",
    "g * b, a) -> b + 0 * g, a)",
    "g * a, b) -> a + 0 * g, b)",
)

exchanged = slip(
    "The two gradients are exchanged: the one for a comes first.",
    "return fit(g * b, a), fit(g * a, b) -> return fit(g * a, b), fit(g * b, a)",
)

summed_before_the_product = slip(
    "You sum g before you multiply. Each element of g belongs to its own element of the other factor.",
    "fit(g * b, a) -> fit(g, a) * fit(b + 0 * g, a)",
)


@wrong("You sum over axis 0 wherever the shapes differ. Sum over those axes along which the value was repeated.")
def always_axis_0(g, a, b):
    ga, gb = g * b, g * a
    return ga if ga.shape == a.shape else ga.sum(axis=0), gb if gb.shape == b.shape else gb.sum(axis=0)


a_is_never_smaller = slip(
    "You reduce only b to its shape. a may be the smaller one, too.",
    "fit(g * b, a) -> g * b",
)

b_is_never_smaller = slip(
    "You reduce only a to its shape. b may be the smaller one, too.",
    "fit(g * a, b) -> g * a",
)


@wrong(
    "You sum g before you multiply. Each element of g belongs to its own element of the other factor: multiply first."
)
def multiplied_last(g, a, b):
    return _fit(g, a) * b, _fit(g, b) * a


@judged("multiplied-last")
def multiplied_last_in_shape(g, a, b):
    return _fit(g, a) * _fit(b + 0 * g, a), _fit(g, b) * _fit(a + 0 * g, b)


@wrong("You take the gradient of the first use only. Every use contributes: sum over all of them.")
def first_use(g, a, b):
    first = lambda part, axis, keepdims=False: part.take([0] if keepdims else 0, axis)
    return _fit(g * b, a, first), _fit(g * a, b, first)


@wrong(
    "One number is left of a gradient. Sum only over the axes along which the value was repeated.",
    when=lambda i, expected, got: any(np.shape(g) == () != np.shape(e) for e, g in zip(expected, got)),
)
def everything_summed(g, a, b):
    total = lambda part, value: part if part.shape == value.shape else part.sum()
    return total(g * b, a), total(g * a, b)


summed_before_the_product_for_b = slip(
    "For b you sum g before you multiply. Each element of g belongs to its own element of a.",
    "fit(g * a, b) -> fit(g, b) * fit(a + 0 * g, b)",
)
missing_axes_forgotten = slip(
    "You sum over axes of length 1. A missing axis was repeated, too: sum over axis 0 until the numbers of axes agree.",
    "        while np.ndim(part) > np.ndim(value):\n            part = np.sum(part, axis=0)\n -> ",
)

one_missing_axis = slip(
    "You remove one missing axis. A single number has no axis at all: both axes of the product are summed.",
    "while np.ndim(part) > np.ndim(value): -> if np.ndim(part) > np.ndim(value):",
)

largest = slip(
    "You take the largest contribution. The contributions add up: sum.",
    "part = np.sum(part, axis=0) -> part = np.max(part, axis=0)",
    "part = np.sum(part, axis=axis -> part = np.max(part, axis=axis",
)


mean_over_missing_axes = slip(
    "You take the mean over a missing axis. Each use contributes: sum.",
    "part = np.sum(part, axis=0) -> part = np.mean(part, axis=0)",
)

mean_over_axes_of_length_1 = slip(
    "You take the mean over an axis of length 1. Each use contributes: sum.",
    "part = np.sum(part, axis=axis -> part = np.mean(part, axis=axis",
)

b_missing = slip(
    "The gradient of a is g times the other factor. b is missing.",
    "fit(g * b, a) -> fit(g, a)",
)

a_missing = slip(
    "The gradient of b is g times the other factor. a is missing.",
    "fit(g * a, b) -> fit(g, b)",
)

both_missing = slip(
    "g * b and g * a are the gradients before the sum. You sum g alone, as if a and b were added.",
    "fit(g * b, a) -> fit(g, a)",
    "fit(g * a, b) -> fit(g, b)",
)


@wrong("You sum over axis 1 wherever the shapes differ. Sum over those axes along which the value was repeated.")
def always_axis_1(g, a, b):
    ga, gb = g * b, g * a
    return (
        ga if ga.shape == a.shape else ga.sum(axis=1, keepdims=True),
        gb if gb.shape == b.shape else gb.sum(axis=1, keepdims=True),
    )


@wrong(
    "A gradient has lost an axis of length 1. Sum over the axis along which the value was repeated (axis 1 for a column), with "
    "keepdims=True.",
    when=lambda i, expected, got: any(np.ndim(e) == 2 and np.ndim(g) == 1 for e, g in zip(expected, got)),
)
def axis_lost(g, a, b):
    total = lambda part, value: (
        part if part.shape == value.shape else part.sum() if np.ndim(value) == 0 else part.sum(axis=0)
    )
    return total(g * b, a), total(g * a, b)


added_for_multiplied = slip(
    "g and the other factor are multiplied, not added.",
    "g * b -> g + b",
    "g * a -> g + a",
)

divided_for_multiplied = slip(
    "g is multiplied by the other factor, not divided by it.",
    "g * b -> g / b",
    "g * a -> g / a",
)

upstream_missing_for_a = slip(
    "For a you take the other factor alone. Multiply it by the upstream gradient g.",
    "g * b -> b + 0 * g",
)

upstream_missing_for_b = slip(
    "For b you take the other factor alone. Multiply it by the upstream gradient g.",
    "g * a -> a + 0 * g",
)


def _by_form(part, value, number=np.sum):
    """By the form of the value: a number, a row, a column."""
    found = np.shape(value)
    if found == np.shape(part):
        return part
    if found == ():
        return number(part)
    if found[-1] == np.shape(part)[-1]:
        return np.sum(part, axis=0, keepdims=len(found) == 2)
    return np.sum(part, axis=1, keepdims=True)


@wrong("For a single number you take the mean. Each use contributes: sum.")
def mean_for_a_number(g, a, b):
    return _by_form(g * b, a, np.mean), _by_form(g * a, b, np.mean)


@wrong(
    "For a single number you leave the array as it is. The number was repeated along all axes: sum over all of them."
)
def number_not_summed(g, a, b):
    return _by_form(g * b, a, np.copy), _by_form(g * a, b, np.copy)


@wrong(
    "A row with two axes, (1, n), is summed along the wrong one: it was repeated down the rows, axis 0.",
    when=lambda i, expected, got: (
        not same(expected, got)
        and all(
            np.shape(right) == np.shape(came)
            and np.allclose(right, came)
            or np.shape(value) == (1, np.shape(i[0])[-1])
            and np.shape(came) == (np.shape(i[0])[0], 1)
            for value, right, came in zip(i[1:], expected, got, strict=True)
        )
    ),
)
def row_by_axis_1(g, a, b):
    def fit(part, value):
        if np.ndim(value) == 2 and np.shape(part) != np.shape(value):
            return np.sum(part, axis=1, keepdims=True)
        return _by_form(part, value)

    return fit(g * b, a), fit(g * a, b)


hints = (
    "First compute g * b and g * a, as for numbers. Then sum each one to the shape of its argument.",
    "A missing axis is at the front: sum over axis 0 until the number of axes is right.",
    "Then for each axis of length 1: np.sum(part, axis=axis, keepdims=True).",
)
