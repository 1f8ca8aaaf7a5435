"""Grade a class from a folder of submissions to a table of grades, in a way that can be interrupted."""

import hashlib
import os
import re
import secrets
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from .. import __version__
from ..jail import Limits
from .assignment import Assignment
from .bounds import Bounds
from .cluster import grade_on_cluster
from .examine import Pace
from .export import write_grades, write_questions
from .feedback import feedback_pages, write_feedback
from .gradebook import GradebookError, write_gradebook
from .grader import Settings
from .holding import held
from .journal import Journal, seed_of
from .overview import write_overview
from .pool import grade_in_processes, is_graded, work_of
from .results import SubmissionResult
from .submissions import Submission, find_submissions
from .worker import Work


@dataclass(frozen=True)
class Plan:
    """What to grade, how, and where the results go.

    `out` is the table of grades; beside it are written `OUT.questions.csv`, `OUT.html` (the instructor's overview) and
    `OUT.journal` (what a run that was interrupted goes on from). `seed` None: one is drawn, or the journal's is taken.
    """

    submissions: Path
    assignment: Path
    out: Path
    jobs: int = 0
    scheduler: str = ""
    feedback: Path | None = None
    solutions: bool = False
    gradebook: str = ""
    resume: bool = False
    seed: int | None = None
    unsafe: bool = False
    pace: Pace = field(default_factory=Pace)
    limits: Limits = field(default_factory=Limits)
    bounds: Bounds = field(default_factory=Bounds)

    def beside(self, ending: str) -> Path:
        """A file beside the table of grades."""
        return self.out.with_suffix(ending)

    @property
    def tables(self) -> tuple[Path, Path, Path]:
        """The grades, the table with a line for each answer, and the overview."""
        return self.out, self.beside(".questions.csv"), self.beside(".html")


@dataclass(frozen=True)
class GradedClass:
    """The results, sorted by student; `unwritten` has a sentence for each file that could not be written."""

    results: list[SubmissionResult]
    unwritten: tuple[str, ...] = ()

    @property
    def ungraded(self) -> list[str]:
        """The students whose submission the grader itself failed at."""
        return [result.student for result in self.results if not is_graded(result)]


def grade_class(
    plan: Plan, begin: Callable[[int], None] = lambda all_: None, step: Callable[[], None] = lambda: None
) -> GradedClass:
    """Grade everything and write the results; a file that cannot be written does not keep the others from being written.

    `begin(all)` is called once with the number of submissions, `step()` after each of them. What an interrupted run has
    graded is in the journal. Raises AssignmentError, SubmissionError, JournalError, NotIsolated, ValueError or OSError,
    with a message for people.
    """
    _examine(plan)
    assignment = Assignment.read(plan.assignment)
    found = find_submissions(plan.submissions, assignment.name, plan.assignment)
    plan.out.parent.mkdir(parents=True, exist_ok=True)
    with held(plan.beside(".journal")):
        return _grade_all(plan, assignment, found, begin, step)


def _grade_all(
    plan: Plan, assignment: Assignment, found: list[Submission], begin: Callable[[int], None], step: Callable[[], None]
) -> GradedClass:
    """Grade what is not in the journal yet, and write all."""
    journal, settings = _begin(plan, found)
    results: dict[str, SubmissionResult] = {}
    begin(len(found))

    def to_do() -> Iterator[Work]:
        for work in map(work_of, found):
            before = journal.find(work.student, hashlib.sha256(work.data).hexdigest() if work.data else "")
            if before is None or not is_graded(before):
                earlier = journal.results.get(work.student)
                yield replace(work, again=earlier is not None and bool(earlier.digest) and is_graded(earlier))
            else:
                results[work.student] = before
                step()

    with closing(_graded(plan, assignment, settings, to_do(), len(found))) as fresh:
        for result in fresh:
            journal.add(result)
            results[result.student] = result
            step()
    ordered = [results[submission.student] for submission in found]
    return GradedClass(ordered, tuple(_write(plan, assignment, ordered)))


def _examine(plan: Plan) -> None:
    """Raise ValueError now for what could otherwise not be written at the end."""
    if plan.out.suffix != ".csv" or plan.out.is_dir():
        raise ValueError(f"--out is the table of grades: expected a file such as grades.csv, but got {plan.out}")
    if plan.feedback and plan.out.resolve().is_relative_to(plan.feedback.resolve()):
        raise ValueError(
            f"{plan.feedback} is handed out to students, and beside {plan.out} stand all their names: put --out elsewhere"
        )


def _begin(plan: Plan, found: list[Submission]) -> tuple[Journal, Settings]:
    """The journal of this run, and the settings, with the journal's seed where none is given."""
    path = plan.beside(".journal")
    seed = plan.seed
    if seed is None and plan.resume:
        seed = seed_of(path)
    if seed is None:
        seed = secrets.randbits(128)
    fingerprint = {
        "assignment": hashlib.sha256(plan.assignment.read_bytes()).hexdigest(), "seed": seed, "labkit": __version__,
        "pace": asdict(plan.pace), "limits": asdict(plan.limits),
    }  # fmt: skip
    preload = ("matplotlib.pyplot",) if any(map(_plots, found)) else ()
    settings = Settings(seed, plan.pace, plan.limits, plan.unsafe, preload, plan.bounds)
    return Journal.open(path, fingerprint, plan.resume), settings


def _plots(submission: Submission) -> bool:
    return re.search(rb"matplotlib|\bplot\b", work_of(submission).data) is not None


def _graded(
    plan: Plan, assignment: Assignment, settings: Settings, works: Iterator[Work], number: int
) -> Generator[SubmissionResult]:
    if plan.scheduler:
        return grade_on_cluster(assignment, settings, works, plan.scheduler)
    jobs = min(plan.jobs or _cores(), number)
    return grade_in_processes(assignment, settings, works, jobs)


def _cores() -> int:
    """Cores that this process may use, where the system tells."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _there(pages: dict[str, Path]) -> dict[str, Path]:
    """The pages that are there."""
    return {student: page for student, page in pages.items() if page.exists()}


def _write(plan: Plan, assignment: Assignment, results: list[SubmissionResult]) -> Iterator[str]:
    """Write all that was asked for, the grades first; a sentence for each that could not be written."""
    grades, questions, overview = plan.tables
    pages = feedback_pages(plan.feedback, results) if plan.feedback else {}
    writing: list[tuple[Path | str | None, Callable[[], Any]]] = [
        (grades, lambda: write_grades(grades, results)),
        (questions, lambda: write_questions(questions, results)),
        (plan.feedback, lambda: write_feedback(plan.feedback or "", results, assignment.title, plan.solutions)),
        (overview, lambda: write_overview(overview, results, assignment.title, _there(pages))),
        (plan.gradebook, lambda: write_gradebook(plan.gradebook, assignment, results)),
    ]
    for file, write in writing:
        if file:
            try:
                write()
            except (OSError, ValueError, ImportError, GradebookError) as error:
                yield f"{file} was not written, or not all of it: {error}"
