"""A notebook of the course, live in a browser: Pyodide, exercises that diagnose, widgets, a reload, no network.

`LABKIT_SITE` names the `html` of a site that is built already: these then walk through that.
"""

import os
import re
import time
from pathlib import Path

import firefox
import pytest
from live_site import served

from labkit.classroom import EXERCISES
from labkit.site import build_site

FOLDER = "LABKIT_PYODIDE"
SAYS = "[...document.querySelectorAll('.live-says')].map((one) => one.textContent.replace(/^\\[.*\\] /, ''))"
pytestmark = [
    pytest.mark.live,
    pytest.mark.needs("node"),
    pytest.mark.skipif(FOLDER not in os.environ, reason=f"{FOLDER} names no folders with the files of Pyodide"),
]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    if built := os.environ.get("LABKIT_SITE"):
        with served(Path(built)) as place:
            yield place
        return
    folder = tmp_path_factory.mktemp("site") / "built"
    sources = [Path(part) for part in os.environ[FOLDER].split(os.pathsep)]
    assert build_site(folder, ["01_*", "e1_*"], ["labkit.program"], live=True, pyodide=sources) == []
    with served(folder / "html") as place:
        yield place


class Reader:
    """Someone who works on a page."""

    def __init__(self, listened):
        self.listened, self.page = listened, listened.page

    def start(self):
        began = time.monotonic()
        self.page.click(".live-start")
        self.page.wait_for_function("document.documentElement.dataset.live === 'ready'")
        print(f"Python is there after {time.monotonic() - began:.1f} s")

    def cell(self, name):
        number = next(i for i, known in enumerate(self.known()) if known == name)
        return self.page.locator("div.cell:has(.live-tools)").nth(number)

    def known(self):
        return self.page.evaluate(
            "JSON.parse(document.getElementById('live-page').textContent).cells.map((one) => one.id)"
        )

    def run(self, name, source=None):
        """Run a cell, with another source; what it shows."""
        cell = self.cell(name)
        if source is not None:
            cell.locator("textarea").fill(source)
        cell.get_by_role("button", name="▶ Run").click()
        cell.locator(".live-says", has_text="has run").wait_for()
        return cell.locator(".live-output")


def test_a_page_of_the_course_on_a_phone(go, address):
    reader = Reader(go(f"{address}/notebooks/01_first_gradient.html", width=390, height=844))
    page = reader.page
    assert re.search(r"It loads \d+ MB once", page.inner_text(".live-status"))
    reader.start()
    shown = reader.run("first")
    shown.get_by_role("button", name="Next").click()
    before = shown.locator(".lab-say").inner_text()
    shown.get_by_role("slider").first.press("ArrowRight")
    assert shown.locator(".lab-say").inner_text() != before
    check = "from labkit import check\ncheck('start-order', {})"
    assert "not yet" in reader.run("answer-start-order", check.format("[2, 2, 2]")).inner_text()
    assert "right" in reader.run("answer-start-order", check.format("[2, 3, 2]")).inner_text()
    page.wait_for_function("document.querySelector('.live-status').textContent.includes('1 of 5')")
    page.wait_for_function("document.documentElement.dataset.offline === 'ready'")
    page.context.set_offline(True)
    page.reload()
    assert "1 of 5 exercises" in page.inner_text(".live-status")
    reader.start()
    assert reader.cell("answer-start-order").locator("textarea").input_value().startswith("from labkit import check")
    assert f"1 of {len(EXERCISES)} exercises" in reader.run("first", "import labkit\nlabkit.progress()").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert reader.listened.messages == []
    assert all(place.startswith((address, "blob:", "data:")) for place in reader.listened.requests)


def test_all_cells_of_a_page_with_plots_run_and_then_without_a_network(go, address):
    reader = Reader(go(f"{address}/notebooks/e1_finite_differences.html"))
    page = reader.page
    assert re.search(r"It loads \d+ MB once", page.inner_text(".live-status"))
    for offline in (False, True):
        reader.start()
        page.get_by_role("button", name="Run all", exact=True).click()
        page.wait_for_function(f"{SAYS}.at(-1) === 'has run'")
        assert page.locator(".live-output img[data-labkit=plot]").count() == 2 and not page.query_selector(
            ".live-error"
        )
        page.wait_for_function("document.documentElement.dataset.offline === 'ready'")
        page.context.set_offline(not offline)
        page.reload()
    assert reader.listened.messages == []


def test_a_formula_of_the_first_page_and_a_case_of_the_ledger_become_graphs_and_then_without_a_network(go, address):
    reader = Reader(go(f"{address}/notebooks/01_first_gradient.html"))
    page = reader.page
    reader.start()
    page.wait_for_function("document.documentElement.dataset.offline === 'ready'")
    page.goto(f"{address}/index.html")
    page.fill("#formula", "sin(x * w) + x**2 / 3")
    page.press("#formula", "Enter")
    title = page.locator(".lab-title")
    title.wait_for()
    assert page.input_value("#code") == "sin(x * w) + x**2 / 3"
    page.locator(".graph-card").first.press("Home")
    page.wait_for_url(re.compile(r"/playground/index\.html#.*at\.step=0(&|$)"))
    page.context.set_offline(True)
    page.reload()
    show = page.get_by_role("button", name="Show the graph")
    show.click()
    page.get_by_text("Value", exact=True).wait_for()
    page.context.set_offline(False)
    page.goto(f"{address}/notebooks/ledger.html")
    page.locator("a[href='?run=two-outputs-mindspore#two-outputs']").click()
    page.locator(".live-says", has_text="has run").wait_for()
    heading, bar = (page.locator(place).bounding_box() for place in ("#two-outputs > h2", ".live-bar"))
    assert bar["y"] + bar["height"] <= heading["y"]
    page.locator("a[href*='case=two-outputs&dialect=mindspore']").click()
    show.click()
    title.wait_for()
    assert "GradOperation" in page.input_value("#code") or "ms." in page.input_value("#code")
    assert reader.listened.messages == []
    assert all(place.startswith((address, "blob:", "data:")) for place in reader.listened.requests)


@pytest.mark.needs("firefox")
def test_a_page_of_the_course_in_firefox(address):
    run = "[...document.querySelectorAll('.live-tools button')].filter((one) => one.textContent === '▶ Run')"
    with firefox.page(width=390) as page:
        page.goto(f"{address}/notebooks/01_first_gradient.html")
        known = page.evaluate("JSON.parse(document.getElementById('live-page').textContent).cells.map((one) => one.id)")
        answer = known.index("answer-start-order")
        page.click(".live-start")
        page.wait_for("document.documentElement.dataset.live === 'ready'")
        for order, said in (("[2, 2, 2]", "not yet"), ("[2, 3, 2]", "right")):
            field = f"document.querySelectorAll('.live-code textarea')[{answer}]"
            page.evaluate(f"{field}.value = \"from labkit import check\\ncheck('start-order', {order})\"")
            page.evaluate(f"{run}[{answer}].click()")
            page.wait_for(f"document.querySelectorAll('.live-output')[{answer}].textContent.includes('{said}')")
        page.wait_for("document.documentElement.dataset.offline === 'ready'")
        page.reload()
        assert "1 of 5 exercises" in page.evaluate("document.querySelector('.live-status').textContent")
        assert page.messages == [] and all(url.startswith((address, "data:", "blob:")) for url in page.requests)
