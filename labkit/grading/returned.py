"""What goes back into the system that a class uses: its own table with the grades in it, and an archive of feedback."""

import csv
import io
import os
import re
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..desk import write_whole
from .assignment import Assignment
from .feedback import student_page
from .files import safe_name, safe_names
from .finals import Final
from .pages import points
from .results import GRADED
from .roster import Roster, RosterError
from .submissions import Submission

_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the same pages, the same archive


def write_lms_grades(
    path: str | os.PathLike[str], assignment: Assignment, finals: Iterable[Final], roster: Roster
) -> Path:
    """Write the roster's own table with the points that count, as its system imports it; returns the path.

    Who handed in nothing, or nothing that could be read, or whose answers a person has yet to grade, has an empty cell: the
    system keeps what it has. Where it has another maximum than the assignment, points are converted to it. Raises
    `RosterError` for a roster of no system.
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
    """The column of the grades and where it stands (None: it is new). Raises `RosterError` where the system imports none."""
    kind = roster.kind
    if not kind.grade:
        raise RosterError(
            f"{roster.path} is {kind.name}, which no system imports grades from. For Canvas give its gradebook (Export), for "
            "Moodle the assignment's grading worksheet as the roster: --roster FILE."
        )
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
    path: str | os.PathLike[str],
    finals: Iterable[Final],
    submissions: Mapping[str, Submission],
    title: str,
) -> Path:
    """Write the pages of feedback into one ZIP archive, under the names by which the system takes them back.

    In Moodle that is the folder of the submission, in Canvas what stands before the student's own name of the file, for
    others STUDENT/ASSIGNMENT.html. Who handed in nothing has no page. Raises OSError where it cannot be written.
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
