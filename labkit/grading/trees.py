"""Where submissions lie: a folder, or a ZIP archive that is read where it is. Nothing is unpacked, no link is followed."""

import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from .opening import LIMIT, SubmissionError, obstacle, on_one_line, open_below

HIDDEN = (".", "__MACOSX", "__pycache__")
ENTRIES = 200_000  # of an archive of a class
OF_ONE = 5_000  # of an archive that a student made
DIRECTORY = 400  # bytes of an archive's table for each entry that it may have
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the others may take gigabytes to read

Parts = tuple[str, ...]


@dataclass(frozen=True)
class Seen:
    """What is known of a file before it is read: the problem with it, and when it was changed (seconds; 0: not known)."""

    problem: str = ""
    changed: float = 0.0


class Folder:
    """A folder of submissions on a disk."""

    def __init__(self, root: Path, original: Path | None = None) -> None:
        """`original`, the instructor's notebook, is never read as a submission. Raises SubmissionError."""
        self.root = root
        if not root.is_dir():
            raise SubmissionError(f"There is no folder {root}; expected one that holds the students' notebooks.")
        try:
            self.original = os.stat(original) if original else None
        except OSError as error:
            raise SubmissionError(f"The instructor's notebook {original} cannot be read: {error.strerror}.") from None

    def names(self, parts: Parts) -> list[str]:
        """The names in a folder in order, without hidden ones. Raises SubmissionError, for a link too."""
        folder = self.root.joinpath(*parts)
        try:
            if parts and stat.S_ISLNK(os.lstat(folder).st_mode):
                raise SubmissionError(
                    f"{joined(parts)} is a link, and links are not followed. Put the folder itself in its place."
                )
            return sorted(name for name in os.listdir(folder) if not name.startswith(HIDDEN))
        except OSError as error:
            raise SubmissionError(
                f"The folder {joined(parts)} cannot be read: {error.strerror}. Give yourself the right to read it."
            ) from None

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
            return Seen(f"{file} cannot be read: {error.strerror}.")
        if self.original and os.path.samestat(status, self.original):
            return Seen(f"{file} is the instructor's own notebook. Remove it, and put the student's file in its place.")
        return Seen(obstacle(file, status), status.st_mtime)

    def read(self, parts: Parts, limit: int = LIMIT) -> bytes:
        """The bytes of a file. Raises SubmissionError."""
        return open_below(self.root, parts, limit)

    def path(self, parts: Parts) -> Path:
        """Where a file is on the disk."""
        return self.root.joinpath(*parts)


class Archive:
    """A ZIP archive. Its entries are found by their names alone: what would lie outside is in `outside`."""

    def __init__(self, file: Path | bytes, name: str, entries: int = ENTRIES, zone: tzinfo | None = None) -> None:
        """Its times are meant in `zone`, otherwise in this computer's.

        Raises SubmissionError, a sentence, for what is no archive, a damaged one, and one with too many entries.
        """
        self.name, self.outside, self._file, self._zone = name, list[str](), file, zone
        self._infos: dict[Parts, zipfile.ZipInfo] = {}
        self._folders: dict[Parts, set[str]] = {(): set()}
        try:
            with open(file, "rb") if isinstance(file, Path) else BytesIO(file) as opened:
                told = _directory_size(opened)
            if told <= entries * DIRECTORY:  # `zipfile` reads all of its table at once
                self._zip = zipfile.ZipFile(file if isinstance(file, Path) else BytesIO(file))
            if told > entries * DIRECTORY or len(self._zip.infolist()) > entries:
                raise SubmissionError(f"{name} has too many entries; at most {entries:,} are read.")
        except OSError as error:
            raise SubmissionError(f"{name} cannot be read: {error.strerror or error}.") from None
        except (zipfile.BadZipFile, struct.error, ValueError, NotImplementedError) as error:
            raise SubmissionError(f"{name} is no ZIP archive, or a damaged one ({on_one_line(str(error))}).") from None
        for info in self._zip.infolist():
            self._add(info)

    def _add(self, info: zipfile.ZipInfo) -> None:
        parts = tuple(info.filename.replace("\\", "/").removesuffix("/").split("/"))
        if len(parts) > 20 or any(part in ("", ".", "..") or "\x00" in part for part in parts):
            self.outside.append(on_one_line(info.filename))
            return
        if any(part.startswith(HIDDEN) for part in parts):
            return
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
        """True where something lies below."""
        return parts in self._folders

    def seen(self, parts: Parts) -> Seen:
        """What the archive says about an entry."""
        info, file = self._infos.get(parts), joined(parts)
        if info is None:
            return Seen(f"{file} is a folder; expected a notebook. If the notebook is inside, move it out.")
        if stat.S_ISLNK(info.external_attr >> 16):
            return Seen(f"{file} is a link, and links are not followed. Put the file itself in its place.")
        if info.flag_bits & 1:
            return Seen(f"{file} is encrypted. Ask for it without a password.")
        if info.compress_type not in METHODS:
            return Seen(
                f"{file} is compressed in a way that is not read. Ask for an ordinary ZIP archive, or the notebook."
            )
        if info.file_size > LIMIT:
            return Seen(
                f"{file} has {info.file_size:,} bytes; at most {LIMIT:,} are read. Clear the outputs of its cells."
            )
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
            raise SubmissionError(
                f"{joined(parts)} is damaged ({on_one_line(str(error))}). Ask for it again."
            ) from None
        if len(data) > limit:
            raise SubmissionError(f"{joined(parts)} has more than {limit:,} bytes. Clear the outputs of its cells.")
        return data

    def path(self, parts: Parts) -> Path:
        """The archive on the disk; its name where it lies in another one."""
        return self._file if isinstance(self._file, Path) else Path(self.name)


Tree = Folder | Archive


def joined(parts: Sequence[str]) -> str:
    """A path in words that any terminal can show."""
    return "/".join(map(on_one_line, parts))


def _directory_size(file: BinaryIO) -> int:
    """The bytes of an archive's table of entries, as its end says."""
    size = file.seek(0, os.SEEK_END)
    start = max(0, size - 2**16 - 22)
    file.seek(start)
    end = file.read()
    at = end.rfind(b"PK\x05\x06")
    if at < 0 or len(end) < at + 22:
        raise zipfile.BadZipFile("it has no end")
    told = struct.unpack("<I", end[at + 12 : at + 16])[0]
    big = end.rfind(b"PK\x06\x06", 0, at)
    if big >= 0 and len(end) >= big + 48:  # the table of a large archive
        told = max(told if told != 2**32 - 1 else 0, struct.unpack("<Q", end[big + 40 : big + 48])[0])
    return told
