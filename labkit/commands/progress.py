"""`labkit progress`: which exercises are answered, and which comes next."""

import argparse
from pathlib import Path
from typing import Any

from ..working_copy import places
from ._shared import NoNotebook, add_command, add_folder, confirmed, find_notebook, refuse


def add_parser(commands: Any) -> None:
    """Add `labkit progress` to the parsers of the other commands."""
    parser = add_command(commands, "progress", run, "list which exercises are answered and which comes next")
    parser.add_argument("notebook", nargs="?", metavar="NOTEBOOK", help="only this notebook: its number, name or file")
    add_folder(parser)
    parser.add_argument(
        "--reset", action="store_true", help="start over; the old progress file is kept under another name"
    )
    parser.add_argument("--yes", action="store_true", help="with --reset: do not ask for confirmation")


def run(arguments: argparse.Namespace) -> int:
    """Print what is done and what is next; with --reset, start over. 1 if the learner does not confirm."""
    folder = arguments.folder or _folder()
    if not folder.is_dir():
        return refuse("progress", "'{folder}' is not a folder. Choose one with --folder".format(folder=folder))
    if arguments.reset and arguments.notebook:
        return refuse("progress", "--reset is for all notebooks. To restore one: labkit reset NOTEBOOK")
    if arguments.reset and not (arguments.yes or confirmed("Start over in {folder}?".format(folder=folder.resolve()))):
        print("Nothing was changed. To skip the question: labkit progress --reset --yes")
        return 1
    from ..classroom import progress as record

    try:
        notebook = arguments.notebook and find_notebook(arguments.notebook, places.originals() or folder)
    except NoNotebook as error:
        return refuse("progress", error)
    done = record.progress(reset=arguments.reset, folder=folder)
    print(done.of(notebook.removesuffix(".ipynb")) if notebook else done)
    if (folder / record.FILE).exists():
        print("Stored in {path}".format(path=(folder / record.FILE).resolve()))
    return 0


def _folder() -> Path:
    """The working copy, if there is one; else where notebooks were opened without one."""
    copy = places.working_copy()
    return copy if places.is_laid(copy) else places.find_folder() or places.originals() or Path.cwd()
