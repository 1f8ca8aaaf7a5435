"""The instructor's notebook says what was asked; whatever else is given is refused with a reason."""

import copy
import json
from collections import Counter

import nbformat
import pytest

from labkit.grading.assignment import Assignment, AssignmentError
from labkit.grading.build import instructor_notebook
from labkit.grading.course import Course
from labkit.grading.notebooks import write
from labkit.grading.release import released

TOML = """
title = "T"
seed = 5
[[assignment]]
name = "a1"
title = "First"
hints = true
questions = [
    "grad-slip",
    { name = "port", any_of = ["step-port", "port-detach", "port-to-torch"], points = 2.5 },
    { exercise = "port-two-outputs", points = 3 },
]
"""


@pytest.fixture
def notebook(tmp_path):
    (tmp_path / "course.toml").write_text(TOML)
    course = Course.read(tmp_path)
    return instructor_notebook(course, course.assignments[0])


@pytest.fixture
def assignment(notebook):
    return Assignment.from_notebook(notebook)


def refused(notebook, tmp_path):
    """The message for a notebook that is not an instructor's."""
    write(notebook, tmp_path / "x.ipynb")
    with pytest.raises(AssignmentError) as caught:
        Assignment.read(tmp_path / "x.ipynb")
    assert str(caught.value).startswith(str(tmp_path / "x.ipynb"))
    return str(caught.value)


def test_what_is_written_is_read(notebook, assignment, tmp_path):
    write(notebook, tmp_path / "x.ipynb")
    assert Assignment.read(tmp_path / "x.ipynb") == assignment
    assert (assignment.name, assignment.title, assignment.seed) == ("a1", "First", 5)
    assert [(q.name, q.exercise, q.points, q.binds) for q in assignment.questions] == [
        ("grad-slip", "grad-slip", 1.0, "answer_1"),
        ("port", "step-port", 2.5, "port"),
        ("port-two-outputs", "port-two-outputs", 3.0, "port_3"),
    ]
    assert assignment.questions[1].answer_id == "answer-port" and assignment.questions[1].check_id == "check-port"


def test_setup_and_locked_cells_are_the_instructors(assignment):
    assert [grade_id for grade_id, _ in assignment.setup] == ["setup"]
    assert "import labkit.mindspore as ms" in assignment.setup[0][1]
    assert {"title", "setup", "statement-port", "check-port"} <= assignment.locked
    assert not any(grade_id.startswith("answer-") for grade_id in assignment.locked)


def test_every_exercise_of_a_slot_is_asked_about_equally_often(assignment):
    asked = Counter(assignment.for_student(f"s{i}").questions[1].exercise for i in range(600))
    assert set(asked) == {"step-port", "port-detach", "port-to-torch"} and min(asked.values()) > 150


def test_a_student_always_gets_the_same_questions_in_any_process_and_any_version(assignment):
    given = {
        "ada": "step-port", "bob": "step-port", "": "port-detach", "Ünal": "port-detach",
        "x" * 1000: "port-to-torch", "\ud800": "step-port",
    }  # fmt: skip
    assert {student: assignment.for_student(student).questions[1].exercise for student in given} == given


def test_variants_keep_names_points_and_cells(assignment):
    fixed = lambda a: [(q.name, q.points, q.answer_id, q.check_id) for q in a.questions]
    assert all(fixed(assignment.for_student(f"s{i}")) == fixed(assignment) for i in range(9))


def test_points_changed_in_the_formgrader_count(notebook):
    next(c for c in notebook.cells if c.id == "check-port").metadata.nbgrader.points = 7
    assert Assignment.from_notebook(notebook).for_student("ada").questions[1].points == 7.0


def test_the_students_version_is_refused_and_the_right_file_named(notebook, tmp_path):
    message = refused(released(notebook), tmp_path)
    assert "version for students" in message and "source/a1/a1.ipynb" in message


def test_any_other_notebook_is_refused(tmp_path):
    assert "not a labkit assignment" in refused(nbformat.v4.new_notebook(), tmp_path)


def test_a_notebook_without_exercises_is_refused(notebook, tmp_path):
    notebook.metadata.labkit.slots = []
    assert "it has no exercises" in refused(notebook, tmp_path)


def test_an_unknown_exercise_is_refused_and_a_near_one_named(notebook, tmp_path):
    notebook.metadata.labkit.slots[0].any_of = [["grad-slop", "answer"]]
    assert "'grad-slop'. Did you mean 'grad-slip'" in refused(notebook, tmp_path)
    notebook.metadata.labkit.slots[0].any_of = [["grad-slip", "answer"], ["ward-patch", "treat"]]
    assert "'ward-patch' is for practice only" in refused(notebook, tmp_path)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data.pop("seed"),
        lambda data: data.update(seed="many"),
        lambda data: data.update(slots=5),
        lambda data: data["slots"][0].pop("any_of"),
        lambda data: data["slots"][0].update(any_of=["grad-slip"]),
        lambda data: data["slots"][0].update(any_of=[]),
        lambda data: data["slots"].append(7),
    ],
)
def test_broken_metadata_are_refused(damage, notebook, tmp_path):
    damage(notebook.metadata["labkit"])
    assert "Delete the file and run: labkit course build" in refused(notebook, tmp_path)


@pytest.mark.parametrize("cell", ["answer-port", "check-port"])
def test_a_missing_cell_is_named(cell, notebook, tmp_path):
    notebook.cells = [c for c in notebook.cells if c.id != cell]
    assert f"no cell '{cell}'" in refused(notebook, tmp_path)


@pytest.mark.parametrize("points", [0, -1, "two", None, True, float("nan")])
def test_points_that_are_none_are_refused(points, notebook, tmp_path):
    next(c for c in notebook.cells if c.id == "check-port").metadata.nbgrader.points = points
    assert "expected a number above 0" in refused(notebook, tmp_path)


def test_two_cells_of_one_name_are_refused(notebook, tmp_path):
    twin = copy.deepcopy(notebook.cells[-1])
    twin.id = "twin"
    notebook.cells.append(twin)
    assert "two cells have the grade_id 'check-port-two-outputs'" in refused(notebook, tmp_path)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "7", '{"cells": 3}', json.dumps({"nbformat": 4, "cells": []})])
def test_a_broken_file_is_refused(text, tmp_path):
    (tmp_path / "x.ipynb").write_text(text)
    with pytest.raises(AssignmentError, match=r"x\.ipynb: "):
        Assignment.read(tmp_path / "x.ipynb")


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(AssignmentError, match="no such file"):
        Assignment.read(tmp_path / "none.ipynb")
    with pytest.raises(AssignmentError, match="cannot be read"):
        Assignment.read(tmp_path)
