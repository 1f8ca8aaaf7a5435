"""Forty submissions in five layouts and archives: the same grades in all, and a line for everybody who is enrolled."""

import csv
import hashlib
import json
import zipfile
from dataclasses import replace

import class_of_forty as forty
import nbformat
import pytest
from class_of_forty import ABSENT, CLASS, EMPTY, UNREADABLE, WRONG
from patience import PATIENT

from labkit.cli import main
from labkit.grading import classwork
from labkit.grading.classwork import grade_class
from labkit.grading.course import Course
from labkit.grading.handout import hand_out
from labkit.grading.run import Plan
from labkit.grading.workers import grade_here

pytestmark = [pytest.mark.needs("bubblewrap"), pytest.mark.usefixtures("same_sandbox")]

TOML = """
title = "T"
seed = 7
timezone = "UTC"
late = { per_day = 10, last_day = 3 }
[[assignment]]
name = "a1"
title = "First"
due = 2026-11-30T23:59:00
questions = [
    "grad-slip", "backprop-write", "port-to-torch",
    { name = "q", any_of = ["port-detach", "start-order"], points = 2.5 },
]
"""
LAYOUTS = ("moodle.zip", "moodle", "canvas.zip", "canvas", "nbgrader", "flat", "git", "wrapped.zip")


@pytest.fixture(scope="module")
def handout(make_handout):
    """The course of these tests with a due date, and a notebook of one's own for each."""
    handout = make_handout(TOML)
    course = Course.read(handout.course.folder)
    hand_out(course, course.assignments[0], tuple(p.id for p in CLASS))
    return handout


@pytest.fixture(scope="module")
def handed(handout):
    solutions = {}
    notebooks = {p: forty.own_notebook(handout, p, solutions) for p in CLASS}
    return {p: data for p, data in notebooks.items() if data is not None}


@pytest.fixture(scope="module")
def places(handed, tmp_path_factory):
    """The same, as each system gives it, and the roster of that system."""
    folder = tmp_path_factory.mktemp("forty")
    (folder / "worksheet.csv").write_bytes(forty.moodle_worksheet())
    (folder / "gradebook.csv").write_bytes(forty.canvas_gradebook("First"))
    (folder / "roster.csv").write_bytes(forty.plain_roster())
    files = {
        "moodle": forty.moodle_files(handed, "a1"), "canvas": forty.canvas_files(handed, "a1"),
        "nbgrader": forty.nbgrader_files(handed, "a1"), "flat": forty.flat_files(handed, "a1"),
    }  # fmt: skip
    for name, listed in files.items():
        forty.written(folder / name, listed)
        (folder / f"{name}.zip").write_bytes(forty.zipped(listed))
    (folder / "wrapped.zip").write_bytes(
        forty.zipped({f"submitted/{name}": data for name, data in files["flat"].items()})
    )
    forty.checkouts(folder / "git", handed, "a1")
    return folder


@pytest.fixture(scope="module")
def graded_once(one_sandbox):
    """Grades in this process, by which a file is run once, however often it comes."""
    known = {}

    def graded(plan, assignment, settings, works, number):
        for work in works:
            key = hashlib.sha256(work.data).hexdigest(), work.problem, work.student if work.called else ""
            if key not in known:
                with one_sandbox():
                    known[key] = next(grade_here(assignment, settings, [work]))
            yield replace(known[key], student=work.student, file=work.file, timestamp=work.timestamp)

    return graded


@pytest.fixture
def shared(monkeypatch, graded_once):
    """The grades of `graded_once`."""
    monkeypatch.setattr(classwork, "_graded", graded_once)


@pytest.fixture
def grade(handout, places, shared, tmp_path):
    """`grade("canvas.zip")`: the class and the lines of the table of grades."""

    def graded(name, **more):
        roster = {"m": "worksheet.csv", "c": "gradebook.csv"}.get(name[0], "roster.csv")
        plan = Plan(
            places / name, handout.source, tmp_path / f"{name}.csv", jobs=1, seed=3, pace=PATIENT, roster=places / roster, **more
        )  # fmt: skip
        done = grade_class(plan)
        with plan.out.open(newline="") as file:
            return done, {line["student_id"]: line for line in csv.DictReader(file)}

    return graded


def expected(pupil):
    """Points that a pupil earns, before anything is taken off."""
    if pupil.number in ABSENT | UNREADABLE | EMPTY:
        return 0.0
    return 6.5 if pupil.number in WRONG else 7.5


@pytest.mark.parametrize("name", LAYOUTS)
def test_everybody_has_the_same_grade_in_every_layout(name, grade):
    done, lines = grade(name)
    assert not done.strangers and not done.others and not done.unwritten
    assert {student: float(line["raw_score"]) for student, line in lines.items()} == {p.id: expected(p) for p in CLASS}
    assert done.absent == ["s011", "s012"] and done.unread == ["s013"]
    assert {lines[s]["status"] for s in done.absent} == {"no submission"} and lines["s013"][
        "status"
    ] == "could not be read"
    assert (lines["s003"]["first_name"], lines["s003"]["last_name"]) == ("Zoë", "Lovelace")
    assert lines["s000"]["section"] in "A Group B C"


@pytest.mark.parametrize(
    "name, told_by, days",
    [("moodle.zip", "the roster", "1"), ("nbgrader", "timestamp.txt", "1"),
     ("canvas", "the system's LATE mark", "?")],
)  # fmt: skip
def test_who_is_late_is_told_by_the_system(name, told_by, days, grade):
    done, lines = grade(name)
    assert lines["s007"]["late_days"] == days and lines["s007"]["time_from"] == told_by
    assert {line["late_days"] for student, line in lines.items() if student != "s007"} == {"0"}
    taken_off = 0.75 if days == "1" else 0.0
    late = lines["s007"]
    assert (late["raw_score"], late["late_submission_penalty"], late["score"]) == (
        "7.5",
        str(taken_off),
        str(7.5 - taken_off),
    )
    assert done.timeless == (["s007"] if days == "?" else [])
    assert (days == "?") or any("Days late: 1 " in note for note in done.results[7].notes)


def test_canvas_and_moodle_get_their_own_table_and_feedback_back(grade, tmp_path, places):
    grade("canvas.zip", returned=tmp_path / "c.csv", feedback=tmp_path / "c.zip")
    heading, _, points, *rows, test_student = csv.reader((tmp_path / "c.csv").read_text().splitlines())
    assert heading == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "First (4711)"]
    assert points[0].strip() == "Points Possible" and points[-1] == "7.50" and test_student[0] == "Student, Test"
    assert rows[0] == ["Lovelace, Ada", "19961", "sis0", "s000", "Group B", "7.5"]
    assert [row[-1] for row in rows[11:15]] == [
        "",
        "",
        "",
        "6.5",
    ]  # nothing, and nothing that could be read: left as it is
    names = zipfile.ZipFile(tmp_path / "c.zip").namelist()
    assert (
        "lovelaceada_19961_67000_a1.html" in names and "noethersøren_20000_67039_a1.html" in names and len(names) == 38
    )

    grade("moodle.zip", returned=tmp_path / "m.csv", feedback=tmp_path / "m.zip")
    text = (tmp_path / "m.csv").read_bytes().decode()
    rows = list(csv.DictReader(text.removeprefix("\ufeff").splitlines()))
    with (places / "worksheet.csv").open(newline="", encoding="utf-8-sig") as worksheet:
        assert text.startswith("\ufeff") and list(rows[0]) == next(csv.reader(worksheet))
    assert [row["Grade"] for row in rows[6:15]] == [
        "100",
        "90",
        "100",
        "100",
        "100",
        "",
        "",
        "",
        "86.67",
    ]  # of Moodle's 100
    assert "Ada Lovelace_20000_assignsubmission_file_/a1.html" in zipfile.ZipFile(tmp_path / "m.zip").namelist()


@pytest.mark.usefixtures("shared")
def test_a_class_from_before_is_graded_by_the_roster(handout, handed, places, tmp_path):
    """Notebooks that say nothing of their variant: the roster does, whatever the system calls the student."""
    old = {}
    for pupil in CLASS[:4]:
        notebook = nbformat.reads(handed[pupil].decode(), as_version=4)
        notebook.metadata["labkit"] = {"assignment": "a1"}
        for cell in notebook.cells:
            cell.source = (
                cell.source if not cell.id.startswith("check-") else "# This cell is graded. Leave it as it is."
            )
        old[pupil] = nbformat.writes(notebook).encode()
    (tmp_path / "moodle.zip").write_bytes(forty.zipped(forty.moodle_files(old, "a1")))
    plan = Plan(
        tmp_path / "moodle.zip", handout.source, tmp_path / "g.csv", 1, pace=PATIENT, roster=places / "worksheet.csv"
    )
    done = grade_class(plan)
    assert [result.score for result in done.results[:4]] == [7.5] * 4 and len(done.results) == 40
    alone = grade_class(replace(plan, out=tmp_path / "h.csv", roster=None))
    assert alone.unread == [p.moodle for p in reversed(CLASS[:4])]  # nothing is guessed
    assert "--roster" in alone.results[0].notes[0]


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("name", ["moodle", "canvas"])
def test_without_a_roster_the_notebooks_still_say_what_they_ask(name, handout, handed, tmp_path):
    some = {p: data for p, data in handed.items() if p.number % 7 == 0}
    forty.written(tmp_path / name, getattr(forty, f"{name}_files")(some, "a1"))
    done = grade_class(Plan(tmp_path / name, handout.source, tmp_path / "g.csv", 1, pace=PATIENT))
    assert {r.student: r.score for r in done.results} == {getattr(p, name): expected(p) for p in some}
    with (tmp_path / "g.csv").open(newline="") as file:
        names = {line["student_id"]: (line["first_name"], line["last_name"]) for line in csv.DictReader(file)}
    assert names[getattr(CLASS[0], name)] == {"moodle": ("Ada", "Lovelace"), "canvas": ("", "lovelaceada")}[name]
    assert not done.others


@pytest.mark.usefixtures("shared")
def test_a_question_that_was_drawn_for_somebody_else_waits_for_a_person(handout, handed, places, tmp_path):
    ada, blaise = CLASS[:2]
    own = handed[ada].replace(b'"student": "s000"', b'"student": "s001"')
    forty.written(tmp_path / "in", {f"{blaise.id}.ipynb": own, f"{CLASS[2].id}.ipynb": handed[ada]})
    plan = Plan(tmp_path / "in", handout.source, tmp_path / "g.csv", 1, pace=PATIENT, roster=places / "roster.csv")
    done = grade_class(plan)
    assert done.others == ["s001", "s002"] and done.results[1].score == 5.0
    assert done.results[1].to_mark == ("q",) and "another student: q is not" in done.results[1].notes[0]
    assert "belongs to s000, not to s002" in done.results[2].notes[0]


@pytest.mark.usefixtures("shared")
def test_what_is_nobodys_is_listed_and_can_be_given_to_somebody(handout, places, tmp_path, monkeypatch, capsys, handed):
    monkeypatch.chdir(tmp_path)
    ada = CLASS[0]
    forty.written(tmp_path / "in", {"s0000.ipynb": handed[ada], "s001_a1.ipynb": handed[CLASS[1]], "list.txt": b"x"})
    command = [
        "grade", "in", "--assignment", str(handout.source), "--out", "g.csv", "--jobs", "1", "--seconds", "60",
        "--roster", str(places / "roster.csv"),
    ]  # fmt: skip
    assert main(command) == 1
    said = capsys.readouterr()
    assert (
        "not graded, because it matches no student: s0000.ipynb. It matches no student on the roster roster.csv"
        in said.err
    )
    assert (
        "files without a student: 2. In g.unmatched.csv" in said.err and "Students without a submission: " in said.out
    )
    table = (tmp_path / "g.unmatched.csv").read_text()
    (tmp_path / "g.unmatched.csv").write_text(
        table.replace("roster.csv.,", "roster.csv.,s000").replace('zip.",', 'zip.",-')
    )
    assert main([*command, "--resume"]) == 0
    with (tmp_path / "g.csv").open(newline="") as file:
        lines = {line["student_id"]: line for line in csv.DictReader(file)}
    assert len(lines) == 40 and lines["s000"]["score"] == lines["s001"]["score"] == "7.5"
    assert capsys.readouterr().err == ""
    journal = [json.loads(line)["student"] for line in (tmp_path / "g.journal").read_text().splitlines()[1:]]
    assert journal.count("s001") == 1
