"""The cells of a file that is not a whole notebook: broken JSON, or a Python script."""

import json
import re
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from .bindings import LONGEST, parse

CELLS = 5_000  # of one notebook; further ones are left out
FAILURES = 300  # places of a broken file at which reading is tried in vain
SCRAP = 1_000  # what reading a whole object that is not a cell counts for, in characters read in vain
WORK = 10  # how many times the length of a broken file may be read in vain

# A cell begins with one of these, in whatever order a program writes its fields.
START = re.compile(
    r'\{\s*"(?:attachments|cell_type|collapsed|execution_count|id|input|language|metadata|outputs|prompt_number|source)"'
)
NUMBERS: dict[str, Any] = {"parse_int": lambda digits: 0, "parse_float": lambda digits: 0.0}  # none of them matters
DECODER = json.JSONDecoder(strict=False, **NUMBERS)
MANY_CELLS = "The notebook has {count:,} cells; the first {limit:,} were read."


@dataclass
class Found:
    """What was found: `cells` as JSON gives them, of any type. `broken` is how many of them are before the break.

    `labkit` is what labkit wrote into the metadata of a notebook that is whole.
    """

    cells: list[Any] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    broken: int | None = None
    labkit: dict[str, Any] = field(default_factory=dict, repr=False)


def cells_of(text: str) -> Found:
    """The cells of a notebook of any version, as far as they can be read. Takes time linear in the text; never raises.

    >>> cells_of('{"cells": [{"cell_type": "code", "source": "x"}, {"cell_ty')
    Found(cells=[{'cell_type': 'code', 'source': 'x'}], notes=[], broken=1)
    """
    text = text.lstrip()
    try:
        whole, end = DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return _salvaged(text)
    found = Found(_listed(whole), labkit=_labkit(whole))
    if not found.cells and START.search(text):
        return _salvaged(text)
    if text[end:].strip():
        found.notes.append("There is more text after the end of the notebook; it was ignored.")
    if len(found.cells) > CELLS:
        found.notes.append(MANY_CELLS.format(count=len(found.cells), limit=CELLS))
        del found.cells[CELLS:]
    return found


def _labkit(whole: Any) -> dict[str, Any]:
    """The part "labkit" of a notebook's metadata."""
    metadata = whole.get("metadata") if isinstance(whole, dict) else None
    ours = metadata.get("labkit") if isinstance(metadata, dict) else None
    return ours if isinstance(ours, dict) else {}


def _listed(whole: Any) -> list[Any]:
    """The cells of a decoded notebook: a list in version 4, one in every worksheet before."""
    if isinstance(whole, list):
        return whole
    if not isinstance(whole, dict):
        return []
    if isinstance(whole.get("cells"), list):
        return whole["cells"]
    sheets = whole.get("worksheets")
    lists = [sheet.get("cells") for sheet in (sheets if isinstance(sheets, list) else ()) if isinstance(sheet, dict)]
    return [cell for cells in lists if isinstance(cells, list) for cell in cells]


def _salvaged(text: str) -> Found:
    """Every cell that is whole, before and after the breaks.

    Where a cell cannot be decoded, the next place that looks like the beginning of one is tried. What is decoded is not
    read again; what is read in vain is counted, so that no file can make this take long.
    """
    found, at, work, failures = Found(), 0, WORK * len(text) + 1_000_000, 0
    while len(found.cells) < CELLS and (start := START.search(text, at)):
        try:
            value, at = DECODER.raw_decode(text, start.start())
        except (ValueError, RecursionError) as error:
            found.broken = len(found.cells) if found.broken is None else found.broken
            failures, work = failures + 1, work - _read_in_vain(error, start.start(), len(text))
            at = start.start() + 1
        else:
            cells = [value] if "cell_type" in value else _listed(value)
            found.cells += cells
            work -= 0 if cells else SCRAP
        if failures > FAILURES or work < 0:
            found.notes.append("The file is broken in too many places: the rest was ignored.")
            break
    found.broken = len(found.cells) if found.broken is None else found.broken
    del found.cells[CELLS:]
    return found


def _read_in_vain(error: Exception, start: int, length: int) -> int:
    """How many characters were read until decoding failed; to the end where the error does not say."""
    if not isinstance(error, json.JSONDecodeError) or error.msg.startswith("Unterminated"):
        return length - start
    return error.pos - start


PERCENT = re.compile(r"^# ?(?:%%|In ?\[[ \d]*\]:).*\n?", re.MULTILINE)  # Jupytext, VS Code, Spyder; nbconvert
PAGE = re.compile(r"\s*(?:<!--.{0,1000}?-->\s*)?<(?:!doctype html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
KINDS = {
    b"%PDF": "a PDF", b"PK\x03\x04": "a ZIP archive or an office document", b"\x1f\x8b": "a gzip archive",
    b"\x89PNG": "a picture", b"\xff\xd8\xff": "a picture", b"{\\rtf": "a word-processor document", b"7z\xbc\xaf": "an archive",
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
        return [], "The file is a web page (HTML), not a notebook. Ask for the .ipynb file."
    parts = _of_script(text)
    if len(parts) > 1 or (len(text) <= LONGEST and parse(text) is not None):
        return parts, "The file is Python code, not a notebook; it was read as one."
    return [], "The file is not a notebook and not Python code. Ask for the .ipynb file."


def _of_script(text: str) -> list[dict[str, Any]]:
    """One cell for each marker of a cell, and one for the text before the first."""
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
