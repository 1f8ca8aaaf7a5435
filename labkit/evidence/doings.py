"""What a function does on its way, beside what it returns: how often its own code calls some named things.

    with doings(("numpy.tri", "math", "walk back"), counts): f(x)

A thing is the full name of a function (`"labkit.mindspore.ops.clip*"` for all that begin so), a module or package for
everything in it, or one of `WORDS`. What is called by a library on its own account does not count, except for the two
words of differentiation; names that are imported and not called do not count either.
"""

import dis
import inspect
import sys
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib import import_module
from operator import attrgetter
from types import CodeType, FrameType, ModuleType
from typing import Any

import numpy as np

from ..engine import is_library

WORDS = ("walk back", "push", "near calls", "small step", "table")
_ENGINES = {
    "walk back": ("labkit.engine.reverse.reverse_pass", "labkit.torch._walk.Walk.run", "autograd.core.backward_pass"),
    "push": ("labkit.engine.forward.jvp", "autograd.core.make_jvp"),
}
_FORWARD = "engine/forward.py"  # a push walks back for an op that has no rule to push
_STEP = 1e-2  # what is smaller may be the step of a finite difference
_KEPT = 64  # calls of one function
_STANDARD = tuple(sysconfig.get_path(name).replace("\\", "/") + "/" for name in ("stdlib", "platstdlib"))
_LOADS = ("LOAD_NAME", "LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_GLOBAL", "LOAD_DEREF")


@lru_cache(maxsize=4096)
def is_own(filename: str) -> bool:
    """True for a file with somebody's own code: no library's, not the standard library's.

    >>> is_own("<cell 3>"), is_own(np.__file__), is_own(inspect.__file__)
    (True, False, False)
    """
    path = filename.replace("\\", "/")
    return "site-packages" not in path and not path.startswith(("<frozen", *_STANDARD)) and not is_library(filename)


@contextmanager
def doings(what: tuple[str, ...], counts: dict[str, int]) -> Iterator[bool]:
    """Count in `counts` what runs inside; gives False where nothing can be watched: somebody else is tracing.

    >>> counts = {"math": 0}
    >>> with doings(("math",), counts) as watched:
    ...     exec("import math; x = math.tanh(1.0) + math.cosh(0.0)", {})
    >>> watched, counts["math"]
    (True, 2)
    """
    watch = _Watch(what, counts)
    if hasattr(sys, "monitoring"):
        with _monitored(watch) as watched:
            yield watched
    elif sys.gettrace() is not None:
        yield False
    else:
        sys.settrace(watch.trace)
        try:
            yield True
        finally:
            sys.settrace(None)


class _Watch:
    """What is looked for, and what was found. Calls come from `trace` (Python 3.11) or from `_monitored`."""

    def __init__(self, what, counts):
        self.counts, self.words = counts, set(WORDS).intersection(what)
        self.engines = {code: word for word in self.words for code in _codes(_ENGINES.get(word, ()))}
        self.packages = [name for name in what if name not in WORDS and _is_module(name)]
        self.things: dict[int, tuple[str, Any]] = {}  # the objects are held, so that no id is used again
        for name in what:
            if name not in WORDS and name not in self.packages:
                self.things.update((id(thing), (name, thing)) for thing in _found(name))
        self.codes = {t.__code__: n for n, t in self.things.values() if inspect.isfunction(t) and not t.__closure__}
        self.calls: dict[CodeType, list] = {}

    def called(self, thing: Any) -> None:
        """Own code calls `thing`."""
        thing = thing.__func__ if inspect.ismethod(thing) else thing
        if found := self.things.get(id(thing)):
            self.counts[found[0]] += 1
        homes = _homes(thing)
        for name in self.packages:
            if any(f"{home}.".startswith(f"{name}.") for home in homes) and not _is_operator(thing):
                self.counts[name] += 1

    def engine(self, frame: FrameType) -> None:
        """A library begins to differentiate, for whomever."""
        word = self.engines.get(frame.f_code)
        if word == "push" or (word and not _inside_a_push(frame)):
            self.counts[word] += 1

    def entered(self, frame: FrameType) -> None:
        """Own code begins to run."""
        if "small step" in self.words:
            self.counts["small step"] += any(_is_small(value) for value in _constants(frame))
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
                name = self.codes.get(code)
                if (not name and "table" not in self.words) or not _is_called_by_own_code(frame):
                    return None
                if name:
                    self.counts[name] += 1
                frame.f_trace_lines = False
                return self.trace
            self.entered(frame)
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
        elif event == "opcode" and (names := _callees(code).get(frame.f_lasti)):
            thing = _value(names, frame)
            if thing is not None and not (inspect.isfunction(thing) and thing.__code__ in self.codes):
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


def _is_module(name):
    try:
        return isinstance(import_module(name), ModuleType)
    except ImportError:
        return False


def _found(name):
    """The functions and classes that have this name, or that match it."""
    home, _, last = name.rpartition(".")
    try:
        owner = import_module(home)
    except ImportError:  # the name of a method
        home, _, kind = home.rpartition(".")
        owner = getattr(import_module(home), kind)
    names = [one for one in dir(owner) if fnmatchcase(one, last)] if "*" in last else [last]
    return [thing for one in names if callable(thing := getattr(owner, one)) and not isinstance(thing, ModuleType)]


def _codes(names):
    """The code of functions in modules that have been loaded; what is not loaded is not called."""
    for name in names:
        home = name.rpartition(".")[0]
        home = home if home in sys.modules else home.rpartition(".")[0]  # of a method
        if home in sys.modules:
            yield inspect.unwrap(attrgetter(name[len(home) + 1 :])(sys.modules[home])).__code__


def _homes(thing):
    """The modules that a callable is of: where its code stands, and where it says it is from."""
    if isinstance(thing, np.ufunc):
        return ("numpy",)
    try:
        said = thing.__module__
    except Exception:  # whatever an object of somebody's own does when it is asked
        said = None
    written = getattr(inspect.unwrap(thing), "__globals__", {}) if inspect.isfunction(thing) else {}
    return tuple(home for home in (said, written.get("__name__")) if isinstance(home, str))


def _is_operator(thing):
    return inspect.isroutine(thing) and thing.__name__.startswith("__")


def _inside_a_push(frame):
    while (caller := frame.f_back) is not None and not is_own(caller.f_code.co_filename):
        if caller.f_code.co_filename.replace("\\", "/").endswith(_FORWARD):
            return True
        frame = caller
    return False


def _is_small(value):
    return isinstance(value, float) and 0 < abs(value) <= _STEP


def _constants(frame):
    yield from frame.f_code.co_consts
    yield from (frame.f_globals.get(name) for name in frame.f_code.co_names)
    yield from (frame.f_locals.get(name) for name in frame.f_code.co_freevars)


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
    return 0 < np.max(np.abs(a - b), initial=0.0) <= _STEP * max(1.0, float(np.max(np.abs(a), initial=0.0)))


@lru_cache(maxsize=1024)
def _callees(code):
    """`{offset: names}`: at this instruction, `names` such as `("np", "tanh")` are loaded to be called (Python 3.11)."""
    found: dict[int, tuple[str, ...]] = {}
    names, wanted, last = (), False, ""
    at = 0
    for step in dis.get_instructions(code):
        if names and step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            names, wanted = (*names, step.argval), wanted or step.opname == "LOAD_METHOD"
        else:
            if names and wanted:
                found[at] = names
            names = (step.argval,) if step.opname in _LOADS else ()
            wanted = last == "PUSH_NULL" or (step.opname == "LOAD_GLOBAL" and bool((step.arg or 0) & 1))
        at, last = step.offset, step.opname
    return found


def _value(names, frame) -> Callable | None:
    """What `names` stand for in a frame, without running any code of its owner."""
    first, *rest = names
    missing: Any = None
    for scope in (frame.f_locals, frame.f_globals, frame.f_builtins):
        if first in scope:
            missing = scope[first]
            break
    for name in rest:
        if missing is None:
            return None
        look = getattr if isinstance(missing, ModuleType) else inspect.getattr_static
        missing = look(missing, name, None)
    return missing
