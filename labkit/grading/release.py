"""From the instructor's notebook to the student's, exactly as `nbgrader generate_assignment` makes it."""

import copy
import hashlib
import re
from typing import Any

from .bindings import is_python

_BEGIN = re.compile(r"^(?=.*BEGIN SOLUTION.*\n(?:[ \t]*\n)*([ \t]*)\S)", re.MULTILINE)  # and the indent below it


def released(notebook: Any) -> Any:
    """The version for students of an instructor's notebook: no solutions, no hidden tests, no results, locked cells.

    It equals what `nbgrader generate_assignment` makes in a folder with our `nbgrader_config.py`. The notebook given
    stays as it is.
    """
    release = copy.deepcopy(notebook)
    release.metadata["labkit"] = public_metadata(notebook.metadata["labkit"])
    release.metadata.pop("celltoolbar", None)
    for cell in release.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
            for field in ("collapsed", "scrolled"):
                cell.metadata.pop(field, None)
        cell.source = for_students(cell)
        _lock(cell)
    return release


def public_metadata(data: dict[str, Any]) -> dict[str, Any]:
    """What a student's notebook may reveal of the instructor's data: the assignment's name, and in a student's own notebook
    whose it is and which exercise each question asks."""
    return {key: data[key] for key in ("assignment", "student", "variant") if key in data}


def without(source: str, region: str, instead: tuple[str, ...] = ()) -> str:
    """`source` without the lines from `BEGIN region` to `END region`.

    >>> without("a = ...\\n### BEGIN SOLUTION\\na = 1\\n### END SOLUTION", "SOLUTION")
    'a = ...'
    """
    kept: list[str] = []
    inside = False
    for line in source.split("\n"):
        if f"BEGIN {region}" in line:
            inside = True
            indent = line[: len(line) - len(line.lstrip())]
            kept.extend(indent + one for one in instead)
        elif f"END {region}" in line:
            inside = False
        elif not inside:
            kept.append(line)
    return "\n".join(kept)


def stubbed(source: str) -> str:
    r"""`source` with three dots before a solution without which it would be no Python.

    >>> stubbed("def f(x):\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION")
    'def f(x):\n    ...\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION'
    """
    if "BEGIN SOLUTION" not in source or is_python(without(source, "SOLUTION")):
        return source
    dots = _BEGIN.sub(r"\1...\n", source)
    return dots if is_python(without(dots, "SOLUTION")) else source


def for_students(cell: Any) -> str:
    """The source of a cell as a student gets it. A solution cell without a marked region is solution all over."""
    code = cell.cell_type == "code"
    if cell.metadata.get("nbgrader", {}).get("solution") and "BEGIN SOLUTION" not in cell.source:
        return "" if code else "YOUR ANSWER HERE"
    source = without(stubbed(cell.source) if code else cell.source, "SOLUTION", ("" if code else "YOUR ANSWER HERE",))
    return without(without(source, "HIDDEN TESTS"), "MARK SCHEME")


def _lock(cell: Any) -> None:
    """nbgrader's marks of a cell that belongs to the assignment: not to be deleted, and with a checksum."""
    graded = cell.metadata.get("nbgrader", {})
    grade, solution = bool(graded.get("grade")), bool(graded.get("solution"))
    locked = not solution and (grade or bool(graded.get("locked")))
    if not (grade or solution or locked):
        return
    cell.metadata["deletable"] = False
    if locked:
        cell.metadata["editable"] = False
    text = f"{cell.source}{cell.cell_type}{grade}{solution}{locked}{graded['grade_id']}"
    text += str(float(graded["points"])) if grade else ""
    graded["checksum"] = hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
    graded["cell_type"] = cell.cell_type
