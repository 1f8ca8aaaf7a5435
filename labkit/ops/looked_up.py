"""Ops that look something up: the places are found by NumPy, and are constant to a derivative; see `composed`."""

from functools import partial
from typing import Any

import numpy as np

from .composed import composed, torch_only


def _running(beats, x, axis):
    """For each element the place of the one, up to it, that none beats; of equal ones the last."""
    x = np.moveaxis(np.atleast_1d(x), axis, 0)
    best, places = x[0], [np.zeros(x.shape[1:], np.int64)]
    for k, row in enumerate(x[1:], 1):
        newer = beats(row, best) | (row == best) | np.isnan(row)
        newer &= ~np.isnan(best) | np.isnan(row)
        best = np.where(newer, row, best)
        places.append(np.where(newer, k, places[-1]))
    return np.moveaxis(np.stack(places), 0, axis)


def _along(of, input, axis, places):
    return of["take_along"](input, axis, places), places


@composed
def cummax(of, input, axis) -> Any:
    """`(the largest so far along an axis, the place of each)`."""
    return _along(of, input, axis, of["found"](partial(_running, np.greater, axis=axis), input))


@composed
def cummin(of, input, axis) -> Any:
    """`(the smallest so far along an axis, the place of each)`."""
    return _along(of, input, axis, of["found"](partial(_running, np.less, axis=axis), input))


@torch_only
def take_along_dim(of, input, indices, axis=None) -> Any:
    """The elements at the places `indices` along an axis, or in the flat tensor."""
    if axis is None:
        return input.reshape(-1)[indices.reshape(-1)]
    shape = lambda x: [1 if i == axis % x.ndim else n for i, n in enumerate(x.shape)]
    sizes = np.broadcast_shapes(shape(input), shape(indices))
    wide = lambda x: x.expand(*[x.shape[i] if i == axis % x.ndim else n for i, n in enumerate(sizes)])
    return of["gather"](wide(input), axis, wide(indices))


def _placed(x, axis, index):
    """`index`, one place for each slice along an axis, for each element of the slices `x`."""
    return index.reshape([-1 if i == axis % x.ndim else 1 for i in range(x.ndim)]).expand(*x.shape)


@torch_only
def index_add(of, input, axis, index, source, *, alpha=1) -> Any:
    """`input` with the slices of `source`, times `alpha`, added at the places `index` of an axis."""
    return of["scatter_add"](input, axis, _placed(source, axis, index), source * alpha if alpha != 1 else source)


@torch_only
def index_copy(of, input, axis, index, source) -> Any:
    """`input` with the slices of `source` at the places `index` of an axis."""
    return of["scatter"](input, axis, _placed(source, axis, index), source)


@composed
def index_fill(of, input, axis, index, value) -> Any:
    """`input` with `value` in the slices at the places `index` of an axis."""
    n, shape = input.shape[axis], [-1 if i == axis % input.ndim else 1 for i in range(input.ndim)]
    there = of["found"](
        lambda places: np.isin(np.arange(n), np.where(places < 0, places + n, places)).reshape(shape), index
    )
    return of["where"](there, value, input)


def _written(write):
    """A copy of `input` in which `write` gives the part that takes `src`."""

    def scattered(input, src, *place):
        made = input.clone()
        write(made, *place).copy_(src)
        return made

    return scattered


@torch_only
def select_scatter(of, input, src, axis, index) -> Any:
    """`input` with `src` in the place `index` of an axis."""
    return _written(of["select"])(input, src, axis, index)


@torch_only
def slice_scatter(of, input, src, axis=0, start=None, end=None, step=1) -> Any:
    """`input` with `src` in a slice of an axis."""
    place = (slice(None),) * (axis % input.ndim) + (slice(start, end, step),)
    return _written(lambda x: x[place])(input, src)


@torch_only
def diagonal_scatter(of, input, src, offset=0, dim1=0, dim2=1) -> Any:
    """`input` with `src` on a diagonal."""
    return _written(of["diagonal"])(input, src, offset, dim1, dim2)


@torch_only
def narrow_copy(of, input, axis, start, length) -> Any:
    """`length` entries of an axis from `start`, in memory of their own."""
    return of["narrow"](input, axis, start, length).clone()


@composed
def heaviside(of, input, values) -> Any:
    """0 below 0, 1 above, `values` at 0."""
    return of["where"](input == 0, values, (input > 0).to(input.dtype))


@torch_only
def isin(of, elements, test_elements, *, assume_unique=False, invert=False) -> Any:
    """Whether each element is among the others."""
    return of["found"](lambda x, y: np.isin(x, y, invert=invert), elements, test_elements)


@torch_only
def searchsorted(of, sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None) -> Any:
    """Where each element would stand in the sorted rows: in front of equal ones, or with `right` behind."""
    before: Any = side or ("right" if right else "left")

    def places(rows, x, order):
        rows = rows if order is None else np.take_along_axis(rows, order, -1)
        if rows.ndim == 1:
            return np.searchsorted(rows, x, before)
        x, rows = np.asarray(x), rows.reshape(-1, rows.shape[-1])
        found = [
            np.searchsorted(row, values, before) for row, values in zip(rows, x.reshape(len(rows), -1), strict=True)
        ]
        return np.reshape(found, x.shape)

    return of["found"](
        lambda *given: places(*given).astype(np.int32 if out_int32 else np.int64), sorted_sequence, input, sorter
    )


@composed
def bucketize(of, input, boundaries, *, right=False) -> Any:
    """The number of the boundaries below each element; with `right` those that it equals count, too."""
    side: Any = "right" if right else "left"
    return of["found"](lambda x, ends: np.searchsorted(ends, x, side).astype(np.int64), input, boundaries)


@composed
def is_nonzero(of, input) -> Any:
    """Whether the only element is not 0."""
    return bool(input)


def _of_pairs(name, kernel, told):
    def answer(of, input, other) -> Any:
        return of["found"](kernel, input, other)

    answer.__name__, answer.__doc__ = name, told
    composed(answer)


for _op in (
    ("gcd", np.gcd, "The greatest common divisor of each pair."),
    ("lcm", np.lcm, "The least common multiple of each pair."),
    ("nextafter", np.nextafter, "The next floating number towards `other`."),
    ("bitwise_left_shift", np.left_shift, "The bits moved to the left."),
    ("bitwise_right_shift", np.right_shift, "The bits moved to the right; the sign stays."),
):
    _of_pairs(*_op)


@torch_only
def tril_indices(of, row, col, offset=0) -> Any:
    """The places of the lower triangle of a matrix of this shape."""
    return of["found"](lambda: np.stack(np.tril_indices(row, offset, col)))


@torch_only
def triu_indices(of, row, col, offset=0) -> Any:
    """The places of the upper triangle of a matrix of this shape."""
    return of["found"](lambda: np.stack(np.triu_indices(row, offset, col)))


@torch_only
def unravel_index(of, indices, shape) -> Any:
    """A tuple: the places along each axis of those in the flat tensor."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return tuple(of["found"](lambda x, k=k: np.unravel_index(x, shape)[k], indices) for k in range(len(shape)))
