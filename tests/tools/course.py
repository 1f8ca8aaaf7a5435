"""The notebooks as data, for the tests: cells, text, sections, and the labkit names that their code uses."""

import re
from functools import cache
from pathlib import Path

import nbformat

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "notebooks"
NOTEBOOKS = sorted(path for path in FOLDER.glob("**/*.ipynb") if ".ipynb_checkpoints" not in path.parts)
NUMBERS = [path.stem.split("_")[0].replace("e", "E") for path in NOTEBOOKS]  # 01 to 14, then the electives from E1
NUMBER = r"(?:\d\d|E\d)b?"


@cache
def load(path):
    """A notebook as it is in its file, read once: nobody changes it."""
    return nbformat.v4.reads(path.read_text(encoding="utf-8"))


def number_of(path):
    """The number of a notebook in the course, as its file's name begins: `04`, `E1`."""
    return path.stem.split("_")[0].replace("e", "E")


def code_cells(path):
    return [cell for cell in load(path).cells if cell.cell_type == "code"]


def markdown(path):
    return "\n\n".join(cell.source for cell in load(path).cells if cell.cell_type == "markdown")


def without_fences(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
