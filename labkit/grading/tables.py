"""What is written when a class is graded: tables, pages, archives and the gradebook, each without the others."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .assignment import Assignment
from .export import write_grades, write_questions, write_unmatched
from .feedback import feedback_pages, write_feedback
from .finals import Final
from .gradebook import GradebookError, write_gradebook
from .overview import write_overview
from .plan import Plan
from .results import SubmissionResult
from .returned import write_feedback_archive, write_lms_grades
from .roster import Roster
from .submissions import Collected


@dataclass(frozen=True)
class Done:
    """A class that is graded, and all that is needed to write it down."""

    plan: Plan
    assignment: Assignment
    collected: Collected
    finals: list[Final]
    roster: Roster | None
    matches: dict[str, str]

    @property
    def results(self) -> list[SubmissionResult]:
        """The results of the finals."""
        return [final.result for final in self.finals]


def _there(pages: dict[str, Path]) -> dict[str, Path]:
    """The pages that are there."""
    return {student: page for student, page in pages.items() if page.exists()}


def written(done: Done) -> Iterator[str]:
    """Write all that was asked for, the grades first; a sentence for each that could not be written, or not as one expects."""
    plan, assignment, results = done.plan, done.assignment, done.results
    grades, questions, overview = plan.tables
    pages = feedback_pages(plan.pages, results) if plan.pages else {}
    archive = plan.feedback if plan.pages is None else None
    strangers = done.collected.strangers
    told = list[str]()
    writing: list[tuple[Path | str | None, Callable[[], Any]]] = [
        (grades, lambda: write_grades(grades, done.finals)),
        (questions, lambda: write_questions(questions, results)),
        (plan.unmatched if strangers else None, lambda: write_unmatched(plan.unmatched, strangers, done.matches)),
        (plan.pages, lambda: write_feedback(plan.pages or "", done.finals, assignment.title)),
        (archive, lambda: _write_archive(done, archive or Path())),
        (overview, lambda: write_overview(overview, done.finals, assignment.title, _there(pages))),
        (plan.returned, lambda: _write_returned(done)),
        (plan.gradebook, lambda: told.extend(write_gradebook(plan.gradebook, assignment, done.finals))),
    ]
    for file, write in writing:
        if file:
            try:
                write()
            except (OSError, ValueError, ImportError, GradebookError) as error:
                yield f"{file} was not written, or not all of it: {error}"
    yield from (f"{plan.gradebook}: {sentence}." for sentence in told)


def _write_archive(done: Done, path: Path) -> None:
    submissions = {submission.student: submission for submission in done.collected.submissions}
    write_feedback_archive(path, done.finals, submissions, done.assignment.title)


def _write_returned(done: Done) -> None:
    if done.plan.returned and done.roster:
        write_lms_grades(done.plan.returned, done.assignment, done.finals, done.roster)
