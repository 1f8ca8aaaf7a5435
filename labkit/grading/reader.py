"""A process that opens for us what others have made and what has a format: archives, repositories.

It has limits on memory and CPU time (`bounds`). What takes more is a sentence, and costs what was asked for alone: the
process is ended, and the next question goes to a new one. It is started with the first question.
"""

import signal
import time
import weakref
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from .bounds import Bounds, Exceeded, bounded, limit_memory
from .helper import Helper
from .opening import SubmissionError

PATIENCE = 900.0  # seconds for one question, on however slow a machine
TRIES = 3  # processes that one question may cost


class Reader:
    """Asks a process of its own; use it with `with`, or it ends when nobody has it any more."""

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
        raise SubmissionError(f"{name} takes more than it may to be opened, and was left. Ask for the notebook itself.")

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
    """What the process does: answer, until nobody is at the other end."""
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
        with bounded(f"To open {name}", bounds.reading):
            return True, what(kept, *args), False
    except Exceeded as excess:
        kept.clear()
        return False, SubmissionError(f"{excess} Ask for the notebook itself."), True
    except SubmissionError as error:
        return False, error, False
    except Exception as error:  # whatever a file holds, the next one is still to be opened
        return False, SubmissionError(f"{name} cannot be opened ({type(error).__name__}). Ask for it again."), True
