"""Ops that move elements: shapes, order, joining and choosing. Their gradients move them back."""

import autograd.numpy as anp
import numpy as np

from ... import ops as primitives
from ...engine import getval
from ...kinds import one_by_one
from ..tensor import Tensor
from ._op import of_row, op


def _ints(sizes):
    """Sizes given as separate numbers or as one tuple, list or tensor."""
    if len(sizes) == 1 and isinstance(sizes[0], Tensor):
        sizes = sizes[0].tolist()
        return tuple(sizes) if isinstance(sizes, list) else (sizes,)
    return tuple(int(n) for n in one_by_one(sizes))


def _rank(value):
    return np.ndim(getval(value))


@op("view", primitive="Reshape")
def reshape(input, *shape):
    """The same elements in another shape, of which one length may be -1."""
    sizes = _ints(shape)
    try:
        return anp.reshape(input, sizes)
    except ValueError as error:
        if "one unknown" in str(error):
            raise ValueError("only one dimension can be inferred\n") from None
        shown = ", ".join(map(str, sizes))
        count = np.size(getval(input))
        raise ValueError(f"proposed_shape '[const vector]{{{shown}}}' is invalid for input of size {count}\n") from None


@op()
def view_as(input, other):
    """The same elements in the shape of `other`."""
    return anp.reshape(input, other.shape)


@op()
def squeeze(input, axis=None):
    """Without the axes of length 1; with `axis` (a number or tuple), without those of them."""
    shape = np.shape(getval(input))
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    dropped = {a % len(shape) for a in axes if shape and shape[a] == 1}
    return anp.reshape(input, tuple(n for i, n in enumerate(shape) if i not in dropped))


@op("unsqueeze", primitive="ExpandDims")
def expand_dims(input, axis):
    """With a new axis of length 1 at `axis`."""
    rank = _rank(input) + 1
    if not isinstance(axis, int) or not -rank <= axis < rank:
        raise ValueError(
            f"The 'axis' must be in range of [{-rank}, {rank}), but got {axis} with type '{type(axis).__name__}'."
        )
    return anp.expand_dims(input, axis)


@op("permute", primitive="Transpose")
def transpose(input, *axes):
    """Axes in the order given; reversed without one."""
    if not axes:
        return anp.transpose(input)
    order = _ints(axes)
    if (len(order) == 2 and _rank(input) != 2) or len({a % max(_rank(input), 1) for a in order}) != _rank(input):
        return anp.swapaxes(input, *order)
    return anp.transpose(input, order)


@op("swapdims")
def swapaxes(input, axis0, axis1):
    """With two axes exchanged."""
    return anp.swapaxes(input, axis0, axis1)


@op("movedim")
def moveaxis(input, source, destination):
    """With axes moved to other places."""
    return anp.moveaxis(input, source, destination)


@op(method=False)
def flatten(input, order="C", *, start_dim=1, end_dim=-1):
    """The axes from `start_dim` to `end_dim` as one; the first axis stays by default."""
    if order == "F":
        input = anp.transpose(input)
    shape = np.shape(getval(input)) or (1,)
    first, last = start_dim % (len(shape) + 1), end_dim % len(shape)
    return anp.reshape(input, (*shape[:first], -1, *shape[last + 1 :]))


@op("expand")
def broadcast_to(input, *shape):
    """Repeated to `shape`, in which -1 keeps a length."""
    wanted, old = _ints(shape), np.shape(getval(input))
    offset = len(wanted) - len(old)
    sizes = tuple(old[i - offset] if n == -1 else n for i, n in enumerate(wanted))
    try:
        return primitives.expand(input, sizes)
    except ValueError:
        raise ValueError(
            f"For 'BroadcastTo', expected a shape to which {old} can be repeated, but got {sizes}: each length must "
            "be kept or be 1 before."
        ) from None


@op()
def expand_as(input, other):
    """Repeated to the shape of `other`."""
    return primitives.expand(input, other.shape)


@op()
def repeat(input, repeats, axis=None):
    """Each element `repeats` times along `axis` (of the flat tensor without one)."""
    return anp.repeat(input, repeats, axis)


@op()
def repeat_interleave(input, repeats, dim=None):
    """Each element `repeats` times along `dim` (of the flat tensor without one)."""
    return anp.repeat(input, repeats, dim)


@op(method=False)
def repeat_elements(x, rep, axis=0):
    """Each element `rep` times along `axis`."""
    return anp.repeat(x, rep, axis)


@op()
def tile(input, *dims):
    """The whole tensor repeated along each axis."""
    return anp.tile(input, _ints(dims))


@op(method=True)
def diagonal(input, offset=0, dim1=0, dim2=1):
    """The diagonal of a matrix, or of the matrices on two axes, along a new last axis."""
    moved = anp.moveaxis(input, (dim1, dim2), (-2, -1))
    rows, columns = np.shape(getval(moved))[-2:]
    start = np.arange(max(0, min(rows + min(offset, 0), columns - max(offset, 0))))
    return moved[..., start - min(offset, 0), start + max(offset, 0)]


@op(method=True)
def diag(input):
    """`input` on the diagonal of a tensor of twice its axes, zero elsewhere."""
    shape = np.shape(getval(input))
    return anp.reshape(anp.diag(anp.ravel(input)), shape + shape)


# ---- what the rows say ----


def _moved(name, row):
    def answer(input, **given):
        given = {word: _ints(value) if isinstance(value, tuple) else value for word, value in given.items()}
        for i, axis in enumerate(np.ravel(given.get("dims") or ())):
            if not -_rank(input) <= axis < _rank(input):
                limits = f"in range of [{-_rank(input)}, {_rank(input)})"
                raise ValueError(f"For '{name}', the 'dims[{i}]' must be {limits}, but got {axis}.")
        return row.fun(input, *given.values())

    return answer


for _name, _row in primitives.MOVERS.items():
    of_row(_name, _row, _moved(_name, _row))
