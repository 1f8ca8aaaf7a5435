"""From the first page of the site to the playground, and back: the formula that is typed, and the theme that is chosen."""

import json
import shutil
from pathlib import Path

import pytest
from listened_page import PATIENCE, axe_findings
from live_site import served

from labkit.site.landing import FORMULA
from labkit.widgets import playground
from labkit.widgets.playground import Session

SCRIPT = Path(__file__).parents[2] / "labkit" / "site" / "assets" / "landing.js"
FIRST = f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>labkit</title><link rel="icon" href="data:,">
<main>{FORMULA}</main><script src="landing.js" defer></script></html>"""
NO_PYTHON = "onmessage = () => { onmessage = () => {}; postMessage({ ready: true }); };"

ASKS_HERE = """onmessage = () => {
  onmessage = async ({ data: { id, message } }) => {
    const got = await fetch("answer", { method: "POST", body: JSON.stringify(message) });
    postMessage({ id, answer: await got.json() });
  };
  postMessage({ ready: true });
};"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site of two pages, the playground twice: with a worker that answers nothing, and with one that asks this test."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "index.html").write_text(FIRST, encoding="utf-8")
    shutil.copy(SCRIPT, folder)
    playground.build(folder / "playground", "../runtime", "../index.html", "11 MB are loaded once.")
    shutil.copytree(folder / "playground", folder / "answered")
    (folder / "playground" / "worker.js").write_text(NO_PYTHON, encoding="utf-8")
    (folder / "answered" / "worker.js").write_text(ASKS_HERE, encoding="utf-8")
    with served(folder) as place:
        yield place


@pytest.fixture
def address(site):
    return site


@pytest.mark.parametrize("code", ["tanh(w * x) - x", "x**2 + 50 % w & 1 # 'a=b'", "∑ = é + y"])
def test_what_is_typed_arrives_letter_by_letter(go, address, code):
    listened = go(f"{address}/index.html")
    page = listened.page
    page.fill("#formula", code)
    page.press("#formula", "Enter")
    page.wait_for_url("**/playground/index.html#*")
    page.wait_for_function("document.querySelector('#status').textContent === 'Python is at work …'")
    assert page.input_value("#code") == code
    page.get_by_role("link", name="labkit").click()
    page.wait_for_url("**/index.html")
    assert listened.messages == [] and all(url.startswith((address, "data:")) for url in listened.requests)


@pytest.mark.parametrize("chosen, seen", [("dark", "rgb(17, 20, 23)"), ("auto", "rgb(255, 255, 255)")])
def test_the_theme_is_that_of_the_site(go, address, chosen, seen):
    page = go(f"{address}/index.html").page
    page.evaluate("chosen => localStorage.setItem('theme', chosen)", chosen)
    page.goto(f"{address}/playground/index.html")
    page.wait_for_function("seen => getComputedStyle(document.body).backgroundColor === seen", arg=seen)


@pytest.fixture(scope="module")
def answered(site, browser):
    """A page of the playground whose Python is the one that runs this test, and its address."""
    window, session = browser.new_context(reduced_motion="reduce"), Session()
    page = window.new_page()
    page.set_default_timeout(PATIENCE)
    page.route("**/answer", lambda route: route.fulfill(json=session.answer(json.loads(route.request.post_data))))
    yield page, f"{site}/answered/index.html"
    window.close()


def opened(answered, link):
    page, address = answered
    page.goto("about:blank")
    page.goto(f"{address}{link}")
    return page


def copied(page):
    page.get_by_text("More", exact=True).click()
    page.get_by_role("button", name="Copy link").click()
    return page.get_by_label("Link with the state").input_value()


def test_a_link_brings_code_inputs_and_the_state_back(answered):
    page = opened(answered, "#run&code=tanh(x*w)%2Bx&dialect=numpy&at.step=3&at.view=1&in.x=2&in.w=0.5&at.gone=2")
    page.locator(".lab-say", has_text="On the tape: AddBackward0 is added").wait_for()
    assert page.get_by_label("x =").input_value() == "2.0"
    link = "#code=tanh(x*w)%2Bx&dialect=numpy&at.step=3&at.view=tape&in.x=2.0&in.w=0.5"
    assert copied(page) == f"{answered[1]}{link}"
    page.get_by_role("button", name="Next").click()
    page.wait_for_function("location.hash.includes('at.step=4')")
    page.get_by_role("slider", name="x", exact=True).press("ArrowRight")  # what is dragged stands in its field
    page.wait_for_function("document.querySelector('#inputs input').value !== '2.0'")
    assert f"in.x={page.get_by_label('x =').input_value()}" in page.url
    page.evaluate("location.hash = 'code=tanh(x*w)%2Bx&at.step=1&in.x=3&in.w=0.5'")  # another link, the same program
    page.locator(".lab-say", has_text="Forward: × gives 1.5.").wait_for()
    assert page.get_by_label("x =").input_value() == "3.0"


def test_fields_and_picture_go_with_their_formula_and_are_dimmed_under_an_error_of_an_input(answered):
    page = opened(answered, "#run&code=x*w")
    page.get_by_label("x =").wait_for()
    page.get_by_role("radio", name="PyTorch", exact=True).check()
    page.fill("#code", "torch.tensor(2.0, requires_grad=True) * 3")
    page.press("#code", "Control+Enter")
    page.locator("#inputs input").first.wait_for(state="detached")
    assert page.locator("#stage.stale").count() == 0
    page.fill("#code", "x * w")
    page.press("#code", "Control+Enter")
    page.get_by_label("x =").fill("word")
    page.get_by_label("x =").press("Enter")
    page.locator("#stage.stale .lab-title").wait_for()
    page.fill("#code", "3 +* 4")
    page.press("#code", "Control+Enter")
    page.locator(".lab-title").wait_for(state="detached")
    assert page.locator("#inputs input").count() == 0


def test_a_case_is_linked_by_its_name_and_one_that_there_is_not_is_said(answered):
    page = opened(answered, "#run&case=two-outputs&dialect=mindspore")
    page.locator(".lab-title").wait_for()
    assert copied(page).startswith(f"{answered[1]}#case=two-outputs&dialect=mindspore")
    page = opened(answered, "#case=of-yesterday")
    page.get_by_text("The link names the preset “of-yesterday”, which is not here (any more).").wait_for()
    page.locator(".lab-title").wait_for()


def test_python_is_loaded_when_it_is_asked_for(answered):
    page = opened(answered, "?embed#code=x*w&at.step=2")
    page.get_by_text("Not run yet: press “Show the graph”. 11 MB are loaded once.").wait_for()
    assert not page.get_by_role("heading").count() and page.locator(".lab-title").count() == 0
    page.get_by_role("button", name="Show the graph").click()
    page.locator(".lab-title").wait_for()
    page.locator(".lab-say", has_text="The backward pass starts").wait_for()
    back = page.get_by_role("link", name="Made with labkit")
    back.focus()
    assert "index.html#code=x*w&dialect=numpy&at.step=2" in back.get_attribute("href")
    assert axe_findings(page, "main", ["color-contrast", "label", "link-name"]) == []


def test_the_first_graph_is_there_at_its_end_and_takes_other_inputs_without_python(go, address):
    listened = go(f"{address}/playground/index.html")
    page = listened.page
    page.wait_for_function("document.querySelector('.lab-panels')?.textContent.includes('tanh')")
    assert page.get_by_label("x =").input_value() == "1.5" and page.get_by_role("button", name="Next").is_disabled()
    page.get_by_label("x =").fill("2")
    page.get_by_label("x =").press("Tab")
    page.locator(".lab-panels", has_text="1.6").wait_for()
    assert page.get_by_text("Gradients", exact=True).count() == 0
    assert not any("worker.js" in url for url in listened.requests)
    page.get_by_label("Code").fill("cos(x)")
    page.get_by_role("button", name="Show the graph").click()
    page.wait_for_url("**/index.html#code=cos*")
