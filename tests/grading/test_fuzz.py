"""Files changed at random: the grader reads what it can, raises nothing, and no other student loses a file."""

import io
import json
import warnings
import zipfile
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labkit.grading.bounds import Bounds
from labkit.grading.collecting import collect
from labkit.grading.damaged_notebooks import read_submission
from labkit.grading.processes import Reader
from labkit.grading.submissions import SubmissionError, open_submission

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
PIECES = st.binary(max_size=40) | st.sampled_from((
    b"def f(:", b"'''", b"(" * 300, b"%%bash", b"# %%", b"<<<<<<< a\n", b"\0", b'{"cell_type": "code", "source": [', b"&#0;",
))  # fmt: skip
PARTS = ("a1", "..", "", "é", "x" * 300, "con", "__MACOSX", "C:", "\\", "\n", "a1.ipynb", "a1.zip")
SOURCES = ("x = 1", "def f(a):\n    return a", "# %% not a mark", "y = '''\nlong\n'''")


def notebook(*more, metadata=None):
    """A notebook with the code of `SOURCES`; `more`: what else each cell holds."""
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": source, **extra}
        for source, extra in zip(SOURCES, more or [{}] * len(SOURCES), strict=True)
    ]
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def zipped(files):
    with zipfile.ZipFile(file := io.BytesIO(), "w") as archive, warnings.catch_warnings(action="ignore"):
        for name, data in files:
            archive.writestr(zipfile.ZipInfo(name), data)
    return file.getvalue()


WHOLE = notebook().encode()
SCRIPT = "".join(f"# %%\n{source}\n" for source in SOURCES).encode()


@st.composite
def spliced(draw, data):
    """`data` with a part replaced, up to five times."""
    for _ in range(draw(st.integers(1, 5))):
        a, b = sorted((draw(st.integers(0, len(data))), draw(st.integers(0, len(data)))))
        data = data[:a] + draw(PIECES) * draw(st.sampled_from((1, 2, 50))) + data[draw(st.sampled_from((a, b))) :]
    return data


@given(
    st.lists(ANYTHING, min_size=len(SOURCES), max_size=len(SOURCES)), st.sampled_from(("utf-8", "utf-8-sig", "utf-16"))
)
def test_the_code_is_read_whatever_its_outputs_and_metadata_are(odd, encoding):
    more = [{"outputs": some, "attachments": some, "execution_count": some} for some in odd]
    data = notebook(*more, metadata=odd[0]).encode(encoding)
    assert [cell.source for cell in read_submission(data).cells] == list(SOURCES)


@given(st.sampled_from((WHOLE, SCRIPT, zipped([("a1.ipynb", WHOLE)]))).flatmap(spliced))
def test_a_file_that_was_changed_anywhere_is_read_without_an_error(data):
    assert all(isinstance(cell.source, str) for cell in read_submission(data).cells)


@pytest.fixture(scope="module")
def reader():
    return Reader(Bounds())


@settings(max_examples=20)
@given(st.lists(st.lists(st.sampled_from(PARTS), min_size=1, max_size=3).map("/".join), max_size=5), st.data())
def test_an_odd_archive_costs_no_other_student_a_file(tmp_path_factory, reader, names, data):
    odd = zipped([(name, WHOLE) for name in names])
    odd = data.draw(spliced(odd)) if data.draw(st.booleans()) else odd
    folder = tmp_path_factory.mktemp("handed")
    for name, held in {"ann.zip": odd, "bob.ipynb": b"{}", "eve.zip": zipped([("a1.ipynb", b"[]")])}.items():
        (folder / name).write_bytes(held)
    found = {submission.student: submission for submission in collect(folder, "a1", reader=reader).submissions}
    assert found.keys() == {"ann", "bob", "eve"}
    assert (open_submission(found["bob"]), open_submission(found["eve"])) == (b"{}", b"[]")
    with suppress(SubmissionError):
        open_submission(found["ann"])
