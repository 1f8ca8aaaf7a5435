"""The memory and CPU time of a sandbox's programs, measured from outside."""

import sys
from contextlib import suppress


def usage_of(process: int) -> tuple[float, float]:
    """MB and CPU seconds of the children of a process: their own memory, and what they share that is not a file.

    CPU seconds are those of the processes that are there, and of the children that they have waited for.
    """
    import psutil

    held, spent = 0, 0.0
    with suppress(psutil.Error):
        for child in psutil.Process(process).children(recursive=True):
            with suppress(psutil.Error):
                held += _bytes_held_by(child)
                spent += sum(child.cpu_times()[:4])
    return held / 2**20, spent


def _bytes_held_by(process):
    """Bytes that a process holds; psutil's `shared` counts files and shared memory alike, so Linux is asked itself."""
    if not sys.platform.startswith("linux"):
        return process.memory_info().rss
    try:
        with open(f"/proc/{process.pid}/status", encoding="ascii", errors="replace") as file:
            lines = [line.split() for line in file if line.startswith(("RssAnon:", "RssShmem:"))]
    except OSError:  # it has ended
        return 0
    return sum(int(kilobytes) << 10 for _, kilobytes, *_ in lines)


class Meter:
    """How much CPU time the children of a process take from the first look on."""

    def __init__(self, process: int) -> None:
        self.process, self.spent = process, 0.0
        self.before: float | None = None

    def look(self) -> float:
        """Look again; returns the MB that they hold now."""
        megabytes, spent = usage_of(self.process)
        self.before = spent if self.before is None else self.before
        self.spent = spent - self.before
        return megabytes
