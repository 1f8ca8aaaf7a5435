"""Shared by all tests: hypothesis draws the same examples at every run, and long files are run first.

`pytest --hypothesis-profile=thorough tests/properties` draws many new ones; `pytest --cpu-seconds` says what each file takes.
"""

import gc
import os
import signal
import sys
import tomllib
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the workers of a test run are enough for the cores
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # some hundred processes are started: each would compile labkit anew
os.environ["LABKIT_HOME"] = os.path.join(os.devnull, "labkit")  # no test touches the working copy of who runs it

import pytest
from cpu_seconds import Seconds, long_files_first
from hypothesis import HealthCheck, settings

signal.signal(signal.SIGINT, signal.default_int_handler)  # a run in the background ignores it, and what it starts
pytest_plugins = ["notebook_cells", "programs"]

settings.register_profile(
    "labkit", derandomize=True, deadline=None, max_examples=50, database=None, suppress_health_check=list(HealthCheck)
)
settings.register_profile("thorough", settings.get_profile("labkit"), derandomize=False, max_examples=5000)
settings.load_profile("labkit")


def pytest_addoption(parser):
    parser.addoption("--cpu-seconds", nargs="?", const="print", choices=["print", "store"], help="of each file")


def pytest_configure(config):
    """A marker of pyproject.toml is a run of its own: without `-m`, its tests are left out."""
    if not config.option.markexpr:
        own = tomllib.loads(config.inipath.read_text())["tool"]["pytest"]["ini_options"]["markers"]
        config.option.markexpr = " and ".join(f"not {line.partition(':')[0]}" for line in own)
    if config.getoption("--cpu-seconds"):
        config.pluginmanager.register(Seconds(config.getoption("--cpu-seconds") == "store"))


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Half a million objects are made in one go, and stay: nothing is looked for among them while they are made, nor later,
    by each collection of garbage in each test, which took a quarter of the seconds here and a tenth of those of tests."""
    gc.disable()
    result = yield
    gc.collect()
    gc.freeze()
    gc.enable()
    return result


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Every other worker looks through folders backwards: what one has compiled, the other does not compile as well."""
    report = yield
    if isinstance(collector, pytest.Directory) and int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]) % 2:
        report.result.reverse()
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item):
    """What one test leaves behind decides about another one only in some orders: it fails the test that left it."""
    result = yield
    assert not hasattr(sys, "ps1"), (
        f"{item.name} leaves a prompt (`sys.ps1`): labkit now thinks that a learner is here."
    )
    assert Path.cwd() == item.config.invocation_params.dir, f"{item.name} leaves the tests in {Path.cwd()}."
    return result


def pytest_collection_modifyitems(items):
    long_files_first(items)
