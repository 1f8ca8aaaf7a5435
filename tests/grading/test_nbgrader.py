"""With the real nbgrader: it makes our release, grades our notebooks, and its Validate button works on them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from added_questions import added_cells

from labkit.grading.course import Course, new_course
from labkit.grading.handout import hand_out
from labkit.grading.notebooks import read, write
from labkit.grading.release import released

TOML = """
title = "T"
seed = 5
[[assignment]]
name = "a1"
title = "First"
hints = true
questions = [
    "grad-slip", "backprop-write", "port-to-torch",
    { name = "q", any_of = ["port-detach", "start-order"], points = 2.5 },
]
"""
NBGRADER = """
import json, os, sys, warnings
warnings.simplefilter("ignore")  # of nbgrader's and its libraries' own
from nbgrader.api import Gradebook
from nbgrader.apps.nbgraderapp import NbGraderApp
from nbgrader.validator import Validator
from traitlets.config import Config


def generate():
    run("generate_assignment", "a1")


def autograde():
    run("autograde", "a1", "--create", "--Execute.timeout=600", "--Execute.startup_timeout=600")
    with Gradebook("sqlite:///gradebook.db") as book:
        return {s.student.id: {g.name: g.auto_score for n in s.notebooks for g in n.grades}
                for s in book.assignment_submissions("a1")}


def validate(*paths):
    patient = Config({"Execute": {"timeout": 600, "startup_timeout": 600}})
    return [Validator(config=patient).validate(path) for path in paths]


def run(*arguments):
    NbGraderApp.clear_instance()
    try:
        NbGraderApp.launch_instance(list(arguments))
    except SystemExit as stop:
        assert not stop.code, stop.code


for line in sys.stdin:
    name, *arguments = json.loads(line)
    print("answer:", json.dumps(globals()[name](*arguments)), flush=True)
"""


class Nbgrader:
    """A process in which nbgrader runs in a folder, with `alembic` on the PATH as it needs it: it takes long to import."""

    def __init__(self, folder):
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        home = {"JUPYTER_CONFIG_DIR": str(folder / "no-config"), "IPYTHONDIR": str(folder / "ipython")}
        self.log = folder.parent / "nbgrader.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", NBGRADER], cwd=folder, env={**os.environ, "PATH": path, **home},
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
            )  # fmt: skip

    def __call__(self, name, *arguments):
        """What a function of `NBGRADER` gives."""
        print(json.dumps([name, *arguments]), file=self.process.stdin, flush=True)
        said = next((line for line in self.process.stdout if line.startswith("answer: ")), None)
        assert said, self.log.read_text()
        return json.loads(said.removeprefix("answer: "))


@pytest.fixture(scope="module")
def nbgrader(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nbgrader") / "course"
    new_course(folder)
    nbgrader = Nbgrader(folder)
    yield nbgrader
    nbgrader.process.communicate()


@pytest.fixture(scope="module")
def course(nbgrader):
    """A course of which nbgrader has made the release."""
    folder = nbgrader.log.parent / "course"
    (folder / "course.toml").write_text(TOML)
    made = Course.read(folder)
    hand_out(made, made.assignments[0], ("ada", "bob"))
    source = read(made.source("a1"))
    source.cells += added_cells()
    write(source, made.source("a1"))
    nbgrader("generate")
    return made


def solved(course, wrong=()):
    """The release with the solutions typed in, as a student would hand it in."""
    release, source = (nbformat.read(p, as_version=4) for p in (course.release("a1"), course.source("a1")))
    for cell, ours in zip(release.cells, source.cells, strict=True):
        if (cell.id.startswith("answer-") or cell.id in ("power", "bag")) and cell.id not in wrong:
            cell.source = ours.source
        cell.source = "It goes back." if cell.id == "why" else cell.source
    return release


def hand_in(course, student, notebook):
    path = course.folder / "submitted" / student / "a1" / "a1.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(notebook, path)


def test_our_release_is_nbgraders_to_the_byte(course, tmp_path):
    write(released(nbformat.read(course.source("a1"), as_version=4)), tmp_path / "ours.ipynb")
    assert (tmp_path / "ours.ipynb").read_bytes() == course.release("a1").read_bytes()


def test_nbgraders_release_keeps_the_instructors_data_back(course):
    text = course.release("a1").read_text()
    assert "start-order" not in text and "start-order" in course.source("a1").read_text()
    assert nbformat.read(course.release("a1"), as_version=4).metadata.labkit == {"assignment": "a1"}


def test_nbgrader_takes_nobodys_personal_notebook_for_an_assignment(course):
    assert course.personal("ada", "a1").exists()
    assert [path.name for path in (course.folder / "release").iterdir()] == ["a1"]


def test_nbgrader_gives_the_solutions_full_marks_and_the_empty_release_none(course, nbgrader):
    hand_in(course, "solved", solved(course))
    hand_in(course, "empty", nbformat.read(course.release("a1"), as_version=4))
    grades = nbgrader("autograde")
    full = {"check-grad-slip": 1.0, "check-backprop-write": 3.0, "check-port-to-torch": 1.0, "check-q": 2.5}
    full |= {"test-power": 2.0, "test-half": 1.0, "test-bag": 3.0}  # what labkit gives for them, too
    assert grades["solved"] == full | {"why": None, "project": None}
    assert grades["empty"] == dict.fromkeys(full, 0.0) | {"why": 0.0, "project": None}


def test_validate_passes_what_is_right_and_names_what_is_not(course, nbgrader):
    folder = course.folder / "validating"
    folder.mkdir()
    nbformat.write(solved(course), folder / "right.ipynb")
    nbformat.write(solved(course, wrong=["answer-grad-slip"]), folder / "wrong.ipynb")
    right, wrong = nbgrader("validate", str(folder / "right.ipynb"), str(folder / "wrong.ipynb"))
    assert right == {}
    assert ["grad-slip" in cell["source"] for cell in wrong["failed"]] == [True]
    assert "There is no answer yet" in wrong["failed"][0]["error"]
