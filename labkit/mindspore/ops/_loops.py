"""Loops as ops: `ops.WhileLoop`, `ops.ForiLoop` and `ops.Scan`. In graph mode a test on a tensor makes a loop of the program."""

from types import FunctionType, MethodType

from ...program import TraceError
from .._control import each, goes, loop
from ..context import in_graph_mode
from ..tensor import Tensor
from ._primitives import CLASSES, Primitive

_FUNCTION = FunctionType, MethodType


_SCAN = (
    "Scan op has invalid argument, the first element of [loop_func]'s output and the [init_value] should maintain the same type "
    "and shape, but got: "
)


def _form(value):
    return (value.shape, value.dtype) if isinstance(value, Tensor) else type(value)


def _of_kind(op, name, value, *kinds):
    """Raise TypeError unless an argument is of one of these types."""
    if not isinstance(value, kinds):
        known = [kind.__name__ for kind in kinds]
        raise TypeError(
            f"For '{op}', the type of '{name}' should be one of '{known}', but got type '{type(value).__name__}'."
        )


def _tried(function):
    """`function` with any error of its own as a ValueError, as the real one has it."""

    def call(*args):
        try:
            return function(*args)
        except TraceError:
            raise
        except Exception as error:
            words = "Invalid loop_func, please check input arguments and return value, error info: "
            raise ValueError(f"{words}{error}") from error

    return call


class WhileLoop(Primitive):
    """`loop_func` again and again, as long as `cond_func` holds.

    Raises TypeError for what is no function, ValueError for an error of the function.

    >>> import labkit.mindspore as ms
    >>> print(ms.ops.WhileLoop()(lambda x: x < 20, lambda x: x * 3, ms.Tensor(1.0)))
    27.0
    """

    def __call__(self, cond_func, loop_func, init_val):
        _of_kind("WhileLoop", "cond_func", cond_func, *_FUNCTION)
        _of_kind("WhileLoop", "loop_func", loop_func, *_FUNCTION)
        run = _tried(lambda: loop(cond_func, lambda v: goes(False, (loop_func(v),)), ("value",), {"value": init_val}))
        return run()[1]


class ForiLoop(Primitive):
    """`value = loop_func(i, value)` for i from `lower` up to `upper`. Raises TypeError for arguments of another type.

    >>> import labkit.mindspore as ms
    >>> print(ms.ops.ForiLoop()(0, 4, lambda i, x: x + i, ms.Tensor(1.0)))
    7.0
    """

    def __call__(self, lower, upper, loop_func, init_val, unroll=True):
        _of_kind("ForiLoop", "lower", lower, int, Tensor)
        _of_kind("ForiLoop", "upper", upper, int, Tensor)
        _of_kind("ForiLoop", "loop_func", loop_func, *_FUNCTION)
        step = lambda value, i: goes(False, (loop_func(i, value),))
        return _tried(lambda: each(range(lower, upper), step, ("value",), {"value": init_val}))()[1]


class Scan(Primitive):
    """`(carry, ys)` after `carry, y = loop_func(carry, x)` for each x of `xs`, or `length` times with None.

    Raises TypeError for arguments of another type, ValueError for an error of the function.

    >>> import labkit.mindspore as ms
    >>> total, doubled = ms.ops.Scan()(lambda c, x: (c + x, 2 * x), ms.Tensor(0.0), [1, 2, 3])
    >>> print(total, doubled)
    6.0 [2, 4, 6]
    """

    def __call__(self, loop_func, init, xs, length=None, unroll=True):
        _of_kind("Scan", "loop_func", loop_func, *_FUNCTION)
        if xs is None:
            _of_kind("Scan", "length", length, int)
            xs = [None] * length
        _of_kind("Scan", "xs", xs, list, tuple)
        carry, ys = init, []
        for x in xs:
            before, (carry, y) = carry, _tried(lambda carry=carry, x=x: tuple(loop_func(carry, x)))()
            if in_graph_mode() and _form(before) != _form(carry):
                raise ValueError(f"{_SCAN}{_form(carry)} and {_form(before)}.")
            ys.append(y)
        return carry, ys


CLASSES.update({kind.__name__: kind for kind in (WhileLoop, ForiLoop, Scan)})
