"""A reader who follows a notebook of the course in JupyterLab: runs it, answers, and asks what is done."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from notebook_server import Notebook

from labkit.classroom import EXERCISES, Exercise

PROGRESS = "labkit.progress()"


@dataclass
class Reader:
    """Someone at a notebook that was opened and run from top to bottom. `cells` is as it came."""

    path: Path
    cells: list
    notebook: Notebook

    @property
    def exercises(self) -> list[Exercise]:
        """The exercises of the notebook, in its order."""
        names = (cell.id.removeprefix("answer-") for cell in self.cells)
        return [EXERCISES[name] for name in names if name in EXERCISES]

    def place(self, cell: str) -> int:
        """Where a cell stands in the notebook."""
        return [each.id for each in self.cells].index(cell)

    def text(self, place: int) -> str:
        """What a cell shows, on one line."""
        return one_line(self.notebook.outputs(place).text_content())

    def set(self, place: int, source: str):
        """Put a source into a cell at once."""
        self.notebook.do(f"notebook.content.model.cells.get({place}).sharedModel.setSource({json.dumps(source)})")

    def type(self, place: int, source: str):
        """Type a source over what a cell holds, key by key."""
        keyboard, cell = self.notebook.page.keyboard, self.notebook.panel.locator(".jp-Notebook-cell").nth(place)
        cell.locator(".cm-content").click()
        keyboard.press("ControlOrMeta+a")
        for i, line in enumerate(source.splitlines()):
            if i:
                keyboard.press("Enter")
                keyboard.press("Shift+Home")  # the indentation that the editor makes
            if line:
                keyboard.type(line)
            elif i:
                keyboard.press("Delete")
        assert self.notebook.sources()[place] == source

    def progress(self) -> int:
        """Run the cell that shows the progress, typed into a new last cell where there is none; returns its place."""
        if PROGRESS not in self.notebook.sources():
            self.notebook.do("notebook.content.activeCellIndex = notebook.content.widgets.length - 1")
            self.notebook.do("await jupyterapp.commands.execute('notebook:insert-cell-below')")
            self.type(len(self.notebook.sources()) - 1, PROGRESS)
        place = self.notebook.sources().index(PROGRESS)
        self.notebook.run(place)
        return place


def one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def answered(exercise: Exercise, source: str) -> str:
    """The cell of an answer, filled in."""
    return f'{source.strip()}\n\n\ncheck("{exercise.name}", answer)'
