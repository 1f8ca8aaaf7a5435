"""Grade a class from a folder of submissions to a table of grades, in a way that can be interrupted."""

import hashlib
import os
import secrets
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .. import __version__
from ..jail.jail import Limits
from .assignment import Assignment
from .cluster import grade_on_cluster
from .examine import Pace
from .export import write_grades, write_questions
from .feedback import write_feedback
from .grader import Settings
from .journal import Journal, seed_of
from .overview import write_overview
from .pool import Work, grade_here, grade_in_processes, work_of
from .results import SubmissionResult
from .submissions import Submission, find_submissions


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

    def beside(self, ending: str) -> Path:
        """A file beside the table of grades."""
        return self.out.with_suffix(ending)


def grade_class(
    plan: Plan, begin: Callable[[int], None] = lambda all_: None, step: Callable[[], None] = lambda: None
) -> list[SubmissionResult]:
    """Grade everything and write the results; returns them, sorted by student.

    `begin(all)` is called once with the number of submissions, `step()` after each of them. What an interrupted run has
    graded is in the journal. Raises AssignmentError, SubmissionError, JournalError, NotIsolated or OSError, with a
    message for people, and then nothing is lost.
    """
    assignment = Assignment.read(plan.assignment)
    found = find_submissions(plan.submissions, assignment.name, plan.assignment)
    journal, settings = _begin(plan, found)
    results: dict[str, SubmissionResult] = {}
    begin(len(found))

    def to_do() -> Iterator[Work]:
        for work in map(work_of, found):
            before = journal.find(work.student, hashlib.sha256(work.data).hexdigest() if work.data else "")
            if before is None:
                yield work
            else:
                results[work.student] = before
                step()

    for result in _graded(plan, assignment, settings, to_do()):
        journal.add(result)
        results[result.student] = result
        step()
    ordered = [results[submission.student] for submission in found]
    _write(plan, assignment, ordered)
    return ordered


def _begin(plan: Plan, found: list[Submission]) -> tuple[Journal, Settings]:
    """The journal of this run, and the settings, with the journal's seed where none is given."""
    path = plan.beside(".journal")
    seed = plan.seed
    if seed is None:
        seed = (plan.resume and seed_of(path)) or secrets.randbelow(2**32)
    fingerprint = {
        "assignment": hashlib.sha256(plan.assignment.read_bytes()).hexdigest(), "seed": seed, "labkit": __version__,
        "pace": asdict(plan.pace), "limits": asdict(plan.limits),
    }  # fmt: skip
    plan.out.parent.mkdir(parents=True, exist_ok=True)
    preload = ("matplotlib.pyplot",) if any(map(_plots, found)) else ()
    settings = Settings(seed, plan.pace, plan.limits, plan.unsafe, preload)
    return Journal.open(path, fingerprint, plan.resume), settings


def _plots(submission: Submission) -> bool:
    return b"matplotlib" in work_of(submission).data


def _graded(
    plan: Plan, assignment: Assignment, settings: Settings, works: Iterator[Work]
) -> Iterator[SubmissionResult]:
    if plan.scheduler:
        return grade_on_cluster(assignment, settings, works, plan.scheduler)
    jobs = plan.jobs or os.cpu_count() or 1
    if jobs == 1:
        return grade_here(assignment, settings, works)
    return grade_in_processes(assignment, settings, works, jobs)


def _write(plan: Plan, assignment: Assignment, results: list[SubmissionResult]) -> None:
    write_grades(plan.out, results)
    write_questions(plan.beside(".questions.csv"), results)
    pages = write_feedback(plan.feedback, results, assignment.title, plan.solutions) if plan.feedback else {}
    write_overview(plan.beside(".html"), results, assignment.title, pages)
    if plan.gradebook:
        from .gradebook import write_gradebook

        write_gradebook(plan.gradebook, assignment, results)
