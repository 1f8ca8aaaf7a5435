"""How the course answers what students answer, on sheets that were written without a look at its solutions.

`python tests/tools/tutor.py` goes through all of them; here it is every right answer and each third wrong one.
"""

from collections import Counter

import pytest
from sheets import answers, sheets
from tutor import judge, rate, right_answers_found_once

EACH = 3
TOLD = 0.54  # of these wrong answers, what is told what was misunderstood: it was measured, and should only grow

AN_ARRAY = "the judge takes a tuple for a list, but no array"
ONE_AND_ZERO = "the judge takes no number for a truth value"
REFUSED = {  # right answers that are not accepted, and why
    ("graph-edges", "floats, as an array"): AN_ARRAY,
    ("backprop-orders", "an array of truth values"): AN_ARRAY,
    ("sens-choose", "a table of floats"): AN_ARRAY,
    ("hessian-rows", "an array"): AN_ARRAY,
    ("clip-two-rules", "an array"): AN_ARRAY,
    ("backprop-orders", "numbers for truth values"): ONE_AND_ZERO,
    ("tape-leaves", "numbers"): ONE_AND_ZERO,
    ("parallel-splits", "numbers"): ONE_AND_ZERO,
}

VALUES_ALONE = "the statement forbids the way; the judge sees the right values"
ACCEPTED = {  # wrong answers that are not refused, and why
    ("graph-by-hand", "a finite difference"): VALUES_ALONE,
    ("engine-tanh", "computes tanh again with math, which fails for boxes"): VALUES_ALONE,
    ("vector-pull-cumsum", "builds the matrix"): VALUES_ALONE,
    ("vector-pull-cumsum", "labkit's vjp"): VALUES_ALONE,
    ("grad-unpack", "value_and_grad is called twice"): VALUES_ALONE,
    ("grad-unpack", "by hand, without the call that was asked for"): VALUES_ALONE,
    ("grad-clip", "the function of ops that was not to be used"): VALUES_ALONE,
    ("sens-two-parts", "one function holds both halves"): VALUES_ALONE,
    ("port-two-outputs", "the second output is dropped"): VALUES_ALONE,
    ("memory-mend", "the numbers are written down, the second run is still early"): VALUES_ALONE,
    ("parallel-accumulate", "the notes are divided, w.grad is not"): "the judge does not look at w.grad",
    ("step-port", "the losses are tensors"): "a tensor without dimensions counts as a number",
    ("run-plan", "a float: the sink size is divided"): "a float counts as a whole number",
    ("nan-repair", "a small number is added under the root"): "the tolerance hides it",
    ("scale-largest", "a loop that starts at 1: a scale below 1 is never found"): "no drawn gradient is above 65504",
}


def named(judged):
    return judged.answer.exercise, judged.answer.why


@pytest.fixture(scope="module")
def sample():
    everything = [answer for sheet in sheets() for answer in answers(sheet)]
    drawn = [a for i, a in enumerate(everything) if i % EACH == 0 or a.right or (a.exercise, a.why) in ACCEPTED]
    with right_answers_found_once():
        return [judge(answer) for answer in drawn]


def test_no_right_answer_is_refused(sample):
    assert {named(each) for each in sample if each.outcome == "refused"} == set(REFUSED)


def test_no_wrong_answer_is_accepted(sample):
    assert {named(each) for each in sample if each.outcome == "accepted"} == set(ACCEPTED)


def test_wrong_answers_are_told_what_was_misunderstood(sample):
    counts = Counter(each.outcome for each in sample if named(each) not in ACCEPTED)
    assert rate(counts) >= TOLD, rate(counts)
