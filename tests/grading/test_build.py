"""The notebooks that are built: nothing leaks, everything that is promised is in them."""

import ast
import json
from pathlib import Path

import nbformat
import pytest

from labkit.classroom import EXERCISES, check
from labkit.grading.assignment import Assignment, AssignmentError, bound_names
from labkit.grading.build import instructor_notebook
from labkit.grading.course import Course, CourseError
from labkit.grading.handout import hand_out
from labkit.grading.release import released
from labkit.grading.verify import problems

BEGIN = 'title = "T"\nseed = 987654321\n[[assignment]]\nname = "a1"\ntitle = "First"\n'
FIXED = BEGIN + 'hints = true\nquestions = ["grad-slip", "backprop-write", "port-detach", "port-two-outputs"]\n'
VARIED = (
    BEGIN
    + 'questions = ["grad-slip", { name = "p", any_of = ["port-detach", "grad-clip"], points = 2 }, "port-two-outputs"]'
)


def course(folder, text) -> Course:
    (folder / "course.toml").write_text(text)
    return Course.read(folder)


def everything(hints) -> str:
    names = json.dumps([name for name in EXERCISES if not EXERCISES[name].practice])
    return BEGIN + f"hints = {str(hints).lower()}\nquestions = {names}\n"


def only(course) -> object:
    return instructor_notebook(course, course.assignments[0])


def cells(notebook) -> dict:
    return {cell.id: cell for cell in notebook.cells}


def read(path: Path):
    return nbformat.read(path, as_version=4)


# ---- one notebook with all exercises of the course ----


@pytest.fixture(scope="module", params=[True, False], ids=["with hints", "without hints"])
def complete(request, tmp_path_factory):
    """The notebook with all exercises of the course."""
    return only(course(tmp_path_factory.mktemp("complete"), everything(request.param)))


@pytest.fixture(scope="module")
def without_hints(tmp_path_factory):
    return only(course(tmp_path_factory.mktemp("without"), everything(False)))


def test_every_solution_is_still_right_at_the_end(without_hints):
    asked = Assignment.from_notebook(without_hints).questions
    names, solved = {}, cells(without_hints)
    for grade_id in ["setup", *(q.answer_id for q in asked), *(q.check_id for q in asked)]:
        exec(solved[grade_id].source, names)  # a check raises where an answer is not right
    assert len(asked) == sum(not exercise.practice for exercise in EXERCISES.values())


def test_no_two_answers_have_one_name():
    names = bound_names([(name, exercise.binds) for name, exercise in EXERCISES.items()])
    assert len(set(names)) == len(EXERCISES) and all(name.isidentifier() for name in names)


def test_no_answer_hides_a_name_of_the_setup(without_hints):
    imported = {"np", "ms", "torch", "labkit", "check", "hint"}
    assert not imported & {question.binds for question in Assignment.from_notebook(without_hints).questions}


def test_the_release_earns_nothing_and_gives_nothing_away(complete):
    release, names = released(complete), {}
    exec(cells(release)["setup"].source, names)
    for question in Assignment.from_notebook(complete).questions:
        exec(cells(release)[question.answer_id].source, names)
        assert check(question.exercise, names[question.binds]).kind == "empty"
    text = nbformat.writes(release)
    assert not any(word in text for word in ("SOLUTION", "HIDDEN", "solution(", "987654321"))


def test_without_hints_a_release_offers_no_check(without_hints):
    release = released(without_hints)
    code = "\n".join(cell.source for cell in release.cells if cell.cell_type == "code")
    assert "check(" not in code and "hint" not in code
    assert not any("hint(" in cell.source for cell in release.cells)


def test_the_solution_of_no_exercise_stands_in_a_release_without_hints(without_hints):
    text = "\n".join(cell.source for cell in released(without_hints).cells)
    for exercise in EXERCISES.values():
        assert exercise.solution.strip() not in text
        assert not any(hint in text for hint in exercise.hints)


def test_a_statement_names_the_function_that_its_cell_defines(complete):
    sources = cells(complete)
    for question in Assignment.from_notebook(complete).questions:
        statement, answer = (sources[f"{kind}-{question.name}"].source for kind in ("statement", "answer"))
        if not EXERCISES[question.exercise].is_prediction:
            assert ast.parse(answer).body[0].name == question.binds
            assert f"`{question.binds}" in statement or f"def {question.binds}(" in statement


# ---- cells ----


def test_cells_are_what_nbgrader_expects(tmp_path):
    notebook = only(course(tmp_path, FIXED))
    nbformat.validate(notebook)
    kinds = {
        i: [k for k in ("grade", "solution", "locked") if c.metadata.nbgrader[k]] for i, c in cells(notebook).items()
    }
    assert kinds["title"] == kinds["setup"] == kinds["statement-grad-slip"] == ["locked"]
    assert kinds["answer-grad-slip"] == ["solution"] and kinds["check-grad-slip"] == ["grade", "locked"]
    assert cells(notebook)["check-backprop-write"].metadata.nbgrader.points == 3
    assert all(c.metadata.nbgrader.schema_version == 3 and c.metadata.nbgrader.grade_id == c.id for c in notebook.cells)


def test_of_two_functions_of_one_name_the_later_is_renamed_everywhere(tmp_path):
    both = cells(only(course(tmp_path, FIXED)))
    assert both["answer-port-detach"].source.startswith("def port(x):")
    assert both["answer-port-two-outputs"].source.startswith("def port_4(x, y):")
    assert "`port_4(x, y)`" in both["statement-port-two-outputs"].source
    assert "port_4)" in both["check-port-two-outputs"].source


def test_only_the_name_of_the_assignment_is_left_of_the_instructors_data(tmp_path):
    notebook = only(course(tmp_path, VARIED))
    assert notebook.metadata.labkit.seed == 987654321
    assert released(notebook).metadata.labkit == {"assignment": "a1"}
    assert "grad-clip" not in nbformat.writes(released(notebook))


def test_results_do_not_go_to_the_students(tmp_path):
    notebook = only(course(tmp_path, FIXED))
    cell = cells(notebook)["check-grad-slip"]
    cell.outputs, cell.execution_count = [nbformat.v4.new_output("stream", text="secret")], 7
    assert "secret" not in nbformat.writes(released(notebook)) and "secret" in nbformat.writes(notebook)


# ---- files ----


def test_a_course_that_was_built_is_ready(tmp_path):
    ours = course(tmp_path, FIXED)
    assert [p for p in problems(ours) if "course build" in p]
    hand_out(ours, ours.assignments[0])
    assert list(problems(ours)) == []
    assert read(ours.release("a1")) == released(read(ours.source("a1")))


def test_each_student_gets_what_the_grader_expects(tmp_path):
    ours = course(tmp_path, VARIED)
    students = tuple(f"s{i}" for i in range(12))
    hand_out(ours, ours.assignments[0], students)
    assignment, given = Assignment.read(ours.source("a1")), set()
    for student in students:
        own = cells(read(ours.personal(student, "a1")))
        for question in assignment.for_student(student).questions:
            title = EXERCISES[question.exercise].title
            assert title in own[f"statement-{question.name}"].source
            assert own[question.answer_id].source.startswith((f"def {question.binds}(", f"{question.binds} = ..."))
        given.add(own["answer-p"].source)
    assert len(given) == 2 and not ours.release("a1").exists()
    assert list(problems(ours)) == []


def test_what_was_changed_by_hand_is_kept_and_handed_out(tmp_path):
    ours = course(tmp_path, FIXED)
    hand_out(ours, ours.assignments[0])
    change(ours, "statement-grad-slip", "In my own words.")
    told = hand_out(ours, ours.assignments[0])
    assert "changed by hand, so it was kept" in told[0]
    assert "In my own words." in ours.source("a1").read_text() and "In my own words." in ours.release("a1").read_text()
    assert list(problems(ours)) == []


def test_other_points_and_partial_credit_reach_a_source_that_was_changed_by_hand(tmp_path):
    ours = course(tmp_path, FIXED)
    hand_out(ours, ours.assignments[0])
    notebook = read(ours.source("a1"))
    half = "def half(x):\n    ### BEGIN SOLUTION\n    return x / 2\n    ### END SOLUTION"
    marks = {"grade": True, "solution": True, "grade_id": "half", "points": 4, "locked": False}
    notebook.cells.append(nbformat.v4.new_code_cell(half, metadata={"nbgrader": marks}))
    notebook.cells.append(nbformat.v4.new_markdown_cell("Good luck!"))
    nbformat.write(notebook, ours.source("a1"))
    later = FIXED.replace('"grad-slip"', '{ exercise = "grad-slip", points = 2.5, partial = true }')
    told = hand_out(course(tmp_path, later), course(tmp_path, later).assignments[0])
    assert (
        "kept, except for the points of 'grad-slip', partial credit for 'grad-slip', the sum of points in the first cell."
        in told[0]
    )
    kept, release = read(ours.source("a1")), read(ours.release("a1"))
    first = Assignment.from_notebook(kept).questions[0]
    assert (first.points, first.partial) == (2.5, True) and kept.cells[-1].source == "Good luck!"
    assert release.cells[-2].source == "def half(x):\n    ...\n    "
    asked = Assignment.from_notebook(kept)
    assert f"Questions: {len(asked.order)}. Points: {asked.max_points:g}." in cells(release)["title"].source
    assert "(2.5 points)" in cells(release)["statement-grad-slip"].source.splitlines()[0]
    assert list(problems(course(tmp_path, later))) == []
    assert "but for" not in hand_out(course(tmp_path, later), course(tmp_path, later).assignments[0])[0]


def test_what_was_changed_by_hand_is_in_every_variant(tmp_path):
    ours = course(tmp_path, VARIED)
    hand_out(ours, ours.assignments[0])
    change(ours, "title", "# My title")
    hand_out(ours, ours.assignments[0], ("s1", "s2", "s3"))
    assert all("# My title" in ours.personal(s, "a1").read_text() for s in ("s1", "s2", "s3"))


def test_a_source_changed_by_hand_that_no_longer_fits_is_neither_overwritten_nor_handed_out(tmp_path):
    ours = course(tmp_path, FIXED)
    hand_out(ours, ours.assignments[0])
    change(ours, "title", "# My title")
    before = ours.source("a1").read_bytes(), ours.release("a1").read_bytes()
    later = course(tmp_path, FIXED.replace('"grad-slip"', '"grad-clip"'))
    with pytest.raises(CourseError, match="the questions"):
        hand_out(later, later.assignments[0])
    assert before == (ours.source("a1").read_bytes(), ours.release("a1").read_bytes())


def test_a_source_that_was_only_run_is_made_anew(tmp_path):
    ours = course(tmp_path, FIXED)
    hand_out(ours, ours.assignments[0])
    notebook = read(ours.source("a1"))
    cells(notebook)["setup"].execution_count = 3
    nbformat.write(notebook, ours.source("a1"))
    assert "changed by hand" not in "".join(hand_out(ours, ours.assignments[0]))


def test_a_file_of_somebody_elses_is_not_overwritten(tmp_path):
    ours = course(tmp_path, FIXED)
    ours.source("a1").parent.mkdir(parents=True)
    nbformat.write(nbformat.v4.new_notebook(), ours.source("a1"))
    before = ours.source("a1").read_bytes()
    with pytest.raises(AssignmentError, match="not a labkit assignment"):
        hand_out(ours, ours.assignments[0])
    assert ours.source("a1").read_bytes() == before


def change(ours, cell_id, source):
    notebook = read(ours.source("a1"))
    cells(notebook)[cell_id].source = source
    nbformat.write(notebook, ours.source("a1"))


def test_a_notebook_of_ones_own_says_whose_it_is_and_what_it_asks(tmp_path):
    ours = course(tmp_path, VARIED)
    hand_out(ours, ours.assignments[0], ("s1",))
    own = read(ours.personal("s1", "a1"))
    asked = Assignment.read(ours.source("a1")).for_student("s1").questions[1].exercise
    assert own.metadata.labkit == {"assignment": "a1", "student": "s1", "variant": {"p": asked}}
    assert f'("{asked}")' in cells(own)["check-p"].source and "grad-slip" not in cells(own)["check-grad-slip"].source


# ---- problems ----


def found(ours):
    return "\n".join(problems(ours))


@pytest.fixture
def built(tmp_path):
    ours = course(tmp_path, FIXED)
    hand_out(ours, ours.assignments[0])
    return ours


@pytest.mark.parametrize(
    "old, new, said",
    [
        ("987654321", "1", "seed"),
        ('"First"', '"Second"', "title"),
        ("hints = true", "hints = false", "hints"),
        ('"grad-slip"', '"start-order"', "the questions"),
        ('"grad-slip"', '{ exercise = "grad-slip", points = 9 }', "the points of 'grad-slip'"),
    ],
)
def test_a_change_in_course_toml_that_was_not_built_is_found(built, tmp_path, old, new, said):
    assert f"does not match course.toml ({said}). Run: labkit course build" in found(
        course(tmp_path, FIXED.replace(old, new))
    )


def test_a_wrong_solution_is_found(built):
    change(built, "answer-grad-slip", "answer_1 = ...\n### BEGIN SOLUTION\nanswer_1 = 7\n### END SOLUTION")
    hand_out(built, built.assignments[0])
    assert "the solution in 'answer-grad-slip' is wrong" in found(built)


def test_a_solution_that_fails_is_found_and_the_error_told(built):
    change(built, "answer-port-detach", "### BEGIN SOLUTION\n1 / 0\n### END SOLUTION")
    assert "ZeroDivisionError: division by zero" in found(built)


def test_a_solution_outside_the_marks_is_found(built):
    source = cells(read(built.source("a1")))["answer-backprop-write"].source
    change(built, "answer-backprop-write", source.replace("### BEGIN SOLUTION\n", "").replace("\n### END SOLUTION", "")
           + "\n### BEGIN SOLUTION\n### END SOLUTION")  # fmt: skip
    hand_out(built, built.assignments[0])
    assert "'answer-backprop-write' earns points as released" in found(built)


def test_a_release_that_is_old_or_missing_is_found(built):
    change(built, "title", "# My title")
    assert "Run: labkit course build" in found(built)
    built.release("a1").unlink()
    assert "no such file. Run: labkit course build" in found(built)


def test_a_roster_that_is_not_there_and_an_extension_of_nobody_are_found(built, tmp_path):
    ours = course(tmp_path, 'roster = "who.csv"\n' + FIXED)
    assert "who.csv: cannot be read" in found(ours)
    (tmp_path / "who.csv").write_text("id\nada\n")
    late = FIXED.replace('"First"', '"First"\ndue = 2026-11-30T23:59:00Z\nextensions = { adda = 2026-12-01T23:59:00Z }')
    assert "who are not on the roster: adda" in found(course(tmp_path, 'roster = "who.csv"\n' + late))


def test_a_notebook_that_course_toml_does_not_know_is_found(built):
    built.source("old").parent.mkdir()
    assert "old: is not an assignment of course.toml" in found(built)
