"""Fold what would answer a prediction: on the site, as in a notebook, it is seen when it is asked for."""

import re

from docutils import nodes

OPENING = '<details class="answer"><summary>Show the answer</summary>'
CLOSING = "</details>"


def fold(document: nodes.document) -> None:
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
        elif asked and "cell" in node.get("classes", ()) and (shown := _output(node)):
            place = node.index(shown)
            node[place : place + 1] = [
                nodes.raw("", OPENING, format="html"),
                shown,
                nodes.raw("", CLOSING, format="html"),
            ]
            cell = node


def says(paragraph: nodes.paragraph, word: str) -> bool:
    """Whether the word stands in a paragraph in bold, alone or with a full stop or colon."""
    return any(re.fullmatch(rf"{word}[.:]?", strong.astext()) for strong in paragraph.findall(nodes.strong))


def _output(cell):
    return next((part for part in cell.children if "cell_output" in part.get("classes", ())), None)
