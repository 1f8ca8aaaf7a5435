"""Reductions along axes. `axis` is a number, a tuple or None for all; a gradient is spread over what was reduced."""

from functools import reduce
from operator import index
from typing import Any, NamedTuple

import autograd.numpy as anp
import numpy as np

from ... import ops as primitives
from ...engine import cast, getval
from ...engine import stop_gradient as constant
from ...program import Interpreted, refuse
from ..common.dtype import as_numpy, in_dtype
from ..common.tensor import Tensor, wrap
from . import kernels
from .op_table import METHODS, OPS, floating, of_row, op, register, value_of


def _axes(axis, value, name):
    """The axis or axes as NumPy wants them, in range."""
    ndim = np.ndim(getval(value))
    if axis is None or (isinstance(axis, (tuple, list)) and not axis):
        return None
    axes = tuple(index(a) for a in (axis if isinstance(axis, (tuple, list)) else (axis,)))
    for a in axes:
        if not -(ndim or 1) <= a < (ndim or 1):
            raise ValueError(f"For primitive[{name}], the axis value must be in [{-ndim},{ndim}), but got {a}.\n")
    if ndim == 0:
        return None
    return axes if isinstance(axis, (tuple, list)) else axes[0]


def _typed(value, dtype):
    return value if dtype is None else cast(value, as_numpy(dtype))


# ---- what the rows say ----


def _whole(input):
    return cast(input, np.int64) if input.dtype.kind in "iub" else input


class _Place(NamedTuple):
    """A row's place here: its class, its name in errors, and its parameters where MindSpore has other words."""

    primitive: str | None
    error: str
    takes: str = ""
    dtype: Any = None  # of the result, where it is another than NumPy's
    method: bool = True


_KEEP_DIMS = "input, axis=None, keep_dims=False"
_PLACES = {
    "sum": _Place("SumExt", "SumExt"),
    "prod": _Place("ProdExt", "ProdExt", _KEEP_DIMS + ", *, dtype=None"),
    "all": _Place(None, "ReduceAll", _KEEP_DIMS),
    "any": _Place(None, "ReduceAny", _KEEP_DIMS),
    "amax": _Place(None, "ReduceMax", method=False),
    "amin": _Place(None, "ReduceMin", method=False),
    "argmax": _Place(None, "Argmax"),
    "argmin": _Place(None, "Argmin", dtype=np.int32),
    "count_nonzero": _Place(None, "CountNonZero", _KEEP_DIMS, np.int32),
    "logsumexp": _Place("LogSumExp", "ReduceMax"),
    "softmax": _Place("Softmax", "Softmax", "input, axis=-1, *, dtype=None"),
    "log_softmax": _Place("LogSoftmax", "LogSoftmax", "logits, axis=-1"),
}
_EXTREMES = {"amax": -np.inf, "argmax": -np.inf, "amin": np.inf, "argmin": np.inf}
_OF_FLAT = ("argmax", "argmin")  # without an axis, of the flat tensor: there is none to keep
_PREPARED = {"total": _whole, "smooth": floating, "found": constant, "mean": lambda x: x, "kept": lambda x: x}
_INTEGERS = {"total": "Integers become Int64.", "smooth": "Integers become Float32.", "found": "Of any dtype."}


def _reduced(name, row, place):
    fun = getattr(kernels, name) if name in ("softmax", "log_softmax", "logsumexp") else row.fun

    def answer(input, axis, dtype=None, **kept):
        value = _typed(_PREPARED[row.kind](input), dtype)
        if axis is None and name == "sum" and not kept["keepdims"]:
            return kernels.sum_all(value)
        axes = _axes(axis, input, place.error)
        if name in _EXTREMES:
            value = kernels.compared(value, axes, _EXTREMES[name])
        if not kept:
            return fun(value, axes)
        found = fun(value, axis=axes, keepdims=bool(kept["keepdims"]) and not (axis is None and name in _OF_FLAT))
        return found if place.dtype is None else cast(found, place.dtype)

    return answer


for _name, _row in primitives.REDUCTIONS.items():
    _place = _PLACES.get(_name, _Place(None, _name.title()))
    _at = {"primitive": _place.primitive, "method": _place.method}
    of_row(_name, _row, _reduced(_name, _row, _place), _place.takes, _INTEGERS, **_at)


def _limited(input, initial, where, last):
    """The tensor with `initial`, or what is beyond every number, where `where` does not hold."""
    if where is True:
        return input
    return OPS["where"](where, input, Tensor(last if initial is None else initial, input.dtype))


@op(primitive="MeanExt")
def mean(input, axis=None, keep_dims=False, *, dtype=None):
    """The mean, in the type of the input (of integers too, cut to an integer)."""
    value, axis = _typed(input, dtype), _axes(axis, input, "ReduceMean")
    if value.dtype.kind in "iu":
        return cast(primitives.mean(cast(value, np.float64), axis=axis, keepdims=keep_dims), value.dtype)
    if axis is None and not keep_dims:
        return kernels.mean(value)
    return primitives.mean(value, axis=axis, keepdims=bool(keep_dims))


@op(primitive="VarExt")
def var(input, axis=None, ddof=0, keepdims=False):
    """The mean squared distance from the mean, over n - ddof."""
    return _variance(floating(input), _axes(axis, input, "Var"), int(ddof), keepdims)


def _variance(value, axis, ddof, keepdims):
    """The variance; nan where there are no more elements than `ddof`, which NumPy would warn of."""
    kept = primitives.mean(value, axis=axis, keepdims=True)
    if np.size(getval(value)) > ddof * np.size(getval(kept)):
        return primitives.var(value, axis=axis, keepdims=keepdims, ddof=ddof)
    return primitives.var(value, axis=axis, keepdims=keepdims) * value.dtype.type(np.nan)


@op(method=False)
def _squared_std(input, axis=None, ddof=0, keepdims=False):
    """The variance, as the real function finds it: the square of `std`, whose slope is nan where all elements are equal."""
    return primitives.power(anp.sqrt(_variance(floating(input), _axes(axis, input, "Var"), int(ddof), keepdims)), 2)


OPS["var"] = _squared_std


@op(primitive="StdExt")
def std(input, axis=None, ddof=0, keepdims=False):
    """The square root of the variance."""
    return anp.sqrt(_variance(floating(input), _axes(axis, input, "Std"), int(ddof), keepdims))


def _extreme(amount, place, picked, last):
    """`ops.max` or `ops.min`: values and indices; and the method, which has two sets of words."""
    better = {"max": anp.maximum, "min": anp.minimum}[place]

    def function(input, axis=None, keepdims=False, *, initial=None, where=True):
        input = _limited(input, initial, where, last)
        if axis is None or (axis in (0, -1) and not value_of(input, amount.__name__).ndim):
            return _at_best(amount(input), initial), wrap(np.int64(0))
        value = kernels.compared(value_of(input, amount.__name__), int(axis), last)
        values, index = picked(value, int(axis), bool(keepdims))
        best = _at_best(wrap(values), initial)
        found = index if initial is None else anp.where(best._value == initial, 0, index)
        return best, wrap(cast(found, np.int64))

    def _at_best(values, initial):
        return values if initial is None else wrap(better(values._value, values._value.dtype.type(initial)))

    def method(self, dim=None, keepdim=False, *, axis=None, keepdims=False, initial=None, where=True,
               return_indices=False):  # fmt: skip
        if dim is not None:
            return function(self, dim, keepdim)
        if isinstance(axis, (tuple, list)):
            return _at_best(amount(_limited(self, initial, where, last), tuple(axis), keepdims), initial)
        found = function(self, axis, keepdims, initial=initial, where=where)
        return found if return_indices else found[0]

    function.__name__ = method.__name__ = place
    function.__doc__ = f"`(values, indices)` along `axis`; without it the {place} of all elements and index 0."
    method.__doc__ = f"The {place} of all, or along `axis=`; given a positional axis or `dim=`, `(values, indices)`."
    return function, method


max, _max_method = _extreme(OPS["amax"], "max", primitives.index_max, -np.inf)
min, _min_method = _extreme(OPS["amin"], "min", primitives.index_min, np.inf)
register(max, method=False)
register(min, method=False)
METHODS |= {"max": _max_method, "min": _min_method}


@op(primitive="CumSum")
def cumsum(input, axis, dtype=None):
    """The running sum along `axis`; of small integers in Int32."""
    value = cast(input, np.int32) if input.dtype.kind in "iub" and input.dtype.itemsize < 4 else input
    value = _typed(value, dtype)
    return in_dtype(anp.cumsum(value, axis=axis), value.dtype)


@op()
def norm(input, ord=None, dim=None, keepdim=False, *, dtype=None):
    """The Euclidean norm of the flat tensor, or along `dim` the norm of order `ord` (a number, inf, -inf).

    For a matrix without `dim`, an `ord` is that of the matrix norm. The gradient at zero is nan (0/0).
    """
    value = floating(_typed(input, dtype))
    if ord is not None and dim is None and np.ndim(getval(value)) == 2:
        return _matrix_norm(value, ord)
    return vector_norm(value, 2 if ord is None or ord == "fro" else ord, dim, keepdim)


def _matrix_norm(value, order):
    """The norm of a matrix as a map: 2 the largest singular value, 1 and inf the largest column and row sum."""
    if abs(order) in (1, np.inf):
        sums = primitives.sum_(primitives.absolute(value), axis=0 if abs(order) == 1 else 1)
        return anp.max(sums) if order > 0 else primitives.index_min(sums, 0)[0]
    if order in (2, "nuc"):
        refuse(value, "take singular values", Interpreted)
        values = anp.linalg.svd(value, compute_uv=False)
        return values[0] if order == 2 else primitives.sum_(values)
    return vector_norm(value, 2 if order == "fro" else order)


def vector_norm(value, order=2, dim=None, keepdim=False):
    """The norm of the flat array, or along `dim`."""
    if dim is None:
        value, dim = (anp.ravel(value), None) if not keepdim else (value, tuple(range(np.ndim(getval(value)))))
    if order in (np.inf, -np.inf):
        return (anp.max if order > 0 else anp.min)(primitives.absolute(value), axis=dim, keepdims=keepdim)
    if order == 2:
        return anp.sqrt(primitives.sum_(primitives.power(value, 2), axis=dim, keepdims=keepdim))
    if order == 1:
        return primitives.sum_(primitives.absolute(value), axis=dim, keepdims=keepdim)
    if order == 0:
        return cast(anp.sum(constant(value) != 0, axis=dim, keepdims=keepdim), value.dtype)
    powers = primitives.power(primitives.absolute(value), order)
    return primitives.power(primitives.sum_(powers, axis=dim, keepdims=keepdim), 1 / order)


def sort(input, axis=-1, descending=False):
    """`(sorted values, the Int32 index each came from)`."""
    with np.errstate(all="ignore"):
        values, index = primitives.sort(value_of(input, "Sort"), axis, descending)
    return wrap(values), wrap(cast(index, np.int32))


register(sort)


def topk(input, k, dim=-1, largest=True, sorted=True):
    """`(the k largest values along dim, their Int32 indices)`."""
    values, index = sort(input, dim, largest)
    first = (slice(None),) * (dim % input.ndim) + (slice(0, k),)
    return values[first], index[first]


register(topk)


def all_finite(inputs):
    """Whether no element of the tensors in a tuple or list is infinite or nan: a 0-d Bool tensor.

    Raises TypeError for anything but a flat tuple or list of tensors, ValueError for an empty one.

    >>> import labkit.mindspore as ms
    >>> ms.amp.all_finite((ms.Tensor([1.0]), ms.Tensor([2.0, float("inf")]))).asnumpy()
    array(False)
    """
    if isinstance(inputs, Tensor) or (
        isinstance(inputs, (tuple, list)) and any(isinstance(x, (tuple, list)) for x in inputs)
    ):
        raise TypeError(
            f'Failed calling AddN with "x={_kind_text(inputs)}".\n'
            'The valid calling should be: "x=<list of tensor, tuple of Tensor>".\n'
        )
    if not isinstance(inputs, (tuple, list)) or not all(isinstance(t, Tensor) for t in inputs):
        raise TypeError(
            'Failed calling IsFinite with "input=Float32".\nThe valid calling should be: "input=<Tensor>".\n'
        )
    if not inputs:
        raise ValueError("For primitive[AddN], the concat element num must be greater than or equal to 1, but got 0.\n")
    finite = [anp.all(anp.isfinite(constant(t._value))) for t in inputs]
    return wrap(reduce(anp.logical_and, finite))


def _kind_text(tree):
    """The type of nested tensors as the error shows it, of the counts of infinite elements."""
    if isinstance(tree, (tuple, list)):
        return f"{type(tree).__name__.title()}[{','.join(map(_kind_text, tree))}]"
    return "Tensor[Int64]"
