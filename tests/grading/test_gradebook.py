"""Scores in nbgrader's gradebook: as if nbgrader had graded, and what a person entered stays."""

import csv
import os
import shutil
import sqlite3
import sys
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from result_examples import NASTY, question, submission

from labkit.grading.added import AddedQuestion
from labkit.grading.classwork import grade_class
from labkit.grading.export import read_cell, write_grades
from labkit.grading.files import printable
from labkit.grading.finals import finals_of
from labkit.grading.gradebook import GradebookError, write_gradebook
from labkit.grading.results import SubmissionResult
from labkit.grading.rules import Policy
from labkit.grading.submissions import Submission

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


@dataclass(frozen=True)
class Question:
    name: str
    points: float
    answer_id: str
    check_id: str


@dataclass(frozen=True)
class Assignment:
    name: str
    questions: tuple[Question, ...]
    added: tuple[AddedQuestion, ...] = ()


WEEK1 = Assignment("week1", tuple(Question(q, 2.0, f"answer-{q}", f"check-{q}") for q in ("q1", "q2")))


@pytest.fixture(scope="session")
def empty_gradebook(tmp_path_factory):
    """A gradebook without entries, made once, for it takes long; by an environment that is not activated."""
    path = tmp_path_factory.mktemp("gradebook") / "a new & odd?#%41 name.db"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", "/nowhere")
        write_gradebook(path, Assignment("other", ()), [])
        assert os.environ["PATH"] == "/nowhere"
    return path


@pytest.fixture
def path(empty_gradebook, tmp_path):
    return Path(shutil.copy(empty_gradebook, tmp_path / "gradebook.db"))


def opened(path):
    from nbgrader.api import Gradebook

    return Gradebook(f"sqlite:///{path}")


def dump(path):
    with sqlite3.connect(path) as connection:
        lines = sorted(connection.iterdump())
    connection.close()
    return lines


def test_an_assignment_has_the_cells_and_the_points_that_nbgrader_would_give_it(path):
    write_gradebook(path, WEEK1, [])
    with opened(path) as gradebook:
        assignment = gradebook.find_assignment("week1")
        (notebook,) = assignment.notebooks
        assert (notebook.name, assignment.max_score, assignment.max_code_score) == ("week1", 4.0, 4.0)
        assert {(c.name, c.max_score, c.cell_type) for c in notebook.grade_cells} == {
            ("check-q1", 2.0, "code"), ("check-q2", 2.0, "code"),
        }  # fmt: skip
        assert {c.name for c in notebook.solution_cells} == {"answer-q1", "answer-q2"}


def test_a_submission_has_scores_a_time_and_comments_and_needs_no_person(path):
    write_gradebook(
        path, WEEK1, [submission("ann", question(), question("q2", "value", 0.5, text="Not yet.", hint="Look."))]
    )
    with opened(path) as gradebook:
        submitted = gradebook.find_submission("week1", "ann")
        assert (submitted.score, submitted.max_score, submitted.needs_manual_grade) == (2.5, 4.0, False)
        assert str(submitted.timestamp) == "2025-03-01 12:30:00"
        grade = gradebook.find_grade("check-q2", "week1", "week1", "ann")
        assert (grade.auto_score, grade.manual_score, grade.needs_manual_grade) == (0.5, None, False)
        assert gradebook.find_comment("answer-q2", "week1", "week1", "ann").comment == "Not yet.\nLook."


def test_writing_twice_is_writing_once(path):
    results = [submission(s) for s in NASTY]
    write_gradebook(path, WEEK1, results)
    once = dump(path)
    write_gradebook(path, WEEK1, results)
    assert dump(path) == once


def test_a_student_who_handed_nothing_in_is_known_and_has_no_submission(path):
    write_gradebook(path, WEEK1, [submission("ann", question("q1", "missing", 0.0), file="", timestamp="")])
    with opened(path) as gradebook:
        assert [s.id for s in gradebook.students] == ["ann"] and gradebook.assignment_submissions("week1") == []


def edit(path):
    """What a person may enter, in the formgrader or with nbgrader's tools."""
    with opened(path) as gradebook:
        gradebook.find_grade("check-q1", "week1", "week1", "ann").manual_score = 1.25
        gradebook.find_grade("check-q2", "week1", "week1", "ann").extra_credit = 0.5
        gradebook.find_comment("answer-q1", "week1", "week1", "ann").manual_comment = "Well seen."
        gradebook.find_submission_notebook("week1", "week1", "ann").late_submission_penalty = 0.75
        gradebook.find_student("ann").first_name = "Ann"
        gradebook.grant_extension("week1", "ann", days=2)
        gradebook.db.commit()


def test_what_a_person_entered_stays(path):
    write_gradebook(path, WEEK1, [submission("ann")])
    edit(path)
    before = dump(path)
    write_gradebook(path, WEEK1, [submission("ann")])
    assert dump(path) == before
    with opened(path) as gradebook:
        submitted = gradebook.find_submission("week1", "ann")
        assert (submitted.score, submitted.late_submission_penalty) == (1.25 + 0.5 + 0.5, 0.75)
        assert gradebook.find_comment("answer-q1", "week1", "week1", "ann").comment == "Well seen."


def test_a_new_score_under_a_manual_one_asks_for_a_person_until_one_has_looked(path):
    write_gradebook(path, WEEK1, [submission("ann")])
    edit(path)
    for _ in range(2):
        write_gradebook(path, WEEK1, [submission("ann", question(points=0.0, kind="value"), question("q2"))])
        with opened(path) as gradebook:
            first, second = (gradebook.find_grade(f"check-{q}", "week1", "week1", "ann") for q in ("q1", "q2"))
            assert (first.auto_score, first.score, first.needs_manual_grade) == (0.0, 1.25, True)
            assert (second.auto_score, second.score, second.needs_manual_grade) == (2.0, 2.5, False)


@pytest.mark.filterwarnings("ignore:Object of type <Submitted")  # of nbgrader's own add_submission
def test_a_notebook_with_these_cells_is_used_whatever_it_is_called_and_others_stay(path):
    with opened(path) as gradebook:
        gradebook.add_assignment("week1", duedate="2025-03-02 12:00:00 UTC")
        gradebook.add_notebook("essay", "week1")
        gradebook.add_grade_cell("by-hand", "essay", "week1", max_score=3, cell_type="markdown")
        gradebook.add_notebook("exercises", "week1")
        gradebook.add_grade_cell("check-q1", "exercises", "week1", max_score=2, cell_type="code")
        gradebook.add_student("ann")
        gradebook.add_submission("week1", "ann")
    write_gradebook(path, WEEK1, [submission("ann")])
    with opened(path) as gradebook:
        assignment = gradebook.find_assignment("week1")
        assert {n.name for n in assignment.notebooks} == {"essay", "exercises"} and assignment.max_score == 7.0
        assert str(assignment.duedate) == "2025-03-02 12:00:00"
        assert gradebook.find_submission("week1", "ann").score == 2.5
        assert gradebook.find_grade("by-hand", "essay", "week1", "ann").needs_manual_grade


def test_the_formgrader_can_list_it(path):
    write_gradebook(path, WEEK1, [submission("ann"), submission("ünï", question(), question("q2"))])
    with opened(path) as gradebook:
        listed = {s["student"]: s for s in gradebook.submission_dicts("week1")}
        assert {k: (s["score"], s["max_score"], s["needs_manual_grade"]) for k, s in listed.items()} == {
            "ann": (2.5, 4.0, False), "ünï": (4.0, 4.0, False),
        }  # fmt: skip
        notebooks = {n["student"]: n for n in gradebook.notebook_submission_dicts("week1", "week1")}
        assert notebooks["ann"]["failed_tests"] and not notebooks["ünï"]["failed_tests"]
        assert {s["id"]: s["score"] for s in gradebook.student_dicts()} == {"ann": 2.5, "ünï": 4.0}
        assert gradebook.average_assignment_score("week1") == 3.25


def test_nbgraders_exporter_gives_the_same_table(path, tmp_path):
    from nbgrader.plugins import CsvExportPlugin

    results = [submission(s) for s in ("ann", "=cmd()", "ünï", "../../x", "a;=1")]
    results += [submission("timeless", timestamp=""), submission("nothing", question("q1", "missing", 0.0),
                question("q2", "missing", 0.0), file="", timestamp="")]  # fmt: skip
    results += [
        submission("late", timestamp="2025-03-03T12:00:00+01:00"),
        submission("over", timestamp="2025-03-20T12:00:00Z"),
    ]
    policy = Policy(datetime.fromisoformat("2025-03-02T00:00:00+01:00"), 10.0, 3, stated=True)
    finals = finals_by(policy, results)
    write_gradebook(path, WEEK1, finals)
    with opened(path) as gradebook:
        CsvExportPlugin(to=str(tmp_path / "theirs.csv"), assignment=["week1"]).export(gradebook)
    ours = write_grades(tmp_path / "ours.csv", finals)
    assert [f.taken_off for f in finals][-2:] == [0.8, 2.5]
    with open(tmp_path / "theirs.csv", newline="") as theirs, open(ours, newline="", encoding="utf-8") as file:
        rows, theirs_rows = [row[:11] for row in csv.reader(file)], list(csv.reader(theirs))  # behind them stand ours
    assert rows[0] == theirs_rows[0]
    assert sorted([read_cell(cell).removesuffix("+00:00") for cell in row] for row in rows[1:]) == sorted(
        theirs_rows[1:]
    )


def finals_by(policy, results):
    """What counts of results that were handed in when they say."""
    found = [Submission(r.student, None, r.file, "", timestamp=r.timestamp, time_from="the file") for r in results]
    return finals_of(results, found, None, policy)


def penalties(path):
    with opened(path) as gradebook:
        return {s.student.id: s.late_submission_penalty for s in gradebook.assignment_submissions("week1")}


DUE = datetime(2025, 3, 1, 10, tzinfo=UTC)


def test_what_is_taken_off_is_nbgraders_late_penalty_and_follows_the_rules_of_today(path):
    results = [submission("ann"), submission("bob", timestamp="2025-03-01T10:00:00Z")]
    for policy, off in (
        (Policy(DUE, 10.0, stated=True), 0.4), (Policy(DUE, 25.0, stated=True), 1.0), (Policy(DUE), 1.0), (Policy(), 1.0),
        (Policy(DUE, last_day=0, stated=True), 2.5), (Policy(DUE, stated=True), 0.0),
    ):  # fmt: skip
        assert write_gradebook(path, WEEK1, finals_by(policy, results)) == []
        assert penalties(path) == {"ann": off, "bob": 0.0}


def test_a_penalty_is_taken_from_the_score_that_stands_there(path):
    late = Policy(DUE, 100.0, stated=True)
    write_gradebook(path, WEEK1, [submission("ann")])
    edit(path)
    with opened(path) as gradebook:
        gradebook.find_submission("week1", "ann").extension = None
        gradebook.db.commit()
    write_gradebook(path, WEEK1, finals_by(late, [submission("ann")]))
    assert penalties(path) == {
        "ann": 1.25 + 0.5 + 0.5
    }  # a person's score and extra credit: nbgrader gives no more away


def test_an_extension_of_the_course_is_one_of_nbgraders_and_another_one_there_is_told(path):
    late = Policy(DUE, 10.0, None, {"ann": DUE + timedelta(days=1, hours=2)}, True)
    results = [submission("ann"), submission("bob")]
    assert write_gradebook(path, WEEK1, finals_by(late, results)) == []
    with opened(path) as gradebook:
        ann, bob = (gradebook.find_submission("week1", s) for s in ("ann", "bob"))
        assert ann.duedate == datetime(2025, 3, 2, 12) and ann.total_seconds_late == 0 == ann.late_submission_penalty
        assert bob.duedate == datetime(2025, 3, 1, 10) and bob.total_seconds_late == 2.5 * 3600
        gradebook.grant_extension("week1", "bob", days=2)
    (said,) = write_gradebook(path, WEEK1, finals_by(late, results))
    assert (
        said.startswith("bob has an extension in the gradebook, but not in course.toml")
        and penalties(path)["bob"] == 0.4
    )


def test_an_extension_over_a_change_of_the_clocks_is_as_long_as_it_takes(path):
    due, later = (datetime(2025, 3, day, 23, 59, tzinfo=ZoneInfo("Europe/Berlin")) for day in (29, 30))
    write_gradebook(path, WEEK1, finals_by(Policy(due, 10.0, None, {"ann": later}, True), [submission("ann")]))
    with opened(path) as gradebook:
        assert gradebook.find_submission("week1", "ann").duedate == datetime(2025, 3, 30, 21, 59)


def test_where_nobody_knows_the_time_a_penalty_stays_as_it_is(path):
    late = Policy(DUE, 10.0, stated=True)
    unknown = submission("ann", timestamp="")
    write_gradebook(path, WEEK1, finals_by(late, [unknown]))
    edit(path)
    assert write_gradebook(path, WEEK1, finals_by(late, [unknown])) and penalties(path) == {"ann": 0.75}


def test_every_student_is_entered_whatever_the_name(path):
    write_gradebook(path, WEEK1, [submission(s) for s in NASTY])
    with opened(path) as gradebook:
        assert {s.id for s in gradebook.students} == {printable(s) for s in NASTY}
        assert len(gradebook.assignment_submissions("week1")) == len(NASTY)


def test_a_question_that_is_not_of_the_assignment_changes_nothing(path):
    write_gradebook(path, WEEK1, [submission("ann", question("elsewhere"), question("q2"))])
    with opened(path) as gradebook:
        assert gradebook.find_submission("week1", "ann").score == 2.0


def test_alembic_is_found_where_the_environment_is_not_activated(empty_gradebook):
    assert [p.name for p in empty_gradebook.parent.iterdir()] == ["a new & odd?#%41 name.db"]
    (line,) = sqlite3.connect(empty_gradebook).execute("select version_num from alembic_version")
    assert line[0]


def test_a_url_is_taken_as_it_is(path):
    write_gradebook(f"sqlite:///{path}", WEEK1, [submission("ann")])
    with opened(path) as gradebook:
        assert gradebook.find_submission("week1", "ann").score == 2.5


def test_a_database_in_use_is_named_and_stays_as_it_is(path):
    holder = sqlite3.connect(path)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(GradebookError, match="in use by another program"):
        write_gradebook(f"sqlite:///{path}?timeout=0.1", WEEK1, [submission("ann")])
    holder.rollback()
    holder.close()


@pytest.mark.parametrize("content", ["tables", "text"])
def test_what_is_no_gradebook_is_refused_and_stays_as_it_is(tmp_path, content):
    path = tmp_path / "other.db"
    if content == "tables":
        with sqlite3.connect(path) as connection:
            connection.execute("create table student (id text)")
        connection.close()
    else:
        path.write_text("student,score\n" * 99)
    before = path.read_bytes()
    with pytest.raises(GradebookError, match=r"gradebook.*Name another file"):
        write_gradebook(path, WEEK1, [])
    assert path.read_bytes() == before


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(GradebookError, match="Does its folder exist"):
        write_gradebook(tmp_path / "nowhere" / "gradebook.db", WEEK1, [])


def test_without_nbgrader_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "nbgrader.api", None)
    with pytest.raises(GradebookError, match=r"pip install .*gradebook"):
        write_gradebook(tmp_path / "gradebook.db", WEEK1, [])


def test_the_interface_is_that_of_an_assignment(path):
    assignment = pytest.importorskip("labkit.grading.assignment")
    asked = assignment.Question("q1", "grad-slip", 2.0, "answer_1", "answer-q1", "check-q1")
    one = assignment.Assignment("week1", "Week 1", 7, (asked,), (), frozenset())
    write_gradebook(path, one, [SubmissionResult("ann", "week1", (question(),), file="x")])
    with opened(path) as gradebook:
        assert gradebook.find_submission("week1", "ann").max_score == 2.0


# ---- as a part of grading a class ----


@pytest.mark.needs("bubblewrap")
def test_a_class_that_is_graded_has_its_scores_there_and_a_locked_gradebook_costs_the_gradebook_alone(
    plan, path, same_jail
):
    plan = replace(plan, gradebook=str(path))
    assert grade_class(plan).unwritten == ()
    with opened(path) as book:
        assert {s.student.id: s.score for s in book.assignment_submissions("a1")}["s0001"] == 6.5
    plan.out.unlink()
    with sqlite3.connect(path) as other:
        other.execute("BEGIN EXCLUSIVE")
        graded = grade_class(replace(plan, resume=True))
    other.close()
    assert len(graded.unwritten) == 1 and "in use by another program" in graded.unwritten[0]
    assert len(plan.out.read_text().splitlines()) == 6


def test_what_a_person_grades_waits_in_the_formgrader_until_it_is_marked(path):
    added = (
        AddedQuestion("t1", 3.0, "tests", "T", "assert 1"), AddedQuestion("why", 4.0, "written", "W", ""),
        AddedQuestion("project", 5.0, "task", "P", ""),
    )  # fmt: skip
    week = replace(WEEK1, added=added)

    def written(*more):
        write_gradebook(path, week, [submission("ann", question(), question("q2"), question("t1", points=3.0), *more)])
        with opened(path) as book:
            (notebook,) = book.find_submission("week1", "ann").notebooks
            grades = {grade.name: (grade.score, bool(grade.needs_manual_grade)) for grade in notebook.grades}
            return grades, {comment.name: comment.comment for comment in notebook.comments}, notebook.max_score

    waiting = [
        replace(question(name, "by-hand", 0.0), max_points=most) for name, most in (("why", 4.0), ("project", 5.0))
    ]
    grades, _, most = written(*waiting)
    assert grades == {
        "check-q1": (2.0, False), "check-q2": (2.0, False), "t1": (3.0, False), "why": (0.0, True), "project": (0.0, True),
    }  # fmt: skip
    assert most == 16.0
    grades, comments, _ = written(*(replace(one, kind="marked", points=1.5, comment="Why?") for one in waiting))
    assert grades["why"] == grades["project"] == (1.5, False) and comments["why"] == comments["project"] == "Why?"
    assert written(*waiting)[0]["why"] == (1.5, False)  # what a person has entered stays
