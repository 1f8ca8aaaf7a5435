"""Partial credit: by item in predictions, by property in functions, and only where somebody says so."""

from dataclasses import replace

import autograd
import numpy as np
import pytest
from patience import PATIENT

from labkit.classroom import EXERCISES, Exercise, share_of_calls, share_of_value
from labkit.evidence import try_call
from labkit.grading.assignment import Assignment
from labkit.grading.course import Course, CourseError
from labkit.grading.grader import Grader, Settings

TOML = """
title = "T"
seed = 7
[[assignment]]
name = "a1"
title = "First"
partial = true
questions = [
    "start-order", { exercise = "own-signs", points = 4 }, { exercise = "grad-slip", partial = false },
]
"""
OWN = '''"""# Sign and size (2 points)

Write `both(x)`: the absolute value of x, and its square.
"""
from labkit.classroom.writing import judged

def both(x):
    return abs(x), x * x

draw = (lambda rng: (1.0 + float(rng.random()),)), (lambda rng: (-1.0 - float(rng.random()),))

@judged("value")
def half(x):
    return x, x * x

hints = "a", "b", "c"
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("partial")
    (folder / "exercises").mkdir()
    (folder / "exercises" / "own_signs.py").write_text(OWN)
    (folder / "course.toml").write_text(TOML)
    yield folder
    EXERCISES.forget("own-signs")


def test_the_course_the_assignment_or_the_exercise_says_so(folder, tmp_path):
    asked = Course.read(folder).assignments[0].questions
    assert [(q.name, q.partial) for q in asked] == [("start-order", True), ("own-signs", True), ("grad-slip", False)]
    (folder / "course.toml").write_text(TOML.replace("partial = true\n", ""))
    assert not any(q.partial for q in Course.read(folder).assignments[0].questions)
    (folder / "exercises" / "own_signs.py").write_text(OWN + "partial_credit = True\n")
    assert [q.partial for q in Course.read(folder).assignments[0].questions] == [False, True, False]
    (folder / "exercises" / "own_signs.py").write_text(OWN)
    (folder / "course.toml").write_text(TOML.replace("partial = true", 'partial = "yes"'))
    with pytest.raises(CourseError, match="partial is 'yes'; expected true or false"):
        Course.read(folder)
    (folder / "course.toml").write_text(TOML)
    assert not any(exercise.partial_credit for name, exercise in EXERCISES.items() if name != "own-signs")


@pytest.mark.parametrize(
    "answer, right", [([2, 3, 2], 3), ([2, 3, 3], 2), ((2, ..., 3), 1), ([2], 0), (7, 0), (None, 0)]
)
def test_a_prediction_counts_its_items(answer, right):
    order = EXERCISES["start-order"]
    expected = [2, 3, 2]
    assert share_of_value(order, answer, lambda: expected) == (right, 3)


@pytest.mark.parametrize(
    "function, right",
    [
        (lambda x: (abs(x), x * x), 4),
        (lambda x: (x, x * x), 3),  # wrong for what is below 0
        (lambda x: (abs(x), 0.0), 2),
        (lambda x: (abs(x), x * x) if x > 0 else 1 / 0, 2),
        (lambda x: abs(x), 0),
        (lambda x, y: (abs(x), x * x), 0),
    ],
)
def test_a_function_counts_branches_and_parts(function, right, folder):
    Course.read(folder)
    exercise: Exercise = EXERCISES["own-signs"]
    inputs = [*exercise.inputs(), *exercise.inputs(3)]
    tried = [try_call(function, drawn) for drawn in inputs]
    assert share_of_calls(exercise, inputs, tried, exercise.expected) == (right, 4)


def test_a_changed_argument_and_an_input_that_was_not_tried_earn_nothing(folder):
    def spoils(a):
        a[:] = 0
        return 1.0

    exercise = EXERCISES["own-signs"]
    arrays = Exercise(
        **{**vars(exercise), "reference": lambda a: 1.0, "draw": lambda rng: (rng.normal(size=2),), "draws": 1}
    )
    (drawn,) = arrays.inputs()
    assert share_of_calls(arrays, [drawn], [try_call(spoils, drawn)], arrays.expected) == (0, 1)
    assert share_of_calls(arrays, [drawn], [], arrays.expected) == (0, 1)
    assert share_of_calls(arrays, [drawn], [try_call(lambda a: 1.0, drawn)], arrays.expected) == (1, 1)
    assert np.isfinite(drawn[0]).all()


@pytest.mark.parametrize(
    "slope", [lambda f, x, y: autograd.grad(f)(x, y), lambda f, x, y: (f(x + 1e-6, y) - f(x - 1e-6, y)) / 2e-6]
)
def test_what_is_forbidden_earns_nothing_beside_a_wrong_part_either(slope):
    def answer(x, y):
        z, _, d_y = EXERCISES["graph-by-hand"].expected((x, y))
        return z + 1, slope(lambda x, y: (x * y + x) * (x * y), x, y), d_y

    exercise = EXERCISES["graph-by-hand"]
    inputs = list(exercise.inputs())
    tried = [try_call(answer, drawn, watch=exercise.watched) for drawn in inputs]
    assert share_of_calls(exercise, inputs, tried, exercise.expected) == (0, 12)
    plain = [try_call(lambda x, y: (7.0, *exercise.expected((x, y))[1:]), d, watch=exercise.watched) for d in inputs]
    assert share_of_calls(exercise, inputs, plain, exercise.expected) == (8, 12)


DEMANDING = "grad-fix port-two-outputs reverse-gradient straight-through own-hvp step-port step-write parallel-words"


@pytest.mark.parametrize("name", DEMANDING.split())
def test_a_part_by_a_formula_earns_nothing_beside_a_wrong_part_where_a_method_is_demanded(name):
    exercise = EXERCISES[name]
    inputs = list(exercise.inputs())
    found = [exercise.expected(drawn) for drawn in inputs]
    found = [(0.5, *one[1:]) for one in found] if isinstance(found[0], tuple) else [0.5, *found[1:]]
    tried = [
        try_call(lambda *_, one=one: one, drawn, watch=exercise.watched)
        for drawn, one in zip(inputs, found, strict=True)
    ]
    assert share_of_calls(exercise, inputs, tried, exercise.expected)[0] == 0
    assert share_of_calls(replace(exercise, ways=()), inputs, tried, exercise.expected)[0] > 0


@pytest.mark.needs("bubblewrap")
def test_a_grade_has_the_share_and_says_so(folder, same_sandbox):
    from labkit.grading.build import instructor_notebook
    from labkit.grading.notebooks import writes

    course = Course.read(folder)
    notebook = instructor_notebook(course, course.assignments[0])
    answers = {
        "answer-start-order": "answer_1 = [0, 0, 0]", "answer-grad-slip": "answer_3 = 3.0",
        "answer-own-signs": "def both(x):\n    if x < 0:\n        raise ValueError(x)\n    return abs(x), x * x",
    }  # fmt: skip
    right = list(EXERCISES["start-order"].expected())
    answers["answer-start-order"] = f"answer_1 = {[right[0], right[1], right[2] + 1]}"
    for cell in notebook.cells:
        cell.source = answers.get(cell.id, cell.source)
    with Grader(Assignment.from_notebook(notebook), Settings(3, PATIENT)) as grader:
        result = grader.grade("ann", writes(notebook).encode())
    found = {question.question: question for question in result.questions}
    worth = EXERCISES["start-order"].points
    assert found["start-order"].points == pytest.approx(worth * 2 / 3)
    assert (found["own-signs"].points, found["own-signs"].share, found["own-signs"].kind) == (2.0, 0.5, "error")
    assert found["own-signs"].text.endswith("Partial credit: 2 of 4 parts are right.")
    assert (found["grad-slip"].points, found["grad-slip"].share) == (0.0, 0.0)
