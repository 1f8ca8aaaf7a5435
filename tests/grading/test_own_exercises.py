"""An instructor's own exercises: written, proved, handed out without their solutions, checked and graded."""

import json
import re

import nbformat
import pytest

from labkit.classroom import EXERCISES, check, doubts, hint, seal, solution, unseal
from labkit.cli import main
from labkit.grading.assignment import Assignment
from labkit.grading.grader import Settings
from labkit.grading.workers import Work, grade_here

RIGHT = "def pull(x, y, v):\n    return v * y, v * x"
SWAPPED = "def pull(x, y, v):\n    return v * x, v * y"
TOML = 'title = "T"\nseed = 7\n[[assignment]]\nname = "a1"\ntitle = "A"\nhints = {hints}\nquestions = ["{name}", "fd-cost"]\n'
SHAPES = '''"""# Own shapes (2 points)

Predict."""

from labkit.classroom.writing import wrong

answer = [(3, 2), (2,), 6]


def reference():
    return [(3, 2), (2,), 2 * 3]


each = wrong("b gets one sum.", {1: (4, 2)})
more = wrong("Fewer.", {2: lambda expected, got: got > expected}, answer={2: 9})
hints = "a", "b", "c"
'''


@pytest.fixture(autouse=True)
def forgotten():
    """What a test makes known is not known to the next one."""
    before = set(EXERCISES)
    yield
    for name in set(EXERCISES) - before:
        EXERCISES.forget(name)


@pytest.fixture
def folder(tmp_path, capsys):
    course = tmp_path / "mine"
    assert main(["course", "new", str(course)]) == 0
    assert main(["course", "exercise", "dot-pull", str(course)]) == 0
    (course / "course.toml").write_text(TOML.format(name="dot-pull", hints="true"))
    capsys.readouterr()
    return course


def own(course, text, name="dot-pull"):
    """The course with this text as its exercise, known and ready to be tried."""
    EXERCISES.forget(name)
    EXERCISES.adopt({name: text})
    return list(doubts(name))


def changed(folder, *replacements):
    text = (folder / "exercises" / "dot_pull.py").read_text()
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.mark.needs("bubblewrap")
def test_the_example_is_built_proved_and_graded(folder, capsys):
    assert main(["course", "build", str(folder)]) == 0
    assert main(["course", "check", str(folder)]) == 0
    assert "Assignments: 1. Exercises: 2." in capsys.readouterr().out
    source, released = (folder / place / "a1" / "a1.ipynb" for place in ("source", "release"))
    EXERCISES.forget("dot-pull")  # a grader knows it from the instructor's notebook alone
    assignment = Assignment.read(source)
    answers = {"right": RIGHT, "swapped": SWAPPED, "empty": "def pull(x, y, v):\n    ..."}
    works = [Work(student, handed_in(released, code)) for student, code in answers.items()]
    results = {r.student: r.questions[0] for r in grade_here(assignment, Settings(1), works)}
    assert {student: (q.kind, q.points) for student, q in results.items()} == {
        "right": ("right", 2.0), "swapped": ("swapped", 0.0), "empty": ("printed", 0.0),
    } or results["empty"].kind == "empty"  # fmt: skip
    assert results["swapped"].text.startswith("The local gradient of x")


def handed_in(released, code):
    notebook = nbformat.read(released, as_version=4)
    next(cell for cell in notebook.cells if cell.id == "answer-dot-pull").source = code
    return nbformat.writes(notebook).encode()


def test_what_students_get_checks_and_hints_without_the_solution(folder):
    assert main(["course", "build", str(folder)]) == 0
    text = (folder / "release" / "a1" / "a1.ipynb").read_text()
    assert "v * y, v * x" not in text and json.loads(text)["metadata"]["labkit"] == {"assignment": "a1"}
    (cell,) = (cell for cell in json.loads(text)["cells"] if cell["id"] == "own-exercises")
    EXERCISES.forget("dot-pull")
    assert check("dot-pull", 1).kind == "unknown"
    exec("".join(cell["source"]), {})
    assert check("dot-pull", lambda x, y, v: (v * y, v * x)).kind == "right"
    assert check("dot-pull", lambda x, y, v: (v * x, v * y)).kind == "swapped"
    assert check("dot-pull", lambda x, y, v: (v * y, y)).kind not in ("right", "error")
    assert check("dot-pull", lambda x, y: x).kind == "arguments" and check("dot-pull", ...).kind == "empty"
    assert "Hint 1 of 3: Change one element" in hint("dot-pull")
    assert solution("dot-pull") == "The solution of this exercise is with your instructor."


def test_without_hints_nothing_of_it_is_handed_out(folder):
    (folder / "course.toml").write_text(TOML.format(name="dot-pull", hints="false"))
    assert main(["course", "build", str(folder)]) == 0
    assert "own-exercises" not in (folder / "release" / "a1" / "a1.ipynb").read_text()


def test_a_sealed_prediction_tells_its_reasons():
    EXERCISES.adopt({"own-shapes": SHAPES})
    text = seal([EXERCISES["own-shapes"]])
    EXERCISES.forget("own-shapes")
    unseal(text)
    assert check("own-shapes", [(3, 2), (2,), 6]).kind == "right"
    assert check("own-shapes", [(3, 2), (4, 2), 7]).kind == "each"
    with pytest.raises(ValueError, match="expected the text as it was handed out"):
        unseal(text[:-9])


def test_a_changed_exercise_is_built_anew(folder, capsys):
    assert main(["course", "build", str(folder)]) == 0
    (folder / "exercises" / "dot_pull.py").write_text(changed(folder, ("x is the other factor", "x is another factor")))
    assert main(["course", "check", str(folder)]) == 1
    assert "does not match course.toml (the exercise 'dot-pull'). Run: labkit course build" in capsys.readouterr().out


@pytest.mark.parametrize(
    "old, new, said",
    [
        ("rng.normal(size=3).round(2), rng", "np.random.normal(size=3), rng", "different inputs for the same seed"),
        (
            "rng.normal(size=3).round(2), rng.normal(size=3).round(2), round(float(rng.uniform(1.5, 3.0)), 2)",
            "np.ones(3), np.ones(3), 2.0",
            "the same inputs for every seed",
        ),
        ("round(float(rng.uniform(1.5, 3.0)), 2)", "lambda: 1", "cannot be sent to the sandbox"),
        ("hints = (", "ways = ()\nhints = (", None),
        ("return v * x, v * y", "return v * y, v * x", "'swapped' is accepted: let draw"),
        (
            "return y, x",
            "return v * x, v * y",
            "'arrived forgotten' gets the verdict 'swapped', not 'arrived-forgotten'",
        ),
        ('@judged("value")', '@judged("swaped")', "not 'swaped'. Did you mean"),
        ("np.allclose(got[0], -expected[0])", "True", "'turned' also fits the right answer"),
    ],
)
def test_what_does_not_hold_is_said(folder, old, new, said):
    found = own(folder, changed(folder, (old, new)))
    assert (not found) if said is None else re.search(re.escape(said), "\n".join(found)), found


def test_the_solution_must_be_what_the_reference_gives(folder):
    reference = "def reference(x, y, v):\n    return (v * y, v * x) if v > 1.6 else (v * y, x)\n\n\ndef draw"
    found = own(folder, changed(folder, ("def draw", reference)))
    assert any("the solution differs from reference(...) with seed" in doubt for doubt in found), found


@pytest.mark.parametrize(
    "old, new, said",
    [
        ("import numpy as np", "import nothing_there", r"exercises/dot_pull.py \(line \d+\): ModuleNotFoundError"),
        ("def dot(x, y):", "def dot(x, y:", r"exercises/dot_pull.py \(line \d+\): SyntaxError"),
        ("# The VJP of a dot product (2 points)", "The VJP", 'such as "# A title \\(2 points\\)"'),
        ("rng.normal(size=3)", "rng.normall(size=3)", r"exercises/dot_pull.py \(line \d+\): AttributeError"),
    ],
)
def test_a_file_that_is_no_exercise_is_named_with_its_line(folder, capsys, old, new, said):
    text = changed(folder, (old, new))
    (folder / "exercises" / "dot_pull.py").write_text(text)
    assert main(["course", "build", str(folder)]) == 1
    assert re.search(said, capsys.readouterr().err)


def test_names_are_looked_at(folder, capsys):
    for name, said in (
        ("dot-pull", "'dot-pull' exists already"),
        ("grad-slip", "see a guided notebook"),
        ("A B", "not a name"),
    ):
        assert main(["course", "exercise", name, str(folder)]) == 1
        assert said in capsys.readouterr().err
    (folder / "exercises" / "grad_slip.py").write_text(SHAPES)
    assert main(["course", "build", str(folder)]) == 1
    assert "there is an exercise 'grad-slip' already" in capsys.readouterr().err
