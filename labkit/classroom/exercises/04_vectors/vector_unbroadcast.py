"""# Undo a broadcast (2 points)

In `y = x + b` the array `b` is broadcast to the shape of `y`, and `g` is the upstream gradient at `y`. Write `unbroadcast(g,
shape)`, which returns the gradient of `b`, where `shape` is the shape of `b` (a tuple). `g` has three axes; `b` may have fewer,
and some of its axes may have length 1.
"""

from functools import partial

import numpy as np

from labkit.classroom.writing import judged, same, slip, wrong


def unbroadcast(g, shape):
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    for axis, length in enumerate(shape):
        if length == 1:
            g = g.sum(axis=axis, keepdims=True)
    return g


def _draw_broadcast(rng, ones, cube=False):
    """`ones`: for each axis of `b`, whether it has length 1; `cube`: all axes of `g` are equally long."""
    sizes = [int(rng.integers(2, 5))] * 3 if cube else [int(n) for n in rng.permutation([2, 3, 4])]
    kept = sizes[3 - len(ones) :]
    return rng.integers(-9, 10, sizes).astype(float), tuple(1 if one else n for one, n in zip(ones, kept))


def _same_numbers(expected, got):
    return got.shape != expected.shape and got.size == expected.size and same(expected, got.reshape(expected.shape))


errors = (
    (
        "input operand has more dimensions",
        "np.broadcast_to repeats an array to a larger shape. b is the smaller one here: sum over the axes along which it was "
        "repeated.",
    ),
    (
        "cannot reshape",
        "reshape keeps the number of elements, but b has fewer. Sum over the axes along which it was repeated.",
    ),
    (
        "out of bounds",
        "After a sum without keepdims the later axes have other numbers. Keep an axis of length 1: keepdims=True.",
    ),
)
draw = (
    partial(_draw_broadcast, ones=(True, False)),
    partial(_draw_broadcast, ones=(False, True), cube=True),
    partial(_draw_broadcast, ones=(False,)),
    partial(_draw_broadcast, ones=(True, False, True)),
    partial(_draw_broadcast, ones=()),
)


@wrong(
    "You returned the upstream gradient unchanged. b is smaller: each of its elements was used several times, and gets the "
    "sum over these uses."
)
def not_undone(g, shape):
    return g


def _repeated(shape):
    """The axes of g along which b was repeated."""
    missing = 3 - len(shape)
    return (*range(missing), *(missing + i for i, n in enumerate(shape) if n == 1))


@wrong(
    "The numbers are right, but the shape is not. Remove the axes that b does not have, and keep the axes of length 1 that "
    "it has (keepdims=True).",
    when=lambda i, expected, got: _same_numbers(expected, got),
)
def axes_left(g, shape):
    return g.sum(_repeated(shape), keepdims=True)


@wrong("You took the mean. Contributions add up: every place where b was used counts once.")
def mean(g, shape):
    return g.mean(_repeated(shape)).reshape(shape)


@wrong("You took the gradient of one of the places where b was used. All of them count.")
def one_place_only(g, shape):
    while g.ndim > len(shape):
        g = g[0]
    for i, n in enumerate(shape):
        g = g.take([0], axis=i) if n == 1 else g
    return g


@judged("axes-left")
def all_axes_gone(g, shape):
    return g.sum(_repeated(shape))


@judged("error")
def reshaped(g, shape):
    return g.reshape(shape)


@judged("the-total-everywhere")
def one_number(g, shape):
    return np.full(shape, g.sum())


axes_at_the_end = slip(
    "Broadcasting aligns shapes at the last axis, so the axes that b lacks are in front. Sum over axis 0 until "
    "the numbers of axes agree.",
    "g.sum(axis=0) -> g.sum(axis=-1)",
)

the_total_everywhere = slip(
    "You gave each element of b the sum over all of g. An element gets the sum over the places where it was used.",
    "return g -> return np.full(shape, g.sum())",
)

the_other_axes = slip(
    "Sum over the axes where b has length 1. You summed over the others.",
    "length == 1 -> length != 1",
)

means_at_the_end = slip(
    "You took the mean over the axes of length 1. Every use of an element counts: sum.",
    "g.sum(axis=axis, -> g.mean(axis=axis,",
)

first_row = slip(
    "You took one row of g for the axes in front. Every use counts: sum over them.",
    "g = g.sum(axis=0) -> g = g[0]",
)


largest_use = slip(
    "You took the largest contribution. All contributions add up: sum.",
    "g.sum(axis=0) -> g.max(axis=0)",
    "g.sum(axis=axis -> g.max(axis=axis",
)


@wrong(
    "shape is aligned with g at the last axis. You count its axes of length 1 from the left of g: first sum over the axes in "
    "front, or add their number."
)
def counted_from_the_left(g, shape):
    g = g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    return g


first_element = slip(
    "At an axis of length 1 you use only the first contribution. All contributions count: sum over the axis.",
    "g.sum(axis=axis, keepdims=True) -> g.take([0], axis=axis)",
)

means_in_front = slip(
    "You took the mean over the axes in front. Every use of an element counts: sum.",
    "g.sum(axis=0) -> g.mean(axis=0)",
)

one_axis_in_front = slip(
    "You sum over one axis in front. b may lack two axes, or all three.",
    "while g.ndim > len(shape): -> if g.ndim > len(shape):",
)

missing_axes_forgotten = slip(
    "You sum over the axes of length 1. An axis that b lacks was repeated, too: sum over axis 0 until the numbers of "
    "axes agree.",
    "    while g.ndim > len(shape):\n        g = g.sum(axis=0)\n -> ",
)


@wrong(
    "You sum over all axes. Sum only over those along which b was repeated; the others stay.",
    when=lambda i, expected, got: np.shape(got) == () != np.shape(expected),
)
def the_total(g, shape):
    return g.sum()


@wrong(
    "shape is aligned with g at the last axis. You compare the axes from the left: first sum over the axes in front."
)
def compared_from_the_left(g, shape):
    for i, n in enumerate(shape):
        if g.shape[i] != n:
            g = g.sum(axis=i, keepdims=True)
    return g


stretched_forgotten = slip(
    "You summed over the axes in front. An axis of length 1 that was stretched repeats b as well: sum over it, too.",
    "    for axis, length in enumerate(shape):\n        if length == 1:\n            g = g.sum(axis=axis, keepdims=True)\n -> ",
)


@wrong("You sum over axis 0 once, whatever shape is. Sum over all axes along which b was repeated, and over no other.")
def axis_0_always(g, shape):
    return g.sum(axis=0)


@wrong(
    "b may lack axes and have an axis of length 1 at the same time. You undo only one of the two there, and both repeat b."
)
def one_step_or_the_other(g, shape):
    if g.ndim > len(shape):
        return g.sum(axis=tuple(range(g.ndim - len(shape))))
    return unbroadcast(g, shape)


products_in_front = slip(
    "Contributions are added. You multiply them over the axes in front.",
    "g = g.sum(axis=0) -> g = g.prod(axis=0)",
)

products_at_the_end = slip(
    "Contributions are added. You multiply them over the axes of length 1.",
    "g = g.sum(axis=axis, keepdims=True) -> g = g.prod(axis=axis, keepdims=True)",
)


@wrong("You sum over the first axis of length 1 only. b may have more of them.")
def first_axis_of_length_1(g, shape):
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    for axis, length in enumerate(shape):
        if length == 1:
            return g.sum(axis=axis, keepdims=True)
    return g


hints = (
    "Where a value is used several times, its contributions add up (unit 02). Along which axes was b repeated?",
    "First sum over the axes in front: there are g.ndim - len(shape) of them. Sum over axis 0 each time.",
    "Then, for every axis i with shape[i] == 1: g = g.sum(axis=i, keepdims=True).",
)
