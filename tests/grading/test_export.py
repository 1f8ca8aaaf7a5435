"""Tables of grades: nbgrader's columns, every id read back as it was, and no cell that a spreadsheet would run."""

import csv
import os
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from drawn import drawn
from hypothesis import given
from hypothesis import strategies as st
from result_examples import NASTY, question, submission

from labkit.grading.export import read_cell, safe_cell, write_grades, write_questions
from labkit.grading.files import printable
from labkit.grading.final_scores import Final
from labkit.grading.late_policy import Policy

NBGRADER = "assignment,duedate,timestamp,student_id,last_name,first_name,email,raw_score,late_submission_penalty,score,max_score"


def table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_columns_are_those_of_nbgrader(tmp_path):
    path = write_grades(tmp_path / "grades.csv", [submission()])
    assert path.read_text().splitlines()[0] == f"{NBGRADER},late_days,time_from,section,status,unsafe"


def test_a_line_has_the_scores_and_the_times_in_the_zone_of_the_course(tmp_path):
    due = datetime.fromisoformat("2025-03-02T00:00+01:00")
    policy = Policy(due, zone=ZoneInfo("Europe/Berlin"))
    (there,) = table(write_grades(tmp_path / "grades.csv", [Final(submission(), due=due, policy=policy)]))
    assert (there["timestamp"], there["duedate"]) == ("2025-03-01 13:30:00+01:00", "2025-03-02 00:00:00+01:00")
    (line,) = table(write_grades(tmp_path / "grades.csv", [Final(submission(), due=due)]))
    assert line["timestamp"] == "2025-03-01 12:30:00+00:00" and line["duedate"] == "2025-03-01 23:00:00+00:00"
    assert (line["raw_score"], line["late_submission_penalty"], line["score"], line["max_score"]) == (
        "2.5", "0.0", "2.5", "4.0",
    )  # fmt: skip


def test_students_come_in_order_and_none_is_lost(tmp_path):
    lines = table(write_grades(tmp_path / "grades.csv", [submission(s) for s in NASTY]))
    assert [read_cell(line["student_id"]) for line in lines] == [printable(s) for s in sorted(NASTY)]
    assert all(line["max_score"] == "4.0" and None not in line for line in lines)


@drawn(12)
@given(st.text())
def test_a_cell_is_read_back_as_it_was(text):
    assert read_cell(safe_cell(text)) == printable(text)


@drawn(12)
@given(st.text("=+-@'\t\r\n;,\" a1"))
def test_no_cell_begins_with_a_formula_wherever_a_spreadsheet_divides(text):
    cell = safe_cell(text)
    for part in cell.replace(";", "\n").replace("\t", "\n").replace("\r", "\n").split("\n"):
        assert not part or part[0] not in "=+-@"


def test_an_ordinary_id_is_not_changed():
    assert [safe_cell(s) for s in ("ann", "o'neill", "a-b", "7")] == ["ann", "o'neill", "a-b", "7"]


def test_an_unknown_time_is_left_empty(tmp_path):
    (line,) = table(write_grades(tmp_path / "grades.csv", [submission(timestamp="=now()")]))
    assert line["timestamp"] == "" and line["duedate"] == ""


def test_every_question_has_its_line_with_what_the_instructor_wants_to_know(tmp_path):
    result = submission("ann", question(), question("q2", "sum-forgotten", 0.0, detail='=1+1, "two"\nlines'))
    lines = table(write_questions(tmp_path / "questions.csv", [submission("bob"), result]))
    assert [(line["student"], line["question"]) for line in lines] == [
        ("ann", "q1"), ("ann", "q2"), ("bob", "q1"), ("bob", "q2"),
    ]  # fmt: skip
    assert lines[1]["kind"] == "sum-forgotten" and read_cell(lines[1]["detail"]) == '=1+1, "two"\nlines'


def test_a_write_that_fails_leaves_the_old_table(tmp_path, monkeypatch):
    path = write_grades(tmp_path / "grades.csv", [submission()])
    before = path.read_bytes()
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError):
        write_grades(path, [])
    assert path.read_bytes() == before
