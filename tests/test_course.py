"""The course has fourteen units and its electives; each documented case and each lab has a place in it."""

import re

import course

import labkit.widgets
from labkit.cases import CASES

PATH = [path for path in course.NOTEBOOKS if path.stem[:2].isdigit()]


def test_every_documented_case_is_named_in_a_unit_of_the_path():
    named = set(re.findall(r"`([a-z-]+)`", "".join(course.markdown(path) for path in PATH)))
    assert [case.name for case in CASES if case.name not in named] == []


def test_every_lab_is_used_in_a_notebook():
    code = "".join(cell.source for path in course.NOTEBOOKS for cell in course.code_cells(path))
    labs = {name for name in labkit.widgets.__all__ if name.endswith("Lab")} | {
        "StepSize",
        "JacobianMap",
        "CallBuilder",
    }
    assert [name for name in sorted(labs) if f"{name}(" not in code] == []
