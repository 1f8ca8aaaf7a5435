"""A small course in a folder, for the tests of working copies."""

import json

from labkit.working_copy import places
from labkit.working_copy.copy import WorkingCopy


def code(source, cell_id, **more):
    ran = {"outputs": [{"output_type": "stream", "name": "stdout", "text": "10"}], "execution_count": 4}
    return {"cell_type": "code", "id": cell_id, "metadata": {}, "source": source, **ran, **more}


def text(source):
    return {"cell_type": "markdown", "id": "text", "metadata": {}, "source": source}


def notebook(*cells):
    return {"cells": list(cells), "metadata": {"kernelspec": {"name": "python3"}}, "nbformat": 4, "nbformat_minor": 5}


def exercise(name, stub="answer = ..."):
    return code(f'{stub}\ncheck("{name}", answer)', f"answer-{name}")


class Learner:
    """A course of two notebooks, and the folder where its working copy is to be."""

    def __init__(self, folder):
        self.course, self.folder = folder / "course", folder / "copy"
        (self.course / "figures").mkdir(parents=True)
        (self.course / "figures" / "graph.png").write_bytes(b"a picture")
        (self.course / ".labkit-progress.json").write_text("somebody's")
        self.publish("00_start", text("# Start"), code("print(10)", "show"), exercise("sum"), exercise("product"))
        self.publish("01_more", text("# More"), exercise("slope"))

    def publish(self, stem, *cells):
        (self.course / f"{stem}.ipynb").write_text(json.dumps(notebook(*cells)))

    def copy(self):
        return WorkingCopy(self.folder, self.course)

    def read(self, name):
        return json.loads((self.folder / name).read_text())

    def edit(self, name, change):
        """What a learner does in JupyterLab: `change(cells)`, and save."""
        data = self.read(name)
        change(data["cells"])
        (self.folder / name).write_text(json.dumps(data, indent=1))

    def answer(self, name, exercise, written):
        def change(cells):
            (cell,) = (cell for cell in cells if cell.get("id") == f"answer-{exercise}")
            cell["source"] = written

        self.edit(name, change)

    def content(self):
        files = (path for path in self.folder.rglob("*") if path.is_file() and path.name != places.MANIFEST)
        return {path.relative_to(self.folder).as_posix(): path.read_bytes() for path in files}
