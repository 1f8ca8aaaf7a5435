"""Where the CPU seconds of a test run go, file by file; and long files first, so that no core waits at the end.

    pytest --cpu-seconds          # prints the table
    pytest --cpu-seconds=store    # and keeps it in tests/cpu_seconds.json, which orders the next runs

A file's seconds are those of its process, user and system, with those of the processes it started and waited for. A file
that the table does not know yet is run first.
"""

import json
import os
from collections import defaultdict
from pathlib import Path

TABLE = Path(__file__).parents[1] / "cpu_seconds.json"
ROOT = TABLE.parents[1]


def spent() -> float:
    """CPU seconds of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def place(path: Path) -> str:
    """A file as the table names it."""
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name


class Seconds:
    """A pytest plugin: it measures in the workers, and adds up where the run was started."""

    def __init__(self, store: bool):
        self.store, self.files = store, defaultdict(float)
        self.since = spent()

    def pytest_runtest_teardown(self, item, nextitem):
        """What was spent since the last test ended is of this one, the making of its fixtures included."""
        now = spent()
        item.user_properties.append(("cpu seconds", now - self.since))
        self.since = now

    def pytest_runtest_logreport(self, report):
        if report.when == "teardown":
            file = place(ROOT / report.location[0])
            self.files[file] += sum(value for name, value in report.user_properties if name == "cpu seconds")

    def pytest_terminal_summary(self, terminalreporter):
        rows = sorted(self.files.items(), key=lambda row: -row[1])
        terminalreporter.section(f"CPU seconds of the tests: {sum(self.files.values()):.0f}")
        for file, seconds in rows:
            if seconds >= 1:
                terminalreporter.write_line(f"{seconds:8.1f}  {file}")
        if self.store:
            TABLE.write_text(json.dumps({file: round(seconds, 1) for file, seconds in rows}, indent=0) + "\n")


def long_files_first(items: list) -> None:
    """Sort tests by the seconds of their files; the tests of one file keep their order."""
    known = json.loads(TABLE.read_text()) if TABLE.exists() else {}
    places = {path: place(path) for path in {item.path for item in items}}
    items.sort(key=lambda item: (-known.get(places[item.path], float("inf")), places[item.path]))
