"""Moving elements: shapes, copies, positions."""

import autograd.numpy as anp
import numpy as np
from autograd.numpy import numpy_wrapper

from ..engine import ArrayBox, dtype_of, stop_gradient, unbroadcast_f
from .signatures import Offered
from .table import known, rule

__all__ = ["MOVERS", "copy", "expand", "gather", "index_max", "index_min", "scatter_add", "set_item", "sort"]


def _by_index(args, kwargs):
    """PyTorch's node of `x[index]`: the last of those that it makes of the index, part by part."""
    parts = args[1] if isinstance(args[1], tuple) else (args[1],)
    if any(isinstance(part, (list, np.ndarray)) for part in parts):
        return "IndexBackward0"
    if any(part is None for part in parts):
        return "UnsqueezeBackward0"
    return "SelectBackward0" if isinstance(parts[-1], (int, np.integer)) else "SliceBackward0"


_BACK, _COPIES = {"words": "g in the old shape"}, {"words": "g summed over the copies"}
known(anp.reshape, "ViewBackward0", others="shape", saves="", **_BACK)
for _fun, _node in ((anp.squeeze, None), (anp.ravel, "ViewBackward0"), (anp.expand_dims, "UnsqueezeBackward0")):
    known(_fun, _node, **_BACK)
for _fun, _node in ((anp.transpose, "PermuteBackward0"), (anp.swapaxes, "TransposeBackward0")):
    known(_fun, _node, words="g transposed back")
known(anp.broadcast_to, "ExpandBackward0", **_COPIES)
known(anp.roll, words="g moved back")
for _fun in (anp.tril, anp.triu):
    known(_fun, words="g in the triangle")
known(numpy_wrapper.concatenate_args, "CatBackward0", name="concatenate", words="g cut in pieces")
known(ArrayBox.__getitem__, _by_index, words="g at the index, 0 elsewhere")
known(numpy_wrapper._astype, "ToCopyBackward0", words="g cast back")

MOVERS: dict[str, Offered] = {}


@rule(lambda ans, x: lambda g: g, node="CloneBackward0", saves="", text="np.array", rounds=False)
def copy(x) -> np.ndarray:
    """`x` in memory of its own."""
    return np.array(x)


@rule(lambda ans, x, shape: lambda g: g, broadcasts=True, others="size", saves="", text="np.broadcast_to",
      words="g summed over the copies", rounds=False)  # fmt: skip
def expand(x, shape) -> np.ndarray:
    """`x` broadcast to `shape`."""
    return np.broadcast_to(x, shape)


@rule(lambda ans, x, index, value: lambda g: set_item(g, index, 0), None,
      lambda ans, x, index, value: lambda g: unbroadcast_f(value, lambda h: h)(g[index]), node="CopySlices",
      rounds=False)  # fmt: skip
def set_item(x, index, value) -> np.ndarray:
    """A copy of `x` with `x[index] = value`; what was overwritten gets no gradient."""
    out = np.array(x)
    out[index] = value
    return out


@rule(lambda ans, x, index, axis: lambda g: scatter_add(g, index, axis, anp.shape(x)), saves="index",
      tensors="self", others="index dim", text="np.take_along_axis", words="g added at the entries that were read",
      rounds=False)  # fmt: skip
def gather(x, index, axis) -> np.ndarray:
    """`out[i][j] = x[index[i][j]][j]` along axis 0, and likewise along the others (numpy.take_along_axis)."""
    return np.take_along_axis(x, index, axis)


@rule(lambda ans, g, index, axis, shape: lambda h: gather(h, index, axis), tensors="src", others="index dim shape",
      saves="index", rounds=False)  # fmt: skip
def scatter_add(g, index, axis, shape) -> np.ndarray:
    """The transpose of `gather`: each element of `g` is added where `gather` read."""
    out = np.zeros(shape, dtype_of(g))
    where = list(np.indices(np.shape(index), sparse=True))
    where[axis] = index
    np.add.at(out, tuple(where), g)
    return out


def sort(x, axis=-1, descending=False) -> tuple[np.ndarray, np.ndarray]:
    """Sorted values and the index each came from; equal elements keep their order."""
    raw = stop_gradient(x)
    index = anp.argsort(anp.flip(raw, axis) if descending else raw, axis=axis, kind="stable")
    index = anp.flip(anp.shape(raw)[axis] - 1 - index, axis) if descending else index
    return gather(x, index, axis), index


def index_max(x, axis, keepdims=False) -> np.ndarray:
    """Largest element along `axis` and its index; of equal ones the first, which alone gets the gradient."""
    return _pick(x, anp.argmax, axis, keepdims)


def index_min(x, axis, keepdims=False) -> np.ndarray:
    """Smallest element along `axis` and its index; of equal ones the first, which alone gets the gradient."""
    return _pick(x, anp.argmin, axis, keepdims)


def _pick(x, chooser, axis, keepdims):
    index = anp.expand_dims(chooser(stop_gradient(x), axis=axis), axis)
    value = gather(x, index, axis)
    return (value, index) if keepdims else (anp.squeeze(value, axis), anp.squeeze(index, axis))


# ---- rows for both dialects ----


def _flip(x, dims):
    axes = {a % anp.ndim(x) for a in dims}
    return x[tuple(slice(None, None, -1) if i in axes else slice(None) for i in range(anp.ndim(x)))]


known(_flip, name="flip", words="g reversed back")
for _name, *_row in (
    ("flip", _flip, "the order reversed along `dims`", "[[2. 1.]\n [3. 3.]]", "*dims"),
    ("tril", anp.tril, "the lower triangle, zero above `diagonal`", "[[1. 2.]\n [3. 3.]]", "diagonal=0"),
    ("triu", anp.triu, "the upper triangle, zero below `diagonal`", "[[0. 2.]\n [0. 0.]]", "diagonal=0"),
):
    MOVERS[_name] = Offered(*_row)
