"""The code is linted, formatted and typed, and every example in a docstring gives what it says."""

import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import labkit

ROOT = Path(__file__).parent.parent
MODULES = sorted(m.name for m in pkgutil.walk_packages(labkit.__path__, "labkit."))


@pytest.mark.parametrize("command", ["ruff check .", "ruff format --check .", "mypy"])
def test_tools_find_nothing(command):
    done = subprocess.run([sys.executable, "-m", *command.split()], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["labkit", *MODULES])
def test_examples_in_docstrings(name):
    module = importlib.import_module(name)
    results = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert results.failed == 0


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
