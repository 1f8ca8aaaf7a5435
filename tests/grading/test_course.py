"""`course.toml`: what it may say, and what is said about it when it is wrong."""

import tomllib

import pytest

from labkit.classroom import EXERCISES
from labkit.grading.course import Course, CourseError, new_course

HEAD = 'title = "T"\nseed = 5\n'
FIRST = '[[assignment]]\nname = "a1"\ntitle = "First"\n'


def read(tmp_path, text):
    (tmp_path / "course.toml").write_text(text, encoding="utf-8")
    return Course.read(tmp_path)


def problems(tmp_path, text):
    with pytest.raises(CourseError) as caught:
        read(tmp_path, text)
    return caught.value.problems


def asking(tmp_path, questions):
    return problems(tmp_path, f"{HEAD}{FIRST}questions = {questions}\n")


def test_the_example_is_a_course_over_many_notebooks(tmp_path):
    new_course(tmp_path / "mine")
    course = Course.read(tmp_path / "mine")
    asked = [name for a in course.assignments for q in a.questions for name in q.exercises]
    assert len(course.assignments) >= 4 and len(asked) == len(set(asked))
    assert len({EXERCISES[name].notebook for name in asked}) >= 12
    assert {a.hints for a in course.assignments} == {True, False} == {a.varies for a in course.assignments}


def test_a_folder_with_something_in_it_is_left_alone(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "course.toml").write_text("precious")
    with pytest.raises(CourseError, match="already exists, and was not changed"):
        new_course(tmp_path / "mine")
    assert [p.name for p in (tmp_path / "mine").iterdir()] == ["course.toml"]
    assert (tmp_path / "mine" / "course.toml").read_text() == "precious"


def test_the_settings_for_nbgrader_are_python_whatever_the_folder_is_called(tmp_path):
    new_course(tmp_path / 'a "b" ü')
    text = (tmp_path / 'a "b" ü' / "nbgrader_config.py").read_text(encoding="utf-8")
    compile(text, "nbgrader_config.py", "exec")
    assert "COURSE_ID" not in text


def test_points_are_the_exercises_unless_said(tmp_path):
    text = """["backprop-write", { exercise = "grad-slip", points = 2.5 },
        { name = "q", any_of = ["port-detach", "port-two-outputs"] }]"""
    course = read(tmp_path, f"{HEAD}{FIRST}questions = {text}")
    assert [(q.name, q.points) for q in course.assignments[0].questions] == [
        ("backprop-write", 3.0),
        ("grad-slip", 2.5),
        ("q", 1.0),
    ]
    assert course.assignments[0].hints is False


@pytest.mark.parametrize(
    "questions, said",
    [
        ('["grad-slop"]', "Did you mean 'grad-slip'"),
        ('["zzzz"]', "there is no exercise 'zzzz'"),
        ('["ward-diagnose"]', "'ward-diagnose' is for practice only"),
        ('[{ name = "q", any_of = ["grad-slip", "ward-patch"] }]', "'ward-patch' is for practice only"),
        ('["grad-slip", "grad-slip"]', "two questions are called 'grad-slip'"),
        ('["grad-slip", { name = "q", any_of = ["grad-slip", "start-order"] }]', "the exercise 'grad-slip' is asked twice"),
        ('[{ exercise = "grad-slip", points = 0 }]', "points is 0; expected a number above 0"),
        ('[{ exercise = "grad-slip", points = -2 }]', "points is -2"),
        ('[{ exercise = "grad-slip", points = nan }]', "points is nan"),
        ('[{ exercise = "grad-slip", points = inf }]', "points is inf"),
        ('[{ exercise = "grad-slip", points = "1" }]', "points is '1'"),
        ('[{ exercise = "grad-slip", points = true }]', "points is True"),
        ('[{ exercise = "grad-slip", point = 2 }]', "unknown key 'point'. Did you mean 'points'?"),
        ('[{ points = 2 }]', "either exercise"),
        ('[{ exercise = "grad-slip", any_of = ["start-order"], name = "q" }]', "either exercise"),
        ('[{ any_of = ["grad-slip", "start-order"] }]', "a question with any_of needs a name"),
        ('[{ name = "q", any_of = ["grad-slip", "backprop-write"] }]', "differ in points (grad-slip 1, backprop-write 3)"),
        ('[{ name = "../q", exercise = "grad-slip" }]', "name is '../q'"),
        ('[{ name = "q", any_of = [] }]', "expected names of exercises"),
        ("[]", "expected a list of questions"),
        ("[7]", "but got 7"),
        ("7", "expected a list of questions"),
    ],
)  # fmt: skip
def test_a_wrong_question_is_named(questions, said, tmp_path):
    (problem,) = asking(tmp_path, questions)
    assert problem.startswith("course.toml: assignment 'a1'") and said in problem


@pytest.mark.parametrize(
    "text, said",
    [
        ("", "it has no title"),
        ('title = "T"\n', "seed is None; expected a whole number"),
        ('title = "T"\nseed = 1.5\n', "seed is 1.5"),
        (HEAD, "there is no assignment"),
        (HEAD + "assignment = 3", "there is no assignment"),
        (HEAD + "exam = 3\n" + FIRST + 'questions = ["grad-slip"]', "unknown key 'exam'"),
        (HEAD + FIRST + 'hint = true\nquestions = ["grad-slip"]', "unknown key 'hint'. Did you mean 'hints'?"),
        (HEAD + FIRST + 'hints = "no"\nquestions = ["grad-slip"]', "hints is 'no'; expected true or false"),
        (HEAD + 2 * (FIRST + 'questions = ["grad-slip"]\n'), "two assignments are called 'a1'"),
        (HEAD + FIRST.replace("a1", "a/1") + 'questions = ["grad-slip"]', "name is 'a/1'"),
        (HEAD + FIRST.replace("a1", "A b") + 'questions = ["grad-slip"]', "name is 'A b'"),
    ],
)
def test_a_wrong_course_is_told(text, said, tmp_path):
    assert any(said in problem for problem in problems(tmp_path, text))


def test_all_problems_are_told_at_once(tmp_path):
    assert len(asking(tmp_path, '["grad-slop", "zzzz", { exercise = "grad-slip", points = 0 }]')) == 3


def test_no_toml_no_file_no_text(tmp_path):
    assert "not valid TOML" in problems(tmp_path, "title = ")[0]
    with pytest.raises(CourseError, match="labkit course new FOLDER"):
        Course.read(tmp_path / "nowhere")
    (tmp_path / "course.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(CourseError, match="cannot be read"):
        Course.read(tmp_path)


def test_the_toml_of_the_example_explains_itself(tmp_path):
    new_course(tmp_path / "mine")
    text = (tmp_path / "mine" / "course.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text) and all(
        word in text for word in ("course check", "course build", "roster", "due", "seed")
    )
