"""Questions that an instructor adds in nbgrader's way: their tests stand, whatever a student's code does about it."""

import psutil
import pytest
from added_questions import added_cells, assignment_of, cell, handed_in, source_with
from patience import PATIENT, graded_by

from labkit.cli import main
from labkit.grading import verify
from labkit.grading.assignment import AssignmentError
from labkit.grading.grader import Grader, Settings
from labkit.grading.instructor_questions import misplaced, ungraded
from labkit.grading.notebooks import write
from labkit.grading.release import released
from labkit.grading.verify import problems, remarks
from labkit.grading.workers import Work, Worker

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
        (cell("code", "t", "assert (", grade=True, points=1), "its tests are not Python"),
        (cell("markdown", "t", "words", grade=True, points=1), "tests must be code"),
        (cell("markdown", "t", "words", task=True, grade=True, points=1), "a task cannot also be a grade cell"),
        (cell("code", "", "x", solution=True), "has no grade_id"),
        (cell("code", ["x"], "x", solution=True), r"its grade_id is \['x'\]; expected a string"),
        (cell("code", {"a": 1}, "x"), "expected a string"),
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
    assert first == "cell 6 (odd): the mark 'peer_review' is unknown and has no effect. Remove it."
    assert "BEGIN HIDDEN TESTS occurs 1 times, END HIDDEN TESTS 0 times" in second and "not marked for it" in third
    first, second = ungraded(notebook.cells)
    assert "its metadata 'otter' is unknown" in first and "cell 7 (alone): an answer without points" in second
    whole = source_with(tmp_path, *added_cells())[1].cells
    assert list(misplaced(whole)) == [] == list(ungraded(whole))


UNREACHED = {  # lines of tests that cannot work on an answer in another process, by what the sentence names
    "seed()": "np.random.seed(0)", "manual_seed()": "torch.manual_seed(0)", "open()": "f(open('a.txt'))",
    "read_text": "f(Path('a').read_text())", "patch": "with mock.patch('random.random'): f()", "builtins": "builtins.input = f",
    "stdin": "sys.stdin = f", "environ": "os.environ['A'] = f(1)", "signature()": "assert inspect.signature(f)",
    "__code__": "assert f.__code__.co_argcount == 1", "__annotations__": "assert f.__annotations__",
    "asyncio": "asyncio.run(f(1))", "subprocess": "subprocess.run(f(1))", "logging": "logging.info(f)",
    "catch_warnings()": "with warnings.catch_warnings(): f()", "shares_memory()": "np.shares_memory(f(1), x)",
    "deepcopy()": "deepcopy(f(1))", "pickle": "pickle.dumps(f)", "asdict()": "asdict(f(1))", "vars()": "vars(f(1))",
    "__dict__": "f(1).__dict__", "globals()": "globals()['f']", "eval()": "eval('f(1)')",
    "id()": "assert id(f(x))", "backward()": "f(w).backward()", "grad(f)": "labkit.grad(f)(2.0)", "n": "assert n == 1",
    "class T(K)": "class T(K): pass", "type(...) is K": "assert type(f(1)) is K",
}  # fmt: skip
UNREACHED_FROM = """\
n = 0
class K: pass
def f(x):
    global n
    n += 1
    return K()
"""


@pytest.mark.parametrize("named", UNREACHED)
def test_a_line_of_tests_that_cannot_work_is_named_with_what_to_write_instead(named):
    tests = cell("code", "t", f"x = 1\n{UNREACHED[named]}", grade=True, points=1)
    (said,) = misplaced([cell("code", "n", UNREACHED_FROM, solution=True), tests])
    begin, _, instead = said.partition(", which run in another process. ")
    assert begin == f"cell 2 (t): line 2: {named} does not reach the answers" and instead.endswith(".")


def test_names_of_an_answers_own_and_of_methods_are_no_built_in_ones():
    tests = "Die().seed(1)\nmodel.eval()\nseed = 3\ng = np.random.rand(seed)\nassert type(f(1)) is float and row.id() == grad(f)"
    own = cell("code", "n", "class Die:\n    def seed(self, n): pass\ndef grad(f): pass\ndef f(x): pass", solution=True)
    assert list(misplaced([own, cell("code", "t", tests, grade=True, points=1)])) == []


@pytest.mark.needs("bubblewrap")
@pytest.mark.parametrize("tests, said", [
    ("np.random.seed(0)\nassert power(2, 3) == 8", "line 1: seed() does not reach the answers"),
    ("assert power(2, 3) == 9", "fail on your own answers: AssertionError:  (line 1: assert power(2, 3) == 9)"),
    ("assert Bag(1) != Bag(2)", "the tests cannot compare an object of the class Bag (line 1: assert Bag(1) != Bag(2)). Compare"),
])  # fmt: skip
def test_build_refuses_tests_that_do_not_work_before_students_get_anything(tests, said, tmp_path, capsys):
    course, notebook = source_with(tmp_path, *added_cells(), cell("code", "t", tests, grade=True, points=1))
    write(notebook, course.source("a1"))
    assert main(["course", "build", str(tmp_path)]) == 1
    assert said in capsys.readouterr().err and not course.release("a1").exists()


def course_with(tmp_path, *cells):
    course, notebook = source_with(tmp_path, *cells)
    for path, made in ((course.source("a1"), notebook), (course.release("a1"), released(notebook))):
        write(made, path)
    return course


@pytest.mark.needs("bubblewrap")
def test_course_check_tries_the_tests_where_they_will_run(tmp_path):
    weak = cell("code", "weak", "assert True", grade=True, points=1)
    broken = cell("code", "broken", "assert power(2, 3) == 9", grade=True, points=1)
    bare = cell("code", "bare", "assert make() == make()", grade=True, points=1)
    odd = "class Odd:\n    def __eq__(self, other):\n        return True\n"
    torn = f"### BEGIN SOLUTION\n{odd}def make():\n### END SOLUTION\n    return Odd()"
    made = cell("code", "made", torn, solution=True)
    course = course_with(tmp_path, *added_cells(), weak, broken, made, bare)
    said = list(problems(course))
    assert len(said) == 3
    assert "tests 'broken' fail on your own answers: AssertionError" in said[0] and "(line 1: " in said[0]
    assert "'bare' fail" in said[1] and "object of the class Odd" in said[1] and "Compare numbers" in said[1]
    assert "the tests 'weak' pass on the released notebook" in said[2]
    (remark,) = remarks(course)
    assert "(made): the lines around BEGIN SOLUTION and END SOLUTION are not Python" in remark


# ---- what it earns ----


@pytest.mark.needs("bubblewrap")
def test_the_instructors_answers_earn_everything_and_the_empty_release_nothing(results, grader, source):
    found = results(why="It goes back.", behind=["My graph."])
    assert {name: (q.kind, q.points) for name, q in found.items()} == {
        "grad-slip": ("right", 1.0), "test-power": ("right", 2.0), "test-half": ("right", 1.0),
        "test-bag": ("right", 3.0), "why": ("by-hand", 0.0), "project": ("by-hand", 0.0),
    }, [q.detail for q in found.values()]  # fmt: skip
    empty = grader.grade("bob", handed_in(source, {}))
    assert empty.score == 0 and [q.kind for q in empty.questions][-2:] == ["empty", "empty"]
    assert grader.grade("bob", handed_in(source, {"why": "It goes back."})).answers["why"] == "It goes back."


@pytest.mark.needs("bubblewrap")
def test_what_a_test_says_reaches_the_student_without_what_is_hidden(results):
    found = results(power="def power(x, n):\n    return x * n")["test-power"]
    assert (found.kind, found.points, found.text) == ("tests", 0.0, "A test failed: assert power(2, 3) == 8")
    found = results(power="def power(x, n):\n    return int(x) ** n")["test-power"]
    assert found.text == "A hidden test failed.\nDoes it work for numbers with a point?"
    assert "6.25" in found.detail
    found = results(power="def power(x, n):\n    raise type(f'Saw{x}', (KeyError,), {})(x)")["test-power"]
    assert found.text.endswith("It raised an error of its own class.")


@pytest.mark.needs("bubblewrap")
def test_a_number_in_the_last_line_is_partial_credit_as_in_nbgrader(results):
    assert results(power="def power(x, n):\n    return 1")["test-half"].points == 0.5


@pytest.mark.needs("bubblewrap")
def test_a_students_copy_of_the_tests_and_of_locked_code_does_not_matter(results):
    changed = {"test-power": "pass", "test-bag": "import os; os._exit(0)", "helper": "1 / 0"}
    found = results(**changed)
    assert (found["test-power"].points, found["test-bag"].points) == (2.0, 3.0)


def test_all_is_well_is_said_only_when_it_is_and_counts_what_was_added(tmp_path, monkeypatch, capsys):
    course = course_with(tmp_path, *added_cells())
    monkeypatch.setattr(verify, "problems", lambda course: [])
    monkeypatch.setattr(verify, "remarks", lambda course: ["a note"])
    assert main(["course", "check", str(course.folder)]) == 0
    assert capsys.readouterr().out == (
        "Note: a note\nNo problems: every solution is right.\nAssignments: 1. Exercises: 1.\n"
        "Your own questions: 3 with tests, 2 to grade by hand.\n"
    )


@pytest.mark.needs("bubblewrap")
def test_both_jails_die_with_their_grader(family, tmp_path):
    notebook = source_with(tmp_path, *added_cells())[1]
    worker = Worker(assignment_of(notebook), Settings(1, PATIENT))
    try:
        result = graded_by(worker, Work("ann", handed_in(notebook, {"power": None})))
        assert {q.question: q.kind for q in result.questions}["test-power"] == "right"
        below = psutil.Process(worker.helper.process.pid).children()
        assert sum("labkit.sandbox.server" in process.cmdline() for process in below) == 2
        started = family()
    finally:
        worker.helper.process.kill()
    started.wait_for_end()
    worker.kill()
