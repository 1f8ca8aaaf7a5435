"""A small course and what students might hand in, for the tests of grading."""

import gc
import time
from contextlib import contextmanager
from pathlib import Path

import nbformat
import psutil
import pytest
from patience import PATIENT

from labkit.grading import classwork, workers
from labkit.grading.assignment import Assignment
from labkit.grading.build import variant
from labkit.grading.course import Course
from labkit.grading.grader import Grader
from labkit.grading.handout import hand_out
from labkit.grading.run import Plan
from labkit.sandbox import Sandbox

TOML = """
title = "T"
seed = 7
[[assignment]]
name = "a1"
title = "First"
questions = [
    "grad-slip", "backprop-write", "port-to-torch",
    { name = "q", any_of = ["port-detach", "start-order"], points = 2.5 },
]
"""


class Handout:
    """An assignment, and notebooks made from it."""

    def __init__(self, folder: Path, toml: str):
        (folder / "course.toml").write_text(toml)
        course = Course.read(folder)
        students = ("ann", "bob")
        for planned in course.assignments:
            hand_out(course, planned, students)
        self.course, self.name = course, course.assignments[0].name
        self.source = course.source(self.name)
        self.assignment = Assignment.read(self.source)

    def notebook(self, answers: dict[str, str] | None = None, solved: bool = True, student: str = "ann") -> bytes:
        """A student's own notebook with the solutions, or without; `answers` are sources by question."""
        questions = self.assignment.for_student(student).questions
        notebook = variant(nbformat.read(self.source, as_version=4), questions)
        for cell in notebook.cells:
            if cell.id.startswith("answer-"):
                default = cell.source if solved else cell.source.split("### BEGIN SOLUTION")[0]
                cell.source = (answers or {}).get(cell.id.removeprefix("answer-"), default)
        return nbformat.writes(notebook).encode()

    def hand_in(self, root: Path, student: str, answers: dict[str, str] | None = None, solved: bool = True) -> None:
        """Put a student's notebook where nbgrader has it."""
        path = root / student / self.name / f"{self.name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.notebook(answers, solved, student))

    def class_of(self, root: Path, number: int) -> None:
        """A class: by turns all right, one wrong, nothing, a broken cell, a file that is not a notebook."""
        for i in range(number):
            student = f"s{i:04}"
            wrong = {"grad-slip": "answer_1 = 3.0"}, {"grad-slip": "answer_1 = = 3"}
            match i % 5:
                case 0:
                    self.hand_in(root, student)
                case 1 | 3:
                    self.hand_in(root, student, wrong[i % 5 == 3])
                case 2:
                    self.hand_in(root, student, solved=False)
                case 4:
                    (root / student / self.name).mkdir(parents=True)
                    (root / student / self.name / f"{self.name}.ipynb").write_bytes(b"PK\x03\x04 a zip file")


@pytest.fixture(scope="session")
def handout(tmp_path_factory):
    return Handout(tmp_path_factory.mktemp("course"), TOML)


def alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def command(process: psutil.Process) -> list[str]:
    """The command of a process; nothing where it has ended."""
    try:
        return process.cmdline() if alive(process) else []
    except psutil.Error:
        return []


class Family:
    """The processes that a process has started, without those before and the one that multiprocessing keeps for itself."""

    def __init__(self, before: set[psutil.Process], pid: int | None = None):
        found = [p for p in psutil.Process(pid).children(recursive=True) if p not in before]
        self.members = [p for p in found if "resource_tracker" not in " ".join(command(p))]

    def sandboxes(self) -> list[psutil.Process]:
        """The sandboxes among them that are still there."""
        return [p for p in self.members if "labkit.sandbox.server" in command(p)]

    def workers(self) -> list[psutil.Process]:
        """The processes that were started to grade."""
        return [p for p in self.members if "labkit.grading.workers" in " ".join(command(p))]

    def wait_for_end(self, seconds: float = 300.0) -> None:
        """Fail unless all of them end; what they run takes longer than we wait."""
        deadline = time.monotonic() + seconds
        while left := [p for p in self.members if alive(p)]:
            assert time.monotonic() < deadline, left
            time.sleep(0.05)


@pytest.fixture
def family():
    """`family(pid)`: what a process (this one, if none is named) has started since the test began."""
    before = set(psutil.Process().children(recursive=True))  # of other tests: a browser, a server
    return lambda pid=None: Family(before, pid)


class Lent(Sandbox):
    """A sandbox that stays when a grader is done with it: to start one costs more than to grade ten submissions."""

    def stop(self) -> None:
        """Stay."""

    def really_stop(self) -> None:
        """End the server and all that it started."""
        super().stop()


@pytest.fixture(scope="session")
def one_sandbox():
    """`with one_sandbox():` the graders of this process have one sandbox in common, where their limits are the same.

    Every program has walls of its own, so none sees what an earlier one did (`test_grader` and `tests/sandbox` show that).
    """
    sandboxes: dict[tuple, Lent] = {}

    def lent(grader):
        settings = grader.settings
        key = settings.limits, settings.unsafe, settings.preload
        if key not in sandboxes:
            sandboxes[key] = Lent(*key)
            sandboxes[key].start()
        return sandboxes[key]

    @contextmanager
    def lending():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Grader, "_new_sandbox", lent)
            patch.setattr(classwork, "grade_in_processes", lambda a, s, works, jobs: workers.grade_here(a, s, works))
            yield

    yield lending
    for sandbox in sandboxes.values():
        sandbox.really_stop()


@pytest.fixture
def same_sandbox(one_sandbox):
    """The graders of this test have the sandbox of `one_sandbox`."""
    with one_sandbox():
        yield


@pytest.fixture(scope="session")
def make_handout(tmp_path_factory):
    return lambda toml: Handout(tmp_path_factory.mktemp("course"), toml)


@pytest.fixture
def plan(handout, tmp_path):
    """To grade five students in this process."""
    handout.class_of(tmp_path / "submitted", 5)
    out = tmp_path / "new" / "folder" / "grades.csv"
    return Plan(tmp_path / "submitted", handout.source, out, jobs=1, pace=PATIENT, seed=3)


@pytest.fixture(autouse=True, scope="module")
def _little_to_collect():
    """What earlier tests left is not gone through for garbage: that takes CPU seconds, on which the grader's bounds are."""
    gc.freeze()
