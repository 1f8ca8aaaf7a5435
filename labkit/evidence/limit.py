"""A time limit for a student's code: an exception that is raised again until every loop has ended, even if it is caught.

In the main thread an alarm wakes us at the deadline and, because a bare `except` may catch what is raised, every 50 ms after it;
it raises at once in the student's file, and a second later in any Python code, so that a library's clean-up stays whole. On
Windows, in other threads and in the browser there are no alarms: there each line of the student's file is traced. A single
call into compiled code that does not return cannot be interrupted.
"""

import signal
import sys
import threading
import time
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

GRACE = 1.0  # seconds after the deadline in which a library's code is not interrupted
TICK = 0.05
_OURS = tuple(str(Path(__file__).with_name(name)) for name in ("limit.py", "calling.py", "trying.py", "observers.py"))


class TimeUp(BaseException):
    """The time limit. No `Exception`, so that a student's `except Exception` does not hide it."""


class time_limit:
    """Raise `TimeUp` in what the block calls after `seconds`: first at lines of `file`, a second later in any Python code.

    With `wall`, `seconds` are of this process's CPU time, as far as an alarm can tell it, and it may take `wall` seconds on
    the clock: other processes may use the processor meanwhile. Raises ValueError for no number of seconds.

    >>> try:
    ...     with time_limit(0.05, __file__):
    ...         exec("while True: pass", {})
    ... except TimeUp:
    ...     print("left")
    left
    """

    def __init__(self, seconds: float, file: str | None, wall: float | None = None) -> None:
        if not seconds >= 0:
            raise ValueError("time_limit: expected seconds, but got {seconds!r}".format(seconds=seconds))
        self.seconds, self.file, self.wall = seconds, file, seconds if wall is None else wall

    def __enter__(self) -> None:
        self._began, self._spent, self._rang = time.monotonic(), time.process_time(), False
        self.deadline = self._began + self.seconds
        self._traced, self._block = sys.gettrace(), sys._getframe(1).f_code
        self._alarm = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
        if self._alarm:
            self._handler = signal.signal(signal.SIGALRM, self._ring)
            self._other = signal.setitimer(signal.ITIMER_REAL, self.seconds, TICK)
        else:
            sys.settrace(self._trace)

    def __exit__(self, *error: Any) -> None:
        self.deadline = float("inf")
        if self._alarm:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._handler)
            if self._other[0]:  # a limit around this one
                left = self._other[0] - (time.monotonic() - self._began)
                signal.setitimer(signal.ITIMER_REAL, max(left, 1e-3), self._other[1])
        sys.settrace(self._traced)

    def reaches(self, code: CodeType) -> bool:
        """True where this code is now to be left: never the block itself, which still has to come to its end."""
        late, file = time.monotonic() - self.deadline, code.co_filename
        return late >= 0 and code is not self._block and file not in _OURS and (file == self.file or late > GRACE)

    def _ring(self, signum: int, frame: FrameType | None) -> None:
        """The alarm: once at the deadline, then again and again, because what is raised may be caught."""
        if not self._rang and self._goes_on():
            return
        inside = frame is None or self.reaches(frame.f_code)
        if self._rang or not inside:  # a library is at work, or a bare `except` has hidden the first TimeUp
            self._raise_at_next_line(frame)
        self._rang = True
        if inside:
            raise TimeUp

    def _goes_on(self) -> bool:
        """True where there is CPU time left, and time on the clock: then the alarm is set again."""
        now = time.monotonic()
        left = min(self.seconds - (time.process_time() - self._spent), self._began + self.wall - now)
        if left <= 0 or self.wall <= self.seconds:
            return False
        self.deadline = now + left
        signal.setitimer(signal.ITIMER_REAL, left, TICK)
        return True

    def _raise_at_next_line(self, frame: FrameType | None) -> None:
        while frame is not None and frame.f_code.co_filename not in _OURS:
            frame.f_trace = self._trace
            frame = frame.f_back
        sys.settrace(self._trace)

    def _trace(self, frame: FrameType, event: str, arg: Any) -> Any:
        """For `sys.settrace`. Raises at a line and never at an exception, where the same handler would hide it."""
        if event == "line" and self.reaches(frame.f_code):
            raise TimeUp
        return self._trace if self._rang or frame.f_code.co_filename == self.file else None
