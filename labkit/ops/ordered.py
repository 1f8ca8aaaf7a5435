"""Ops that look at the order of elements, or at which of them are equal; see `composed`."""

from typing import Any

import numpy as np

from .composed import composed, torch_only


@torch_only
def aminmax(of, input, *, axis=None, keepdims=False) -> Any:
    """The smallest and the largest element, of all or along an axis; equal ones share the gradient."""
    axes = tuple(range(input.ndim)) if axis is None else axis
    return of["amin"](input, axes, keepdims), of["amax"](input, axes, keepdims)


# ---- quantiles ----

_BETWEEN = {"lower": np.floor, "higher": np.ceil, "nearest": np.rint}


@torch_only
def quantile(of, input, q, axis=None, keepdims=False, *, interpolation="linear") -> Any:
    """The values below which there is a share `q` (one, or a vector of them) of the elements; nan where there is one.

    Between two elements: "linear", "lower", "higher", "nearest" or "midpoint". Raises RuntimeError for a share beyond [0, 1].

    >>> import labkit.torch as torch
    >>> torch.quantile(torch.tensor([1.0, 2.0, 4.0]), 0.75)
    tensor(3.)
    """
    return _quantile(of, input, q, axis, keepdims, interpolation, False)


@torch_only
def nanquantile(of, input, q, axis=None, keepdims=False, *, interpolation="linear") -> Any:
    """`quantile` of those elements that are not nan."""
    return _quantile(of, input, q, axis, keepdims, interpolation, True)


def _quantile(of, input, q, axis, keepdims, interpolation, known_only):
    shares = np.atleast_1d(np.asarray(q.tolist() if hasattr(q, "tolist") else q, float))
    if ((shares < 0) | (shares > 1)).any():
        raise RuntimeError(
            f"quantile() q must be in the range [0, 1] but got {shares[(shares < 0) | (shares > 1)][0]:g}"
        )
    flat = input.reshape(-1) if axis is None else input
    place = (0 if axis is None else axis) % max(flat.ndim, 1)
    ordered, found = of["sort"](flat, place)[0], []
    for i, share in enumerate(shares):

        def last(x):
            count = np.sum(x == x, axis=place, keepdims=True)
            return count, (count if known_only else np.full_like(count, x.shape[place])) - 1

        def rank(x, share=share):
            count, whole = last(x)
            here = np.float32(share) * whole.astype(np.float32) if x.dtype == np.float32 else share * whole
            return np.where((count > whole) | known_only, np.maximum(here, 0), whole)

        low, high = (
            of["found"](lambda x, cut=cut: cut(rank(x)).astype(np.int64), ordered) for cut in (np.floor, np.ceil)
        )
        if interpolation in _BETWEEN:
            cut = _BETWEEN[interpolation]
            value = of["take_along"](
                ordered, place, of["found"](lambda x, cut=cut: cut(rank(x)).astype(np.int64), ordered)
            )
        else:
            first, second = (of["take_along"](ordered, place, at) for at in (low, high))
            part = of["found"](lambda x: (rank(x) % 1).astype(x.dtype), ordered)
            if getattr(q, "requires_grad", False):
                part = part + (q.reshape(-1)[i] - float(share)) * of["found"](
                    lambda x: last(x)[1].astype(x.dtype), ordered
                )
            value = first + (second - first) * (part if interpolation == "linear" else 0.5)
        found.append(value)
    found = [value if keepdims and axis is not None else value.squeeze_(place) for value in found]
    if keepdims and axis is None:
        found = [value.reshape([1] * input.ndim) for value in found]
    return of["stack"](found, 0) if getattr(q, "ndim", 0) else found[0]


# ---- counts, and runs of equal elements ----


@composed
def histc(of, input, bins=100, min=0, max=0) -> Any:
    """How many elements there are in each of `bins` equal parts of [min, max]; of the elements' own range where both are 0."""

    def counted(x):
        ends = (x.min(), x.max()) if min == max == 0 else (min, max)
        return np.histogram(x, bins, (float(ends[0]), float(ends[1])))[0].astype(x.dtype)

    return of["found"](counted, input)


@torch_only
def unique_consecutive(of, input, return_inverse=False, return_counts=False, axis=None) -> Any:
    """The elements, or slices of an axis, without those equal to the one before; where each went, and how many there were."""
    rows = (
        (lambda x: x.reshape(-1, 1)) if axis is None else (lambda x: np.moveaxis(x, axis, 0).reshape(x.shape[axis], -1))
    )
    new = lambda x: np.concatenate([[True], (rows(x)[1:] != rows(x)[:-1]).any(1)])[: len(rows(x))]
    first = of["found"](lambda x: np.flatnonzero(new(x)), input)
    flat = input.reshape(-1) if axis is None else input
    found = [of["index_select"](flat, axis or 0, first)]
    if return_inverse:
        numbers = lambda x: np.cumsum(new(x)) - 1
        found.append(of["found"](lambda x: numbers(x).reshape(x.shape if axis is None else -1), input))
    if return_counts:
        found.append(of["found"](lambda x: np.diff(np.append(np.flatnonzero(new(x)), len(rows(x)))), input))
    return tuple(found) if len(found) > 1 else found[0]


# ---- written to places that may be the same ----


@torch_only
def scatter_reduce(of, input, axis, index, src, reduce, *, include_self=True) -> Any:
    """`input` with what `reduce` makes of the elements of `src` that go to the same place along an axis.

    `reduce`: "sum", "prod", "mean", "amax" or "amin"; with `include_self` the element of `input` is one of them. The largest, of
    equal ones, share the gradient.

    >>> import labkit.torch as torch
    >>> torch.zeros(2).scatter_reduce(0, torch.tensor([0, 1, 0]), torch.tensor([1.0, 2.0, 3.0]), "sum")
    tensor([4., 2.])
    """
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError("reduce argument must be either sum, prod, mean, amax or amin, got " + str(reduce))
    part = src[tuple(slice(0, n) for n in index.shape)]
    added = lambda base, values: of["scatter_add"](base, axis, index, values)
    zeros, ones = of["zeros_like"](input), of["ones_like"](part)
    count = added(zeros, ones)
    own = of["ones_like"](input) if include_self else (count == 0).to(input.dtype)
    if reduce in ("sum", "mean"):
        total = added(input * own, part)
        return total if reduce == "sum" else total / (own + count)
    if reduce == "prod":
        kept = of["where"](own == 1, input, of["ones_like"](input))
        return kept * _products(of, zeros, axis, index, part)
    pick = (np.maximum if reduce == "amax" else np.minimum).at

    def best(x, places, values, counts):
        made = np.array(x)
        if not include_self:
            made[counts > 0] = -np.inf if reduce == "amax" else np.inf
        at = list(np.indices(places.shape, sparse=True))
        at[axis] = places
        pick(made, tuple(at), values)
        return made

    value = of["found"](best, input, index, part, count)
    mine = (input == value).to(input.dtype) * own
    theirs = (of["gather"](value, axis, index) == part).to(input.dtype)
    share = mine + added(zeros, theirs)
    return added(of["where"](mine == 1, input, zeros), of["where"](theirs == 1, part, of["zeros_like"](part))) / share


def _products(of, zeros, axis, index, part):
    """The products of the elements of `part` that go to the same place; 1 where none goes."""

    def turns(places):
        """How many of those before it along the axis have the same place."""
        moved = np.moveaxis(places, axis, 0)
        return np.moveaxis(np.stack([(moved[:k] == moved[k]).sum(0) for k in range(len(moved))]), 0, axis)

    turn, made = of["found"](turns, index), zeros + 1
    for k in range(int(turn.max()) + 1 if turn.numel() else 0):
        chosen = (turn == k).to(part.dtype)
        gone = of["scatter_add"](zeros, axis, index, chosen)
        made = made * (of["scatter_add"](zeros, axis, index, part * chosen) + (1 - gone))
    return made


@torch_only
def index_reduce(of, input, axis, index, source, reduce, *, include_self=True) -> Any:
    """`scatter_reduce` of whole slices along an axis, each of which goes to a place of the vector `index`."""
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    shape = [-1 if k == axis % input.ndim else 1 for k in range(input.ndim)]
    places = index.reshape(shape).expand(*source.shape)
    return of["scatter_reduce"](input, axis, places, source, reduce, include_self=include_self)


@torch_only
def as_strided_scatter(of, input, src, size, stride, storage_offset=0) -> Any:
    """`input` with `src` in those places of its memory that `as_strided` of these arguments sees."""
    at = storage_offset + np.tensordot(stride, np.indices(size), 1).reshape(-1)
    places = of["found"](lambda x: at, input)
    return of["index_copy"](input.reshape(-1), 0, places, src.reshape(-1)).reshape(input.shape)


@torch_only
def masked_scatter(of, input, mask, source) -> Any:
    """`input` with the first elements of `source`, in their order, where `mask` is True; both broadcast."""
    shape = np.broadcast_shapes(tuple(input.shape), tuple(mask.shape))
    input = input if tuple(input.shape) == shape else input.expand(*shape)
    places = of["found"](lambda m, shape=tuple(input.shape): np.flatnonzero(np.broadcast_to(m, shape)), mask)
    flat = of["index_copy"](input.reshape(-1), 0, places, source.reshape(-1)[: len(places)])
    return flat.reshape(input.shape)


@torch_only
def put(of, input, index, source, accumulate=False) -> Any:
    """`input` with `source` at the places `index` of the flat tensor, or with `accumulate` added there."""
    write = of["index_add" if accumulate else "index_copy"]
    return write(input.reshape(-1), 0, index.reshape(-1), source.reshape(-1)).reshape(input.shape)
