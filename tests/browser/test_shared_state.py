"""A link carries what a widget shows: short, only what differs from the start. What a page does not have of it is said."""

import json
import re
from pathlib import Path

import pytest
from listened_page import axe_findings
from live_site import served
from shown_widget import Shown
from widget_examples import Demo

from labkit.site.frames import knowing

ASSETS = Path(__file__).parents[2] / "labkit" / "site" / "assets"
KEPT = json.loads((Path(__file__).parent / "kept_links.json").read_text(encoding="utf-8"))
NOTEBOOK = """<!doctype html><html lang="en"><title>Notebook</title><link rel="icon" href="data:,"><h1>Notebook</h1>
<script>const DOCUMENTATION_OPTIONS = {{}};</script><script src="../_static/site.js"></script>{frames}"""
FRAME = (
    '<details><summary>Answer</summary><iframe class="labkit-page" src="{src}" style="height: 90px"></iframe></details>'
)
FOREIGN = """<!doctype html><html lang="en"><title>Mine</title><link rel="icon" href="data:,">
<main><h1>Mine</h1>{code}</main></html>"""
SAID = ".lk-linked:not([hidden])"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder and the address at which it is served."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "favicon.ico").write_bytes(b"")
    with served(folder) as address:
        yield folder, address


@pytest.fixture(scope="module")
def demo(place):
    """The address of the small widget with every kind of control."""
    Demo().save(place[0] / "demo.html")
    return f"{place[1]}/demo.html"


def copied(frame, label="Copy link"):
    """What a button below a widget gives."""
    frame.get_by_role("button", name=label).click()
    return frame.get_by_role("textbox", name=f"{label}, to copy").input_value()


def opened(window, link):
    """The page at a link, loaded anew."""
    window.page.goto("about:blank")
    window.page.goto(link)
    window.page.locator(".lk-title").wait_for()
    return window.page


@pytest.mark.common
def test_a_link_to_any_place_of_any_widget_shows_it_and_is_copied_as_it_was(window, place, example, picture):
    picture.save(place[0] / f"{example}.html")
    address, scene = f"{place[1]}/{example}.html", picture.scene
    last = {dial.name: len(dial.values) - 1 for dial in scene.dials}
    link = f"{address}#" + "&".join(f"at.{name}={last[name]}" for name in last if last[name] != scene.start()[name])
    page = opened(window, link)
    shown = Shown(page.locator(".labkit"), scene)
    shown.state = scene.state(**last)
    unchecked = "&predict=0" if scene.predict else ""  # by `Shown`
    assert copied(page) == link + unchecked and not page.is_visible(SAID)
    assert shown.differences() == []
    page.evaluate("location.hash = 'at.none=1'")  # a dial that there is not: all stays, and it is said
    page.locator(SAID).wait_for()
    assert shown.differences() == []


def test_a_link_has_only_what_differs_from_the_start(window, demo):
    page = opened(window, demo)
    assert copied(page) == demo
    page.get_by_label("Predict first").check()
    assert copied(page) == f"{demo}#predict=1"  # and the first question is put
    page.get_by_role("button", name="Show me").click()
    assert copied(page) == f"{demo}#at.step=1&predict=1"
    assert page.get_by_text("Copied.").is_visible()
    assert axe_findings(page, "html") == []


@pytest.mark.parametrize("link, shows", KEPT.items())
def test_a_link_of_long_ago_shows_the_same(window, demo, link, shows):
    page = opened(window, f"{demo}#{link}")
    assert page.inner_text(".lk-say") == shows["says"]
    assert page.locator(SAID).all_inner_texts() == shows["but"]
    assert page.get_by_role("slider", name="Step").input_value() == shows["step"]
    assert window.messages == []


def test_on_the_site_a_link_leads_through_the_notebook_to_its_frame_in_a_folded_answer(go, place):
    folder, address = place
    (folder / "notebooks").mkdir()
    (folder / "_static").mkdir()
    for name in ("one", "two"):
        Demo().save(folder / "_static" / f"{name}.html")
        knowing(folder / "_static" / f"{name}.html", home=f"../notebooks/page.html#widget={name}")
    (folder / "_static" / "site.js").write_bytes((ASSETS / "site.js").read_bytes())
    frames = "".join(FRAME.format(src=f"../_static/{name}.html") for name in ("one", "two"))
    (folder / "notebooks" / "page.html").write_text(NOTEBOOK.format(frames=frames), encoding="utf-8")
    listened = go(f"{address}/notebooks/page.html#widget=two&at.step=1", reduced_motion="reduce")
    page, frame = listened.page, listened.page.frame_locator("iframe").nth(1)
    frame.get_by_text("It is squared.", exact=True).wait_for()
    assert page.locator("details[open]").count() == 1
    assert copied(frame) == f"{address}/notebooks/page.html#widget=two&at.step=1"
    page.evaluate("location.hash = 'widget=two&at.step=2'")
    frame.get_by_text("It is squared again.").wait_for()
    page.evaluate("location.hash = 'widget=gone&at.step=2'")
    assert "“gone”, which this page does not have" in page.inner_text(".site-link")
    assert listened.messages == []


def test_a_widget_in_a_page_of_somebody_else_is_as_high_as_it_is_and_leads_back(go, place, tmp_path):
    folder, address = place
    Demo().save(folder / "embedded.html")
    knowing(folder / "embedded.html", home="index.html#widget=embedded")
    page = go(f"{address}/embedded.html#at.step=1", reduced_motion="reduce").page
    code = copied(page, "Embed")
    assert code.startswith(f'<iframe src="{address}/embedded.html?embed#at.step=1" title="Powers"') and len(code) < 500
    (tmp_path / "mine.html").write_text(FOREIGN.format(code=code), encoding="utf-8")
    with served(tmp_path) as foreign:  # another port is another origin
        listened = go(f"{foreign}/mine.html", width=390, reduced_motion="reduce")
        page, frame = listened.page, listened.page.frame_locator("iframe")
        frame.get_by_text("It is squared.", exact=True).wait_for()
        inside = "() => [innerHeight, document.documentElement.scrollHeight, document.documentElement.scrollWidth - innerWidth]"
        page.wait_for_function(
            "parseInt(document.querySelector('iframe').style.height) !== " + re.search(r"height: (\d+)px", code)[1]
        )
        window_, content, over = frame.locator("html").evaluate(inside)
        assert window_ == content and over <= 0
        frame.get_by_role("slider", name="Step").fill("2")
        assert copied(frame) == f"{address}/index.html#widget=embedded&at.step=2"
        back = frame.get_by_role("link", name="Made with labkit")
        back.focus()
        assert back.get_attribute("href") == f"{address}/index.html#widget=embedded&at.step=2"
        assert listened.messages == [] and axe_findings(page, "html") == []
        assert all(url.startswith((address, foreign, "data:")) for url in listened.requests)


def test_where_there_is_no_page_to_link_to_the_state_is_copied_as_python(go, tmp_path):
    page = go(Demo().save(tmp_path / "demo.html").as_uri(), reduced_motion="reduce").page
    page.get_by_role("slider", name="Step").fill("2")
    code = copied(page, "Copy state")
    assert page.get_by_role("button", name="Copy link").count() == page.get_by_role("button", name="Embed").count() == 0
    widget = Demo()
    exec(code, {"widget": widget})
    assert widget.state["step"] == 2 and "widget.state = {" in code
