"""A class graded by `nbgrader autograde` and by `labkit grade`, and one process against two."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest

from labkit.grading.course import Course, new_course
from labkit.grading.handout import hand_out

pytest.importorskip("nbgrader")

STUDENTS = 50
FASTER = 20.0  # than nbgrader, on one core
TWO_JOBS = 1.7  # times as fast as one
TOML = """
title = "T"
seed = 7
[[assignment]]
name = "a1"
title = "First"
questions = ["grad-slip", "graph-names", "backprop-write", "port-to-torch"]
"""
RUN = "import warnings; warnings.simplefilter('ignore'); from nbgrader.apps.nbgraderapp import main; main()"
GRADE = "import sys; from labkit.cli import main; sys.exit(main())"
ROOT = Path(__file__).parents[2]


@pytest.fixture
def school(tmp_path):
    """A course of which nbgrader has made the release."""
    folder = tmp_path / "course"
    new_course(folder)
    (folder / "course.toml").write_text(TOML)
    course = Course.read(folder)
    hand_out(course, course.assignments[0])
    python(folder, RUN, "generate_assignment", "a1", "--force")
    return course


def hand_in(course, students):
    """The class: every second student answered all questions, the others none."""
    shutil.rmtree(course.folder / "submitted", ignore_errors=True)
    for i in range(students):
        path = course.folder / "submitted" / f"s{i:03}" / "a1" / "a1.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(answered(course) if i % 2 else nbformat.read(course.release("a1"), 4), path)


def answered(course):
    """The release with the solutions typed in."""
    release, source = (nbformat.read(path, 4) for path in (course.release("a1"), course.source("a1")))
    for cell, ours in zip(release.cells, source.cells, strict=True):
        if cell.id.startswith("answer-"):
            cell.source = ours.source
    return release


def python(folder, code, *arguments):
    """Run code in a process of its own; returns its seconds."""
    home = {"JUPYTER_CONFIG_DIR": str(folder / "no-config"), "IPYTHONDIR": str(folder / "ipython")}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=folder, capture_output=True, text=True,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), **home},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return time.perf_counter() - begun


def autograde(course):
    return lambda: python(course.folder, RUN, "autograde", "a1", "--create", "--force")


def grade(course, jobs, source="a1"):
    def run():
        shutil.rmtree(course.folder / "out", ignore_errors=True)
        arguments = ("--assignment", str(course.source(source)), "--out", "out/grades.csv", "--jobs", str(jobs))
        return python(course.folder, GRADE, "grade", "submitted", *arguments)

    return run


def each(course, run, few, many):
    """Seconds of each further submission: of `many` less those of `few`, so that the start of a program does not count."""

    def seconds():
        hand_in(course, few)
        start = run()
        hand_in(course, many)
        return (run() - start) / (many - few)

    return seconds


def test_a_class_by_nbgrader_and_by_labkit(alternate, school):
    ways = {"nbgrader autograde": autograde(school), "labkit grade --jobs 1": grade(school, 1)}
    ways = {name: each(school, run, 2, STUDENTS) for name, run in ways.items()}
    ratios = alternate("one submission of four questions", ways, rounds=1, base="labkit grade --jobs 1")
    assert ratios["nbgrader autograde"] >= FASTER, ratios


def test_two_processes_against_one(alternate, school):
    ways = {f"labkit grade --jobs {jobs}": each(school, grade(school, jobs), 2, 4 * STUDENTS) for jobs in (1, 2)}
    ratios = alternate("one submission of a class of 200", ways, rounds=3, base="labkit grade --jobs 2")
    assert ratios["labkit grade --jobs 1"] >= TWO_JOBS, ratios
