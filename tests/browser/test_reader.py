"""A reader follows the first notebooks of the course in JupyterLab: runs them, answers wrongly, then rightly, to the end."""

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from course import FOLDER, NOTEBOOKS, load
from listened_page import Listened
from notebook_server import Notebook

from labkit.classroom import EXERCISES, Exercise
from labkit.classroom.progress import FILE

FOLLOWED = [
    pytest.param(path, id=path.stem, marks=() if path.stem[:2] in ("00", "03") else pytest.mark.live)
    for path in NOTEBOOKS
    if path.stem[:2] <= "03"
]
PROGRESS = "labkit.progress()"
RAN = """return [...notebook.content.model.cells].map(cell => cell.toJSON())"""


@dataclass
class Reader:
    """Someone at a notebook that was opened and run from top to bottom. `cells` is as it came."""

    path: Path
    cells: list
    notebook: Notebook
    listened: Listened

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


@pytest.fixture(scope="module")
def course(server):
    """The notebooks as a reader has them: a folder of their own, without any progress."""
    home = server.root / "course"
    shutil.copytree(FOLDER, home, ignore=shutil.ignore_patterns(".*"))
    return home


@pytest.fixture(scope="module", params=FOLLOWED)
def reader(request, lab, server, course):
    path = course / request.param.name
    cells = load(path).cells
    lab.messages.clear()
    notebook = Notebook(lab.page, server, f"{course.name}/{path.stem}")
    notebook.run()
    notebook.kernel("0")  # all cells are done: JupyterLab itself stops waiting at a cell that fails on purpose
    yield Reader(path, cells, notebook, lab)
    notebook.close()


def test_every_cell_runs(reader):
    assert reader.notebook.kernel("len(In) - 1") == sum(cell.cell_type == "code" for cell in reader.cells)
    for cell, ran in zip(reader.cells, reader.notebook.do(RAN), strict=True):
        if cell.cell_type == "code":
            wrong = [o for o in ran["outputs"] if o["output_type"] == "error" or o.get("name") == "stderr"]
            assert ran["execution_count"], cell.id
            assert bool(wrong) == ("raises-exception" in cell.metadata.get("tags", ())), (cell.id, wrong)
    assert reader.listened.messages == []


def test_every_widget_is_live(reader):
    pictured = [i for i, cell in enumerate(reader.cells) if "data-labkit=" in str(cell.get("outputs"))]
    for place in pictured:
        shown = reader.notebook.outputs(place)
        shown.locator(".labkit .lk-title").wait_for()
        assert shown.locator(".labkit").count() == 1
        assert shown.locator("img[data-labkit]").count() == 1
        assert not shown.locator("img[data-labkit]").is_visible()
    assert reader.notebook.panel.locator(".labkit").count() == len(pictured)
    assert reader.listened.messages == []


def test_every_exercise_is_answered_and_remembered(reader):
    notebook = reader.notebook
    typed = min((e for e in reader.exercises if not e.is_prediction), key=lambda e: len(e.solution))
    for exercise in reader.exercises:
        place = reader.place(f"answer-{exercise.name}")
        assert "There is no answer yet" in reader.text(place)

        sentences = {misconception.name: misconception.sentence for misconception in exercise.misconceptions}
        wrong = next(wrong for wrong in exercise.wrong_answers if wrong.expected in sentences)
        reader.set(place, answered(exercise, wrong.source))
        notebook.run(place)
        assert one_line(sentences[wrong.expected]) in reader.text(place), exercise.name

        fill = reader.type if exercise is typed else reader.set
        fill(place, answered(exercise, exercise.solution))
        notebook.run(place)
        assert f"{exercise.name}: right" in reader.text(place)

    count, points = len(reader.exercises), sum(exercise.points for exercise in reader.exercises)
    line = f"{reader.path.stem} {count} of {count} exercises {points} of {points} points done"
    assert line in reader.text(reader.progress())
    assert notebook.kernel("str(labkit.progress().folder)") == str(reader.path.parent)
    assert reader.path.with_name(FILE).is_file()
    assert reader.listened.messages == []
