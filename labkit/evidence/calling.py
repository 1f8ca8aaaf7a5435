"""Call a student's function once, and come back whatever it does: return, raise, print, or never end."""

import inspect
import linecache
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from typing import Any

import numpy as np

LONGEST = 20_000  # characters of what is printed
GRACE = 20  # ticks of 0.05 s that library code is given to come back to the student's lines


class TimeUp(BaseException):
    """The time limit. No `Exception`, so that a student's `except Exception` does not hide it."""


@dataclass(frozen=True)
class CallOutcome:
    """What one call did: `kind` is "value", "error" or "timeout"; `printed` is what it wrote to stdout.

    `error` is the error with its words and the last line of the student's own code; `error_place` is without its words.
    """

    kind: str
    value: Any = None
    error: str = ""
    error_place: str = ""
    printed: str = ""


def call(function: Callable, args: tuple, seconds: float = 5.0) -> CallOutcome:
    """Run `function(*args)` for at most `seconds`; NumPy's error state, stdout, signals and trace are put back."""
    out, file = Printed(), source_file(function)
    try:
        with redirect_stdout(out), np.errstate(), time_limit(seconds, file):
            return CallOutcome("value", function(*args), printed=out.getvalue())
    except TimeUp:
        return CallOutcome("timeout", error=f"it ran for more than {seconds:g} s", printed=out.getvalue())
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return CallOutcome("error", None, *error_text(error, file), printed=out.getvalue())


def source_file(function: Callable) -> str | None:
    """The file (or notebook cell) that the function's code comes from; None for what has no Python code."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code.co_filename if code else None


class Printed(StringIO):
    """Keeps the first characters that are printed, and lets the rest go by."""

    def write(self, text: str) -> int:
        """Keep what still fits; returns the length of `text`, as if all of it did."""
        super().write(text[: max(LONGEST - self.tell(), 0)])
        return len(text)


def error_text(error: BaseException, file: str | None) -> tuple[str, str]:
    """`ValueError: message (line 2: return x / y)`, with the last line of the code in `file`; the same without message."""
    name = type(error).__name__
    try:
        first = str(error).strip().splitlines()[:1]
    except Exception:  # an error of the student's own, which fails at telling
        first = []
    lines = [number for frame, number in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    code = linecache.getline(file, lines[-1]).strip() if lines and file else ""
    place = f" (line {lines[-1]}{': ' + code if code else ''})" if lines else ""
    return ": ".join([name, *first]) + place, name + place


@contextmanager
def time_limit(seconds: float, file: str | None) -> Iterator[None]:
    """Raise `TimeUp` after `seconds`, at a line of `file`, so that no library's clean-up is cut short.

    In the main thread an alarm wakes us; elsewhere, and where the system has no alarm, each line of `file` looks at the
    clock. A single call into compiled code cannot be interrupted.
    """
    alarm = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    with _alarm(seconds, file) if alarm else _watched(time.monotonic() + seconds, file):
        yield


@contextmanager
def _watched(deadline, file):
    before = sys.gettrace()
    sys.settrace(_tracer(deadline, file))
    try:
        yield
    finally:
        sys.settrace(before)


def _tracer(deadline, file):
    def trace(frame, event, arg):
        if frame.f_code.co_filename != file:
            return None
        if event == "line" and time.monotonic() > deadline:  # at an "exception" event, the same handler would hide it
            raise TimeUp
        return trace

    return trace


def _raise_at_next_line(frame, file):
    """Let `frame` and its callers up to our own `call` raise `TimeUp` at the next line of `file` that they run."""
    trace = _tracer(0.0, file)
    while frame is not None and frame.f_code is not call.__code__:
        if frame.f_code.co_filename == file:
            frame.f_trace = trace
        frame = frame.f_back
    sys.settrace(trace)


@contextmanager
def _alarm(seconds, file):
    ticks = 0

    def ring(signum, frame):
        nonlocal ticks
        ticks += 1
        inside = frame is None or frame.f_code.co_filename == file
        if ticks > 1 or not inside:  # a library is at work, or a bare `except` has hidden the first TimeUp
            _raise_at_next_line(frame, file)
        if inside or ticks > GRACE:
            raise TimeUp

    started, traced, handler = time.monotonic(), sys.gettrace(), signal.signal(signal.SIGALRM, ring)
    remaining, interval = signal.setitimer(signal.ITIMER_REAL, seconds, 0.05)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        sys.settrace(traced)
        if remaining:
            signal.setitimer(signal.ITIMER_REAL, max(remaining - (time.monotonic() - started), 1e-3), interval)
