"""Every exercise through the whole path, build, answer, grade: solutions earn all, planted mistakes what they deserve."""

import json

import pytest
from walls import needs_walls

from labkit.classroom import EXERCISES
from labkit.grading.examine import Pace
from labkit.grading.grader import Settings
from labkit.grading.pool import Work, grade_in_processes
from labkit.grading.stubs import renamed

pytestmark = needs_walls

TOML = 'title = "T"\nseed = 7\n[[assignment]]\nname = "all"\ntitle = "All"\nquestions = '
SETTINGS = Settings(seed=20260101, pace=Pace(cell=20.0, call=3.0, submission=600.0))
ROUNDS = max(len(exercise.wrong_answers) for exercise in EXERCISES.values())
exercises = pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)


def wrong_round(assignment, k):
    """The k-th wrong answer to each question that has so many, under the name that the question asks for."""
    return {
        q.name: renamed(EXERCISES[q.exercise].wrong_answers[k].source, "answer", q.binds)
        for q in assignment.questions
        if k < len(EXERCISES[q.exercise].wrong_answers)
    }


@pytest.fixture(scope="module")
def everything(make_handout):
    return make_handout(TOML + json.dumps(list(EXERCISES)))


@pytest.fixture(scope="module")
def graded(everything):
    """The results by student and question: of the student `solved`, and of `wrong-K`."""
    rounds = {f"wrong-{k}": wrong_round(everything.assignment, k) for k in range(ROUNDS)}
    works = [Work("solved", everything.notebook())]
    works += [Work(student, everything.notebook(answers)) for student, answers in rounds.items()]
    results = {r.student: r for r in grade_in_processes(everything.assignment, SETTINGS, works, jobs=2)}
    assert results.keys() == {"solved", *rounds}
    return {student: {q.question: q for q in result.questions} for student, result in results.items()}


@exercises
def test_the_solution_earns_all_points(exercise, graded):
    result = graded["solved"][exercise.name]
    assert (result.kind, result.points) == ("right", exercise.points), result


@exercises
def test_a_planted_mistake_earns_nothing_and_is_told_what_it_is(exercise, graded):
    sentences = {m.name: m.sentence for m in exercise.misconceptions}
    for k, wrong in enumerate(exercise.wrong_answers):
        result = graded[f"wrong-{k}"][exercise.name]
        assert (result.kind, result.points) == (wrong.expected, 0.0), (wrong.name, result)
        assert result.text == sentences.get(wrong.expected, result.text)
        assert result.text and result.hint == exercise.hints[0]


@exercises
def test_a_mistake_elsewhere_costs_nothing_here(exercise, graded):
    rounds = range(len(exercise.wrong_answers), ROUNDS)
    assert all(graded[f"wrong-{k}"][exercise.name].kind == "right" for k in rounds)
