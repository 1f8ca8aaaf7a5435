"""`notebooks/units.toml` has every section, exercise, lab and documented case, and what it drops is gone."""

import importlib
import pkgutil
import re
import tomllib

import course
import pytest

import labkit.widgets.labs
from labkit.cases import CASES
from labkit.classroom import EXERCISES
from labkit.widgets import Picture
from labkit.widgets.kit.lab import Lab

TABLE = tomllib.loads((course.FOLDER / "units.toml").read_text(encoding="utf-8"))
UNITS = TABLE["path"].keys() | TABLE["electives"].keys()
HEADING = re.compile(r"^###? (?:\d+\. )?(.*?) *$", re.MULTILINE)

notebooks = pytest.mark.parametrize("path", course.NOTEBOOKS, ids=lambda path: path.stem)


def kept(rows):
    return {name: decision.split()[1] for name, decision in rows.items() if not decision.startswith("drop: ")}


def sections(path):
    """`(heading, text, code)` of each section of a notebook, without the text of its exercises."""
    found = [["", "", ""]]
    for cell in course.load(path).cells:
        if cell.cell_type == "code":
            found[-1][2] += cell.source + "\n"
        elif not cell.id.startswith(("exercise-", "solution-")):
            for part in re.split(r"^(?=###? )", cell.source, flags=re.MULTILINE):
                if heading := HEADING.match(part):
                    found.append([heading[1], "", ""])
                found[-1][1] += part
    return [tuple(section) for section in found[1:]]


def of_units():
    """`(unit, text, code)` of all sections that are kept."""
    for path in course.NOTEBOOKS:
        units = kept(TABLE["sections"][path.stem])
        yield from ((units[heading], text, code) for heading, text, code in sections(path))


def labs():
    modules = [
        importlib.import_module(f"labkit.widgets.labs.{m.name}")
        for m in pkgutil.iter_modules(labkit.widgets.labs.__path__)
    ]
    public = [(name, getattr(module, name)) for module in modules for name in module.__all__]
    return {name for name, value in public if isinstance(value, type) and issubclass(value, (Picture, Lab))} | {"show"}


def test_every_decision_is_one_of_the_four():
    groups = (*TABLE["sections"].values(), *TABLE["exercises"].values(), TABLE["labs"])
    for name, decision in (row for rows in groups for row in rows.items()):
        verb, _, rest = decision.partition(" ")
        assert (verb in ("keep", "merge", "move") and rest in UNITS) or (verb == "drop:" and rest), (name, decision)


def test_the_path_has_fourteen_units_in_four_weeks():
    assert list(TABLE["path"]) == [f"{i:02}" for i in range(1, 15)]
    assert [unit["week"] for unit in TABLE["path"].values()] == sorted(unit["week"] for unit in TABLE["path"].values())
    assert {unit["week"] for unit in TABLE["path"].values()} == {1, 2, 3, 4}


def test_every_unit_is_made_of_something():
    assert {unit for unit, _, _ in of_units()} == UNITS


@notebooks
def test_the_sections_are_those_that_are_kept(path):
    assert [heading for heading, _, _ in sections(path)] == list(kept(TABLE["sections"][path.stem]))


def test_the_exercises_are_those_that_are_kept():
    stored = {(folder, name) for folder, rows in TABLE["exercises"].items() for name in kept(rows)}
    assert {(exercise.notebook, name) for name, exercise in EXERCISES.items()} == stored


def test_the_labs_are_those_that_are_kept_and_used_in_their_units():
    assert labs() == kept(TABLE["labs"]).keys()
    for lab, unit in kept(TABLE["labs"]).items():
        assert any(re.search(rf"\b{lab}\(", code) for of, _, code in of_units() if of == unit), lab


def test_every_documented_case_is_shown_or_linked_in_its_unit():
    listed = [case for cases in TABLE["cases"].values() for case in cases]
    assert sorted(listed) == sorted(case.name for case in CASES)
    text = {unit: "".join(t for of, t, _ in of_units() if of == unit) for unit in UNITS}
    assert [(u, case) for u, cases in TABLE["cases"].items() for case in cases if f"`{case}`" not in text[u]] == []
