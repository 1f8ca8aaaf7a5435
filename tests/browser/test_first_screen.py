"""What is loaded when it is seen, what is folded, and what follows the theme: pages as a reader first sees them."""

import shutil
from pathlib import Path

import pytest
from widget_examples import made

from labkit.widgets import plot
from labkit.widgets.kit import plots
from labkit.widgets.kit.module import DARK

SITE = Path(__file__).parent.parent.parent / "labkit" / "site" / "assets"
ANSWERS = """<!doctype html>
<style>{css}</style>
<details class="answer"><summary>Show the answer</summary><p>forty-two</p></details>
"""


GALLERY = """<!doctype html><html lang="en"><title>labkit</title><link rel="icon" href="data:,">
<div style="height: 3000px"></div><iframe class="labkit-page" data-src="gallery.html" style="height: 400px"></iframe>
<script src="landing.js" defer></script></html>"""


def test_an_item_of_the_gallery_is_loaded_when_it_is_seen(go, tmp_path):
    made("cut").save(tmp_path / "gallery.html")
    shutil.copy(SITE / "landing.js", tmp_path)
    (tmp_path / "index.html").write_text(GALLERY, encoding="utf-8")
    listened = go((tmp_path / "index.html").as_uri())
    assert [url for url in listened.requests if url.endswith("gallery.html")] == []
    listened.page.locator("iframe").scroll_into_view_if_needed()
    listened.page.frame_locator("iframe").locator(".lab-title").wait_for()
    assert listened.messages == []


@pytest.fixture
def plotted(monkeypatch):
    """A plot as HTML."""
    found = []
    monkeypatch.setattr(plots, "notebook_shell", object)
    monkeypatch.setattr("IPython.display.display", lambda data, **more: found.append(data["text/html"]))
    with plot("A line that climbs from 0 to 2.") as ax:
        ax.plot([0, 1, 2])
    return found[0]


@pytest.mark.parametrize(
    "says, seen",
    [("", "light"), ('data-jp-theme-light="true"', "light"), ('data-jp-theme-light="false"', "dark"),
     ('class="vscode-dark"', "dark"), ('data-theme="dark"', "dark")],
)  # fmt: skip
def test_one_of_the_two_pictures_of_a_plot_is_seen_that_of_the_page(go, tmp_path, plotted, says, seen):
    path = tmp_path / "plot.html"
    path.write_text(f"<!doctype html><body {says}>{plotted}", encoding="utf-8")
    page = go(path.as_uri()).page
    assert len(DARK) == 3
    assert [image.get_attribute("class") for image in page.get_by_role("img").all()] == [f"lk-{seen}"]


def test_a_folded_answer_opens_by_keyboard_without_script_and_is_printed(go, tmp_path):
    path = tmp_path / "answers.html"
    css = (SITE / "site.css").read_text(encoding="utf-8")
    path.write_text(ANSWERS.format(css=css), encoding="utf-8")
    page = go(path.as_uri(), java_script_enabled=False).page
    answer = page.get_by_text("forty-two")
    assert not answer.is_visible()
    page.emulate_media(media="print")
    assert answer.is_visible()
    page.emulate_media(media="screen")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert answer.is_visible()
