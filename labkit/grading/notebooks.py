"""Notebooks as files: read, made and written without nbformat, which checks each of them and is slow to import.

What is written is what nbformat would write, to the byte. A notebook of an older version is handed to nbformat, which
brings it up to date.
"""

import copy
import json
import warnings
from pathlib import Path
from typing import Any

from ..working_copy import write_whole

KINDS = ("code", "markdown", "raw")


class Node(dict):
    """A part of a notebook: a dict whose entries are attributes, too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError("a notebook's part without {name!r}".format(name=name)) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, _nodes(value) if type(value) is dict else value)


def new_cell(kind: str, source: str, cell_id: str, metadata: dict[str, Any]) -> Node:
    """A cell of a notebook; `kind` is "code" or "markdown".

    >>> new_cell("markdown", "# Title", "title", {}).source
    '# Title'
    """
    cell = Node(id=cell_id, cell_type=kind, source=source, metadata=_nodes(metadata))
    return Node(cell, outputs=[], execution_count=None) if kind == "code" else cell


def new_notebook(cells: list[Node], metadata: dict[str, Any]) -> Node:
    """A notebook of format 4.5.

    >>> new_notebook([], {}).nbformat_minor
    5
    """
    return Node(cells=cells, metadata=_nodes(metadata), nbformat=4, nbformat_minor=5)


def read(path: Path) -> Node:
    """The notebook in a file, with each source as one text. Raises OSError, ValueError for a file that holds none."""
    return reads(path.read_text(encoding="utf-8"))


def reads(text: str) -> Node:
    """The notebook in a text; raises ValueError where it holds none.

    >>> cell = {"cell_type": "raw", "source": ["a", "b"], "metadata": {}}
    >>> reads(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4})).cells[0].source
    'ab'
    """
    data = json.loads(text)
    if not isinstance(data, dict) or not isinstance(version := data.get("nbformat"), int):
        raise ValueError("expected a notebook, but it has no version (nbformat)")
    if version != 4:
        import nbformat  # of another version than most

        with warnings.catch_warnings(action="ignore"):
            return _nodes(nbformat.reads(text, as_version=4))
    notebook = _nodes(data)
    if not isinstance(notebook.get("cells"), list) or not isinstance(notebook.get("metadata"), dict):
        raise ValueError("expected a notebook, but it has no cells or no metadata")
    for passing in ("orig_nbformat", "orig_nbformat_minor", "signature"):
        notebook.metadata.pop(passing, None)
    for number, cell in enumerate(notebook.cells, 1):
        _join_lines(cell, number)
    return notebook


def writes(notebook: Any) -> str:
    """The text of a notebook's file, without the line end behind it."""
    notebook = copy.deepcopy(notebook)
    for cell in notebook["cells"]:
        cell["source"] = cell["source"].splitlines(True)
        for bundle in cell.get("attachments", {}).values():
            _split_bundle(bundle)
        for output in cell.get("outputs", ()):
            if output["output_type"] in ("execute_result", "display_data"):
                _split_bundle(output.get("data", {}))
            elif output["output_type"] == "stream" and isinstance(output["text"], str):
                output["text"] = output["text"].splitlines(True)
        cell["metadata"].pop("trusted", None)
    return json.dumps(notebook, indent=1, sort_keys=True, separators=(",", ": "), ensure_ascii=False)


def write(notebook: Any, path: Path) -> None:
    """Write a notebook, making its folder where needed."""
    write_whole(path, f"{writes(notebook)}\n".encode())


def _nodes(value: Any) -> Any:
    if isinstance(value, dict):
        return Node((key, _nodes(inner)) for key, inner in value.items())
    return [_nodes(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def _join_lines(cell: Any, number: int) -> None:
    """Make each text of a cell one text, as programs write it in lines; ValueError for what is not a cell."""
    if not isinstance(cell, dict) or cell.get("cell_type") not in KINDS or not isinstance(cell.get("metadata"), dict):
        raise ValueError("cell {number} is not a cell of a notebook".format(number=number))
    cell["source"] = _joined(cell.get("source"))
    if not isinstance(cell["source"], str):
        raise ValueError("cell {number} has no source".format(number=number))
    for bundle in cell.get("attachments", {}).values():
        _join_bundle(bundle)
    for output in cell.get("outputs", ()):
        if output.get("output_type") in ("execute_result", "display_data"):
            _join_bundle(output.get("data", {}))
        elif "text" in output:
            output["text"] = _joined(output["text"])
    cell["metadata"].pop("trusted", None)


def _joined(lines: Any) -> Any:
    return "".join(lines) if isinstance(lines, list) and all(isinstance(line, str) for line in lines) else lines


def _join_bundle(bundle: dict[str, Any]) -> None:
    for kind, value in bundle.items():
        if not kind.endswith(("/json", "+json")):
            bundle[kind] = _joined(value)


def _split_bundle(bundle: dict[str, Any]) -> None:
    for kind, value in bundle.items():
        if isinstance(value, str) and (kind.startswith("text/") or kind in _IN_LINES):
            bundle[kind] = value.splitlines(True)


_IN_LINES = ("application/javascript", "image/svg+xml")
