"""Folds the answers to predictions: readers of the site open them when they want."""

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
    for cell in [cell for cell in document.findall(nodes.container) if SHOWN in cell["classes"]]:
        shown = next((part for part in cell.children if "cell_output" in part.get("classes", ())), None)
        if shown:
            place = cell.index(shown)
            opening, closing = (nodes.raw("", html, format="html") for html in (OPENING, CLOSING))
            cell[place : place + 1] = [opening, shown, closing]
