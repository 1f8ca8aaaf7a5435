"""From a folder to a table: what is written, what is resumed, and what a failure costs."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from labkit.grading import classwork
from labkit.grading.classwork import grade_class
from labkit.grading.files import SubmissionError
from labkit.grading.findings import Pace
from labkit.grading.journal import JournalError, seed_of
from labkit.grading.workers import grade_here, ungraded_result

pytestmark = [pytest.mark.needs("bubblewrap"), pytest.mark.usefixtures("same_sandbox")]


def rows(path: Path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def journal_of(plan):
    return plan.out.with_suffix(".journal").read_text().splitlines()[1:]


def stopped_after(monkeypatch, number):
    """Make grading raise KeyboardInterrupt once `number` submissions are graded."""

    def some(assignment, settings, works, jobs):
        for i, result in enumerate(grade_here(assignment, settings, works)):
            if i == number:
                raise KeyboardInterrupt
            yield result

    monkeypatch.setattr(classwork, "grade_in_processes", some)


@pytest.fixture
def forbidden(monkeypatch):
    """No submission may be graded."""
    fail = lambda a, s, works, jobs: (pytest.fail("graded again") for _ in works)
    monkeypatch.setattr(classwork, "grade_in_processes", fail)


def test_everybody_is_graded_and_everything_written(plan):
    counted = []
    feedback = plan.out.parent / "feedback"
    graded = grade_class(replace(plan, feedback=feedback), counted.append, lambda: counted.append("."))
    assert counted == [5, *"....."]
    assert [r.score for r in graded.results] == [7.5, 6.5, 0.0, 6.5, 0.0] and not graded.unwritten
    grades = rows(plan.out)
    assert [(g["student_id"], g["score"]) for g in grades][:2] == [("s0000", "7.5"), ("s0001", "6.5")]
    assert len(rows(plan.beside(".questions.csv"))) == 20
    assert "s0003" in plan.beside(".html").read_text() and len(journal_of(plan)) == 5
    assert sorted(p.name for p in feedback.iterdir()) == [f"s000{i}" for i in range(5)]


# ---- interrupted ----


def test_an_interrupted_run_goes_on_where_it_was(plan, monkeypatch):
    with monkeypatch.context() as patch:
        stopped_after(patch, 2)
        with pytest.raises(KeyboardInterrupt):
            grade_class(plan)
    begun = journal_of(plan)
    assert len(begun) == 2 and not plan.out.exists()
    graded = grade_class(replace(plan, resume=True, seed=None))  # with the journal's seed
    assert journal_of(plan)[:2] == begun and len(journal_of(plan)) == 5
    assert [r.score for r in graded.results] == [7.5, 6.5, 0.0, 6.5, 0.0]


def test_a_run_goes_on_with_the_same_draw_and_a_new_one_has_its_own(plan):
    seeds = set()
    for name in ("one", "two"):
        here = replace(plan, out=plan.out.with_name(f"{name}.csv"), seed=None)
        grade_class(here)
        head = json.loads(here.beside(".journal").read_text().splitlines()[0])
        seeds.add(head["fingerprint"]["seed"])
        grade_class(replace(here, resume=True))
    assert len(seeds) == 2 and all(seed > 2**64 for seed in seeds)


def test_nothing_is_graded_twice(plan, forbidden, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(classwork, "grade_in_processes", lambda a, s, works, jobs: grade_here(a, s, works))
        first = grade_class(plan)
    assert grade_class(replace(plan, resume=True)) == first


def test_who_hands_in_again_is_graded_again_alone(plan, handout):
    grade_class(plan)
    handout.hand_in(plan.submissions, "s0002")
    graded = grade_class(replace(plan, resume=True))
    assert [r.score for r in graded.results] == [7.5, 6.5, 7.5, 6.5, 0.0]
    assert [json.loads(line)["student"] for line in journal_of(plan)[5:]] == ["s0002"]


def test_without_resume_an_earlier_run_is_not_touched(plan):
    grade_class(plan)
    before = plan.beside(".journal").read_bytes()
    with pytest.raises(JournalError, match="--resume"):
        grade_class(plan)
    assert plan.beside(".journal").read_bytes() == before


def test_other_limits_or_another_seed_are_another_run(plan):
    grade_class(plan)
    with pytest.raises(JournalError, match="seed: 3, now 4"):
        grade_class(replace(plan, resume=True, seed=4))
    with pytest.raises(JournalError, match="pace"):
        grade_class(replace(plan, resume=True, pace=Pace()))


def test_what_the_grader_failed_at_is_told_and_tried_again(plan, monkeypatch):
    def failing(assignment, settings, works, jobs):
        for work in works:
            yield (
                ungraded_result(assignment, settings, work, "no reason")
                if work.student == "s0001"
                else next(grade_here(assignment, settings, [work]))
            )

    with monkeypatch.context() as patch:
        patch.setattr(classwork, "grade_in_processes", failing)
        graded = grade_class(plan)
    assert graded.ungraded == ["s0001"] and len(rows(plan.out)) == 5
    again = grade_class(replace(plan, resume=True))
    assert again.ungraded == [] and again.results[1].score == 6.5


# ---- what cannot be written ----


def test_feedback_that_cannot_be_written_costs_feedback_alone(plan):
    plan.out.parent.mkdir(parents=True)
    in_the_way = plan.out.parent / "feedback"
    in_the_way.write_text("a file")
    graded = grade_class(replace(plan, feedback=in_the_way))
    assert len(graded.unwritten) == 1 and str(in_the_way) in graded.unwritten[0]
    assert len(rows(plan.out)) == 5 and plan.beside(".html").exists()


def test_grades_that_cannot_be_written_cost_nothing_else(plan):
    plan.beside(".questions.csv").mkdir(parents=True)
    graded = grade_class(plan)
    assert len(graded.unwritten) == 1 and "questions.csv" in graded.unwritten[0]
    assert len(rows(plan.out)) == 5 and len(journal_of(plan)) == 5


@pytest.mark.parametrize("out", ["", "grades", "grades.html", "folder.csv"])
def test_a_table_must_have_the_name_of_a_table(out, plan):
    (plan.submissions / "folder.csv").mkdir()
    with pytest.raises(ValueError, match=r"expected a file such as grades\.csv"):
        grade_class(replace(plan, out=plan.submissions / out))


def test_the_table_of_all_is_not_put_among_what_students_get(plan, forbidden):
    with pytest.raises(ValueError, match="is for students"):
        grade_class(replace(plan, feedback=plan.out.parent))


def test_a_folder_that_is_not_there_is_told_before_anything_is_written(plan):
    with pytest.raises(SubmissionError, match="There is no folder"):
        grade_class(replace(plan, submissions=plan.submissions / "nowhere"))
    assert not plan.out.parent.exists()


def test_an_empty_folder_is_refused(plan, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(SubmissionError, match=r"There is no submission in .*empty"):
        grade_class(replace(plan, submissions=tmp_path / "empty"))
    assert not plan.out.exists()


def test_a_run_with_seed_0_is_resumed_with_seed_0(plan):
    first = grade_class(replace(plan, seed=0))
    assert seed_of(plan.beside(".journal")) == 0
    assert grade_class(replace(plan, seed=None, resume=True)) == first
