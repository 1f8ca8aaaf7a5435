"""The code of files that are called notebooks and are none: Python, and pages that notebooks were exported to."""

import html
import json
import re
from itertools import islice
from typing import Any

from .bindings import LONGEST, parse
from .broken import CELLS

PERCENT = re.compile(r"^# ?(?:%%|In ?\[[ \d]*\]:).*\n?", re.MULTILINE)  # Jupytext, VS Code, Spyder; nbconvert
PAGE = re.compile(r"\s*(?:<!--.{0,1000}?-->\s*)?<(?:!doctype html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
CODE_IN_PAGE = re.compile(r'<div class="[^"<>]{0,100}\bhighlight hl-[^"<>]{0,100}">\s{0,9}<pre[^<>]{0,100}>')
KINDS = {
    b"%PDF": "a PDF", b"PK\x03\x04": "a ZIP archive or an office document", b"\x1f\x8b": "a gzip archive",
    b"\x89PNG": "a picture", b"\xff\xd8\xff": "a picture", b"{\\rtf": "a text of a word processor", b"7z\xbc\xaf": "an archive",
    b"Rar!": "an archive", b"\x80\x04": "a pickle", b"\x80\x05": "a pickle",
}  # fmt: skip


def other_kind(data: bytes) -> str:
    """What a file's first bytes say it is, where that is something without code; otherwise an empty text.

    >>> other_kind(b"%PDF-1.7"), other_kind(b"x = 1")
    ('a PDF', '')
    """
    return next((kind for magic, kind in KINDS.items() if data.startswith(magic)), "")


def cells_of_script(text: str) -> tuple[list[dict[str, Any]], str]:
    r"""The code in a text that is no JSON as cells of a notebook, and a note that says so.

    >>> cells, note = cells_of_script("# %%\nx = 1\n# %% [markdown]\n# words")
    >>> [cell["source"] for cell in cells]
    ['x = 1']
    """
    if PAGE.match(text):
        cells = _of_page(text)
        if cells:
            return cells, "The file is a web page (HTML) made from a notebook; the code in it was taken."
        return [], "The file is a web page (HTML) without code cells, not a notebook. Ask for the .ipynb file."
    parts = _of_script(text)
    if len(parts) > 1 or (len(text) <= LONGEST and parse(text) is not None):
        return parts, "The file is Python code, not a notebook; it was read as one."
    return [], "The file is neither a notebook nor Python code. Ask for the .ipynb file."


def _of_script(text: str) -> list[dict[str, Any]]:
    """One cell for each marker of a cell, and one for what stands before the first."""
    marks = list(islice(PERCENT.finditer(text), CELLS))
    bounds = [*(mark.start() for mark in marks), len(text)]
    before = text[: bounds[0]].strip("\n")
    cells: list[dict[str, Any]] = [{"cell_type": "code", "source": before}] if before.strip() else []
    for mark, end in zip(marks, bounds[1:], strict=True):
        if not re.search(r"\[(?:markdown|md|raw)\]", mark[0]):
            cell = {"cell_type": "code", "source": text[mark.end() : end].strip("\n")}
            cells.append(cell | {"metadata": _metadata(mark[0])})
    return cells


def _metadata(line: str) -> dict[str, Any]:
    """nbgrader's metadata, which Jupytext writes behind the marker."""
    _, found, rest = line.partition("nbgrader=")
    try:
        return {"nbgrader": json.JSONDecoder().raw_decode(rest[:1000])[0]} if found else {}
    except (ValueError, RecursionError):
        return {}


def _of_page(text: str) -> list[dict[str, Any]]:
    """The highlighted code of a page that Jupyter exported."""
    cells: list[dict[str, Any]] = []
    end = 0
    while len(cells) < CELLS and (start := CODE_IN_PAGE.search(text, end)):  # the next one begins where this one ends
        end = text.find("</pre>", start.end())
        if end < 0:
            break
        if end - start.end() < 20 * LONGEST:  # every word may stand in a tag of its own
            source = html.unescape(re.sub(r"<[^<>]*>", "", text[start.end() : end]))
            cells.append({"cell_type": "code", "source": source.strip("\n")})
    return cells
