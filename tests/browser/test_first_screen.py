"""What moves by itself, what is folded, and what follows the theme: pages as a reader first sees them."""

import shutil
from pathlib import Path

import pytest
from widget_examples import Demo

from labkit.site.frames import knowing
from labkit.widgets import plot
from labkit.widgets.kit import plots, theme
from labkit.widgets.kit.picture import Picture
from labkit.widgets.kit.scene import Dial, Panel, Scene, text

SITE = Path(__file__).parent.parent.parent / "labkit" / "site" / "assets"
ANSWERS = """<!doctype html>
<style>{css}</style>
<details class="answer"><summary>Show the answer</summary><p>forty-two</p></details>
"""


@pytest.fixture(scope="module")
def playing(tmp_path_factory):
    """The address of a picture that is to play at once."""
    picture = Demo()
    picture.plays_at_once = True
    return picture.save(tmp_path_factory.mktemp("page") / "playing.html").as_uri()


def test_a_picture_that_is_to_play_plays_to_its_end(go, playing):
    page = go(playing).page
    page.get_by_role("button", name="Pause").wait_for()
    page.get_by_text("It is squared again.").wait_for()
    page.get_by_role("button", name="Play").wait_for()


GALLERY = """<!doctype html><html lang="en"><title>labkit</title><link rel="icon" href="data:,">
<div style="height: 3000px"></div><iframe class="labkit-page" data-src="gallery.html" style="height: 400px"></iframe>
<script src="landing.js" defer></script></html>"""


def test_an_item_of_the_gallery_is_loaded_when_it_is_seen_and_plays_also_where_it_has_no_slider(go, tmp_path):
    choices = Dial("mode", "Mode", ["a", "b", "c"], kind="choice")
    scene = Scene("No slider", "One of three.", [choices], [Panel("p", "A panel", 10, 10, [text(1, 1, "a")])])
    page = Picture(scene).save(tmp_path / "gallery.html")
    knowing(page, plays=True)
    shutil.copy(SITE / "landing.js", tmp_path)
    (tmp_path / "index.html").write_text(GALLERY, encoding="utf-8")
    listened = go((tmp_path / "index.html").as_uri())
    assert [url for url in listened.requests if url.endswith("gallery.html")] == []
    listened.page.locator("iframe").scroll_into_view_if_needed()
    frame = listened.page.frame_locator("iframe")
    frame.locator(".lk-choice input").nth(2).and_(frame.locator(":checked")).wait_for()
    assert listened.messages == []


def test_where_less_motion_is_wanted_the_reader_presses_play(go, playing):
    page = go(playing, reduced_motion="reduce").page
    page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Pause").wait_for()


def test_a_slider_that_is_moved_while_it_plays_stays_where_it_was_put(go, playing):
    page = go(playing).page
    page.get_by_role("button", name="Pause").wait_for()
    slider = page.get_by_role("slider").first
    last = int(slider.get_attribute("max"))
    slider.fill(str(last - 1))
    page.get_by_role("button", name="Play").wait_for()
    assert slider.input_value() == str(last - 1)


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
    assert len(theme.DARK) == 3
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
