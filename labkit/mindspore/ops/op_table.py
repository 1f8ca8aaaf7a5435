"""Turns functions of arrays into ops: functions, methods and primitive classes.

Every op is written once, as a function of NumPy arrays (or the engine's boxes), and declared by `@op(...)`. From the
table `OPS` follow `ops.sin(x)`, `x.sin()` and `ops.Sin()(x)`.
"""

import builtins
import os
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

import numpy as np

from ...dialects.argument_types import one_by_one
from ...engine import cast, dtype_of, quietly
from ...ops import NUMBERS_ARE_WEAK, offered, rule
from ..common.dtype import in_dtype, of
from ..common.tensor import Tensor, wrap

LATER = {  # name -> the module that has it, loaded when it is first wanted
    name: module
    for module, names in {
        "clipping": "clip_by_value clip_by_norm clip_by_global_norm",
        "collectives": "AllReduce ReduceOp",
        "convolution": "conv2d bias_add adaptive_max_pool2d",
        "losses": "mse_loss l1_loss softmax_cross_entropy_with_logits cross_entropy nll_loss "
        "binary_cross_entropy_with_logits",
        "higher_order": "HyperMap Map MultitypeFuncGraph identity partial GradOperation HookBackward InsertGradientOf "
        "assign assign_add assign_sub Assign AssignAdd AssignSub",
        ".gradient.grad": "grad value_and_grad",
        "primitives": "ApplyMomentum Dropout2D Fill MatMul Primitive ReduceMean ReduceSum Sort",
    }.items()
    for name in names.split()
}


class _Ops(dict):
    """Functions of tensors by name; those of `LATER` are loaded when they are first wanted."""

    def __missing__(self, name):
        import_module(f".{LATER[name]}", __package__)
        return self[name]


OPS: dict[str, Callable] = _Ops()  # name -> function of tensors
METHODS: dict[str, Any] = {}  # name -> function of tensors, or property, to be attached to Tensor
PRIMITIVES: dict[str, Callable] = {}  # name -> function of tensors, offered as a class without arguments: ops.Sin()(x)


def value_of(x, name):
    """The array of a tensor. Raises TypeError for anything else."""
    if isinstance(x, Tensor):
        return x._value
    raise rejected(name, x)


def in_dtype_of(number, like):
    """A number, or the value of a tensor, in the dtype of the array `like`."""
    value = number._value if isinstance(number, Tensor) else number
    return in_dtype(value, like.dtype) if hasattr(value, "dtype") else like.dtype.type(value)


def numbers_in(sizes):
    """Whole numbers given one by one, or as one tuple, list or tensor."""
    if len(sizes) == 1 and isinstance(sizes[0], Tensor):
        return tuple(np.ravel(sizes[0].asnumpy()).tolist())
    return tuple(int(n) for n in one_by_one(sizes))


def rejected(name, x):
    """The error for an argument of the wrong type."""
    kind = {str: "string", float: "float", int: "int", bool: "bool", type(None): "None"}.get(type(x), str(type(x)))
    return TypeError(
        f'Failed calling {name} with "{name}()(input={kind})".\n'
        f'The valid calling should be: \n"{name}()(input=<Tensor>)".\n'
    )


def _refusals():
    """`{op: {character of a dtype: error}}` of what the real kernels of the CPU refuse, as it is recorded of them."""
    found: dict[str, dict[str, str]] = {}
    with open(os.path.join(os.path.dirname(__file__), "refused_dtypes.txt"), encoding="utf-8") as lines:
        for name, kinds, error in (line.rstrip("\n").split(" | ") for line in lines):
            found.setdefault(name, {}).update({np.dtype(kind).char: error for kind in kinds.split()})
    return found


REFUSED = _refusals()


def refusal(name, dtype) -> Exception:
    """The real one's error for a tensor of `dtype` in the op of this name, with a note on what to write.

    >>> refusal("sin", np.dtype("int32")).__notes__
    ["MindSpore's CPU has no kernel of this op for Int32. Convert first: x.astype(ms.float32)."]
    """
    kind, text = REFUSED[name][dtype.char].split(": ", 1)
    error = getattr(builtins, kind)(text.replace("{dtype}", str(of(dtype))))
    note = "MindSpore's CPU has no kernel of this op for {dtype}. Convert first: x.astype(ms.float32)."
    error.add_note(note.format(dtype=of(dtype)))
    return error


def no_bfloat16(value, kernel):
    """Raise TypeError, as the real one does on the CPU, for a bfloat16 `value`, for which it has no `kernel`."""
    if value.dtype.kind == "V" and value.dtype.itemsize == 2:
        raise TypeError(
            f"Select CPU operator[{kernel}] fail! Unsupported data type! but get input[[const vector]{{BFloat16}}]. "
            "Compute in ms.float32: x.astype(ms.float32)"
        )


def op(*names, method=True, primitive=None):
    """Declare the decorated function, whose first argument is an array, as an op of one tensor.

    `names` are further names of the same op; `method` whether it is one of `Tensor` too; `primitive` its class's name.
    """

    def declare(raw):
        shown = primitive or raw.__name__.strip("_").title().replace("_", "")
        refused = REFUSED.get(raw.__name__, ())
        kept = raw if NUMBERS_ARE_WEAK or "dtype" in raw.__code__.co_varnames else _kept(raw)

        @wraps(raw)
        def call(input, *args, **kwargs):
            value = input._value if isinstance(input, Tensor) else value_of(input, shown)
            if refused and value.dtype.char in refused and kwargs.get("dtype") is None:
                raise refusal(raw.__name__, value.dtype)
            return wrap(quietly(kept, value, *args, **kwargs))

        return entered(call, *names, method=method, primitive=primitive)

    return declare


def _kept(raw):
    """For NumPy 1, where numbers make a 0-d array wider: an op whose result is no wider than its floating array."""

    def computed(value, *args, **kwargs):
        found = raw(value, *args, **kwargs)
        dtype, came = dtype_of(value), dtype_of(found)
        return cast(found, dtype) if came is not None and came.kind == dtype.kind == "f" and came > dtype else found

    return computed


def register(call, *names, **places):
    """Enter a function of tensors into the tables, under `names` and its own name unless that is private; see `op`."""
    refused = REFUSED.get(call.__name__)

    @wraps(call)
    def checked(*args, **kwargs):
        if args and isinstance(args[0], Tensor) and args[0]._value.dtype.char in refused:
            raise refusal(call.__name__, args[0]._value.dtype)
        return call(*args, **kwargs)

    return entered(checked if refused else call, *names, **places)


def entered(call, *names, method=True, primitive=None):
    """As `register`, of an op that refuses what is to be refused itself."""
    own = () if call.__name__.startswith("_") else (call.__name__,)
    for name in (*own, *names):
        OPS[name] = call
        if method:
            METHODS[name] = call
    if primitive:
        PRIMITIVES[primitive] = call
    return call


_EXAMPLE = """\
>>> import labkit.mindspore as ms
>>> x = ms.Tensor([[1.0, 2.0], [3.0, 3.0]])
>>> print(ms.ops.{name}(x, 1).asnumpy(){rounded})"""


def of_row(name, row, answer, takes=None, dtypes=None, **places):
    """Enter `answer` as the op of a row, with the parameters `takes`, or the row's; for `places` see `op`."""
    room = "labkit.mindspore.ops"
    op(**places)(offered(name, row, takes or f"input, {row.takes}", answer, room, dtypes or {}, _EXAMPLE))


@rule(lambda ans, x: lambda g: g, text="{}.astype(np.float32)")
def _widened(x):
    """Integers as float32; the slope there is no integer, so it is not made one."""
    return x.astype(np.float32)


def floating(x):
    """`x` itself if it is floating, else as float32."""
    return _widened(x) if x.dtype.kind in "iub" else x
