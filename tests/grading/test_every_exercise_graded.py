"""Every exercise of an assignment, built, answered and graded: solutions earn all, planted mistakes what they deserve."""

import json

import pytest
from patience import PATIENT

from labkit.classroom import EXERCISES
from labkit.grading.build import renamed
from labkit.grading.grader import Settings
from labkit.grading.workers import Work, grade_here

pytestmark = pytest.mark.needs("bubblewrap")

TOML = 'title = "T"\nseed = 7\n[[assignment]]\nname = "all"\ntitle = "All"\nquestions = '
GRADED = [exercise for exercise in EXERCISES.values() if not exercise.practice]
SETTINGS = Settings(seed=20260101, pace=PATIENT)


@pytest.fixture(scope="module")
def graded(make_handout, one_sandbox):
    """The results by student and question: `solved`; `wrong` in the first way that each exercise plants; `empty`."""
    handout = make_handout(TOML + json.dumps([exercise.name for exercise in GRADED]))
    wrong = {
        q: renamed(EXERCISES[q.exercise].wrong_answers[0].source, "answer", q.binds)
        for q in handout.assignment.questions
    }
    answers = {
        "solved": {},
        "wrong": {q.name: source for q, source in wrong.items()},
        "empty": {q.name: f"{q.binds} = ..." for q in wrong},
    }
    works = [Work(student, handout.notebook(given)) for student, given in answers.items()]
    with one_sandbox():
        results = {r.student: r for r in grade_here(handout.assignment, SETTINGS, works)}
    return {student: {q.question: q for q in results[student].questions} for student in answers}


def test_a_solution_earns_all_points(graded):
    earned = {name: (q.kind, q.points) for name, q in graded["solved"].items()}
    assert earned == {exercise.name: ("right", exercise.points) for exercise in GRADED}


def test_a_planted_mistake_earns_nothing_and_is_told_in_the_words_of_its_exercise(graded):
    for exercise in GRADED:
        result, kind = graded["wrong"][exercise.name], exercise.wrong_answers[0].expected
        sentences = {m.name: m.sentence for m in exercise.misconceptions}
        assert (result.kind, result.points) == (kind, 0.0), exercise.name
        assert sentences.get(kind, result.text) in result.text and result.hint in exercise.hints, exercise.name


def test_no_answer_earns_nothing(graded):
    assert {(q.kind, q.points) for q in graded["empty"].values()} == {("empty", 0.0)}
