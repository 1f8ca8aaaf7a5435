"""Files of students, opened without following links, and safe file names made from students' names.

A student's id is the name of a folder. It may hold a path, a control character or bytes that are not text.
"""

import hashlib
import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

PLAIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?")
DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)  # names that Windows keeps
UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
LINK = "{name} is a link, and links are not followed. Put the file itself there."
FOLDER = "{name} is a folder; expected a notebook. If the notebook is inside, move it out."
TOO_LARGE = "{name} has {size:,} bytes; at most {limit:,} are read. Clear the outputs of its cells and save it again."
NO_FILE = "{name} is a pipe, a socket or a device, not a regular file. Ask for the notebook itself."
HARD_LINK = "{name} is a hard link: the same file has another name elsewhere. Put a copy of it there."
UNREADABLE = "{name} cannot be opened: {reason}. {advice}"


def printable(text: str) -> str:
    r"""The text with what no file of text can hold written as an escape. Tabs and line ends stay.

    >>> print(printable("a\x00b \udcff"))
    a\x00b \udcff
    """
    return UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def safe_name(text: str) -> str:
    """A name for a file or folder: the text itself where it is plain, otherwise its plain letters and a digest.

    Never empty, never a path, no hidden file, no name that Windows keeps for a device. Different texts get different
    names: `~`, which precedes the digest, is in no plain name.

    >>> safe_name("s1234567"), safe_name("../../x")
    ('s1234567', 'x~9cdf6a50100a862e14286c7a')
    """
    if PLAIN.fullmatch(text) and not DEVICES.fullmatch(text):
        return text
    return _with_digest(text)


def safe_names(texts: Iterable[str]) -> dict[str, str]:
    """`safe_name` of each text; where two differ only in capital letters, which some disks do not distinguish, with digest.

    >>> safe_names(["ann", "bob"])
    {'ann': 'ann', 'bob': 'bob'}
    """
    names = {text: safe_name(text) for text in texts}
    folded = Counter(name.casefold() for name in names.values())
    return {text: name if folded[name.casefold()] == 1 else _with_digest(text) for text, name in names.items()}


def _with_digest(text: str) -> str:
    readable = re.sub(r"[^A-Za-z0-9]+", "_", text)[:40].strip("_") or "student"
    return f"{readable}~{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"


HIDDEN = (".", "__MACOSX", "__pycache__")  # how names begin that are no work of a student
LIMIT = 20 * 2**20  # bytes of a notebook; pictures in its outputs included
FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
SAFE = FLAGS | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


Parts = tuple[str, ...]  # the names on the way to a file


class SubmissionError(Exception):
    """Why something cannot be read, as a sentence that also says what to do."""


def on_one_line(name: str) -> str:
    r"""A file name on one line of any terminal: line ends, control characters and bytes that are no text as escapes.

    >>> print(on_one_line("a\nb \udcff"))
    a\nb \udcff
    """
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name[:200])
    return text + "..." * (len(name) > 200)


def joined(parts: Sequence[str]) -> str:
    """A path in words that any terminal can show."""
    return "/".join(map(on_one_line, parts))


@dataclass(frozen=True)
class Seen:
    """What is known of a file before it is read: the problem with it, and when it was changed (seconds; 0: not known)."""

    problem: str = ""
    changed: float = 0.0


def obstacle(name: str, status: os.stat_result) -> str:
    """Why the file `name` with this status (of `lstat` or `fstat`) is not read, or an empty text."""
    if stat.S_ISLNK(status.st_mode):
        return LINK.format(name=name)
    if stat.S_ISDIR(status.st_mode):
        return FOLDER.format(name=name)
    if not stat.S_ISREG(status.st_mode):
        return NO_FILE.format(name=name)
    if status.st_nlink > 1:
        return HARD_LINK.format(name=name)
    return ""


def open_below(root: Path, parts: Sequence[str], limit: int = LIMIT) -> bytes:
    """The bytes of the file at `parts`, names of folders and a file, below the trusted folder `root`.

    Raises SubmissionError for a link anywhere below `root`, for anything but an ordinary file with one name, for more
    than `limit` bytes, and for what the system cannot open.
    """
    name = joined(parts)
    try:
        descriptor = _descend(root, parts)
        try:
            return _read(descriptor, name, limit)
        finally:
            os.close(descriptor)
    except OSError as error:
        reason, advice = error.strerror or error, _advice(error)
        raise SubmissionError(UNREADABLE.format(name=name, reason=reason, advice=advice)) from None


def _advice(error: OSError) -> str:
    if isinstance(error, PermissionError):
        return "Give yourself permission to read it."
    return "Put the file itself there: it was removed or replaced, or a folder on its path is a link."


def _descend(root: Path, parts: Sequence[str]) -> int:
    """A descriptor of the file, reached one folder at a time, so that no folder can be exchanged for a link meanwhile."""
    if os.open not in os.supports_dir_fd:
        return _descend_by_name(root, parts)
    here = os.open(root, FLAGS | os.O_DIRECTORY)
    for i, part in enumerate(parts):
        above, flags = here, SAFE | (os.O_DIRECTORY if i + 1 < len(parts) else 0)
        try:
            here = os.open(part, flags, dir_fd=above)
        finally:
            os.close(above)
    return here


def _descend_by_name(root: Path, parts: Sequence[str]) -> int:
    """For systems that open by whole paths only."""
    path = root
    for part in parts:
        path = path / part
        if stat.S_ISLNK(os.lstat(path).st_mode):
            raise SubmissionError(obstacle(on_one_line(part), os.lstat(path)))
    return os.open(path, SAFE)


def _read(descriptor: int, name: str, limit: int) -> bytes:
    status = os.fstat(descriptor)
    if problem := obstacle(name, status):
        raise SubmissionError(problem)
    size, data = status.st_size, b""
    if size <= limit:
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(limit + 1)
    if max(size, len(data)) > limit:
        raise SubmissionError(TOO_LARGE.format(name=name, size=max(size, len(data)), limit=limit))
    return data
