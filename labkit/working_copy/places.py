"""Where the course is: the original that labkit installs, and the learner's working copy."""

import os
import site
import sys
from collections.abc import Iterable
from pathlib import Path

HOME = "LABKIT_HOME"
DEFAULT = "~/labkit-notebooks"  # not ~/labkit, which is where many a clone lies
ELSEWHERE = "Choose another folder with --folder FOLDER or the environment variable LABKIT_HOME."
MANIFEST = ".labkit-copy.json"
RECORD = ".labkit-progress.json"


def originals() -> Path | None:
    """The original notebooks: next to the package in a clone, in the installation's share folder from a wheel."""
    clone = Path(__file__).parent.parent.parent
    bases = (clone, Path(sys.prefix), Path(site.getuserbase() or sys.prefix))  # a browser has no user
    for folder in (clone / "notebooks", *(base / "share" / "labkit" / "notebooks" for base in bases)):
        if any(folder.glob("*.ipynb")):
            return folder
    return None


def working_copy() -> Path:
    """The folder that `LABKIT_HOME` names, else the copy that we are in, else the usual one, which may not exist yet."""
    if named := os.environ.get(HOME):
        return Path(named).expanduser()
    return nearest([MANIFEST]) or Path(DEFAULT).expanduser()


def is_laid(folder: Path) -> bool:
    """True where `labkit lab` has laid the notebooks."""
    return os.path.isfile(folder / MANIFEST)  # Path.is_file raises where it may not look


def find_folder(start: Path | None = None) -> Path | None:
    """Where right answers are kept: the nearest folder from `start` (or here) upwards with a record or notebooks.

    In a notebook that is the notebook's own folder; in a clone of the repository, its folder `notebooks`; elsewhere the
    working copy, where there is one, or None.
    """
    course = originals()
    names = [notebook.name for notebook in course.glob("*.ipynb")] if course else []
    copy = working_copy()
    return nearest([RECORD, *names], start) or (copy if is_laid(copy) else None)


def nearest(names: Iterable[str], start: Path | None = None) -> Path | None:
    """The nearest folder from `start` (or here) upwards that holds one of these files, itself or in `notebooks`."""
    try:
        start = (start or Path.cwd()).resolve()
    except OSError:  # the folder was deleted
        return None
    for above in (start, *start.parents):
        for folder in (above, above / "notebooks"):
            if any(os.path.isfile(folder / name) for name in names):
                return folder
    return None
