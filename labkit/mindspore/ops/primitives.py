"""Primitive classes with options: `ops.MatMul(transpose_b=True)(x, w)` is an op whose options are fixed beforehand."""

from typing import Self

import numpy as np

from ...dialects.class_paths import Placed
from ...engine import cast
from ...ops import FUNCTIONS
from ..common.tensor import wrap
from .creation import dropout2d
from .op_table import OPS, value_of

_SAME = """

>>> import labkit.mindspore as ms
>>> x = ms.Tensor({x})
>>> bool((ms.ops.{call} == ms.ops.{same}).all())
True
"""


class Primitive(metaclass=Placed):
    """An op as an object: options in the constructor, tensors in the call.

    What is noted about it, its options first, is in `attrs` and printed.

    >>> import labkit.mindspore as ms
    >>> ms.ops.MatMul(transpose_a=True).add_prim_attr("note", 1)
    Prim[MatMul]<transpose_a=True, transpose_b=False, note=1>
    """

    def __init__(self, name=None):
        self.name = name or type(self).__name__

    def __repr__(self):
        shown = ", ".join(f"{name}={value}" for name, value in self.attrs.items())
        return f"Prim[{type(self).__name__}]" + (f"<{shown}>" if shown else "")

    def add_prim_attr(self, name, value) -> Self:
        """Note something about the op, as `self.attrs` and as an attribute. Returns the op."""
        self.attrs[name] = value
        setattr(self, name, value)
        return self

    @property
    def attrs(self) -> dict:
        """What was noted about the op."""
        return self.__dict__.setdefault("_attrs", {})

    def __call__(self, *args):
        raise NotImplementedError(f"{self.name}: expected a subclass that defines __call__")


def without_options(name, fun) -> type:
    """The class whose instances, made without options, are called as the op `fun`."""

    def __call__(self, *args):
        return fun(*args)

    doc = f"`ops.{fun.__name__}` as a primitive class: without options, called with the same tensors."
    if fun.__name__ in FUNCTIONS:
        doc += _SAME.format(call=f"{name}()(x)", same=f"{fun.__name__}(x)", x=FUNCTIONS[fun.__name__].at[0])
    return type(name, (Primitive,), {"__call__": __call__, "__doc__": doc, "__module__": __name__})


def chosen(name, options, args, named):
    """Which of the names `options` were given, with what. Raises TypeError for others, in the words of the class `name`."""
    unknown = set(named) - set(options)
    if unknown or len(args) > len(options):
        raise TypeError(f"For '{name}', expected options among {list(options)}, but got {sorted(unknown) or args}.")
    return {**dict(zip(options, args, strict=False)), **named}


class _WithOptions(Primitive):
    """A primitive whose constructor takes `defaults`, the options with their values, by place or by name."""

    defaults: dict[str, object] = {}

    def __init__(self, *args, **kwargs):
        super().__init__()
        self.options = {**self.defaults, **chosen(self.name, self.defaults, args, kwargs)}
        self.attrs.update(self.options)


class MatMul(_WithOptions):
    """`ops.MatMul(transpose_a, transpose_b)(x, y)`: the product of matrices, each transposed where that is asked for."""

    defaults = {"transpose_a": False, "transpose_b": False}

    def __call__(self, x, y):
        x = x.swapaxes(-1, -2) if self.options["transpose_a"] else x
        y = y.swapaxes(-1, -2) if self.options["transpose_b"] else y
        return OPS["matmul"](x, y)


class ReduceMean(_WithOptions):
    """`ops.ReduceMean(keep_dims)(x, axis)`: over `axis`, a number or a tuple, `()` for all; with `keep_dims` each of these
    axes stays, of length 1. Raises TypeError for anything but a tensor.

    >>> import labkit.mindspore as ms
    >>> x = ms.ops.ones((2, 3))
    >>> ms.ops.ReduceMean(keep_dims=True)(x, 1).shape, ms.ops.ReduceMean()(x).shape
    ((2, 1), ())
    """

    defaults = {"keep_dims": False}

    def __call__(self, x, axis=()):
        return OPS["mean"](x, axis if axis != () else None, self.options["keep_dims"])


class ReduceSum(_WithOptions):
    """`ops.ReduceSum(keep_dims)(x, axis)`: the sum over `axis`, as in `ReduceMean`, in the type of `x`."""

    defaults = {"keep_dims": False, "skip_mode": False}

    def __call__(self, x, axis=()):
        return OPS["sum"](x, axis if axis != () else None, self.options["keep_dims"]).astype(x.dtype)


class Sort(_WithOptions):
    """`ops.Sort(axis, descending)(x)`: `(sorted values, the Int32 index each came from)`."""

    defaults = {"axis": -1, "descending": False}

    def __call__(self, x):
        return OPS["sort"](x, **self.options)


class Fill(Primitive):
    """`ops.Fill()(type, shape, value)`: a tensor of this type and shape, all `value`."""

    def __call__(self, type, shape, value):
        return OPS["full"](shape, value, dtype=type)


class Dropout2D(_WithOptions):
    """`ops.Dropout2D(keep_prob)(x)`: `(x with whole channels left out, where elements were kept)`."""

    defaults = {"keep_prob": 0.5}

    def __call__(self, x):
        ones = dropout2d(wrap(np.ones(x.shape, x._value.dtype)), 1 - self.options["keep_prob"])
        return x * ones, (ones != 0).astype("float32")


class ApplyMomentum(Primitive):
    """`ApplyMomentum()(variable, accumulation, learning_rate, gradient, momentum)` updates the first two, which are
    parameters, and returns the new value of the first: v = momentum * v + g; p = p - lr * v.

    `use_nesterov`: p = p - lr * (g + momentum * v). The real framework's CPU kernel ignores it.
    """

    def __init__(self, use_nesterov=False, use_locking=False, gradient_scale=1.0):
        super().__init__()
        self.use_nesterov = use_nesterov

    def __call__(self, variable, accumulation, learning_rate, gradient, momentum):
        p, v, g = (value_of(t, "ApplyMomentum") for t in (variable, accumulation, gradient))
        lr, momentum = (_typed(number, p.dtype) for number in (learning_rate, momentum))
        with np.errstate(all="ignore"):
            v = momentum * v + g
            variable._value = p - lr * (g + momentum * v if self.use_nesterov else v)
        accumulation._value = v
        return wrap(variable._value)


def _typed(number, dtype):
    return cast(number._value, dtype) if hasattr(number, "_value") else dtype.type(number)
