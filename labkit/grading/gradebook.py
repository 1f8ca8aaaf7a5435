"""Grades into nbgrader's gradebook, through nbgrader's own API, so that its formgrader and exporters go on from there.

What a person has entered stays: manual scores, extra credit, extensions, comments. The autograder's score is written next to a
manual one; where it is a new one, the answer is marked for review, as nbgrader does it. Where the course says what lateness
costs, that is the late penalty, taken from the score that stands in the gradebook; otherwise the penalty there stays.
"""

import os
import sysconfig
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, timedelta
from pathlib import Path
from typing import Any

from ..messages.install_hints import how_to_install
from .added import TASK, TESTS, WRITTEN
from .assignment import Assignment
from .files import printable
from .finals import Final
from .results import BY_HAND, MARKED, QuestionResult, SubmissionResult, in_utc
from .rules import Policy

COURSE = "default_course"  # what nbgrader calls a course that has no name


class GradebookError(RuntimeError):
    """A gradebook that cannot be used, with what to do instead."""


def write_gradebook(
    path_or_url: str | os.PathLike[str],
    assignment: Assignment,
    results: Iterable[SubmissionResult | Final],
    course: str = COURSE,
) -> list[str]:
    """Write the scores of `results` into a gradebook: a file such as `gradebook.db`, or the URL of a database.

    Of those that are `Final` also due dates, extensions and late penalties, as far as the course speaks of them. Creates what
    is missing: the database, the assignment with its notebook and cells, students, submissions. A student without a file is
    entered, but has no submission. Doing it twice changes nothing. `course` is the gradebook's name of the course, for an
    assignment that is new. Returns a sentence for each student with an extension in the gradebook that the course does
    not have. Raises GradebookError if nbgrader is not installed, or the database is locked, or is no gradebook.
    """
    finals = [*map(Final.of, results)]
    policy = finals[0].policy if finals else Policy()
    with _gradebook(path_or_url, course) as gradebook:
        notebook = _prepare(gradebook, assignment, policy)
        said = [_write_one(gradebook, assignment, notebook, final) for final in finals]
    return list(filter(None, said))


# ---- the database ----


@contextmanager
def _gradebook(path_or_url: str | os.PathLike[str], course: str) -> Iterator[Any]:
    """The gradebook, open; whatever the database refuses becomes a GradebookError."""
    try:
        from nbgrader.api import Gradebook, InvalidEntry
        from sqlalchemy.exc import SAWarning, SQLAlchemyError
    except ModuleNotFoundError as error:
        raise GradebookError(f"--gradebook needs nbgrader ({error}): {how_to_install('gradebook')}") from None
    try:
        url = _url(path_or_url)
        _examine(url)
        with _scripts_on_path():
            gradebook = Gradebook(url, course)
        with gradebook, warnings.catch_warnings():
            # nbgrader's own add_submission makes its objects before it adds them
            warnings.filterwarnings("ignore", "Object of type <Submitted", SAWarning)
            yield gradebook
    except (SQLAlchemyError, InvalidEntry) as error:
        raise GradebookError(_reason(path_or_url, error)) from error


def _url(path_or_url: str | os.PathLike[str]) -> Any:
    from sqlalchemy.engine import URL, make_url

    if isinstance(path_or_url, str) and "://" in path_or_url:
        return make_url(path_or_url)
    return URL.create("sqlite", database=str(Path(path_or_url).absolute()))


def _examine(url: Any) -> None:
    """Raise before anything is written where the database is not a gradebook, or where it is locked."""
    from nbgrader.api import Base
    from sqlalchemy import create_engine, inspect

    engine = create_engine(url)
    try:
        tables = set(inspect(engine).get_table_names())
        if tables and not tables >= Base.metadata.tables.keys():
            raise GradebookError(
                f"{url.database} is not a gradebook of this nbgrader: it has the tables {', '.join(sorted(tables)[:6])}. "
                "Name another file; if it is the gradebook of an older nbgrader, first run: nbgrader db upgrade"
            )
        if url.get_backend_name() == "sqlite":
            with engine.connect() as connection:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                connection.rollback()
    finally:
        engine.dispose()


@contextmanager
def _scripts_on_path() -> Iterator[None]:
    """Let nbgrader find `alembic`, which is in the folder of this interpreter even where its environment is not activated."""
    before = os.environ.get("PATH")
    os.environ["PATH"] = os.pathsep.join(filter(None, (sysconfig.get_path("scripts"), before)))
    try:
        yield
    finally:
        if before is None:
            del os.environ["PATH"]
        else:
            os.environ["PATH"] = before


def _reason(path_or_url: str | os.PathLike[str], error: Exception) -> str:
    said = str(getattr(error, "orig", None) or error).splitlines()[0]
    shown = path_or_url if "@" not in str(path_or_url) else "the database"  # a URL may hold a password
    if "locked" in said:
        return f"{shown} is in use by another program ({said}). Close it (the formgrader, nbgrader) and try again."
    if "unable to open" in said:
        return f"{shown} cannot be opened ({said}). Does its folder exist, and may you write there?"
    if "readonly" in said:
        return f"{shown} may not be written ({said}). Change its permissions, or write to a copy."
    return (
        f"{shown} cannot be used as a gradebook: {said}. Name another file; if it is the gradebook of an older nbgrader, "
        "first run: nbgrader db upgrade"
    )


# ---- the assignment ----


def _prepare(gradebook: Any, assignment: Assignment, policy: Policy) -> str:
    """Make sure that the assignment and its cells exist; return the name of their notebook."""
    due = {"duedate": in_utc(policy.due.isoformat())} if policy.due else {}
    gradebook.update_or_create_assignment(assignment.name, **due)
    known = gradebook.find_assignment(assignment.name).notebooks
    ours = {question.check_id for question in assignment.questions} | {added.name for added in assignment.added}
    notebook = next((n.name for n in known if ours & {cell.name for cell in n.grade_cells}), assignment.name)
    gradebook.update_or_create_notebook(notebook, assignment.name)
    for question in assignment.questions:
        gradebook.update_or_create_grade_cell(
            question.check_id, notebook, assignment.name, max_score=float(question.points), cell_type="code"
        )
        gradebook.update_or_create_solution_cell(question.answer_id, notebook, assignment.name)
    for added in assignment.added:
        make = gradebook.update_or_create_task_cell if added.kind == TASK else gradebook.update_or_create_grade_cell
        kind = "code" if added.kind == TESTS else "markdown"
        make(added.name, notebook, assignment.name, max_score=added.points, cell_type=kind)
        if added.kind == WRITTEN:
            gradebook.update_or_create_solution_cell(added.name, notebook, assignment.name)
    return notebook


# ---- one student ----


def _write_one(gradebook: Any, assignment: Assignment, notebook: str, final: Final) -> str:
    """Write what counts of a student; returns what is to be said of it, or an empty text."""
    result, student = final.result, printable(final.result.student)
    gradebook.update_or_create_student(student)
    if not result.file:
        return ""
    when = {"timestamp": result.submitted} if result.submitted else {}
    submission = gradebook.update_or_create_submission(assignment.name, student, **when)
    submitted = gradebook.find_submission_notebook(notebook, assignment.name, student)
    _complete(gradebook, submitted)
    grades = {grade.name: grade for grade in submitted.grades}
    comments = {comment.name: comment for comment in submitted.comments}
    earned = {question.question: question for question in result.questions}
    for question in assignment.questions:
        if question.name in earned:
            _grade(grades[question.check_id], earned[question.name])
            comments[question.answer_id].auto_comment = _comment(earned[question.name])
    for added in assignment.added:
        if added.name in earned:
            _grade(grades[added.name], earned[added.name])
            if added.by_hand:
                comments[added.name].auto_comment = _comment(earned[added.name])
    for name, result_of in earned.items():
        if result_of.comment and (comment := comments.get(name) or comments.get(f"answer-{name}")):
            comment.manual_comment = printable(result_of.comment)
    said = _write_lateness(gradebook, submission, submitted, final)
    gradebook.db.commit()
    return said


def _write_lateness(gradebook: Any, submission: Any, submitted: Any, final: Final) -> str:
    """The extension and the penalty of a student, as far as the course says something of them."""
    policy = final.policy
    extension = timedelta(0)
    if final.due and policy.due:
        extension = final.due.astimezone(UTC) - policy.due.astimezone(UTC)  # as the clock runs, not as it is set
    if extension:
        submission.extension = extension
    if policy.stated and final.days is not None:
        gradebook.db.flush()
        gradebook.db.refresh(submitted, ["score"])
        penalty = policy.taken_off(final.days, submitted.score, float(final.result.max_score))
        submitted.late_submission_penalty = penalty or None  # as nbgrader writes that there is none
    if policy.due and submission.extension and not extension:
        who = printable(final.result.student)
        return f"{who} has an extension in the gradebook, but not in course.toml, which determines the late penalty"
    return ""


def _complete(gradebook: Any, submitted: Any) -> None:
    """Give a submission that is older than a cell of its notebook a place for that cell."""
    from nbgrader.api import Comment, Grade

    cells = submitted.notebook
    for kind, there, wanted in (
        (Grade, submitted.grades, [*cells.grade_cells, *cells.task_cells]),
        (Comment, submitted.comments, [*cells.solution_cells, *cells.task_cells]),
    ):
        for cell_id in {cell.id for cell in wanted} - {entry.cell_id for entry in there}:
            gradebook.db.add(kind(cell_id=cell_id, notebook=submitted))
    gradebook.db.flush()


def _grade(grade: Any, question: QuestionResult) -> None:
    """Write the autograder's score, or a person's. Only a new one under a manual one asks for a person."""
    if question.kind in (BY_HAND, MARKED):
        grade.manual_score = question.points if question.kind == MARKED else grade.manual_score
        grade.needs_manual_grade = grade.manual_score is None
        return
    if grade.auto_score != question.points:
        grade.needs_manual_grade = grade.manual_score is not None
    grade.auto_score = float(question.points)


def _comment(question: QuestionResult) -> str:
    """What the student is told; a manual comment takes precedence over it."""
    return printable(f"{question.text}\n{question.hint}".strip())
