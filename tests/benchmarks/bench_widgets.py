"""How fast the widgets are: from a slider to the picture, through the kernel, and from a cell to its first paint."""

import json
from time import process_time

import autograd.numpy as np
import chromium
import pytest
from notebook_server import Notebook, Server

import labkit
from labkit.widgets import ClippingLab, Landscape, StepSize
from labkit.widgets.kit.scene import to_json

pytestmark = pytest.mark.skipif(bool(chromium.missing()), reason=chromium.missing())

SIZES = (100, 1000)
GRAPH = """
import autograd.numpy as np
import labkit

def chain(x):
    for i in range({steps}):
        x = np.tanh(x * 1.01)
    return x

picture = labkit.show(chain, 0.5, fold=10**6, program=False)
"""
SLIDE = """(frame, count) => {
  const range = frame.querySelector("input[type=range]"), last = Number(range.max), times = [];
  for (let i = 0; i < count; i++) {
    const begin = performance.now();
    range.value = i % 2 ? Math.floor(i * last / count) : Math.max(0, Math.floor(i * last / count) - 1);
    range.dispatchEvent(new Event("input", {bubbles: true}));
    frame.querySelector("svg").getBoundingClientRect();  // the layout is done, too
    times.push((performance.now() - begin) / 1000);
  }
  return times;
}"""
UNTIL_CHANGED = """async (frame, [act, count]) => {
  const times = [];
  for (let i = 0; i < count; i++) {
    const changed = new Promise(done => {
      const observer = new MutationObserver(() => { observer.disconnect(); done(); });
      observer.observe(frame.querySelector(".lk-root"), {childList: true, subtree: true, attributes: true});
    });
    const begin = performance.now();
    eval(act)(frame, i);
    await changed;
    times.push((performance.now() - begin) / 1000);
    await new Promise(done => setTimeout(done, 100));
  }
  return times;
}"""
FILL_IN = """(frame, i) => {
  const field = frame.querySelector("input[type=text]");
  field.value = 2 + i;
  field.dispatchEvent(new Event("change"));
}"""
TURN = """(frame, i) => notebook.sessionContext.session.kernel.requestExecute(
  {code: `picture.turn(step=${1 + i % 2})`, silent: true, store_history: false})"""
PAINTED = """async () => {
  const begin = performance.now();
  notebook.content.activeCellIndex = 1;
  jupyterapp.commands.execute("notebook:run-cell");
  const shown = () => document.querySelector(".jp-NotebookPanel:not(.lm-mod-hidden) .labkit figure svg > *");
  while (shown()) await new Promise(requestAnimationFrame);  // the one of the run before
  while (!shown()) await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
  return (performance.now() - begin) / 1000;
}"""


LARGE = {
    "a chain of 10,000 ops": GRAPH.format(steps=5000).replace("fold=10**6, ", ""),
    "a chain of 10,000 ops, all unfolded": GRAPH.format(steps=5000),
    "an LSTM of 100 steps": """
import labkit
import labkit.torch as torch

torch.manual_seed(0)
cell, inputs = torch.nn.LSTMCell(3, 4), torch.randn(100, 2, 3)

def run(x):
    h = c = torch.zeros(2, 4)
    for t in range(100):
        h, c = cell(x[t], (h, c))
    return (h**2).sum()

picture = labkit.show(run, inputs, fold=10**6, program=False)
""",
    "a transformer of 12 blocks": """
import labkit
import labkit.torch as torch

torch.manual_seed(0)
block = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
picture = labkit.show(torch.nn.TransformerEncoder(block, 12), torch.randn(1, 4, 8), fold=10**6, program=False)
""",
}
STEP_ON = """async (frame, count) => {
  const range = frame.querySelector("input[type=range]"), begin = Math.floor(range.max / 3);
  for (let i = 0; i < count; i++) {
    range.value = begin + i;
    range.dispatchEvent(new Event("input", {bubbles: true}));
    await new Promise(requestAnimationFrame);
  }
}"""


@pytest.fixture(scope="module")
def browser():
    with chromium.browser() as running:
        yield running


@pytest.fixture(scope="module")
def lab(browser, tmp_path_factory):
    """JupyterLab, and a window that shows it."""
    server = Server(tmp_path_factory.mktemp("jupyter"))
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.goto(f"{server.url}/lab?reset")
    page.wait_for_function("window.jupyterapp")
    page.evaluate("() => jupyterapp.restored")
    yield server, page
    server.close()


def opened(lab, name, *cells):
    server, page = lab
    notebook = Notebook(page, server, name, list(cells))
    notebook.run()
    frame = notebook.outputs(len(cells) - 1).locator(".labkit")
    frame.locator("svg").first.wait_for()
    return notebook, frame


@pytest.mark.parametrize("nodes", SIZES)
def test_a_graph(lab, figures, nodes):
    code = GRAPH.format(steps=nodes // 2)
    notebook, frame = opened(lab, f"graph{nodes}", code, "picture")
    slider = frame.evaluate(SLIDE, 100)
    turned = frame.evaluate(UNTIL_CHANGED, [TURN, 20])
    painted = []
    for _ in range(6):
        notebook.kernel("0")  # the run before is over: the still picture comes after the widget
        painted.append(notebook.page.evaluate(PAINTED))
    notebook.close()
    figures(
        f"a graph of {nodes} nodes",
        {"slider to picture, in the page alone": slider, "picture.turn in the kernel to picture": turned,
         "its cell run to painted": painted},
    )  # fmt: skip


def test_a_field(lab, figures):
    small = "import labkit\nlabkit.show(lambda x, y: x**2 + y, 3.0, 2.0)"
    notebook, frame = opened(lab, "field", small)
    filled = frame.evaluate(UNTIL_CHANGED, [FILL_IN, 20])
    notebook.close()
    figures("a field of a small graph", {"filled in, run again in the kernel, and shown": filled})


DRAGS = {  # a widget of the course, and what its handle sends
    "show": (
        lambda: labkit.show(lambda x, w, b: np.tanh(x * w + b) ** 2, 0.5, -1.0, 0.25),
        lambda i: {"x": 0.5 + 0.01 * i},
    ),
    "StepSize": (lambda: StepSize(np.sin, 1.0), lambda i: {"x": 1 + 0.01 * i}),
    "Landscape": (Landscape, lambda i: {"w": -0.5 + 0.01 * i, "b": 3 - 0.02 * i}),
    "Landscape, rate": (Landscape, lambda i: {"learning rate": 0.1 + 0.005 * i}),
    "ClippingLab, g": (ClippingLab, lambda i: {"g1": 3 - 0.02 * i, "g2": 1 + 0.01 * i}),
    "ClippingLab, limit": (ClippingLab, lambda i: {"limit": 1 + 0.013 * i}),
}


@pytest.mark.parametrize("name", DRAGS)
def test_a_handle_is_dragged(figures, name):
    """From the message to the scene as text: CPU seconds of the kernel, without the way there and back."""
    make, value = DRAGS[name]
    picture, times = make(), []
    for i in range(30):
        begin = process_time()
        picture.respond({"set": value(i), "at": picture.state})
        json.dumps(to_json(picture.scene))
        times.append(process_time() - begin)
    assert picture.scene.notice == ""
    figures(f"{name}, dragged", {"a message answered in the kernel (50 ms wanted at the 90th percentile)": times})


@pytest.mark.parametrize("nodes", SIZES)
def test_a_saved_page(browser, figures, tmp_path, nodes):
    space = {}
    exec(GRAPH.format(steps=nodes // 2), space)
    url, times = space["picture"].save(tmp_path / "graph.html").as_uri(), []
    for _ in range(6):
        page = browser.new_page()
        page.goto(url)
        page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length")
        times.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime / 1000"))
        page.close()
    figures(f"a saved page of a graph of {nodes} nodes", {"opened to painted": times})


@pytest.mark.parametrize("name", LARGE)
def test_a_large_graph_in_the_page(browser, figures, tmp_path, name):
    """CPU of the page's own thread: from its address to the picture, a step, and until all of it is in sight."""
    space, found = {}, {"opened": [], "a step": [], "all of it in sight": []}
    exec(LARGE[name], space)
    url = space["picture"].save(tmp_path / "graph.html").as_uri()
    for _ in range(3):
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})

        def seconds(act, session=session):
            before = _task_seconds(session)
            act()
            return _task_seconds(session) - before

        def open_page(page=page):
            page.goto(url)
            page.locator("figure svg > rect").first.wait_for(state="attached")

        found["opened"].append(seconds(open_page))
        frame = page.locator(".labkit")
        found["a step"].append(seconds(lambda frame=frame: frame.evaluate(STEP_ON, 30)) / 30)
        fit = page.get_by_role("button", name="Fit").locator("visible=true").first
        if fit.count():
            found["all of it in sight"].append(seconds(fit.click))
        page.close()
    figures(name, {what: times for what, times in found.items() if times})


def _task_seconds(session):
    return {m["name"]: m["value"] for m in session.send("Performance.getMetrics")["metrics"]}["TaskDuration"]
