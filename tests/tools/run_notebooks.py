"""Run notebooks from top to bottom, store what they show, and say how long they take.

    python tests/tools/run_notebooks.py                        # all
    python tests/tools/run_notebooks.py notebooks/03_*.ipynb   # some
    python tests/tools/run_notebooks.py --time                 # store nothing
    python tests/tools/run_notebooks.py --texts                # run nothing: exercises as their files have them

Statements, stubs and solutions of exercises (cells `exercise-NAME`, `answer-NAME` and `solution-NAME`) are brought up to
date first. What is stored holds no trace of the machine: no widget models (their still pictures stay), no timings, no paths.
"""

import argparse
import re
import time
from pathlib import Path

import nbformat
from course import NOTEBOOKS
from nbclient import NotebookClient

from labkit.classroom import EXERCISES

METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
VIEW = "application/vnd.jupyter.widget-view+json"
SLOW = 5.0  # seconds: a cell that takes longer is reported


def exercise_text(name, number):
    """The statement of an exercise as it stands in a notebook."""
    exercise = EXERCISES[name]
    points = f"{exercise.points} point{'s' * (exercise.points != 1)}"
    return f"### Exercise {number}: {exercise.title} ({points})\n\n{exercise.statement.strip()}"


def solution_text(name, number):
    """The folded solution of an exercise."""
    source = EXERCISES[name].solution.strip()
    return f'Hints: `hint("{name}")`\n\n<details><summary>Solution</summary>\n\n```python\n{source}\n```\n\n</details>'


def answer_code(name, number):
    """The cell in which a learner answers."""
    exercise = EXERCISES[name]
    gap = "\n" if exercise.is_prediction else "\n\n\n"
    return f'{exercise.stub}{gap}check("{name}", {exercise.binds})'


TEXTS = {"exercise": exercise_text, "answer": answer_code, "solution": solution_text}


def refresh_exercises(notebook, stem):
    """Statements, stubs and solutions as the exercises have them, numbered in order; the cells of a new one at the end."""
    present = {cell.id for cell in notebook.cells}
    for name in (name for name, exercise in EXERCISES.items() if exercise.notebook == stem):
        if f"exercise-{name}" not in present:
            notebook.cells += [nbformat.v4.new_markdown_cell(id=f"exercise-{name}")]
            notebook.cells += [nbformat.v4.new_code_cell(id=f"answer-{name}")]
            notebook.cells += [nbformat.v4.new_markdown_cell(id=f"solution-{name}")]
    number = 0
    for cell in notebook.cells:
        kind, _, name = cell.id.partition("-")
        if name in EXERCISES and kind in TEXTS:
            number += kind == "exercise"
            cell.source = TEXTS[kind](name, number)


def execute(notebook, folder) -> dict[str, float]:
    """Run all cells in a new kernel; returns the seconds of each code cell."""
    seconds: dict[str, float] = {}

    def begin(cell, cell_index):
        seconds[cell.id] = -time.perf_counter()

    def end(cell, cell_index, execute_reply):
        if cell.id in seconds:
            seconds[cell.id] += time.perf_counter()

    NotebookClient(
        notebook, timeout=120, kernel_name="python3", store_widget_state=False, allow_errors=False,
        on_cell_execute=begin, on_cell_executed=end, resources={"metadata": {"path": str(folder)}},
    ).execute()  # fmt: skip
    return {cell.id: seconds.get(cell.id, 0.0) for cell in notebook.cells if cell.cell_type == "code"}


def joined(outputs):
    """What was printed in one piece, however many pieces it came in: how many depends on how busy the machine was."""
    whole = []
    for output in outputs:
        if whole and output.output_type == "stream" and whole[-1].get("name") == output.name:
            whole[-1].text += output.text
        else:
            whole.append(output)
    return whole


def cleaned(notebook):
    """Without what belongs to this run and this machine."""
    for cell in notebook.cells:
        cell.metadata = {"tags": cell.metadata["tags"]} if cell.metadata.get("tags") else {}
        if cell.cell_type == "code":
            for output in cell.outputs:
                data = output.get("data", {})
                data.pop(VIEW, None)
                if "text/html" in data:  # the mark of a still picture is new at every run
                    data["text/html"] = re.sub(r"still-[0-9a-f]{16}", f"still-of-{cell.id}", data["text/html"])
            cell.outputs = joined([output for output in cell.outputs if output.get("data") != {}])
    notebook.metadata = METADATA
    return notebook


def run(path, store=True, execute=execute) -> dict[str, float]:
    """Run one notebook in its folder and write it back; returns the seconds of each code cell."""
    notebook = nbformat.read(path, as_version=4)
    refresh_exercises(notebook, path.stem)
    seconds = execute(notebook, path.parent)
    if store:
        text = nbformat.writes(cleaned(notebook))
        path.write_text(re.sub(r"\n*$", "\n", text), encoding="utf-8")
    return seconds


def report(path, seconds, wall) -> str:
    """One line for the notebook and one for each slow cell."""
    lines = [f"{path.stem:<28} {wall:6.1f} s, its {len(seconds)} cells {sum(seconds.values()):.1f} s"]
    lines += [f"    cell {cell}: {took:.1f} s" for cell, took in seconds.items() if took > SLOW]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description="Run notebooks, store their outputs, say how long they take.")
    parser.add_argument("notebooks", nargs="*", type=Path, default=NOTEBOOKS, metavar="NOTEBOOK", help="default: all")
    parser.add_argument("--time", action="store_true", help="only say how long they take; store nothing")
    parser.add_argument("--texts", action="store_true", help="only bring exercises up to date; run nothing")
    arguments = parser.parse_args()
    how = {"execute": lambda notebook, folder: {}} if arguments.texts else {}
    for path in arguments.notebooks:
        started = time.perf_counter()
        seconds = run(path, not arguments.time, **how)
        print(report(path, seconds, time.perf_counter() - started), flush=True)


if __name__ == "__main__":
    main()
