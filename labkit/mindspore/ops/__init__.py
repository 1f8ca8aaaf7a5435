"""Ops of tensors: functions (`ops.sin(x)`), methods (`x.sin()`) and primitive classes (`ops.Sin()(x)`).

Elementwise ops, shapes, reductions and products are loaded with the package, the others when they are first wanted.
"""

import sys
from functools import wraps
from importlib import import_module

from ...dialects.unsupported import attributes
from ..common.tensor import Tensor
from ..graph.operators import give_operators, give_updates
from . import arithmetic, arrays, creation, elementwise, products, reductions  # noqa: F401
from . import op_table as _op
from .method_words import with_words

_WORDS: dict[str, dict[str, str]] = {  # a word of the real function: what the op calls it
    **{op: {"x": "input"} for op in ("arcsin", "count_nonzero", "cumsum", "inv", "mean", "mish", "moveaxis", "relu6", "sqrt")},
    **{name: {"dim": "axis", "keepdim": "keepdims"} for name in ("argmax", "logsumexp", "sum")},
    **{name: {"input_x": "input"} for name in ("expand_dims", "masked_fill", "sort")},
    "norm": {"A": "input"}, "unsqueeze": {"dim": "axis"}, "dtype": {"x": "input_x"},
    "floormod": {"x": "input", "y": "other"}, "true_divide": {"dividend": "input", "divisor": "other"},
}  # fmt: skip


def _in_real_words(fun, words):
    """The op `fun`, called with the words of the real function."""

    @wraps(fun)
    def call(*args, **kwargs):
        for word in kwargs:
            if word in words.values():
                raise TypeError(f"{fun.__name__}() got an unexpected keyword argument '{word}'")
        return fun(*args, **{words.get(word, word): value for word, value in kwargs.items()} if kwargs else {})

    return call


_METHODS_ONLY = {"astype", "copy", "to", "view"}
_FUNCTIONS_ONLY = {"cast", "floordiv", "floormod", "log_softmax", "relu", "relu6", "silu", "softplus"}
for _name in (
    "Log10",
    "Log2",
    "LogSumExp",
    "MeanExt",
    "ProdExt",
    "SiLU",
    "StdExt",
    "SumExt",
    "VarExt",
):  # no classes there
    _op.PRIMITIVES.pop(_name)
for _name, _fun in _op.OPS.items():
    if _name not in _METHODS_ONLY:
        globals()[_name] = _in_real_words(_fun, _WORDS[_name]) if _name in _WORDS else _fun
__all__ = sorted({*_op.OPS, *_op.PRIMITIVES, *_op.LATER} - _METHODS_ONLY)

arithmetic.attach_operators()
_op.METHODS["data"] = property(lambda self: self, doc="The tensor itself.")
for _name, _fun in _op.METHODS.items():
    if _name not in _FUNCTIONS_ONLY:
        setattr(Tensor, _name, with_words(_name, _fun))
give_operators()
give_updates()

for _name in ("composite", "functional", "operations"):  # the same under the names that older code imports
    sys.modules[f"{__name__}.{_name}"] = globals()[_name] = sys.modules[__name__]

_missing = attributes(__name__)


def __getattr__(name):
    if name in _op.LATER:
        made = getattr(import_module(f".{_op.LATER[name]}", __name__), name, None) or _op.OPS.get(name)
    elif name not in _op.PRIMITIVES:
        return _missing(name)
    else:
        made = None
    if made is None:
        from .primitives import without_options

        made = without_options(name, _op.PRIMITIVES[name])
    globals()[name] = made
    return made
