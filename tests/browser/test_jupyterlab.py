"""In JupyterLab the live widget takes the place of the still picture, and lives as long as its cell shows it."""

import pytest
from listened_page import Listened, axe_findings
from notebook_server import Notebook
from shown_widget import Shown
from widget_examples import EXAMPLES, demo_scene, made

from labkit.widgets import theme

LIVE_MODELS = (
    "[len(__import__('ipywidgets').widgets.widget._instances), len(__import__('comm').get_comm_manager().comms)]"
)
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
def notebook(lab, server, example):
    """A notebook with a widget, and a cell below it."""
    notebook = Notebook(lab.page, server, example, [EXAMPLES[example], "1 + 1"])
    yield notebook
    notebook.close()


@pytest.fixture
def shown(notebook, picture):
    """The widget, just run."""
    notebook.run(0)
    return Shown(notebook.outputs(0).locator(".labkit"), picture.scene)


def use_theme(page, name):
    page.evaluate("theme => jupyterapp.commands.execute('apputils:change-theme', {theme})", f"JupyterLab {name}")
    page.wait_for_function("theme => document.body.dataset.jpThemeName === theme", arg=f"JupyterLab {name}")


def test_the_live_widget_hides_the_still_picture(shown, notebook):
    still = notebook.outputs(0).locator("img")
    assert shown.frame.is_visible()
    assert still.count() == 1 and not still.is_visible()
    assert shown.scene.description in still.get_attribute("alt")
    assert shown.differences() == []


def test_it_follows_the_mouse(shown):
    if shown.main:
        shown.control(shown.main).locator("input").click(position={"x": 40, "y": 8})
        shown.state[shown.main.name] = shown.position(shown.main)
        assert shown.differences() == []
        shown.control(shown.main).get_by_role("button", name="Last").click()
        shown.state[shown.main.name] = len(shown.main.values) - 1
        assert shown.differences() == []
    for name in [n for n in shown.links() if n in shown.scene.links and shown.scene.links[n].go][:1]:
        assert shown.click(name)
        assert shown.differences() == []


def test_it_follows_the_keyboard(shown):
    if shown.main is None:
        pytest.skip("no slider")
    shown.panel().focus()
    for key in ("End", "ArrowLeft", "Home", "ArrowRight"):
        shown.press(key)
        assert shown.differences() == [], key
    shown.page.keyboard.press(" ")
    assert shown.control(shown.main).get_by_role("button", name="Pause").count() == 1
    shown.page.keyboard.press(" ")
    assert shown.control(shown.main).get_by_role("button", name="Pause").count() == 0


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


def test_running_its_cell_again_shows_one_widget(shown, notebook):
    notebook.run(0)
    again = Shown(notebook.outputs(0).locator(".labkit"), shown.scene)
    assert again.frame.count() == 1 and not notebook.outputs(0).locator("img").is_visible()
    assert again.differences() == []


def test_running_its_cell_many_times_leaves_one_model(shown, notebook, example):
    models, in_page = notebook.kernel(LIVE_MODELS), shown.page.evaluate(PAGE_MODELS)
    for _ in range(50 if example == "demo" else 5):
        notebook.run(0)
    assert notebook.kernel(LIVE_MODELS) == models
    assert shown.page.evaluate(PAGE_MODELS) == in_page


def test_it_plays_on_when_the_kernel_restarts(shown, notebook):
    notebook.restart()
    dial = shown.main or shown.scene.dials[0]
    shown.turn(dial, len(dial.values) - 1)
    assert shown.differences() == []
    notebook.run(0)
    again = Shown(notebook.outputs(0).locator(".labkit"), shown.scene)
    assert again.frame.count() == 1
    assert again.differences() == []


@pytest.mark.parametrize("mode", ["Light", "Dark"])
def test_axe_finds_nothing_in_either_theme(shown, mode):
    use_theme(shown.page, mode)
    try:
        assert axe_findings(shown.page, ".labkit") == []
        ground = shown.panel().evaluate("node => getComputedStyle(node).backgroundColor")
        assert ground == f"rgb{tuple(bytes.fromhex(theme.PALETTES[mode.lower()]['page'][1:]))}"
    finally:
        use_theme(shown.page, "Light")


# ---- the small widget, in other situations ----

IMPORT = "from widget_examples import Demo\n"
DEMO = EXAMPLES["demo"]


@pytest.fixture
def run(lab, server):
    """`run(name, *cells)`: a notebook whose cells have run."""
    opened = []

    def make(name, *cells):
        opened.append(Notebook(lab.page, server, name, list(cells)))
        opened[-1].run()
        return opened[-1]

    yield make
    for notebook in opened:
        notebook.close()


def widget(notebook, cell, **turned):
    """The small widget below a cell, with dials where they are expected to stand."""
    shown = Shown(notebook.outputs(cell).locator(".labkit"), made("demo").scene)
    shown.state |= turned
    return shown


def test_python_turns_the_dials_and_hears_of_them(run):
    notebook = run("turning", f"{IMPORT}p = Demo()\np", "p.turn(step='square', far=1)")
    shown = widget(notebook, 0, step=1, far=1)
    assert shown.differences() == []
    shown.turn(shown.main, 2)
    shown.page.wait_for_timeout(400)  # it tells when the reader has stopped turning
    assert notebook.kernel("p.state['step']") == 2


def test_a_field_is_answered_with_a_new_picture(run):
    notebook = run("field", DEMO)
    field = notebook.outputs(0).get_by_label("x =")
    field.fill("3")
    field.press("Enter")
    notebook.outputs(0).locator("svg text", has_text="x^2").wait_for()
    shown = Shown(notebook.outputs(0).locator(".labkit"), demo_scene(3.0))
    shown.page.wait_for_function(
        "frame => frame.querySelector('.lk-say').textContent", arg=shown.frame.element_handle()
    )
    shown.turn(shown.main, 2)
    assert shown.differences() == []


def test_two_widgets_do_not_disturb_each_other(run):
    notebook = run("two", DEMO, DEMO)
    first, second = widget(notebook, 0), widget(notebook, 1)
    for dial in (first.main, *first.scene.dials[3:0:-2]):
        first.turn(dial, 1)
    assert first.differences() == second.differences() == []
    choices = [
        shown.control(shown.scene.dials[1]).locator("input").nth(i).is_checked()
        for shown, i in ((first, 1), (second, 0))
    ]
    assert choices == [True, True]


def test_a_widget_that_no_variable_holds_lives_on(run):
    notebook = run("held", f"{IMPORT}display(Demo())\ndisplay(Demo(2.0))", "import gc; gc.collect()")
    assert notebook.outputs(0).locator(".labkit").count() == 2


def test_a_widget_in_two_cells_survives_running_one_again(run):
    notebook = run("again", f"{IMPORT}p = Demo()", "p", "p")
    for _ in range(2):
        notebook.run(1)
    shown, other = widget(notebook, 1), widget(notebook, 2)
    shown.turn(shown.main, 2)
    shown.page.wait_for_timeout(400)
    other.state |= shown.state
    assert shown.differences() == other.differences() == []


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
    pytest.importorskip("notebook")
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
