"""Sheets of answers that students might give, one file per notebook in `answers`.

They were written from the exercises' text alone, without a look at the solutions or at the mistakes that the course
expects. So they say how often the course understands an answer that nobody planned for.

    wrong("start-order", "each run of B begins with n = 1", [2, 2, 2])  # a prediction

    @wrong("start-slope", "the run over the rise")  # code
    def slope(x1, y1, x2, y2):
        return (x2 - x1) / (y2 - y1)

`right` marks an answer that has to be accepted, and says what is unusual about it.
"""

import ast
import linecache
import runpy
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

FOLDER = Path(__file__).parent / "answers"
MISSING = object()


@dataclass(frozen=True)
class Answer:
    """What one student hands in for `exercise`; `why` says what was misunderstood, or what is unusual."""

    exercise: str
    right: bool
    why: str
    value: object
    line: int = 0
    notebook: str = ""

    @property
    def place(self):
        """The notebook and the line of its sheet."""
        return f"{self.notebook}:{self.line}"


collected = []


def _hand_in(right, exercise, why, value=MISSING):
    if value is MISSING:
        return partial(_hand_in, right, exercise, why)
    code = getattr(value, "__code__", None)
    collected.append(Answer(exercise, right, why, value, code.co_firstlineno if code else 0))
    return value


wrong = partial(_hand_in, False)
right = partial(_hand_in, True)


def sheets():
    """The paths of all sheets, in the order of the notebooks."""
    return sorted(FOLDER.glob("nb*.py"))


def answers(sheet):
    """All answers of one sheet, in their order."""
    collected.clear()
    names = runpy.run_path(str(sheet))
    lines = _lines(sheet)
    found = [replace(answer, line=line, notebook=sheet.stem[2:]) for answer, line in zip(collected, lines, strict=True)]
    return [replace(each, value=as_cell(each, sheet, names)) if callable(each.value) else each for each in found]


def _lines(sheet):
    """The line of each `wrong(...)` and `right(...)`, as decorator or as a call, in the order in which they run."""
    calls = [
        node
        for node in ast.walk(ast.parse(sheet.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("wrong", "right")
    ]
    return sorted(call.lineno for call in calls)


def as_cell(answer, sheet, names):
    """The function as a notebook would make it: a cell of its own, without the decorator and what it says."""
    source = sheet.read_text().splitlines(keepends=True)
    (found,) = (
        node
        for node in ast.parse("".join(source)).body
        if isinstance(node, ast.FunctionDef) and node.decorator_list and node.decorator_list[0].lineno == answer.line
    )
    cell = "".join(source[found.lineno - 1 : found.end_lineno])
    file = f"<answer {answer.place}>"
    linecache.cache[file] = len(cell), None, cell.splitlines(keepends=True), file
    scope = {**names, "__name__": "__main__"}
    exec(compile(cell, file, "exec"), scope)
    return scope[found.name]
