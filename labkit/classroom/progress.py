"""`progress()`: which exercises are answered, and which comes next.

Right answers are kept in the file `.labkit-progress.json` next to the notebooks. It is the learner's own: it is sent
nowhere, may be copied or deleted, and an answer is never refused because the file cannot be written.
"""

import os
import sys
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from ..working_copy import places
from ..working_copy import progress_file as stored
from .exercise import Exercise
from .exercises import EXERCISES
from .numbers import is_version

FILE = places.RECORD
_unsaved = stored.Record()  # of this session, while the file cannot be written
TOTAL = "{done} of {all} exercises, {points} of {most} points."
NEXT = 'Next: "{name}" in {notebook}: {title}'
UNUSABLE = "The progress file {file} cannot be used here: {reason}."


@dataclass(frozen=True)
class Progress:
    """What is done and what is next; prints as a few lines.

    `answers` is `{name: {"points": ..., "date": ..., "hints": ...}}`: the first right answer to each exercise, when it
    was given, and how many hints were read before. `notes` says what else the learner should know.
    """

    answers: stored.Answers
    folder: Path
    notes: tuple[str, ...] = ()

    @property
    def points(self) -> int:
        """The points of all right answers."""
        return sum(exercise.points for name, exercise in EXERCISES.items() if name in self.answers)

    @property
    def next(self) -> str | None:
        """The first open exercise, from the notebook of the latest answer on; None when all are answered."""
        found = stored.next_open(self._exercises, self.answers)
        return found[1] if found else None

    def open(self, notebook: str) -> list[str]:
        """The exercises of a notebook that have no right answer yet, in the order of the notebook."""
        return [name for name in self._exercises[notebook] if name not in self.answers]

    def of(self, notebook: str) -> str:
        """The exercises of one notebook as lines: which are answered, which are open."""
        names = self._exercises.get(notebook, [])
        lines = [f"  {'done' if name in self.answers else 'open'}  {name}: {EXERCISES[name].title}" for name in names]
        done = sum(name in self.answers for name in names)
        head = "{notebook}: {done} of {all} exercises.".format(notebook=notebook, done=done, all=len(names))
        return "\n".join([*self.notes, head, *lines])

    @cached_property
    def _exercises(self) -> dict[str, list[str]]:
        notebooks = sorted({exercise.notebook for exercise in EXERCISES.values()})
        return {notebook: _in_order(notebook, self.folder) for notebook in notebooks}

    def __repr__(self) -> str:
        done = sum(name in self.answers for name in EXERCISES)
        most = sum(e.points for e in EXERCISES.values())
        lines = [*self.notes, TOTAL.format(done=done, all=len(EXERCISES), points=self.points, most=most), ""]
        lines += [self._line(notebook) for notebook in self._exercises]
        if self.next:
            exercise = EXERCISES[self.next]
            following = NEXT.format(name=exercise.name, notebook=exercise.notebook, title=exercise.title)
            return "\n".join([*lines, "", following])
        return "\n".join([*lines, "", "All exercises are answered."])

    def _line(self, notebook):
        belonging = [e for e in EXERCISES.values() if e.notebook == notebook]
        done = [e for e in belonging if e.name in self.answers]
        exercises = "{done:>3} of {all:>2} exercises".format(done=len(done), all=len(belonging))
        had, most = (sum(e.points for e in some) for some in (done, belonging))
        points = "{done:>3} of {all:>2} points".format(done=had, all=most)
        opened = f"open: {', '.join(self.open(notebook))}" if len(done) < len(belonging) else "done"
        return f"  {notebook:<30}{exercises}{points:>18}   {opened if done else ''}".rstrip()


def progress(*, reset: bool = False, folder: str | os.PathLike[str] | None = None) -> Progress:
    """What is done, what is next, and the points of each notebook.

    `folder` is where the record is kept; without it, the nearest folder from here upwards that has one, or has the
    notebooks. `reset=True` starts over and keeps the old progress file next to the new one, under another name.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = record(EXERCISES["grad-slip"], hints=1, folder=folder)
    ...     before = progress(folder=folder)
    ...     after = progress(reset=True, folder=folder)
    >>> list(before.answers), before.points, before.answers["grad-slip"]["hints"]
    (['grad-slip'], 1, 1)
    >>> after.answers, after.points
    ({}, 0)
    """
    home = Path(folder) if folder is not None else _home()
    notes: list[str] = []
    known = stored.Record()
    try:
        if reset:
            _forget_unsaved()
            with stored.only_writer(home / FILE):
                notes.append(stored.put_record_aside(home / FILE))
        known, damage = stored.read(home / FILE)
        notes.append(damage)
    except OSError as error:
        notes.append(UNUSABLE.format(file=FILE, reason=error.strerror or error))
    if _unsaved.answers.keys() - known.answers.keys():
        notes.append("Some answers are remembered only until this kernel stops, because the folder is not writable.")
    return Progress(_unsaved.answers | known.answers, home, tuple(filter(None, notes)))


def remember(exercise: Exercise, hints: int) -> str:
    """`record` a right answer of a learner: in a notebook or at a prompt. A script, a test or a grader has none.

    An exercise with numbers drawn for an assignment is none of the course's.
    """
    return record(exercise, hints, _home()) if _someone_is_there() and not is_version(exercise.name) else ""


def record(exercise: Exercise, hints: int, folder: str | os.PathLike[str]) -> str:
    """Add a right answer to the record in `folder`; the first one to an exercise stays. Returns what to tell the learner.

    What cannot be written now is written with the next answer.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     told = [record(EXERCISES["grad-slip"], hints, folder) for hints in (0, 3)]
    ...     print(told, progress(folder=folder).answers["grad-slip"]["hints"])
    ['', ''] 0
    """
    now = datetime.now().astimezone().isoformat(timespec="seconds")
    _unsaved.answers.setdefault(exercise.name, {"points": exercise.points, "date": now, "hints": hints})
    return _save(Path(folder) / FILE)


def remember_prediction(name: str, choice: str) -> str:
    """Keep what a learner predicts; the latest choice replaces earlier ones. Returns what to tell the learner.

    Like answers, predictions are written to the file where a learner works, and kept in memory anywhere else.
    """
    _unsaved.predictions[name] = choice
    return _save(_home() / FILE) if _someone_is_there() else ""


def kept_predictions() -> dict[str, str]:
    """The kept choices by name."""
    try:
        known, _ = stored.read(_home() / FILE)
    except OSError:
        known = stored.Record()
    return known.predictions | _unsaved.predictions


def _save(file: Path) -> str:
    try:
        with stored.only_writer(file):
            known, damage = stored.read(file)
            whole = stored.Record(_unsaved.answers | known.answers, known.predictions | _unsaved.predictions)
            if whole != known:
                stored.write(file, whole)
    except OSError:
        return "This is remembered only until this kernel stops, because the folder is not writable."
    _forget_unsaved()
    return damage


def _forget_unsaved():
    _unsaved.answers.clear()
    _unsaved.predictions.clear()


def _home():
    return places.find_folder() or Path()


def _someone_is_there():
    """True in a notebook, in IPython, and at Python's own prompt; not where nbgrader runs the notebook."""
    if "NBGRADER_EXECUTION" in os.environ:
        return False
    ipython: Any = sys.modules.get("IPython")
    return hasattr(sys, "ps1") or (ipython is not None and ipython.get_ipython() is not None)


def _in_order(notebook, folder):
    """The names of a notebook's exercises, as they are in its file, or in the original; without both, as they are defined."""
    names = [name for name, exercise in EXERCISES.items() if exercise.notebook == notebook]
    try:
        there = folder if (folder / f"{notebook}.ipynb").is_file() else places.originals() or folder
        text = (there / f"{notebook}.ipynb").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return names
    return sorted(names, key=lambda name: text.find(rf"check(\"{name}\""))
