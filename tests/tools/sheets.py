"""Sheets of answers that students might give, one file per unit in `tests/tutor/answers`.

They were written from the exercises' text alone, without a look at the solutions or at the mistakes that the course
expects. So they say how often the course understands an answer that its authors did not plan for.

    wrong("start-order", "each run of B begins with n = 1", [2, 2, 2])  # a prediction

    @wrong("start-fix", "the sum")  # code
    def mean(values):
        return sum(values)

    wrong("start-fix", "the largest", above("sum -> max"))  # the code above, changed

`right` marks an answer that has to be accepted, and says what is unusual about it.
"""

import ast
import linecache
import runpy
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "tutor" / "answers"
MISSING = object()


@dataclass(frozen=True)
class Answer:
    """What a student submits for `exercise`; `why` says what was misunderstood, or what is unusual."""

    exercise: str
    right: bool
    why: str
    value: object
    line: int = 0
    unit: str = ""

    @property
    def place(self):
        """The unit and the line of its sheet."""
        return f"{self.unit}:{self.line}"


@dataclass(frozen=True)
class Changed:
    """The last function above that is written out, with texts replaced; each text occurs in it once."""

    changes: tuple[str, ...]

    def apply(self, text):
        for old, new in (change.split(" -> ") for change in self.changes):
            assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times in\n{text}"
            text = text.replace(old, new)
        return text


def above(*changes):
    """An answer that differs from the function above it by these: "mean -> sum" replaces mean by sum."""
    return Changed(changes)


_collected = []


def _hand_in(right, exercise, why, value=MISSING):
    if value is MISSING:
        return partial(_hand_in, right, exercise, why)
    _collected.append(Answer(exercise, right, why, value))
    return value


wrong = partial(_hand_in, False)
right = partial(_hand_in, True)


def sheets():
    """The paths of all sheets, in the order of the units: u01 to u14, then e1 to e8."""
    return [*sorted(FOLDER.glob("u*.py")), *sorted(FOLDER.glob("e*.py"))]


def answers(sheet):
    """All answers of one sheet, in their order. A function comes as a notebook would make it, from a cell of its own."""
    _collected.clear()
    names = runpy.run_path(str(sheet))
    source = sheet.read_text(encoding="utf-8")
    found, above_it = [], ("", "")
    for answer, node in zip(_collected, filter(_handed_in, ast.parse(source).body), strict=True):
        placed = replace(answer, unit=sheet.stem, line=node.lineno)
        if isinstance(node, ast.FunctionDef):
            cell = source.splitlines(keepends=True)[node.lineno - 1 : node.end_lineno]  # without the decorator's words
            above_it = node.name, "".join(cell)
            placed = replace(placed, value=_defined(*above_it, f"<answer {placed.place}>", names))
        elif isinstance(answer.value, Changed):
            name, text = above_it
            changed = answer.value.apply(text)
            placed = replace(placed, value=_defined(name, changed, f"<answer {placed.place}>", names))
        found.append(placed)
    return found


def _handed_in(node):
    calls = [node.value] if isinstance(node, ast.Expr) else getattr(node, "decorator_list", [])
    return any(isinstance(call, ast.Call) and call.func.id in ("wrong", "right") for call in calls)


def _defined(name, text, file, names):
    """The function `name` that the text of a cell defines; errors can show its lines."""
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    scope = {**names, "__name__": "__main__"}
    exec(compile(text, file, "exec"), scope)
    return scope[name]
