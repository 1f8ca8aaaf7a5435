"""The code is linted, formatted and typed, and every example in a docstring gives what it says."""

import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import pytest

import labkit

ROOT = Path(__file__).parent.parent
MODULES = sorted(m.name for m in pkgutil.walk_packages(labkit.__path__, "labkit."))


@pytest.mark.parametrize("command", ["ruff check .", "ruff format --check .", "mypy"])
def test_tools_find_nothing(command):
    done = subprocess.run([sys.executable, "-m", *command.split()], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_packages_import_only_from_the_layers_below_them():
    """The layers are listed in `pyproject.toml`."""
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()", "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", ["labkit", *MODULES])
def test_examples_in_docstrings(name):
    module = importlib.import_module(name)
    results = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert results.failed == 0


def _made(name):
    """What is public in a module and made by a table, or placed elsewhere: doctest does not come upon it in a module."""
    module = importlib.import_module(name)
    for value in {public: value for public, value in vars(module).items() if public[0] != "_"}.values():
        if isinstance(value, (type, FunctionType)) and ">>>" in (value.__doc__ or ""):
            home = vars(sys.modules.get(value.__module__, module))
            if home.get(value.__name__) is not value:
                yield value.__doc__, f"{name}.{value.__name__}", home


def test_examples_in_docstrings_that_tables_make():
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    docs = {doc: rest for name in MODULES if "._" not in name for doc, *rest in _made(name)}
    for doc, (name, home) in docs.items():
        runner.run(doctest.DocTestParser().get_doctest(doc, dict(home), name, None, 0))
    assert runner.tries > 100 and runner.failures == 0


def test_public_names_have_docstrings():
    missing = []
    for name in ["labkit", *MODULES]:
        module = importlib.import_module(name)
        for public in getattr(module, "__all__", ()):
            value = getattr(module, public)
            ours = str(getattr(value, "__module__", "")).startswith("labkit")
            if callable(value) and ours and not value.__doc__:
                missing.append(f"{name}.{public}")
    assert missing == []
