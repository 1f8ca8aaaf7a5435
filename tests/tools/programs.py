"""`@pytest.mark.needs("chromium")`: a test that starts a program which no Python package installs.

The test is skipped where the program is missing. Every other test, and with `pytest --hide-programs` these too, finds Git and a
shell and no other program: a test that lacks the marker fails on every machine, not only on one without the program.
"""

import os
import shutil
import tempfile
from functools import cache, partial
from pathlib import Path

import pytest

COMMANDS = {
    "bubblewrap": ("bwrap",),
    "chromium": ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"),
    "firefox": ("firefox", "firefox-esr"),
    "node": ("node",),
}
VISIBLE = ("git", "bash", "sh")
FOLDER = pytest.StashKey[str]()


def find(program: str) -> str | None:
    """The file of a program; Chromium may also be the one of `playwright install chromium`."""
    found = next(filter(None, map(shutil.which, COMMANDS[program])), None)
    if found is None and program == "chromium":
        folder = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH", Path.home() / ".cache" / "ms-playwright"))
        found = next((str(p) for p in sorted(folder.glob("chromium-*/chrome-*/chrome*")) if p.stem == "chrome"), None)
    return found


@cache
def missing(program: str) -> str:
    """Why a program cannot be started, in words; empty if it can. Of bubblewrap, whether it isolates is tried."""
    if program != "bubblewrap":
        return "" if find(program) else f"no {program}: expected one of {', '.join(COMMANDS[program])} on the PATH"
    from labkit.sandbox import NotIsolated, Sandbox, SandboxError

    try:
        with Sandbox():
            return ""
    except (NotIsolated, SandboxError) as error:
        return str(error)


def needed(item) -> list[str]:
    """The programs that the markers of a test name."""
    return [program for mark in item.iter_markers("needs") for program in mark.args]


def pytest_addoption(parser):
    parser.addoption("--hide-programs", action="store_true", help="skip every test that is marked `needs`")


def pytest_configure(config):
    config.addinivalue_line("markers", "needs(*programs): skipped where a program is missing; tests/tools/programs.py")
    config.stash[FOLDER] = folder = tempfile.mkdtemp(prefix="labkit-path-")
    config.add_cleanup(partial(shutil.rmtree, folder))
    if os.name == "posix":  # Windows allows links to administrators only
        for command in filter(shutil.which, VISIBLE):
            Path(folder, command).symlink_to(shutil.which(command))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """A test without the marker has an environment without the programs."""
    folder = item.config.stash[FOLDER]
    with pytest.MonkeyPatch.context() as patch:
        if item.config.getoption("hide_programs") or not needed(item):
            patch.setenv("PLAYWRIGHT_BROWSERS_PATH", folder)
            if os.name == "posix":
                patch.setenv("PATH", folder)
            for display in ("DISPLAY", "WAYLAND_DISPLAY"):
                patch.delenv(display, raising=False)
        return (yield)


def pytest_collection_modifyitems(items):
    """A browser on a busy machine misses a frame now and then: a test of a page fails only if it fails three times."""
    for item in items:
        if {"chromium", "firefox"} & set(needed(item)):
            item.add_marker(pytest.mark.flaky(reruns=2))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    for reason in filter(None, map(missing, needed(item))):
        pytest.skip(reason)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    if report.failed and not needed(item):
        text = f"The test finds only {', '.join(VISIBLE)}: to start another program, mark it @pytest.mark.needs(...)"
        report.sections.append(("programs", text))
    return report
