"""A page becomes a notebook: cells are changed and run; what was done is there after a reload, and without a network."""

import json
from urllib.parse import urlencode

import pytest
from listened_page import axe_findings
from live_site import cell, lay_page, served

CELLS = [
    cell("one", "print(1)\nx = 'a'  # a comment"),
    cell("fails", "1 / 0", "raises-exception"),
    cell("right", "right"),
    cell("stops", "1 / 0  # not meant"),
    cell("last", "print(2)"),
]
SAYS = "[...document.querySelectorAll('.live-says')].map((one) => one.textContent.replace(/^\\[.*\\] /, ''))"


@pytest.fixture
def live(tmp_path, monkeypatch, go):
    """A page that has been started, and what it says."""
    with served(tmp_path) as address:
        listened = go(f"{address}/{lay_page(tmp_path, CELLS, monkeypatch)}", width=390, height=800)
        yield listened
        assert all(request.startswith((address, "blob:")) for request in listened.requests)
        assert listened.messages == []


def start(page):
    page.click(".live-start")
    page.wait_for_function("document.documentElement.dataset.live === 'ready'")


def test_a_page_says_what_it_loads_and_runs_its_cells_on_a_phone(live):
    page = live.page
    assert "It loads 0 MB once" in page.inner_text(".live-status") and not page.query_selector("textarea")
    start(page)
    page.get_by_role("button", name="Run all", exact=True).click()
    page.wait_for_function(f"{SAYS}[3] === 'ended with an error'")
    assert page.evaluate(SAYS) == ["has run", "ended with an error", "has run", "ended with an error", ""]
    assert page.inner_text(".live-output").startswith("ran print(1)")
    assert [one.inner_text() for one in page.query_selector_all(".cell_output")] == ["as it came"]  # of the last cell
    assert "1 of 2 exercises" in page.inner_text(".live-status")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.evaluate(
        "[...document.querySelectorAll('.live-code')].every((one) => one.scrollWidth === one.clientWidth)"
    )
    assert [one.inner_text() for one in page.query_selector_all(".live-code .c1")] == ["# a comment", "# not meant"]
    assert axe_findings(page, "main") == []


def test_a_cell_that_runs_before_what_it_needs_says_what_to_press(live):
    page = live.page
    start(page)
    for number, text in (
        (4, "x is not defined yet, because a cell above has not run. Press “Run all to here”."),
        (0, "NameError"),
    ):
        page.locator("textarea").nth(number).fill("use(x)")
        page.get_by_role("button", name="▶ Run").nth(number).click()
        page.locator(".live-error", has_text=text).wait_for()
        assert (text == "NameError") == ("Traceback" in page.locator(".live-output").nth(number).inner_text())


def test_what_was_changed_and_answered_is_there_after_a_reload_and_without_a_network_until_it_is_reset(live):
    page = live.page
    start(page)
    field = page.locator("textarea").first
    field.fill("print(3)")
    field.press("Shift+Enter")
    page.wait_for_function(f"{SAYS}[0] === 'has run'")
    page.locator("textarea").nth(2).press("Control+Enter")
    page.wait_for_function("document.querySelector('.live-status').textContent.includes('1 of 2')")
    page.wait_for_function("document.documentElement.dataset.offline === 'ready'")
    page.context.set_offline(True)
    page.reload()
    assert page.inner_text(".live-start") == "Go on with this page here" and "1 of 2" in page.inner_text(".live-status")
    assert page.locator(".cell_input").first.inner_text().strip() == "print(3)"
    start(page)
    assert page.locator("textarea").first.input_value() == "print(3)"
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Reset this page").click()
    assert page.locator("textarea").first.input_value().startswith("print(1)")
    page.reload()
    assert "1 of 2" in page.inner_text(".live-status")


def test_a_cell_that_does_not_end_is_stopped_and_python_restarted(live):
    page = live.page
    start(page)
    page.get_by_role("button", name="▶ Run").first.click()
    page.wait_for_function(f"{SAYS}[0] === 'has run'")
    page.locator("textarea").nth(2).fill("for ever")
    page.get_by_role("button", name="▶ Run").nth(2).click()
    page.wait_for_function(f"{SAYS}[2] === 'running'")
    page.get_by_role("button", name="Restart Python").click()
    assert "Python was restarted, and the variables of the cells are gone." in page.inner_text(".live-lost")
    page.wait_for_function(f"{SAYS}[2] === 'was stopped'")
    assert page.evaluate(SAYS)[0] == "ran before Python was restarted"
    assert axe_findings(page, "main") == []
    page.get_by_role("button", name="Run all to here").first.click()
    page.wait_for_function(f"{SAYS}[1] === 'ended with an error'")
    assert page.evaluate(SAYS)[0] == "has run" and page.locator(".live-lost").is_hidden()


@pytest.mark.live
def test_the_keys_of_a_field(live):
    page = live.page
    start(page)
    field = page.locator("textarea").first
    field.fill("")
    field.press_sequentially("if x:\ny")
    assert field.input_value() == "if x:\n    y"
    field.press("Escape")
    field.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "BUTTON"


@pytest.mark.live
def test_a_link_that_names_a_cell_runs_it(live):
    page = live.page
    page.goto(f"{page.url}?run=last#last")
    page.wait_for_function(f"{SAYS}[4] === 'has run'")
    assert page.evaluate(SAYS) == ["", "", "", "", "has run"]


def test_a_link_brings_the_code_that_was_changed_and_says_so_and_runs_none_of_it(live):
    page, here = live.page, live.page.url
    start(page)
    page.locator("textarea").first.fill("print(3)")
    page.locator("textarea").nth(1).press("Control+Enter")  # the code above a cell belongs to it, too
    page.wait_for_function(f"{SAYS}[1] === 'ended with an error'")
    carried = page.locator(".live-output").nth(1).get_attribute("data-code")
    assert json.loads(json.loads(carried)["code"]) == {"one": "print(3)"}
    page.evaluate("localStorage.clear()")
    page.goto("about:blank")
    page.goto(f"{here}#{urlencode({'widget': 'fails', **json.loads(carried)})}")
    assert "This link brings changed code of cell 1: look at it before you run it." in page.inner_text(".live-status")
    start(page)
    assert page.locator("textarea").first.input_value() == "print(3)" and page.evaluate(SAYS) == [""] * 5
    page.locator("textarea").first.fill("x" * 5000)
    page.locator("textarea").first.press("Control+Enter")
    page.wait_for_function(f"{SAYS}[0] === 'has run'")
    assert json.loads(page.locator(".live-output").first.get_attribute("data-code")) == {"changed": "1"}
    page.goto("about:blank")
    page.goto(f"{here}#widget=one&changed=1")
    assert "the code of this page had been changed, in cell 1" in page.inner_text(".live-status")
