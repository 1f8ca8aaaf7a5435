"""`labkit reset`: one notebook as it came."""

import argparse
from pathlib import PurePath
from typing import Any

from ..desk import DeskError, PutBack, WorkingCopy, places
from ..meant import did_you_mean
from ._shared import add_command, add_folder, refuse


def add_parser(commands: Any) -> None:
    """Add `labkit reset` to the parsers of the other commands."""
    what = "put one notebook back as it came; yours is kept beside it"
    parser = add_command(commands, "reset", run, what, "What you have answered still counts.")
    parser.add_argument("notebook", metavar="NOTEBOOK", help="its number or its name, such as 3 or 03")
    parser.add_argument("--keep-answers", action="store_true", help="with the answers that you wrote in it")
    add_folder(parser)


def run(arguments: argparse.Namespace) -> int:
    """Put one notebook back; 2 where there is no such notebook, or no working copy."""
    course, folder = places.originals(), arguments.folder or places.working_copy()
    if course is None:
        return refuse("reset", "no notebooks came with this installation. Clone the repository, or install the wheel.")
    if not places.is_laid(folder):
        return refuse("reset", f"there is no working copy in '{folder}'. labkit lab makes one.")
    notebooks = {path.stem: path.name for path in course.glob("*.ipynb")}
    stem = _stem(arguments.notebook, list(notebooks))
    if stem not in notebooks:
        meant = did_you_mean(stem, sorted(notebooks))
        return refuse("reset", f"there is no notebook {arguments.notebook!r}. {meant}")
    try:
        done = WorkingCopy(folder, course).put_back(notebooks[stem], arguments.keep_answers)
    except (DeskError, OSError) as error:
        return refuse("reset", error)
    _tell(stem, done, arguments.keep_answers)
    return 0


def _stem(given: str, stems: list[str]) -> str:
    """The name of the notebook that is meant by a number, a name, or a path."""
    name = PurePath(given).name.removesuffix(".ipynb")
    numbered = [stem for stem in stems if stem.split("_")[0] in (name, name.zfill(2))]
    return numbered[0] if numbered else name


def _tell(stem: str, done: PutBack, kept_answers: bool) -> None:
    print(f"{stem} is as it came." + (f" Yours is kept as {done.kept}." if done.kept else ""))
    if kept_answers:
        print(f"Answers carried over: {', '.join(done.carried) or 'none'}.")
    print("Is it open in JupyterLab? Choose File > Reload Notebook from Disk there.")
