"""Every exercise through the whole path, build, answer, grade: solutions earn all, planted mistakes what they deserve."""

import json

import pytest
from patience import PATIENT
from walls import needs_walls

from labkit.classroom import EXERCISES, judge
from labkit.grading.grader import Settings
from labkit.grading.pool import Work, grade_here
from labkit.grading.stubs import renamed

pytestmark = needs_walls

TOML = 'title = "T"\nseed = 7\n[[assignment]]\nname = "all"\ntitle = "All"\nquestions = '
SETTINGS = Settings(seed=20260101, pace=PATIENT)
ROUNDS = 1 + max(len(exercise.wrong_answers) for exercise in EXERCISES.values())


def answered(assignment, k):
    """The answers of round k: to each question its k-th wrong one, once the right one after the last, and then none."""
    answers = {}
    for q in assignment.questions:
        wrong = EXERCISES[q.exercise].wrong_answers
        if k < len(wrong):
            answers[q.name] = renamed(wrong[k].source, "answer", q.binds)
        elif k > len(wrong):
            answers[q.name] = f"{q.binds} = ..."
    return answers


def wrong_answers():
    """Every planted wrong answer: its exercise, its number there, and itself."""
    return [(e, k, w) for e in EXERCISES.values() for k, w in enumerate(e.wrong_answers)]


@pytest.fixture(scope="module")
def everything(make_handout):
    return make_handout(TOML + json.dumps(list(EXERCISES)))


@pytest.fixture(scope="module")
def graded(everything, one_jail):
    """The results by student and question: of the student `solved`, and of `wrong-K`."""
    rounds = {f"wrong-{k}": answered(everything.assignment, k) for k in range(ROUNDS)}
    works = [Work("solved", everything.notebook())]
    works += [Work(student, everything.notebook(answers)) for student, answers in rounds.items()]
    with one_jail(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(judge, "sure", lambda *evidence: None)  # without the tutor: by the exercises' own lists
        results = {r.student: r for r in grade_here(everything.assignment, SETTINGS, works)}
    assert results.keys() == {"solved", *rounds}
    return {student: {q.question: q for q in result.questions} for student, result in results.items()}


def test_a_solution_earns_all_points(graded):
    earned = {name: (q.kind, q.points) for name, q in graded["solved"].items()}
    assert earned == {exercise.name: ("right", exercise.points) for exercise in EXERCISES.values()}


def test_a_planted_mistake_earns_nothing_and_is_told_what_it_is(graded):
    planted = {(e.name, w.name): graded[f"wrong-{k}"][e.name] for e, k, w in wrong_answers()}
    expected = {(e.name, w.name): (w.expected, 0.0) for e, k, w in wrong_answers()}
    assert {name: (q.kind, q.points) for name, q in planted.items()} == expected


def test_a_planted_mistake_is_told_in_the_words_of_its_exercise(graded):
    for exercise, k, wrong in wrong_answers():
        result = graded[f"wrong-{k}"][exercise.name]
        sentences = {m.name: m.sentence for m in exercise.misconceptions}
        assert result.text == sentences.get(wrong.expected, result.text), wrong.name
        assert result.text and result.hint in exercise.hints, wrong.name


def test_a_mistake_elsewhere_costs_nothing_here(graded):
    for exercise in EXERCISES.values():
        wrong = len(exercise.wrong_answers)
        kinds = [graded[f"wrong-{k}"][exercise.name].kind for k in range(wrong, ROUNDS)]
        assert kinds == ["right", *["empty"] * (ROUNDS - wrong - 1)], exercise.name
