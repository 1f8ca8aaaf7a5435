"""Whatever a learner hands in: a clear message comes back, and the kernel stays usable."""

import signal
import sys
from itertools import product

import course
import numpy as np
import pytest

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.classroom import EXERCISES, check
from labkit.classroom.compare import as_asked, same

pytestmark = pytest.mark.usefixtures("right_answers_found_once")
FUNCTIONS = [e for e in EXERCISES.values() if not e.is_prediction]
PREDICTIONS = [e for e in EXERCISES.values() if e.is_prediction]
ODD = [0.125, "text", b"bytes", {}, {1: 2}, (), [], object(), float("nan"), np.array(["a"]), KeyError, 10**400]

ONE_OF_EACH = list(
    {e.tensors: e for e in reversed(FUNCTIONS)}.values()
)  # of arrays, and of the tensors of either dialect

functions = pytest.mark.parametrize("exercise", ONE_OF_EACH, ids=lambda e: e.name)
predictions = pytest.mark.parametrize("exercise", PREDICTIONS, ids=lambda e: e.name)


def defined(source):
    """The `answer` that a source defines, with the names a notebook imports."""
    names = {"np": np, "ms": ms, "torch": torch}
    exec(source, names)
    return names["answer"]


def function(exercise, body):
    """A function with the arguments that the exercise asks for, as a cell of a notebook defines it."""
    names = {"np": np}
    source = f"def answer({', '.join(exercise.arguments)}):\n    {body}"
    exec(compile(source, f"<cell of {exercise.name}>", "exec"), names)
    return names["answer"]


def state():
    """What a check may not leave changed."""
    alarm = (
        (signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)) if hasattr(signal, "SIGALRM") else ()
    )
    return alarm, sys.gettrace(), sys.stdout, np.geterr(), ms.get_context("mode"), torch.is_grad_enabled()


@pytest.fixture(autouse=True)
def usable():
    """After each test everything is as it was before."""
    before = state()
    yield
    assert state() == before


def refused(exercise, answer, *kinds, **options):
    """The text of the report on an answer that is not right, which must give a reason."""
    report = check(exercise.name, answer, **options)
    assert not report and report.points == 0, report
    assert not kinds or report.kind in kinds, report
    first, *reason, last = report.text.splitlines()
    assert first == f"{exercise.name}: not yet." and last == f'For a hint: hint("{exercise.name}")'
    assert len(" ".join(reason)) > 25 and len(report.text) < 2000 and "Traceback" not in report.text
    return report.text


# ---- nothing, or the wrong thing ----


def test_an_empty_answer():
    for exercise in EXERCISES.values():
        for nothing in (None, ...):
            assert "There is no answer yet" in refused(exercise, nothing, "empty")


@functions
def test_a_function_that_is_still_empty(exercise):
    for body in ("...", "pass", "return", "return None"):
        refused(exercise, function(exercise, body), "empty", "printed")


def test_a_value_where_a_function_is_asked_for():
    for exercise, value in product(ONE_OF_EACH, ODD):
        if not callable(value):
            assert "Pass the function itself" in refused(exercise, value, "type")


def test_a_function_of_the_wrong_type():
    cases = [*product(ONE_OF_EACH, [*ODD, lambda: None, ...]), *product(FUNCTIONS, [np.array(["a"])])]
    for exercise, value in cases:
        refused(exercise, lambda *inputs, value=value: value)


def test_a_function_of_the_wrong_arguments():
    for exercise in FUNCTIONS:
        names = ", ".join([*exercise.arguments, "one_more"])
        assert "argument" in refused(exercise, eval(f"lambda {names}: 0"), "arguments")


def test_a_function_where_a_value_is_asked_for():
    for exercise in PREDICTIONS:
        assert "a value that you predict" in refused(exercise, lambda: 0, "type")


@predictions
def test_a_value_of_the_wrong_type(exercise):
    expected = exercise.expected()
    size = len(expected) if isinstance(expected, (list, tuple)) else 1
    for value in ODD:
        for answer in (value, [value] * size, (value,) * (size + 1)):
            if not same(expected, as_asked(expected, answer)):
                refused(exercise, answer)


@predictions
def test_a_list_that_is_still_dots(exercise):
    if isinstance(expected := exercise.expected(), (list, tuple)):
        for answer in ([...] * len(expected), (*expected[:-1], ...), (*expected, *expected, ...)):
            assert "still three dots" in refused(exercise, type(expected)(answer), "empty")


# ---- errors and endless loops ----


@functions
def test_an_exception_is_told_with_its_line(exercise):
    for error in ("ZeroDivisionError", "SystemExit", "RecursionError"):
        text = refused(exercise, function(exercise, f"raise {error}('of the learner')"), "error")
        assert f"{error}: of the learner (line 2" in text and "With " in text


@functions
def test_an_endless_loop_is_stopped_and_a_right_answer_still_passes(exercise):
    text = refused(exercise, function(exercise, "while True: pass"), "timeout", seconds=0.2)
    assert "more than 0.2 s" in text and "infinite loop" in text
    assert check(exercise.name, defined(exercise.solution))


# ---- only understanding passes ----


@functions
def test_printing_the_right_answer_is_not_enough(exercise):
    right = defined(exercise.solution)

    def prints(*inputs):
        print(right(*inputs))

    assert "returned nothing (None)" in refused(exercise, prints, "printed")


# ---- how many ----


@pytest.mark.parametrize("path", course.NOTEBOOKS, ids=lambda path: path.stem)
def test_each_notebook_has_at_least_two(path):
    assert sum(exercise.notebook == path.stem for exercise in EXERCISES.values()) >= 2


def test_the_course_has_at_least_ninety():
    if len(course.NOTEBOOKS) < len(course.NUMBERS):
        pytest.skip(f"{len(course.NOTEBOOKS)} of {len(course.NUMBERS)} notebooks are there")
    assert len(EXERCISES) >= 90
