"""What stands in a solution cell, for every exercise of the course."""

import ast

import numpy as np
import pytest

import labkit
import labkit.mindspore as ms
import labkit.torch as torch
from labkit.classroom import EXERCISES, check
from labkit.grading.build import helpers, renamed, renamed_in_text, solution_source


def run(source):
    names = {"np": np, "labkit": labkit, "ms": ms, "torch": torch}
    exec(source, names)
    return names


@pytest.mark.parametrize("name", EXERCISES)
def test_a_stub_defines_its_name_takes_the_arguments_and_answers_nothing(name):
    names, exercise = run(EXERCISES[name].stub), EXERCISES[name]
    assert check(name, names[EXERCISES[name].binds]).kind == "empty"
    assert "check(" not in EXERCISES[name].stub
    if not exercise.is_prediction:
        assert tuple(a.arg for a in ast.parse(EXERCISES[name].stub).body[0].args.args) == exercise.arguments


@pytest.mark.parametrize("name", EXERCISES)
def test_a_solution_is_right_under_another_name_and_leaves_the_names_of_others_alone(name):
    bound = EXERCISES[name].binds + "_7"
    taken = helpers(solution_source(name, bound)) - {bound}
    names = run(solution_source(name, bound, taken, "_9"))
    assert check(name, names[bound]).kind == "right"  # under its own name, with helpers under theirs: `test_build`
    assert not {*taken, "answer"} & names.keys()


def test_a_solution_is_called_as_the_stub_is():
    source = solution_source("start-fix", "answer")
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
