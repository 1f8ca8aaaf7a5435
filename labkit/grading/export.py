"""Grades as tables: with nbgrader's columns, with a line for each answer, and as the system of a class imports them.

A spreadsheet runs a cell that begins with = + - @ as a formula, and a student may be called "=cmd()". So an apostrophe is put
before such a beginning, and before an apostrophe that is there. `read_cell` removes it again; other names stay.
"""

import csv
import io
import os
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..working_copy import write_whole
from .assignment import Assignment
from .feedback import student_page
from .files import printable, safe_name, safe_names
from .final_scores import Final
from .pages import points
from .results import GRADED, SubmissionResult
from .roster import Roster, RosterError, Student
from .submissions import Stranger, Submission

GRADES = (
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email",
    "raw_score", "late_submission_penalty", "score", "max_score",
    "late_days", "time_from", "section", "status", "unsafe",
)  # fmt: skip
UNMATCHED = ("file", "why", "student")
QUESTIONS = ("student", "question", "exercise", "points", "max_points", "kind", "detail")

START = r"(^|[;\t\r\n])"  # of a cell, also where a spreadsheet divides at semicolons, tabs or lines
FORMULA = re.compile(START + r"(?=[=+\-@\t\r\n'\uff1d\uff0b\uff0d\uff20])")  # and their wide forms
NO_IMPORT = "{path} is {kind}, into which no system imports grades. As --roster, use Canvas's or Moodle's own table."
NO_COLUMNS = "{path}: expected the columns 'file' and 'student', but got: {columns}."


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
    """Write the files without a student, with an empty column for the id, and `matches`, the ids that were filled in before.

    `read_matches` reads it again. Raises OSError where it cannot be written.
    """
    lines = [(file, "assigned by you", student) for file, student in matches.items()]
    lines += [(stranger.file, stranger.why, "") for stranger in strangers]
    return _write(path, UNMATCHED, lines)


def read_matches(path: str | os.PathLike[str]) -> dict[str, str]:
    """Whose an entry is, by its name, from the columns `file` and `student`; "-" means no student.

    Lines whose `student` is empty say nothing. Raises ValueError for a file that is no such table.
    """
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file, strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ValueError("{path}: cannot be read as CSV ({error}).".format(path=path, error=error)) from None
    if rows and not {"file", "student"} <= rows[0].keys():
        raise ValueError(NO_COLUMNS.format(path=path, columns=", ".join(map(str, rows[0]))))
    told = {read_cell(row["file"] or ""): read_cell(row["student"] or "").strip() for row in rows}
    return {name: student for name, student in told.items() if name and student}


def write_questions(path: str | os.PathLike[str], results: Iterable[SubmissionResult]) -> Path:
    """Write one line for each student and question, sorted by student, then as in the assignment; return the path.

    For the instructor: `detail` may hold drawn inputs and expected values. Raises OSError where it cannot be written.
    """
    lines = [
        (r.student, q.question, q.exercise, float(q.points), float(q.max_points), q.kind, q.comment or q.detail)
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


_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the same pages, the same archive


def write_lms_grades(
    path: str | os.PathLike[str], assignment: Assignment, finals: Iterable[Final], roster: Roster
) -> Path:
    """Write the roster's own table with the points that count, as its system imports it; returns the path.

    A student without a readable submission, or with answers that are still to be graded by hand, has an empty cell: the
    system keeps its own value. Where it has another maximum than the assignment, points are converted to it. Raises
    `RosterError` for a table that no system imports.
    """
    column, at = grade_column(assignment, roster)
    columns = _kept(roster, at)
    most = assignment.max_points
    lines = {student.row: student for student in roster.students}
    maximum = _maximum(roster, at)
    earned = {final.result.student: final for final in finals}
    table = [[*(roster.heading[i] for i in columns), *([column] if at is None else [])]]
    for number, row in enumerate(roster.rows):
        cells = [row[i] if i < len(row) else "" for i in columns]
        cell = row[at] if at is not None and at < len(row) else ""
        if number in lines:
            cell = _points(earned.get(lines[number].id), most, _line_maximum(roster, row) or maximum)
        elif _is_points_row(roster, row) and not cell.strip():
            cell = points(most)
        if at is not None:
            cells[columns.index(at)] = cell
        else:
            cells.append(cell)
        table.append(cells)
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=roster.delimiter).writerows(table)
    return write_whole(Path(path), (("\ufeff" if roster.marked else "") + text.getvalue()).encode())


def grade_column(assignment: Assignment, roster: Roster) -> tuple[str, int | None]:
    """The column of the grades and its place (None: it is new). Raises `RosterError` where the system imports none."""
    kind = roster.kind
    if not kind.grade:
        raise RosterError(NO_IMPORT.format(path=roster.path, kind=kind.name))
    if "{title}" not in kind.grade:
        return kind.grade, roster.column(kind.grade)
    for name in (assignment.title, assignment.name):
        wanted = re.compile(rf"{re.escape(kind.grade.replace('{title}', name))}(?: \(\d+\))?", re.IGNORECASE)
        if found := [i for i, heading in enumerate(roster.heading) if wanted.fullmatch(heading.strip())]:
            return roster.heading[found[0]], found[0]
    return kind.grade.replace("{title}", assignment.title), None


def _kept(roster: Roster, grade: int | None) -> list[int]:
    kept = {name.casefold() for name in roster.kind.keep}
    columns = [i for i, name in enumerate(roster.heading) if not kept or name.strip().casefold() in kept]
    return sorted({*columns, *([grade] if grade is not None else [])})


def _is_points_row(roster: Roster, row: tuple[str, ...]) -> bool:
    pattern = roster.kind.points_row
    return bool(pattern and row and re.match(pattern, row[0]))


def _maximum(roster: Roster, at: int | None) -> float:
    """What the system says can be earned at most in the grade's column; 0 where it says nothing."""
    row = next((row for row in roster.rows if _is_points_row(roster, row)), ())
    return _number(row[at]) if at is not None and at < len(row) else 0.0


def _line_maximum(roster: Roster, row: tuple[str, ...]) -> float:
    at = roster.column(roster.kind.maximum) if roster.kind.maximum else None
    return _number(row[at]) if at is not None and at < len(row) else 0.0


def _number(cell: str) -> float:
    """A number as a table may write it, with a comma or a point; 0 for what is none."""
    try:
        return max(0.0, float(cell.strip().replace(",", ".")))
    except ValueError:
        return 0.0


def _points(final: Final | None, most: float, maximum: float) -> str:
    if final is None or final.result.state != GRADED or final.result.to_mark:
        return ""
    return points(final.score * maximum / most if maximum and most else final.score)


def write_feedback_archive(
    path: str | os.PathLike[str], finals: Iterable[Final], submissions: Mapping[str, Submission], title: str
) -> Path:
    """Write the feedback pages into one ZIP archive, under the names by which the system takes them back.

    In Moodle that is the folder of the submission, in Canvas the part before the student's own name of the file, for
    others STUDENT/ASSIGNMENT.html. A student without a submission has no page. Raises OSError where it cannot be written.
    """
    handed_in = [final for final in finals if final.result.file]
    folders = safe_names(final.result.student for final in handed_in)
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for final in handed_in:
            result = final.result
            page = f"{safe_name(result.assignment)}.html"
            named = submissions[result.student].page.replace("{page}", page)
            entry = zipfile.ZipInfo(named or f"{folders[result.student]}/{page}", _LONG_AGO)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, student_page(final, title), zipfile.ZIP_DEFLATED)
    return write_whole(Path(path), held.getvalue())
