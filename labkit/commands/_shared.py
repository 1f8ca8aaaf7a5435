"""Shared by the commands: adding a parser, choosing the folder, yes-or-no questions, and refusals."""

import argparse
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import Any

from ..messages.install_hints import how_to_install
from ..messages.suggestions import did_you_mean
from ..working_copy import places

FOLDER = (
    "your working copy of the notebooks; default: the value of {variable}, or the working copy that contains the "
    "current folder, or {default}"
)
MISSING = "{package} is not installed: {command}"
UNKNOWN = "there is no notebook {given!r}. {suggestion}"
UNUSABLE = "'{file}' cannot be used: {reason}. {advice}"


def add_command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], int], what: str, more: str = ""
) -> argparse.ArgumentParser:
    """Add the parser of a command: `what` it does is in the list of all, with `more` in its own help."""
    parser = commands.add_parser(name, help=what, description=f"{what[0].upper()}{what[1:]}. {more}")
    parser.set_defaults(run=run)
    return parser


def add_folder(parser: argparse.ArgumentParser) -> None:
    """Add the option `--folder`."""
    parser.add_argument(
        "--folder", type=Path, metavar="FOLDER",
        help=FOLDER.format(variable=places.HOME, default=places.DEFAULT),
    )  # fmt: skip


def confirmed(question: str) -> bool:
    """True if the answer is yes; no answer is a no."""
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:  # nobody is there to answer
        print()
        return False


def not_installed(*needed: tuple[str, str]) -> str:
    """The first of the (package, extra) that is missing, as a sentence; empty where none is."""
    missing = (needs for needs in needed if not find_spec(needs[0]))
    return next((MISSING.format(package=package, command=how_to_install(extra)) for package, extra in missing), "")


class NoNotebook(Exception):
    """The course has no notebook of this name; the message names similar ones."""


def find_notebook(given: str, course: Path) -> str:
    """The file of the notebook that is meant by a number, a name or a path. Raises `NoNotebook`."""
    files: dict[str, str] = {}
    for stem in sorted(path.stem for path in course.glob("*.ipynb")):
        number, _, title = stem.partition("_")
        files |= dict.fromkeys((stem, number, number.removeprefix("0"), title), f"{stem}.ipynb")
    name = PurePath(given).name.removesuffix(".ipynb").lower()
    if name not in files:
        titles = [known for known in files if not known.isdigit()]
        suggestion = did_you_mean(name, titles, "`labkit progress` lists them.")
        raise NoNotebook(UNKNOWN.format(given=given, suggestion=suggestion))
    return files[name]


def refuse(command: str, why: object, status: int = 2) -> int:
    """Say on stderr why a command does nothing, and what to do; returns its exit `status`."""
    if isinstance(why, OSError):
        advice = places.ELSEWHERE if command in ("lab", "reset") else "Choose another file or folder."
        why = UNUSABLE.format(file=why.filename, reason=why.strerror, advice=advice)
    print("labkit {command}: {why}".format(command=command, why=why), file=sys.stderr)
    return status
