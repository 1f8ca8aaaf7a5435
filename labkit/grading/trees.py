"""Where submissions lie: a folder, or a ZIP archive that a `reader` opens. Nothing is unpacked, no link is followed."""

import os
import stat
from itertools import islice
from pathlib import Path

from .committed import commit_time
from .opening import HIDDEN, LIMIT, Parts, Seen, SubmissionError, joined, obstacle, open_below
from .reader import Reader
from .sealed import Sealed

NAMES = 200_000  # in one folder


class Folder:
    """A folder of submissions on a disk."""

    def __init__(self, root: Path, original: Path | None = None, reader: Reader | None = None) -> None:
        """`original`, the instructor's notebook, is never read as a submission; `reader` opens archives and repositories.

        Raises SubmissionError.
        """
        self.root, self._reader = root, reader or Reader()
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
            with os.scandir(folder) as entries:
                names = list(islice((entry.name for entry in entries), NAMES + 1))
        except OSError as error:
            raise SubmissionError(
                f"The folder {joined(parts)} cannot be read: {error.strerror}. Give yourself the right to read it."
            ) from None
        if len(names) > NAMES:
            raise SubmissionError(
                f"The folder {joined(parts)} holds more than {NAMES:,} files. Leave the notebook in it."
            )
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
            return Seen(f"{file} cannot be read: {error.strerror}.")
        if self.original and os.path.samestat(status, self.original):
            return Seen(f"{file} is the instructor's own notebook. Remove it, and put the student's file in its place.")
        return Seen(obstacle(file, status), status.st_mtime)

    def read(self, parts: Parts, limit: int = LIMIT) -> bytes:
        """The bytes of a file. Raises SubmissionError."""
        return open_below(self.root, parts, limit)

    def within(self, parts: Parts) -> Sealed:
        """The archive in a file. Raises SubmissionError."""
        return Sealed(self._reader, self.root, (parts,))

    def committed(self, checkout: Parts, file: Parts) -> float | None:
        """Seconds of the commit of a file in a checkout of Git; None where Git does not tell, or takes too much."""
        try:
            return self._reader.ask(
                joined(checkout), commit_time, self.root.absolute().joinpath(*checkout), "/".join(file)
            )
        except SubmissionError:
            return None

    def path(self, parts: Parts) -> Path:
        """Where a file is on the disk."""
        return self.root.joinpath(*parts)


Tree = Folder | Sealed
