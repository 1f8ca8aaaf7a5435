"""Folds the answers to predictions: readers of the site open them when they want."""

import re
from typing import Any

from docutils import nodes

from ..working_copy.notebook import ANSWERS, FOLDED, PREDICTS

ASKS = "predict-"  # the id of a cell in which a reader types a prediction begins so
SHOWN = f"tag_{ANSWERS}"  # what MyST-NB calls the class of a cell with that tag
OPENING = '<details class="answer"><summary>Show the answer</summary>'
CLOSING = "</details>"


def mark_answers(cells: list[Any]) -> None:
    """Fold the text of each answer, and tag the cells that show it: those between a prompt and its answer."""
    asked = False
    for cell in cells:
        tags = cell.metadata.get("tags", [])
        if ANSWERS in tags:
            cell.source = FOLDED.format(text=cell.source)
        elif asked and cell.cell_type == "code" and not cell.id.startswith(ASKS):
            cell.metadata["tags"] = [*tags, ANSWERS]
        asked = PREDICTS in tags or (asked and ANSWERS not in tags)


def fold(document: nodes.document) -> None:
    """Put what a cell that answers a prediction shows into a `details` element."""
    cells = [cell for cell in document.findall(nodes.container) if SHOWN in cell["classes"]]
    for cell in cells:
        _fold_output(cell)
    if not cells:
        _fold_by_words(document)


def _fold_by_words(document: nodes.document) -> None:
    """Put what each cell below a **Predict** shows into a `details` element, and the **Explain** that follows with it.

    What is below ends with the explanation, or with the next heading.
    """
    cell, asked = None, False
    for node in list(document.findall(lambda node: isinstance(node, nodes.Element))):
        if isinstance(node, nodes.section):
            cell, asked = None, False
        elif isinstance(node, nodes.paragraph) and says(node, "Explain"):
            if asked and cell is not None:
                node.parent.remove(node)
                cell.insert(-1, node)
            cell, asked = None, False
        elif isinstance(node, nodes.paragraph) and says(node, "Predict"):
            cell, asked = None, True
        elif asked and "cell" in node.get("classes", ()) and _fold_output(node):
            cell = node


def says(paragraph: nodes.paragraph, word: str) -> bool:
    """Whether the word is in a paragraph in bold, alone or with a full stop or colon."""
    return any(re.fullmatch(rf"{word}[.:]?", strong.astext()) for strong in paragraph.findall(nodes.strong))


def _fold_output(cell):
    """Fold what a cell shows, and return it; None where it shows nothing."""
    shown = next((part for part in cell.children if "cell_output" in part.get("classes", ())), None)
    if shown:
        place = cell.index(shown)
        opening, closing = (nodes.raw("", html, format="html") for html in (OPENING, CLOSING))
        cell[place : place + 1] = [opening, shown, closing]
    return shown
