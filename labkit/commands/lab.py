"""`labkit lab`: the guided notebooks, in JupyterLab, in a working copy."""

import argparse
import sys
from typing import Any

from ..working_copy import Changes, WorkingCopy, WorkingCopyError, places, progress_file
from ._shared import NoNotebook, add_command, add_folder, confirmed, find_notebook, not_installed, refuse

_UPDATED = "Updated to the newer version of the course (you had not edited them): {names}."


def add_parser(commands: Any) -> None:
    """Add `labkit lab` to the parsers of the other commands."""
    what = "open the guided notebooks in JupyterLab, at the next one that is not finished"
    more = "It works on your own copy of them. Other options, such as --no-browser and --port=9999, go to JupyterLab."
    parser = add_command(commands, "lab", run, what, more)
    parser.add_argument(
        "notebook", nargs="?", metavar="NOTEBOOK", help="the notebook to open: its number, name or file"
    )
    add_folder(parser)
    parser.set_defaults(passed_on=[])


def run(arguments: argparse.Namespace) -> int:
    """Lay or renew the working copy, and start JupyterLab on it."""
    course = places.originals()
    if course is None:
        return refuse("lab", "this installation has no notebooks. Clone the repository, or install the wheel.")
    if missing := not_installed(("jupyterlab", "notebooks")):
        return refuse("lab", missing)
    folder = arguments.folder or places.working_copy()
    try:
        copy = WorkingCopy(folder, course)
        chosen = arguments.notebook and find_notebook(arguments.notebook, course)
        _tell(copy, copy.lay())
        notebook = chosen or _next(copy)
    except NoNotebook as error:
        return refuse("lab", " ".join([str(error), *[_WITH_EQUALS] * bool(arguments.passed_on)]))
    except (WorkingCopyError, OSError) as error:
        return refuse("lab", error)
    print("Opening {notebook} in {folder}.".format(notebook=notebook, folder=folder), flush=True)
    from ..working_copy import start_jupyterlab

    return start_jupyterlab(folder, notebook, arguments.passed_on)


_WITH_EQUALS = "Write the value of a JupyterLab option after =, as in --port=9999."


def _tell(copy: WorkingCopy, changes: Changes) -> None:
    """Say what the learner should know of the working copy, and offer what is newer."""
    if changes.note:
        print(changes.note)
    for name in changes.unreadable:
        print(_DAMAGED.format(name=name, stem=_stem(name)))
    if changes.renewed:
        print(_UPDATED.format(names=", ".join(changes.renewed)))
    if changes.newer:
        _offer(copy, changes.newer)
    for name in changes.declined:
        print(_TO_UPDATE.format(name=name, stem=_stem(name)))


_DAMAGED = "{name} is damaged, perhaps because it was not saved completely. To replace it: labkit reset {stem}"
_TO_UPDATE = "{name}: the course has a newer version. To update it: labkit reset {stem} --keep-answers"


def _offer(copy: WorkingCopy, names: list[str]) -> None:
    print("The course has newer versions of notebooks that you have edited: {names}.".format(names=", ".join(names)))
    if sys.stdin.isatty() and confirmed(
        "Update them, copy your answers into them, and keep your versions as separate files?"
    ):
        for name in names:
            done = copy.put_back(name, keep_answers=True)
            print("{name} is updated; your version is kept as {file}.".format(name=name, file=done.kept))
            print("Answers carried over: {names}".format(names=", ".join(done.carried) or "-"))
        return
    if sys.stdin.isatty():
        copy.decline(names)
    for name in names:
        print(_TO_UPDATE.format(name=name, stem=_stem(name)))


def _stem(name: str) -> str:
    return name.removesuffix(".ipynb")


def _next(copy: WorkingCopy) -> str:
    """The notebook with the next open exercise; the first one when all are answered."""
    exercises = copy.notebooks()
    known, damage = progress_file.read(copy.folder / places.RECORD)
    if damage:
        print(damage)
    following = progress_file.next_open(exercises, known.answers)
    return following[0] if following else next(iter(exercises))
