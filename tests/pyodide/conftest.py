"""The browser's Python in Node: Pyodide with labkit, laid once, and a script that is run by it."""

import os
import shutil
import subprocess
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import pytest
from playground_site import playground

from labkit.live import lay

HERE = Path(__file__).parent
FOLDER = "LABKIT_PYODIDE"
PACKAGES = ("numpy", "traitlets", "matplotlib", "ipython")
BESIDE = (  # of Python alone, and not in Pyodide's distribution
    "anywidget", "comm", "ipywidgets", "jupyterlab_widgets", "psygnal", "tqdm", "typing_extensions",
)  # fmt: skip


class Places(NamedTuple):
    """Where the browser's Python lies, and the packages beside it."""

    runtime: Path
    beside: Path


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.parent == HERE:
            item.add_marker("pyodide")
            item.add_marker(pytest.mark.needs("node"))
            if not os.environ.get(FOLDER):
                reason = f"{FOLDER} names no folder: python tests/tools/pyodide_files.py FOLDER fills one"
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def places(tmp_path_factory):
    """The files of a site's runtime, labkit's wheel as of now among them, and what notebooks need in Node besides."""
    folder = tmp_path_factory.mktemp("pyodide")
    lay(folder / "runtime", [Path(part) for part in os.environ[FOLDER].split(os.pathsep)], PACKAGES)
    (folder / "beside").mkdir()
    for name in BESIDE:
        for file in metadata.files(name):
            if ".." not in file.parts and (file.suffix in (".py", ".js", ".json") or file.name == "METADATA"):
                place = folder / "beside" / file
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file.locate(), place)
    return Places(folder / "runtime", folder / "beside")


@pytest.fixture(scope="session")
def runtime(tmp_path_factory):
    """The folder of a playground's runtime."""
    folder = tmp_path_factory.mktemp("playground") / "runtime"
    lay(folder, [Path(part) for part in os.environ[FOLDER].split(os.pathsep)], ("numpy", "traitlets"))
    return folder


@pytest.fixture(scope="session")
def address(runtime, tmp_path_factory):
    """The address of a playground with that runtime."""
    with playground(runtime, tmp_path_factory.mktemp("site")) as place:
        yield place


@pytest.fixture
def run(places):
    """`run(script, *arguments)`: what a script prints under the browser's Python."""

    def under_pyodide(script, *arguments):
        command = ["node", HERE / "python.mjs", *places, HERE / script, *arguments]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=3600)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return under_pyodide
