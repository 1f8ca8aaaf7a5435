"""What stands in a solution cell, for every exercise of the course."""

import ast

import numpy as np
import pytest

import labkit
import labkit.mindspore as ms
import labkit.torch as torch
from labkit.classroom import EXERCISES, check
from labkit.grading.stubs import helpers, renamed, renamed_in_text, solution_source, stub, stub_name

exercises = pytest.mark.parametrize("name", EXERCISES)


def run(source):
    names = {"np": np, "labkit": labkit, "ms": ms, "torch": torch}
    exec(source, names)
    return names


@exercises
def test_a_stub_defines_its_name_and_answers_nothing(name):
    names = run(stub(name))
    assert check(name, names[stub_name(name)]).kind == "empty"
    assert "check(" not in stub(name)


@exercises
def test_a_stub_takes_the_arguments_of_its_exercise(name):
    exercise = EXERCISES[name]
    if not exercise.is_prediction:
        assert tuple(a.arg for a in ast.parse(stub(name)).body[0].args.args) == exercise.arguments


@exercises
@pytest.mark.parametrize("suffix", ["", "_7"])
def test_a_solution_is_right_under_the_name_it_binds(name, suffix):
    bound = stub_name(name) + suffix
    names = run(solution_source(name, bound))
    assert check(name, names[bound]).kind == "right"
    assert bound == "answer" or "answer" not in names


@exercises
def test_a_solution_leaves_the_names_of_others_alone(name):
    bound = stub_name(name)
    taken = helpers(solution_source(name, bound)) - {bound}
    names = run(solution_source(name, bound, taken, "_9"))
    assert not taken & names.keys()
    assert check(name, names[bound]).kind == "right"


def test_a_solution_is_called_as_the_stub_is():
    source = solution_source("start-mend", "answer")
    assert source.startswith("def answer(values):") and "answer = " not in source


def test_attributes_texts_and_comments_are_not_renamed():
    source = 'step = model.step("step")  # step\nstep()'
    assert renamed(source, "step", "go") == 'go = model.step("step")  # step\ngo()'


def test_only_the_code_in_a_text_is_renamed():
    text = "One step of `step(w)`, not `net.step` or `steps`:\n\n```python\nstep(1)\n```"
    assert (
        renamed_in_text(text, "step", "go")
        == "One step of `go(w)`, not `net.step` or `steps`:\n\n```python\ngo(1)\n```"
    )
