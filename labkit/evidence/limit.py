"""A time limit for a student's code: an exception that is raised again until every loop has ended, even if it is caught.

What wakes us at the deadline is an alarm in the main thread, elsewhere a timer, and without threads (the browser) nothing is
needed, because we look from the start. From Python 3.12 on, `sys.monitoring` then raises `TimeUp` at each line, jump and call of
Python code, in the first second only in the learner's own file, so that no library's clean-up is cut short. Python 3.11
does it by tracing, which ends with the first exception: there a bare `except` in a loop is left by an alarm alone. A
single call into compiled code that does not return cannot be interrupted.
"""

import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

GRACE = 1.0  # seconds that other code is given to come back to the learner's lines
TICK = 0.05
_OURS = tuple(str(Path(__file__).with_name(name)) for name in ("limit.py", "calling.py", "trying.py", "observers.py"))
_MONITORED = hasattr(sys, "monitoring")
_limits: dict[int, list["time_limit"]] = {}  # by thread
_lock = threading.Lock()
_tool: int | None = None


class TimeUp(BaseException):
    """The time limit. No `Exception`, so that a student's `except Exception` does not hide it."""


class time_limit:
    """Raise `TimeUp` in what the block calls after `seconds`: first at lines of `file`, a second later in any Python code.

    That second keeps a library's clean-up whole. With `wall`, `seconds` are of this process's CPU time, as far as an alarm
    can tell it, and it may take `wall` seconds on the clock: neighbours may have the processor meanwhile. Raises ValueError
    for no number of seconds.

    >>> try:
    ...     with time_limit(0.05, __file__):
    ...         exec("while True: pass", {})
    ... except TimeUp:
    ...     print("left")
    left
    """

    def __init__(self, seconds: float, file: str | None, wall: float | None = None) -> None:
        if not seconds >= 0:
            raise ValueError(f"time_limit: expected seconds, but got {seconds!r}")
        self.seconds, self.file, self.wall = seconds, file, seconds if wall is None else wall

    def __enter__(self) -> None:
        self._began, self._rang, self.always = time.monotonic(), False, False
        self._spent = time.process_time()
        self.deadline = self._began + self.seconds
        self.thread, self.traced = threading.get_ident(), sys.gettrace()
        self._timer: threading.Timer | None = None
        self._block = sys._getframe(1).f_code
        _limits.setdefault(self.thread, []).append(self)
        self.by_alarm = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
        if self.by_alarm:
            self._handler = signal.signal(signal.SIGALRM, self._ring)
            self._other = signal.setitimer(signal.ITIMER_REAL, self.seconds, TICK)
        elif _MONITORED:
            self._begin_timer()
        else:
            sys.settrace(self._trace)

    def __exit__(self, *error: Any) -> None:
        self.deadline = float("inf")
        if self.by_alarm:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._handler)
            if self._other[0]:
                left = self._other[0] - (time.monotonic() - self._began)
                signal.setitimer(signal.ITIMER_REAL, max(left, 1e-3), self._other[1])
        if self._timer is not None:
            self._timer.cancel()
        sys.settrace(self.traced)
        _sleep(self)

    def _begin_timer(self):
        self._timer = threading.Timer(self.seconds, _wake)
        self._timer.daemon = True
        try:
            self._timer.start()
        except RuntimeError:  # no threads here
            self._timer, self.always = None, True
            _wake()

    def reaches(self, code: CodeType) -> bool:
        """True where this code is now to be left: never the block itself, which still has to come to its end."""
        late, file = time.monotonic() - self.deadline, code.co_filename
        return late >= 0 and code is not self._block and file not in _OURS and (file == self.file or late > GRACE)

    def _ring(self, signum: int, frame: FrameType | None) -> None:
        """The alarm: once at the deadline, then again and again, because what is raised may be caught."""
        if not self._rang and self._goes_on():
            return
        inside = frame is None or self.reaches(frame.f_code)
        if _MONITORED:
            _wake()
        elif self._rang or not inside:  # a library is at work, or a bare `except` has hidden the first TimeUp
            self._raise_at_next_line(frame)
        self._rang = True
        if inside:
            raise TimeUp

    def _goes_on(self):
        """True where there is CPU time left, and time on the clock: then the alarm is set again."""
        now = time.monotonic()
        left = min(self.seconds - (time.process_time() - self._spent), self._began + self.wall - now)
        if left <= 0 or self.wall <= self.seconds:
            return False
        self.deadline = now + left
        signal.setitimer(signal.ITIMER_REAL, left, TICK)
        return True

    def _raise_at_next_line(self, frame):
        while frame is not None and frame.f_code.co_filename not in _OURS:
            frame.f_trace = self._trace
            frame = frame.f_back
        sys.settrace(self._trace)

    def _trace(self, frame: FrameType, event: str, arg: Any) -> Any:
        """For `sys.settrace`. Raises at a line and never at an exception, where the same handler would hide it."""
        if event == "line" and self.reaches(frame.f_code):
            raise TimeUp
        return self._trace


def _look(code: CodeType, *where: Any) -> None:
    """For `sys.monitoring`: raise where code of this file is to be left."""
    for limit in _limits.get(threading.get_ident(), ()):
        if limit.reaches(code):
            raise TimeUp


def _look_early(code: CodeType, *where: Any) -> object:
    """The same, where we look from the start: at this place of a library no more. Its loops are seen at their jumps."""
    _look(code)
    file, now = code.co_filename, time.monotonic()
    early = all(
        one.always and file != one.file and now < one.deadline for some in list(_limits.values()) for one in some
    )
    return sys.monitoring.DISABLE if early else None  # type: ignore[attr-defined]


def _wake() -> None:
    """Look at every line, jump and call from now on."""
    global _tool
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined]
    if not _lock.acquire(blocking=False):  # the alarm, while we are at it: it comes again
        return
    try:
        if _tool is None:
            _tool = next((number for number in (4, 3) if monitoring.get_tool(number) is None), None)
            if _tool is None:
                return
            monitoring.use_tool_id(_tool, "labkit.time_limit")
        events = monitoring.events
        watched = {events.JUMP: _look} | dict.fromkeys((events.LINE, events.PY_START, events.PY_RESUME), _look_early)
        for event, look in watched.items():  # again at each alarm: deep in a recursion this may have failed half-way
            monitoring.register_callback(_tool, event, look)
        monitoring.restart_events()
        monitoring.set_events(_tool, sum(watched))
    finally:
        _lock.release()


def _sleep(limit: time_limit) -> None:
    """This limit is over; without any other one past its deadline, nothing is looked at any more."""
    global _tool
    own = _limits.get(limit.thread, [])
    with suppress(ValueError):
        own.remove(limit)
    if not own:
        _limits.pop(limit.thread, None)
    with _lock:
        others = [one for some in list(_limits.values()) for one in some]
        due = [one for one in others if one.always or one.deadline <= time.monotonic()]
        if _tool is not None and not due:
            monitoring: Any = sys.monitoring  # type: ignore[attr-defined]
            monitoring.set_events(_tool, 0)
            monitoring.free_tool_id(_tool)
            _tool = None
