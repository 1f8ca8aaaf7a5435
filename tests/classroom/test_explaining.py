"""`explain`: more about the last wrong answer, and never the answer itself."""

import linecache

import numpy as np
import pytest

import labkit
import labkit.mindspore as ms
import labkit.torch as torch
from labkit.classroom import EXERCISES, checking, explain, explaining


@pytest.fixture(autouse=True)
def nothing_answered(monkeypatch):
    monkeypatch.setattr(checking, "_latest", {})
    monkeypatch.setattr(explaining, "SECONDS", 0.02)


def defined(source, file="<cell>"):
    """The `answer` of a cell, whose lines can be looked up as a notebook's can."""
    names = {"np": np, "ms": ms, "torch": torch}
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    exec(compile(source, file, "exec"), names)
    return names["answer"]


def test_it_is_at_the_front_door():
    assert labkit.explain is explain


def test_without_an_answer_there_is_nothing_to_explain():
    assert "check one first" in explain().text and "check one first" in explain("grad-slip").text


def test_a_right_answer_needs_no_explanation():
    labkit.check("start-order", [2, 3, 2])
    assert 'to "start-order" is right' in explain().text


def test_the_latest_answer_is_meant_or_the_one_that_is_named():
    labkit.check("start-order", [2, 3, 3])
    labkit.check("start-shapes", [(2, 3), (3,), (4, 6), ()])
    labkit.check("grad-slip", 1.0)
    assert 'to "grad-slip" is right' in explain().text and "Look at item [2]" in explain("start-order").text


def test_the_first_wrong_item_and_its_rule_are_told():
    labkit.check("start-shapes", [(2, 3), (1, 3), (2, 3), (1,)])
    text = explain().text
    assert "Right so far: 2 of 4 items." in text and "Look at item [1] (x[0])" in text
    assert EXERCISES["start-shapes"].rules[1] in text and "(3,)" not in text


def test_the_smallest_input_that_fails_is_told():
    labkit.check("start-fix", defined("def answer(values):\n    return sum(values) / len(values) + (len(values) > 1)"))
    text = explain().text
    exercise = EXERCISES["start-fix"]
    sizes = [len(drawn[0]) for drawn in exercise.inputs() if len(drawn[0]) > 1]
    shown = text.split("values = ")[1].split("\n")[0]
    assert "The smallest of the others" in text and np.size(eval(shown)) <= min(sizes)
    assert "one more than the right one" in text


def test_the_first_line_that_goes_another_way_is_told():
    source = EXERCISES["step-adam"].solution.replace("0.999 * v + 0.001 * g**2", "0.999 * v + 0.001 * g")
    labkit.check("step-adam", defined(source))
    text = explain().text
    assert "differs from that in a right answer is v, in line" in text and ": v = 0.999 * v + 0.001 * g" in text


def test_a_variable_that_is_used_in_another_way_points_to_no_line():
    wrong = EXERCISES["backprop-fix-twice"].wrong_answers[0]  # two loops over `parent`, where the solution has one
    labkit.check("backprop-fix-twice", defined(wrong.source))
    assert "answer is parent" not in explain().text


def test_what_check_has_recognised_is_not_explained_in_another_way():
    wrong = next(w for w in EXERCISES["sens-two-parts"].wrong_answers if w.expected == "no-seed")
    labkit.check("sens-two-parts", defined(wrong.source))
    assert "The second half determines" in explain().text and "a power" not in explain().text


def test_functions_inside_the_answer_are_nobodys_other_value():
    source = EXERCISES["sens-two-parts"].solution.replace("h = first(x)", "h = first(x) + 0.5 * x")
    labkit.check("sens-two-parts", defined(source))
    assert "answer is h" in explain().text


def test_no_line_is_told_where_no_code_was_given():
    labkit.check("start-fix", defined("def answer(values):\n    a = 2\n    b = 3\n    return a * b"))
    assert "line" not in explain().text


def test_the_picture_is_the_run_of_the_answer():
    labkit.check("graph-by-hand", lambda x, y: ((x * y + x) * (x * y), x, y))
    picture = explain().picture
    assert picture is not None and "from x and y" in picture.describe()
    labkit.check("start-order", [2, 3, 3])
    assert explain().picture is None


@pytest.mark.parametrize("name", ["backprop-fix-order", "run-accuracy"])
def test_no_explanation_raises_or_tells_the_result(name):
    exercise = EXERCISES[name]
    for wrong in exercise.wrong_answers[:1]:
        if not labkit.check(name, defined(wrong.source)):
            text = explain(name).text
            assert text and not any(
                line in text
                for line in set(exercise.solution.split("\n")) - set(wrong.source.split("\n"))
                if len(line) > 20
            )
    labkit.check(name, lambda *a: 1 / 0)
    assert "ZeroDivisionError" in explain(name).text
