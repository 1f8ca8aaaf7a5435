"""Every notebook is in order: valid, run from top to bottom, readable, and at one with the exercises it names.

The outputs themselves are compared by `pytest --nbval notebooks`; where links lead, by `test_links.py`.
"""

import ast
import io
import re
import socket
import tokenize
from itertools import pairwise

import minutes
import nbformat
import pytest
from course import NOTEBOOKS, NUMBER, NUMBERS, code_cells, load, markdown, number_of, without_fences
from run_notebooks import TEXTS, VIEW

from labkit.classroom import EXERCISES
from labkit.classroom.predicting import course

SKIPPED = {"nbval-ignore-output", "nbval-skip"}
FORBIDDEN = re.compile(
    r"/work\b|/tmp\b|/root\b|/home/|/Users/|[A-Z]:\\\\|localhost|127\.0\.0\.1|0x[0-9a-f]{6,}|ipykernel_\d|site-packages"
    r"|\bTODO\b|\bFIXME\b"
)
COLOUR = re.compile(
    r"\b(?!black box)(?:red|blue|green|orange|yellow|purple|violet|pink|brown|gr[ea]y|black|white)"
    r" (?:line|curve|bar|arrow|dot|point|node|box|cell|area|region|panel|one)s?\b",
    re.IGNORECASE,
)
MARK = re.compile(
    r"\b(?:dash|dot|solid|thick|thin|bold|marker|circle|square|triangle|diamond|cross|star|hatch|strip|label|outline)",
    re.IGNORECASE,
)

notebooks = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def tags(cell):
    return set(cell.metadata.get("tags", ()))


def sentences(text):
    return re.split(r"(?<=[.!?:])\s+|\n\s*\n|\n(?=[-*|#])", text)


def colour_alone(text):
    """The sentences that tell lines or bars apart by nothing but colour."""
    return [s for s in sentences(text) if COLOUR.search(s) and not MARK.search(COLOUR.sub("", s))]


def pictures_without_words(html):
    """The tags of pictures in HTML that say nothing of what is seen."""
    images = [
        tag for tag in re.findall(r"<img\b[^>]*>", html) if not re.search(r"""alt=(["'])(?:(?!\1)[\s\S]){20,}""", tag)
    ]
    drawings = re.findall(r"<svg\b[^>]*>", html)
    return images + [tag for tag in drawings if not re.search(r"aria-label(?:ledby)?=|aria-hidden=", tag)]


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
            assert output.get("name") != "stderr" or "warns" in tags(cell), cell.id


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
def test_plots_follow_the_theme(path):
    """What matplotlib draws goes through `labkit.widgets.plot`, which draws it in the colours of the page."""
    for cell in code_cells(path):
        assert not re.search(r"^\s*(import|from) matplotlib", cell.source, re.MULTILINE), cell.id


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
    assert minutes.sentence(path) in text, "python tests/tools/minutes.py"
    assert 10 <= minutes.minutes(path)[0] <= 40
    for part in ("After this notebook you can", "Predict", "Explain", "## Recap", "The same in"):
        assert part.lower() in text.lower(), part
    assert re.match(rf"# {number_of(path)} · ", text)


@notebooks
def test_every_image_has_alternative_text(path):
    text = markdown(path)
    assert not re.search(r"!\[\s*\]\(", text)
    assert pictures_without_words(text) == []
    for cell in code_cells(path):
        for output in cell.outputs:
            assert pictures_without_words(output.get("data", {}).get("text/html", "")) == [], cell.id
            for kind in output.get("data", {}):
                if kind.startswith("image/"):
                    assert len(output.metadata[kind]["alt"]) > 20, cell.id


@notebooks
def test_nothing_is_told_by_colour_alone(path):
    assert colour_alone(markdown(path)) == []


@notebooks
def test_the_words_of_a_link_say_where_it_leads(path):
    words = [word.lower() for word in re.findall(r"\[([^\]]+)\]\(", without_fences(markdown(path)))]
    assert not {"here", "click here", "this", "this page", "link", "more"} & set(words)


@notebooks
def test_no_widget_models_are_stored(path):
    for cell in code_cells(path):
        assert not [o for o in cell.outputs if VIEW in o.get("data", {})], f"{cell.id}: tests/tools/run_notebooks.py"


@notebooks
def test_nothing_of_this_machine_and_no_addresses(path):
    text, host = re.sub(r'"image/png": "[^"]*"', "", path.read_text(encoding="utf-8")), socket.gethostname()
    assert not FORBIDDEN.search(text), FORBIDDEN.search(text)
    assert len(host) < 6 or host not in text


@notebooks
def test_predictions_have_their_entry_and_their_answer(path):
    """For each prompt: the cell that keeps a prediction, cells that show the answer, and then the answer, which is folded."""
    cells, unit = load(path).cells, number_of(path)
    prompts = [i for i, cell in enumerate(cells) if "predict" in tags(cell)]
    names = [cells[i + 1].id.removeprefix("predict-") for i in prompts]
    assert set(names) == set(course().get(unit, {})) and len(names) == len(set(names))
    for i, name in zip(prompts, names, strict=True):
        answer = next(k for k in range(i + 1, len(cells)) if cells[k].cell_type == "markdown")
        assert "answer" in tags(cells[answer]) and answer > i + 2, cells[i].id
        assert cells[i + 1].source == f'predict("{unit}-{name}", ...)'
        options = re.findall(r"^- \((\w)\) ", cells[i].source, re.MULTILINE)
        entry = course()[unit][name]
        assert "".join(options) == entry.get("options", "abc") and entry["right"] in options, cells[i].id
        assert re.search(r"^- \(\w\) .*(\n  .*)*\s*\Z", cells[i].source, re.MULTILINE), (
            f"{cells[i].id} ends with its options"
        )
    if prompts:
        others = [cell for cell in cells if cell.cell_type == "markdown" and not tags(cell) & {"predict", "answer"}]
        assert not [c.id for c in others if re.search(r"\*\*(Explain|Predict)[.:]?\*\*", c.source)]
        assert [c.source for c in cells].index(f'predictions("{unit}")') > prompts[-1]


def test_every_unit_with_predictions_is_a_notebook():
    units = {number_of(path) for path in NOTEBOOKS}
    assert set(course()) <= units
    assert all({*entry} - {"options"} == {"right", "about"} for names in course().values() for entry in names.values())


@notebooks
def test_exercises_and_notebook_agree(path):
    belonging = {name for name, exercise in EXERCISES.items() if exercise.notebook == path.stem}
    checked = [name for cell in code_cells(path) for name in re.findall(r'\bcheck\("([^"]+)"', cell.source)]
    assert sorted(checked) == sorted(belonging)
    assert len(belonging) >= 2
    for name in belonging:
        assert "There is no answer yet" in str(next(c for c in code_cells(path) if c.id == f"answer-{name}").outputs)


@notebooks
def test_statements_stubs_and_solutions_are_those_of_the_exercises(path):
    cells = {cell.id: cell.source for cell in load(path).cells}
    stated = [i.removeprefix("exercise-") for i in cells if i.removeprefix("exercise-") in EXERCISES]
    for number, name in enumerate(stated, 1):
        for kind, text in TEXTS.items():
            assert cells[f"{kind}-{name}"] == text(name, number), "python tests/tools/run_notebooks.py --texts"
    assert set(stated) == {name for name, exercise in EXERCISES.items() if exercise.notebook == path.stem}


def test_every_exercise_belongs_to_a_notebook():
    assert {exercise.notebook for exercise in EXERCISES.values()} <= {path.stem for path in NOTEBOOKS}


def test_each_number_of_the_course_is_one_notebook():
    assert len(NUMBERS) == len(set(NUMBERS)) and all(re.fullmatch(NUMBER, number) for number in NUMBERS)
    assert [number for number in NUMBERS if number.isdecimal()] == [f"{i:02}" for i in range(1, 15)]
