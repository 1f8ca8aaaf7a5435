"""Where submissions are: a folder, or a ZIP archive that a `Reader` opens. Nothing is unpacked, no link is followed.

An `Archive` is opened in a process of its own; `Sealed` stands for it in this one.
"""

import os
import stat
import struct
import zipfile
import zlib
from datetime import datetime, tzinfo
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from .files import (
    FOLDER,
    HIDDEN,
    LIMIT,
    LINK,
    TOO_LARGE,
    Parts,
    Seen,
    SubmissionError,
    joined,
    obstacle,
    on_one_line,
    open_below,
)  # fmt: skip
from .processes import Reader

ENTRIES = 100_000  # of an archive of a class; each takes up to 2 KB of memory
OF_ONE = 50_000  # of an archive that a student made; an environment of Python has some 20,000 files
DIRECTORY = 400  # bytes of an archive's table for each entry that it may have
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the others may take gigabytes to read
MANY_ENTRIES = "{name} has too many entries; at most {entries:,} are read."
UNREADABLE = "{name} cannot be read: {reason}."
NO_ARCHIVE = "{name} is not a ZIP archive, or is damaged ({error})."
DAMAGED = "{path} is damaged ({error}). Ask for it again."
NO_FOLDER = "There is no folder {root}; expected one that holds the students' notebooks."
NO_ORIGINAL = "The instructor's notebook {original} cannot be read: {reason}."
UNREADABLE_FOLDER = "The folder {path} cannot be read: {reason}. Give yourself permission to read it."
MANY_FILES = "The folder {path} holds more than {limit:,} files. Leave the notebook in it."
ORIGINAL = "{file} is the instructor's own notebook. Remove it, and put the student's file there."


class Archive:
    """A ZIP archive. Its entries are found by their names alone: what would lie outside is in `outside`."""

    def __init__(self, file: Path | bytes, name: str, entries: int = ENTRIES, zone: tzinfo | None = None) -> None:
        """Its times are meant in `zone`, otherwise in this computer's.

        Raises SubmissionError, a sentence, for what is not an archive, a damaged one, and one with too many entries.
        """
        self.name, self.outside, self._file, self._zone = name, list[str](), file, zone
        self._infos: dict[Parts, zipfile.ZipInfo] = {}
        self._folders: dict[Parts, set[str]] = {(): set()}
        try:
            with open(file, "rb") if isinstance(file, Path) else BytesIO(file) as opened:
                if _has_more(opened, entries):  # `zipfile` would read all of its table at once
                    raise SubmissionError(MANY_ENTRIES.format(name=name, entries=entries))
            self._zip = zipfile.ZipFile(file if isinstance(file, Path) else BytesIO(file))
        except OSError as error:
            raise SubmissionError(UNREADABLE.format(name=name, reason=error.strerror or error)) from None
        except (zipfile.BadZipFile, struct.error, ValueError, NotImplementedError) as error:
            raise SubmissionError(NO_ARCHIVE.format(name=name, error=on_one_line(str(error)))) from None
        known = dict[str, str]()  # each part of a name is held once
        for info in self._zip.infolist():
            self._add(info, known)
        self._zip.filelist, self._zip.NameToInfo = [], {}  # they are found by their parts

    def _add(self, info: zipfile.ZipInfo, known: dict[str, str]) -> None:
        head, *rest = _name(info).replace("\\", "/").removesuffix("/").split("/")
        parts = tuple(
            part for i, part in enumerate([head, *rest]) if part != "." and (part or not i)
        )  # as "./a//b" is a/b
        if len(parts) > 20 or any(part in ("", "..") or "\x00" in part for part in parts):
            self.outside.append(on_one_line(_name(info)))
            return
        if any(part.startswith(HIDDEN) for part in parts):
            return
        parts = tuple(known.setdefault(part, part) for part in parts)
        for depth in range(len(parts)):
            self._folders.setdefault(parts[:depth], set()).add(parts[depth])
        if info.is_dir():
            self._folders.setdefault(parts, set())
        else:
            self._infos[parts] = info

    def names(self, parts: Parts) -> list[str]:
        """The names in a folder of the archive, in order."""
        return sorted(self._folders.get(parts, ()))

    def is_folder(self, parts: Parts) -> bool:
        """True where it contains something."""
        return parts in self._folders

    def seen(self, parts: Parts) -> Seen:
        """What the archive says about an entry."""
        info, file = self._infos.get(parts), joined(parts)
        if info is None:
            return Seen(FOLDER.format(name=file))
        if stat.S_ISLNK(info.external_attr >> 16):
            return Seen(LINK.format(name=file))
        if info.flag_bits & 1:
            return Seen("{file} is encrypted. Ask for it without a password.".format(file=file))
        if info.compress_type not in METHODS:
            return Seen("{file} uses an unsupported compression method. Ask for a ZIP archive.".format(file=file))
        if info.file_size > LIMIT:
            return Seen(TOO_LARGE.format(name=file, size=info.file_size, limit=LIMIT))
        try:
            return Seen("", datetime(*info.date_time, tzinfo=self._zone).timestamp())
        except (ValueError, OverflowError, OSError):
            return Seen()

    def read(self, parts: Parts, limit: int = LIMIT) -> bytes:
        """The bytes of an entry, at most `limit`, whatever the archive says of its size. Raises SubmissionError."""
        if problem := self.seen(parts).problem:
            raise SubmissionError(problem)
        try:
            with self._zip.open(self._infos[parts]) as file:
                data = file.read(limit + 1)
        except (
            zipfile.BadZipFile,
            zlib.error,
            OSError,
            EOFError,
            ValueError,
            NotImplementedError,
            RuntimeError,
        ) as error:
            raise SubmissionError(DAMAGED.format(path=joined(parts), error=on_one_line(str(error)))) from None
        if len(data) > limit:
            raise SubmissionError(TOO_LARGE.format(name=joined(parts), size=len(data), limit=limit))
        return data

    def path(self, parts: Parts) -> Path:
        """The archive on the disk; its name where it is in another one."""
        return self._file if isinstance(self._file, Path) else Path(self.name)


def _name(info: zipfile.ZipInfo) -> str:
    """An entry's name; programs also write it in UTF-8 without saying so."""
    try:
        return info.filename if info.flag_bits & 0x800 else info.filename.encode("cp437").decode()
    except ValueError:
        return info.filename


def _has_more(file: BinaryIO, entries: int) -> bool:
    """True where an archive's table has more entries, or is larger than so many can be."""
    size, end = _table(file)
    if size > entries * DIRECTORY:
        return True
    file.seek(max(0, end - size))
    table, at = file.read(size), 0
    for _ in range(entries + 1):
        if table[at : at + 4] != b"PK\x01\x02" or at + 46 > len(table):
            return False
        at += 46 + sum(struct.unpack_from("<HHH", table, at + 28))  # with its name, what is added, and a comment
    return True


def _table(file: BinaryIO) -> tuple[int, int]:
    """The bytes of an archive's table of entries, as its end says, and where it ends."""
    size = file.seek(0, os.SEEK_END)
    start = max(0, size - 2**16 - 22)
    file.seek(start)
    end = file.read()
    at = end.rfind(b"PK\x05\x06")
    if at < 0 or len(end) < at + 22:
        raise zipfile.BadZipFile("it is truncated")
    told = struct.unpack("<I", end[at + 12 : at + 16])[0]
    big = end.rfind(b"PK\x06\x06", 0, at)
    if big >= 0 and len(end) >= big + 48:  # the table of a large archive
        told = max(told if told != 2**32 - 1 else 0, struct.unpack("<Q", end[big + 40 : big + 48])[0])
        at = big
    return told, start + at


Place = tuple[Parts, ...]  # the file in the folder or archive at the top, then the one in that archive, ...
LAST = 4  # archives that the reader keeps open


class Sealed:
    """An archive below `root`, a trusted folder or itself the archive, that is opened by a `reader`."""

    def __init__(self, reader: Reader, root: Path, place: Place = (), zone: tzinfo | None = None) -> None:
        """Raises SubmissionError, a sentence, for what is not an archive, a damaged one, and one with too many entries."""
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
        """True where it contains something."""
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
        """Close it, because it may use much memory."""
        self._ask(_forget)

    def path(self, parts: Parts) -> Path:
        """The archive on the disk; its name where it is in another one."""
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


NAMES = 200_000  # in one folder


class Folder:
    """A folder of submissions on a disk."""

    def __init__(self, root: Path, original: Path | None = None, reader: Reader | None = None) -> None:
        """`original`, the instructor's notebook, is never read as a submission; `reader` opens archives.

        Raises SubmissionError.
        """
        self.root, self._reader = root, reader or Reader()
        if not root.is_dir():
            raise SubmissionError(NO_FOLDER.format(root=root))
        try:
            self.original = os.stat(original) if original else None
        except OSError as error:
            raise SubmissionError(NO_ORIGINAL.format(original=original, reason=error.strerror)) from None

    def names(self, parts: Parts) -> list[str]:
        """The names in a folder in order, without hidden ones. Raises SubmissionError, for a link too."""
        folder = self.root.joinpath(*parts)
        try:
            if parts and stat.S_ISLNK(os.lstat(folder).st_mode):
                raise SubmissionError(LINK.format(name=joined(parts)))
            with os.scandir(folder) as entries:
                names = list(islice((entry.name for entry in entries), NAMES + 1))
        except OSError as error:
            raise SubmissionError(UNREADABLE_FOLDER.format(path=joined(parts), reason=error.strerror)) from None
        if len(names) > NAMES:
            raise SubmissionError(MANY_FILES.format(path=joined(parts), limit=NAMES))
        return sorted(name for name in names if not name.startswith(HIDDEN))

    def is_folder(self, parts: Parts) -> bool:
        """True for a folder; also for a link that leads to one, or nowhere."""
        path = self.root.joinpath(*parts)
        return os.path.isdir(path) or (os.path.islink(path) and not os.path.exists(path))

    def seen(self, parts: Parts) -> Seen:
        """What the system says about a file."""
        file = joined(parts)
        try:
            status = os.lstat(self.root.joinpath(*parts))
        except OSError as error:
            return Seen(UNREADABLE.format(name=file, reason=error.strerror))
        if self.original and os.path.samestat(status, self.original):
            return Seen(ORIGINAL.format(file=file))
        return Seen(obstacle(file, status), status.st_mtime)

    def read(self, parts: Parts, limit: int = LIMIT) -> bytes:
        """The bytes of a file. Raises SubmissionError."""
        return open_below(self.root, parts, limit)

    def within(self, parts: Parts) -> Sealed:
        """The archive in a file. Raises SubmissionError."""
        return Sealed(self._reader, self.root, (parts,))

    def path(self, parts: Parts) -> Path:
        """Where a file is on the disk."""
        return self.root.joinpath(*parts)


Tree = Folder | Sealed
