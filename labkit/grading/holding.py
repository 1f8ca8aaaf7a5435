"""One run at a time for one journal: a lock on its file, from a run's start to its end, which ends with its process."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .journal import JournalError, begun_alone


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Keep every other run off the journal at `path`, which is made if it is not there; a file without a result is removed.

    Raises JournalError where another run holds it, on this machine or one that shares the folder, as far as the file
    system knows locks. What this process starts does not hold it.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, held(Path(folder, "g.journal")):
    ...     try:
    ...         with held(Path(folder, "g.journal")):
    ...             pass
    ...     except JournalError as error:
    ...         print(str(error).partition(":")[0])
    g.journal is in use
    """
    number = _locked(path)
    try:
        yield
    finally:
        with suppress(OSError):
            if os.path.samestat(os.fstat(number), os.stat(path)) and begun_alone(path):
                os.unlink(path)
        os.close(number)


def _locked(path: Path) -> int:
    """A descriptor of the file that holds the lock."""
    while True:
        number = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        try:
            _lock(number, path)
            if os.path.samestat(os.fstat(number), os.stat(path)):
                return number
        except FileNotFoundError:  # whoever had it has removed it: a new one
            pass
        except BaseException:
            os.close(number)
            raise
        os.close(number)


def _lock(number, path):
    try:
        import fcntl
    except ImportError:  # Windows, where nothing is graded
        return
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise JournalError(
            f"{path.name} is in use: another run grades into {path.parent}. Wait until it has ended, or name another --out."
        ) from None
    except OSError:  # a file system without locks: then `Journal.add` sees what another run has written
        pass
