"""ZIP archives as other people made them, read where they are: nothing is unpacked. Opened in a `reader` alone (`sealed`)."""

import os
import stat
import struct
import zipfile
import zlib
from datetime import datetime, tzinfo
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from .opening import HIDDEN, LIMIT, Parts, Seen, SubmissionError, joined, on_one_line

ENTRIES = 100_000  # of an archive of a class; each takes up to 2 KB of memory
OF_ONE = 50_000  # of an archive that a student made; an environment of Python has some 20,000 files
DIRECTORY = 400  # bytes of an archive's table for each entry that it may have
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the others may take gigabytes to read


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
                if _has_more(opened, entries):  # `zipfile` would read all of its table at once
                    raise SubmissionError(f"{name} has too many entries; at most {entries:,} are read.")
            self._zip = zipfile.ZipFile(file if isinstance(file, Path) else BytesIO(file))
        except OSError as error:
            raise SubmissionError(f"{name} cannot be read: {error.strerror or error}.") from None
        except (zipfile.BadZipFile, struct.error, ValueError, NotImplementedError) as error:
            raise SubmissionError(f"{name} is no ZIP archive, or a damaged one ({on_one_line(str(error))}).") from None
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
        raise zipfile.BadZipFile("it has no end")
    told = struct.unpack("<I", end[at + 12 : at + 16])[0]
    big = end.rfind(b"PK\x06\x06", 0, at)
    if big >= 0 and len(end) >= big + 48:  # the table of a large archive
        told = max(told if told != 2**32 - 1 else 0, struct.unpack("<Q", end[big + 40 : big + 48])[0])
        at = big
    return told, start + at
