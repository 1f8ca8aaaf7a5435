"""Notebooks are read and written as nbformat does it, without nbformat."""

import json
from pathlib import Path

import nbformat
import pytest

from labkit.grading.notebooks import new_cell, new_notebook, reads, writes

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
ODD = {
    "cells": [
        {
            "cell_type": "markdown", "id": "a", "metadata": {"trusted": True}, "source": ["# ü\n", "text"],
            "attachments": {"p.png": {"image/png": "AAAA"}, "t": {"text/plain": ["a\n", "b"]}},
        },
        {
            "cell_type": "code", "id": "b", "metadata": {}, "execution_count": 1, "source": "x\r\ny\x0cz",
            "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["1\n", "2"]},
                {"output_type": "display_data", "metadata": {}, "data": {"application/json": ["a"], "text/html": ["<b>"]}},
                {"output_type": "error", "ename": "E", "evalue": "e", "traceback": ["a", "b"]},
            ],
        },
    ],
    "metadata": {"orig_nbformat": 4}, "nbformat": 4, "nbformat_minor": 5,
}  # fmt: skip


@pytest.mark.parametrize("text", [json.dumps(ODD), *((p.read_text()) for p in sorted(NOTEBOOKS.glob("0[01]*.ipynb")))])
def test_what_is_read_and_written_is_nbformats_to_the_byte(text):
    theirs = nbformat.reads(text, as_version=4)
    assert reads(text) == theirs
    assert writes(reads(text)) == nbformat.writes(theirs)


def test_what_is_made_is_valid():
    cells = [new_cell("code", "x = 1", "a", {"nbgrader": {"grade": False}}), new_cell("markdown", "# T", "b", {})]
    notebook = new_notebook(cells, {})
    nbformat.validate(json.loads(writes(notebook)))
    assert notebook.cells[0].metadata.nbgrader.grade is False


def test_an_older_notebook_is_brought_up_to_date():
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [{"cells": [
        {"cell_type": "code", "language": "python", "input": ["x = 1"], "outputs": [], "metadata": {}}]}]}  # fmt: skip
    assert reads(json.dumps(old)).cells[0].source == "x = 1"


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"nbformat": 4}', '{"nbformat": 4, "metadata": {}, "cells": [3]}',
             '{"nbformat": 4, "metadata": {}, "cells": [{"cell_type": "code", "metadata": {}}]}'],
)  # fmt: skip
def test_a_file_that_holds_none_is_refused(text):
    with pytest.raises(ValueError):
        reads(text)
