"""Watches the side effects of a function while it is recorded for a program.

A list appended to, a global written or a random number drawn would happen once, when the program is recorded, and never
again when it runs. Python's profiling hook sees calls as they are made, and the states of random generators show what was
drawn between one op and the next, so the error can name the line.
"""

import dis
import random
import sys
import time
from collections import deque
from functools import lru_cache

import numpy as np

from ..engine import is_own, user_site
from .nodes import TraceError, recorder

_CHANGES = {
    "append", "appendleft", "extend", "insert", "pop", "popleft", "remove", "clear", "sort", "reverse", "update", "setdefault",
    "add", "discard",
}  # fmt: skip
_CLOCKS = {time.time, time.time_ns, time.perf_counter, time.perf_counter_ns, time.monotonic, time.process_time}


class Drawn(TraceError):
    """A random number was drawn; known precisely only while every op is watched."""


class side_effects_refused:
    """While open, what runs in this thread raises TraceError where user code has a side effect; the profiler is put back.

    Whether a random number was drawn is known at the end; with `precise` at every op, which finds the line but takes time.
    """

    def __init__(self, precise=False):
        self.precise = precise

    def __enter__(self):
        self.before = sys.getprofile(), recorder.on_op
        self.generators = {id(random._inst): random._inst, id(np.random.mtrand._rand): np.random.mtrand._rand}
        self.states = {key: _state(generator) for key, generator in self.generators.items()}
        recorder.on_op = self.nothing_drawn if self.precise else None
        sys.setprofile(self._watch)

    def __exit__(self, kind, error, traceback):
        profiler, recorder.on_op = self.before
        if enable := getattr(profiler, "enable", None):  # one of cProfile
            sys.setprofile(None)
            enable()
        else:
            sys.setprofile(profiler)
        if kind is None:
            self.nothing_drawn()

    def _watch(self, frame, event, argument):
        code = frame.f_code
        if event == "call" and is_own(code.co_filename):
            if written := _outer_variable_written(code):
                name, line = written
                what = "write the outer variable {name!r}".format(name=name)
                raise TraceError(_message(code.co_filename, line, what))
            for held in _held(frame):
                if isinstance(held, (np.random.Generator, np.random.RandomState)) and id(held) not in self.generators:
                    self.generators[id(held)], self.states[id(held)] = held, _state(held)
        elif event == "c_call" and is_own(code.co_filename) and (what := _side_effect(argument, frame)):
            raise TraceError(_message(code.co_filename, frame.f_lineno, what))

    def nothing_drawn(self) -> None:
        """Raise `Drawn` if a generator's state has changed."""
        for key, generator in self.generators.items():
            if _state(generator) != self.states[key]:
                file, line = user_site()
                raise Drawn(_message(file, line, "draw random numbers with NumPy's or Python's generators"))


def _side_effect(called, frame):
    """What a builtin called by the user's function does to things that outlive the call, in words; None if nothing."""
    name, owner = called.__name__, called.__self__
    if name in _CHANGES and isinstance(owner, (list, dict, set, deque)) and any(owner is held for held in _held(frame)):
        return "change a {kind} from outside with .{name}()".format(kind=type(owner).__name__, name=name)
    if called is next and any(hasattr(type(held), "__next__") for held in _held(frame)):
        return "take the next of an iterator from outside"
    return "read the clock" if owner is time and called in _CLOCKS else None


def _state(generator):
    """What changes whenever a number is drawn."""
    if isinstance(generator, random.Random):
        return generator.getstate()
    if not isinstance(generator, np.random.RandomState):
        return repr(generator.bit_generator.state)
    state = generator.get_state(legacy=False)
    inner = {k: v.tobytes() if isinstance(v, np.ndarray) else v for k, v in state["state"].items()}
    return state["has_gauss"], state["gauss"], inner


def _held(frame):
    """What a function's globals, closure and own network hold: things that outlive the call."""
    yield from (frame.f_locals.get(name) for name in frame.f_code.co_freevars)
    yield from (frame.f_globals.get(name) for name in frame.f_code.co_names)
    yield from getattr(frame.f_locals.get("self"), "__dict__", {}).values()


def is_user(code) -> bool:
    """Whether code is the user's: neither a library's nor installed."""
    return is_own(code.co_filename)


@lru_cache(maxsize=1024)
def _outer_variable_written(code):
    """The first outer variable that a function's code writes, and the line; None if it writes none."""
    line = code.co_firstlineno
    for step in dis.get_instructions(code):
        line = getattr(step, "line_number", None) or step.starts_line or line  # 3.13 has line_number
        outer = step.opname == "STORE_DEREF" and step.argval in code.co_freevars
        if outer or (step.opname == "STORE_GLOBAL" and code.co_name != "<module>"):
            return step.argval, line
    return None


def _message(file, line, what):
    return _ONCE.format(file=file, line=line, action=what)


_ONCE = (
    "{file}:{line}: a compiled function cannot {action}: it would happen once, when the function is recorded, and not "
    "again when the program runs. Return the value or pass it in, or do not compile this function."
)
