"""Ops of tensors: functions (`ops.sin(x)`), methods (`x.sin()`) and primitive classes (`ops.Sin()(x)`)."""

from ...aliases import attributes
from .._number import give_operators
from .._updating import give_updates
from . import (  # noqa: F401
    _arithmetic,
    _communication,
    _joining,
    _loops,
    _mapping,
    _of_numpy,
    _op,
    _primitives,
    _reduction,
    _shape,
    _tensor_methods,
    _update,
)
from ._gradient import GradOperation, HookBackward, InsertGradientOf
from ._mapping import HyperMap, Map, MultitypeFuncGraph, Partial, constexpr, partial
from ._primitive import prim_attr_register
from ._words import also_named

__all__ = ["GradOperation", "HookBackward", "HyperMap", "InsertGradientOf", "Map", "MultitypeFuncGraph", "Partial",
           "constexpr", "derivative", "grad", "jet", "jvp", "linearize", "partial", "prim_attr_register", "value_and_grad", "vjp",
           "vmap"]  # fmt: skip
__all__ += sorted({*_op.OPS, *_primitives.CLASSES})

globals().update({name: also_named(f"ops.{name}", fun) for name, fun in _op.OPS.items()})
globals().update(_primitives.CLASSES)

_arithmetic.attach_operators()
_primitives.attach_methods(
    _op.METHODS
    | {
        "where": _joining._where_method,
        "select": _joining._select_method,
        "gather": _joining._gather_method,
        "max": _reduction._max_method,
        "min": _reduction._min_method,
        "ptp": _of_numpy.derived("ptp"),
        "mT": property(lambda self: self.swapaxes(-1, -2), doc="With the last two axes exchanged."),
        "data": property(lambda self: self, doc="The tensor itself."),
        "take": _of_numpy.derived("take"),
        "T": property(_op.OPS["transpose"], doc="With the axes reversed."),
        "__neg__": _op.OPS["neg"],
        "__abs__": _op.OPS["abs"],
        "__matmul__": _op.OPS["matmul"],
        "__rmatmul__": lambda self, other: _op.OPS["matmul"](other, self),
    }
)
give_operators()
give_updates()

from ..autodiff import grad, value_and_grad  # noqa: E402
from ..transforms import derivative, jet, jvp, linearize, vjp, vmap  # noqa: E402

__getattr__ = attributes(__name__)
