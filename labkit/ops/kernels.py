"""Kernels: what is computed at once, and rounded once.

PyTorch's kernels on the CPU widen each number of two bytes (float16, bfloat16) to float32, compute all they do in float32, and
round once at the end. So does every op that `rule` declares: `in_float32` is around its kernel. A Python number takes part as
float32; where it is rounded first, as an operand, the op says `operands=True`. What only moves elements says `rounds=False` and
is left alone: there is nothing to round, and a view stays a view. So does a kernel that rounds in between: `sigmoid`, `rsqrt`,
`softmax` and `hardswish` of the table do, as in MindSpore, and PyTorch's own are declared in `labkit.torch._rules`.

A derivative is several kernels, one after the other, each of which rounds, or a single one. A rule is written with recorded
functions, so it rounds as several kernels do; where PyTorch has one, the op says `fused_backward=True`, and the rule is run by
`whole` as a single op. Its casts are inside it, so no tape, graph or program shows them, and its derivative is that of the rule.

Some kernels keep a number on their way in the type of their arguments, such as the mean of a normalisation: `stored`.

float32 and float64 take no part in this: all that is asked of them is the size of an element.
"""

from collections.abc import Callable
from functools import wraps
from threading import local
from typing import Any

import numpy as np
from autograd.extend import defvjp_argnums, primitive

from ..engine import cast, dtype_of, two_bytes, vjp

__all__ = ["as_kernel", "half", "in_float32", "rounding", "stored", "two_bytes", "whole"]

_running = local()


def half(args) -> Any:
    """The dtype to round to: of the first of `args` (arrays, boxes, anything) that is floating, if it has two bytes; or None.

    >>> half((3.0, np.ones(2, np.float16))), half((np.ones(2), np.float16(1)))
    (dtype('float16'), None)
    """
    for a in args:
        dtype = getattr(a, "dtype", None)
        if dtype is not None and dtype.kind in "fV":
            return dtype if dtype.itemsize == 2 else None
    return None


def in_float32(fun, operands=False) -> Callable:
    """A function of arrays as a kernel: two-byte arguments are widened to float32, its result is rounded to their dtype.

    `operands`: its floats are operands as the arrays are, and rounded to their dtype first.

    >>> third = in_float32(lambda x: x * 3 / 9)
    >>> third(np.array([0.1, 5000.0], np.float16)), third(np.array([0.1]))
    (array([3.333e-02, 1.667e+03], dtype=float16), array([0.03333333]))
    """
    if isinstance(fun, np.ufunc):  # rounds once as it is
        return fun

    @wraps(fun)
    def computed(*args, **kwargs):
        for a in args:
            if getattr(a, "itemsize", 0) == 2:
                return _rounded(fun, args, kwargs, operands)
        return fun(*args, **kwargs)

    return computed


def _rounded(fun, args, kwargs, operands):
    kind = half(args)
    if kind is None:
        return fun(*args, **kwargs)
    if operands:
        args = [float(kind.type(a)) if type(a) is float else a for a in args]
    raised = [a.astype(np.float32) if two_bytes(getattr(a, "dtype", None)) else a for a in args]
    found = _run(fun, kind, args, raised, kwargs)
    floats = isinstance(found, (np.ndarray, np.generic)) and found.dtype.kind == "f"
    return found.astype(kind) if floats else found


def _run(fun, kind, given, raised, kwargs):
    mixed = any(a.dtype.kind == "f" and a.dtype.itemsize > 2 and np.ndim(a) for a in given if hasattr(a, "dtype"))
    before, _running.kind = rounding(), None if mixed else kind
    try:
        return fun(*raised, **kwargs)
    finally:
        _running.kind = before


def rounding() -> Any:
    """The two-byte dtype for which a kernel is running now, or None.

    >>> in_float32(lambda x: print(x.dtype, rounding()))(np.ones(2, np.float16))
    float32 float16
    """
    return getattr(_running, "kind", None)


def stored(x) -> Any:
    """`x` rounded to the dtype that a kernel for two-byte floats stores it in; unchanged in other kernels and for float32.

    >>> in_float32(lambda x: stored(x / 3) - x / 3)(np.ones(1, np.float16)), stored(1 / 3)
    (array([-8.14e-05], dtype=float16), 0.3333333333333333)
    """
    kind = rounding()
    return x if kind is None else cast(cast(x, kind), np.float32)


def whole(computed) -> Callable:
    """A composition of recorded functions as one op, which rounds two-byte floats once.

    Its derivative is that of the composition, which runs again in the backward pass; it saves its arguments.
    """

    @wraps(computed)
    def composed(*args, **kwargs):
        kind = half(args)
        if kind is None:
            return computed(*args, **kwargs)
        raised = [cast(a, np.float32) if two_bytes(getattr(a, "dtype", None)) else a for a in args]
        found = _run(computed, kind, args, raised, kwargs)
        return cast(found, kind) if dtype_of(found).kind == "f" else found

    fun = primitive(composed)

    def pullback(argnums, ans, args, kwargs):
        def of_chosen(*chosen):
            given = dict(zip(argnums, chosen, strict=True))
            return composed(*(given.get(i, a) for i, a in enumerate(args)), **kwargs)

        return lambda g: vjp(of_chosen, *(args[i] for i in argnums))[1](g)

    defvjp_argnums(fun, pullback)
    return fun


def as_kernel(rule, name) -> tuple[Callable, Callable]:
    """A vjp that is one kernel for two-byte floats, and the op of `(g, ans, *args)` that it is then, called `name`."""
    op: Any = whole(lambda g, ans, *args: rule(ans, *args)(g))
    op.__name__ = name

    def back(ans, *args):
        return (lambda g: op(g, ans, *args)) if two_bytes(ans.dtype) else rule(ans, *args)

    return back, op
