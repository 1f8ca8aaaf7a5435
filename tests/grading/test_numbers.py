"""Numbers drawn for each student, from `course.toml` to the grade."""

import nbformat
import pytest
from patience import PATIENT

from labkit.classroom import EXERCISES
from labkit.grading.assignment import Assignment
from labkit.grading.course import Course, CourseError
from labkit.grading.course_file import VERSIONS, planned_question, versions
from labkit.grading.grader import Grader, Settings
from labkit.grading.handout import hand_out
from labkit.grading.rescoring import stale
from labkit.grading.verify import problems

BEGIN = 'title = "T"\nseed = 7\n[[assignment]]\nname = "a1"\ntitle = "First"\n'
DRAWN = BEGIN + 'questions = ["grad-slip", { exercise = "fd-cost", drawn = true }]\n'
OWN = '''"""# Twice (1 point)

What is twice [[n]]? Answer with a list of one number.
"""

from labkit.classroom.writing import drawn, wrong

n = drawn(3, lambda rng: int(rng.integers(10, 99)))
answer = [2 * n]


def reference():
    return [n + n]


once = wrong("That is n.", {0: n})
hints = "Twice.", "Twice.", "Add n."
'''


@pytest.fixture(scope="module")
def handout(make_handout):
    return make_handout(DRAWN)


def asked(handout, student):
    return next(q.exercise for q in handout.assignment.for_student(student).questions if q.name == "fd-cost")


def test_students_get_different_numbers_and_always_the_same_ones(handout):
    names = {student: asked(handout, student) for student in map("s{:03}".format, range(60))}
    assert len(set(names.values())) > VERSIONS // 2 and set(names.values()) <= set(versions("fd-cost", 7, "fd-cost"))
    again = Assignment.read(handout.source)
    assert {student: again.for_student(student).questions[1].exercise for student in names} == names
    assert not set(versions("fd-cost", 8, "fd-cost")) & set(names.values())  # another year, other numbers


def test_the_notebook_of_a_student_has_their_numbers(handout):
    mine, theirs = (nbformat.read(handout.course.personal(student, "a1"), as_version=4) for student in ("ann", "bob"))
    statement = {one.metadata["labkit"]["student"]: one for one in (mine, theirs)}
    for student, notebook in statement.items():
        version = EXERCISES[asked(handout, student)]
        (text,) = [cell.source for cell in notebook.cells if cell.id == "statement-fd-cost"]
        assert version.statement in text
        assert notebook.metadata["labkit"]["variant"] == {"fd-cost": version.name}
    assert asked(handout, "ann") != asked(handout, "bob")


@pytest.mark.needs("bubblewrap")
def test_each_is_graded_by_their_own_numbers(handout):
    with Grader(handout.assignment, Settings(seed=3, pace=PATIENT)) as grader:
        results = {s: grader.grade(s, handout.notebook(student=s)) for s in ("ann", "bob")}
        copied = EXERCISES[asked(handout, "bob")].solution.replace("answer", "answer_2")
        cheated = grader.grade("ann", handout.notebook({"fd-cost": copied}, student="ann"))
    assert [result.score for result in results.values()] == [3.0, 3.0] and cheated.score == 1.0
    assert [q.exercise for q in results["ann"].questions] == ["grad-slip", asked(handout, "ann")]
    again = [stale(result, handout.assignment) for result in results.values()]
    assert again == [frozenset(), frozenset()]


def test_what_is_said_where_nothing_is_drawn(tmp_path):
    (tmp_path / "course.toml").write_text(BEGIN + 'questions = [{ exercise = "grad-slip", drawn = true }]\n')
    with pytest.raises(
        CourseError, match=r"question 1: grad-slip: not available with random numbers\. These are: .*fd-cost"
    ):
        Course.read(tmp_path)


def test_for_a_whole_assignment_it_concerns_those_that_draw():
    usual = {"drawn": True}
    assert planned_question("grad-slip", 1, usual).exercises == ("grad-slip",)
    assert len(planned_question("fd-cost", 1, usual).exercises) == VERSIONS
    assert planned_question({"exercise": "fd-cost", "drawn": False}, 1, usual).exercises == ("fd-cost",)
    several = planned_question({"name": "q", "any_of": ["fd-cost", "sick-bytes"], "drawn": True}, 1)
    assert len(several.exercises) == 2 * VERSIONS and several.name == "q"


@pytest.mark.needs("bubblewrap")
def test_an_exercise_of_ones_own_may_draw_and_is_proved_in_every_version(tmp_path):
    (tmp_path / "exercises").mkdir()
    (tmp_path / "exercises" / "own_twice.py").write_text(OWN)
    (tmp_path / "course.toml").write_text(BEGIN + 'hints = true\ndrawn = true\nquestions = ["own-twice"]\n')
    course = Course.read(tmp_path)
    hand_out(course, course.assignments[0], ("ann",))
    assert list(problems(course)) == []
    wrong = OWN.replace("answer = [2 * n]", "answer = [6]")
    (tmp_path / "exercises" / "own_twice.py").write_text(wrong)
    course = Course.read(tmp_path)
    course.source("a1").unlink()
    hand_out(course, course.assignments[0], ("ann",))
    assert any("is wrong" in problem for problem in problems(course))
    EXERCISES.forget("own-twice")
