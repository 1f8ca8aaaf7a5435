"""NumPy's functions for tensors: the ops of the table where there is one of that name, otherwise autograd's.

Arguments are NumPy's. New arrays are Int32 or Float32 unless a `dtype` says otherwise, results no wider than the tensors given.
"""

from collections.abc import Callable
from functools import partial, reduce, wraps
from inspect import signature
from typing import Any

import autograd.numpy as anp
import numpy as np

from ...engine import cast, dtype_of, getval, isbox, leaves, map_leaves
from ...engine import stop_gradient as constant
from ...ops import FUNCTIONS, absolute, power, select
from .._recording import numbers_of
from ..dtype import DType, as_numpy, of, promote
from ..tensor import Tensor, tensor, wrap
from . import _elementwise, _reduction  # noqa: F401  (whose ops it asks for)
from ._arithmetic import PAIRWISE
from ._joining import as_met
from ._op import OPS, register
from ._words import bound, listed

_ELSEWHERE: dict[str, str] = {  # where NumPy has it under another name, or has it no more
    "trapz": "trapezoid", "in1d": "isin", "sometrue": "any", "asfarray": "float32", "norm": "linalg.norm", "max": "amax",
    "min": "amin", "matrix_power": "linalg.matrix_power", "multi_dot": "linalg.multi_dot", "abs": "absolute", "round": "around",
    "bitwise_not": "invert",
}  # fmt: skip
_PLACES = {"argmax": np.int64, "argmin": np.int32, "argwhere": np.int64, "count_nonzero": np.int32}
_STAY = {"exp2", "reciprocal", "heaviside", "copysign", "maximum", "minimum"}  # integers, even beside a float
_LISTS = {"atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "gradient", "indices", "meshgrid"}
_OF_INTEGERS = {"sum": np.int64, "mean": np.int32, "average": np.int32}
_SINGLE, _DOUBLE, _INT, _LONG = (np.dtype(kind) for kind in (np.float32, np.float64, np.int32, np.int64))


def derived(name) -> Callable | None:
    """The function of tensors of this name, or None where neither the table of ops nor NumPy has one."""
    if (
        name in PAIRWISE
        or name in FUNCTIONS
        or name in {also for row in FUNCTIONS.values() for also in row.also.split()}
    ):
        return _of_table(name, OPS[name])
    path = _ELSEWHERE.get(name, name)
    fun = _of_numpy(path)
    return None if fun is None else _of_arrays(name, fun, _own_words(path))


def _of_table(name, op):
    """An op of one or of two tensors, which takes what becomes one, and a `dtype`."""

    @wraps(op)
    def call(*placed, **named):
        words = listed()[f"numpy.{name}"]
        args, kwargs = bound(f"numpy.{name}", words, placed, named)
        dtype = args.pop() if len(args) == len(words) and words[-1] == "dtype" else kwargs.pop("dtype", None)
        args += kwargs.values()
        made = op(*[a if isinstance(a, Tensor) else array(a) for a in args] if len(args) == 1 else args)
        kinds = [a._value.dtype for a in args if isinstance(a, Tensor)]
        if name in _STAY and kinds and all(kind.kind in "iu" for kind in kinds):
            made = wrap(cast(made._value, max(kinds, key=lambda kind: kind.itemsize)))
        if name == "sign" and kinds[0].kind in "iu":
            made = wrap(cast(made._value, _SINGLE))
        return made if dtype is None else made.astype(_type(dtype))

    return call


def _of_numpy(path) -> Any:
    """NumPy's function with a derivative: its own, that of autograd, or that of what it does."""
    if path in _MADE:
        return _MADE[path]
    if path in _MOVING:
        return partial(_moved, getattr(np, path))
    if path in _STEPS:
        return lambda *args: getattr(np, path)(*map(constant, args))
    return _at(anp, path)


def _at(package: Any, path: str) -> Any:
    return reduce(lambda found, part: getattr(found, part, None), path.split("."), package)


def _own_words(path):
    """The words of NumPy's function, or of what stands for it; None for one that does not say."""
    made = _MADE.get(path) or _at(np, path)
    if isinstance(made, np.ufunc):
        return ["x1", "x2"][: made.nin]
    try:
        return [*signature(made).parameters]
    except (TypeError, ValueError):
        return None


def _moved(fun, *args, **kwargs):
    """What `fun` does, which only moves elements: where each came from is what it does with their numbers."""
    arrays = [leaf for leaf in leaves([args, kwargs]) if isbox(leaf)]
    if not arrays:
        return fun(*args, **kwargs)
    if len(arrays) > 1:
        map_leaves(numbers_of, [leaf for leaf in arrays if dtype_of(leaf).kind in "iub"])  # places, maybe
    starts = dict(zip(map(id, arrays), np.cumsum([1, *(np.size(getval(a)) for a in arrays)]), strict=False))
    numbered = lambda leaf: starts[id(leaf)] + np.arange(np.size(getval(leaf))).reshape(np.shape(getval(leaf)))
    plain = map_leaves(getval, [args, kwargs])
    others = map_leaves(lambda leaf: numbered(leaf) if id(leaf) in starts else leaf, [args, kwargs])
    value, source = fun(*plain[0], **plain[1]), fun(*others[0], **others[1])
    row = anp.concatenate([anp.ravel(a) for a in arrays])
    return select(source > 0, row[np.maximum(source - 1, 0)], value)


def _average(a, axis=None, weights=None, returned=False):
    weights = weights if weights is None or np.ndim(weights) != 1 or axis is None else _along(weights, axis, a.ndim)
    total = anp.sum((1.0 if weights is None else weights) + 0 * constant(a), axis)
    mean = anp.mean(a, axis) if weights is None else anp.sum(a * weights, axis) / total
    return (mean, total) if returned else mean


def _along(weights, axis, ndim):
    return anp.reshape(weights, [-1 if i == axis % ndim else 1 for i in range(ndim)])


def _without_nan(fun):
    return lambda a, *args, **kwargs: fun(anp.where(anp.isnan(a), 0.0, a), *args, **kwargs)


def _polyval(p, x):
    total = 0 * x
    for k in range(len(p)):
        total = total * x + p[k]
    return total


def _trapezoid(y, x=None, dx=1.0, axis=-1):
    y = anp.swapaxes(y, axis, -1)
    step = dx if x is None else anp.diff(x)
    return anp.sum((y[..., 1:] + y[..., :-1]) * step / 2, -1)


def _ptp(a, axis=None, keepdims=False):
    return anp.max(a, axis, keepdims=keepdims) - anp.min(a, axis, keepdims=keepdims)


def _cumprod(a, axis=None, dtype=None):
    return OPS["cumprod"](wrap(anp.ravel(a) if axis is None else a), axis or 0, dtype)._value


def _bincount(x, weights=None, minlength=0, length=None):
    least = max(minlength, length or 0)
    return np.bincount(numbers_of(x), None if weights is None else numbers_of(weights), least).astype(np.float32)[
        :length
    ]


def _clip(a, a_min, a_max):
    return anp.clip(a, a_min, a_max)


def _histogram(a, bins=10, range=None, weights=None, density=False):
    counts, edges = np.histogram(numbers_of(a), numbers_of(bins), range, weights=numbers_of(weights), density=density)
    return counts.astype(np.float32), edges


_STEPS = {"heaviside", "signbit"}  # constant to every derivative
_MOVING = {"broadcast_to", "choose", "copy", "diag", "diagonal", "dstack", "flip", "pad", "positive", "resize", "take",
           "take_along_axis"}  # fmt: skip


def _kind_of(given):
    if isinstance(given, (bool, int, float)):
        return np.dtype({bool: np.bool_, int: np.int32}.get(type(given), np.float32))
    return getattr(given, "dtype", np.dtype(given) if isinstance(given, str) else given)


def _unique(ar, return_inverse=False):
    values, places = as_met(np.ravel(constant(ar)))
    return (values, places) if return_inverse else values


_MADE: dict[str, Callable] = {  # of what has a derivative, and what is in another order
    "average": _average, "unique": _unique,
    "nansum": _without_nan(anp.sum), "nancumsum": _without_nan(anp.cumsum), "polyval": _polyval,
    "trapezoid": _trapezoid, "ptp": _ptp, "cumprod": _cumprod, "bincount": _bincount,
    "histogram": _histogram, "clip": _clip, "indices": lambda *args, **kwargs: tuple(np.indices(*args, **kwargs)),
    "empty": np.zeros, "empty_like": lambda a, dtype=None, shape=None: np.zeros_like(constant(a), dtype, shape=shape),
    "promote_types": promote, "result_type": lambda *given: reduce(promote, [_kind_of(a) for a in given]),
    "count_nonzero": lambda a, axis=None, keepdims=False: np.count_nonzero(constant(a), axis, keepdims=keepdims),
    "tile": lambda A, reps: anp.tile(A, numbers_of(reps)),
    "outer": lambda a, b: anp.outer(anp.ravel(a), anp.ravel(b)),
    "cbrt": lambda x: anp.sign(x) * power(absolute(x), 1 / 3),
}  # fmt: skip


def _of_arrays(name, fun, own):
    """A function of NumPy's with the words `own` for tensors, called with the words of MindSpore's, its numbers in its types."""

    def call(*placed, **named):
        dtype, args, kwargs = None, [*placed], named
        if own and f"numpy.{name}" in listed():
            args, kwargs = bound(f"numpy.{name}", own, placed, named)
            dtype = kwargs.pop("dtype", None) if "dtype" not in own else None
        tensors = [leaf for leaf in leaves([args, kwargs]) if isinstance(leaf, Tensor)]
        args, kwargs = map_leaves(_plain, [args, kwargs])
        told = "dtype" in kwargs or any(isinstance(a, np.dtype) for a in args)
        with np.errstate(all="ignore"):
            try:
                found = fun(*args, **kwargs)
            except NotImplementedError:  # no derivative is known: one follows where it only moves elements
                found = _moved(fun, *args, **kwargs)
                if not np.array_equal(
                    numbers_of(found), fun(*map_leaves(getval, args), **map_leaves(getval, kwargs)), True
                ):
                    raise NotImplementedError(f"{name}: labkit computes it, but has no derivative of it") from None
        kinds = [t._value.dtype for t in tensors]
        made = _wrapped(found, (lambda value: value) if told else lambda value: _typed(value, kinds, name))
        made = made if dtype is None or not isinstance(made, Tensor) else made.astype(_type(dtype))
        return list(made) if name in _LISTS and isinstance(made, tuple) else made

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"`numpy.{name}` of tensors; see there for its arguments."
    return call


def _plain(leaf):
    if isinstance(leaf, Tensor):
        return leaf._value
    return as_numpy(leaf) if isinstance(leaf, (DType, type)) else leaf


def _type(dtype):
    return dtype if isinstance(dtype, (DType, str)) else of(as_numpy(dtype))


def _wrapped(found, typed):
    if isbox(found) and isinstance(getval(found), (tuple, list)):
        found = [found[i] for i in range(len(getval(found)))]
    if isinstance(found, (tuple, list)):
        return tuple(_wrapped(part, typed) for part in found)
    if isinstance(found, np.dtype):
        return of(found)
    return wrap(typed(found)) if isbox(found) or isinstance(found, (np.ndarray, np.generic)) else found


def _typed(value, kinds, name):
    """A result in the type that MindSpore gives it: no float wider than those given, no integer wider than Int32 unless given."""
    dtype = dtype_of(value)
    floats = [kind for kind in kinds if kind.kind == "f"]
    wanted = dtype
    if dtype.kind == "f":
        wanted = max(floats, key=lambda kind: kind.itemsize) if floats else _SINGLE
    elif dtype == _LONG and _LONG not in kinds:
        wanted = _INT
    if name in _PLACES:
        wanted = np.dtype(_PLACES[name])
    elif name in _STAY and kinds and not floats:
        wanted = max(kinds, key=lambda kind: kind.itemsize)
    elif name in _OF_INTEGERS and kinds and not floats:
        wanted = _LONG if _LONG in kinds else np.dtype(_OF_INTEGERS[name])
    return value if wanted == dtype else cast(value, wanted)


def array(obj, dtype=None, copy=True, ndmin=0) -> Tensor:
    """A tensor of numbers, nested lists, arrays or tensors: Int32 or Float32 unless `dtype` says otherwise.

    >>> array([1, 2]).dtype, array([1.0, 2]).dtype
    (mindspore.int32, mindspore.float32)
    """
    given = isinstance(obj, (Tensor, np.ndarray))
    made = tensor(obj if given else list(obj) if isinstance(obj, (tuple, range)) else obj)
    value = made._value
    if dtype is not None:
        value = cast(value, as_numpy(dtype))
    elif not given and value.dtype in (_LONG, _DOUBLE):
        value = cast(value, _INT if value.dtype == _LONG else _SINGLE)
    return wrap(anp.reshape(value, (1,) * (ndmin - len(made.shape)) + made.shape) if ndmin > len(made.shape) else value)


_OPS = ["bincount", "diagflat", "positive", "vander"]  # as in NumPy
for _name in _OPS:
    if _name not in OPS and (_made := derived(_name)):
        register(_made)
