"""Every exercise: its solution passes, each planted wrong answer fails for the reason it was planted for."""

import ast
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.classroom import EXERCISES, check
from labkit.classroom.compare import difference, plain_data, same
from labkit.classroom.exercise import strata

pytestmark = pytest.mark.usefixtures("right_answers_found_once")
exercises = pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
FUNCTIONS = [e for e in EXERCISES.values() if not e.is_prediction]


def defined(source):
    """The `answer` that a source defines, with the names a notebook imports."""
    names = {"np": np, "ms": ms, "torch": torch}
    exec(source, names)
    return names["answer"]


@exercises
def test_the_solution_passes(exercise):
    report = check(exercise.name, defined(exercise.solution))
    assert report and report.kind == "right" and report.points == exercise.points, report


@exercises
@pytest.mark.filterwarnings("ignore:Using backward", "ignore::RuntimeWarning")
def test_a_planted_wrong_answer_is_told_what_it_misunderstood(exercise):
    sentences = {m.name: m.sentence for m in exercise.misconceptions}
    for wrong in exercise.wrong_answers:
        report = check(exercise.name, defined(wrong.source))
        assert not report and report.points == 0, (wrong.name, report)
        assert report.kind == wrong.expected if wrong.expected in sentences else report.kind not in sentences, (
            wrong.name
        )
        first, *reason, last = report.text.splitlines()
        assert first == f"{exercise.name}: not yet." and last == f'For a hint: hint("{exercise.name}")', wrong.name
        assert sentences.get(wrong.expected, "not yet") in report.text, wrong.name
        assert len(" ".join(reason)) > 15 and len(report.text) <= 480 and "Traceback" not in report.text, wrong.name


def test_every_misconception_is_planted_and_three_wrong_answers_at_least():
    for exercise in EXERCISES.values():
        assert len(exercise.wrong_answers) >= 3, exercise.name
        assert {m.name for m in exercise.misconceptions} <= {w.expected for w in exercise.wrong_answers}, exercise.name


def test_every_exercise_is_complete():
    for exercise in EXERCISES.values():
        assert exercise.points > 0 and exercise.title and exercise.statement, exercise.name
        assert len(exercise.hints) == len({*exercise.hints}) == 3, exercise.name
        assert exercise.is_prediction or len(exercise.arguments) == len(next(exercise.inputs())), exercise.name
        ast.parse(exercise.solution)


@exercises
def test_no_misconception_explains_the_right_answer(exercise):
    plain_inputs = list(exercise.inputs())
    expected = [plain_data(exercise.expected(inputs)) for inputs in plain_inputs]
    for misconception in exercise.misconceptions:
        recognised = []
        for inputs, right in zip(plain_inputs, expected, strict=True):
            with suppress(TypeError, IndexError, AttributeError, ZeroDivisionError):
                recognised.append(misconception.recognises(inputs, right, right))
        assert not recognised or not all(recognised), misconception.name


def test_inputs_repeat_at_the_next_check_and_differ_from_draw_to_draw_and_from_seed_to_seed():
    for exercise in FUNCTIONS:
        first, again = list(exercise.inputs()), list(exercise.inputs())
        assert len(first) == max(exercise.draws, len(exercise.strata)) >= 3, exercise.name
        assert all(same(plain_data(a), plain_data(b)) for a, b in zip(first, again, strict=True)), exercise.name
        assert difference(first[0], first[1]), exercise.name
        drawn = [first[0], *(next(exercise.inputs(seed)) for seed in (0, 1, 2, 3))]
        assert all(difference(plain_data(a), plain_data(b)) for i, a in enumerate(drawn) for b in drawn[:i]), (
            exercise.name
        )


def test_the_reference_passes_for_other_seeds_too():
    for exercise in FUNCTIONS:
        answer = defined(exercise.solution)
        for inputs in exercise.inputs(seed=2):
            found = difference(exercise.expected(inputs), answer(*exercise.wrap(inputs)))
            assert found is None, (exercise.name, found)


def test_predictions_come_from_running_labkit(monkeypatch):
    monkeypatch.setattr(ms, "grad", lambda *args, **kwargs: lambda *inputs: ms.Tensor(7.0))
    assert EXERCISES["grad-slip"].reference() == 7.0


@pytest.mark.parametrize("count", [1, 3, 7])
def test_every_stratum_is_drawn_from_whatever_the_seed_and_the_number_of_draws(count):
    kinds = tuple(lambda rng, kind=kind: (kind, rng.random()) for kind in range(4))
    exercise = replace(FUNCTIONS[0], draw=kinds, draws=count)
    for seed in range(5):
        drawn = [kind for kind, _ in exercise.inputs(seed)]
        assert {*drawn} == {0, 1, 2, 3} and len(drawn) == max(4, count)


def test_a_stratum_holds_what_meets_its_condition_and_says_so_when_nothing_does():
    small, large = strata(lambda rng: (int(rng.integers(9)),), lambda n: n < 2, lambda n: n > 6)
    rng = np.random.default_rng(0)
    assert all(small(rng)[0] < 2 and large(rng)[0] > 6 for _ in range(50))
    (never,) = strata(lambda rng: (1,), lambda n: n > 1)
    with pytest.raises(RuntimeError, match="write a draw for this condition"):
        never(rng)
