"""`labkit grade`: from a folder of submissions to a table of grades."""

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from ._shared import add_command, not_installed, refuse


def add_parser(commands: Any) -> None:
    """Add `labkit grade` to the parsers of the other commands."""
    what = "grade what students handed in, each in isolation"
    more = "Exit status 0 when everything that came is graded and written, otherwise 1."
    parser = add_command(commands, "grade", run, what, more)
    parser.epilog = (
        "Beside grades.csv are written grades.questions.csv, grades.html (your overview: who missed what, and why) and "
        "grades.journal, from which --resume goes on."
    )
    for add in (_add_files, _add_results, _add_again, _add_limits):
        add(parser)


def _add_files(parser):
    """What is graded, by which notebook and for whom."""
    parser.add_argument(
        "submissions", type=Path, metavar="SUBMISSIONS",
        help="an archive of Moodle's or Canvas's, or a folder: one unpacked, nbgrader's, checkouts of Git, files side by side",
    )  # fmt: skip
    parser.add_argument("--assignment", type=Path, required=True, metavar="A.ipynb", help="your notebook, from source/")
    parser.add_argument("--out", type=Path, required=True, metavar="grades.csv", help="the table of grades")
    parser.add_argument(
        "--roster", type=Path, metavar="FILE.csv",
        help="all students: Canvas's gradebook, Moodle's grading worksheet, or a table with a column id; without it: the "
        "roster that course.toml names",
    )  # fmt: skip
    parser.add_argument(
        "--return", type=Path, metavar="FILE.csv", dest="returned", help="write the roster's own table with the grades in it, "
        "which Canvas and Moodle import",
    )  # fmt: skip


def _add_results(parser):
    """Who does it, and what is written beside the table."""
    parser.add_argument(
        "--jobs", type=_at_least(1), default=0, metavar="N", help="processes at once; default: all cores"
    )
    parser.add_argument(
        "--feedback",
        type=Path,
        metavar="FOLDER",
        help="write a page of feedback for each student; to FILE.zip: as Moodle or Canvas take it back",
    )
    parser.add_argument(
        "--gradebook", default="", metavar="gradebook.db", help="write the scores to nbgrader's gradebook"
    )


def _add_again(parser):
    """What a second run does anew."""
    parser.add_argument("--resume", action="store_true", help="go on with a run that was interrupted")
    parser.add_argument(
        "--rescore", action="store_true",
        help="run nothing: write the results of the last run anew, with the points, texts and marks of today",
    )  # fmt: skip
    parser.add_argument(
        "--again",
        action="append",
        default=[],
        metavar="NAME",
        help="run this question again for all students, or all questions of this student; may be repeated",
    )


def _add_limits(parser):
    """What a student's code may take."""
    parser.add_argument(
        "--seed", type=_at_least(0), metavar="N", help="of the inputs that are drawn; the same seed, the same grades"
    )
    parser.add_argument(
        "--seconds", type=_seconds, default=5.0, metavar="S", help="CPU time for one call of an answer; default: 5"
    )
    parser.add_argument("--unsafe", action="store_true", help="grade even where this machine cannot isolate their code")


def _at_least(least: int) -> Callable[[str], int]:
    """Reads a whole number that is not less."""

    def number(text: str) -> int:
        if int(text) < least:
            raise argparse.ArgumentTypeError(f"expected a number of at least {least}, but got {text}")
        return int(text)

    return number


def _seconds(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"expected seconds above 0, but got {text}")
    return number


def run(arguments: argparse.Namespace) -> int:
    """Grade, with a progress bar on stderr and a summary on stdout; returns the exit status."""
    if missing := _missing(arguments):
        return _refuse(missing)
    from tqdm import tqdm

    from ..grading import AssignmentError, JournalError, SubmissionError, grade_class
    from ..jail import NotIsolated

    plan = _plan(arguments)
    if plan.unsafe:
        print(_UNSAFE, file=sys.stderr)
    try:
        with tqdm(unit=" submissions", disable=None, leave=False) as bar:
            graded = grade_class(plan, bar.reset, bar.update)
    except KeyboardInterrupt:
        print("\nStopped. What is graded is kept: the same command with --resume goes on.", file=sys.stderr)
        return 130
    except NotIsolated as error:
        return _refuse(f"{error}\n{_ANYWAY}")
    except (AssignmentError, SubmissionError, JournalError, RuntimeError, OSError, ValueError) as error:
        return _refuse(str(error))
    return _tell(plan, graded)


def _missing(arguments: argparse.Namespace) -> str:
    """What is not installed and needed for this run, as a sentence; empty where nothing is missing."""
    needed = [(package, "classroom") for package in ("jinja2", "psutil", "tqdm")]
    needed += [("nbgrader", "gradebook")] * bool(arguments.gradebook)
    return not_installed(*needed)


_refuse = partial(refuse, "grade", status=1)


def _plan(arguments: argparse.Namespace) -> Any:
    from ..grading import Pace, Plan

    return Plan(
        submissions=arguments.submissions, assignment=arguments.assignment, out=arguments.out, jobs=arguments.jobs,
        feedback=arguments.feedback, gradebook=arguments.gradebook,
        resume=arguments.resume, seed=arguments.seed, unsafe=arguments.unsafe,
        pace=Pace(call=arguments.seconds, cell=max(10.0, arguments.seconds)),
        roster=arguments.roster, returned=arguments.returned,
        rescore=arguments.rescore, again=tuple(arguments.again),
    )  # fmt: skip


def _tell(plan: Any, graded: Any) -> int:
    """Print what came of it; 1 where a person has to look at something."""
    from ..grading import summarise
    from ..messages.wrapping import counted

    print(summarise(graded.finals).as_text())
    print(f"\nWritten to {plan.out.parent}: {', '.join(path.name for path in plan.tables if path.is_file())}")
    if plan.feedback and not graded.unwritten:
        print(f"Feedback for {len(graded.results)} students: {plan.feedback}")
    if plan.returned and not graded.unwritten:
        print(f"For the system that the roster is from: {plan.returned}")
    if graded.absent:
        print(f"{counted(len(graded.absent), 'student')} handed in nothing: {_some(graded.absent)}")
    for remark in graded.remarks:
        print(f"Note: {remark}")
    if graded.to_mark:
        print(
            f"{counted(graded.to_mark, 'answer')} to be graded by hand, without points so far: "
            f"labkit course marks {plan.out} --assignment {plan.assignment}"
        )
    if plan.returned and graded.waiting:
        print(f"Until they are, the cell in {plan.returned} stays empty of: {_some(graded.waiting)}")
    for problem in graded.unwritten:
        _refuse(problem)
    if graded.unwritten:
        _refuse("The grades are kept. Fix that, and run the same command with --resume: nothing is graded twice.")
    for sentence in _to_look_at(plan, graded):
        _refuse(sentence)
    look = graded.unwritten, graded.ungraded, graded.unread, graded.timeless, [s for s in graded.strangers if s.is_work]
    return 1 if any(look) else 0


def _to_look_at(plan: Any, graded: Any) -> Iterator[str]:
    """A sentence for each thing that a person has to look at."""
    from ..messages.wrapping import counted

    if graded.others:
        yield f"with a notebook that was made for somebody else: {_some(graded.others)}. The overview says for whom."
    if graded.timeless:
        yield (
            f"when it was handed in is not known, so that nothing is taken off: {_some(graded.timeless)}. A column submitted "
            "of the roster says it; Moodle's grading worksheet has one (and course.toml the timezone it is in)."
        )
    if graded.strangers:
        for stranger in graded.strangers[:10]:
            yield f"nobody's, and not graded: {stranger.file}. {stranger.why}"
        yield (
            f"{counted(len(graded.strangers), 'file')} nobody's, listed in {plan.unmatched}. Write whose each is into its column "
            f'student ("-": nobody\'s), and run the same command with --resume'
        )
    if graded.ungraded:
        yield f"not graded, and entered without points: {_some(graded.ungraded)}. The overview says why; --resume tries again."
    if graded.unread:
        yield (
            f"{counted(len(graded.unread), 'submission')} could not be read, and earned nothing: {_some(graded.unread)}. The "
            "overview says why. Ask for them again; --resume grades what is new."
        )


def _some(students: list[str]) -> str:
    from ..grading import on_one_line

    more = f" and {len(students) - 10} more" if len(students) > 10 else ""
    return ", ".join(map(on_one_line, students[:10])) + more


_UNSAFE = (
    "labkit grade: --unsafe: students' code may not be isolated. It may read your files and other submissions, and change what "
    "it earns. The table, the journal and every page say that this run was unsafe."
)
_ANYWAY = (
    "Nothing was graded. Install what is missing, or say --unsafe: then students' code runs with what walls there are, "
    "and may read your files and each other's."
)
