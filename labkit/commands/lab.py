"""`labkit lab`: the guided notebooks, in JupyterLab, in a working copy."""

import argparse
import sys
from typing import Any

from ..desk import Changes, DeskError, WorkingCopy, places, record
from ._shared import NoNotebook, add_command, add_folder, confirmed, find_notebook, not_installed, refuse


def add_parser(commands: Any) -> None:
    """Add `labkit lab` to the parsers of the other commands."""
    what = "open the guided notebooks in JupyterLab, at the next one that is not finished"
    more = "It works on a copy of your own. Other options go to JupyterLab, such as --no-browser and --port=9999."
    parser = add_command(commands, "lab", run, what, more)
    parser.add_argument("notebook", nargs="?", metavar="NOTEBOOK", help="open this one: its number, name or file")
    add_folder(parser)
    parser.set_defaults(passed_on=[])


def run(arguments: argparse.Namespace) -> int:
    """Lay or renew the working copy, and start JupyterLab on it."""
    course = places.originals()
    if course is None:
        return refuse("lab", "no notebooks came with this installation. Clone the repository, or install the wheel.")
    if missing := not_installed(("jupyterlab", "notebooks")):
        return refuse("lab", missing)
    folder = arguments.folder or places.working_copy()
    try:
        copy = WorkingCopy(folder, course)
        chosen = arguments.notebook and find_notebook(arguments.notebook, course)
        _tell(copy, copy.lay())
        notebook = chosen or _next(copy)
    except NoNotebook as error:
        return refuse("lab", f"{error}{_WITH_EQUALS if arguments.passed_on else ''}")
    except (DeskError, OSError) as error:
        return refuse("lab", error)
    print(f"Opening {notebook} in {folder}.", flush=True)
    from ..desk import start_jupyterlab

    return start_jupyterlab(folder, notebook, arguments.passed_on)


_WITH_EQUALS = " A value of JupyterLab's option follows =, as in --port=9999."


def _tell(copy: WorkingCopy, changes: Changes) -> None:
    """Say what the learner should know of the working copy, and offer what is newer."""
    if changes.note:
        print(changes.note)
    for name in changes.unreadable:
        print(
            f"{name} cannot be read: perhaps it was saved only in part. {_how(name)}, and keeps the damaged file next to it."
        )
    if changes.renewed:
        print(f"Renewed, as the course has changed and you had not: {', '.join(changes.renewed)}.")
    if changes.newer:
        _offer(copy, changes.newer)
    for name in changes.declined:
        print(f"{name}: the course has a newer one. {_how(name, ' --keep-answers')}.")


def _offer(copy: WorkingCopy, names: list[str]) -> None:
    print(f"The course is newer than what you have worked in: {', '.join(names)}.")
    if not sys.stdin.isatty():
        for name in names:
            print(f"{_how(name, ' --keep-answers')}, and keeps yours next to it.")
    elif confirmed("Take the new ones, with your answers, and keep yours next to them?"):
        for name in names:
            done = copy.put_back(name, keep_answers=True)
            print(f"{name} is new; yours is {done.kept}. Answers carried over: {', '.join(done.carried) or 'none'}.")
    else:
        copy.decline(names)
        print("Yours stay.", *(f"{_how(name, ' --keep-answers')}." for name in names))


def _how(name: str, option: str = "") -> str:
    return f"`labkit reset {name.removesuffix('.ipynb')}{option}` brings the course's"


def _next(copy: WorkingCopy) -> str:
    """The notebook with the next open exercise; the first one when all are answered."""
    exercises = copy.notebooks()
    known, damage = record.read(copy.folder / places.RECORD)
    if damage:
        print(damage)
    following = record.next_open(exercises, known.answers)
    return following[0] if following else next(iter(exercises))
