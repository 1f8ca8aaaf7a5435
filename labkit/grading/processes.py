"""Child processes that end with this one. A `Reader` opens files in formats such as archives in one of them.

Such a process has limits on memory and CPU time (`bounds`). A file that exceeds them affects only itself and is named: the
process is ended, and the next question goes to a new one.
"""

import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from socket import socketpair
from typing import Any

from ..sandbox import die_with
from .bounds import Bounds, Exceeded, bounded, limit_memory
from .files import SubmissionError

LONELY = 0.5  # seconds between two looks for the process that started us
OVER_LIMITS = "{name} exceeds the limits for opening a file, and was skipped. Ask for the notebook itself."
UNREADABLE = "{name} cannot be opened ({kind}). Ask for it again."


class Helper:
    """A process in which `serve(line)` of a module of this package runs; `line` can be read when something has come."""

    def __init__(self, module: str) -> None:
        ours, theirs = socketpair()
        with theirs:
            code = (
                f"import sys; sys.path[:] = {sys.path!r}; from {module} import serve; from {__name__} import line_of; "
                f"serve(line_of({theirs.fileno()}))"
            )
            self.process = subprocess.Popen(
                [sys.executable, "-c", code, str(os.getpid())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},  # as in the sandbox
            )
        self.line = Connection(ours.detach())
        self.ended_by = 0

    @property
    def is_lost(self) -> bool:
        """True where the process has ended."""
        return self.process.poll() is not None

    def end(self) -> None:
        """Close the connection, so that the process ends by itself."""
        self.line.close()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        self.kill()

    def kill(self) -> None:
        """End the process; `ended_by` then is the signal that it ended by."""
        self.process.kill()
        self.ended_by = -self.process.wait()
        self.line.close()


def line_of(number: int) -> Connection:
    """In a helper: the line to the process that has started it, over the socket `number`."""
    leader = int(sys.argv[1])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; it is for the process that hands out the work
    threading.Thread(target=_end_with, args=(leader,), daemon=True).start()
    die_with(leader)
    return Connection(number)


def _end_with(leader):
    """End this process, and with it what it has started, when its leader has gone; where the kernel does not do it."""
    while os.getppid() == leader:
        time.sleep(LONELY)
    os._exit(1)


PATIENCE = 900.0  # seconds for one question, on however slow a machine
TRIES = 3  # processes that one question may cost


class Reader:
    """Asks a process of its own; use it with `with`, or it ends when it is garbage-collected."""

    def __init__(self, bounds: Bounds | None = None) -> None:
        self.bounds = bounds or Bounds()
        self._helper: Helper | None = None
        self._ended: Any = None

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *ignored: Any) -> None:
        self.end()

    def end(self) -> int:
        """End the process, and return the signal that it had ended by, if any; a further question starts another one."""
        helper, self._helper = self._helper, None
        if helper is None:
            return 0
        self._ended()
        return helper.ended_by

    def ask(self, name: str, what: Callable[..., Any], *args: Any) -> Any:
        """What the function `what` of a module returns for `args`, found there; before them it gets a dict to keep things in.

        Raises SubmissionError with what is wrong with the file `name`, also where it takes more than it may.
        """
        for _ in range(TRIES):
            is_new = self._helper is None
            try:
                is_told, told, worn = self._answer(name, what, args)
            except (EOFError, OSError):  # lost, perhaps at a limit that only the kernel keeps
                if self.end() == signal.SIGXCPU and is_new:
                    break
                continue
            if worn:
                self.end()
                if not is_new:  # what it opened before has its part in it
                    continue
            if is_told:
                return told
            raise told
        raise SubmissionError(OVER_LIMITS.format(name=name))

    def _answer(self, name: str, what: Any, args: Any) -> tuple[bool, Any, bool]:
        if self._helper is None or self._helper.is_lost:
            self.end()
            self._helper = Helper(__name__)
            self._ended = weakref.finalize(self, self._helper.kill)
            self._helper.line.send(self.bounds)
        line = self._helper.line
        line.send((name, what, args))
        until = time.monotonic() + PATIENCE
        while not line.poll(1.0):
            if time.monotonic() > until:
                raise TimeoutError
        is_told, told, worn = line.recv()
        return is_told, line.recv_bytes() if told is bytes else told, worn


def serve(line: Connection) -> None:
    """Answer questions until the connection is closed."""
    kept: dict[Any, Any] = {}
    try:
        bounds = line.recv()
        limit_memory(bounds.megabytes)
        while True:
            is_told, told, worn = _told(bounds, kept, *line.recv())
            if isinstance(told, bytes):  # as it is: to pickle it takes twice the memory
                line.send((is_told, bytes, worn))
                line.send_bytes(told)
            else:
                line.send((is_told, told, worn))
    except (EOFError, ConnectionError, MemoryError):
        pass


def _told(bounds: Bounds, kept: dict[Any, Any], name: str, what: Any, args: Any) -> tuple[bool, Any, bool]:
    """Whether it is the answer or an error, what it is, and whether this process had too much of it."""
    try:
        with bounded(f"Opening {name}", bounds.reading):
            return True, what(kept, *args), False
    except Exceeded as excess:
        kept.clear()
        return False, SubmissionError("{excess} Ask for the notebook itself.".format(excess=excess)), True
    except SubmissionError as error:
        return False, error, False
    except Exception as error:  # whatever a file holds, the next one is still to be opened
        return False, SubmissionError(UNREADABLE.format(name=name, kind=type(error).__name__)), True
