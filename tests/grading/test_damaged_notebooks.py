"""Whatever bytes were handed in: every code cell that is whole is read, nothing is raised, and it does not take long."""

import codecs
import hashlib
import json
import time

import nbformat
import pytest
from drawn import drawn
from hypothesis import given
from hypothesis import strategies as st

from labkit.grading.damaged_notebooks import LONGEST, TOTAL, CodeCell, SubmittedCode, read_submission
from labkit.grading.files import LIMIT
from labkit.grading.formats import CELLS


def code(source, grade_id=None, **flags):
    mark = {"nbgrader": {"grade_id": grade_id, "solution": True, **flags}} if grade_id else {}
    return {"cell_type": "code", "execution_count": None, "metadata": mark, "outputs": [], "source": source}


def text(source, kind="markdown", **metadata):
    return {"cell_type": kind, "metadata": metadata, "source": source}


def notebook(*cells, **more):
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5} | more, indent=1).encode()


def sources(data):
    return [cell.source for cell in read_submission(data).cells]


def notes(data):
    return " ".join(read_submission(data).notes)


FIVE = [code(f"x{i} = '{{\"cells\": [\\\\ é {i}'\n", f"answer-{i}") for i in range(5)]
WHOLE = notebook(text("# Title"), *FIVE[:3], text("words"), *FIVE[3:])


# ---- a notebook as it should be ----


def test_a_whole_notebook():
    data = notebook(text("# Title"), code("import numpy", "setup", locked=True), code(["x = 1\n", "y = 2"], "answer-a"))
    assert read_submission(data) == SubmittedCode(
        (CodeCell(1, "import numpy", "setup"), CodeCell(2, "x = 1\ny = 2", "answer-a")),
        (), hashlib.sha256(data).hexdigest(),
    )  # fmt: skip


@pytest.mark.parametrize("version", [2, 3, 4])
def test_every_version_of_the_format(version):
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("words")])
    made.cells += [nbformat.v4.new_code_cell("x = 1\ny = 2"), nbformat.v4.new_code_cell("z = 3")]
    if version == 4:
        data = nbformat.writes(made)
    else:
        old = nbformat.v4.downgrade(made)
        data = nbformat.v3.writes_json(old)
    if version == 2:
        two = [{"cell_type": "code", "input": ["x = 1", "y = 2"]}, {"cell_type": "code", "input": "z = 3"}]
        data = json.dumps({"worksheets": [{"cells": two[:1]}, {"cells": two[1:]}], "nbformat": 2})
    assert sources(data.encode()) == ["x = 1\ny = 2", "z = 3"]
    assert notes(data.encode()) == ""


@pytest.mark.parametrize(
    "cell, grade_id",
    {
        "Colab": (code("x") | {"metadata": {"id": "b3f2", "nbgrader": {"grade_id": "answer-a"}}}, "answer-a"),
        "Colab, nbgrader's metadata lost": (code("x") | {"metadata": {"id": "answer-a", "outputId": "1"}}, "answer-a"),
        "VS Code": (code("x", "answer-a") | {"id": "W0", "vscode": {"languageId": "python"}}, "answer-a"),
        "Kaggle": (code("x") | {"id": "answer-a", "metadata": {"trusted": True, "_uuid": "8f"}}, "answer-a"),
        "Deepnote": (code("x") | {"metadata": {"cell_id": "00", "deepnote_cell_type": "code"}}, ""),
    }.values(),
)
def test_other_programs(cell, grade_id):
    (read,) = read_submission(notebook(cell)).cells
    assert (read.source, read.grade_id) == ("x", grade_id)


# ---- encodings ----


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings(encoding):
    assert sources(json.dumps({"cells": [code("x = 'é李'")]}, ensure_ascii=False).encode(encoding)) == ["x = 'é李'"]


def test_big_endian():
    data = codecs.BOM_UTF16_BE + notebook(code("x")).decode().encode("utf-16-be")
    assert sources(data) == ["x"]


def test_latin_1_is_the_last_resort():
    data = json.dumps({"cells": [code("x = 'é'")]}, ensure_ascii=False).encode("latin-1")
    assert sources(data) == ["x = 'é'"]
    assert "Latin-1" in notes(data)


def test_one_damaged_byte_does_not_spoil_the_other_characters():
    data = (
        json.dumps({"cells": [code("x = 'é李'"), code("y = '?'")]}, ensure_ascii=False).encode().replace(b"?", b"\xff")
    )
    assert sources(data) == ["x = 'é李'", "y = '\ufffd'"]
    assert "damaged" in notes(data)


def test_half_characters_become_text_that_can_be_written():
    data = b'{"cells": [{"cell_type": "code", "source": "x = \'\\ud800\'", "id": "\\udfff"}]}'
    (cell,) = read_submission(data).cells
    assert (cell.source, cell.grade_id) == ("x = '?'", "?")


def test_line_ends_are_pythons():
    assert sources(notebook(code("a\r\nb\rc"))) == ["a\nb\nc"]
    assert sources(notebook(code(["a\r\n", "b"]))) == ["a\nb"]


# ---- wrong types ----


@pytest.mark.parametrize("odd", [None, 0, True, "text", [], {}, [1, None, {"a": []}], {"source": {}}, float("nan")])
def test_wrong_types_anywhere_cost_no_other_cell(odd):
    cell = code("x", "a")
    strange = [{**cell, field: odd} for field in ("source", "metadata", "cell_type", "id", "outputs")]
    strange += [{**cell, "metadata": {"nbgrader": odd}}, {**cell, "metadata": {"nbgrader": {"grade_id": odd}}}, odd]
    read = sources(notebook(code("first"), *strange, code("last")))
    assert (read[0], read[-1]) == ("first", "last")
    for field in ("cells", "metadata", "nbformat", "worksheets"):
        read_submission(notebook(code("x"), **{field: odd}))


def test_items_that_are_no_cells_are_counted():
    assert notes(notebook(code("x"), 1, None)) == "Entries that are not cells were ignored: 2."


def test_numbers_that_python_refuses_to_read():
    data = notebook(code("x")).replace(b'"execution_count": null', b'"execution_count": ' + b"9" * 10_000)
    assert sources(data) == ["x"]
    assert sources(notebook(code("x"), metadata={"a": float("nan"), "b": float("-inf")})) == ["x"]


def test_of_equal_keys_the_last_counts_as_in_jupyter():
    assert sources(b'{"cells": [], "cells": [{"cell_type": "code", "source": "a", "source": "b"}]}') == ["b"]


def test_nesting_deeper_than_python_reads_costs_that_cell_only():
    deep = '{"cell_type": "code", "source": "deep", "metadata": ' + "[" * 100_000 + "]" * 100_000 + "}"
    data = f'{{"cells": [{json.dumps(code("x"))}, {deep}, {json.dumps(code("y"))}]}}'.encode()
    assert sources(data) == ["x", "y"]
    assert "broken after code cell 1" in notes(data)


# ---- what is not a notebook ----


@pytest.mark.parametrize(
    "data, said",
    [
        (b"", "empty"), (b" \n", "empty"), (b"%PDF-1.4", "a PDF"), (b"PK\x03\x04", "ZIP"), (b"\x89PNG\r\n", "picture"),
        (b"\0" * 1000, "not a notebook and not Python"), (b"Dear professor, my dog", "not a notebook and not Python"),
        (b"{}", "no code cell"), (b"[]", "no code cell"), (notebook(text("words")), "no code cell"),
        (b"<!DOCTYPE html><html><body>Log in</body></html>", "web page"), (b"x" * (LIMIT + 1), "at most 20,971,520"),
    ],
)  # fmt: skip
def test_a_file_without_code_says_why(data, said):
    handed = read_submission(data)
    assert handed.cells == ()
    (note,) = handed.notes
    assert said in note


def test_python_in_cells():
    script = '# ---\n# jupyter: {}\n# ---\n\n# %% [markdown]\n# words\n\n# %% nbgrader={"grade_id": "answer-a"}\nx = 1\n\n# %%\ny'
    handed = read_submission(script.replace("\n", "\r\n").encode())
    assert [(c.source, c.grade_id) for c in handed.cells][1:] == [("x = 1", "answer-a"), ("y", "")]
    assert "Python code" in handed.notes[0]
    assert sources(b"# In[1]:\n\nx = 1\n\n# In[ ]:\n\ny") == ["x = 1", "y"]
    assert sources(b"def f(x):\n    return {'id': x}\n") == ["def f(x):\n    return {'id': x}"]


def test_an_answer_that_was_turned_into_text():
    answer = text("def f(x):\n    return x", nbgrader={"grade_id": "answer-a", "solution": True})
    prose = text("Well", nbgrader={"grade_id": "answer-b", "solution": True})
    handed = read_submission(notebook(code("a"), answer, prose, text("g = 1")))
    assert [(c.index, c.grade_id) for c in handed.cells] == [(1, ""), (2, "answer-a")]
    assert "Code cell 2 was turned into markdown" in handed.notes[0]


# ---- broken JSON ----


def test_cells_before_and_after_a_break():
    broken = WHOLE.replace(b'"x2 =', b"x2 =")
    assert sources(broken) == [cell["source"] for i, cell in enumerate(FIVE) if i != 2]
    assert notes(broken) == "The file is broken after code cell 2. All complete cells were read."


@pytest.mark.parametrize("damage", [b"", b"]", b"}", b'"', b'"source": [', b",,"])
def test_one_damage_costs_one_cell_at_most(damage):
    at = WHOLE.index(b"x2 =") - 12
    for cut in range(0, 40, 3):
        kept = set(sources(WHOLE[: at + cut] + damage + WHOLE[at + cut + 1 :]))
        assert {cell["source"] for i, cell in enumerate(FIVE) if i not in (1, 2, 3)} <= kept


def test_a_missing_comma_costs_nothing():
    data = notebook(code("a"), code("b"), code("c")).replace(b"},\n  {", b"}\n  {")
    assert data != notebook(code("a"), code("b"), code("c"))
    assert sources(data) == ["a", "b", "c"]


def test_cells_without_a_notebook_around_them():
    assert sources(json.dumps(code("a")).encode() + b",\n" + json.dumps(code("b")).encode()) == ["a", "b"]
    assert sources(b'"cells": [' + json.dumps(code("a")).encode()) == ["a"]


def test_text_after_the_end():
    assert sources(WHOLE + b"\n</html>") == sources(WHOLE)
    assert "after the end" in notes(WHOLE + b"\n</html>")


@drawn(12)
@given(st.integers(0, len(WHOLE)), st.sampled_from([None, 1]))
def test_every_cell_before_a_truncation_is_read(cut, indent):
    data = json.dumps(json.loads(WHOLE), indent=indent, ensure_ascii=False).encode()
    decoder, kept, at = json.JSONDecoder(), [], data.decode().index("[") + 1
    whole = data.decode()
    for _ in range(7):
        at = whole.index("{", at)
        cell, at = decoder.raw_decode(whole, at)
        if cell["cell_type"] == "code" and len(whole[:at].encode()) <= cut:
            kept.append(cell["source"])
    assert sources(data[:cut])[: len(kept)] == kept


# ---- anything ----


def within_bounds(data):
    before = time.process_time()
    handed = read_submission(data)
    assert time.process_time() - before < 20, "CPU seconds, where a tenth is usual"
    assert [cell.index for cell in handed.cells] == list(range(1, len(handed.cells) + 1))
    assert len(handed.cells) <= CELLS and len(handed.notes) <= 20
    assert sum(len(cell.source) for cell in handed.cells) <= TOTAL
    for cell in handed.cells:
        assert len(cell.source) <= LONGEST and {type(cell.source), type(cell.grade_id)} == {str}
        (cell.source + cell.grade_id).encode()
    assert handed.digest == hashlib.sha256(data).hexdigest()
    return handed


@drawn(12)
@given(st.binary(max_size=300))
def test_any_bytes(data):
    within_bounds(data)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from(["cells", "cell_type", "source", "input", "metadata", "nbgrader", "grade_id", "id", "worksheets"]),
        inner | st.sampled_from(["code", "markdown", "raw"]), max_size=6),
)  # fmt: skip


@drawn(12)
@given(values)
def test_any_json(value):
    within_bounds(json.dumps(value).encode())


pieces = st.sampled_from(
    [b"", b'"', b"{", b"}", b"[", b"]", b"\\", b"\n<<<<<<< a\n", b"\n=======\n", b"\xff", b"\0", b"\\ud800"]
)


@drawn(12)
@given(st.lists(st.tuples(st.integers(0, len(WHOLE)), st.integers(0, 30), pieces | st.binary(max_size=4)), max_size=6))
def test_any_damage(edits):
    data = WHOLE
    for at, cut, put in edits:
        data = data[:at] + put + data[at + cut :]
    within_bounds(data)


SIZE = 1_000_000  # in time that grows with its square, one of them would take minutes
BOMBS = {
    "lists": b'{"cells": [' + b"[]," * (SIZE // 3) + b"[]]}",
    "cells": b'{"cells": [' + b'{"cell_type":"code"},' * (SIZE // 21) + b"{}]}",
    "a long cell": notebook(code("#" * SIZE)),
    "many long cells": notebook(*[code("#" * LONGEST)] * 20),
    "cells after a break": b"{" + b'{"cell_type":"code"}' * (SIZE // 20),
    "open lists": b"[" * SIZE,
    "open cells": b'{"id":' * (SIZE // 6),
    "broken cells": b'{"id":x' * (SIZE // 7),
    "scraps": b'{"id":0}' * (SIZE // 8),
    "a text without end, often": (b'{"id":' * 900 + b"x") * 100 + b'{"id":"' + b"a" * SIZE,
    "conflicts": b"{\n" + b'<<<<<<< a\n{"id":x\n' * (SIZE // 20),
    "spaces": (b"{" + b" " * 1000) * (SIZE // 1000),
    "a script": b"# %%\n" * (SIZE // 5),
    "latin": b"\xe9" * SIZE,
    "digits": b'{"cells": [], "a": ' + b"9" * SIZE + b"." + b"9" * SIZE + b"}",
}


@pytest.mark.parametrize("name", BOMBS)
def test_no_file_takes_long(name):
    within_bounds(BOMBS[name])


def test_code_beyond_the_limits_keeps_its_place():
    handed = within_bounds(notebook(code("a"), code("#" * (LONGEST + 1), "answer-a"), code("b")))
    assert [(c.source, c.grade_id) for c in handed.cells] == [("a", ""), ("", "answer-a"), ("b", "")]
    assert "Code cell 2 is ignored" in handed.notes[0]
