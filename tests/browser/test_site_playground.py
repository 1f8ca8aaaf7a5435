"""From the first page of the site to the playground, and back: the formula that is typed, and the theme that is chosen."""

import shutil
from pathlib import Path

import pytest
from live_site import served

from labkit.site.landing import FORMULA
from labkit.widgets import playground

SCRIPT = Path(__file__).parents[2] / "labkit" / "site" / "assets" / "landing.js"
FIRST = f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>labkit</title><link rel="icon" href="data:,">
<main>{FORMULA}</main><script src="landing.js" defer></script></html>"""
NO_PYTHON = "onmessage = () => { onmessage = () => {}; postMessage({ ready: true }); };"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A site of two pages, with a worker that is ready at once and answers nothing."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "index.html").write_text(FIRST, encoding="utf-8")
    shutil.copy(SCRIPT, folder)
    playground.build(folder / "playground", "../runtime", "../index.html")
    (folder / "playground" / "worker.js").write_text(NO_PYTHON, encoding="utf-8")
    with served(folder) as place:
        yield place


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
