"""Grades a class from a folder of submissions to a table of grades; a run can be interrupted and resumed."""

import hashlib
import os
import re
import secrets
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from .. import __version__
from ..messages.suggestions import did_you_mean
from .assignment import Assignment
from .collecting import collect
from .course import class_rules
from .export import grade_column, read_matches
from .files import SubmissionError
from .final_scores import Final, finals_of, unknown_extensions
from .grader import Grader, Settings
from .journal import Journal, fingerprint_of, locked, seed_of
from .late_policy import Rules
from .marks import left_over, marked, read_marks
from .matching import OTHERS
from .processes import Reader
from .rescoring import merged, rescored, stale
from .results import FAILED, NOTHING, UNREAD, SubmissionResult
from .roster import Roster, read_roster, with_ids_of
from .run import Done, Plan, written
from .submissions import Stranger, Submission
from .workers import Work, grade_in_processes, grade_one, is_graded, ungraded_result, work_of

STALE = "{name} was changed after {count} of its answers were graded. To regrade them: --regrade {name}"
NO_SUBMISSION = "There is no submission in {folder}; expected the students' notebooks."
NOTHING_TO_REGRADE = "--regrade: there is no question and no student {name!r}. {suggestion}"
NOT_ON_ROSTER = "course.toml: extensions for students who are not on the roster {path}: {names}."
NO_ROSTER = "{file} is a copy of the roster with the grades: add --roster FILE."
OVER_ROSTER = "{file} is the roster itself, which is not overwritten: choose another name."
NOTHING_TO_RESCORE = "--rescore: {path} has no results of an earlier run. Grade first, without --rescore."
NO_TABLE = "--out is the table of grades: expected a file such as grades.csv, but got {table}"
IN_FEEDBACK = "{feedback} is for students, and the files next to {table} name all of them: put --out elsewhere"


@dataclass(frozen=True)
class GradedClass:
    """The results, sorted by student; `unwritten` has a sentence for each file that could not be written.

    `finals` are what counts of them, `strangers` the files that match no student; `takes_off` is true if there is a late penalty.
    `remarks` name what was not counted: marks of an answer that has changed, verdicts that depend on older tests.
    """

    results: list[SubmissionResult]
    unwritten: tuple[str, ...] = ()
    finals: tuple[Final, ...] = ()
    strangers: tuple[Stranger, ...] = ()
    takes_off: bool = False
    remarks: tuple[str, ...] = ()

    @property
    def to_mark(self) -> int:
        """How many answers a person has to grade yet."""
        return sum(len(result.to_mark) for result in self.results)

    @property
    def waiting(self) -> list[str]:
        """The students of whom a person has to grade something yet: their grade is not given back to a system."""
        return [result.student for result in self.results if result.to_mark]

    @property
    def ungraded(self) -> list[str]:
        """The students whose submission the grader itself failed at."""
        return self._in_state(FAILED)

    @property
    def unread(self) -> list[str]:
        """The students who handed in something in which no answer was found."""
        return self._in_state(UNREAD)

    @property
    def absent(self) -> list[str]:
        """The students without a submission."""
        return self._in_state(NOTHING)

    @property
    def timeless(self) -> list[str]:
        """The students whose late penalty depends on a time that is unknown."""
        return [final.result.student for final in self.finals if self.takes_off and final.timeless]

    @property
    def others(self) -> list[str]:
        """The students whose notebook belongs to another student."""
        return [result.student for result in self.results if any(note.startswith(OTHERS) for note in result.notes)]

    def _in_state(self, state: str) -> list[str]:
        return [result.student for result in self.results if result.state == state]


def grade_class(
    plan: Plan, begin: Callable[[int], None] = lambda all_: None, step: Callable[[], None] = lambda: None
) -> GradedClass:
    """Grade everything and write the results; a file that cannot be written does not keep the others from being written.

    `begin(all)` is called once with the number of submissions, `step()` after each of them. What an interrupted run has
    graded is in the journal. Raises AssignmentError, SubmissionError, JournalError, NotIsolated, ValueError or OSError,
    with a message for people.
    """
    assignment = Assignment.read(plan.assignment)
    _examine(plan)
    rules = class_rules(plan.assignment, assignment.name)
    roster = _roster(plan, rules, assignment)
    matches = read_matches(plan.unmatched) if plan.unmatched.is_file() else {}
    with Reader(plan.bounds) as reader:
        collected = collect(
            plan.submissions, assignment.name, plan.assignment, roster, matches, rules.zone, reader
        )  # fmt: skip
        found = collected.submissions
        if not (found or collected.strangers or roster):
            raise SubmissionError(NO_SUBMISSION.format(folder=plan.submissions))
        known = [*assignment.order, *(submission.student for submission in found)]
        if strange := next((name for name in plan.regrade if name not in known), ""):
            raise ValueError(NOTHING_TO_REGRADE.format(name=strange, suggestion=did_you_mean(strange, known)))
        with _made(plan.out.parent), locked(plan.beside(".journal")):
            marks = read_marks(plan.beside(MARKS))
            results = _results(plan, assignment, found, begin, step)
            current = [rescored(result, assignment) for result in results]
            remarks = (*left_over(current, marks), *_outdated(results, assignment))
            finals = finals_of(marked(current, marks), found, roster, rules.policy)
            unwritten = tuple(written(Done(plan, assignment, collected, finals, roster, matches)))
    ordered = [final.result for final in finals]
    strangers = tuple(collected.strangers)
    return GradedClass(ordered, unwritten, tuple(finals), strangers, rules.policy.takes_off, remarks)


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """Make a folder with those above it; those that were not there and stay empty, because nothing is graded, go again."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        with suppress(OSError):
            for one in missing:
                one.rmdir()


def _results(
    plan: Plan, assignment: Assignment, found: list[Submission], begin: Callable[[int], None], step: Callable[[], None]
) -> list[SubmissionResult]:
    """Grade what is not in the journal yet, or was graded on something else; a result for each submission, in their order."""
    journal, settings = _begin(plan, assignment, found)
    if plan.rescore and not journal.results:
        raise ValueError(NOTHING_TO_RESCORE.format(path=journal.path))
    results: dict[str, SubmissionResult] = {}
    begin(len(found))

    def to_do() -> Iterator[Work]:
        for work in map(work_of, found):
            before = journal.find(work.student, hashlib.sha256(work.data).hexdigest() if work.data else "")
            done = before if before is not None and is_graded(before) else None
            again = assignment.order if work.student in plan.regrade else plan.regrade
            if plan.rescore or (done is not None and not stale(done, assignment, again)):
                results[work.student] = done or _not_run(assignment, settings, work)
                step()
            elif done is not None:
                yield replace(work, only=stale(done, assignment, again))
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
    return [results[submission.student] for submission in found]


def _roster(plan: Plan, rules: Rules, assignment: Assignment) -> Roster | None:
    """The students of the class, if they are known. Raises what is wrong with the table, before anything is graded."""
    path = plan.roster or rules.roster
    roster = read_roster(path) if path else None
    if roster and plan.roster and rules.roster and rules.roster.resolve() != plan.roster.resolve():
        roster = with_ids_of(roster, read_roster(rules.roster))
    if roster and (names := unknown_extensions(rules.policy, roster)):
        raise ValueError(NOT_ON_ROSTER.format(path=roster.path, names=", ".join(names)))
    if plan.returned and roster is None:
        raise ValueError(NO_ROSTER.format(file=plan.returned))
    if plan.returned and roster:
        grade_column(assignment, roster)
        if plan.returned.resolve() == roster.path.resolve():
            raise ValueError(OVER_ROSTER.format(file=plan.returned))
    return roster


MARKS = ".marks.csv"
NOT_YET = "it is not in the journal; --resume grades it"


def _not_run(assignment: Assignment, settings: Settings, work: Work) -> SubmissionResult:
    """The result of what is not in the journal where nothing may be run: without a submission, that is all there is."""
    if work.problem:
        return grade_one(Grader(assignment, settings), work)
    return ungraded_result(assignment, settings, work, NOT_YET)


def _outdated(results: Iterable[SubmissionResult], assignment: Assignment) -> Iterator[str]:
    """A sentence for each question whose verdicts were found on another version of the notebook."""
    old = Counter(name for result in results if is_graded(result) for name in stale(result, assignment))
    for name, number in sorted(old.items()):
        yield STALE.format(name=name, count=number)


def _examine(plan: Plan) -> None:
    """Raise ValueError now for what could otherwise not be written at the end."""
    if plan.out.suffix != ".csv" or plan.out.is_dir():
        raise ValueError(NO_TABLE.format(table=plan.out))
    if plan.pages and plan.out.resolve().is_relative_to(plan.pages.resolve()):
        raise ValueError(IN_FEEDBACK.format(feedback=plan.feedback, table=plan.out))


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
        "pace": asdict(plan.pace), "limits": asdict(plan.limits), **({"unsafe": True} if plan.unsafe else {}),
    }  # fmt: skip
    if plan.rescore:  # nothing is run, so limits do not matter
        fingerprint |= {key: value for key, value in fingerprint_of(path).items() if key != "assignment"}
    preload = ("matplotlib.pyplot",) if any(map(_plots, found)) else ()
    settings = Settings(seed, plan.pace, plan.limits, plan.unsafe, preload, plan.bounds)
    return Journal.open(path, fingerprint, plan.goes_on), settings


def _plots(submission: Submission) -> bool:
    return re.search(rb"matplotlib|\bplot\b", work_of(submission).data) is not None


def _graded(
    plan: Plan, assignment: Assignment, settings: Settings, works: Iterator[Work], number: int
) -> Generator[SubmissionResult]:
    jobs = min(plan.jobs or _cores(), number)
    return grade_in_processes(assignment, settings, works, jobs)


def _cores() -> int:
    """Cores that this process may use, where the system reports them."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
