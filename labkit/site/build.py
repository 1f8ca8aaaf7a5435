"""Builds the site: every notebook with interactive widgets, a search, and the API reference.

The notebooks are run again, and each widget is saved as a page of its own that needs neither Python nor network.
"""

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from ..live import RuntimeFileError
from ..working_copy import places
from .links import faults
from .reference import MODULES
from .sources import Sources

_NO_MODULES = "expected modules of labkit, such as labkit.engine, but got {unknown}"


class SiteError(Exception):
    """Why the site cannot be built, and what to do."""


def build_site(
    folder: Path,
    notebooks: Sequence[str] = ("*",),
    modules: Sequence[str] = MODULES,
    live: bool = False,
    pyodide: Sequence[Path] = (),
    tell: Callable[[str], None] = print,
) -> list[str]:
    """Build the site into `folder`; returns what is wrong with its links, as lines of text.

    The reference is read first, so that a mistake in a docstring is found before the notebooks run.
    `notebooks`: names of those it is built with, such as `03_*`. `live`: whether their cells can be run; `pyodide` are then
    the folders that Pyodide's files come from. `tell` is called with the progress. Raises SiteError, which says what to do.
    """
    root = clone()
    if folder.exists():
        raise SiteError("{folder} already exists; choose a new folder".format(folder=folder))
    paths = sorted({path for name in notebooks for path in (root / "notebooks").glob(f"{name}.ipynb")})
    if not paths:
        raise SiteError("no notebook matches {notebooks}".format(notebooks=", ".join(notebooks)))
    if unknown := [name for name in modules if name.partition(".")[0] != "labkit" or not find_spec(name)]:
        raise SiteError(_NO_MODULES.format(unknown=", ".join(unknown)))
    source, html = (folder.resolve() / part for part in ("source", "html"))
    sources = Sources(root, source, tell)
    sources.write_reference(modules)
    run_sphinx(source, source / ".reference", "dummy")
    try:
        sources.write(paths, live, pyodide)
    except RuntimeFileError:  # the next call may use the same folder
        shutil.rmtree(folder)
        raise
    run_sphinx(source, html, "html")
    return faults(html)


def run_sphinx(source: Path, output: Path, builder: str) -> None:
    """Run Sphinx; what it has read before is not read again. Raises SiteError if it warns of something."""
    options = ["-W", "--keep-going", "-q", "-b", builder, "-d", str(source / ".doctrees")]
    if subprocess.run([sys.executable, "-m", "sphinx", *options, str(source), str(output)]).returncode:
        raise SiteError("Sphinx reported the warnings above")


def clone() -> Path:
    """The folder of the repository that labkit runs from. Raises SiteError where it is installed."""
    course = places.originals()
    if course is None or not (course.parent / "README.md").is_file():
        raise SiteError(
            "the site is built from a clone of the repository: an installed labkit does not have its texts and pictures"
        )
    return course.parent
