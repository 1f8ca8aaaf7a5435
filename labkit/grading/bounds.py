"""Limits on what the grader itself may use for one submission, outside the sandbox.

    with bounded("Reading the file", 20.0):
        ...

Raises `Exceeded`, with a sentence that says what was exceeded, as soon as Python code runs again; a single call
into compiled code that does not return costs the process, which is why submissions are graded in one of their own
(`worker`). Other threads than the main one have no such limit.
"""

import signal
import sys
import threading
import time
from dataclasses import dataclass
from math import ceil
from types import FrameType
from typing import Any

SOON = 2  # CPU seconds that Python has to raise what is to be raised
AGAIN = 0.1  # CPU seconds until what was raised is raised again, if something has hidden it
OVER_TIME = "{what} took more than {seconds:g} seconds of CPU time, and was stopped."


@dataclass(frozen=True)
class Bounds:
    """CPU seconds to read a file, to read all that its code says, and to judge one question; and memory for all of it.

    `megabytes` come on top of what a worker has when it begins: a notebook of 20 MB takes up to 150.
    """

    reading: float = 20.0
    talking: float = 60.0
    judging: float = 20.0
    megabytes: int = 240


class Exceeded(BaseException):
    """More than the grader may use. No `Exception`, so that nothing on the way hides it."""


class bounded:
    """Raise `Exceeded` in what the block does after `seconds` of CPU time, and where there is not enough memory.

    >>> with bounded("Counting", 20.0):
    ...     sum(range(10))
    45
    """

    def __init__(self, what: str, seconds: float) -> None:
        self.seconds, self.words = seconds, OVER_TIME.format(what=what, seconds=seconds)
        self.no_memory = "{what} took more memory than its limit, and was stopped.".format(what=what)
        self.limited = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()

    def __enter__(self) -> None:
        self.began = time.process_time()
        if self.limited:
            signal.signal(signal.SIGPROF, _ring)  # for ever: a late signal must find somebody
            _bounds.append(self)
            _set()

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, MemoryError):
            _let_go(error)  # first, for there is no memory to do anything else
        if self.limited:
            _bounds.pop()
            _set()
        if isinstance(error, MemoryError):
            raise Exceeded(self.no_memory) from None

    @property
    def left(self) -> float:
        """CPU seconds, not less than those in which `Exceeded` is to come again."""
        return max(self.seconds - (time.process_time() - self.began), AGAIN)


_bounds: list[bounded] = []  # those of the main thread, the innermost last


def _let_go(error: BaseException | None) -> None:
    """Drop what the functions held that an error came from: without it there is no memory to say anything."""
    while error is not None:
        trace, error = error.__traceback__, error.__context__
        while trace is not None:
            try:  # noqa: SIM105 (which makes an object)
                trace.tb_frame.clear()
            except RuntimeError:  # it still runs
                pass
            trace = trace.tb_next


def _ring(number: int, frame: FrameType | None) -> None:
    """For SIGPROF: raise, if a bound is over; not while a bound is being set or taken away, which must come to its end."""
    if frame is not None and frame.f_globals is globals():
        return  # it rings again
    for bound in _bounds:
        if time.process_time() - bound.began >= bound.seconds:
            raise Exceeded(bound.words)


def _set() -> None:
    """Ring when the first bound is over; the kernel ends the process soon after, where no Python code is reached.

    That is so in compiled code, and where there is no memory for an object: Python 3.11 then looks for a handler for ever.
    """
    left = min((bound.left for bound in _bounds), default=0.0)
    signal.setitimer(signal.ITIMER_PROF, left, AGAIN if left else 0.0)
    import resource  # here, because other systems have no such module

    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    soft = ceil(time.process_time() + left) + SOON if left else hard
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


def limit_memory(megabytes: int) -> None:
    """Let this process have so much more memory than now, then `MemoryError`; only Linux can hold it to that."""
    if sys.platform.startswith("linux"):
        import resource

        with open("/proc/self/status", encoding="ascii", errors="replace") as file:
            held = next(int(line.split()[1]) << 10 for line in file if line.startswith("VmData"))
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        most = held + (megabytes << 20)
        resource.setrlimit(resource.RLIMIT_DATA, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
