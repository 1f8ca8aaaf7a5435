"""Archives as other people made them, looked into from outside: a `reader.Reader` opens them, and tells what is there."""

import os
from datetime import tzinfo
from pathlib import Path
from typing import Any

from .archives import OF_ONE, Archive
from .opening import LIMIT, Parts, Seen, joined, on_one_line, open_below
from .reader import Reader

Place = tuple[Parts, ...]  # the file in the folder or archive at the top, then the one in that archive, ...
LAST = 4  # archives that the reader keeps open


class Sealed:
    """An archive below `root`, a trusted folder or itself the archive, that is opened by a `reader`."""

    def __init__(self, reader: Reader, root: Path, place: Place = (), zone: tzinfo | None = None) -> None:
        """Raises SubmissionError, a sentence, for what is no archive, a damaged one, and one with too many entries."""
        self._reader, self._at, self.root = reader, (root.absolute(), place, zone), root
        self.name = _called(root, place)
        self.outside: list[str] = self._ask(_outside)
        self._is_folder: dict[Parts, bool] = {}

    def names(self, parts: Parts) -> list[str]:
        """The names in a folder of the archive, in order."""
        listed = self._ask(_listed, parts)
        self._is_folder.update({(*parts, name): is_folder for name, is_folder in listed})
        return [name for name, _ in listed]

    def is_folder(self, parts: Parts) -> bool:
        """True where something lies below."""
        if parts not in self._is_folder and parts:
            self.names(parts[:-1])
        return self._is_folder.get(parts, not parts)

    def seen(self, parts: Parts) -> Seen:
        """What the archive says about an entry."""
        return self._ask(_seen, parts)

    def read(self, parts: Parts, limit: int = LIMIT) -> bytes:
        """The bytes of an entry, at most `limit`, whatever the archive says of its size. Raises SubmissionError."""
        return self._ask(_read, parts, limit)

    def within(self, parts: Parts) -> "Sealed":
        """The archive that is an entry of this one. Raises SubmissionError."""
        _, place, zone = self._at
        return Sealed(self._reader, self.root, (*place, parts), zone)

    def forget(self) -> None:
        """Say that nobody asks for it now: it may have taken much memory."""
        self._ask(_forget)

    def path(self, parts: Parts) -> Path:
        """The archive on the disk; its name where it lies in another one."""
        return self.root if not self._at[1] else Path(self.name)

    def _ask(self, what: Any, *args: Any) -> Any:
        return self._reader.ask(self.name, what, self._at, *args)


def _called(root: Path, place: Place) -> str:
    return joined([part for parts in place for part in parts]) or on_one_line(root.name)


# ---- in the reader ----


def _opened(kept: dict[Any, Any], at: tuple[Path, Place, tzinfo | None]) -> Archive:
    """The archive at a place; the last ones stay open, as long as their file on the disk is the same."""
    root, place, zone = at
    key = at, _stamp(root if root.is_file() or not place else root.joinpath(*place[0]))
    if key not in kept:
        if not place:
            found = Archive(root, on_one_line(root.name), zone=zone)
        else:
            *above, last = place
            in_file = not above and root.is_dir()
            data = open_below(root, last) if in_file else _opened(kept, (root, tuple(above), zone)).read(last)
            found = Archive(data, _called(root, place), OF_ONE, zone)
        inner = [old for old in kept if old[0][1]][: 1 - LAST]  # the one at the top stays: all others are in it
        for old in {*inner, *(old for old in kept if old[0] == at)}:
            del kept[old]
        kept[key] = found
    return kept[key]


def _stamp(file: Path) -> tuple[int, ...]:
    try:
        status = os.lstat(file)
    except OSError:
        return ()
    return status.st_ino, status.st_size, status.st_mtime_ns


def _outside(kept: dict[Any, Any], at: Any) -> list[str]:
    return _opened(kept, at).outside


def _forget(kept: dict[Any, Any], at: Any) -> None:
    for old in [old for old in kept if old[0] == at]:
        del kept[old]


def _listed(kept: dict[Any, Any], at: Any, parts: Parts) -> list[tuple[str, bool]]:
    archive = _opened(kept, at)
    return [(name, archive.is_folder((*parts, name))) for name in archive.names(parts)]


def _seen(kept: dict[Any, Any], at: Any, parts: Parts) -> Seen:
    return _opened(kept, at).seen(parts)


def _read(kept: dict[Any, Any], at: Any, parts: Parts, limit: int) -> bytes:
    return _opened(kept, at).read(parts, limit)
