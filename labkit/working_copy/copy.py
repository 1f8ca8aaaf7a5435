"""The working copy: created once, updated where the learner has changed nothing, restored on request.

A file with something of the learner's in it is never overwritten: it gets another name before a new one is written.
"""

import os
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from . import manifest, notebook, places
from .files import put_aside, write_whole

_NO_FOLDER = "'{folder}' is a file, not a folder. {advice}"
_ORIGINALS = "'{folder}' has the course's original notebooks, which stay unchanged. {advice}"
_READ_ONLY = "'{folder}' cannot be written. {advice}"
_OCCUPIED = "'{folder}' holds other files, such as '{file}'. Choose a new or an empty folder."
_BROKEN = "'{path}' came with labkit and is damaged. Install labkit again."


class WorkingCopyError(Exception):
    """The working copy cannot be used; the message says what to do."""


@dataclass
class Changes:
    """What `WorkingCopy.lay` did and found, by the names of the files.

    `renewed`: the course has changed, the learner's file had not. `newer`: both have; `declined` are those of them that
    the learner did not want before. `unreadable`: no notebook any more.
    """

    laid: list[str] = field(default_factory=list)
    renewed: list[str] = field(default_factory=list)
    newer: list[str] = field(default_factory=list)
    declined: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    note: str = ""


@dataclass(frozen=True)
class PutBack:
    """What `WorkingCopy.put_back` did: the name of the kept file (None: nothing was there or had changed), and the
    exercises whose answers were carried over."""

    kept: str | None
    carried: tuple[str, ...] = ()


class WorkingCopy:
    """The notebooks of `course`, without outputs, in a `folder` of the learner's.

    Methods raise `WorkingCopyError` where the folder cannot be one, and OSError where it cannot be written.
    """

    def __init__(self, folder: Path, course: Path) -> None:
        self.folder, self.course = folder, course
        if folder.exists() and not folder.is_dir():
            raise WorkingCopyError(_NO_FOLDER.format(folder=folder, advice=places.ELSEWHERE))
        if course.resolve() in (folder.resolve(), *folder.resolve().parents):
            raise WorkingCopyError(_ORIGINALS.format(folder=folder, advice=places.ELSEWHERE))

    def files(self) -> list[str]:
        """All files of the course: notebooks, and what they refer to."""
        paths = [path.relative_to(self.course) for path in self.course.rglob("*") if path.is_file()]
        return sorted(path.as_posix() for path in paths if not any(part[0] in "._" for part in path.parts))

    def notebooks(self) -> dict[str, list[str]]:
        """The names of the exercises in each notebook of the course."""
        names = [name for name in self.files() if name.endswith(".ipynb")]
        return {name: list(notebook.answer_cells(notebook.read(self._pristine(name)))) for name in names}

    def lay(self) -> Changes:
        """Lay what is missing, renew what the learner has not changed, and say what else differs from the course."""
        self._refuse_foreign()
        self.folder.mkdir(parents=True, exist_ok=True)
        self._refuse_read_only()
        known, note = manifest.read(self.folder)
        changes = Changes(note=note)
        for name in self.files():
            self._lay_one(name, known, changes)
        manifest.write(self.folder, known)
        return changes

    def _refuse_read_only(self) -> None:
        if not os.access(self.folder, os.W_OK):
            raise WorkingCopyError(_READ_ONLY.format(folder=self.folder, advice=places.ELSEWHERE))

    def _refuse_foreign(self) -> None:
        """Raise `WorkingCopyError` for a folder that holds something, and nothing of the course."""
        there = {path.name for path in self.folder.glob("*")}
        visible = sorted(name for name in there if not name.startswith("."))
        if visible and not (there & {places.MANIFEST, places.RECORD} or any(map(self._is_ours, there))):
            raise WorkingCopyError(_OCCUPIED.format(folder=self.folder, file=visible[0]))

    def _is_ours(self, name: str) -> bool:
        """Whether the file `name` is a notebook of the course: one that shares a cell with it."""
        return name in self.notebooks() and bool(
            set(self._marks_there(name) or ()) & set(_marks(name, self._pristine(name)))
        )

    def _lay_one(self, name: str, known: manifest.Manifest, changes: Changes) -> None:
        content = self._pristine(name)
        fresh, there, laid = _marks(name, content), self._marks_there(name), known.laid.get(name)
        if there is None or there == laid != fresh:
            (changes.laid if there is None else changes.renewed).append(name)
            write_whole(self.folder / name, content)
        elif not there:
            changes.unreadable.append(name)
            return
        elif there != fresh and laid not in (None, fresh):
            if name.endswith(".ipynb"):
                (changes.declined if known.declined.get(name) == fresh else changes.newer).append(name)
            return
        known.laid[name] = fresh

    def decline(self, names: list[str]) -> None:
        """Remember that the learner does not want these newer notebooks yet."""
        known, _ = manifest.read(self.folder)
        known.declined |= {name: _marks(name, self._pristine(name)) for name in names}
        manifest.write(self.folder, known)

    def put_back(self, name: str, keep_answers: bool = False) -> PutBack:
        """Put a notebook back as the course has it; the learner's is kept next to it under a free name."""
        self._refuse_read_only()
        known, _ = manifest.read(self.folder)
        new, file = notebook.read(self._pristine(name)), self.folder / name
        fresh, carried = notebook.marks(new), []
        if keep_answers and self._marks_there(name):
            old = notebook.read(file.read_bytes())
            carried = notebook.carry_answers(old, new, {*fresh, *known.laid.get(name, ())})
        content = notebook.write(new)
        kept = None if file.is_file() and file.read_bytes() == content else put_aside(file)
        write_whole(file, content)
        known.laid[name] = fresh
        manifest.write(self.folder, known)
        return PutBack(kept.name if kept else None, tuple(carried))

    def _pristine(self, name: str) -> bytes:
        content = (self.course / name).read_bytes()
        if not name.endswith(".ipynb"):
            return content
        try:
            return notebook.write(notebook.clear(notebook.read(content)))
        except notebook.NoNotebook:
            raise WorkingCopyError(_BROKEN.format(path=self.course / name)) from None

    def _marks_there(self, name: str) -> list[str] | None:
        """The marks of the learner's file: None if there is none, empty if it is not a notebook."""
        try:
            return _marks(name, (self.folder / name).read_bytes())
        except FileNotFoundError:
            return None
        except notebook.NoNotebook:
            return []


def _marks(name: str, content: bytes) -> list[str]:
    if name.endswith(".ipynb"):
        return notebook.marks(notebook.read(content))
    return [sha256(content).hexdigest()[:16]]
