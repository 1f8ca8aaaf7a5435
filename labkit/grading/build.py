"""Notebooks of an assignment: the instructor's, the students', and one student's own."""

import ast
import copy
import hashlib
import io
import json
import re
import tokenize
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import Any

from ..classroom import EXERCISES, base_of, seal
from ..messages.wrapping import one_or_many
from .assignment import Assignment, Question, Slot, grade_id_of, questions
from .course import Course
from .course_file import PlannedAssignment
from .notebooks import new_cell, new_notebook

INTRODUCTION = (
    "# {title}\n\n{asked} In the cell below each question, replace the `...` by your answer, and keep the name. "
    "You may add cells. Do not change the cells with the questions and the checks."
)
HEADINGS = "## Question {place}: {title} ({number} point)", "## Question {place}: {title} ({number} points)"
GRADED = "# This cell is graded. Do not change it."
GRADED_AS = '# This cell is graded ("{name}"). Do not change it.'
_CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
HINTS = '\n\nHints: run `hint("{name}")` in a cell of your own.'


def renamed(source: str, old: str, new: str) -> str:
    """`source` with the name `old` replaced; attributes, texts and comments stay.

    >>> renamed("step = optimizer.step()  # a step", "step", "step_2")
    'step_2 = optimizer.step()  # a step'
    """
    lines = source.splitlines(keepends=True)
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    for before, token in reversed([(tokenize.TokenInfo(0, "", (0, 0), (0, 0), ""), tokens[0]), *pairwise(tokens)]):
        if token.type == tokenize.NAME and token.string == old and before.string != ".":
            (row, start), (_, end) = token.start, token.end
            lines[row - 1] = lines[row - 1][:start] + new + lines[row - 1][end:]
    return "".join(lines)


def helpers(source: str) -> set[str]:
    """The functions and classes that a source defines."""
    return {node.name for node in ast.parse(source).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


def solution_source(exercise: str, bound: str, taken: Collection[str] = (), suffix: str = "_") -> str:
    """The exercise's solution as a source that defines `bound` and none of the names `taken`.

    >>> print(solution_source("port-to-torch", "port_3"))
    def port_3(v):
        (v**2).sum().backward()
        return v.grad
    """
    source = EXERCISES[exercise].solution.strip()
    *_, last = ast.parse(source).body
    before = "\n".join(source.splitlines()[: last.lineno - 1]).rstrip()
    alias = last.value.id if isinstance(last, ast.Assign) and isinstance(last.value, ast.Name) else ""
    if alias in helpers(before) and (alias == bound or bound not in _names(before)):
        source = renamed(before, alias, bound)
    else:
        source = renamed(source, "answer", bound)
    for name in sorted((helpers(source) - {bound}) & set(taken)):
        source = renamed(source, name, name + suffix)
    return source


def _names(source: str) -> set[str]:
    return {t.string for t in tokenize.generate_tokens(io.StringIO(source).readline) if t.type == tokenize.NAME}


def renamed_in_text(text: str, old: str, new: str) -> str:
    """Markdown with the name `old` replaced where it is code.

    >>> renamed_in_text("Take a step: write `step(w)`.", "step", "step_2")
    'Take a step: write `step_2(w)`.'
    """
    word = re.compile(rf"(?<![\w.]){re.escape(old)}(?!\w)")
    return _CODE.sub(lambda code: word.sub(new, code[0]), text)


SETUP = """\
import numpy as np

import labkit
import labkit.mindspore as ms
import labkit.torch as torch"""
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def instructor_notebook(course: Course, planned: PlannedAssignment) -> Any:
    """The instructor's notebook: solutions and hidden tests between nbgrader's marks, its metadata on every cell.

    The notebook's metadata "labkit" holds what `Assignment.read` needs.
    """
    EXERCISES.adopt(course.own)
    slots = slots_of(planned)
    chosen = tuple(slot.any_of[0] for slot in slots)
    points = [question.points for question in planned.questions]
    asked = questions(slots, chosen, points)
    ours = [exercise for q in planned.questions for exercise in q.exercises if base_of(exercise) in course.own]
    own = {base_of(exercise): course.own[base_of(exercise)] for exercise in ours}
    cells = [_title(planned, sum(points)), _setup(planned.hints), *[_sealed(ours)] * bool(own and planned.hints)]
    cells += question_cells(asked, planned.hints).values()
    data = {
        "assignment": planned.name, "title": planned.title, "seed": course.seed, "hints": planned.hints,
        "slots": [
            {"name": slot.name, "any_of": [list(pair) for pair in slot.any_of], **({"partial": True} if slot.partial else {})}
            for slot in slots
        ],
        **({"own": own} if own else {}),
    }  # fmt: skip
    notebook = new_notebook(cells, copy.deepcopy(METADATA))
    notebook.metadata["labkit"] = {**data, "digest": digest(notebook)}
    return notebook


def slots_of(planned: PlannedAssignment) -> tuple[Slot, ...]:
    """The questions of `course.toml` as the notebook's metadata hold them."""
    return tuple(
        Slot(q.name, tuple((e, EXERCISES[e].binds) for e in q.exercises), q.partial) for q in planned.questions
    )


def personal(source: Any, assignment: Assignment, student: str) -> Any:
    """The instructor's notebook `source` with the questions that one student gets; its metadata say whose, and which."""
    asked = assignment.for_student(student).questions
    notebook = variant(source, asked)
    chosen = {question.name: question.exercise for question in asked if question.name in assignment.varying}
    notebook.metadata["labkit"] |= {"student": student, "variant": chosen}
    return notebook


def variant(source: Any, asked: Sequence[Question]) -> Any:
    """The instructor's notebook `source` with other questions asked. What was changed by hand elsewhere stays."""
    default = Assignment.from_notebook(source)
    cells = question_cells(asked, bool(source.metadata["labkit"].get("hints")))
    changed = {
        grade_id
        for ours, theirs in zip(default.questions, asked, strict=True)
        if ours != theirs
        for grade_id in _ids(theirs)
    }
    notebook = copy.deepcopy(source)
    notebook.cells = [
        cells[grade_id] if (grade_id := grade_id_of(cell)) in changed else cell for cell in notebook.cells
    ]
    return notebook


def question_cells(asked: Sequence[Question], hints: bool) -> dict[str, Any]:
    """Statement, solution cell and grade cell of each question, by `grade_id`."""
    taken = {question.binds for question in asked}
    cells = {}
    for k, question in enumerate(asked, 1):
        solution = solution_source(question.exercise, question.binds, taken - {question.binds}, f"_{k}")
        taken |= helpers(solution)
        statement_id, answer_id, check_id = _ids(question)
        cells[statement_id] = _statement(k, question, hints)
        cells[answer_id] = _answer(question, solution)
        cells[check_id] = _check(question, hints)
    return cells


def digest(notebook: Any) -> str:
    """A text that changes when a cell is edited: outputs and the notebook's metadata do not count."""
    cells = [[cell.cell_type, cell.source, cell.metadata.get("nbgrader", {})] for cell in notebook.cells]
    return hashlib.sha256(json.dumps(cells, sort_keys=True).encode()).hexdigest()[:16]


def _ids(question: Question) -> tuple[str, str, str]:
    return f"statement-{question.name}", question.answer_id, question.check_id


def _cell(kind: str, grade_id: str, source: str, **nbgrader: Any) -> Any:
    data = {
        "grade": False,
        "locked": False,
        "schema_version": 3,
        "solution": False,
        "task": False,
        "grade_id": grade_id,
    }
    return new_cell(kind, source, grade_id, {"nbgrader": {**data, **nbgrader}})


def what_is_asked(number: int, points: float) -> str:
    """How many questions an assignment asks, and for how many points, as its first cell says it.

    >>> what_is_asked(1, 2.5)
    'Questions: 1. Points: 2.5.'
    """
    return "Questions: {number}. Points: {points:g}.".format(number=number, points=points)


def _title(planned: PlannedAssignment, points: float) -> Any:
    text = INTRODUCTION.format(title=planned.title, asked=what_is_asked(len(planned.questions), points))
    return _cell("markdown", "title", text, locked=True)


def _setup(hints: bool) -> Any:
    return _cell(
        "code",
        "setup",
        SETUP + "\nfrom labkit import check, hint\nfrom labkit.classroom import require" * hints,
        locked=True,
    )


def _sealed(own: Iterable[str]) -> Any:
    """The cell from which `check` knows exercises that labkit does not bring, without their solutions."""
    text = seal(EXERCISES[name] for name in own)
    source = f'from labkit.classroom import unseal\n\nunseal("""\n{text}\n""")  # what check and hint need'
    return _cell("code", "own-exercises", source, locked=True)


def _statement(k: int, question: Question, hints: bool) -> Any:
    exercise = EXERCISES[question.exercise]
    text, usual = exercise.statement.strip(), exercise.binds
    if not exercise.is_prediction and question.binds != usual:
        text = renamed_in_text(text, usual, question.binds)
    if not exercise.is_prediction and f"`{question.binds}" not in text and f"def {question.binds}(" not in text:
        text += "\n\nIn the cell below, the function is called `{binds}`.".format(binds=question.binds)
    if hints:
        text += HINTS.format(name=exercise.name)
    heading = one_or_many(question.points, *HEADINGS, place=k, title=exercise.title)
    return _cell("markdown", f"statement-{question.name}", f"{heading}\n\n{text}", locked=True)


def _answer(question: Question, solution: str) -> Any:
    exercise = EXERCISES[question.exercise]
    begun = renamed(exercise.stub, exercise.binds, question.binds)
    source = f"{begun}\n### BEGIN SOLUTION\n{solution}\n### END SOLUTION"
    return _cell("code", question.answer_id, source, solution=True)


def _check(question: Question, hints: bool) -> Any:
    name = question.exercise
    call = f'require("{name}", {question.binds})'
    hidden = f"from labkit.classroom import require\n\n{call}"
    remark = GRADED if name == question.name else GRADED_AS  # which of several: also where metadata are lost
    source = f"{call if hints else remark.format(name=name)}\n### BEGIN HIDDEN TESTS\n{hidden}"
    points = int(question.points) if question.points.is_integer() else question.points
    cell = _cell("code", question.check_id, f"{source}\n### END HIDDEN TESTS", grade=True, locked=True, points=points)
    cell.metadata["tags"] = ["raises-exception"]  # a wrong answer does not stop Run All
    return cell
