"""`labkit doctor`: what is installed, what is missing, and how to install it."""

import argparse
from typing import Any

from .. import __version__
from ..messages.install_hints import how_to_install, in_browser
from ..working_copy import places
from ._shared import add_command

# package -> what it is for, and the extra of labkit that brings it ("" where labkit itself does, None where no extra does)
PACKAGES = {
    "numpy": ("arrays", ""),
    "autograd": ("the derivative rules the engine is built on", ""),
    "jupyterlab": ("the guided notebooks (labkit lab)", "notebooks"),
    "ipywidgets": ("controls in notebooks", "notebooks"),
    "anywidget": ("interactive widgets", "notebooks"),
    "matplotlib": ("figures in notebooks", "notebooks"),
    "ml_dtypes": ("the bfloat16 format", "bfloat16"),
    "tqdm": ("progress bars", "notebooks"),
    "nbformat": ("reading notebooks in older formats", "classroom"),
    "jinja2": ("feedback pages", "classroom"),
    "psutil": ("limiting the memory of students' code", "classroom"),
    "pyseccomp": ("blocking dangerous system calls of students' code", "classroom"),
    "nbgrader": ("nbgrader's own commands", "nbgrader"),
    "pytest": ("running the tests", "test"),
    "torch": ("comparing with the real PyTorch", "parity"),
    "mindspore": ("comparing with the real MindSpore, in an environment of its own", None),
}
NEEDED = {  # the packages that one purpose needs besides NumPy and autograd
    "notebooks": ("jupyterlab", "ipywidgets", "anywidget", "matplotlib", "ml_dtypes", "tqdm"),
    "grading": ("tqdm", "nbformat", "jinja2", "psutil"),
}


def add_parser(commands: Any) -> None:
    """Add `labkit doctor` to the parsers of the other commands."""
    what = "report what is installed, what is missing, and how to install it"
    parser = add_command(commands, "doctor", run, what, "The exit status is 1 if a required package is missing.")
    parser.add_argument(
        "--for", choices=sorted(NEEDED), dest="purpose", help="also require the packages that this purpose needs"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print one line per package; 1 if something that labkit itself or the purpose needs is missing."""
    import platform

    system, python = f"{platform.system()} {platform.machine()}", platform.python_version()
    print("labkit {version}, Python {python} on {system}".format(version=__version__, python=python, system=system))
    versions = {name: _version(name) for name in PACKAGES}
    for name, (purpose, extra) in PACKAGES.items():
        state = "found" if versions[name] else "missing" if extra == "" else "not installed"
        how = "" if versions[name] or extra is None or in_browser() else f": {how_to_install(extra)}"
        print(f"  {state:<14} {name:<12} {versions[name] or '':<12} {purpose}{how}")
    lacking = [name for name in NEEDED.get(arguments.purpose, ()) if not versions[name]]
    if in_browser():
        print("A web page cannot install packages. To use the missing ones, install labkit on a computer.")
    else:
        _print_notebooks()
        layers = _layers()
        print("Isolation of students' code (labkit grade):", layers, sep="\n")
        lacking += [f"'{name}'" for name in layers.missing if arguments.purpose == "grading"]
    complete = all(version for name, version in versions.items() if PACKAGES[name][1] == "")
    if not (complete and _engine_works()):
        print("The engine does not work: {advice}".format(advice=_again()))
        return 1
    print("The engine works.")
    if arguments.purpose:
        text = "Not ready for {purpose}: {names}." if lacking else "Ready for {purpose}."
        print(text.format(purpose=arguments.purpose, names=", ".join(lacking)))
    return 1 if lacking else 0


def _again() -> str:
    return "reload the page" if in_browser() else how_to_install("", "--force-reinstall")


def _print_notebooks() -> None:
    course, copy = places.originals(), places.working_copy()
    found, where = ("found", course) if course else ("not installed", "clone the repository to get them")
    print(f"  {found:<14} {'notebooks':<12} {where}")
    laid, where = ("found", copy) if places.is_laid(copy) else ("not yet", f"{copy}: labkit lab creates it")
    print(f"  {laid:<14} {'your copy':<12} {where}")


def _layers() -> Any:
    """What `labkit grade` needs in addition to packages: the isolation of students' code that this machine allows."""
    from ..sandbox import installed_layers, tried_layers

    return tried_layers() if _version("psutil") else installed_layers()


def _version(package: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _engine_works() -> bool:
    from ..engine import grad

    return abs(float(grad(lambda x: x**3)(2.0)) - 12.0) < 1e-9
