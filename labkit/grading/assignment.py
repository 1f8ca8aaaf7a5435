"""An assignment, read from the instructor's notebook, with what the grader needs and students do not get."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from ..classroom import EXERCISES, find
from ..messages.suggestions import did_you_mean
from .instructor_questions import AddedQuestion, added_questions, are_points, is_marked, mark
from .notebooks import read

BAD_METADATA = "{path}: its metadata 'labkit' is invalid ({error!r}). {advice}"
UNREADABLE = "{path}: cannot be read ({reason}). Use the instructor's notebook: source/NAME/NAME.ipynb"
NO_NOTEBOOK = "{path}: is not a notebook ({reason}). Use source/NAME/NAME.ipynb; if damaged, delete it and build again."
UNKNOWN = "there is no exercise {name!r}. {suggestion}"
PRACTICE = (
    "the exercise {name!r} is for practice only, because an answer can read what it hides, and no grader can tell. "
    "Choose another exercise, or let students explain in a cell that you grade by hand how they found it."
)
SAME_NAME = "{path}: {error}. Rename yours in exercises/ and course.toml. {advice}"
NO_ASSIGNMENT = "{path}: not a labkit assignment. Make one: labkit course new FOLDER, then course build"
FOR_STUDENTS = "{path}: this is the version for students. Use the instructor's: source/{name}/{name}.ipynb"
NO_QUESTIONS = "{path}: it has no exercises. Name some in course.toml and run: labkit course build"
NO_EXERCISE = "{path}: question {name!r} has no exercise. {advice}"
OTHER_VERSION = "{path}: {problem} (Another version of labkit may have made this file.)"
SAME_ID = "{path}: two cells have the grade_id {grade_id!r}. Delete one of them."
NO_CELL = "{path}: question {name!r} has no cell '{kind}-{name}'. {advice}"
BAD_POINTS = "{path}: the points of 'check-{name}' are {points!r}; expected a number above 0. {advice}"


class AssignmentError(ValueError):
    """A file that is not an instructor's notebook; the message says what is wrong with it and what to do."""


@dataclass(frozen=True)
class Question:
    """One question as one student got it.

    `name` is the name of its slot: the exercise's, unless the slot is one of several. `binds` is the name that the
    solution cell defines. `answer_id` and `check_id` are nbgrader's `grade_id` of the solution cell and the grade cell.
    """

    name: str
    exercise: str
    points: float
    binds: str
    answer_id: str
    check_id: str
    partial: bool = False


@dataclass(frozen=True)
class Slot:
    """A place for a question: `any_of` holds the exercises it may ask, each with the name in its stub.

    With `partial`, an answer that is right in part earns a part of the points.
    """

    name: str
    any_of: tuple[tuple[str, str], ...]
    partial: bool = False


@dataclass(frozen=True)
class Assignment:
    """The questions of an assignment, and the locked code around them.

    `setup` holds `(grade_id, source)` of the locked code cells: a grader runs them from here, never from a submission.
    `locked` holds the `grade_id` of every locked cell and every grade cell: what a submission has there is ignored.
    Where a slot is one of several, `questions` holds the first of them; `for_student` chooses. `own` holds the instructor's
    own exercises: their names and the texts of their files. `added` are the questions that the instructor added by hand,
    `inner` the locked code that follows an answer (as `setup`, each with the ids of the cells before it). `order`
    names all questions as they are in the notebook.
    """

    name: str
    title: str
    seed: int
    questions: tuple[Question, ...]
    setup: tuple[tuple[str, str], ...]
    locked: frozenset[str]
    slots: tuple[Slot, ...] = ()
    own: tuple[tuple[str, str], ...] = ()
    added: tuple[AddedQuestion, ...] = ()
    inner: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    order: tuple[str, ...] = ()

    @property
    def max_points(self) -> float:
        """The points of all questions."""
        return sum(q.points for q in self.questions) + sum(q.points for q in self.added)

    @property
    def varies(self) -> bool:
        """True where students get different questions."""
        return any(len(slot.any_of) > 1 for slot in self.slots)

    @property
    def varying(self) -> dict[str, tuple[str, ...]]:
        """The exercises that each question may ask of which students get different ones."""
        return {slot.name: tuple(e for e, _ in slot.any_of) for slot in self.slots if len(slot.any_of) > 1}

    def for_student(self, student: str, known: Mapping[str, str] | None = None) -> "Assignment":
        """The variant of a student, drawn from the seed and the student's id; `known` says what some questions asked."""
        if not self.slots:
            return self
        asked = {slot.name: dict(slot.any_of) for slot in self.slots}
        chosen = tuple(slot.any_of[self._index(student, slot)] for slot in self.slots)
        told = {name: exercise for name, exercise in (known or {}).items() if exercise in asked.get(name, ())}
        chosen = tuple(
            (told[slot.name], asked[slot.name][told[slot.name]]) if slot.name in told else drawn
            for slot, drawn in zip(self.slots, chosen, strict=True)
        )
        points = [question.points for question in self.questions]
        return replace(self, questions=questions(self.slots, chosen, points))

    def _index(self, student: str, slot: Slot) -> int:
        text = f"{self.seed}\n{self.name}\n{slot.name}\n{student}"
        return int.from_bytes(hashlib.sha256(text.encode(errors="surrogatepass")).digest()) % len(slot.any_of)

    @classmethod
    def read(cls, path: str | PathLike[str]) -> "Assignment":
        """The assignment in the instructor's notebook at `path`; `AssignmentError` if there is none.

        >>> Assignment.read("nowhere.ipynb")
        Traceback (most recent call last):
        labkit.grading.assignment.AssignmentError: nowhere.ipynb: there is no such file. Run: labkit course build
        """
        return cls.from_notebook(read_notebook(path), str(path))

    @classmethod
    def from_notebook(cls, notebook: Any, path: str = "the notebook") -> "Assignment":
        """The assignment in an instructor's notebook that has been read; `path` is for the messages."""
        data = _metadata(notebook, path)
        try:
            slots = tuple(_slot(entry) for entry in data["slots"])
            name, title, seed = str(data["assignment"]), str(data["title"]), int(data["seed"])
            own = tuple((str(exercise), str(text)) for exercise, text in data.get("own", {}).items())
        except (KeyError, TypeError, ValueError) as error:
            raise AssignmentError(BAD_METADATA.format(path=path, error=error, advice=_AGAIN)) from None
        _adopt(own, path)
        _refuse_not_asked(slots, path)
        cells = _graded_cells(notebook, path)
        points = [_points(cells, slot, path) for slot in slots]
        asked = questions(slots, tuple(slot.any_of[0] for slot in slots), points)
        ours = {grade_id for q in asked for grade_id in (q.answer_id, q.check_id)}
        try:
            added = added_questions(notebook.cells, ours)
        except ValueError as error:
            raise AssignmentError(f"{path}: {error}") from None
        locked = {
            i: c
            for i, c in cells.items()
            if not is_marked(c, "solution") and (is_marked(c, "grade") or is_marked(c, "locked"))
        }
        setup, inner = _given(cells, locked)
        names = {question.check_id: question.name for question in asked} | {one.name: one.name for one in added}
        order = tuple(names[grade_id] for grade_id in cells if grade_id in names)
        return cls(name, title, seed, asked, setup, frozenset(locked), slots, own, added, inner, order)


_AGAIN = "Delete the file and run: labkit course build"


def read_notebook(path: str | PathLike[str]) -> Any:
    """The notebook at `path`; `AssignmentError` where there is none that can be read."""
    try:
        return read(Path(path))
    except FileNotFoundError:
        raise AssignmentError("{path}: there is no such file. Run: labkit course build".format(path=path)) from None
    except OSError as error:
        raise AssignmentError(UNREADABLE.format(path=path, reason=error.strerror or error)) from None
    except Exception as error:  # whatever stands in a file that is not a notebook
        reason = (str(error).splitlines() or [type(error).__name__])[0][:100]
        raise AssignmentError(NO_NOTEBOOK.format(path=path, reason=reason)) from None


def bound_names(chosen: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The names that the answers get: `answer_K` for a prediction, the stub's name for a function; never one twice.

    >>> bound_names([("grad-slip", "answer"), ("port-detach", "port"), ("port-two-outputs", "port")])
    ('answer_1', 'port', 'port_3')
    """
    names: list[str] = []
    for k, (exercise, stub_name) in enumerate(chosen, 1):
        name = f"answer_{k}" if EXERCISES[exercise].is_prediction else stub_name
        names.append(f"{name}_{k}" if name in names else name)
    return tuple(names)


def questions(slots: Sequence[Slot], chosen: Sequence[tuple[str, str]], points: Sequence[float]) -> tuple:
    """One `Question` for each slot, with the exercise chosen for it."""
    return tuple(
        Question(slot.name, exercise, worth, binds, f"answer-{slot.name}", f"check-{slot.name}", slot.partial)
        for slot, (exercise, _), binds, worth in zip(slots, chosen, bound_names(chosen), points, strict=True)
    )


def not_asked(name: str) -> str:
    """Why no assignment can ask for an exercise of this name; "" where one can."""
    if exercise := find(name):
        return PRACTICE.format(name=name) if exercise.practice else ""
    return UNKNOWN.format(name=name, suggestion=did_you_mean(name, EXERCISES, "labkit progress names them all."))


def _slot(entry: Any) -> Slot:
    any_of = tuple((str(exercise), str(name)) for exercise, name in entry["any_of"])
    return Slot(str(entry["name"]), any_of, bool(entry.get("partial", False)))


def _given(cells: dict[str, Any], locked: dict[str, Any]) -> tuple[tuple, tuple]:
    """The locked code before the first answer, and the code after one with the ids before it, nearest first."""
    setup, inner, before = [], [], list[str]()
    answered = False
    for grade_id, cell in cells.items():
        if grade_id in locked and cell.cell_type == "code" and not is_marked(cell, "grade"):
            if answered:
                inner.append((grade_id, cell.source, tuple(reversed(before))))
            else:
                setup.append((grade_id, cell.source))
        answered = answered or is_marked(cell, "solution")
        before.append(grade_id)
    return tuple(setup), tuple(inner)


def _adopt(own: tuple[tuple[str, str], ...], path: str) -> None:
    """Make the instructor's own exercises known, as they were when the notebook was built."""
    try:
        EXERCISES.adopt(dict(own))
    except ValueError as error:
        raise AssignmentError(SAME_NAME.format(path=path, error=error, advice=_AGAIN)) from None


def _metadata(notebook: Any, path: str) -> Any:
    """The instructor's data of a notebook."""
    data = notebook.metadata.get("labkit")
    if not isinstance(data, dict) or "assignment" not in data:
        raise AssignmentError(NO_ASSIGNMENT.format(path=path))
    name = data["assignment"]
    if "slots" not in data:
        raise AssignmentError(FOR_STUDENTS.format(path=path, name=name))
    if not data["slots"]:
        raise AssignmentError(NO_QUESTIONS.format(path=path))
    return data


def _refuse_not_asked(slots: Iterable[Slot], path: str) -> None:
    for slot in slots:
        if not slot.any_of:
            raise AssignmentError(NO_EXERCISE.format(path=path, name=slot.name, advice=_AGAIN))
        for exercise, _ in slot.any_of:
            if problem := not_asked(exercise):
                raise AssignmentError(OTHER_VERSION.format(path=path, problem=problem))


def grade_id_of(cell: Any) -> str | None:
    """The id by which nbgrader knows a cell; None where it does not."""
    found = mark(cell).get("grade_id")
    return found if isinstance(found, str) else None


def _graded_cells(notebook: Any, path: str) -> dict[str, Any]:
    """The cells that nbgrader knows, by `grade_id`, in order."""
    cells: dict[str, Any] = {}
    for cell in notebook.cells:
        grade_id = grade_id_of(cell)
        if grade_id in cells:
            raise AssignmentError(SAME_ID.format(path=path, grade_id=grade_id))
        if grade_id is not None:
            cells[grade_id] = cell
    return cells


def _points(cells: dict[str, Any], slot: Slot, path: str) -> float:
    for kind in ("answer", "check"):
        if f"{kind}-{slot.name}" not in cells:
            raise AssignmentError(NO_CELL.format(path=path, name=slot.name, kind=kind, advice=_AGAIN))
    points = cells[f"check-{slot.name}"].metadata["nbgrader"].get("points")
    if not are_points(points) or points == 0:
        raise AssignmentError(BAD_POINTS.format(path=path, name=slot.name, points=points, advice=_AGAIN))
    return float(points)
