"""The ops that are made of others (`labkit.ops.composed`), as functions and methods; some are one node, as in PyTorch."""

from collections import ChainMap
from functools import wraps
from inspect import signature

import numpy as np

from ..engine import isbox
from ..ops import compositions, two_bytes
from ._dispatch import apply, converted, off_tape, tensor_of
from ._dtype import DTYPES
from ._picking import gather
from ._reduce import PAIRS
from ._rules import fused
from ._table import FUNCTIONS, both, function, in_words, numpy_style
from ._tensor import Tensor

ONE_NODE = {  # what is made of others here and one node there: its name, and its tensors, in the order of the arguments
    "addbmm": "AddbmmBackward0 self batch1 batch2", "addmv": "AddmvBackward0 self mat vec",
    "addr": "AddrBackward0 self vec1 vec2", "baddbmm": "BaddbmmBackward0 self batch1 batch2", "cdist": "CdistBackward0 x1 x2",
    "copysign": "CopysignBackward0 self other", "cross": "LinalgCrossBackward0 self other",
    "as_strided_scatter": "AsStridedScatterBackward0 self src", "index_reduce": "IndexReduceBackward0 self -dim -index source",
    "fmax": "FmaxBackward0 self other", "fmin": "FminBackward0 self other", "heaviside": "HeavisideBackward0 self values",
    "index_add": "IndexAddBackward0 self -dim -index source", "index_copy": "IndexCopyBackward0 self -dim -index source",
    "ldexp": "LdexpBackward0 self other", "logaddexp": "LogaddexpBackward0 self other",
    "logaddexp2": "Logaddexp2Backward0 self other", "masked_scatter": "MaskedScatterBackward0 self -mask source",
    "pdist": "PdistBackward0 self", "put": "PutBackward0 self -index source", "renorm": "RenormBackward0 self",
    "scatter_reduce": "ScatterReduceBackward0 self -dim -index src",
}  # fmt: skip


def _found(fun, *args):
    """What a NumPy function finds, off the tape."""
    tensors = [a for a in args if isinstance(a, Tensor)]
    return off_tape(
        np.asarray(fun(*(a._array if isinstance(a, Tensor) else a for a in args))),
        getattr(fun, "__name__", "found"),
        *tensors,
    )


def _as_one_node(name, fun):
    """`fun`, recorded as the node that PyTorch has for it; on the way back the composition runs again."""
    if name not in ONE_NODE:
        return fun
    takes = signature(fun)
    node, *tensors = ONE_NODE[name].split()
    others = [word for word in takes.parameters if word not in ("input", *(t.lstrip("-") for t in tensors))]

    @fused(node, " ".join(tensors), " ".join(others), name=name)
    def recorded(*given):
        tensors = [Tensor._wrap(v) if isbox(v) or isinstance(v, np.ndarray) else v for v in given]
        return fun(**dict(zip(takes.parameters, tensors, strict=True)))._data

    @wraps(fun)
    def called(*args, **kwargs):
        bound = takes.bind(*args, **kwargs)
        bound.apply_defaults()
        return apply(recorded, *bound.arguments.values())

    return called


def _with_names(name, fun):
    """A function of a pair, whose pair has names."""

    @wraps(fun)
    def named(*args, **kwargs):
        return PAIRS[name](*fun(*args, **kwargs))

    return named if name in PAIRS else fun


def _widened(fun):
    """A function that computes two-byte floats in float32 and rounds its result; no node of a tape says so."""

    @wraps(fun)
    def at_once(*args, **kwargs):
        dtype = next((a.dtype for a in (*args, *kwargs.values()) if _is_half(a)), None)
        if dtype is None:
            return fun(*args, **kwargs)
        up = lambda a: converted(a, DTYPES["float32"]) if _is_half(a) else a
        made = fun(*map(up, args), **{name: up(a) for name, a in kwargs.items()})
        return converted(made, dtype) if made.dtype is DTYPES["float32"] else made

    return at_once


def _is_half(x):
    return isinstance(x, Tensor) and two_bytes(x._array.dtype)


_WORDS = ChainMap(FUNCTIONS, {"take_along": gather})
for _name, _fun, _is_method in compositions(_WORDS, "labkit.torch", tensor_of, _found, in_words, _widened):
    (both if _is_method else function)(_name)(numpy_style(_with_names(_name, _as_one_node(_name, _fun))))
FUNCTIONS["row_stack"] = FUNCTIONS["vstack"]
