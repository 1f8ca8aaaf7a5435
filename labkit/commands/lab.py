"""`labkit lab`: the guided notebooks, in JupyterLab, in a working copy."""

import argparse
import sys
from importlib.util import find_spec
from typing import Any

from ..desk import Changes, DeskError, WorkingCopy, places, record
from ..getting import how_to_get
from ._shared import add_folder, confirmed, refuse


def add_parser(commands: Any) -> None:
    """Add `labkit lab` to the parsers of the other commands."""
    what = "open the guided notebooks in JupyterLab, at the next one that is not finished"
    parser = commands.add_parser(
        "lab",
        help=what,
        description=f"{what[0].upper()}{what[1:]}, in a working copy of your own. Other options go to JupyterLab, such as "
        "--no-browser.",
    )
    add_folder(parser)
    parser.set_defaults(run=run, passed_on=[])


def run(arguments: argparse.Namespace) -> int:
    """Lay or renew the working copy, and start JupyterLab on it."""
    course = places.originals()
    if course is None:
        return refuse("lab", "no notebooks came with this installation. Clone the repository, or install the wheel.")
    if find_spec("jupyterlab") is None:
        return refuse("lab", f"JupyterLab is not installed: {how_to_get('notebooks')}")
    folder = arguments.folder or places.working_copy()
    try:
        copy = WorkingCopy(folder, course)
        _tell(copy, copy.lay())
        notebook = _next(copy)
    except (DeskError, OSError) as error:
        return refuse("lab", error)
    print(f"Opening {notebook} in {folder}. Ctrl-C ends JupyterLab.")
    from ..desk import start_jupyterlab

    return start_jupyterlab(folder, notebook, arguments.passed_on)


def _tell(copy: WorkingCopy, changes: Changes) -> None:
    """Say what the learner should know of the working copy, and offer what is newer."""
    if changes.note:
        print(changes.note)
    for name in changes.unreadable:
        print(f"{name} cannot be read: perhaps it was saved by half. {_how(name)}, and keeps the file beside it.")
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
            print(f"{_how(name, ' --keep-answers')}, and keeps yours beside it.")
    elif confirmed("Take the new ones, with your answers, and keep yours beside them?"):
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
    answers, damage = record.read(copy.folder / places.RECORD)
    if damage:
        print(damage)
    following = record.next_open(exercises, answers)
    return following[0] if following else next(iter(exercises))
