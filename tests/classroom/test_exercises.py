"""Every exercise: its solution passes, each planted wrong answer fails for the reason it was planted for."""

import ast
import importlib
import pkgutil
from contextlib import suppress

import numpy as np
import pytest

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.classroom import EXERCISES, check
from labkit.classroom import exercises as home
from labkit.classroom.compare import difference, plain, same
from labkit.classroom.exercises import nb06

exercises = pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
functions = pytest.mark.parametrize(
    "exercise", [pytest.param(e, id=e.name) for e in EXERCISES.values() if not e.is_prediction]
)
planted = pytest.mark.parametrize(
    "exercise, wrong",
    [pytest.param(e, w, id=f"{e.name}-{w.name}") for e in EXERCISES.values() for w in e.wrong_answers],
)


def defined(source):
    """The `answer` that a source defines, with the names a notebook imports."""
    names = {"np": np, "ms": ms, "torch": torch}
    exec(source, names)
    return names["answer"]


@exercises
def test_the_solution_passes(exercise):
    report = check(exercise.name, defined(exercise.solution))
    assert report and report.kind == "right" and report.points == exercise.points, report


@planted
def test_a_planted_wrong_answer_is_told_what_it_misunderstood(exercise, wrong):
    report = check(exercise.name, defined(wrong.source))
    assert not report and report.points == 0
    assert report.kind == wrong.expected, report
    sentences = {m.name: m.sentence for m in exercise.misconceptions}
    assert sentences.get(wrong.expected, "not yet") in report.text


@exercises
def test_every_misconception_is_planted_and_three_wrong_answers_at_least(exercise):
    assert len(exercise.wrong_answers) >= 3
    assert {m.name for m in exercise.misconceptions} <= {w.expected for w in exercise.wrong_answers}


@exercises
def test_an_exercise_is_complete(exercise):
    assert exercise.points > 0 and exercise.title and exercise.statement
    assert len(exercise.hints) == 3 and len({*exercise.hints}) == 3
    assert exercise.is_prediction or len(exercise.arguments) == len(next(exercise.inputs()))
    ast.parse(exercise.solution)


@exercises
def test_no_misconception_explains_the_right_answer(exercise):
    plain_inputs = list(exercise.inputs())
    expected = [plain(exercise.expected(inputs)) for inputs in plain_inputs]
    for misconception in exercise.misconceptions:
        recognised = []
        for inputs, right in zip(plain_inputs, expected, strict=True):
            with suppress(TypeError, IndexError, AttributeError):
                recognised.append(misconception.recognises(inputs, right, right))
        assert not recognised or not all(recognised), misconception.name


@functions
def test_inputs_differ_from_draw_to_draw_and_repeat_at_the_next_check(exercise):
    first, again, other = list(exercise.inputs()), list(exercise.inputs()), list(exercise.inputs(seed=1))
    assert len(first) == exercise.draws >= 3
    assert all(same(plain(a), plain(b)) for a, b in zip(first, again, strict=True))
    assert difference(first[0], first[1]) and difference(first[0], other[0])


@functions
def test_a_function_that_returns_one_right_answer_for_all_inputs_does_not_pass(exercise):
    constant = exercise.expected(next(exercise.inputs()))
    assert not check(exercise.name, lambda *inputs: constant)
    names = ", ".join(exercise.arguments)
    assert not check(exercise.name, eval(f"lambda {names}: constant", {"constant": constant}))


@functions
def test_the_reference_passes_for_other_seeds_too(exercise):
    answer = defined(exercise.solution)
    for inputs in exercise.inputs(seed=2):
        found = difference(exercise.expected(inputs), answer(*exercise.wrap(inputs)))
        assert found is None, found


def test_predictions_come_from_running_labkit(monkeypatch):
    monkeypatch.setattr(nb06.ms, "grad", lambda *args, **kwargs: lambda *inputs: ms.Tensor(7.0))
    assert EXERCISES["grad-slip"].reference() == 7.0


def test_every_exercise_has_a_home_and_every_name_is_unique():
    modules = [importlib.import_module(m.name) for m in pkgutil.iter_modules(home.__path__, home.__name__ + ".")]
    everywhere = [e for module in modules for e in module.EXERCISES]
    assert len(everywhere) == len({e.name for e in everywhere}) == len(EXERCISES)
