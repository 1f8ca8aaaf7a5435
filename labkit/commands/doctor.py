"""`labkit doctor`: what is installed, what is not, and how to get it."""

import argparse
from typing import Any

from .. import __version__
from ..desk import places
from ..getting import how_to_get, in_browser
from ._shared import add_command

# package -> what it is for, and the extra of labkit that brings it ("" where labkit itself does)
PACKAGES = {
    "numpy": ("arrays", ""),
    "autograd": ("the derivative rules the engine is built on", ""),
    "jupyterlab": ("the guided notebooks (labkit lab)", "notebooks"),
    "ipywidgets": ("controls in notebooks", "notebooks"),
    "anywidget": ("the widgets that play", "notebooks"),
    "matplotlib": ("figures in notebooks", "notebooks"),
    "ml_dtypes": ("the bfloat16 format", "bfloat16"),
    "tqdm": ("progress bars", "notebooks"),
    "nbformat": ("reading your notebooks of older formats", "classroom"),
    "jinja2": ("pages of feedback", "classroom"),
    "psutil": ("watching the memory of students' code", "classroom"),
    "pyseccomp": ("refusing dangerous system calls of students' code", "classroom"),
    "nbgrader": ("the gradebook and formgrader", "gradebook"),
    "distributed": ("grading on a dask cluster", "cluster"),
    "mpi4py": ("several workers", "parallel"),
    "ipyparallel": ("several workers in a notebook", "parallel"),
    "pytest": ("running the tests", "test"),
    "nbval": ("testing the notebooks' outputs", "test"),
    "hypothesis": ("property tests", "test"),
    "torch": ("comparing with the real PyTorch", "parity"),
    "mindspore": ("comparing with the real MindSpore (an environment of its own)", "pip install mindspore"),
}


def add_parser(commands: Any) -> None:
    """Add `labkit doctor` to the parsers of the other commands."""
    add_command(commands, "doctor", run, "say what is installed, what is not, and how to get it")


def run(arguments: argparse.Namespace) -> int:
    """Print one line per package; 1 if something labkit itself needs is missing."""
    import platform

    print(f"labkit {__version__}, Python {platform.python_version()} on {platform.system()} {platform.machine()}")
    complete = True
    for name, (purpose, extra) in PACKAGES.items():
        version = _version(name)
        complete &= version is not None or extra != ""
        state = "found" if version else "not installed" if extra else "missing"
        print(f"  {state:<14} {name:<12} {version or '':<12} {purpose}{'' if version else _how_to_get(extra)}")
    if in_browser():
        print("A web page has what it came with. For the rest, have labkit on a computer.")
    else:
        _tell_of_notebooks()
        print(_walls())
    if complete and _engine_works():
        print("The engine works.")
        return 0
    way = "load the page again" if in_browser() else "in the clone, run pip install --force-reinstall -e ."
    print(f"The engine does not work: {way}")
    return 1


def _tell_of_notebooks() -> None:
    course, copy = places.originals(), places.working_copy()
    found, where = ("found", course) if course else ("not installed", "clone the repository to have them")
    print(f"  {found:<14} {'notebooks':<12} {where}")
    laid, where = ("found", copy) if places.is_laid(copy) else ("not yet", f"{copy}: labkit lab makes it")
    print(f"  {laid:<14} {'your copy':<12} {where}")


def _walls() -> str:
    """What `labkit grade` needs beside packages: the walls around students' code that this machine raises."""
    from ..jail import installed_layers, tried_layers

    layers = tried_layers() if _version("psutil") else installed_layers()
    return f"Around students' code (labkit grade):\n{layers}"


def _how_to_get(extra: str) -> str:
    if in_browser():
        return ""
    return f": {extra if extra.startswith('pip ') else how_to_get(extra)}"


def _version(package: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _engine_works() -> bool:
    from ..engine import grad

    return abs(float(grad(lambda x: x**3)(2.0)) - 12.0) < 1e-9
