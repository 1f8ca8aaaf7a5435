"""Marks given by a person: points and comments in a separate table, which no run of the grader changes.

`grades.marks.csv` has a line for each answer that was marked: student, question, answer, points, comment. `answer` is a
digest of what was marked, so that a mark is never applied to another answer; where it is
empty (a line written by hand), the mark belongs to the answer that was handed in.
"""

import csv
import hashlib
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..working_copy import write_whole
from .export import read_cell, safe_cell
from .files import printable
from .pages import points as in_words
from .results import BY_HAND, MARKED, QuestionResult, SubmissionResult

COLUMNS = ("student", "question", "answer", "points", "comment")
LONGEST_COMMENT = 4000
NO_COLUMN = "{path}: it has no column {missing!r}; expected {columns}."
BAD_POINTS = "{path}, line {number}: points is {points!r}; expected a number of at least 0."
UNUSED = "the mark of {student} for {name} is not used: no such answer was graded"
OVER = "{student} was given {points} of {most} points for {name}"
CHANGED = "the answer of {student} to {name} has changed since it was marked: mark it again"


class MarksError(ValueError):
    """A table of marks that cannot be read, with the line and what to do."""


@dataclass(frozen=True)
class Mark:
    """What a person gave for the answer with this digest."""

    answer: str
    points: float
    comment: str = ""


Marks = Mapping[tuple[str, str], Mark]


def digest_of(answer: str) -> str:
    """By which a marked answer is known again.

    >>> digest_of("Because the tape runs backward.")
    '9efa7f7a3e89'
    """
    return hashlib.sha256(answer.encode(errors="surrogatepass")).hexdigest()[:12]


def read_marks(path: Path) -> dict[tuple[str, str], Mark]:
    """The marks in a file, by student and question; none where there is no file. Raises MarksError, OSError."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = csv.DictReader(file, strict=True)
            missing = {"student", "question", "points"} - set(rows.fieldnames or COLUMNS)
            if missing:
                raise MarksError(NO_COLUMN.format(path=path, missing=min(missing), columns=", ".join(COLUMNS)))
            return dict(_mark(path, number, row) for number, row in enumerate(rows, 2))
    except FileNotFoundError:
        return {}
    except (UnicodeDecodeError, csv.Error) as error:
        raise MarksError("{path}: cannot be read as CSV ({error}).".format(path=path, error=error)) from None


def _mark(path: Path, number: int, row: dict[str, str]) -> tuple[tuple[str, str], Mark]:
    text = (row["points"] or "").strip().replace(",", ".")
    try:
        points = float(text)
    except ValueError:
        points = -1.0
    if not 0 <= points < float("inf"):
        raise MarksError(BAD_POINTS.format(path=path, number=number, points=row["points"]))
    who = read_cell(row["student"] or ""), read_cell(row["question"] or "")
    return who, Mark((row.get("answer") or "").strip(), points, read_cell(row.get("comment") or ""))


def write_marks(path: Path, marks: Marks) -> Path:
    """Write all marks, sorted; when this returns they are on disk, and if it fails, the old ones are."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for (student, question), mark in sorted(marks.items()):
        cells = (student, question, mark.answer, f"{mark.points:.12g}", mark.comment)
        writer.writerow([safe_cell(value) for value in cells])
    return write_whole(path, text.getvalue().encode())


def marked(results: Iterable[SubmissionResult], marks: Marks) -> list[SubmissionResult]:
    """The results with what a person gave, also for answers that were graded by a program: a person has the last word."""
    return [replace(r, questions=tuple(_with_mark(r, q, marks) for q in r.questions)) for r in results]


def _with_mark(result: SubmissionResult, question: QuestionResult, marks: Marks) -> QuestionResult:
    mark = marks.get((printable(result.student), question.question))
    if mark is None or (mark.answer and mark.answer != digest_of(result.answers.get(question.question, ""))):
        return question
    kind = MARKED if question.kind == BY_HAND else question.kind
    text = "" if question.kind == BY_HAND else question.text
    return replace(question, points=mark.points, kind=kind, text=text, comment=mark.comment)


def left_over(results: Iterable[SubmissionResult], marks: Marks) -> Iterator[str]:
    """A sentence for each mark that does not count: the answer is another one now, or there is none; or it is too much."""
    found = {(printable(r.student), q.question): (r, q) for r in results for q in r.questions}
    for (student, name), mark in sorted(marks.items()):
        if (student, name) not in found:
            yield UNUSED.format(student=student, name=name)
            continue
        result, question = found[student, name]
        if mark.answer and mark.answer != digest_of(result.answers.get(name, "")):
            yield CHANGED.format(student=student, name=name)
        elif mark.points > question.max_points:
            given, most = in_words(mark.points), in_words(question.max_points)
            yield OVER.format(student=student, points=given, most=most, name=name)
