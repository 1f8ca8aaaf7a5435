"""A notebook as plain data: cleared of outputs, compared cell by cell, and its answers carried to a newer one."""

import json
import re
from collections.abc import Container
from hashlib import sha256
from typing import Any

from .files import DAMAGED

Notebook = dict[str, Any]
Cell = dict[str, Any]
ANSWER = "answer-"
FOLDED = "<details><summary>Explain</summary>\n\n{text}\n\n</details>"
PREDICTS, ANSWERS = "predict", "answer"  # tags of cells: a prompt, and the answer that is folded


class NoNotebook(ValueError):
    """What should be a notebook is none: half saved, or something else."""


def read(content: bytes) -> Notebook:
    """The notebook in these bytes. Raises `NoNotebook`."""
    try:
        notebook = json.loads(content)
        marks(notebook)
    except DAMAGED as error:
        raise NoNotebook(str(error)) from None
    return notebook


def write(notebook: Notebook) -> bytes:
    """The bytes of its file."""
    return (json.dumps(notebook, indent=1) + "\n").encode()


def clear(notebook: Notebook) -> Notebook:
    """The same without outputs and counts, and with answers folded: nothing below a prompt reveals the answer."""
    return notebook | {"cells": [_cleared(cell) for cell in notebook["cells"]]}


def _cleared(cell: Cell) -> Cell:
    if cell["cell_type"] == "code":
        return cell | {"outputs": [], "execution_count": None}
    if ANSWERS in tags(cell):
        return cell | {"source": FOLDED.format(text=source(cell))}
    return cell


def tags(cell: Cell) -> list[str]:
    """The tags of a cell."""
    return list(cell.get("metadata", {}).get("tags", ()))


def marks(notebook: Notebook) -> list[str]:
    """A short mark of each cell, by what is written in it; running it changes nothing."""
    return [mark(cell) for cell in notebook["cells"]]


def mark(cell: Cell) -> str:
    """The mark of a cell's kind, text and pasted pictures."""
    written = [cell["cell_type"], source(cell), cell.get("attachments") or {}]
    return sha256(json.dumps(written, sort_keys=True).encode()).hexdigest()[:16]


def source(cell: Cell) -> str:
    """The text of a cell."""
    return "".join(cell["source"])


def answer_cells(notebook: Notebook) -> dict[str, Cell]:
    """The cells `answer-NAME` of exercises, by name, in order."""
    cells = [(str(cell.get("id", "")), cell) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return {name.removeprefix(ANSWER): cell for name, cell in cells if name.startswith(ANSWER)}


def carry_answers(old: Notebook, new: Notebook, laid: Container[str]) -> list[str]:
    """Put the answers of `old` into `new`, and return the names of their exercises.

    A cell whose mark is in `laid` is as the course had it: no answer.
    """
    own = [cell for cell in old["cells"] if cell["cell_type"] == "code" and mark(cell) not in laid]
    by_id, carried = answer_cells({"cells": own}), []
    for name, cell in answer_cells(new).items():
        answer = by_id.get(name) or next((c for c in own if _checks(name, source(c))), None)
        if answer:
            cell["source"] = answer["source"]
            carried.append(name)
    return carried


def _checks(name: str, code: str) -> bool:
    """True where the code calls `check("NAME"`: some programs lose the ids of cells."""
    return re.search(rf"""\bcheck\(\s*(?:name\s*=\s*)?["']{re.escape(name)}["']""", code) is not None
