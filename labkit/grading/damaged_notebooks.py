"""Reads a submission in any state: its bytes become code cells and notes, never an exception."""

import codecs
import hashlib
import re
from dataclasses import dataclass, field, replace
from typing import Any

from .bindings import LONGEST, definitions
from .files import LIMIT, TOO_LARGE
from .formats import START, Found, cells_of, cells_of_script, other_kind

TOTAL = 1_000_000  # characters of code in one notebook, and of text
SHOWN = 20_000  # characters of a text that is kept
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"), (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
_OUTPUTS = re.compile(rb'"(?:outputs|attachments|widgets)"\s*:\s*[\[{]')
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)
NO_CODE = ("markdown", "raw", "heading", "html")
TOO_LONG = "Code cell {index} is ignored: there is too much code (at most {limit:,} characters)."
WAS_TURNED = "Code cell {index} was turned into {kind}; it was read as code."
BROKEN_EARLY = "The file is broken before its first code cell. All complete cells were read."
BROKEN = "The file is broken after code cell {index}. All complete cells were read."


@dataclass(frozen=True)
class CodeCell:
    """One code cell. `index` counts the code cells from 1, as the student sees them.

    `grade_id` is nbgrader's; where a program dropped nbgrader's metadata, the cell's id, which is the same in assignments
    of labkit.
    """

    index: int
    source: str
    grade_id: str


@dataclass(frozen=True)
class TextCell:
    """One cell that is no code, with the number of code cells `before` it and its id, as `CodeCell` has it."""

    before: int
    source: str
    grade_id: str


@dataclass(frozen=True)
class SubmittedCode:
    """The code cells of a submission, in order, and in `texts` the others.

    `notes` say what was wrong with the file, `digest` is the SHA-256 of its bytes. `made_for` is the student whom its
    metadata name, `assignment` what they are of, and `variant` the exercise of each question; empty where they say nothing.
    """

    cells: tuple[CodeCell, ...]
    notes: tuple[str, ...]
    digest: str
    made_for: str = ""
    assignment: str = ""
    variant: tuple[tuple[str, str], ...] = ()
    texts: tuple[TextCell, ...] = field(default=(), compare=False)


def read_submission(data: bytes) -> SubmittedCode:
    r"""The code cells in the bytes of a notebook of any version, broken or whole; raises nothing.

    At most 20 MB are read, 5,000 cells, 100,000 characters of each and 1,000,000 together. A cell beyond that keeps its
    place and loses its code. Outputs are taken away first. Memory: up to about 30 times the size of what is left.

    >>> handed = read_submission(b'{"cells": [{"cell_type": "code", "source": ["x = 1\\n", "y = 2"]}, {"cell_t')
    >>> handed.cells[0].source
    'x = 1\ny = 2'
    >>> print(*handed.notes)
    The file is broken after code cell 1. All complete cells were read.
    """
    found, notes, labkit = _read(data)
    cells = tuple(cell for cell in found if isinstance(cell, CodeCell))
    texts = tuple(cell for cell in found if isinstance(cell, TextCell))
    variant = _dict(labkit.get("variant"))
    chosen = tuple((name, asked) for name, asked in variant.items() if isinstance(asked, str))[:1000]
    digest = hashlib.sha256(data).hexdigest()
    made_for, assignment = (
        _text(one) if isinstance(one, str) else "" for one in map(labkit.get, ("student", "assignment"))
    )
    return SubmittedCode(cells, tuple(notes), digest, made_for, assignment, chosen, texts)


def _read(data: bytes) -> tuple[list[Any], list[str], dict[str, Any]]:
    if len(data) > LIMIT:
        why = TOO_LARGE.format(name="The file", size=len(data), limit=LIMIT)
        return [], [why], {}
    if not data.strip():
        return [], ["The file is empty. Ask for the notebook again."], {}
    data = without_outputs(data)
    if kind := other_kind(data):
        return [], ["The file is {kind}, not a notebook. Ask for the .ipynb file.".format(kind=kind)], {}
    text, note = _decoded(data)
    found = _found(text)
    cells, notes = _cells(found)
    if not any(isinstance(c, CodeCell) for c in cells) and not found.notes and not notes:
        notes.append("There is no code cell in the file. Ask for the notebook again.")
    return cells, [*filter(None, [note]), *found.notes, *notes], found.labkit


def without_outputs(data: bytes) -> bytes:
    """A notebook's bytes without what no answer is in: outputs, pasted pictures, the state of widgets.

    >>> without_outputs(b'{"outputs": [{"text": "]"}], "source": "x"}')
    b'{"outputs": [], "source": "x"}'
    """
    kept, at = [], 0
    for found in _OUTPUTS.finditer(data):
        if found.start() < at:
            continue
        depth, end = 1, 0
        for token in _TOKENS.finditer(data, found.end()):
            depth += (token[0] in b"[{") - (token[0] in b"]}")
            if not depth:
                end = token.start()
                break
        if not end:  # a broken file
            break
        kept.append(data[at : found.end()])
        at = end
    return b"".join([*kept, data[at:]])


def _decoded(data: bytes) -> tuple[str, str]:
    """The text, and a note where it is not what a notebook's should be."""
    encoding = next((name for mark, name in MARKS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding), ""
    except UnicodeDecodeError:
        text = data.decode(encoding, "replace")
    bad, good = text.count("\ufffd"), sum(1 for c in text if c > "\x7f") - text.count("\ufffd")
    if encoding != "utf-8" or good >= bad:
        return text, "Some characters of the file are damaged."
    return data.decode("latin-1"), "The file is not UTF-8; its characters were read as Latin-1."


def _found(text: str) -> Found:
    text = text.lstrip("\ufeff \t\r\n")
    if text.startswith(("{", "[")):
        return cells_of(text)
    salvaged = cells_of(text) if START.search(text) else Found()
    if salvaged.cells:
        return salvaged
    cells, note = cells_of_script(text.replace("\r\n", "\n"))
    return Found(cells, [note])


def _cells(found: Found) -> tuple[list[Any], list[str]]:
    """The code among the cells, and the texts, within the limits; notes on what is odd."""
    cells: list[CodeCell] = []
    texts: list[TextCell] = []
    notes, total, shown, strange, before = [], 0, 0, 0, 0
    for i, raw in enumerate(found.cells):
        if i == found.broken:
            before = len(cells)
        if not isinstance(raw, dict):
            strange += 1
            continue
        if not (cell := _code_cell(raw, len(cells) + 1)):
            texts.append(TextCell(len(cells), _source(raw)[: min(SHOWN, TOTAL - shown)], _id_of(raw)))
            shown += len(texts[-1].source)
            continue
        total += len(cell.source)
        if len(cell.source) > LONGEST or total > TOTAL:
            notes.append(TOO_LONG.format(index=cell.index, limit=LONGEST))
            total, cell = total - len(cell.source), replace(cell, source="")
        if raw.get("cell_type") in NO_CODE:
            notes.append(WAS_TURNED.format(index=cell.index, kind=raw["cell_type"]))
        cells.append(cell)
    if strange:
        notes.append("Entries that are not cells were ignored: {count}.".format(count=strange))
    if found.broken is not None:
        notes.insert(0, _break(before if found.broken < len(found.cells) else len(cells), len(cells)))
    return [*cells, *texts], notes[:10]


def _break(before: int, total: int) -> str:
    if not total:
        return "The file is broken, and has no complete cell. Ask for the notebook again."
    return BROKEN.format(index=before) if before else BROKEN_EARLY


def _code_cell(raw: dict[str, Any], index: int) -> CodeCell | None:
    """The cell, if it is code, or an answer that was turned into text by mistake."""
    metadata = _dict(raw.get("metadata"))
    mark, kind = _dict(metadata.get("nbgrader")), raw.get("cell_type")
    grade_id = _id_of(raw)
    is_code = kind == "code" or (kind not in NO_CODE and ("outputs" in raw or "execution_count" in raw))
    if not is_code and not (kind in NO_CODE and mark.get("solution") is True):
        return None
    source = _source(raw)
    return CodeCell(index, source, grade_id) if is_code or definitions(source) else None


def _id_of(raw: dict[str, Any]) -> str:
    metadata = _dict(raw.get("metadata"))
    names = [_dict(metadata.get("nbgrader")).get("grade_id"), raw.get("id"), metadata.get("id")]
    return next((_text(name) for name in names if isinstance(name, str) and name), "")[:200]


def _source(raw: dict[str, Any]) -> str:
    """The code of a cell of any version: a text or a list of lines, with or without line ends."""
    source = raw.get("source", raw.get("input"))
    if isinstance(source, list):
        lines = [line for line in source if isinstance(line, str)]
        ended = any(line.endswith(("\n", "\r")) for line in lines[:-1])
        source = ("" if ended else "\n").join(lines)
    return _text(source).replace("\r\n", "\n").replace("\r", "\n") if isinstance(source, str) else ""


def _text(text: str) -> str:
    """Text that can be encoded: JSON may hold halves of characters."""
    return text.encode("utf-8", "replace").decode()


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
