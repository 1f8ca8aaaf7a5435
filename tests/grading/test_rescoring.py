"""Other points, a changed test, a person's marks: what is in the journal is counted anew, and only what must be is run."""

import csv
import json
from dataclasses import replace

import pytest
from added_questions import added_cells, handed_in, source_with
from patience import PATIENT

from labkit.cli import main
from labkit.grading.classwork import grade_class
from labkit.grading.findings import Pace
from labkit.grading.grader import Grader
from labkit.grading.journal import results_in
from labkit.grading.marking import MarkingServer
from labkit.grading.marks import Mark, digest_of, write_marks
from labkit.grading.notebooks import read, write
from labkit.grading.run import Plan

pytestmark = pytest.mark.needs("bubblewrap")


@pytest.fixture
def plan(tmp_path):
    """Two students, an assignment with questions of its own, all graded once."""
    course, notebook = source_with(tmp_path, *added_cells())
    source = course.source("a1")
    write(notebook, source)
    solved = {"answer-grad-slip": None, "power": None, "why": "It goes back."}
    for student, answers in (("ann", solved), ("bob", {})):
        folder = tmp_path / "submitted" / student / "a1"
        folder.mkdir(parents=True)
        (folder / "a1.ipynb").write_bytes(handed_in(notebook, answers))
    return Plan(
        tmp_path / "submitted", source, tmp_path / "grades.csv", jobs=1, pace=PATIENT, feedback=tmp_path / "feedback"
    )


@pytest.fixture
def graded(monkeypatch):
    """What the graders were asked to grade, as it happens: (student, questions)."""
    asked, grade = [], Grader.grade

    def seen(grader, student, *arguments):
        asked.append((student, arguments[-1] and sorted(arguments[-1])))
        return grade(grader, student, *arguments)

    monkeypatch.setattr(Grader, "grade", seen)
    return asked


def changed(plan, grade_id, **change):
    notebook = read(plan.assignment)
    (cell,) = (cell for cell in notebook.cells if cell.id == grade_id)
    cell.source = change.pop("source", cell.source)
    cell.metadata["nbgrader"] |= change
    write(notebook, plan.assignment)


def scores(plan):
    with plan.out.open(newline="") as file:
        return {line["student_id"]: (float(line["score"]), float(line["max_score"])) for line in csv.DictReader(file)}


def test_from_the_first_grade_to_the_last_word(plan, graded, same_sandbox, capsys):
    with pytest.raises(ValueError, match="no results of an earlier run"):
        grade_class(replace(plan, rescore=True))
    assert not plan.out.exists()
    first = grade_class(plan)
    assert scores(plan) == {"ann": (4.0, 16.0), "bob": (0.0, 16.0)} and first.to_mark == 1 and first.remarks == ()
    assert graded == [("ann", None), ("bob", None)]
    seed = json.loads(plan.beside(".journal").read_text().splitlines()[0])["fingerprint"]["seed"]

    # other points: nothing is run
    graded.clear()
    changed(plan, "test-power", points=20)
    changed(plan, "check-grad-slip", points=3)
    grade_class(replace(plan, rescore=True, pace=Pace()))
    assert scores(plan) == {"ann": (24.0, 36.0), "bob": (0.0, 36.0)} and graded == []

    # a person's marks count, in the page for the student too; one more was for an answer that nobody gave
    marks = {("ann", "why"): Mark(digest_of("It goes back."), 3.5, "Say <b>more</b>."), ("bob", "why"): Mark("0", 1.0)}
    write_marks(plan.beside(".marks.csv"), marks)
    third = grade_class(replace(plan, resume=True))
    assert scores(plan)["ann"] == (27.5, 36.0) and third.to_mark == 0 and graded == []
    assert "the answer of bob to why has changed" in third.remarks[0]
    page = (plan.feedback / "ann" / "a1.html").read_text()
    assert "Say &lt;b&gt;more&lt;/b&gt;." in page and "3.5 of 4 points" in page
    with plan.beside(".questions.csv").open(newline="") as file:
        kinds = {(line["student"], line["question"]): line["kind"] for line in csv.DictReader(file)}
    assert kinds["ann", "why"] == "marked" and kinds["bob", "project"] == "empty"

    # another test: rescoring says so, going on runs that question alone, with the same seed
    changed(plan, "test-power", source="assert power(2, 3) == 8 and power(1, 2) == 3")
    assert "test-power was changed after 2 of its answers" in " ".join(grade_class(replace(plan, rescore=True)).remarks)
    assert graded == []
    grade_class(replace(plan, resume=True))
    assert graded == [("ann", ["test-power"]), ("bob", ["test-power"])] and scores(plan)["ann"] == (7.5, 36.0)
    assert json.loads(plan.beside(".journal").read_text().splitlines()[0])["fingerprint"]["seed"] == seed

    # one question again for all, by name
    graded.clear()
    main([
        "grade", str(plan.submissions), "--assignment", str(plan.assignment), "--out", str(plan.out), "--jobs", "1",
        "--regrade", "grad-slip", "--seconds", "60", "--feedback", str(plan.feedback),
    ])  # fmt: skip
    complained = capsys.readouterr().err
    assert "belongs to a run with other settings" in complained and graded == []  # of time: those of the first run
    grade_class(replace(plan, regrade=("grad-slip",)))
    assert graded == [("ann", ["grad-slip"]), ("bob", ["grad-slip"])] and scores(plan)["ann"] == (7.5, 36.0)
    ann = next(result for result in results_in(plan.beside(".journal")) if result.student == "ann")
    assert len(ann.questions) == 6 and ann.answers["why"] == "It goes back."
    grade_class(replace(plan, regrade=("bob",)))  # one student, by name
    (*_, (who, questions)) = graded
    assert len(graded) == 3 and who == "bob" and len(questions) == 6 and scores(plan)["ann"] == (7.5, 36.0)
    with pytest.raises(ValueError, match=r"no question and no student 'grad-slop'\. Did you mean 'grad-slip'"):
        grade_class(replace(plan, regrade=("grad-slop",)))


def test_rescoring_names_who_is_not_in_the_journal(plan, same_sandbox):
    grade_class(plan)
    folder = plan.submissions / "cleo" / "a1"
    folder.mkdir(parents=True)
    (folder / "a1.ipynb").write_bytes(b"{}")
    found = grade_class(replace(plan, rescore=True))
    assert found.ungraded == ["cleo"]
    assert "--resume grades it" in found.results[-1].questions[0].detail


def test_the_command_serves_what_is_to_be_marked_and_says_how_to_go_on(plan, same_sandbox, capsys, monkeypatch):
    grade_class(plan)
    arguments = ["course", "mark", str(plan.out), "--assignment", str(plan.assignment), "--no-browser"]
    served = []

    def serve(server):
        served.append([item.key for item in server.queue.items])
        assert server.queue.save(0, {"points": "1"}) == ""
        raise KeyboardInterrupt

    monkeypatch.setattr(MarkingServer, "serve_forever", serve)
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert served == [[("ann", "why")]] and "Marked: 0 of 1 answers. Mark at http://127.0.0.1:" in printed
    assert "Marked: 1 of 1 answers" in printed and "--rescore" in printed
    assert main([*arguments, "--question", "grad-slip"]) == 0 and len(served[1]) == 2
    assert main([*arguments, "--question", "grad-slop"]) == 1
    assert "no question 'grad-slop'" in capsys.readouterr().err
    assert main(["course", "mark", "nowhere.csv"]) == 1
    assert "nowhere.journal" in capsys.readouterr().err


def test_late_points_and_the_systems_table_follow_a_persons_marks(plan, graded, same_sandbox, tmp_path):
    rules = 'timezone = "UTC"\nlate = { per_day = 10, last_day = 3 }\n' + (tmp_path / "course.toml").read_text()
    (tmp_path / "course.toml").write_text(f"{rules}due = 2026-11-30T12:00:00\n")
    (tmp_path / "worksheet.csv").write_text(
        "Identifier,Full name,Email address,Grade,Maximum Grade,Last modified (submission),Last modified (grade)\n"
        'Participant 1,ann,ann@uni.example,,16.00,"Monday, 30 November 2026, 10:15 PM",-\n'
        'Participant 2,bob,bob@uni.example,,16.00,"Monday, 30 November 2026, 10:15 AM",-\n'
        "Participant 3,carl,carl@uni.example,,16.00,-,-\n"
    )
    plan = replace(plan, roster=tmp_path / "worksheet.csv", returned=tmp_path / "back.csv", feedback=None)

    def cells():
        with plan.returned.open(newline="", encoding="utf-8-sig") as file:
            return [line["Grade"] for line in csv.DictReader(file)]

    first = grade_class(plan)
    assert first.unwritten == () and cells() == ["", "0", ""]  # ann's answer waits, carl handed in nothing
    (ann,) = first.waiting
    assert len(graded) == 2

    write_marks(plan.beside(".marks.csv"), {(ann, "why"): Mark(digest_of("It goes back."), 3.0)})
    for more in ({"rescore": True}, {"resume": True}, {"regrade": ("test-power",)}):
        done = grade_class(replace(plan, **more))
        final = next(final for final in done.finals if final.result.student == ann)
        assert not done.waiting and not done.ungraded
        assert (final.result.score, final.days, final.score) == (7.0, 1, 5.4) and cells() == ["5.4", "0", ""]
    assert len(graded) == 4 and all(questions == ["test-power"] for _, questions in graded[2:])
