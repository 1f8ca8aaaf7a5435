"""Grade a class from a folder of submissions to a table of grades, in a way that can be interrupted."""

import hashlib
import os
import re
import secrets
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from .. import __version__
from ..jail import Limits
from ..meant import did_you_mean
from .assignment import Assignment
from .cluster import grade_on_cluster
from .examine import Pace
from .export import write_grades, write_questions
from .feedback import feedback_pages, write_feedback
from .gradebook import GradebookError, write_gradebook
from .grader import Settings
from .journal import Journal, fingerprint_of, seed_of
from .marks import left_over, marked, read_marks
from .overview import write_overview
from .pool import Work, grade_here, grade_in_processes, is_graded, ungraded_result, work_of
from .rescoring import merged, rescored, stale
from .results import SubmissionResult
from .submissions import Submission, find_submissions


@dataclass(frozen=True)
class Plan:
    """What to grade, how, and where the results go.

    `out` is the table of grades; beside it are written `OUT.questions.csv`, `OUT.html` (the instructor's overview) and
    `OUT.journal` (what a run that was interrupted goes on from); `OUT.marks.csv` is read there, where a person has given
    points. `seed` None: one is drawn, or the journal's is taken. `rescore`: nothing is run, what is in the journal is
    counted by today's points and texts. `again` names questions that are run once more for all.
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
    rescore: bool = False
    again: tuple[str, ...] = ()

    def beside(self, ending: str) -> Path:
        """A file beside the table of grades."""
        return self.out.with_suffix(ending)

    @property
    def goes_on(self) -> bool:
        """True where an earlier run's journal is to be there."""
        return self.resume or self.rescore or bool(self.again)

    @property
    def tables(self) -> tuple[Path, Path, Path]:
        """The grades, the table with a line for each answer, and the overview."""
        return self.out, self.beside(".questions.csv"), self.beside(".html")


@dataclass(frozen=True)
class GradedClass:
    """The results, sorted by student; `unwritten` has a sentence for each file that could not be written.

    `remarks` say what was not counted: marks of an answer that is another one now, verdicts that stand on older tests.
    """

    results: list[SubmissionResult]
    unwritten: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def to_mark(self) -> int:
        """How many answers a person has to grade yet."""
        return sum(len(result.to_mark) for result in self.results)

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
    assignment = Assignment.read(plan.assignment)
    _examine(plan, assignment)
    marks = read_marks(plan.beside(MARKS))
    found = find_submissions(plan.submissions, assignment.name, plan.assignment)
    journal, settings = _begin(plan, assignment, found)
    results: dict[str, SubmissionResult] = {}
    begin(len(found))

    def to_do() -> Iterator[Work]:
        for work in map(work_of, found):
            before = journal.find(work.student, hashlib.sha256(work.data).hexdigest() if work.data else "")
            done = before if before is not None and is_graded(before) else None
            if plan.rescore or (done is not None and not stale(done, assignment, plan.again)):
                results[work.student] = done or ungraded_result(assignment, settings, work, NOT_YET)
                step()
            elif done is not None:
                yield replace(work, only=stale(done, assignment, plan.again))
            else:
                earlier = journal.results.get(work.student)
                yield replace(work, again=earlier is not None and bool(earlier.digest) and is_graded(earlier))

    with closing(_graded(plan, assignment, settings, to_do(), len(found))) as fresh:
        for result in fresh:
            before = journal.find(result.student, result.digest)
            whole = merged(before, result) if before is not None and is_graded(result) else result
            journal.add(whole)
            results[result.student] = whole
            step()
    counted = [rescored(results[submission.student], assignment) for submission in found]
    remarks = [*left_over(counted, marks), *_outdated(results.values(), assignment)]
    ordered = marked(counted, marks)
    return GradedClass(ordered, tuple(_write(plan, assignment, ordered)), tuple(remarks))


MARKS = ".marks.csv"
NOT_YET = "it is not in the journal; --resume grades it"


def _outdated(results: Iterable[SubmissionResult], assignment: Assignment) -> Iterator[str]:
    """A sentence for each question whose verdicts stand on something else than today's notebook."""
    old = Counter(name for result in results if is_graded(result) for name in stale(result, assignment))
    for name, number in sorted(old.items()):
        yield f"{name} was changed since {number} answers to it were graded; run it again for all: --again {name}"


def _examine(plan: Plan, assignment: Assignment) -> None:
    """Raise ValueError now for what could otherwise not be written at the end, and for a question that is not asked."""
    for name in plan.again:
        if name not in assignment.order:
            raise ValueError(f"there is no question {name!r} to run again. {did_you_mean(name, assignment.order)}")
    if plan.out.suffix != ".csv" or plan.out.is_dir():
        raise ValueError(f"--out is the table of grades: expected a file such as grades.csv, but got {plan.out}")
    if plan.feedback and plan.out.resolve().is_relative_to(plan.feedback.resolve()):
        raise ValueError(
            f"{plan.feedback} is handed out to students, and beside {plan.out} stand all their names: put --out elsewhere"
        )


def _begin(plan: Plan, assignment: Assignment, found: list[Submission]) -> tuple[Journal, Settings]:
    """The journal of this run, and the settings, with the journal's seed where none is given."""
    path = plan.beside(".journal")
    seed = plan.seed
    if seed is None and plan.goes_on:
        seed = seed_of(path)
    if seed is None:
        seed = secrets.randbits(128)
    fingerprint = {
        "assignment": assignment.name, "seed": seed, "labkit": __version__,
        "pace": asdict(plan.pace), "limits": asdict(plan.limits),
    }  # fmt: skip
    if plan.rescore:  # nothing is run, so limits do not matter
        fingerprint |= {key: value for key, value in fingerprint_of(path).items() if key != "assignment"}
    plan.out.parent.mkdir(parents=True, exist_ok=True)
    preload = ("matplotlib.pyplot",) if any(map(_plots, found)) else ()
    settings = Settings(seed, plan.pace, plan.limits, plan.unsafe, preload)
    return Journal.open(path, fingerprint, plan.goes_on), settings


def _plots(submission: Submission) -> bool:
    return re.search(rb"matplotlib|\bplot\b", work_of(submission).data) is not None


def _graded(
    plan: Plan, assignment: Assignment, settings: Settings, works: Iterator[Work], number: int
) -> Generator[SubmissionResult]:
    if plan.scheduler:
        return grade_on_cluster(assignment, settings, works, plan.scheduler)
    jobs = min(plan.jobs or _cores(), number)
    if jobs <= 1:
        return grade_here(assignment, settings, works)
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
