"""How the course answers what students answer, on sheets that were written without a look at its solutions."""

import re
from collections import Counter

import pytest
from sheets import answers, sheets
from tutor import judge, rate, right_answers_found_once

from labkit.classroom import EXERCISES
from labkit.classroom.compare import brief, same

TOLD = 0.9  # the least share of these wrong answers for which the report names the misunderstanding

REFUSED: set[tuple[str, str]] = set()  # right answers that are not accepted

ACCEPTED = {  # wrong answers that are not refused, and why
}


def named(judged):
    return judged.answer.exercise, judged.answer.why


@pytest.fixture(scope="module")
def sample():
    with right_answers_found_once():
        return [judge(answer) for sheet in sheets() for answer in answers(sheet)]


def test_no_right_answer_is_refused(sample):
    assert {named(each) for each in sample if each.outcome == "refused"} == REFUSED


def test_no_wrong_answer_is_accepted(sample):
    assert {named(each) for each in sample if each.outcome == "accepted"} == set(ACCEPTED)


def test_wrong_answers_are_told_what_was_misunderstood(sample):
    counts = Counter(each.outcome for each in sample if named(each) not in ACCEPTED)
    assert rate(counts) >= TOLD, rate(counts)


def by_the_tutor(judged):
    """True for what no misconception of the exercise itself recognises."""
    known = {m.name for m in EXERCISES[judged.answer.exercise].misconceptions}
    return judged.outcome == "named" and judged.verdict.kind not in known


def test_the_tutor_does_not_tell_the_right_answer(sample):
    told = [each for each in sample if by_the_tutor(each)]
    assert told
    for each in told:
        exercise = EXERCISES[each.answer.exercise]
        if not exercise.is_prediction:
            assert not re.search(r"\d\.\d|\d{4}", each.verdict.text), each
            continue
        right, got = exercise.expected(), each.answer.value
        pairs = zip(right, got, strict=False) if isinstance(right, list) and isinstance(got, (list, tuple)) else []
        text = re.sub(r"[Yy]ou said .*?\.(?=\s)|Items? [\d, to]*(and \d+)?", "", each.verdict.text)
        for item, said in pairs:
            value = brief(item)
            if len(value) > 1 and not same(item, said) and value != "fine":
                assert not re.search(rf"(?<![\w.*]){re.escape(value)}(?![\w*])", text), (value, str(each))


def test_an_error_is_told_with_what_it_means(sample):
    errors = [each for each in sample if each.verdict.kind == "error"]
    assert errors and sum(each.outcome == "guarded" for each in errors) >= 0.9 * len(errors)
