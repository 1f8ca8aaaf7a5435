"""An assignment to which an instructor has added questions by hand, in nbgrader's way, and what students make of it."""

import nbformat

from labkit.grading.assignment import Assignment
from labkit.grading.build import instructor_notebook
from labkit.grading.course import Course
from labkit.grading.notebooks import new_cell, writes
from labkit.grading.release import released

TOML = 'title = "T"\nseed = 7\n[[assignment]]\nname = "a1"\ntitle = "First"\nquestions = ["grad-slip"]\n'

POWER = """\
def power(x, n):
    ### BEGIN SOLUTION
    return x**n
    ### END SOLUTION
"""
POWER_TESTS = """\
assert power(2, 3) == 8
### BEGIN HIDDEN TESTS
assert abs(power(2.5, 2) - 6.25) < 1e-9, "Does it work for numbers with a point?"
np.testing.assert_allclose(power(np.array([1.0, 2.0]), 2), [1.0, 4.0])
### END HIDDEN TESTS
"""
BAG = """\
def tidy(xs):
    xs.sort()

class Bag:
    def __init__(self, *items):
        self.items = list(items)
    def put(self, item):
        self.items.append(item)
        return self
    def __add__(self, other):
        return Bag(*self.items, *other.items)
    def __eq__(self, other):
        return self.items == other.items

def over(f, xs):
    return [f(x) for x in xs]

def slope(f, x):
    return labkit.grad(f)(x)

def greet(name):
    print("hello", name)
    if not name:
        raise ValueError("no name")
    return {"seen": {name}, "letters": len(name)}
"""
BAG_TESTS = """\
from io import StringIO
from contextlib import redirect_stdout
xs = [3, 1, 2]
tidy(xs)
assert xs == [1, 2, 3]
b = Bag(1).put(2)
assert isinstance(b, Bag) and b.items == [1, 2]
assert b + Bag(3) == Bag(1, 2, 3)
assert over(lambda x: x * 2, [1, 2]) == [2, 4] and over(len, ["ab"]) == [2] and over(np.sin, [0.0]) == [0.0]
assert abs(slope(lambda x: x**2 + np.sin(x) if x > 1 else x, 1.5) - (3 + np.cos(1.5))) < 1e-6
assert slope(np.sin, 0.0) == 1.0 and slope(np.exp, 0.0) == 1.0
assert torch.equal(over(torch.relu, [torch.tensor([-1.0, 2.0])])[0], torch.tensor([0.0, 2.0]))
with redirect_stdout(StringIO()) as out:
    assert greet("ada") == {"seen": {"ada"}, "letters": 3}
assert out.getvalue() == "hello ada\\n"
try:
    greet("")
    raise AssertionError("no error")
except ValueError as error:
    assert str(error) == "no name"
"""
HALF_TESTS = "earned = sum(power(n, 1) == n for n in range(2))\nearned / 2"


def cell(kind, grade_id, source, **marks):
    flags = {"grade": False, "solution": False, "locked": False, "task": False, "schema_version": 3}
    return new_cell(kind, source, grade_id, {"nbgrader": {**flags, "grade_id": grade_id, **marks}})


def added_cells():
    return [
        cell("markdown", "ask-power", "## Powers\n\nWrite `power(x, n)`.", locked=True),
        cell("code", "power", POWER, solution=True),
        cell("code", "helper", "def twice(f):\n    return lambda *a: f(*a) + f(*a)", locked=True),
        cell("code", "test-power", POWER_TESTS, grade=True, locked=True, points=2),
        cell("code", "test-half", HALF_TESTS, grade=True, locked=True, points=1),
        cell("code", "bag", BAG, solution=True),
        cell("code", "test-bag", BAG_TESTS, grade=True, locked=True, points=3),
        cell("markdown", "ask-why", "## Why?\n\nWhy does the tape run backwards?", locked=True),
        cell(
            "markdown", "why", "=== BEGIN MARK SCHEME ===\nOne point for each reason.\n=== END MARK SCHEME ===\n\n"
            "Because one result has many inputs.", grade=True, solution=True, points=4,
        ),
        cell("markdown", "project", "## A project\n\nDraw a graph.", task=True, locked=True, points=5),
    ]  # fmt: skip


def source_with(folder, *cells):
    """An instructor's notebook with these cells behind its own."""
    (folder / "course.toml").write_text(TOML)
    course = Course.read(folder)
    notebook = instructor_notebook(course, course.assignments[0])
    notebook.cells += cells
    return course, notebook


def assignment_of(notebook):
    return Assignment.from_notebook(notebook)


def handed_in(notebook, answers, behind=()):
    """A student's notebook: the release with `answers` by id, the instructor's own where they are None."""
    release = released(notebook)
    own = {one.id: one.source for one in notebook.cells}
    for one in release.cells:
        if one.id in answers:
            one.source = own[one.id] if answers[one.id] is None else answers[one.id]
    release.cells += [nbformat.v4.new_markdown_cell(text) for text in behind]
    return writes(release).encode()
