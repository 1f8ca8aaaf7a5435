"""The command `labkit`: notebooks, progress, documented cases, assignments, and what is installed."""

import argparse
import importlib.metadata
import importlib.util
import os
import platform
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from . import __version__

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
    "nbformat": ("making assignments, reading notebooks handed in", "classroom"),
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


def main(argv: Sequence[str] | None = None) -> int:
    """Run one `labkit` command and return its exit status (0: fine, 1: something differs or is missing, 2: usage)."""
    parser = _parser()
    arguments, rest = parser.parse_known_args(argv)
    if rest and arguments.command != "lab":
        parser.error(f"unrecognised arguments: {' '.join(rest)}")
    if arguments.command is None:
        parser.print_help()
        return 0
    try:
        commands = {
            "lab": lab, "progress": progress, "cases": cases, "course": course, "grade": grade, "doctor": doctor,
        }  # fmt: skip
        return commands[arguments.command](arguments, rest)
    except BrokenPipeError:  # the reader has seen enough, as in `labkit cases | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="labkit",
        description="Understand automatic differentiation by running it.",
        epilog="Start with `labkit lab`. `labkit COMMAND --help` tells more about one command.",
    )
    parser.add_argument("--version", action="version", version=f"labkit {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    lab_help = "open the guided notebooks in JupyterLab"
    lab_parser = commands.add_parser(
        "lab",
        help=lab_help,
        description=f"{lab_help}, on a free port. Other options go to JupyterLab, such as --no-browser.",
    )
    lab_parser.add_argument("--notebooks", type=Path, metavar="FOLDER", help="open this folder instead")

    progress_help = "say which exercises are answered and which comes next"
    progress_parser = commands.add_parser("progress", help=progress_help, description=progress_help + ".")
    progress_parser.add_argument("--notebooks", type=Path, metavar="FOLDER", help="look in this folder instead")
    progress_parser.add_argument("--reset", action="store_true", help="begin anew; the old record gets another name")
    progress_parser.add_argument("--yes", action="store_true", help="with --reset: do not ask")

    cases_help = "run the documented cases and compare with what the documents print"
    cases_parser = commands.add_parser(
        "cases", help=cases_help, description=f"{cases_help}. Exit status 1 if one does not give what it should."
    )
    cases_parser.add_argument(
        "name", nargs="?", metavar="NAME", help="show one case: its code, what is documented, what came"
    )
    cases_parser.add_argument("--json", action="store_true", help="print the results as JSON")

    from .grading import course_command, grade_command

    course_command.add_parser(commands)
    grade_command.add_parser(commands)

    doctor_help = "say what is installed, what is not, and how to get it"
    commands.add_parser("doctor", help=doctor_help, description=doctor_help + ".")
    return parser


def lab(arguments: argparse.Namespace, rest: list[str]) -> int:
    """Start JupyterLab on the notebooks, in place of this process where the system can; else returns its exit status."""
    folder = arguments.notebooks or notebooks_folder()
    if folder is None or not folder.is_dir():
        missing = f"there is no folder '{folder}'" if folder else "none came with this installation"
        print(
            f"labkit lab: expected a folder of notebooks, but {missing}. "
            "Clone the repository, or name a folder with --notebooks FOLDER.",
            file=sys.stderr,
        )
        return 2
    if importlib.util.find_spec("jupyterlab") is None:
        print('labkit lab: JupyterLab is not installed. Run: pip install "labkit[notebooks]"', file=sys.stderr)
        return 2
    command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={folder.resolve()}", *rest]
    if not any(option.startswith(("--port", "--ServerApp.port")) for option in rest):
        command.append(f"--port={_free_port()}")
    if hasattr(os, "geteuid") and os.geteuid() == 0 and "--allow-root" not in rest:
        command.append("--allow-root")  # containers run as root, and JupyterLab would refuse to start
    if os.name == "posix":  # JupyterLab in our place, so that what ends us ends it
        sys.stdout.flush()
        os.execv(command[0], command)
    try:
        return subprocess.call(command)
    except KeyboardInterrupt:
        return 0


def notebooks_folder() -> Path | None:
    """The guided notebooks: beside the package in a clone, in the environment's share folder from a wheel."""
    for folder in (Path(__file__).parent.parent / "notebooks", Path(sys.prefix) / "share" / "labkit" / "notebooks"):
        if any(folder.glob("*.ipynb")):
            return folder
    return None


def progress(arguments: argparse.Namespace, rest: list[str]) -> int:
    """Print what is done and what is next; with --reset, begin anew. 1 if the learner does not want to."""
    from .classroom import progress as record

    folder = arguments.notebooks or record.find_folder() or notebooks_folder() or Path.cwd()
    if not folder.is_dir():
        print(f"labkit progress: there is no folder '{folder}'.", file=sys.stderr)
        return 2
    if arguments.reset and not (arguments.yes or _agreed(f"Begin anew in {folder.resolve()}?")):
        print("Nothing was changed. (Without being asked: labkit progress --reset --yes)")
        return 1
    print(record.progress(reset=arguments.reset, folder=folder))
    if (folder / record.FILE).exists():
        print(f"Kept in {(folder / record.FILE).resolve()}")
    return 0


def _agreed(question: str) -> bool:
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:  # nobody is there to answer
        print()
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def cases(arguments: argparse.Namespace, rest: list[str]) -> int:
    """Run the ledger of documented cases, or show one case."""
    from .cases import report

    return report.run(arguments.name, as_json=arguments.json)


def course(arguments: argparse.Namespace, rest: list[str]) -> int:
    """Begin, build or check a course of assignments."""
    from .grading import course_command

    return course_command.run(arguments)


def grade(arguments: argparse.Namespace, rest: list[str]) -> int:
    """Grade what students handed in."""
    from .grading import grade_command

    return grade_command.run(arguments)


def doctor(arguments: argparse.Namespace, rest: list[str]) -> int:
    """Print one line per package; 1 if something labkit itself needs is missing."""
    print(f"labkit {__version__}, Python {platform.python_version()} on {platform.system()} {platform.machine()}")
    complete = True
    for name, (purpose, extra) in PACKAGES.items():
        version = _version(name)
        complete &= version is not None or extra != ""
        state = "found" if version else "not installed" if extra else "missing"
        print(f"  {state:<14} {name:<12} {version or '':<12} {purpose}{'' if version else ': ' + _how_to_get(extra)}")
    folder = notebooks_folder()
    found, where = ("found", folder) if folder else ("not installed", "clone the repository to have them")
    print(f"  {found:<14} {'notebooks':<12} {where}")
    print(_walls())
    works = complete and _engine_works()
    print(
        "The engine works."
        if works
        else "The engine does not work: in the clone, run pip install --force-reinstall -e ."
    )
    return 0 if works else 1


def _walls() -> str:
    """What `labkit grade` needs beside packages: the walls around students' code that this machine can raise."""
    from .jail.layers import installed

    return f"Around students' code (labkit grade):\n{installed()}"


def _how_to_get(extra: str) -> str:
    return extra if extra.startswith("pip ") else f'pip install "labkit[{extra}]"' if extra else "pip install labkit"


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _engine_works() -> bool:
    from .engine import grad

    return abs(float(grad(lambda x: x**3)(2.0)) - 12.0) < 1e-9


if __name__ == "__main__":
    sys.exit(main())
