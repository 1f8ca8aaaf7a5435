"""`labkit grade`: from a folder of submissions to a table of grades."""

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from ._shared import add_command, not_installed, refuse


def add_parser(commands: Any) -> None:
    """Add `labkit grade` to the parsers of the other commands."""
    what = "grade the submissions of a class, each in a sandbox"
    more = "The exit status is 0 if every submission is graded and written, otherwise 1."
    parser = add_command(commands, "grade", run, what, more)
    parser.epilog = (
        "labkit also writes grades.questions.csv, grades.html (your overview with the misconceptions of the class) and "
        "grades.journal, from which --resume continues."
    )
    for add in (_add_files, _add_results, _add_second_run, _add_limits):
        add(parser)


def _add_files(parser):
    """The submissions, the notebook and the roster."""
    parser.add_argument(
        "submissions", type=Path, metavar="SUBMISSIONS",
        help="a Moodle or Canvas archive, or a folder (unpacked archive, nbgrader layout, git checkouts, loose files)",
    )  # fmt: skip
    parser.add_argument(
        "--assignment", type=Path, required=True, metavar="A.ipynb", help="the instructor's notebook, from source/"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="grades.csv", help="the table of grades")
    parser.add_argument(
        "--roster", type=Path, metavar="FILE.csv",
        help="the list of students: Canvas's gradebook, Moodle's grading worksheet, or a table with a column 'id'; "
        "default: the roster in course.toml",
    )  # fmt: skip
    parser.add_argument(
        "--return", type=Path, metavar="FILE.csv", dest="returned", help="write a copy of the roster with the grades, "
        "which Canvas and Moodle import",
    )  # fmt: skip


def _add_results(parser):
    """The number of processes, and the files next to the table."""
    parser.add_argument(
        "--jobs", type=_at_least(1), default=0, metavar="N", help="number of processes; default: all cores"
    )
    parser.add_argument(
        "--feedback", type=Path, metavar="FOLDER",
        help="write a feedback page for each student; FILE.zip: an archive that Moodle or Canvas imports",
    )  # fmt: skip


def _add_second_run(parser):
    """The options of a second run."""
    parser.add_argument("--resume", action="store_true", help="continue an interrupted run")
    parser.add_argument(
        "--rescore", action="store_true",
        help="run no code: write the results of the last run again, with the current points, texts and marks",
    )  # fmt: skip
    parser.add_argument(
        "--regrade", action="append", default=[], metavar="NAME",
        help="regrade this question for all students, or all questions of this student; may be repeated",
    )  # fmt: skip


def _add_limits(parser):
    """The limits of a student's code."""
    parser.add_argument(
        "--seed", type=_at_least(0), metavar="N", help="seed of the random inputs; the same seed gives the same grades"
    )
    parser.add_argument(
        "--seconds", type=_at_least(0.001), default=5.0, metavar="S",
        help="CPU seconds for one call of an answer; default: 5",
    )  # fmt: skip
    parser.add_argument(
        "--unsafe", action="store_true", help="grade even if this machine cannot isolate students' code"
    )


def _at_least(least: float) -> Callable[[str], float]:
    """Reads a number of the kind of `least` that is not less."""

    def read(text: str) -> float:
        with suppress(ValueError):
            if least <= (number := type(least)(text)) < float("inf"):
                return number
        kind = "a whole number" if isinstance(least, int) else "a number"
        raise argparse.ArgumentTypeError(_NO_NUMBER.format(kind=kind, least=least, text=text))

    return read


def run(arguments: argparse.Namespace) -> int:
    """Grade, with a progress bar on stderr and a summary on stdout; returns the exit status."""
    if missing := _missing(arguments):
        return _refuse(missing)
    from tqdm import tqdm

    from ..grading import AssignmentError, JournalError, SubmissionError, grade_class
    from ..sandbox import NotIsolated

    plan = _plan(arguments)
    if plan.unsafe:
        print(_UNSAFE, file=sys.stderr)
    try:
        with tqdm(unit=" submissions", disable=None, leave=False) as bar:
            graded = grade_class(plan, bar.reset, bar.update)
    except KeyboardInterrupt:
        print("\nStopped. The results so far are kept: continue with the same command and --resume.", file=sys.stderr)
        return 130
    except NotIsolated as error:
        return _refuse(f"{error}\n{_ANYWAY}")
    except (AssignmentError, SubmissionError, JournalError, RuntimeError, OSError, ValueError) as error:
        return _refuse(error)
    return _tell(plan, graded)


def _missing(arguments: argparse.Namespace) -> str:
    """What is not installed and needed for this run, as a sentence; empty where nothing is missing."""
    needed = [(package, "classroom") for package in ("jinja2", "psutil", "tqdm")]
    return not_installed(*needed)


_refuse = partial(refuse, "grade", status=1)


def _plan(arguments: argparse.Namespace) -> Any:
    from ..grading import Pace, Plan

    return Plan(
        submissions=arguments.submissions, assignment=arguments.assignment, out=arguments.out, jobs=arguments.jobs,
        feedback=arguments.feedback,
        resume=arguments.resume, seed=arguments.seed, unsafe=arguments.unsafe,
        pace=Pace(call=arguments.seconds, cell=max(10.0, arguments.seconds)),
        roster=arguments.roster, returned=arguments.returned,
        rescore=arguments.rescore, regrade=tuple(arguments.regrade),
    )  # fmt: skip


def _tell(plan: Any, graded: Any) -> int:
    """Print the results; returns 1 if the instructor has to look at something."""
    from ..grading import summarise

    print(summarise(graded.finals).as_text())
    names = ", ".join(path.name for path in plan.tables if path.is_file())
    print("\nWritten to {folder}: {names}".format(folder=plan.out.parent, names=names))
    if plan.feedback and not graded.unwritten:
        print("Feedback for the students: {path}".format(path=plan.feedback))
    if plan.returned and not graded.unwritten:
        print("For the import into Canvas or Moodle: {path}".format(path=plan.returned))
    if graded.absent:
        print("Students without a submission: {students}".format(students=_some(graded.absent)))
    noted = [r.student for r in graded.results if r.notes and r.student not in graded.absent]
    if noted:
        print("Notes on the files of these students are in the overview: {students}".format(students=_some(noted)))
    for remark in graded.remarks:
        print("Note: {remark}".format(remark=remark))
    if graded.to_mark:
        print(_TO_MARK.format(count=graded.to_mark, table=plan.out, assignment=plan.assignment))
    if plan.returned and graded.waiting:
        print(_WAITING.format(table=plan.returned, students=_some(graded.waiting)))
    for problem in graded.unwritten:
        _refuse(problem)
    if graded.unwritten:
        _refuse(
            "The results so far are kept. Fix the problem, and run the same command with --resume: nothing is graded twice."
        )
    for sentence in _to_look_at(plan, graded):
        _refuse(sentence)
    look = graded.unwritten, graded.ungraded, graded.unread, graded.timeless, [s for s in graded.strangers if s.is_work]
    return 1 if any(look) else 0


def _to_look_at(plan: Any, graded: Any) -> Iterator[str]:
    """A sentence for each thing that the instructor has to look at."""
    for stranger in graded.strangers[:10]:
        yield "not graded, because it matches no student: {file}. {why}".format(file=stranger.file, why=stranger.why)
    if graded.strangers:
        yield _MATCH.format(count=len(graded.strangers), table=plan.unmatched)
    lists = graded.others, graded.timeless, graded.ungraded, graded.unread
    for text, students in zip((_OTHERS, _TIMELESS, _UNGRADED, _UNREAD), lists, strict=True):
        if students:
            yield text.format(students=_some(students))


def _some(students: list[str]) -> str:
    from ..grading import on_one_line

    return ", ".join([*map(on_one_line, students[:10]), *["..."] * (len(students) > 10)])


_NO_NUMBER = "expected {kind} of at least {least}, but got {text!r}"
_TO_MARK = "Answers to grade by hand: {count}. Run: labkit course mark {table} --assignment {assignment}"
_WAITING = "Until then {table} has no grade for: {students}"
_MATCH = "files without a student: {count}. In {table}, fill in the column 'student' ('-': none), and add --resume"
_OTHERS = "notebooks that belong to another student: {students}. The overview says to whom."
_TIMELESS = (
    "no late penalty, because the time of the submission is unknown: {students}. Add a column 'submitted' to the "
    "roster, and set timezone in course.toml."
)
_UNGRADED = "not graded, and without points: {students}. The overview says why; --resume tries again."
_UNREAD = "submissions that could not be read: {students}. The overview says why. Ask for them again, and add --resume."


_UNSAFE = (
    "labkit grade: --unsafe: students' code may run without isolation. It may read your files and other submissions, "
    "and change its grade. The table, the journal and every page mark this run as unsafe."
)
_ANYWAY = (
    "Nothing was graded. Install what is missing, or add --unsafe: then students' code runs with the layers that are "
    "available, and may read your files and other submissions."
)
