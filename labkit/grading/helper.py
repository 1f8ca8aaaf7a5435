"""A process of our own that works for this one: it speaks over one line, and dies with the process that started it."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from socket import socketpair

from ..jail import die_with

LONELY = 0.5  # seconds between two looks for the process that started us


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
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},  # as in the jail
            )
        self.line = Connection(ours.detach())
        self.ended_by = 0

    @property
    def is_lost(self) -> bool:
        """True where the process has ended."""
        return self.process.poll() is not None

    def end(self) -> None:
        """Let the process end by itself: nobody speaks to it any more."""
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
