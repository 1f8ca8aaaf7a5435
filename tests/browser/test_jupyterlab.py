"""In JupyterLab the live widget takes the place of the still picture, and lives as long as its cell shows it.

And a reader follows the first notebooks of the course: runs them, answers wrongly, then rightly, to the end.
"""

import shutil

import pytest
from course import FOLDER, NOTEBOOKS, load
from listened_page import Listened, axe_findings
from notebook_reader import Reader, answered, one_line
from notebook_server import Notebook, until
from shown_widget import Shown, track
from widget_examples import EXAMPLES, demo_scene, made

from labkit.classroom.progress import FILE
from labkit.widgets.kit import theme

common = pytest.mark.common
LIVE_MODELS = (
    "[len(__import__('ipywidgets').widgets.widget._instances), len(__import__('comm').get_comm_manager().comms)]"
)
WIDGET = ".labkit, .lab"  # a picture that plays, and a lab that computes in the page
GROUNDS = """() => [...document.querySelectorAll(".labkit figure.lk-panel:not([hidden]) .lk-scroll")]
  .map(node => getComputedStyle(node).backgroundColor)"""
PAGE_MODELS = """async () => {
  const renderer = notebook.content.rendermime.createRenderer("application/vnd.jupyter.widget-view+json");
  return Object.keys((await renderer._manager.promise)._models).length;
}"""


@pytest.fixture(autouse=True)
def nothing_is_said(lab):
    """Every test also sees that nothing is printed on the console."""
    lab.messages.clear()
    yield
    assert lab.messages == []


@pytest.fixture(scope="module")
def tried(request):
    """The examples that this run tries: a few, or each of them."""
    return [name for name in EXAMPLES if any(f"still_picture[{name}]" in item.name for item in request.session.items)]


@pytest.fixture(scope="module")
def everything(lab, server, tried):
    """A notebook with all of these, run."""
    notebook = Notebook(lab.page, server, "everything", [EXAMPLES[name] for name in tried])
    notebook.run()
    yield notebook
    notebook.close()


def use_theme(page, name):
    page.evaluate("theme => jupyterapp.commands.execute('apputils:change-theme', {theme})", name)
    page.wait_for_function("theme => document.body.dataset.jpThemeName === theme", arg=name)


def shown_by(notebook, cell, scene):
    return Shown(notebook.outputs(cell).locator(".labkit"), scene)


@common
def test_the_live_widget_hides_the_still_picture(everything, tried, example, picture):
    cell = tried.index(example)
    shown, still = shown_by(everything, cell, picture.scene), everything.outputs(cell).locator("img")
    assert shown.frame.is_visible()
    assert still.count() == 1 and not still.is_visible()
    assert picture.scene.description in still.get_attribute("alt")
    assert shown.differences() == []


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_axe_finds_nothing_in_either_theme(everything, tried, mode):
    page = everything.page
    everything.open()
    page.locator(".labkit .lk-title").nth(len(tried) - 1).wait_for()
    use_theme(page, f"JupyterLab {mode.title()}")
    try:
        assert axe_findings(page, ".labkit", rules=None if mode == "light" else ["color-contrast"]) == []
        grounds = page.evaluate(GROUNDS)
        assert set(grounds) == {f"rgb{tuple(bytes.fromhex(theme.PALETTES[mode]['page'][1:]))}"}
    finally:
        use_theme(page, "JupyterLab Light")


# ---- what all widgets have in common ----


@pytest.fixture(scope="module")
def notebook(lab, server, example):
    """A notebook with one widget, and a cell below it."""
    notebook = Notebook(lab.page, server, example, [EXAMPLES[example], "1 + 1"])
    yield notebook
    notebook.close()


@pytest.fixture
def shown(notebook, picture):
    """The widget, just run."""
    notebook.run(0)
    return shown_by(notebook, 0, picture.scene)


@common
def test_it_follows_the_mouse(shown):
    if shown.main:
        shown.control(shown.main).locator("input").click(position={"x": 40, "y": 8})
        shown.state[shown.main.name] = shown.position(shown.main)
        assert shown.differences() == []
        shown.control(shown.main).get_by_role("button", name="Last").click()
        shown.state[shown.main.name] = track(shown.main)[-1]
        assert shown.differences() == []
    for name in [n for n in shown.links() if n in shown.scene.links and shown.scene.links[n].go][:1]:
        assert shown.click(name)
        assert shown.differences() == []


@common
def test_it_follows_the_keyboard(shown):
    if shown.main is None:
        pytest.skip("no slider")
    shown.panel().focus()
    for key in ("End", "ArrowLeft", "Home", "ArrowRight"):
        shown.press(key)
        assert shown.differences() == [], key
    shown.page.keyboard.press("Home")
    shown.page.keyboard.press(" ")
    shown.control(shown.main).get_by_role("button", name="Pause").wait_for()
    shown.page.keyboard.press(" ")
    shown.control(shown.main).get_by_role("button", name="Pause").wait_for(state="detached")


@common
def test_typing_in_it_never_edits_the_notebook(shown, notebook):
    before = notebook.sources()
    controls = shown.frame.locator("button, input, select, .lk-scroll").filter(visible=True)
    for i in {0, controls.count() // 2, controls.count() - 1}:
        controls.nth(i).focus()
        for key in ["b", "a", "d", "d", "x", "v", "m", "y", "z", "Shift+m", "0", "0", "Delete", "Backspace"]:
            shown.page.keyboard.press(key)
    shown.panel().focus()
    shown.page.keyboard.press("Enter")
    assert notebook.sources() == before
    assert shown.page.locator(".jp-Dialog").count() == 0
    assert shown.frame.is_visible()


@common
def test_running_its_cell_again_and_again_shows_one_widget_and_leaves_one_model(shown, notebook):
    models, in_page = notebook.kernel(LIVE_MODELS), shown.page.evaluate(PAGE_MODELS)
    for _ in range(4):
        notebook.run(0)
    again = shown_by(notebook, 0, shown.scene)
    assert again.frame.count() == 1 and not notebook.outputs(0).locator("img").is_visible()
    assert again.differences() == []
    assert notebook.kernel(LIVE_MODELS) == models
    assert shown.page.evaluate(PAGE_MODELS) == in_page


@common
def test_it_plays_on_when_the_kernel_restarts(shown, notebook):
    notebook.restart()
    dial = shown.main or shown.scene.dials[0]
    shown.turn(dial, len(dial.values) - 1)
    assert shown.differences() == []
    notebook.run(0)
    again = shown_by(notebook, 0, shown.scene)
    assert again.frame.count() == 1
    assert again.differences() == []


# ---- the small widget, in other situations ----

IMPORT = "from widget_examples import Demo\n"
DEMO = EXAMPLES["demo"]
SITUATIONS = {
    "turned": f"{IMPORT}p = Demo()\np",
    "turns": "p.turn(step='square', far=1)",
    "field": DEMO,
    "first": DEMO,
    "second": DEMO,
    "unheld": f"{IMPORT}display(Demo())\ndisplay(Demo(2.0))",
    "collects": "import gc; gc.collect()",
    "held": f"{IMPORT}q = Demo()",
    "here": "q",
    "there": "q",
}


@pytest.fixture(scope="module")
def situations(lab, server):
    """A notebook with a cell for each situation."""
    notebook = Notebook(lab.page, server, "situations", list(SITUATIONS.values()))
    yield notebook
    notebook.close()


@pytest.fixture
def run(situations):
    """`run(name, ...)`: run cells, and return the notebook."""

    def run_cells(*names):
        for name in names:
            situations.run(place(name))
        return situations

    return run_cells


def place(name):
    return list(SITUATIONS).index(name)


def widget(notebook, cell, **turned):
    """The small widget below a cell, with dials where they are expected to stand."""
    shown = shown_by(notebook, cell, made("demo").scene)
    shown.state |= turned
    return shown


def test_python_turns_the_dials_and_hears_of_them(run):
    notebook = run("turned", "turns")
    shown = widget(notebook, place("turned"), step=1, far=1)
    assert until(lambda: shown.differences() == []), shown.differences()
    shown.turn(shown.main, 2)
    assert until(lambda: notebook.kernel("p.state['step']") == 2)  # it tells when the reader has stopped turning


def test_a_field_is_answered_with_a_new_picture(run):
    output = run("field").outputs(place("field"))
    field = output.get_by_label("x =")
    field.fill("3")
    field.press("Enter")
    shown = Shown(output.locator(".labkit"), demo_scene(3.0))
    assert until(lambda: shown.differences() == []), shown.differences()
    shown.turn(shown.main, 2)
    assert shown.differences() == []


def test_two_widgets_do_not_disturb_each_other(run):
    notebook = run("first", "second")
    first, second = (widget(notebook, place(name)) for name in ("first", "second"))
    for dial in (first.main, *first.scene.dials[3:0:-2]):
        first.turn(dial, 1)
    assert first.differences() == second.differences() == []
    choices = [
        shown.control(shown.scene.dials[1]).locator("input").nth(i).is_checked()
        for shown, i in ((first, 1), (second, 0))
    ]
    assert choices == [True, True]


def test_a_widget_that_no_variable_holds_lives_on(run):
    notebook = run("unheld", "collects")
    notebook.outputs(place("unheld")).locator(".labkit .lk-title").nth(1).wait_for()
    assert notebook.outputs(place("unheld")).locator(".labkit").count() == 2


def test_a_widget_in_two_cells_survives_running_one_again(run):
    notebook = run("held", "here", "there", "here", "here")
    shown, other = widget(notebook, place("here")), widget(notebook, place("there"))
    shown.turn(shown.main, 2)
    other.state |= shown.state
    assert until(lambda: shown.differences() == other.differences() == [])


def test_a_saved_notebook_shows_the_still_picture_until_its_cell_runs(lab, server):
    notebook = Notebook(lab.page, server, "saved", [DEMO, DEMO])
    notebook.run(0)
    notebook.close(save=True)
    notebook = Notebook(lab.page, server, "saved")
    notebook.run(1)
    widget(notebook, 1)
    stills = [notebook.outputs(cell).locator("img").is_visible() for cell in (0, 1)]
    assert stills == [True, False]
    notebook.close()


def test_it_shows_in_notebook_7(browser, server, lab):
    window = browser.new_context(viewport={"width": 1000, "height": 1000})
    listened = Listened(window.new_page())
    notebook = Notebook(listened.page, server, "seven", [DEMO], tab=False)
    listened.messages.clear()  # of its own start
    notebook.run()
    shown = widget(notebook, 0)
    shown.panel().focus()
    for key in ("ArrowRight", "b", "d", "d"):
        shown.page.keyboard.press(key)
    shown.state["step"] = 1
    assert shown.differences() == []
    assert not notebook.outputs(0).locator("img").is_visible()
    assert notebook.sources() == [DEMO]
    assert listened.messages == []
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
        shown.locator(WIDGET).first.wait_for()
        assert shown.locator(WIDGET).count() == 1
        assert shown.locator("img[data-labkit]").count() == 1
        assert not shown.locator("img[data-labkit]").is_visible()
    assert reader.notebook.panel.locator(WIDGET).count() == len(pictured)


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
