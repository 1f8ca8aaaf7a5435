"""`labkit grade`: from a folder of submissions to a table of grades."""

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from ._shared import add_command, not_installed, refuse


def add_parser(commands: Any) -> None:
    """Add `labkit grade` to the parsers of the other commands."""
    what = "grade what students handed in, each in isolation"
    more = "Exit status 0 when everyone is graded and all is written, otherwise 1."
    parser = add_command(commands, "grade", run, what, more)
    parser.epilog = (
        "Beside grades.csv are written grades.questions.csv, grades.html (your overview: who missed what, and why) and "
        "grades.journal, from which --resume goes on."
    )
    parser.add_argument(
        "submissions", type=Path, metavar="SUBMISSIONS",
        help="a folder: STUDENT/ASSIGNMENT/NOTEBOOK.ipynb as nbgrader has it, or notebooks side by side",
    )  # fmt: skip
    parser.add_argument("--assignment", type=Path, required=True, metavar="A.ipynb", help="your notebook, from source/")
    parser.add_argument("--out", type=Path, required=True, metavar="grades.csv", help="the table of grades")
    parser.add_argument(
        "--jobs", type=_at_least(1), default=0, metavar="N", help="processes at once; default: all cores"
    )
    parser.add_argument("--scheduler", default="", metavar="ADDRESS", help="of a dask cluster, such as tcp://host:8786")
    parser.add_argument("--feedback", type=Path, metavar="DIR", help="write a page of feedback for each student")
    parser.add_argument("--solutions", action="store_true", help="show solutions in the feedback: after the due date")
    parser.add_argument(
        "--gradebook", default="", metavar="gradebook.db", help="write the scores to nbgrader's gradebook"
    )
    parser.add_argument("--resume", action="store_true", help="go on with a run that was interrupted")
    parser.add_argument(
        "--rescore", action="store_true",
        help="run nothing: write the results of the last run anew, with the points, texts and marks of today",
    )  # fmt: skip
    parser.add_argument(
        "--again",
        action="append",
        default=[],
        metavar="QUESTION",
        help="run this question again for all; may be repeated",
    )
    parser.add_argument(
        "--seed", type=_at_least(0), metavar="N", help="of the inputs that are drawn; the same seed, the same grades"
    )
    parser.add_argument(
        "--seconds", type=_seconds, default=5.0, metavar="S", help="for one call of an answer; default: 5"
    )
    parser.add_argument(
        "--memory", type=_at_least(1), default=1024, metavar="MB", help="for a student's code; default: 1024"
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
    needed += [("distributed", "cluster")] * bool(arguments.scheduler)
    return not_installed(*needed)


_refuse = partial(refuse, "grade", status=1)


def _plan(arguments: argparse.Namespace) -> Any:
    from ..grading import Pace, Plan
    from ..jail import Limits

    return Plan(
        arguments.submissions, arguments.assignment, arguments.out, arguments.jobs, arguments.scheduler,
        arguments.feedback, arguments.solutions, arguments.gradebook, arguments.resume, arguments.seed, arguments.unsafe,
        Pace(call=arguments.seconds, cell=max(10.0, arguments.seconds)), Limits(megabytes=arguments.memory),
        arguments.rescore, tuple(arguments.again),
    )  # fmt: skip


def _tell(plan: Any, graded: Any) -> int:
    """Print what came of it; 1 where a person has to look at something."""
    from ..grading import on_one_line, summarise
    from ..lines import counted

    print(summarise(graded.results).as_text())
    print(f"\nWritten to {plan.out.parent}: {', '.join(path.name for path in plan.tables if path.is_file())}")
    if plan.feedback and not graded.unwritten:
        print(f"Feedback for {len(graded.results)} students: {plan.feedback}")
    for remark in graded.remarks:
        print(f"Note: {remark}")
    if graded.to_mark:
        print(
            f"{counted(graded.to_mark, 'answer')} to be graded by hand, without points so far: "
            f"labkit course marks {plan.out} --assignment {plan.assignment}"
        )
    for problem in graded.unwritten:
        _refuse(problem)
    if graded.unwritten:
        _refuse("The grades are kept. Mend that, and run the same command with --resume: nothing is graded twice.")
    if names := ", ".join(map(on_one_line, graded.ungraded[:10])):
        more = f" and {len(graded.ungraded) - 10} more" if len(graded.ungraded) > 10 else ""
        _refuse(f"not graded, and entered without points: {names}{more}. The overview says why; --resume tries again.")
    return 1 if graded.unwritten or graded.ungraded else 0


_ANYWAY = (
    "Nothing was graded. Install what is missing, or say --unsafe: then students' code runs with what walls there are, "
    "and may read your files and each other's."
)
