"""Reductions along axes. `axis` is a number, a tuple or None for all; a gradient is spread over what was reduced."""

import autograd.numpy as anp
import numpy as np

from ... import ops as primitives
from ...engine import cast, getval
from ...engine import stop_gradient as constant
from ...program import refuse
from ..dtype import as_numpy
from ..tensor import Tensor, tensor, wrap
from . import _fused
from ._op import floating, op, register, value_of


def _axes(axis, value, name):
    """The axis or axes as NumPy wants them, in range."""
    ndim = np.ndim(getval(value))
    if axis is None or (isinstance(axis, (tuple, list)) and not axis):
        return None
    axes = tuple(int(a) for a in (axis if isinstance(axis, (tuple, list)) else (axis,)))
    for a in axes:
        if not -(ndim or 1) <= a < (ndim or 1):
            raise ValueError(f"For primitive[{name}], the axis value must be in [{-ndim},{ndim}), but got {a}.\n")
    if ndim == 0:
        return None
    return axes if isinstance(axis, (tuple, list)) else axes[0]


def _typed(value, dtype):
    return value if dtype is None else cast(value, as_numpy(dtype))


@op(primitive="SumExt")
def sum(input, axis=None, keepdims=False, *, dtype=None):
    """The sum; of integers in Int64."""
    value = _typed(cast(input, np.int64) if input.dtype.kind in "iub" else input, dtype)
    if axis is None and not keepdims:
        return _fused.sum_all(value)
    return primitives.sum_(value, axis=_axes(axis, input, "SumExt"), keepdims=bool(keepdims))


@op(primitive="MeanExt")
def mean(input, axis=None, keep_dims=False, *, dtype=None):
    """The mean, in the type of the input (of integers too, cut to an integer)."""
    value, axis = _typed(input, dtype), _axes(axis, input, "ReduceMean")
    if value.dtype.kind == "b":
        raise RuntimeError("For 'ReduceMean', unsupported reduce operation for bool.")
    if value.dtype.kind in "iu":
        return cast(primitives.mean(cast(value, np.float64), axis=axis, keepdims=keep_dims), value.dtype)
    if axis is None and not keep_dims:
        return _fused.mean(value)
    return primitives.mean(value, axis=axis, keepdims=bool(keep_dims))


@op(primitive="ProdExt")
def prod(input, axis=None, keep_dims=False, *, dtype=None):
    """The product; of integers in Int64."""
    value = _typed(cast(input, np.int64) if input.dtype.kind in "iub" else input, dtype)
    return primitives.prod(value, axis=_axes(axis, input, "ProdExt"), keepdims=bool(keep_dims))


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


@op(primitive="StdExt")
def std(input, axis=None, ddof=0, keepdims=False):
    """The square root of the variance."""
    return anp.sqrt(_variance(floating(input), _axes(axis, input, "Std"), int(ddof), keepdims))


@op()
def all(input, axis=None, keep_dims=False):
    """Whether no element is zero."""
    return anp.all(constant(input), axis=_axes(axis, input, "ReduceAll"), keepdims=keep_dims)


@op()
def any(input, axis=None, keep_dims=False):
    """Whether some element is not zero."""
    return anp.any(constant(input), axis=_axes(axis, input, "ReduceAny"), keepdims=keep_dims)


@op(method=False)
def amax(input, axis=None, keepdims=False):
    """The largest element; equal ones share the gradient."""
    return cast_back(anp.max(input, axis=_axes(axis, input, "ReduceMax"), keepdims=bool(keepdims)), input)


@op(method=False)
def amin(input, axis=None, keepdims=False):
    """The smallest element; equal ones share the gradient."""
    return cast_back(anp.min(input, axis=_axes(axis, input, "ReduceMin"), keepdims=bool(keepdims)), input)


def cast_back(value, like):
    """`value` in the type of `like`."""
    return value if value.dtype == like.dtype else cast(value, like.dtype)


def _extreme(amount, place, picked):
    """`ops.max` or `ops.min`: values and indices."""

    def function(input, axis=None, keepdims=False, **named):
        axis, keepdims = named.pop("dim", axis), named.pop("keepdim", keepdims)
        if named:
            raise TypeError(f"{place}() got an unexpected keyword argument '{next(iter(named))}'")
        if axis is None:
            return amount(input), wrap(np.int64(0))
        value = value_of(input, amount.__name__)
        values, index = picked(value, int(axis), bool(keepdims))
        return wrap(values), wrap(cast(index, np.int64))

    def method(self, *args, axis=None, keepdims=False, return_indices=False, initial=None, where=True):
        if args or return_indices:
            return function(self, args[0] if args else axis, args[1] if len(args) > 1 else keepdims)
        return amount(self) if axis is None else function(self, axis, keepdims)[0]

    function.__name__ = method.__name__ = place
    function.__doc__ = f"`(values, indices)` along `axis`; without it the {place} of all elements and index 0."
    method.__doc__ = f"The {place} of all, or along `axis=`; given a positional axis, `(values, indices)`."
    return function, method


max, _max_method = _extreme(amax, "max", primitives.index_max)
min, _min_method = _extreme(amin, "min", primitives.index_min)
register(max, method=False)
register(min, method=False)


def _arg(chooser, name, dtype):
    def find(input, axis=None, keepdims=False):
        found = chooser(constant(value_of(input, name)), axis=axis, keepdims=keepdims)
        return wrap(cast(found, dtype))

    find.__name__ = name
    find.__doc__ = f"The index of the {name[3:]} along `axis`, or in the flat tensor; the first of equal ones."
    return register(find)


argmax = _arg(anp.argmax, "argmax", np.int64)
argmin = _arg(anp.argmin, "argmin", np.int32)


@op(primitive="CumSum")
def cumsum(input, axis, dtype=None):
    """The running sum along `axis`; of small integers in Int32."""
    value = cast(input, np.int32) if input.dtype.kind in "iub" and input.dtype.itemsize < 4 else input
    return cast_back(anp.cumsum(_typed(value, dtype), axis=axis), _typed(value, dtype))


@op(primitive="CumProd")
def cumprod(input, dim, dtype=None):
    """The running product along `dim`."""
    steps, total = [], None
    moved = anp.moveaxis(_typed(input, dtype), dim, 0)
    for i in range(len(moved)):
        total = moved[i] if total is None else total * moved[i]
        steps.append(total)
    return anp.moveaxis(anp.stack(steps), 0, dim)


@op(primitive="LogSumExp", method=True)
def logsumexp(input, axis, keepdims=False):
    """log(sum(exp(x))) along `axis`, without overflow."""
    return primitives.logsumexp(input, axis=axis, keepdims=keepdims)


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
    if order in (1, np.inf):
        return anp.max(primitives.sum_(primitives.absolute(value), axis=0 if order == 1 else 1))
    if order in (2, "nuc"):
        refuse(value, "take singular values")
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


@op()
def count_nonzero(input, axis=None, keep_dims=False):
    """How many elements are not zero; Int32."""
    return anp.sum(constant(input) != 0, axis=_axes(axis, input, "CountNonZero"), keepdims=keep_dims, dtype=np.int32)


def sort(input, axis=-1, descending=False):
    """`(sorted values, the Int32 index each came from)`."""
    with np.errstate(all="ignore"):
        values, index = primitives.sort(value_of(input, "Sort"), axis, descending)
    return wrap(values), wrap(cast(index, np.int32))


register(sort)


def argsort(input, axis=-1, descending=False):
    """The Int32 index that each element of the sorted tensor comes from."""
    return sort(input, axis, descending)[1]


register(argsort)


def topk(input, k, dim=-1, largest=True, sorted=True):
    """`(the k largest values along dim, their Int32 indices)`."""
    values, index = sort(input, dim, largest)
    first = (slice(None),) * (dim % input.ndim) + (slice(0, k),)
    return values[first], index[first]


register(topk)


def addn(x):
    """The sum of a tuple or list of tensors. Raises TypeError or ValueError for anything else."""
    if not isinstance(x, (tuple, list)) or not isinstance(x[0] if x else tensor(0), Tensor):
        raise TypeError(
            f'Failed calling AddN with "AddN()(x={type(x).__name__})".\n'
            'The valid calling should be: \n"AddN()(x=<list of tensor, tuple of Tensor>)".\n'
        )
    if not x:
        raise ValueError("For primitive[AddN], the input num must be greater than or equal to 1, but got 0.\n")
    total = x[0]
    for part in x[1:]:
        total = total + part
    return total


register(addn, method=False)
