"""Numbers that are drawn for each student: another exercise in its numbers alone, which is judged and told like the first."""

import re

import numpy as np
import pytest
from tutor import right_answers_found_once

from labkit.classroom import EXERCISES, check, hint
from labkit.classroom.checking import judge_answer
from labkit.classroom.compare import same
from labkit.classroom.exercises import Exercises
from labkit.classroom.numbers import drawing, drawn
from labkit.classroom.writing import ran

DRAWING = [name for name in EXERCISES if EXERCISES[name].numbers]
VERSIONS = range(1, 6)
OWN = '''
"""# Twice (1 point)

[[twice]]

What is `twice([[n]])`? Answer with a list of one number.
"""

from labkit.classroom.writing import drawn, wrong

n = drawn(3, lambda rng: int(rng.integers(10, 99)))


def twice(x):
    return 2 * x + n


answer = [2 * n + n]


def reference():
    return [twice(n)]


once = wrong("That is n.", {0: n})
hints = f"{n}?", "Twice.", "Add n."
'''


def value_of(source):
    names = {"np": np}
    exec(source, names)
    return names["answer"]


def test_there_are_some():
    assert len(DRAWING) >= 7


@pytest.mark.parametrize("name", DRAWING)
def test_every_version_is_right_in_itself_and_told_as_the_first_is(name):
    statements, answers, base = set(), [], EXERCISES[name]
    with right_answers_found_once():
        for k in VERSIONS:
            version = EXERCISES[f"{name}:{k}"]
            statements.add(version.statement)
            answers.append(version.expected())
            assert same(value_of(version.solution), version.expected()), k
            assert "[[" not in version.statement and (version.points, version.title) == (base.points, base.title)
            known = [m.name for m in base.misconceptions]
            assert [m.name for m in version.misconceptions] == known
            for wrong in version.wrong_answers:
                told = judge_answer(version, value_of(wrong.source)).kind
                assert told == wrong.expected or (wrong.expected not in known and told not in ("right", *known)), (
                    k,
                    wrong,
                )
    assert len(statements) > 3
    assert sum(not same(answer, base.expected()) for answer in answers) > len(answers) // 2


def test_a_version_is_the_same_wherever_it_is_drawn():
    other = Exercises(EXERCISES._folder)
    assert other["fd-cost:17"].statement == EXERCISES["fd-cost:17"].statement != EXERCISES["fd-cost:18"].statement


def test_versions_are_known_and_not_listed():
    before = list(EXERCISES)
    assert "fd-cost:17" in EXERCISES and check("fd-cost:17", EXERCISES["fd-cost:17"].expected())
    assert list(EXERCISES) == before and len(EXERCISES) == len(before)
    assert "fd-cost:17" in hint("fd-cost:17") or "Count" in hint("fd-cost:17")


@pytest.mark.parametrize(
    "name", ["graph-count:3", "no-such:3", "fd-cost:0", "fd-cost:x", "fd-cost:1234567", "fd-cost:1:2"]
)
def test_what_is_no_version_is_no_exercise(name):
    assert name not in EXERCISES and check(name, [1]).kind == "unknown"


def test_code_that_is_shown_and_a_course_of_ones_own_have_the_numbers():
    course = Exercises(EXERCISES._folder)
    course.adopt({"own-twice": OWN})
    assert "return 2 * x + 3" in course["own-twice"].statement and "twice(3)" in course["own-twice"].statement
    number = int(re.search(r"twice\((\d+)\)", course["own-twice:5"].statement)[1])
    assert number > 9 and course["own-twice:5"].expected() == [3 * number]
    assert course["own-twice:5"].solution.strip() == f"answer = [{3 * number}]"
    course.adopt({"own-twice": OWN.replace("99", "12")})
    assert course["own-twice:5"].expected()[0] < 36
    course.forget("own-twice")
    assert "own-twice:5" not in course


def test_a_program_in_a_statement_has_the_numbers():
    assert ran("```python\nprint([[n]] + 1)\n```", n=4)["printed"] == [5]


def test_outside_of_a_version_the_usual_numbers_hold_also_after_an_error():
    with pytest.raises(RuntimeError), drawing("fd-cost:3"):
        assert drawn(1, lambda rng: 2) == 2
        raise RuntimeError
    assert drawn(1, lambda rng: 2) == 1
