"""Copies and writes: fills, copies, indexing by positions, parts of a tensor replaced."""

import autograd.numpy as anp
import numpy as np

from ...engine import dtype_of, getval, unbroadcast_f
from ...ops import select as where
from ...ops import zero
from .arithmetic import times
from .declaration import mover, op
from .reductions import sum_
from .shape import _mover, reshape


@mover(lambda args, kwargs: f"MaskedFillBackward{int(isinstance(args[2], np.ndarray))}",
    lambda ans, x, mask, v: unbroadcast_f(x, lambda g: masked_fill(g, mask, 0)), None,
    lambda ans, x, mask, v: lambda g: sum_(where(mask, g, zero(g)), None, False), tensors="self -mask ?value",
    saves="mask")  # fmt: skip
def masked_fill(x, mask, value):
    return np.where(mask, np.asarray(value, x.dtype), x)


@mover("CloneBackward0", lambda ans, x: lambda g: g)
def clone(x):
    return np.array(x)


@mover("CloneBackward0", lambda ans, x: lambda g: g)
def clone_in_order(x):
    """A copy in row-major order."""
    return np.array(x, order="C")


@mover("CopyBackwards", lambda ans, target, x: lambda g: anp.zeros_like(g),
    lambda ans, target, x: unbroadcast_f(x, lambda g: g), tensors="self src")  # fmt: skip
def copy(target, x):
    """`x` broadcast to the shape, and cast to the dtype, of `target`."""
    made = np.empty_like(target)
    made[...] = x
    return made


@mover("ZeroBackward0", lambda ans, x: lambda g: anp.zeros_like(g))
def zeroed(x):
    return np.zeros_like(x)


@mover("FillBackward2", lambda ans, x, v: lambda g: anp.zeros_like(g), others="value")
def filled(x, value):
    return np.full_like(x, value)


@mover("FillBackward3", lambda ans, x, v: lambda g: anp.zeros_like(g), lambda ans, x, v: lambda g: sum_(g, None, False),
    tensors="self value")  # fmt: skip
def filled_with(x, value):
    return np.full_like(x, value)


@op("IndexAddBackward0", lambda ans, x, source, place, alpha: lambda g: g,
    lambda ans, x, source, place, alpha: lambda g: times(fancy(g, place), alpha),
    tensors="self source", others="index alpha", saves="index")  # fmt: skip
def added_at(x, source, place, alpha):
    """`x` with `alpha * source` added at `place`; positions that come twice add up."""
    out = np.array(x)
    np.add.at(out, place, alpha * source)
    return out


tile = _mover("RepeatBackward0", np.tile, lambda g, shape, reps: _untile(g, shape, reps), "repeats")


def _untile(g, shape, reps):
    padded = (1,) * (len(reps) - len(shape)) + tuple(shape)
    split = [n for pair in zip(reps, padded, strict=True) for n in pair]
    return reshape(sum_(reshape(g, tuple(split)), tuple(range(0, len(split), 2)), False), shape)


@mover(
    lambda args, kwargs: args[2] if len(args) > 2 else "IndexBackward0",
    lambda ans, x, index, *name: lambda g: index_add(g, index, anp.shape(x)),
    others="indices name",
    saves="indices",
)
def fancy(x, index, name="IndexBackward0"):
    """`x[index]` for arrays of positions or masks: a copy."""
    return np.asarray(x)[index]


@mover("IndexPutBackward0", lambda ans, g, index, shape: lambda h: fancy(h, index), tensors="values",
    others="indices shape", saves="indices")  # fmt: skip
def index_add(g, index, shape):
    """Zeros of `shape` with `g` added at `index`; positions that come twice add up."""
    out = np.zeros(shape, dtype_of(g))
    np.add.at(out, index, g)
    return out


@mover(lambda args, kwargs: args[3] if len(args) > 3 else "IndexPutBackward0",
       lambda ans, x, v, index, *name: lambda g: index_zero(g, index),
       lambda ans, x, v, index, *name: unbroadcast_f(v, lambda g: fancy(g, index)),
       tensors="self values", others="indices name", saves="indices")  # fmt: skip
def index_put(x, values, index, name=""):
    """A copy of `x` with `x[index] = values`; the node may have another `name`."""
    out = np.array(x)
    out[index] = values
    return out


@mover("IndexPutBackward0", lambda ans, g, index: lambda h: index_zero(h, index), others="indices", saves="indices")
def index_zero(g, index):
    out = np.array(g)
    out[index] = 0
    return out


@mover("CopySlices", lambda ans, x, new, view: lambda g: view_zeroed(g, view),
    lambda ans, x, new, view: unbroadcast_f(new, lambda g: view(g)), tensors="self src", others="view")  # fmt: skip
def copy_slices(x, new, view):
    """A copy of `x` in which the part that `view` shows is `new`."""
    out = np.array(x)
    write(view(out), new)
    return out


def write(part, values):
    """Write to a part of an array, also where NumPy has locked it, as it does all that was expanded."""
    locked = not part.flags.writeable
    part.flags.writeable = True
    part[...] = values
    if locked:
        part.flags.writeable = False


@mover("AsStridedBackward0", lambda ans, x, view: _unview(getval(x), view), others="view")
def viewed(x, view):
    """`view(x)`, whatever chain of views that is, as one node."""
    return view(x)


def _unview(x, view):
    like = np.broadcast_to(np.zeros((), x.dtype), x.shape)
    return lambda g: unviewed(g, like, view)


@mover("AsStridedBackward0", lambda ans, g, x, view: lambda h: viewed(h, view), others="like view")
def unviewed(g, like, view):
    """Zeros like `like` in which the part that `view` shows is `g`."""
    out = np.zeros(np.shape(like), dtype_of(g))
    part = view(out)
    if part.flags.writeable:
        part[...] = g
    else:  # expanded: an element that is seen several times gets the sum
        np.add.at(out.reshape(-1), view(np.arange(out.size).reshape(out.shape)), g)
    return out


@mover("CopySlices", lambda ans, g, view: lambda h: view_zeroed(h, view), others="view")
def view_zeroed(g, view):
    out = np.array(g)
    write(view(out), 0)
    return out


def _named(args, kwargs):
    return args[-1]


@mover(_named, lambda ans, x, drawn, name: lambda g: anp.zeros_like(x), others="drawn name")
def drawn_for(x, drawn, name):
    """`drawn`, an array, in place of `x` or with parameters `x`; the node is called `name`."""
    return drawn


@mover(_named, lambda ans, x, y, drawn, name: lambda g: anp.zeros_like(x),
    lambda ans, x, y, drawn, name: lambda g: anp.zeros_like(y), tensors="self other", others="drawn name")  # fmt: skip
def drawn_for_both(x, y, drawn, name):
    """`drawn`, an array, with parameters `x` and `y`."""
    return drawn
