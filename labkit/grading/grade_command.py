"""`labkit grade`: from a folder of submissions to a table of grades."""

import argparse
import sys
from pathlib import Path
from typing import Any


def add_parser(commands: Any) -> None:
    """Add `labkit grade` to the parsers of the other commands."""
    what = "grade what students handed in, each in isolation"
    parser = commands.add_parser(
        "grade",
        help=what,
        description=what + ". Exit status 0 when everyone is graded, 1 when nothing could be.",
        epilog="Beside grades.csv are written grades.questions.csv, grades.html (your overview: who missed what, and why) "
        "and grades.journal, from which --resume goes on.",
    )
    parser.add_argument(
        "submissions", type=Path, metavar="SUBMISSIONS",
        help="a folder: STUDENT/ASSIGNMENT/NOTEBOOK.ipynb as nbgrader has it, or notebooks side by side",
    )  # fmt: skip
    parser.add_argument("--assignment", type=Path, required=True, metavar="A.ipynb", help="your notebook, from source/")
    parser.add_argument("--out", type=Path, required=True, metavar="grades.csv", help="the table of grades")
    parser.add_argument("--jobs", type=_positive, default=0, metavar="N", help="processes at once; default: all cores")
    parser.add_argument("--scheduler", default="", metavar="ADDRESS", help="of a dask cluster, such as tcp://host:8786")
    parser.add_argument("--feedback", type=Path, metavar="DIR", help="write a page of feedback for each student")
    parser.add_argument("--solutions", action="store_true", help="show solutions in the feedback: after the due date")
    parser.add_argument(
        "--gradebook", default="", metavar="gradebook.db", help="write the scores to nbgrader's gradebook"
    )
    parser.add_argument("--resume", action="store_true", help="go on with a run that was interrupted")
    parser.add_argument(
        "--seed", type=int, metavar="N", help="of the inputs that are drawn; the same seed, the same grades"
    )
    parser.add_argument("--seconds", type=float, default=5.0, metavar="S", help="for one call of an answer; default: 5")
    parser.add_argument(
        "--memory", type=_positive, default=1024, metavar="MB", help="for a student's code; default: 1024"
    )
    parser.add_argument("--unsafe", action="store_true", help="grade even where this machine cannot isolate their code")


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a number of at least 1, but got {text}")
    return number


def run(arguments: argparse.Namespace) -> int:
    """Grade, with a progress bar on stderr and a summary on stdout; 1 with a message where that is not possible."""
    try:
        import jinja2  # noqa: F401
        import nbformat  # noqa: F401
        import psutil  # noqa: F401
        from tqdm import tqdm
    except ImportError as error:
        print(f'labkit grade: {error.name} is not installed. Run: pip install "labkit[classroom]"', file=sys.stderr)
        return 1
    from ..jail.jail import Limits
    from ..jail.layers import NotIsolated
    from .assignment import AssignmentError
    from .classwork import Plan, grade_class
    from .examine import Pace
    from .gradebook import GradebookError
    from .journal import JournalError
    from .opening import SubmissionError
    from .statistics import summarise

    plan = Plan(
        arguments.submissions, arguments.assignment, arguments.out, arguments.jobs, arguments.scheduler,
        arguments.feedback, arguments.solutions, arguments.gradebook, arguments.resume, arguments.seed, arguments.unsafe,
        Pace(call=arguments.seconds, cell=max(10.0, arguments.seconds)), Limits(megabytes=arguments.memory),
    )  # fmt: skip
    bar = tqdm(unit=" submissions", disable=None, leave=False)
    try:
        results = grade_class(plan, bar.reset, bar.update)
    except NotIsolated as error:
        print(f"labkit grade: {error}\n{_ANYWAY}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. What is graded is kept: the same command with --resume goes on.", file=sys.stderr)
        return 130
    except (AssignmentError, SubmissionError, JournalError, GradebookError, OSError, ValueError, ImportError) as error:
        print(f"labkit grade: {error}", file=sys.stderr)
        return 1
    finally:
        bar.close()
    print(summarise(results).as_text())
    print(f"\nWrote {plan.out}, and beside it {plan.beside('.questions.csv').name} and {plan.beside('.html').name}")
    if arguments.feedback:
        print(f"Feedback for {len(results)} students: {arguments.feedback}")
    return 0


_ANYWAY = (
    "Nothing was graded. Install what is missing, or say --unsafe: then students' code runs with what walls there are, "
    "and may read your files and each other's."
)
