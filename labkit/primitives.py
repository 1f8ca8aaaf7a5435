"""Ops that both dialects need and autograd lacks, or that autograd differentiates less precisely: a table of rules.

Each entry is a NumPy function and its vjp, one per differentiable argument: `lambda ans, *args: lambda g: ...`. The rule
is written with `autograd.numpy`, so it can be differentiated again; the jvp follows from it (`engine.forward.transposed`).
Every op keeps its input's dtype, so that float16 stays float16.
"""

from functools import wraps

import autograd.numpy as anp
import numpy as np
from autograd.extend import defvjp, primitive

from .engine import cast, dtype_of, stop_gradient, unbroadcast_f

__all__ = [
    "absolute", "cast", "clamp", "copy", "expand", "gather", "index_max", "index_min", "log_softmax", "logsumexp",
    "mean", "norm", "power", "prod", "relu", "scatter_add", "select", "set_item", "sigmoid", "softmax", "softplus",
    "sort", "sum_", "tanh", "var",
]  # fmt: skip


# Whether a Python number leaves the dtype beside it as it is; on NumPy 1 it makes 0-d arrays wider.
NUMBERS_ARE_WEAK = np.result_type(np.float32(0), 0.0) == np.float32


def kept(fun, numbers=(float,)):
    """A function of arrays and of `numbers` whose result is no wider than what the arrays alone make, whatever the NumPy."""

    @wraps(fun)
    def computed(*args, **kwargs):
        arrays = [a.dtype for a in args if isinstance(a, (np.ndarray, np.generic)) and a.dtype.kind in "fiub"]
        if not any(dtype.kind == "f" for dtype in arrays):
            return fun(*args, **kwargs)
        kind = np.result_type(*arrays)
        found = fun(*(kind.type(a) if type(a) in numbers else a for a in args), **kwargs)
        wider = isinstance(found, (np.ndarray, np.generic)) and found.dtype.kind == "f" and found.dtype > kind
        return found.astype(kind) if wider else found

    return fun if NUMBERS_ARE_WEAK else computed


def rule(*vjps, argnums=None, text=None):
    """Declare the decorated NumPy function as one op of the graph, with these vjps.

    `text` is how a program spells the op, where NumPy has the words: a template such as `"{} ** {}"`, or the name of a NumPy
    function that takes the same arguments.
    """

    def declare(fun):
        op = primitive(kept(fun, (int, float) if "{}" in (text or "") else (float,)))
        op.widens = not NUMBERS_ARE_WEAK  # as a line of a program
        defvjp(op, *vjps, **({} if argnums is None else {"argnums": argnums}))
        op.text = text
        return op

    return declare


def _kept_shape(shape, axis):
    """`shape` with 1 for every axis that a reduction over `axis` (None: all of them) takes away."""
    axes = range(len(shape)) if axis is None else [a % len(shape) for a in ((axis,) if isinstance(axis, int) else axis)]
    return tuple(1 if i in axes else n for i, n in enumerate(shape))


def _spread(g, x, axis):
    """A reduced gradient `g`, ready to broadcast against `x`."""
    return anp.reshape(g, _kept_shape(anp.shape(x), axis))


def _sum_dtype(x):
    """Floats add up in their own dtype, integers and booleans in NumPy's default integer (None)."""
    return None if dtype_of(x).kind in "biu" else dtype_of(x)


def _repeated(ans, x, axis, mean=False):
    """The rule of a sum or mean: every element gets the gradient of its total. It keeps shapes, not `x`."""
    shape, kept, count = anp.shape(x), _kept_shape(anp.shape(x), axis), anp.size(x) / max(anp.size(ans), 1)
    return lambda g: expand(anp.reshape(g / count if mean else g, kept), shape)


# ---- elementwise ----


@rule(lambda ans, x, p: lambda g: g * (p * power(x, p - 1)) if p != 0 else anp.zeros_like(x), text="{} ** {}")
def power(x, p) -> np.ndarray:
    """`x ** p` for a Python number `p`: d/dx = p x^(p-1), and 0 for p = 0, also at x = 0."""
    return x**p


@rule(lambda ans, x: lambda g: g * (ans * (1 - ans)))
def sigmoid(x) -> np.ndarray:
    """1 / (1 + exp(-x)), without overflow: the exponential of a negative number is used on either side."""
    z = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + z), z / (1 + z)).astype(z.dtype)[()]


@rule(lambda ans, x: lambda g: g * (1 - power(ans, 2)), text="np.tanh")
def tanh(x) -> np.ndarray:
    return np.tanh(x)


@rule(lambda ans, x: lambda g: g * (x > 0))
def relu(x) -> np.ndarray:
    """max(x, 0), with derivative 0 at 0."""
    return np.maximum(x, np.zeros((), dtype_of(x)))


@rule(lambda ans, x: lambda g: g * sigmoid(x))
def softplus(x) -> np.ndarray:
    """log(1 + exp(x))."""
    return np.logaddexp(x, np.zeros((), dtype_of(x)))


@rule(lambda ans, x: lambda g: g * anp.sign(x), text="np.abs")
def absolute(x) -> np.ndarray:
    """|x|, with derivative 0 at 0."""
    return np.abs(x)


@rule(lambda ans, x, low, high: lambda g: g * _inside(x, low, high))
def clamp(x, low, high) -> np.ndarray:
    """`x` limited to [low, high] (None: no limit); an element at a limit passes its gradient, one beyond it does not."""
    return np.clip(x, low, high).astype(dtype_of(x))


def _inside(x, low, high):
    if low is None or high is None:
        return x <= high if low is None else x >= low
    return anp.logical_and(x >= low, x <= high)


@rule(
    None,
    lambda ans, c, x, y: unbroadcast_f(x, lambda g: anp.where(c, g, anp.zeros((), dtype_of(g)))),
    lambda ans, c, x, y: unbroadcast_f(y, lambda g: anp.where(c, anp.zeros((), dtype_of(g)), g)),
    text="np.where",
)
def select(condition, x, y) -> np.ndarray:
    """`x` where `condition` holds, else `y`; all three broadcast."""
    return np.where(condition, x, y)


@rule(lambda ans, x: lambda g: g, text="np.array")
def copy(x) -> np.ndarray:
    return np.array(x)


# ---- reductions ----


@rule(lambda ans, x, axis=None, keepdims=False: _repeated(ans, x, axis), text="np.sum")
def sum_(x, axis=None, keepdims=False) -> np.ndarray:
    return np.sum(x, axis=axis, keepdims=keepdims, dtype=_sum_dtype(x))


@rule(lambda ans, x, axis=None, keepdims=False: _repeated(ans, x, axis, mean=True), text="np.mean")
def mean(x, axis=None, keepdims=False) -> np.ndarray:
    return np.mean(x, axis=axis, keepdims=keepdims)


@rule(lambda ans, x, axis=None, keepdims=False, ddof=0: lambda g: _var_vjp(g, x, axis, ddof), text="np.var")
def var(x, axis=None, keepdims=False, ddof=0) -> np.ndarray:
    """Mean squared distance from the mean, over n - ddof."""
    return np.var(x, axis=axis, keepdims=keepdims, ddof=ddof)


def _var_vjp(g, x, axis, ddof):
    centre = mean(x, axis, True)
    count = anp.size(x) / max(anp.size(centre), 1) - ddof
    return _spread(g, x, axis) * (2 / count if count > 0 else np.nan) * (x - centre)


@rule(lambda ans, x, axis=None, keepdims=False: lambda g: _spread(g, x, axis) * _others(x, axis), text="np.prod")
def prod(x, axis=None, keepdims=False) -> np.ndarray:
    return np.prod(x, axis=axis, keepdims=keepdims, dtype=_sum_dtype(x))


def _others(x, axis):
    """For each element the product of all the others along `axis`, right also where some are zero."""
    flat = anp.reshape(x, (1, -1)) if axis is None else anp.moveaxis(x, axis, -1)
    itself = np.eye(anp.shape(flat)[-1], dtype=bool)
    rest = prod(select(itself, 1, flat[..., None, :]), -1)
    return anp.reshape(rest, anp.shape(x)) if axis is None else anp.moveaxis(rest, -1, axis)


@rule(lambda ans, x, axis=None, keepdims=False: lambda g: _norm_vjp(g, ans, x, axis))
def norm(x, axis=None, keepdims=False) -> np.ndarray:
    """Euclidean norm; the gradient at zero is 0, the smallest subgradient."""
    return np.sqrt(np.sum(np.square(x), axis=axis, keepdims=keepdims, dtype=dtype_of(x)))


def _norm_vjp(g, ans, x, axis):
    length = _spread(ans, x, axis)
    return _spread(g, x, axis) * x / anp.where(length == 0, anp.ones_like(length), length)


@rule(lambda ans, x, axis=None, keepdims=False: lambda g: _spread(g, x, axis) * anp.exp(x - _spread(ans, x, axis)))
def logsumexp(x, axis=None, keepdims=False) -> np.ndarray:
    top = np.max(x, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, np.zeros((), dtype_of(x)))
    total = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return total if keepdims else np.squeeze(total, axis=axis)


@rule(lambda ans, x, axis: lambda g: ans * (g - sum_(g * ans, axis, True)))
def softmax(x, axis) -> np.ndarray:
    """exp(x) / sum(exp(x)) along axis"""
    z = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return z / np.sum(z, axis=axis, keepdims=True)


@rule(lambda ans, x, axis: lambda g: g - anp.exp(ans) * sum_(g, axis, True))
def log_softmax(x, axis) -> np.ndarray:
    """x - log(sum(exp(x))) along axis"""
    shifted = x - np.max(x, axis=axis, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


# ---- moving elements ----


@rule(lambda ans, x, shape: unbroadcast_f(x, lambda g: g), text="np.broadcast_to")
def expand(x, shape) -> np.ndarray:
    """`x` broadcast to `shape`."""
    return np.broadcast_to(x, shape)


@rule(
    lambda ans, x, index, value: lambda g: set_item(g, index, 0),
    None,
    lambda ans, x, index, value: lambda g: unbroadcast_f(value, lambda h: h)(g[index]),
)
def set_item(x, index, value) -> np.ndarray:
    """A copy of `x` with `x[index] = value`; what was overwritten gets no gradient."""
    return _set(x, index, value)


def _set(x, index, value):
    out = np.array(x)
    out[index] = value
    return out


@rule(lambda ans, x, index, axis: lambda g: scatter_add(g, index, axis, anp.shape(x)), text="np.take_along_axis")
def gather(x, index, axis) -> np.ndarray:
    """`out[i][j] = x[index[i][j]][j]` along axis 0, and likewise along the others (numpy.take_along_axis)."""
    return np.take_along_axis(x, index, axis)


@rule(lambda ans, g, index, axis, shape: lambda h: gather(h, index, axis))
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
