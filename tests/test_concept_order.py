"""The course is read from front to back: no notebook uses what only a later one introduces (`tests/terms.toml`)."""

import tomllib

import course
import pytest
import terms

LISTED = terms.read()
UPDATE = "python tests/tools/terms.py"

notebooks = pytest.mark.parametrize("path", course.NOTEBOOKS, ids=lambda path: path.stem)


@notebooks
def test_nothing_is_used_before_it_is_introduced(path):
    early = [
        f"{item!r} of notebook {n} in cell {cell}" for item, n, cell in terms.used_early(path, LISTED, *terms.KINDS)
    ]
    assert not early, f"Explain it here, leave it out, or say which notebook explains it; see also {UPDATE} --move"


@notebooks
def test_every_labkit_name_in_code_is_listed(path):
    unlisted = {name for name, _, _ in course.names_used(path)} - terms.introduced(LISTED, "names", "widgets").keys()
    assert not unlisted, UPDATE


@notebooks
def test_what_a_notebook_introduces_is_there(path):
    assert not terms.not_used(path, LISTED, *terms.KINDS), f"see also {UPDATE} --move"


def test_each_item_is_listed_once_under_a_number_of_the_course():
    stored = tomllib.loads(terms.FILE.read_text(encoding="utf-8"))
    items = [item for groups in stored.values() for kind in groups.values() for item in kind]
    assert list(stored) == course.NUMBERS
    assert all(set(groups) <= set(terms.KINDS) for groups in stored.values())
    assert len(items) == len(set(items))


# ---- the check itself ----


def notebook(tmp_path, *cells):
    """A notebook of the given cells: text that begins with `#` or a capital is markdown."""
    made = course.nbformat.v4.new_notebook()
    for text in cells:
        kind = course.nbformat.v4.new_markdown_cell if text[:1] in "#ABT" else course.nbformat.v4.new_code_cell
        made.cells.append(kind(text))
    path = tmp_path / f"03_{len(list(tmp_path.iterdir()))}.ipynb"
    course.nbformat.write(made, path)
    return path


def found_early(tmp_path, *cells):
    listed = {n: {"names": [], "terms": [], "widgets": []} for n in course.NUMBERS}
    listed["05"] = {"names": ["labkit.vjp"], "terms": ["Jacobian"], "widgets": ["labkit.widgets.JacobianMap"]}
    return {item for item, _, _ in terms.used_early(notebook(tmp_path, *cells), listed, *terms.KINDS)}


def test_what_comes_too_early_is_found_in_text_and_code(tmp_path):
    assert found_early(tmp_path, "# Title", "A Jacobian.", "import labkit as l\nl.vjp") == {"Jacobian", "labkit.vjp"}
    assert found_early(tmp_path, "Title and `JacobianMap` with [Jacobian](https://x.y)") == {
        "labkit.widgets.JacobianMap"
    }


def test_a_section_may_mention_what_the_notebook_that_it_names_explains(tmp_path):
    assert not found_early(tmp_path, "# Title", "## Outlook\nA Jacobian: notebook 05.", "from labkit import vjp")
    assert found_early(tmp_path, "## Outlook\nSee notebook 05.", "## Recap\nA Jacobian.") == {"Jacobian"}
