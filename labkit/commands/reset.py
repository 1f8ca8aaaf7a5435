"""`labkit reset`: restore one notebook of the working copy."""

import argparse
from typing import Any

from ..working_copy import PutBack, WorkingCopy, WorkingCopyError, places
from ._shared import NoNotebook, add_command, add_folder, find_notebook, refuse

NO_COPY = "there is no working copy in '{folder}'. To create one: labkit lab"


def add_parser(commands: Any) -> None:
    """Add `labkit reset` to the parsers of the other commands."""
    what = "restore one notebook of the course; yours is kept next to it"
    parser = add_command(commands, "reset", run, what, "Your progress does not change.")
    parser.add_argument("notebook", metavar="NOTEBOOK", help="the notebook: its number, name or file, such as 3 or 03")
    parser.add_argument("--keep-answers", action="store_true", help="carry over the answers that you wrote in it")
    add_folder(parser)


def run(arguments: argparse.Namespace) -> int:
    """Put one notebook back; 2 where there is no such notebook, or no working copy."""
    course, folder = places.originals(), arguments.folder or places.working_copy()
    if course is None:
        return refuse("reset", "this installation has no notebooks. Clone the repository, or install the wheel.")
    if not places.is_laid(folder):
        return refuse("reset", NO_COPY.format(folder=folder))
    try:
        name = find_notebook(arguments.notebook, course)
        done = WorkingCopy(folder, course).put_back(name, arguments.keep_answers)
    except (WorkingCopyError, NoNotebook, OSError) as error:
        return refuse("reset", error)
    _tell(name.removesuffix(".ipynb"), done, arguments.keep_answers)
    return 0


def _tell(stem: str, done: PutBack, kept_answers: bool) -> None:
    print("{name} is restored.".format(name=stem))
    if done.kept:
        print("Your version is kept as {file}.".format(file=done.kept))
    if kept_answers:
        print("Answers carried over: {names}".format(names=", ".join(done.carried) or "-"))
    print("Is it open in JupyterLab? Choose File > Reload Notebook from Disk there.")
