"""What a function does on its way, beside what it returns: how often its own code calls some named things.

    with doings(("numpy.tri", "math", "walk back"), counts): f(x)

A thing is the full name of a function (`"labkit.mindspore.ops.clip*"` for all that begin so), a module or package for
everything in it, or one of `WORDS` (see also `observers`). What is called by a library on its own account does not count,
except for the two words of differentiation; names that are imported and not called do not count either.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

import numpy as np

from ..engine import is_own
from ..engine import watch as engines
from .limit import _OURS
from .named import code_of, loads, value_of
from .observers import observing
from .reach import Targets, constants, is_small, targets_of

_KEPT = 64  # calls of one function
_OUT_OF_SIGHT = ("sys.settrace", "sys.monitoring.register_callback", "gc.get_objects")
_open: list[dict] = []  # the counts of those that are watched
_NEAR = 1e-2  # relative: what is nearer may be moved by the step of a finite difference


@contextmanager
def doings(what: tuple[str, ...], counts: dict[str, Any], closely: bool = True) -> Iterator[bool]:
    """Count in `counts` what runs inside; gives False where nothing can be watched: somebody else is tracing.

    `counts[""]` is 1 where it could get out of sight: it traced by itself.

    To watch every call takes as long again; `closely=False` counts labkit's own walks and pushes alone, which is enough
    where `may_do` says so.

    >>> counts = {"math": 0}
    >>> with doings(("math",), counts) as watched:
    ...     exec("import math; x = math.tanh(1.0) + math.cosh(0.0)", {})
    >>> watched, counts["math"]
    (True, 2)
    """
    targets, before = targets_of(what), (engines.walks, engines.pushes)
    _hear()
    _open.append(counts)
    try:
        with observing(what, counts):
            if not closely:
                yield True
                return
            with (_monitored if hasattr(sys, "monitoring") else _traced)(_Watch(targets, counts)) as watched:
                yield watched
    finally:
        _open.pop()
        for word, now, then in zip(("walk back", "push"), (engines.walks, engines.pushes), before, strict=True):
            if word in targets.words:
                counts[word] += now - then


@lru_cache(maxsize=1)  # once: an audit hook stays as long as the process
def _hear():
    def heard(event, arguments):
        if event in _OUT_OF_SIGHT and sys._getframe(1).f_code.co_filename not in _OURS:
            _out_of_sight()

    def start(function, *arguments):
        return begin(_followed(function, _open[-1], sys.gettrace()) if _open else function, *arguments)

    begin = threading._start_new_thread  # type: ignore[attr-defined]
    threading._start_new_thread = start  # type: ignore[attr-defined]
    sys.addaudithook(heard)


def _followed(function, counts, trace):
    """`function` for a thread of its own, watched as the thread that starts it."""

    def run(*arguments, **options):
        sys.settrace(trace)
        try:
            return function(*arguments, **options)
        finally:
            for word, times in (("walk back", engines.walks), ("push", engines.pushes)):
                if word in counts:
                    counts[word] += times

    return run


def _out_of_sight():
    for counts in _open:
        counts[""] = 1


@contextmanager
def unwatched() -> Iterator[None]:
    """Inside, nothing is watched: for a library's own work, which Python 3.11 does three times as fast without tracing.

    >>> with doings(("math",), counts := {"math": 0}), unwatched():
    ...     exec("import math; x = math.tanh(1.0)", {})
    >>> sys.gettrace() is None
    True
    """
    before = sys.gettrace()
    if is_own(sys._getframe(2).f_code.co_filename):  # not for an answer, which would get out of sight
        _out_of_sight()
    sys.settrace(None)
    try:
        yield
    finally:
        if sys.gettrace() is None:  # else a time limit has begun to trace
            sys.settrace(before)


@contextmanager
def _traced(watch):
    if sys.gettrace() is not None:
        yield False
        return
    sys.settrace(watch.trace)
    try:
        yield True
    finally:
        sys.settrace(None)


class _Watch:
    """What is looked for, and what was found. Calls come from `trace` (Python 3.11) or from `_monitored`."""

    def __init__(self, targets: Targets, counts: dict[str, Any]) -> None:
        self.targets, self.words, self.engines, self.counts = targets, targets.words, targets.engines, counts
        self.calls: dict[CodeType, list] = {}

    def called(self, thing: Any) -> None:
        """Own code calls `thing`."""
        for name in self.targets.names_of(thing):
            self.counts[name] += 1

    def engine(self, frame: FrameType) -> None:
        """A library begins to differentiate, for whomever."""
        self.counts[self.engines[frame.f_code]] += 1

    def entered(self, frame: FrameType) -> None:
        """Own code begins to run."""
        if "small step" in self.words:
            self.counts["small step"] += any(map(is_small, constants(frame.f_code, frame.f_globals, frame.f_locals)))
        if "near calls" in self.words:
            code = frame.f_code
            here = [_flat(frame.f_locals.get(name)) for name in code.co_varnames[: code.co_argcount]]
            before = self.calls.setdefault(code, [])
            self.counts["near calls"] += any(_near(here, one) for one in before)
            if len(before) < _KEPT:
                before.append(here)

    def left(self, frame: FrameType, value: Any) -> None:
        """Own code, or what it has called, returns `value`."""
        if "table" in self.words:
            own = is_own(frame.f_code.co_filename)
            values = (value, *(frame.f_locals.values() if own else ()))
            if own or _is_called_by_own_code(frame):
                self.counts["table"] += any(
                    isinstance(v, np.ndarray) and sum(n > 1 for n in v.shape) > 1 for v in values
                )

    def trace(self, frame: FrameType, event: str, arg: Any) -> Any:
        """For `sys.settrace`: own code instruction by instruction, of all other code that it begins."""
        code = frame.f_code
        if event == "call":
            if code in self.engines:
                self.engine(frame)
            if not is_own(code.co_filename):
                name = self.targets.codes.get(code)
                if (not name and "table" not in self.words) or not _is_called_by_own_code(frame):
                    return None
                if name:
                    self.counts[name] += 1
                frame.f_trace_lines = False
                return self.trace
            self.entered(frame)
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
        elif event == "opcode":
            for at, names, called in loads(code):
                if called and at == frame.f_lasti:
                    thing = value_of(names, frame.f_locals, frame.f_globals, frame.f_builtins)
                    if thing is not None and code_of(thing) not in self.targets.codes:
                        self.called(thing)
        elif event == "return":
            self.left(frame, arg)
        return self.trace


@contextmanager
def _monitored(watch):
    """The same by `sys.monitoring`, which is told each thing that is called."""
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined]
    free = [number for number in (3, 4) if monitoring.get_tool(number) is None]
    if not free:
        yield False
        return
    tool, events, watching_all = free[0], monitoring.events, "table" in watch.words

    def called(code, offset, thing, first):
        return watch.called(thing) if is_own(code.co_filename) else monitoring.DISABLE

    def started(code, offset):
        if code in watch.engines:
            watch.engine(sys._getframe(1))
        elif not is_own(code.co_filename):
            return monitoring.DISABLE
        else:
            watch.entered(sys._getframe(1))
        return None

    def returned(code, offset, value):
        return watch.left(sys._getframe(1), value) if watching_all or is_own(code.co_filename) else monitoring.DISABLE

    callbacks = {events.CALL: called, events.PY_START: started, events.PY_RETURN: returned}
    monitoring.use_tool_id(tool, "labkit.evidence")
    monitoring.restart_events()
    for event, callback in callbacks.items():
        monitoring.register_callback(tool, event, callback)
    monitoring.set_events(tool, events.CALL | events.PY_START | events.PY_RETURN)
    try:
        yield True
    finally:
        monitoring.set_events(tool, 0)
        for event in callbacks:
            monitoring.register_callback(tool, event, None)
        monitoring.free_tool_id(tool)


def _is_called_by_own_code(frame):
    return frame.f_back is not None and is_own(frame.f_back.f_code.co_filename)


def _flat(value):
    try:
        array = np.asarray(value, float)
    except (TypeError, ValueError):
        return None
    return array.ravel() if array.size <= 1000 else None


def _near(one, other):
    """True where the numbers of two calls differ, and by very little."""
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
    if not pairs or any(a.shape != b.shape for a, b in pairs):
        return False
    a, b = (np.concatenate(side) for side in zip(*pairs, strict=True))
    return 0 < np.max(np.abs(a - b), initial=0.0) <= _NEAR * max(1.0, float(np.max(np.abs(a), initial=0.0)))
