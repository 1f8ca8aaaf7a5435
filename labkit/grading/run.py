"""One run of `labkit grade`: its options, and the files that it writes, each independently of the others."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..sandbox import Limits
from .assignment import Assignment
from .bounds import Bounds
from .export import write_feedback_archive, write_grades, write_lms_grades, write_questions, write_unmatched
from .feedback import feedback_pages, write_feedback
from .final_scores import Final
from .findings import Pace
from .overview import write_overview
from .results import SubmissionResult
from .roster import Roster
from .submissions import Collected


@dataclass(frozen=True)
class Plan:
    """What to grade, how, and where the results go.

    `submissions` is a folder, or a ZIP archive of a system. `out` is the table of grades; next to it are written
    `OUT.questions.csv`, `OUT.html` (the instructor's overview), `OUT.unmatched.csv` (files that match no student;
    its column `student` can be filled in) and `OUT.journal` (what a run that was interrupted goes on from);
    `OUT.marks.csv` is read there, where a person has given points. `seed` None: one is drawn, or the journal's is taken.
    `roster` is the list of students, the one of `course.toml` if it is not given. `feedback` is a folder, or an archive (.zip)
    for the system; `returned` the table of grades that the system imports.
    `rescore`: nothing is run, what is in the journal is counted by today's points and texts. `regrade` names questions that
    are run once more for all, and students of whom all is run once more.
    """

    submissions: Path
    assignment: Path
    out: Path
    jobs: int = 0
    feedback: Path | None = None
    resume: bool = False
    seed: int | None = None
    unsafe: bool = False
    pace: Pace = field(default_factory=Pace)
    limits: Limits = field(default_factory=Limits)
    bounds: Bounds = field(default_factory=Bounds)
    roster: Path | None = None
    returned: Path | None = None
    rescore: bool = False
    regrade: tuple[str, ...] = ()

    def beside(self, ending: str) -> Path:
        """A file next to the table of grades."""
        return self.out.with_suffix(ending)

    @property
    def goes_on(self) -> bool:
        """True where an earlier run's journal is to be there."""
        return self.resume or self.rescore or bool(self.regrade)

    @property
    def tables(self) -> tuple[Path, Path, Path]:
        """The grades, the table with a line for each answer, and the overview."""
        return self.out, self.beside(".questions.csv"), self.beside(".html")

    @property
    def unmatched(self) -> Path:
        """The table of files that match no student."""
        return self.beside(".unmatched.csv")

    @property
    def pages(self) -> Path | None:
        """The folder of the feedback pages; None where there is none, or they go into an archive."""
        return self.feedback if self.feedback and self.feedback.suffix.lower() != ".zip" else None


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
    writing: list[tuple[Path | str | None, Callable[[], Any]]] = [
        (grades, lambda: write_grades(grades, done.finals)),
        (questions, lambda: write_questions(questions, results)),
        (plan.unmatched if strangers else None, lambda: write_unmatched(plan.unmatched, strangers, done.matches)),
        (plan.pages, lambda: write_feedback(plan.pages or "", done.finals, assignment.title)),
        (archive, lambda: _write_archive(done, archive or Path())),
        (overview, lambda: write_overview(overview, done.finals, assignment.title, _there(pages))),
        (plan.returned, lambda: _write_returned(done)),
    ]
    for file, write in writing:
        if file:
            try:
                write()
            except (OSError, ValueError, ImportError) as error:
                yield "{file} was not written completely: {error}".format(file=file, error=error)


def _write_archive(done: Done, path: Path) -> None:
    submissions = {submission.student: submission for submission in done.collected.submissions}
    write_feedback_archive(path, done.finals, submissions, done.assignment.title)


def _write_returned(done: Done) -> None:
    if done.plan.returned and done.roster:
        write_lms_grades(done.plan.returned, done.assignment, done.finals, done.roster)
