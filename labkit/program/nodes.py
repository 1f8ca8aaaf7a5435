"""Records ops for a program, and refuses what one run cannot know."""

import threading
from collections.abc import Callable
from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd.tracer import notrace_primitives

from ..engine import ArrayBox, PerThread, Record, assignment_target, dtype_of, isbox, user_site, watch


class TraceError(TypeError):
    """A compiled function asked for what one recorded run cannot know, such as the value of a tensor in an `if`."""


class Interpreted(TraceError):
    """What follows goes by numbers, outside ops: code that compiles the function may call it as it is."""


def trace_error(what, kind=TraceError) -> TraceError:
    """The TraceError that names the user's line and says what cannot be done there."""
    file, line = user_site()
    return kind(_BY_VALUE.format(file=file, line=line, action=what))


_BY_VALUE = (
    "{file}:{line}: a compiled function cannot {action}: it is recorded once, as a program for every input of these shapes, so "
    "only shapes and dtypes are known while it runs. Use where(condition, a, b) to choose by value, keep the value in "
    "the graph, or do not compile this function."
)
_NO_GRADIENT = (
    "cannot {action} while it is differentiated: its gradient would be lost. Use the functions of autograd.numpy"
)


def refuse(value, what, kind=TraceError) -> None:
    """Raise TraceError, of a `kind`, if `value` is being recorded into a program; `what` says what was asked of it."""
    if recorded(value) is not None:
        raise trace_error(what, kind)


def _guarded(what, plain=None):
    def method(box):
        refuse(box, what, Interpreted)
        if plain is None:
            raise TypeError(_NO_GRADIENT.format(action=what))
        return plain(box._value)

    return method


class refused_as_arrays:
    """While open, what is being recorded is not an array for NumPy: a kernel that takes it as one raises `Interpreted`."""

    open_, lock = 0, threading.Lock()

    def __enter__(self):
        with self.lock:
            type(self).open_ += 1
            ArrayBox.__array__ = _as_array

    def __exit__(self, *_):
        with self.lock:
            type(self).open_ -= 1
            if not self.open_:
                del ArrayBox.__array__


def _as_array(box, *_, **__):
    refuse(box, "pass a tensor to a function that takes arrays", Interpreted)
    raise TypeError(
        "a value that is being differentiated was passed to code that takes plain numbers, so its gradient would be lost"
    )


ArrayBox.__bool__ = _guarded("branch or loop on a tensor's value", bool)
ArrayBox.__float__ = _guarded("turn a tensor into a Python float")
ArrayBox.__int__ = _guarded("turn a tensor into a Python int")
ArrayBox.__index__ = _guarded("use a tensor's value as an index or length")

_SHAPED_BY_VALUE = {anp.nonzero, anp.argwhere, anp.flatnonzero, anp.unique, anp.compress, anp.extract}


class _Recorder(PerThread):
    """`on_op` is called for every op that this thread records into a program."""

    on_op: Callable[[], None] | None = None


recorder = _Recorder()


class Op(Record):
    """The recorder's node; unlike a derivative's it also keeps comparisons and other ops without a derivative.

    `step`: the forward op whose derivative this one belongs to, None for a forward op. `target`: the op whose gradient
    this one completes, if it does.
    """

    __slots__ = ("step", "target")
    sees_through = True

    def __init__(self, value, fun, args, kwargs, argnums, parents):
        named = (None, None) if _differentiated() else assignment_target()  # the user names no op of a derivative
        self._fill(value, fun, args, kwargs, argnums, parents, *named, parents[0].log)

    def _fill(self, *fields):
        super()._fill(*fields)
        self.step, self.target = _differentiated(), None
        if recorder.on_op:
            recorder.on_op()
        by_mask = self.fun is ArrayBox.__getitem__ and 1 in self.argnums and dtype_of(self.args[1]) == np.bool_
        if by_mask or self.fun in _SHAPED_BY_VALUE:
            raise trace_error("use {op}, whose result's shape depends on values".format(op=self.op), Interpreted)


def _differentiated():
    """The recorded op whose derivative is running now, or None."""
    return watch.node and recorded(watch.node.origin)


notrace_primitives[Op] = {anp.size, anp.iscomplexobj, anp.isscalar, anp.isreal}  # facts of shape and dtype


def recorded(value) -> Op | None:
    """The `Op` behind a value, under the boxes of any derivatives being taken; None for a constant."""
    while isbox(value):
        if type(value._node) is Op:
            return value._node
        value = value._value
    return None


def target_marker() -> Any:
    """Sees the reverse passes of a run; the op that completes a gradient (the last running sum) gets the `target`."""
    completed: dict = {}

    def observe(node, gradient, contributions):
        for parent, _, total in contributions:
            op, of = recorded(total), recorded(parent.origin)
            if op is not None and of is not None and op.step is not None and op.target is None:
                if parent in completed:
                    completed[parent].target = None
                op.target, completed[parent] = of, op

    return observe
