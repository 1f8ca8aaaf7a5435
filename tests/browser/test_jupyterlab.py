"""In JupyterLab the live widget takes the place of the still picture, and lives as long as its cell shows it.

And a reader follows the first notebooks of the course: runs them, answers wrongly, then rightly, to the end.
"""

import shutil

import pytest
from course import FOLDER, NOTEBOOKS, load
from listened_page import Listened, axe_findings
from notebook_reader import Reader, answered, one_line
from notebook_server import Notebook, until
from widget_examples import LABS, made

from labkit.classroom.progress import FILE

LIVE_MODELS = (
    "[len(__import__('ipywidgets').widgets.widget._instances), len(__import__('comm').get_comm_manager().comms)]"
)
PAGE_MODELS = """async () => {
  const renderer = notebook.content.rendermime.createRenderer("application/vnd.jupyter.widget-view+json");
  return Object.keys((await renderer._manager.promise)._models).length;
}"""
STEP = LABS["step_size"]
SITUATIONS = {
    "lab": f"{STEP.replace('StepSize(', 'p = StepSize(')}\np",
    "turns": "p.format = 'float16'",
    "other": LABS["cut"],
    "unheld": "display(StepSize(lambda x: x**2, 1.0))\ndisplay(StepSize(lambda x: x**3, 1.0))",
    "collects": "import gc; gc.collect()",
    "again": "p",
    "below": "1 + 1",
}
SAID = ".lab-say"


@pytest.fixture(autouse=True)
def nothing_is_said(lab):
    """Every test also sees that nothing is printed on the console."""
    lab.messages.clear()
    yield
    assert lab.messages == []


@pytest.fixture(scope="module")
def situations(lab, server):
    """A notebook with a cell for each situation."""
    notebook = Notebook(lab.page, server, "situations", list(SITUATIONS.values()))
    yield notebook
    notebook.close()


@pytest.fixture
def run(situations):
    """`run(name, ...)`: run cells, and return what the last one shows."""

    def run_cells(*names):
        for name in names:
            situations.run(place(name))
        return situations.outputs(place(names[-1]))

    return run_cells


def place(name):
    return list(SITUATIONS).index(name)


def use_theme(page, name):
    page.evaluate("theme => jupyterapp.commands.execute('apputils:change-theme', {theme})", name)
    page.wait_for_function("theme => document.body.dataset.jpThemeName === theme", arg=name)


def last_line(name, **state):
    return made(name).describe(**state).splitlines()[-1]


def test_the_live_widget_hides_the_still_picture(run):
    output = run("lab")
    assert output.locator(SAID).inner_text() == last_line("step_size")
    still = output.locator("img")
    assert still.count() == 1 and not still.is_visible() and "Step size" in still.get_attribute("alt")


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_axe_finds_nothing_in_either_theme(run, situations, mode):
    run("lab", "other").locator(".lab-title").wait_for()
    use_theme(situations.page, f"JupyterLab {mode.title()}")
    try:
        assert axe_findings(situations.page, ".lab", rules=None if mode == "light" else ["color-contrast"]) == []
    finally:
        use_theme(situations.page, "JupyterLab Light")


def test_python_turns_it_and_hears_of_it_once_a_drag_has_ended(run, situations):
    output = run("lab")
    run("turns")
    assert until(lambda: "float16" in output.locator(SAID).inner_text())
    handle = output.locator(".lab-handle").last
    box = handle.bounding_box()
    situations.page.mouse.move(box["x"] + 9, box["y"] + 9)
    situations.page.mouse.down()
    situations.page.mouse.move(box["x"] + 60, box["y"] + 9, steps=6)
    before = situations.kernel("p.h")
    situations.page.mouse.up()
    assert until(lambda: situations.kernel("p.h") != before)
    assert before == 0.3 and f"h = {situations.kernel('p.h'):.3g}" in output.locator(SAID).inner_text()


def test_typing_in_it_never_edits_the_notebook(run, situations):
    output, before = run("lab"), situations.sources()
    controls = output.locator(".lab-handle, .lab button, .lab summary").filter(visible=True)
    for i in range(controls.count()):
        controls.nth(i).focus()
        for key in ["b", "a", "d", "d", "x", "v", "m", "y", "z", "Shift+m", "0", "0", "Delete", "Backspace"]:
            situations.page.keyboard.press(key)
    assert situations.sources() == before and output.locator(".lab").is_visible()
    assert situations.page.locator(".jp-Dialog").count() == 0


def test_running_its_cell_again_and_again_shows_one_widget_and_leaves_one_model(run, situations):
    run("lab")
    models, in_page = situations.kernel(LIVE_MODELS), situations.page.evaluate(PAGE_MODELS)
    for _ in range(4):
        output = run("lab")
    assert output.locator(".lab").count() == 1 and not output.locator("img").is_visible()
    assert situations.kernel(LIVE_MODELS) == models and situations.page.evaluate(PAGE_MODELS) == in_page


def test_a_widget_that_no_variable_holds_and_one_in_two_cells_live_on(run, situations):
    run("lab")
    run("unheld", "collects")
    situations.outputs(place("unheld")).locator(".lab-title").nth(1).wait_for()
    other = run("again", "again")
    other.get_by_role("button", name="float32").click()
    assert until(lambda: "float32" in situations.outputs(place("lab")).locator(SAID).inner_text())


def test_it_computes_on_when_the_kernel_restarts(run, situations):
    output = run("lab")
    situations.restart()
    output.get_by_role("button", name="central").click()
    assert output.locator(SAID).inner_text() == last_line("step_size", rule="central")
    assert run("lab").locator(".lab").count() == 1


def test_a_saved_notebook_shows_the_still_picture_until_its_cell_runs(lab, server):
    notebook = Notebook(lab.page, server, "saved", [STEP, STEP])
    notebook.run(0)
    notebook.close(save=True)
    notebook = Notebook(lab.page, server, "saved")
    notebook.run(1)
    notebook.outputs(1).locator(".lab-title").wait_for()
    assert [notebook.outputs(cell).locator("img").is_visible() for cell in (0, 1)] == [True, False]
    notebook.close()


def test_it_shows_in_notebook_7(browser, server, lab):
    window = browser.new_context(viewport={"width": 1000, "height": 1000})
    listened = Listened(window.new_page())
    notebook = Notebook(listened.page, server, "seven", [STEP], tab=False)
    listened.messages.clear()  # of its own start
    notebook.run()
    output = notebook.outputs(0)
    handle = output.locator(".lab-handle").last
    for key in ("ArrowRight", "b", "d", "d"):
        handle.press(key)
    assert output.locator(SAID).inner_text() != last_line("step_size") and not output.locator("img").is_visible()
    assert notebook.sources() == [STEP] and listened.messages == []
    window.close()


# ---- a reader of the course ----

FOLLOWED = [
    pytest.param(path, id=path.stem, marks=() if path.stem[:2] == "01" else pytest.mark.live)
    for path in NOTEBOOKS
    if path.stem[:2] <= "03"
]
RAN = "return [...notebook.content.model.cells].map(cell => cell.toJSON())"


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
    notebook = Notebook(lab.page, server, f"{course.name}/{path.stem}")
    notebook.run()
    notebook.kernel("0")  # all cells are done: JupyterLab itself stops waiting at a cell that fails on purpose
    yield Reader(path, cells, notebook)
    notebook.close()


def test_every_cell_runs(reader):
    assert reader.notebook.kernel("len(In) - 1") == sum(cell.cell_type == "code" for cell in reader.cells)
    for cell, ran in zip(reader.cells, reader.notebook.do(RAN), strict=True):
        if cell.cell_type == "code":
            wrong = [o for o in ran["outputs"] if o["output_type"] == "error" or o.get("name") == "stderr"]
            assert ran["execution_count"], cell.id
            assert bool(wrong) == ("raises-exception" in cell.metadata.get("tags", ())), (cell.id, wrong)


def test_every_widget_is_live(reader):
    pictured = [i for i, cell in enumerate(reader.cells) if 'data-labkit="still-' in str(cell.get("outputs"))]
    for place in pictured:
        shown = reader.notebook.outputs(place)
        shown.locator(".lab").first.wait_for()
        assert shown.locator(".lab").count() == 1
        assert shown.locator("img[data-labkit]").count() == 1
        assert not shown.locator("img[data-labkit]").is_visible()
    assert reader.notebook.panel.locator(".lab").count() == len(pictured)


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
