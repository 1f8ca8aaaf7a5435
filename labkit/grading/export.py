"""Grades as tables: `write_grades` with nbgrader's columns, `write_questions` with a line for each answer.

A spreadsheet runs a cell that begins with = + - @ as a formula, and a student may be called "=cmd()". So an apostrophe
is put before such a beginning, and before an apostrophe that stands there. `read_cell` takes it away again; for a name
that begins with a letter or a digit nothing changes.
"""

import csv
import io
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..desk import write_whole
from .files import printable
from .results import SubmissionResult, in_utc

GRADES = (
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email",
    "raw_score", "late_submission_penalty", "score", "max_score",
)  # fmt: skip
QUESTIONS = ("student", "question", "exercise", "points", "max_points", "kind", "detail")

START = r"(^|[;\t\r\n])"  # of a cell, also where a spreadsheet divides at semicolons, tabs or lines
FORMULA = re.compile(START + r"(?=[=+\-@\t\r\n'\uff1d\uff0b\uff0d\uff20])")  # and their wide forms


def write_grades(path: str | os.PathLike[str], results: Iterable[SubmissionResult], duedate: str = "") -> Path:
    """Write one line for each student, with the columns of `nbgrader export`, sorted by student; return the path.

    `duedate` is a time as ISO 8601. Times are in UTC, as nbgrader writes them. No penalty is taken here for what came
    late: raw_score and score are equal. Names and addresses stay empty. Raises ValueError for a `duedate` that is no
    time, OSError where the file cannot be written; an old file then stays as it was.

    >>> from tempfile import TemporaryDirectory
    >>> from labkit.grading.results import QuestionResult
    >>> result = SubmissionResult("=cmd()", "week1", (QuestionResult("q1", "grad-slip", 1.0, 2.0, "value", "Not yet."),))
    >>> with TemporaryDirectory() as folder:
    ...     lines = write_grades(f"{folder}/grades.csv", [result]).read_text().splitlines()
    >>> lines[1]
    "week1,,,'=cmd(),,,,1.0,0.0,1.0,2.0"
    """
    due = in_utc(duedate)
    if duedate and due is None:
        raise ValueError(f"expected a due date such as 2025-03-01T12:00+01:00, but got {duedate!r}")
    lines = [
        (r.assignment, due or "", r.submitted or "", r.student, "", "", "", float(r.score), 0.0, float(r.score),
         float(r.max_score))
        for r in _sorted(results)
    ]  # fmt: skip
    return _write(path, GRADES, lines)


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
