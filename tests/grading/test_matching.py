"""Every question is asked exactly once, at the place where its answer stands, wherever the student put it."""

import pytest
from drawn import drawn
from hypothesis import given
from hypothesis import strategies as st

from labkit.grading.assignment import Assignment, Question
from labkit.grading.damaged_notebooks import CodeCell, SubmittedCode
from labkit.grading.matching import CodeStep, plan

ASSIGNMENT = Assignment(
    "week1", "Week 1", 1,
    (Question("a", "ex-a", 2.0, "f", "answer-a", "check-a"), Question("b", "ex-b", 1.0, "answer_2", "answer-b", "check-b")),
    (("setup", "import numpy as np"),), frozenset({"title", "setup", "check-a", "check-b"}),
)  # fmt: skip
SETUP = CodeStep("import numpy as np", "set-up cell setup", (), is_given=True)
F, B = "def f(x):\n    return x", "answer_2 = [1, 2]"


def handed(*cells):
    made = (CodeCell(i, source, grade_id) for i, (grade_id, source) in enumerate(cells, 1))
    return SubmittedCode(tuple(made), (), "")


def planned(*cells):
    """`{question: label of the step after which it is asked}`, and the notes."""
    steps, notes = plan(handed(*cells), ASSIGNMENT)
    asked = [(name, step.label) for step in steps for name in step.asks]
    assert sorted(name for name, _ in asked) == ["a", "b"]
    return dict(asked), " ".join(notes)


def test_a_submission_as_it_should_be():
    cells = [
        ("setup", "import  numpy as np\n"),
        ("answer-a", F),
        ("check-a", "1/0"),
        ("", "z = 1"),
        ("answer-b", B),
        ("check-b", ""),
    ]
    assert plan(handed(*cells), ASSIGNMENT) == (
        [SETUP, CodeStep(F, "cell 2", ("a",)), CodeStep("z = 1", "cell 4", ()), CodeStep(B, "cell 5", ("b",))], [],
    )  # fmt: skip


def test_setup_is_run_as_it_was_handed_out():
    steps, notes = plan(
        handed(("setup", "import numpy as np; np.dot = None"), ("answer-a", F), ("answer-b", B)), ASSIGNMENT
    )
    assert steps[0] == SETUP and "np.dot" not in "".join(step.source for step in steps)
    assert notes == ["Cell 1, a set-up cell of the assignment, was changed; the original was run."]


def test_of_equal_ids_the_last_counts_that_gives_the_name():
    asked, notes = planned(("answer-a", F), ("answer-b", B), ("answer-a", "x = f(1)"))
    assert asked == {"a": "cell 1", "b": "cell 2"}
    assert "Cells 1 and 3 all have the id of question a" in notes


def test_a_missing_cell_is_found_by_the_last_definition():
    asked, notes = planned(("", F), ("", F), ("answer-b", B), ("", "print(f)"))
    assert asked["a"] == "cell 2"
    assert notes == "The cell of question a is missing; cell 2, which defines f, was graded."


@pytest.mark.parametrize(
    "source", ["f, g = h, h", "import math as f", "class f: x = 1", "if 1:\n    def f(x): return x"]
)
def test_a_definition_may_have_any_form(source):
    assert planned(("", source), ("answer-b", B), ("", "print(f)"))[0]["a"] == "cell 1"


@pytest.mark.parametrize("source", ["def f(x:\n    return", "x = = 1\nf = 2"])
def test_a_definition_with_a_mistake_is_found_by_its_text(source):
    assert planned(("", source), ("answer-b", B), ("", "print(f)"))[0]["a"] == "cell 1"


def test_two_answers_in_one_cell():
    asked, _ = planned(("answer-b", f"{F}\n{B}"), ("", "x = 1"))
    assert asked == {"a": "cell 1", "b": "cell 1"}


def test_what_is_nowhere_is_asked_at_the_end():
    asked, notes = planned(("answer-b", B))
    assert asked["a"] == "the end of the notebook"
    assert notes == "The cell of question a is missing, and no cell defines f."
    assert planned()[0] == {"a": "the end of the notebook", "b": "the end of the notebook"}


def test_an_answer_in_a_cell_that_is_not_run_is_pointed_out():
    asked, notes = planned(("check-a", F), ("answer-b", B))
    assert asked["a"] == "the end of the notebook"
    assert "cell 1 defines f, but is a given cell, which is not run." in notes


def test_where_a_program_dropped_all_ids_one_note_is_enough():
    asked, notes = planned(("", "import numpy as np"), ("", F), ("", B))
    assert asked == {"a": "cell 2", "b": "cell 3"}
    assert notes == "No cell has the assignment's ids; the answers were found by their names."


@pytest.mark.parametrize("left", ["def f(x):\n    ...", "", "# see below", "answer = 1"])
def test_an_answer_beside_its_empty_cell(left):
    asked, notes = planned(("answer-a", left), ("", F), ("answer-b", B))
    assert asked["a"] == "cell 2"
    assert "not filled in; the answer in cell 2 was graded" in notes


def test_a_cell_with_an_answer_is_not_overruled():
    for answer in (F, "def f(x:", "f = 3"):
        assert planned(("answer-a", answer), ("", "def f(x): return 0"), ("answer-b", B))[0]["a"] == "cell 1"


def test_an_empty_cell_without_another_answer_is_asked_where_it_is():
    assert planned(("answer-a", ""), ("answer-b", B)) == ({"a": "cell 1", "b": "cell 2"}, "")


def test_an_answer_is_run_even_if_its_id_is_called_locked():
    locked = Assignment("w", "W", 1, ASSIGNMENT.questions, (), frozenset({"answer-a"}))
    steps, _ = plan(handed(("answer-a", F), ("answer-b", B)), locked)
    assert steps[0].asks == ("a",)


def test_lines_for_ipython_do_not_spoil_a_cell():
    steps, _ = plan(handed(("answer-a", f"%matplotlib inline\n{F}"), ("answer-b", B)), ASSIGNMENT)
    assert steps[1] == CodeStep(f"%matplotlib inline\n{F}", "cell 1", ("a",))


ids = st.sampled_from(["", "answer-a", "answer-b", "check-a", "setup", "other"])
code = st.sampled_from(
    [F, B, "", "f = ...", "x = = 1", "def f(", "f?", "%%bash\nf", "\0f", "answer_2 = f = 1"]
) | st.text(max_size=9)


@drawn(12)
@given(st.lists(st.tuples(ids, code), max_size=8))
def test_whatever_the_cells_are_every_question_is_asked_once(cells):
    planned(*cells)
    steps, _ = plan(handed(*cells), ASSIGNMENT)
    own = [i for i, (grade_id, _) in enumerate(cells, 1) if grade_id not in ASSIGNMENT.locked]
    assert [s.label for s in steps if s.label.startswith("cell")] == [f"cell {i}" for i in own]


def test_a_pool_of_processes_is_told_why_it_fails():
    notes = planned(("answer-a", f"from multiprocessing import Pool\n{F}"), ("answer-b", B))[1]
    assert "Cell 1 creates a process pool, which raises OSError in the sandbox" in notes
    assert "pool" not in planned(("answer-a", f"from multiprocessing.pool import ThreadPool\n{F}"), ("answer-b", B))[1]
