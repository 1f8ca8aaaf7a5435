"""Reductions: sums, means, extremes, norms, softmax, sorting."""

from functools import partial

import autograd.numpy as anp
import numpy as np

from ... import ops as base
from ...dialects.class_paths import Placed
from ...dialects.user_warnings import warn_user
from ...ops import REDUCTIONS
from .. import _rules
from .._error_texts import error, said
from .._tensor.tensor import Tensor
from ..amp._autocast_mode import widened
from .dispatch import apply, converted, floating, for_kernel, noted, off_tape, tensor_of, whole_dim
from .function_table import FUNCTIONS, METHODS, both, function, numpy_style, of_row


def _axis(dim, ndim):
    """A dim, several or none as NumPy takes them."""
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return None
    several = isinstance(dim, (tuple, list))
    found = tuple(whole_dim(d, ndim) for d in dim) if several else whole_dim(dim, ndim)
    return found if ndim else ()


def _floats_alone(input):
    if not input.dtype.is_floating_point:
        raise error("mean_of_integers", kind=input.dtype.legacy)
    return input


_FLOATS_ONLY = {name: partial(for_kernel, f"{name}_lastdim_kernel_impl") for name in ("softmax", "log_softmax")}
_PREPARED = {"mean": _floats_alone, "smooth": floating, "found": Tensor.detach}
_INTEGERS = {"total": "Integers become int64.", "mean": "Raises RuntimeError for integers.",
             "smooth": "Integers become the default dtype.", "found": "Of any dtype."}  # fmt: skip
_TAKES = dict.fromkeys(("softmax", "log_softmax"), "axis=None, dtype=None")  # where the row says something else


def _reduced(name, row):
    fun, prepare = _rules.REDUCING[name], _FLOATS_ONLY.get(name) or _PREPARED.get(row.kind)
    placed = _axis if "keepdims" in row.takes else whole_dim

    def answer(input, axis, dtype=None, **kept):
        if axis is None and placed is whole_dim:
            raise TypeError(f'{name}() missing 1 required positional arguments: "dim"')
        input = converted(tensor_of(input, name), dtype) if dtype else tensor_of(input, name)
        axis = placed(axis, input.ndim)
        if name[:3] == "arg":
            if input.dtype.name == "bool":
                raise RuntimeError(f"{name}(): does not support bool input")
            _not_empty(name, input, axis)
        found = apply(fun, prepare(input) if prepare else input, axis, *kept.values())
        return noted(found, name, input) if row.kind == "found" else found

    return answer


REDUCED = "sum mean prod logsumexp softmax log_softmax cumsum any all argmax argmin"
for _name in REDUCED.split():
    _row = REDUCTIONS[_name]
    _made = _reduced(_name, _row)
    of_row(_name, _row, widened(_made) if _name == "prod" else _made, _TAKES.get(_name), _INTEGERS)
sum, mean, softmax, log_softmax = (FUNCTIONS[name] for name in ("sum", "mean", "softmax", "log_softmax"))


_NAMES = {_rules.var: "var", _rules.std_beside_mean: "std_mean"}


def _spread(fun, input, dim, unbiased, keepdim, correction):
    """The variance or the standard deviation by the rule `fun`, with PyTorch's warning for too few elements."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if not input.dtype.is_floating_point:
        raise RuntimeError("std and var only support floating point and complex dtypes")
    axis = _axis(dim, input.ndim)
    if correction is None:
        correction = 0 if unbiased is False else 1
    found = apply(fun, input, axis, keepdim, correction)
    if input.numel() <= correction * found.numel():
        warn_user(said("too_few_elements", op=_NAMES.get(fun, "std")))
    return found


@both()
@numpy_style
def var(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    """The variance, over n - 1 unless `correction` says otherwise."""
    return _spread(_rules.var, input, dim, unbiased, keepdim, correction)


@both()
@numpy_style
def std(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    """The standard deviation, over n - 1 unless `correction` says otherwise."""
    return _spread(_rules.std, input, dim, unbiased, keepdim, correction)


@function()
def std_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    """`(std, mean)`, both as one node."""
    spread = _spread(_rules.std_beside_mean, input, dim, unbiased, keepdim, correction)
    axis = _axis(None if isinstance(dim, bool) else dim, input.ndim)
    return spread, apply(_rules.mean_beside_std, input, axis, keepdim)


@both()
@numpy_style
def norm(input, p="fro", dim=None, keepdim=False, dtype=None):
    """The p-norm of all elements, or along `dim`: 2 by default, `inf`, 1 and so on."""
    if not input.dtype.is_floating_point:
        raise RuntimeError(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got " + input.dtype.legacy
        )
    return apply(_rules.norm, input, 2.0 if p in ("fro", None) else float(p), _axis(dim, input.ndim), keepdim)


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


_SORTED = ("max", "min", "sort")
_FIELDS: dict[str, tuple[str, ...]] = dict.fromkeys(_SORTED, _Pair.fields)
_FIELDS |= {"linalg_svd": ("U", "S", "Vh"), "svd": ("U", "S", "V")}
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

    return _rules.mover(f"{kind.capitalize()}Backward0", vjp, others="indices dim keepdim", saves="indices")(fun)


PICK = {kind: _pick_primitive(kind) for kind in _SORTED}


def _picked(kind, input, index, dim, keepdim=True):
    """Values at `index` along `dim` and the index, as the pair type of `kind`."""
    values = apply(PICK[kind], input, index, dim, keepdim)
    found = off_tape(np.asarray(index if keepdim else np.squeeze(index, dim)), kind, input)
    return PAIRS[kind](values, found)


def _not_empty(name, input, dim):
    """Raise where there is nothing to choose from: nothing at all, or nothing along `dim`."""
    if dim is None and not input.numel():
        kind, rest = (
            (IndexError, "")
            if name[:3] == "arg"
            else (RuntimeError, " Specify the reduction dim with the 'dim' argument.")
        )
        raise kind(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.{rest}")
    if dim is not None and input.ndim and not input.shape[dim]:
        raise IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")


def _extreme(kind, whole, pairwise, chooser):
    def fun(input, dim=None, keepdim=False):
        if isinstance(dim, Tensor):
            return METHODS[pairwise](input, dim)
        dim = None if dim is None else whole_dim(dim, input.ndim)
        if not input.numel():
            _not_empty(kind, input, dim)
        if dim is None:
            return apply(whole, input, None, False)
        if input.ndim == 0:
            return PAIRS[kind](apply(_rules.alias, input), Tensor._of(np.asarray(0)))
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
    dim = whole_dim(dim, input.ndim)
    if input.ndim == 0:
        return PAIRS["sort"](apply(_rules.alias, input), Tensor._of(np.asarray(0)))
    return _picked("sort", input, _order(input._array, dim, descending), dim)


def _order(array, dim, descending):
    if not descending:
        return np.argsort(array, axis=dim, kind="stable")
    turned = np.flip(array, dim)
    return array.shape[dim] - 1 - np.flip(np.argsort(turned, axis=dim, kind="stable"), dim)


@both()
def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The different elements, or slices of a dimension, sorted; where each went, and how many there were."""
    found = np.unique(
        input._array, return_inverse=return_inverse, return_counts=return_counts, axis=dim, equal_nan=False
    )
    several = found if isinstance(found, tuple) else (found,)
    made = tuple(off_tape(f, "unique", input) for f in several)
    return made if isinstance(found, tuple) else made[0]
