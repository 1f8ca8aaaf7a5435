"""The class in numbers: they are counted right, and every misconception comes with its sentence."""

import pytest
from drawn import drawn
from hypothesis import given
from hypothesis import strategies as st
from result_examples import question, submission

from labkit.classroom import EXERCISES
from labkit.grading.overview import BINS, summarise
from labkit.grading.results import QuestionResult, SubmissionResult

BELIEVED = next(m for m in EXERCISES["grad-slip"].misconceptions)


def scored(points, most):
    q = QuestionResult("q1", "grad-slip", points, most, "right" if points == most else "value", "")
    return SubmissionResult("ann", "week1", (q,))


def test_mean_median_and_number():
    summary = summarise([submission(s, question(points=p)) for s, p in zip("abc", (0.0, 0.5, 2.0))])
    assert (summary.students, summary.median, summary.max_score) == (3, 0.5, 2.0)
    assert summary.mean == pytest.approx(2.5 / 3)


def test_a_question_counts_what_came_most_frequent_first_with_the_sentence_of_its_misconception():
    kinds = ["right", "value", BELIEVED.name, BELIEVED.name]
    (q,) = summarise([submission(k, question(kind=k, points=2.0 * (k == "right"))) for k in kinds]).questions
    assert (q.students, q.right, q.mean) == (4, 0.25, 0.5) and q.title == EXERCISES["grad-slip"].title
    assert [(c.kind, c.number, c.sentence) for c in q.counts] == [
        (BELIEVED.name, 2, BELIEVED.sentence),
        ("value", 1, ""),
    ]


def test_one_question_of_several_exercises_keeps_their_sentences_apart():
    other = EXERCISES["port-detach"]
    answers = [question(kind=BELIEVED.name, points=0.0), question(kind=BELIEVED.name, points=0.0, exercise=other.name)]
    (q,) = summarise([submission(str(i), a) for i, a in enumerate(answers)]).questions
    assert q.title == f"{EXERCISES['grad-slip'].title} / {other.title}"
    assert sorted(c.sentence for c in q.counts) == ["", BELIEVED.sentence]


whole = st.lists(st.integers(0, 60), min_size=1)


@drawn(12)
@given(whole | st.lists(st.floats(0, 60), min_size=1), st.sampled_from([60, 60.5, 61, 200, 1e6]))
def test_every_student_stands_in_one_bar(scores, most):
    summary = summarise([scored(float(s), float(most)) for s in scores])
    assert sum(b.number for b in summary.histogram) == len(scores)
    assert len(summary.histogram) <= BINS + 1 and len({b.label for b in summary.histogram}) == len(summary.histogram)


def test_the_full_score_has_a_bar_of_its_own():
    assert [(b.label, b.number) for b in summarise([scored(float(s), 3.0) for s in (0, 2, 2, 3)]).histogram] == [
        ("0", 1), ("1", 0), ("2", 2), ("3", 1),
    ]  # fmt: skip
    assert [b.label for b in summarise([scored(7.0, 30.0)]).histogram] == [
        "0 to 4", "5 to 9", "10 to 14", "15 to 19", "20 to 24", "25 to 29", "30",
    ]  # fmt: skip
    assert [b.label for b in summarise([scored(0.5, 2.5)]).histogram] == ["0 to <1", "1 to <2", "2 to <2.5", "2.5"]


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_the_text_fits_the_terminal(width):
    results = [submission(str(i), question(kind=BELIEVED.name), question("q2", "value", 0.5)) for i in range(500)]
    lines = summarise(results).as_text(width).splitlines()
    assert max(map(len, lines)) <= width and all(line == line.rstrip() for line in lines)
    assert BELIEVED.sentence in " ".join(" ".join(lines).split()) and "   500 x wrong values" in lines


def test_rare_kinds_are_counted_together_in_the_terminal_and_all_of_them_in_the_data():
    kinds = ["value", "shape", "dtype", "error", "timeout"]
    summary = summarise([submission(k, question(kind=k, points=0.0)) for k in kinds])
    assert len(summary.questions[0].counts) == 5 and "2 x other\n" in summary.as_text() + "\n"


def test_a_class_without_students_has_a_summary():
    assert summarise([]).as_text() == "Students: 0"
    assert summarise([SubmissionResult("ann", "week1", ())]).as_text().startswith("Students: 1; points: mean 0")
