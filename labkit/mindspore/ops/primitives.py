"""Primitive classes with options: `ops.MatMul(transpose_b=True)(x, w)` is an op whose options are fixed beforehand."""

import numpy as np

from ...dialects.class_paths import Placed
from ...ops import FUNCTIONS
from ..common.seed import op_seed
from ..common.tensor import wrap
from .creation import dropped
from .op_table import OPS, in_dtype_of, value_of

_NO_OPTION = "For '{name}', expected options among {known}, but got {options}."


class Primitive(metaclass=Placed):
    """An op as an object: options in the constructor, by place or by name, tensors in the call. Raises TypeError for others.

    `defaults`: the options that a subclass has, with their values. Those of an object are in its `attrs`, and printed.

    >>> import labkit.mindspore as ms
    >>> ms.ops.MatMul(transpose_a=True)
    Prim[MatMul]<transpose_a=True, transpose_b=False>
    """

    defaults: dict[str, object] = {}

    def __init__(self, *args, **kwargs):
        self.name, known = type(self).__name__, self.defaults
        unknown = set(kwargs) - set(known)
        if unknown or len(args) > len(known):
            raise TypeError(_NO_OPTION.format(name=self.name, known=list(known), options=sorted(unknown) or args))
        self.attrs = {**known, **dict(zip(known, args, strict=False)), **kwargs}

    def __repr__(self):
        shown = ", ".join(f"{name}={value}" for name, value in self.attrs.items())
        return f"Prim[{self.name}]" + (f"<{shown}>" if shown else "")

    def __call__(self, *args):
        raise NotImplementedError("{name}: expected a subclass that defines __call__".format(name=self.name))


def without_options(name, fun) -> type:
    """The class whose instances, made without options, are called as the op `fun`."""

    def __call__(self, *args):
        return fun(*args)

    doc = f"`ops.{fun.__name__}` as a primitive class: without options, called with the same tensors."
    if fun.__name__ in FUNCTIONS:
        same = f"{name}()(x) == ms.ops.{fun.__name__}(x)"
        doc += f"\n\n>>> import labkit.mindspore as ms\n>>> x = ms.Tensor({FUNCTIONS[fun.__name__].at[0]})\n"
        doc += f">>> bool((ms.ops.{same}).all())\nTrue\n"
    return type(name, (Primitive,), {"__call__": __call__, "__doc__": doc, "__module__": __name__})


class MatMul(Primitive):
    """`ops.MatMul(transpose_a, transpose_b)(x, y)`: the product of matrices, each transposed where that is asked for."""

    defaults = {"transpose_a": False, "transpose_b": False}

    def __call__(self, x, y):
        x = x.swapaxes(-1, -2) if self.attrs["transpose_a"] else x
        y = y.swapaxes(-1, -2) if self.attrs["transpose_b"] else y
        return OPS["matmul"](x, y)


class ReduceMean(Primitive):
    """`ops.ReduceMean(keep_dims)(x, axis)`: over `axis`, a number or a tuple, `()` for all; with `keep_dims` each of these
    axes stays, of length 1. Raises TypeError for anything but a tensor.

    >>> import labkit.mindspore as ms
    >>> x = ms.ops.ones((2, 3))
    >>> ms.ops.ReduceMean(keep_dims=True)(x, 1).shape, ms.ops.ReduceMean()(x).shape
    ((2, 1), ())
    """

    defaults = {"keep_dims": False}

    def __call__(self, x, axis=()):
        return OPS["mean"](x, axis if axis != () else None, self.attrs["keep_dims"])


class ReduceSum(Primitive):
    """`ops.ReduceSum(keep_dims)(x, axis)`: the sum over `axis`, as in `ReduceMean`, in the type of `x`."""

    defaults = {"keep_dims": False, "skip_mode": False}

    def __call__(self, x, axis=()):
        return OPS["sum"](x, axis if axis != () else None, self.attrs["keep_dims"]).astype(x.dtype)


class Sort(Primitive):
    """`ops.Sort(axis, descending)(x)`: `(sorted values, the Int32 index each came from)`."""

    defaults = {"axis": -1, "descending": False}

    def __call__(self, x):
        return OPS["sort"](x, **self.attrs)


class Fill(Primitive):
    """`ops.Fill()(type, shape, value)`: a tensor of this type and shape, all `value`."""

    def __call__(self, type, shape, value):
        return OPS["full"](shape, value, dtype=type)


class Dropout2D(Primitive):
    """`ops.Dropout2D(keep_prob)(x)`: `(x with whole channels left out, where elements were kept)`."""

    defaults = {"keep_prob": 0.5}

    def __call__(self, x):
        p = 1 - self.attrs["keep_prob"]
        if not 0 <= p <= 1:
            raise ValueError(f"For 'Dropout2D', the 'keep_prob' must be in range [0, 1], but got {1 - p:g}")
        ones = wrap(np.ones((*x.shape[:-2], 1, 1), value_of(x, "Dropout2D").dtype))
        kept = dropped(ones, ones._value, p, op_seed("dropout")) if p < 1 else ones * 0
        return x * kept, (wrap(np.ones(x.shape, x._value.dtype)) * kept != 0).astype("float32")


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
        lr, momentum = (in_dtype_of(number, p) for number in (learning_rate, momentum))
        with np.errstate(all="ignore"):
            v = momentum * v + g
            variable._value = p - lr * (g + momentum * v if self.use_nesterov else v)
        accumulation._value = v
        return wrap(variable._value)
