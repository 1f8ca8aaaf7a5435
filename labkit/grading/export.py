"""Grades as tables: `write_grades` with nbgrader's columns, `write_questions` with a line for each answer.

A spreadsheet runs a cell that begins with = + - @ as a formula, and a student may be called "=cmd()". So an apostrophe
is put before such a beginning, and before an apostrophe that stands there. `read_cell` takes it away again; for a name
that begins with a letter or a digit nothing changes.
"""

import csv
import io
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..desk import write_whole
from .files import printable
from .finals import Final
from .results import SubmissionResult
from .roster import Student
from .submissions import Stranger

GRADES = (
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email",
    "raw_score", "late_submission_penalty", "score", "max_score",
    "late_days", "time_from", "section", "status", "unsafe",
)  # fmt: skip
UNMATCHED = ("file", "why", "student")
QUESTIONS = ("student", "question", "exercise", "points", "max_points", "kind", "detail")

START = r"(^|[;\t\r\n])"  # of a cell, also where a spreadsheet divides at semicolons, tabs or lines
FORMULA = re.compile(START + r"(?=[=+\-@\t\r\n'\uff1d\uff0b\uff0d\uff20])")  # and their wide forms


def write_grades(path: str | os.PathLike[str], results: Iterable[SubmissionResult | Final]) -> Path:
    """Write one line for each student, with the columns of `nbgrader export`, sorted by student; return the path.

    After nbgrader's columns come the days that a submission is late ("?" if unknown), the source of that time, the section, the
    state, and "unsafe" if --unsafe was given. Times are in the zone of the course, and name it as +01:00; without one, in
    UTC. A result without `Final` has no due date, no penalty and no name. Raises OSError where the
    file cannot be written; an old file then stays as it was.

    >>> from tempfile import TemporaryDirectory
    >>> from labkit.grading.results import QuestionResult
    >>> result = SubmissionResult("=cmd()", "week1", (QuestionResult("q1", "grad-slip", 1.0, 2.0, "value", "Not yet."),))
    >>> with TemporaryDirectory() as folder:
    ...     lines = write_grades(f"{folder}/grades.csv", [result]).read_text().splitlines()
    >>> lines[1]
    "week1,,,'=cmd(),,,,1.0,0.0,1.0,2.0,0,,,graded,"
    """
    finals = map(Final.of, results)
    return _write(
        path, GRADES, [_line(f) for f in sorted(finals, key=lambda f: (f.result.assignment, f.result.student))]
    )


def _line(final: Final) -> tuple[Any, ...]:
    result, student = final.result, final.student or Student(final.result.student)
    return (
        result.assignment, final.shown(final.due) or "", final.shown(result.submitted) or "",
        result.student, student.last_name, student.first_name, student.email,
        float(result.score), final.taken_off, final.score, float(result.max_score),
        "?" if final.days is None else final.days, final.time_from, student.section, result.state, "unsafe" * result.unsafe,
    )  # fmt: skip


def write_unmatched(path: str | os.PathLike[str], strangers: Iterable[Stranger], matches: Mapping[str, str]) -> Path:
    """Write what is nobody's, with an empty column for the student's id, and `matches`, what that column said before.

    `read_matches` reads it again. Raises OSError where it cannot be written.
    """
    lines = [(file, "as you said", student) for file, student in matches.items()]
    lines += [(stranger.file, stranger.why, "") for stranger in strangers]
    return _write(path, UNMATCHED, lines)


def read_matches(path: str | os.PathLike[str]) -> dict[str, str]:
    """Whose an entry is, by its name, from the columns `file` and `student`; "-" says that it is nobody's.

    Lines whose `student` is empty say nothing. Raises ValueError for a file that is no such table.
    """
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file, strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{path}: cannot be read as CSV ({error}).") from None
    if rows and not {"file", "student"} <= rows[0].keys():
        raise ValueError(
            f"{path}: expected the columns file and student, but there are: {', '.join(map(str, rows[0]))}."
        )
    told = {read_cell(row["file"] or ""): read_cell(row["student"] or "").strip() for row in rows}
    return {name: student for name, student in told.items() if name and student}


def write_questions(path: str | os.PathLike[str], results: Iterable[SubmissionResult]) -> Path:
    """Write one line for each student and question, sorted by student, then as in the assignment; return the path.

    For the instructor: `detail` may hold drawn inputs and expected values. Raises OSError where it cannot be written.
    """
    lines = [
        (r.student, q.question, q.exercise, float(q.points), float(q.max_points), q.kind, q.detail)
        for r in _sorted(results)
        for q in r.questions
    ]
    return _write(path, QUESTIONS, lines)


def safe_cell(value: Any) -> str:
    """A value as a cell that no spreadsheet runs. Numbers and times are as `str` writes them.

    >>> safe_cell("=1+2"), safe_cell("a;=1"), safe_cell("o'neill"), safe_cell(-1.5)
    ("'=1+2", "a;'=1", "o'neill", '-1.5')
    """
    return FORMULA.sub(r"\1'", printable(value)) if isinstance(value, str) else str(value)


def read_cell(cell: str) -> str:
    """The text that `safe_cell` was given.

    >>> read_cell(safe_cell("=1+2")) == "=1+2"
    True
    """
    return re.sub(START + "'", r"\1", cell)


def _sorted(results: Iterable[SubmissionResult]) -> list[SubmissionResult]:
    return sorted(results, key=lambda result: (result.assignment, result.student))


def _write(path: str | os.PathLike[str], columns: Sequence[str], lines: Iterable[Sequence[Any]]) -> Path:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([safe_cell(value) for value in line] for line in lines)
    return write_whole(Path(path), text.getvalue().encode())
