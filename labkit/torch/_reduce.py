"""Reductions: sums, means, extremes, norms, softmax, sorting."""

import autograd.numpy as anp
import numpy as np

from .. import ops as base
from ..kinds import as_tuple
from ..layout import Placed
from ..ops import REDUCTIONS
from . import _rules
from ._autocast import widened
from ._dispatch import apply, converted, floating, noted, off_tape, tensor_of, whole_dim
from ._table import FUNCTIONS, METHODS, both, function, numpy_style, of_row
from ._tensor import Tensor


def _axis(dim, ndim):
    """A dim, several or none as NumPy takes them."""
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return None
    if ndim == 0:
        for d in dim if isinstance(dim, (tuple, list)) else (dim,):
            whole_dim(d, 0)
        return ()
    if isinstance(dim, (tuple, list)):
        return tuple(whole_dim(d, ndim) for d in dim)
    return whole_dim(dim, ndim)


def _floats_alone(input):
    if not input.dtype.is_floating_point:
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
            f"Got: {input.dtype.legacy}"
        )
    return input


_PREPARED = {"mean": _floats_alone, "smooth": floating, "found": Tensor.detach}
_INTEGERS = {"total": "Integers become int64.", "mean": "Raises RuntimeError for integers.",
             "smooth": "Integers become the default dtype.", "found": "Of any dtype."}  # fmt: skip
_TAKES = {  # where PyTorch takes something else than the row says, in other words
    "amax": "axis=(), keepdims=False", "amin": "axis=(), keepdims=False", "count_nonzero": "axis=None",
    "softmax": "axis=None, dtype=None", "log_softmax": "axis=None, dtype=None",
}  # fmt: skip


_OF_SOME = ("amax", "amin", "argmax", "argmin")  # what nothing has not


def _check_some(name, input, axis):
    """Raise where `input` has nothing along `axis` (None: at all), of which there is no largest and no median."""
    if input.numel():
        return
    if axis is None or axis == ():
        raise (RuntimeError if name in ("max", "min") else IndexError)(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the "
            "'dim' argument."
        )
    for d in as_tuple(axis):
        if not input.shape[d]:
            raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")


def _reduced(name, row):
    fun, prepare = _rules.REDUCING[name], _PREPARED.get(row.kind)
    placed = _axis if "keepdims" in row.takes else whole_dim

    def answer(input, axis, dtype=None, **kept):
        if axis is None and placed is whole_dim:
            raise TypeError(f'{name}() missing 1 required positional arguments: "dim"')
        input = converted(tensor_of(input, name), dtype) if dtype else tensor_of(input, name)
        axis = placed(axis, input.ndim)
        if name in _OF_SOME:
            _check_some(name, input, axis)
        found = apply(fun, prepare(input) if prepare else input, axis, *kept.values())
        return noted(found, name, input) if row.kind == "found" else found

    return answer


for _name, _row in REDUCTIONS.items():
    _made = _reduced(_name, _row)
    of_row(_name, _row, widened(_made) if _name == "prod" else _made, _TAKES.get(_name), _INTEGERS)
sum, mean, softmax, log_softmax = (FUNCTIONS[name] for name in ("sum", "mean", "softmax", "log_softmax"))


def _correction(unbiased, correction):
    if correction is not None:
        return correction
    return 0 if unbiased is False else 1


def _spread_args(dim, unbiased):
    return (None, dim) if isinstance(dim, bool) else (dim, unbiased)


@both()
@numpy_style
def var(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    """The variance, over n - 1 unless `correction` says otherwise."""
    dim, unbiased = _spread_args(dim, unbiased)
    return apply(_rules.var, input, _axis(dim, input.ndim), keepdim, _correction(unbiased, correction))


@both()
@numpy_style
def std(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    """The standard deviation, over n - 1 unless `correction` says otherwise."""
    dim, unbiased = _spread_args(dim, unbiased)
    return apply(_rules.std, input, _axis(dim, input.ndim), keepdim, _correction(unbiased, correction))


def _with_mean(name, spread, mean):
    """Enter the function that gives a spread and the mean, both as one node."""

    def both_of(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
        dim, unbiased = _spread_args(dim, unbiased)
        axis = _axis(dim, input.ndim)
        return apply(spread, input, axis, keepdim, _correction(unbiased, correction)), apply(mean, input, axis, keepdim)

    both_of.__name__ = both_of.__qualname__ = name
    both_of.__doc__ = f"The {'variance' if name == 'var_mean' else 'standard deviation'} and the mean."
    function(name)(both_of)


_with_mean("var_mean", _rules.var_beside_mean, _rules.mean_beside_var)
_with_mean("std_mean", _rules.std_beside_mean, _rules.mean_beside_std)


@both()
@numpy_style
def norm(input, p="fro", dim=None, keepdim=False, dtype=None):
    """The p-norm of all elements, or along `dim`: 2 by default, `inf`, 1 and so on."""
    if not input.dtype.is_floating_point:
        raise RuntimeError(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got " + input.dtype.legacy
        )
    return apply(_rules.norm, input, 2.0 if p in ("fro", None) else float(p), _axis(dim, input.ndim), keepdim)


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    """The vector norm of all elements, or along `dim`."""
    return norm(converted(x, dtype) if dtype else x, ord, dim, keepdim)


@both()
@numpy_style
def cumprod(input, dim, *, dtype=None):
    """Running products along `dim`."""
    return apply(_rules.cumprod, converted(input, dtype) if dtype else input, whole_dim(dim, input.ndim))


# ---- extremes: values, or values and where they are ----


class _Pair(tuple, metaclass=Placed):
    """`(values, indices)`, or other `fields`, printed as torch prints its return types."""

    kind, fields, _shown, __slots__ = "max", ("values", "indices"), "", ()

    def __new__(cls, *values):
        return super().__new__(cls, values)

    def __getattr__(self, name):
        if name not in self.fields:
            raise AttributeError(f"'{type(self)._shown}' object has no attribute '{name}'")
        return self[self.fields.index(name)]

    def __reduce__(self):
        return _pair, (self.kind, *self)

    _make = classmethod(lambda cls, pair: cls(*pair))  # as a named tuple has it

    def __repr__(self):
        return f"{self._shown}({','.join(f'{chr(10)}{name}={value!r}' for name, value in zip(self.fields, self))})"


def _pair(kind, *values):
    return PAIRS[kind](*values)


_SORTED = ("max", "min", "sort", "topk", "median", "nanmedian", "mode", "kthvalue", "cummax", "cummin")
_FIELDS: dict[str, tuple[str, ...]] = dict.fromkeys(_SORTED, _Pair.fields)
_FIELDS |= {"aminmax": ("min", "max"), "frexp": ("mantissa", "exponent"), "linalg_slogdet": ("sign", "logabsdet"),
            "linalg_eigh": ("eigenvalues", "eigenvectors"), "linalg_qr": ("Q", "R"), "qr": ("Q", "R"),
            "linalg_svd": ("U", "S", "Vh"), "svd": ("U", "S", "V"), "linalg_inv_ex": ("inverse", "info"),
            "linalg_cholesky_ex": ("L", "info"), "linalg_lu_factor_ex": ("LU", "pivots", "info"),
            "linalg_solve_ex": ("result", "info"),
            "linalg_lu": ("P", "L", "U"), "linalg_lu_factor": ("LU", "pivots"),
            "geqrf": ("a", "tau"), "lu_unpack": ("P", "L", "U"), "_lu_with_info": ("LU", "pivots", "info"),
            "histogram": ("hist", "bin_edges"), "histogramdd": ("hist", "bin_edges"),
            "triangular_solve": ("solution", "cloned_coefficient"),
            "linalg_lstsq": ("solution", "residuals", "rank", "singular_values")}  # fmt: skip
PAIRS = {
    name: Placed(name, (_Pair,), {"kind": name, "fields": fields, "_shown": f"torch.return_types.{name}"})
    for name, fields in _FIELDS.items()
}


def _pick_primitive(kind):
    """Values at an index along a dim, with or without keeping the dim: one node named after `kind`."""

    def fun(x, index, dim, keepdim):
        found = np.take_along_axis(x, index, dim)
        return found if keepdim else np.squeeze(found, dim)

    def vjp(ans, x, index, dim, keepdim):
        shape = anp.shape(x)
        return lambda g: base.scatter_add(g if keepdim else _rules.unsqueeze(g, dim), index, dim, shape)

    return _rules.mover(
        f"{kind.capitalize()}Backward{int(kind == 'median')}", vjp, others="indices dim keepdim", saves="indices"
    )(fun)


def _whole_median(node):
    return _rules.mover(node, _rules.shared, others="place", saves="self result")(lambda x, place: x[place])


_MEDIANS = {"median": _whole_median("MedianBackward0"), "nanmedian": _whole_median("NanmedianBackward0")}
PICK = {kind: _pick_primitive(kind) for kind in _SORTED}


def _picked(kind, input, index, dim, keepdim=True):
    """Values at `index` along `dim` and the index, as the pair type of `kind`."""
    values = apply(PICK[kind], input, index, dim, keepdim)
    found = off_tape(np.asarray(index if keepdim else np.squeeze(index, dim)), kind, input)
    return PAIRS[kind](values, found)


def _extreme(kind, whole, pairwise, chooser):
    def fun(input, dim=None, keepdim=False):
        if isinstance(dim, Tensor):
            return METHODS[pairwise](input, dim)
        if dim is None:
            _check_some(kind, input, None)
            return apply(whole, input, None, False)
        if input.ndim == 0:
            whole_dim(dim, 0)
            return PAIRS[kind](apply(_rules.alias, input), Tensor._of(np.asarray(0)))
        dim = whole_dim(dim, input.ndim)
        _check_some(kind, input, dim)
        index = np.expand_dims(chooser(input._array, axis=dim), dim)
        return _picked(kind, input, index, dim, keepdim)

    fun.__name__ = kind
    fun.__doc__ = f"The {kind} of all elements; with `dim`, values and indices along it; with a tensor, elementwise."
    return fun


max = both("max")(numpy_style(_extreme("max", _rules.max_all, "maximum", np.argmax)))
min = both("min")(numpy_style(_extreme("min", _rules.min_all, "minimum", np.argmin)))


@both()
def sort(input, dim=-1, descending=False, stable=False):
    """Sorted values and where each came from, along `dim`."""
    if input.ndim == 0:
        return PAIRS["sort"](apply(_rules.alias, input), Tensor._of(np.asarray(0)))
    dim = whole_dim(dim, input.ndim)
    return _picked("sort", input, _order(input._array, dim, descending), dim)


def _order(array, dim, descending):
    if not descending:
        return np.argsort(array, axis=dim, kind="stable")
    turned = np.flip(array, dim)
    return array.shape[dim] - 1 - np.flip(np.argsort(turned, axis=dim, kind="stable"), dim)


@both()
def argsort(input, dim=-1, descending=False, stable=False):
    """The order in which the elements would be sorted."""
    return sort(input, dim, descending)[1]


@both()
def topk(input, k, dim=-1, largest=True, sorted=True):
    """The `k` largest (or smallest) elements along `dim`, and where they are."""
    dim = whole_dim(dim, input.ndim)
    if k > input.shape[dim]:
        raise RuntimeError("selected index k out of range")
    index = np.take(_order(input._array, dim, largest), range(k), axis=dim)
    return _picked("topk", input, index, dim)


@both()
def median(input, dim=None, keepdim=False):
    """The lower median: of all elements, or values and indices along `dim`."""
    return _median("median", input, dim, keepdim, lambda known, count: np.where(known < count, known, (count - 1) // 2))


@both()
def nanmedian(input, dim=None, keepdim=False):
    """The lower median of those that are not nan: of all elements, or values and indices along `dim`."""
    return _median("nanmedian", input, dim, keepdim, lambda known, count: np.maximum(known - 1, 0) // 2)


def _median(kind, input, dim, keepdim, at):
    """The one at place `at(how many are not nan, how many there are)` of the sorted elements."""
    array = input._array.reshape(-1) if dim is None else input._array
    axis = 0 if dim is None else whole_dim(dim, input.ndim)
    if dim is None and not input.numel():
        return apply(_rules.scale, METHODS["sum"](input), float("nan"))
    _check_some(kind, input, axis)
    known = np.sum(array == array, axis=axis, keepdims=True)
    index = np.take_along_axis(_order(array, axis, False), at(known, array.shape[axis]), axis)
    if dim is None:
        return apply(_MEDIANS[kind], input, np.unravel_index(index[0], input._array.shape))
    return _picked(kind, input, index, axis, keepdim)


@both()
def kthvalue(input, k, dim=-1, keepdim=False):
    """The `k`-th smallest element along `dim`, and where it is."""
    dim = whole_dim(dim, input.ndim)
    if not 1 <= k <= input.shape[dim]:
        raise RuntimeError("kthvalue(): selected number k out of range for dimension " + str(dim))
    return _picked("kthvalue", input, np.take(_order(input._array, dim, False), [k - 1], axis=dim), dim, keepdim)


@both()
def mode(input, dim=-1, keepdim=False):
    """The most frequent element along `dim`, of equally frequent ones the smallest, and where it is last."""
    dim = whole_dim(dim, input.ndim)
    array = np.moveaxis(input._array, dim, -1)
    often = np.sum(array[..., :, None] == array[..., None, :], -1)
    best = np.min(np.where(often == often.max(-1, keepdims=True), array, array.max()), -1, keepdims=True)
    index = array.shape[-1] - 1 - np.argmax((array == best)[..., ::-1], -1)
    return _picked("mode", input, np.expand_dims(index, dim), dim, keepdim)


@both()
def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The different elements, or slices of a dimension, sorted; where each went, and how many there were."""
    found = np.unique(input._array, return_inverse=return_inverse, return_counts=return_counts, axis=dim)
    several = found if isinstance(found, tuple) else (found,)
    made = tuple(off_tape(f, "unique", input) for f in several)
    return made if isinstance(found, tuple) else made[0]


@both()
def histogram(input, bins, *, range=None, weight=None, density=False):
    """`(hist, bin_edges)`: how many elements there are in each of `bins` equal parts of a range, their own unless given.

    `bins`: their number, or their edges; `weight`: what each element counts; `density`: the shares, over the parts' widths.
    """
    return _histogram("histogram", input.reshape(-1, 1), [bins], range, weight, density)


@function()
def histogramdd(input, bins, range=None, weight=None, density=False):
    """`histogram` of points (n, d) in boxes: `bins` and the ends in `range` are those of each dimension in turn."""
    bins = [bins] * input.shape[-1] if isinstance(bins, int) else bins
    return _histogram("histogramdd", input.reshape(-1, input.shape[-1]), bins, range, weight, density)


def _histogram(name, points, bins, ends, weight, density):
    ends = None if ends is None else list(zip(ends[::2], ends[1::2], strict=True))
    counts = None if weight is None else weight._array.reshape(-1)
    given = [b._array if isinstance(b, Tensor) else b for b in bins]
    found, edges = np.histogramdd(points._array, given, ends, bool(density), counts)
    made, *parts = (off_tape(a.astype(points._array.dtype), name, points, weight) for a in (found, *edges))
    return PAIRS[name](made, parts[0] if name == "histogram" else tuple(parts))


@both()
def bincount(input, weights=None, minlength=0):
    """How often each non-negative integer occurs."""
    found = np.bincount(input._array, None if weights is None else weights._array, minlength)
    kept = weights is not None and weights.dtype.name == "float32"
    return off_tape(found.astype(np.float32) if kept else found, "bincount", input, weights)
