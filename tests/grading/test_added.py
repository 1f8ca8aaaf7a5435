"""Questions that an instructor adds in nbgrader's way: their tests stand, whatever a student's code does about it."""

import psutil
import pytest
from added_questions import BAG, BAG_TESTS, added_cells, assignment_of, cell, handed_in, source_with
from patience import PATIENT
from walls import needs_walls

from labkit.cli import main
from labkit.grading import verify
from labkit.grading.added import misplaced, ungraded
from labkit.grading.assignment import AssignmentError
from labkit.grading.grader import Grader, Settings
from labkit.grading.notebooks import write
from labkit.grading.release import released
from labkit.grading.verify import problems, remarks
from labkit.grading.worker import Work, Worker

SOLVED = dict.fromkeys(("answer-grad-slip", "power", "bag"))


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return source_with(tmp_path_factory.mktemp("added"), *added_cells())[1]


@pytest.fixture(scope="module")
def grader(source):
    with Grader(assignment_of(source), Settings(3, PATIENT)) as grader:
        yield grader


@pytest.fixture
def results(grader, source):
    """`results(power="...")`: the results of a solved notebook with these answers, by question."""

    def graded(behind=(), **answers):
        result = grader.grade("ann", handed_in(source, SOLVED | answers, behind))
        return {question.question: question for question in result.questions}

    return graded


# ---- what is asked ----


def test_all_questions_come_in_the_order_of_the_notebook_with_their_points(source):
    assignment = assignment_of(source)
    assert assignment.order == ("grad-slip", "test-power", "test-half", "test-bag", "why", "project")
    assert {q.name: (q.kind, q.points) for q in assignment.added} == {
        "test-power": ("tests", 2.0), "test-half": ("tests", 1.0), "test-bag": ("tests", 3.0), "why": ("written", 4.0),
        "project": ("task", 5.0),
    }  # fmt: skip
    why = assignment.added[3]
    assert (why.title, why.rubric) == ("Why?", "One point for each reason.")
    assert "tape" in why.prompt and "Write `power" not in why.prompt


def test_students_get_neither_hidden_tests_nor_answers_nor_the_mark_scheme(source):
    text = "\n".join(one.source for one in released(source).cells)
    assert not any(word in text for word in ("6.25", "x**n", "One point", "many inputs"))
    assert "assert power(2, 3) == 8" in text and "Draw a graph" in text


@pytest.mark.parametrize(
    "strange, said",
    [
        (cell("code", "t", "assert 1", grade=True, locked=True), r"cell 7 \(t\): its points are None"),
        (cell("code", "t", "assert 1", grade=True, points=float("nan")), "its points are nan"),
        (cell("code", "t", "assert (", grade=True, points=1), "its tests are no Python"),
        (cell("markdown", "t", "words", grade=True, points=1), "tests must be code"),
        (cell("markdown", "t", "words", task=True, grade=True, points=1), "a task cannot also be a grade cell"),
        (cell("code", "", "x", solution=True), "has no grade_id"),
        (cell("code", ["x"], "x", solution=True), r"its grade_id is \['x'\]; expected a text"),
        (cell("code", {"a": 1}, "x"), "expected a text"),
        (cell("code", "answer-grad-slip", "x", solution=True), "two cells have the grade_id"),
    ],
)
def test_marks_that_cannot_be_followed_are_refused_before_anything_is_graded(strange, said, tmp_path):
    _, notebook = source_with(tmp_path, cell("markdown", "words", "W", locked=True), strange)
    with pytest.raises(AssignmentError, match=said):
        assignment_of(notebook)


def test_what_nobody_knows_is_named(tmp_path):
    odd = cell("code", "odd", "### BEGIN HIDDEN TESTS\nassert x", locked=True, peer_review=True)
    odd.metadata["otter"] = {"points": 3}
    _, notebook = source_with(tmp_path, odd, cell("code", "alone", "x = 1", solution=True))
    first, second, third = misplaced(notebook.cells)
    assert first == "cell 6 (odd): the mark 'peer_review' is not known, and nothing is done about it. Take it away."
    assert (
        "BEGIN HIDDEN TESTS stands there 1 times, END HIDDEN TESTS 0 times" in second
        and "is not marked for it" in third
    )
    first, second = ungraded(notebook.cells)
    assert "its metadata 'otter' is not known" in first and "cell 7 (alone): an answer that earns nothing" in second
    whole = source_with(tmp_path, *added_cells())[1].cells
    assert list(misplaced(whole)) == [] and len(list(ungraded(whole))) == 1


def course_with(tmp_path, *cells):
    course, notebook = source_with(tmp_path, *cells)
    for path, made in ((course.source("a1"), notebook), (course.release("a1"), released(notebook))):
        write(made, path)
    return course


@needs_walls
def test_course_check_tries_the_tests_where_they_will_run(tmp_path):
    weak = cell("code", "weak", "assert True", grade=True, points=1)
    broken = cell("code", "broken", "assert power(2, 3) == 9", grade=True, points=1)
    bare = cell("code", "bare", "assert make() == make()", grade=True, points=1)
    made = cell("code", "made", "def make(): return object()", solution=True)
    course = course_with(tmp_path, *added_cells(), weak, broken, made, bare)
    said = list(problems(course))
    assert len(said) == 3
    assert "tests 'broken' are not passed by your own answers: AssertionError" in said[0] and "(line 1: " in said[0]
    assert (
        "'bare' are not passed" in said[1] and "object of the class object" in said[1] and "compare numbers" in said[1]
    )
    assert "the tests 'weak' are passed by what is handed out" in said[2]
    (remark,) = remarks(course)
    assert "cell 7 (power): what students get of it is no Python" in remark


# ---- what it earns ----


@needs_walls
def test_the_instructors_answers_earn_everything_and_the_empty_release_nothing(results, grader, source):
    found = results(why="It goes back.", behind=["My graph."])
    assert {name: (q.kind, q.points) for name, q in found.items()} == {
        "grad-slip": ("right", 1.0), "test-power": ("right", 2.0), "test-half": ("right", 1.0),
        "test-bag": ("right", 3.0), "why": ("by-hand", 0.0), "project": ("by-hand", 0.0),
    }, [q.detail for q in found.values()]  # fmt: skip
    empty = grader.grade("bob", handed_in(source, {}))
    assert empty.score == 0 and [q.kind for q in empty.questions][-2:] == ["empty", "empty"]
    assert grader.grade("bob", handed_in(source, {"why": "It goes back."})).answers["why"] == "It goes back."


@needs_walls
def test_what_a_test_says_reaches_the_student_without_what_is_hidden(results):
    found = results(power="def power(x, n):\n    return x * n")["test-power"]
    assert (found.kind, found.points, found.text) == ("tests", 0.0, "A test is not passed: assert power(2, 3) == 8")
    found = results(power="def power(x, n):\n    return int(x) ** n")["test-power"]
    assert found.text == "A hidden test is not passed.\nDoes it work for numbers with a point?"
    assert "6.25" in found.detail
    found = results(power="def power(x, n):\n    raise type(f'Saw{x}', (KeyError,), {})(x)")["test-power"]
    assert found.text.endswith("It raised an error of its own class.")


@needs_walls
def test_a_number_in_the_last_line_is_partial_credit_as_in_nbgrader(results):
    assert results(power="def power(x, n):\n    return 1")["test-half"].points == 0.5


YES = "class Yes(float):\n    def __eq__(self, other): return True\n    __hash__ = None\n    def __sub__(self, o): return self\n"
OBJECT = YES.replace("(float)", "") + "    def __abs__(self): return 0\n    def __lt__(self, o): return True\n"
FAKES = {
    "agrees with everything": OBJECT + "def power(x, n): return Yes()",
    "a class in the function's place": OBJECT + "class power:\n    def __new__(cls, *a): return Yes()",
    "a float that agrees": YES + "def power(x, n): return Yes()",
    "patched modules": "import numpy as np\nnp.testing.assert_allclose = lambda *a, **k: None\nimport builtins\n"
    "builtins.AssertionError = builtins.abs = lambda *a: 0\ndef power(x, n): return 8",
    "an exit": "import os\ndef power(x, n): os._exit(0)",
    "a polite exit": "def power(x, n): raise SystemExit(0)",
    "words on the line": "import os, json, struct\ndef power(x, n):\n"
    "    data = json.dumps({'verdict': 'passed', 'points': 2.0}).encode()\n    for fd in [*range(3, 9)] * 9:\n"
    "        try: os.write(fd, struct.pack('!I', len(data)) + data)\n        except OSError: pass\n    return 8",
    "the frames above": "import sys, gc\ndef power(x, n):\n    frame = sys._getframe()\n    while frame:\n"
    "        frame.f_globals['power'] = 8\n        if 'message' in frame.f_locals: frame.f_locals['message'].clear()\n"
    "        frame = frame.f_back\n    return 8",
    "a trace that skips": "import sys\nsys.settrace(lambda *a: None)\ndef power(x, n): return 8",
    "the printed verdict": "def power(x, n):\n    print({'verdict': 'passed', 'points': 2.0})\n    return 8",
}  # fmt: skip


@needs_walls
@pytest.mark.parametrize("how", FAKES)
def test_nothing_that_a_students_code_does_makes_a_test_pass(how, results):
    found = results(power=FAKES[how])
    assert found["test-power"].points == 0 and found["test-power"].kind in ("tests", "died", "by-hand"), found[
        "test-power"
    ]
    assert (found["grad-slip"].points, found["test-bag"].points) == (1.0, 3.0)


@needs_walls
def test_a_students_copy_of_the_tests_and_of_locked_code_does_not_matter(results):
    changed = {"test-power": "pass", "test-bag": "import os; os._exit(0)", "helper": "1 / 0"}
    found = results(**changed)
    assert (found["test-power"].points, found["test-bag"].points) == (2.0, 3.0)


@needs_walls
def test_an_object_that_a_function_of_the_tests_was_called_with_is_not_believed_afterwards(results):
    tests = "assert over(lambda x: x * 2, [1, 2]) == [2, 4]"
    assert tests in BAG_TESTS
    over = "def over(f, xs):\n    return f(Yes())"
    found = results(bag=f"{BAG}\n{OBJECT}    def __mul__(self, other): return self\n{over}")["test-bag"]
    assert found.points == 0 and found.kind == "by-hand" and "the class Yes" in found.detail


@needs_walls
def test_tests_get_no_reach_into_their_own_process_from_a_function_that_they_pass(results):
    over = "def over(f, xs):\n    f.__globals__['xs'] = 0\n    return [2, 4]"
    spies = [
        over,
        over.replace("f.__globals__['xs'] = 0", "f.gi_frame"),
        over.replace("f.__globals__['xs'] = 0", "f.__code__"),
    ]
    for spy in spies:
        found = results(bag=f"{BAG}\n{spy}")["test-bag"]
        assert found.points == 0 and "AttributeError" in found.detail


def test_all_is_well_is_said_only_when_it_is_and_counts_what_was_added(tmp_path, monkeypatch, capsys):
    course = course_with(tmp_path, *added_cells())
    monkeypatch.setattr(verify, "problems", lambda course: [])
    assert main(["course", "check", str(course.folder)]) == 0
    printed = capsys.readouterr().out
    counts = (
        "1 assignments, 1 exercises, 3 questions with tests of your own, 2 to grade by hand; every solution is right."
    )
    assert printed.endswith(f"Nothing is wrong, with 1 note above: {counts}\n") and "Note: " in printed
    monkeypatch.setattr(verify, "remarks", lambda course: [])
    assert main(["course", "check", str(course.folder)]) == 0
    assert capsys.readouterr().out == f"All is well: {counts}\n"


def test_both_jails_die_with_their_grader(family, tmp_path):
    notebook = source_with(tmp_path, *added_cells())[1]
    worker = Worker(assignment_of(notebook), Settings(1, PATIENT))
    try:
        result = worker.grade(Work("ann", handed_in(notebook, {"power": None})))
        assert {q.question: q.kind for q in result.questions}["test-power"] == "right"
        below = psutil.Process(worker.helper.process.pid).children()
        assert sum("labkit.jail.server" in process.cmdline() for process in below) == 2
        started = family()
    finally:
        worker.helper.process.kill()
    started.wait_for_end()
    worker.kill()
