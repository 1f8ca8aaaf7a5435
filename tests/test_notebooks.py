"""Every notebook is in order: valid, run from top to bottom, readable, and at one with the exercises it names.

The outputs themselves are compared by `pytest --nbval notebooks`.
"""

import ast
import io
import re
import socket
import tokenize
from itertools import pairwise
from pathlib import Path

import nbformat
import pytest

from labkit.classroom import EXERCISES

FOLDER = Path(__file__).parent.parent / "notebooks"
NOTEBOOKS = sorted(path for path in FOLDER.glob("**/*.ipynb") if ".ipynb_checkpoints" not in path.parts)
SKIPPED = {"nbval-ignore-output", "nbval-skip"}
FORBIDDEN = re.compile(
    r"/work\b|/tmp\b|/root\b|/home/|/Users/|[A-Z]:\\\\|localhost|127\.0\.0\.1|0x[0-9a-f]{6,}|ipykernel_\d|site-packages"
    r"|\bTODO\b|\bFIXME\b"
)

notebooks = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def load(path):
    return nbformat.read(path, as_version=nbformat.NO_CONVERT)


def code_cells(path):
    return [cell for cell in load(path).cells if cell.cell_type == "code"]


def markdown(path):
    return "\n\n".join(cell.source for cell in load(path).cells if cell.cell_type == "markdown")


def tags(cell):
    return set(cell.metadata.get("tags", ()))


def without_fences(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def shows_something(source):
    """True if running the cell prints, displays or ends in an expression."""
    body = ast.parse(source).body
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.Expr) and not (
        isinstance(last.value, ast.Call) and ast.unparse(last.value.func) == "plt.close"
    ):
        return True
    run = [node for node in body if not isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    calls = [ast.unparse(n.func) for top in run for n in ast.walk(top) if isinstance(n, ast.Call)]
    return bool({"print", "display"} & set(calls))


def test_there_are_notebooks():
    assert NOTEBOOKS


@notebooks
def test_valid_nbformat_4_5_with_unique_readable_ids(path):
    notebook = load(path)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    ids = [cell.id for cell in notebook.cells]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[a-z0-9-]{3,64}", i) for i in ids)


@notebooks
def test_metadata_names_the_kernel_and_nothing_of_a_machine(path):
    notebook = load(path)
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert notebook.metadata.kernelspec.name == "python3"
    assert notebook.metadata.language_info.name == "python"  # JupyterLab adds more when a reader saves
    for cell in notebook.cells:
        assert set(cell.metadata) <= {"tags"}, cell.id


@notebooks
def test_every_code_cell_was_run_in_order(path):
    counts = [cell.execution_count for cell in code_cells(path)]
    assert counts == list(range(1, len(counts) + 1))


@notebooks
def test_cells_that_show_something_have_stored_outputs(path):
    for cell in code_cells(path):
        assert cell.outputs or not shows_something(cell.source) or tags(cell) & SKIPPED, cell.id


@notebooks
def test_no_errors_and_nothing_on_stderr(path):
    for cell in code_cells(path):
        for output in cell.outputs:
            assert output.output_type != "error" or "raises-exception" in tags(cell), cell.id
            assert output.get("name") != "stderr", cell.id


@notebooks
def test_no_line_of_code_ends_in_a_semicolon(path):
    for cell in code_cells(path):
        assert not [line for line in cell.source.splitlines() if line.rstrip().endswith(";")], cell.id


@notebooks
def test_no_line_of_code_needs_scrolling(path):
    for cell in code_cells(path):
        assert max(map(len, cell.source.splitlines())) <= 115, cell.id


@notebooks
def test_code_cells_carry_no_prose(path):
    for cell in code_cells(path):
        tokens = tokenize.generate_tokens(io.StringIO(cell.source).readline)
        assert not [t.string for t in tokens if t.type == tokenize.COMMENT], cell.id


@notebooks
def test_at_most_one_code_cell_in_ten_is_not_compared(path):
    cells = code_cells(path)
    assert sum(bool(tags(cell) & SKIPPED) for cell in cells) <= len(cells) / 10


@notebooks
def test_one_title_and_no_heading_level_left_out(path):
    levels = [len(h) for h in re.findall(r"^(#+) ", without_fences(markdown(path)), re.MULTILINE)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(deeper <= level + 1 for level, deeper in pairwise(levels))


@notebooks
def test_the_parts_that_every_notebook_has(path):
    text = markdown(path)
    minutes = int(re.search(r"About (\d+) minutes", text).group(1))
    assert 15 <= minutes <= 40
    for part in ("After this notebook you can", "Predict", "Explain", "## Recap", "The same in"):
        assert part.lower() in text.lower(), part
    assert re.match(rf"# {path.stem[:2]} · ", text)


@notebooks
def test_every_image_has_alternative_text(path):
    text = markdown(path)
    assert not re.search(r"!\[\s*\]\(", text)
    assert all("alt=" in tag for tag in re.findall(r"<img[^>]*>", text))
    for cell in code_cells(path):
        for output in cell.outputs:
            for kind in output.get("data", {}):
                if kind.startswith("image/"):
                    assert len(output.metadata[kind]["alt"]) > 20, cell.id


@notebooks
def test_nothing_of_this_machine_and_no_addresses(path):
    notebook = load(path)
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            output.get("data", {}).pop("image/png", None)
    text, host = nbformat.writes(notebook), socket.gethostname()
    assert not FORBIDDEN.search(text), FORBIDDEN.search(text)
    assert len(host) < 6 or host not in text


@notebooks
def test_links_are_https(path):
    links = re.findall(r"\]\(([^)\s]+)\)", without_fences(markdown(path)))
    assert links and all(link.startswith(("https://", "#")) for link in links)


@notebooks
def test_exercises_and_notebook_agree(path):
    belonging = {name for name, exercise in EXERCISES.items() if exercise.notebook == path.stem}
    checked = [name for cell in code_cells(path) for name in re.findall(r'\bcheck\("([^"]+)"', cell.source)]
    assert sorted(checked) == sorted(belonging)
    assert len(belonging) >= 4
    cells = {cell.id: cell.source for cell in load(path).cells}
    for name in belonging:
        exercise = EXERCISES[name]
        assert exercise.title in cells[f"exercise-{name}"] and exercise.statement in cells[f"exercise-{name}"]
        assert exercise.solution.strip() in cells[f"solution-{name}"] and "<details>" in cells[f"solution-{name}"]
        assert "There is no answer yet" in str(next(c for c in code_cells(path) if c.id == f"answer-{name}").outputs)


def test_every_exercise_belongs_to_a_notebook():
    assert {exercise.notebook for exercise in EXERCISES.values()} <= {path.stem for path in NOTEBOOKS}
