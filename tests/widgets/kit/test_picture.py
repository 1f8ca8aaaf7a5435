"""A picture shows itself where it can: a live widget, else a still picture, else words; and it saves itself to a file."""

import importlib
import json
import os
import pkgutil
import re
import subprocess
import sys

import pytest
from widget_examples import EXAMPLES, LABS, Demo

import labkit.widgets
from labkit.widgets.kit import picture as module
from labkit.widgets.kit import shown as shown_module
from labkit.widgets.kit.lab import Lab
from labkit.widgets.kit.picture import Picture, Still
from labkit.widgets.kit.scene import Panel, Scene, text, to_json

WIDGET, STILL = "application/vnd.jupyter.widget-view+json", {"text/plain", "text/html", "image/png"}


class Shell:
    """A notebook's shell, as far as a picture looks at it."""

    kernel = object()
    parent_header: dict = {}


@pytest.fixture
def shown(monkeypatch):
    """What is displayed in a notebook, `[(data, metadata)]`."""
    import IPython
    import IPython.display

    found = []
    monkeypatch.setattr(IPython, "get_ipython", Shell)
    monkeypatch.setattr(
        IPython.display, "display", lambda data, metadata=None, raw=False: found.append((data, metadata))
    )
    return found


@pytest.fixture
def without(monkeypatch):
    """`without("anywidget")`: as if these packages were not installed."""

    def hide(*names):
        for home in (module, shown_module):
            monkeypatch.setattr(home, "player_installed", lambda: "anywidget" not in names)
            monkeypatch.setattr(home, "paints_png", lambda: "matplotlib" not in names)

    return hide


def test_every_widget_is_tried_in_a_browser():
    for found in pkgutil.walk_packages(labkit.widgets.__path__, "labkit.widgets."):
        importlib.import_module(found.name)
    widgets = [w.__name__ for w in Picture.__subclasses__() if w.__module__.startswith("labkit.") and w is not Still]
    widgets += [lab.__name__ for lab in Lab.__subclasses__()]
    called = " ".join((EXAMPLES | LABS).values()).replace("labkit.show(", "Explorer(")
    assert [name for name in widgets if f"{name}(" not in called] == []


# ---- in a notebook ----


def test_a_notebook_shows_the_widget_at_once_and_then_the_still_picture_that_it_hides(shown):
    picture = Demo()
    picture._ipython_display_()
    (live, _), (still, metadata) = shown
    assert set(still) == STILL and set(live) == {WIDGET}
    assert live[WIDGET]["model_id"] == picture.player.model_id
    assert f'<img data-labkit="{picture.player.still}" alt="Powers.' in still["text/html"]
    assert still["text/plain"] == picture.describe() == metadata["image/png"]["alt"]


def test_without_anywidget_a_notebook_shows_the_still_picture(shown, without):
    without("anywidget")
    Demo()._ipython_display_()
    ((still, _),) = shown
    assert set(still) == STILL and "data-labkit" not in still["text/html"]
    with pytest.raises(ImportError, match=r"needs anywidget: .*pip install .*\[notebooks\]"):
        Demo().turn(step=1)


def test_without_matplotlib_the_still_picture_is_svg(shown, without):
    without("anywidget", "matplotlib")
    Demo()._ipython_display_()
    ((still, metadata),) = shown
    assert set(still) == STILL - {"image/png"} and metadata == {}
    assert "data:image/svg+xml;base64," in still["text/html"]


def test_a_still_has_no_widget(shown):
    Still(Demo().scene)._ipython_display_()
    ((still, _),) = shown
    assert set(still) == STILL


def test_a_large_picture_has_no_png(shown):
    marks = [text(5, 20, "word")] * (module.MAX_PNG_MARKS + 1)
    Picture(Scene("", "", [], [Panel("p", "", 100, 50, marks)]))._ipython_display_()
    assert set(shown[-1][0]) == STILL - {"image/png"}


def test_without_a_kernel_it_prints_words(capsys):
    Demo()._ipython_display_()
    assert capsys.readouterr().out == "Powers.\nA number is squared twice.\nHere is x.\n"
    assert repr(Demo()) == Demo().describe()


def test_nothing_but_numpy_is_needed_for_svg_html_and_words():
    program = """
import sys
for name in ("anywidget", "ipywidgets", "matplotlib", "IPython", "traitlets"):
    sys.modules[name] = None
from widget_examples import EXAMPLES, LABS, Demo
assert Demo().svg() and Demo().html() and Demo().describe()
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


# ---- turning ----


def test_the_state_is_the_start_until_a_dial_is_turned():
    picture = Demo()
    assert picture.state == picture.scene.start()
    picture.turn(step="square")
    picture.turn(far=1)
    assert picture.state == picture.scene.state(step=1, far=1)
    with pytest.raises(KeyError, match="expected one of the dials"):
        picture.turn(steps=1)
    assert picture.state == picture.scene.state(step=1, far=1)


# ---- files ----


@pytest.mark.parametrize(
    ("name", "begin"),
    [("a.svg", b"<svg "), ("a.PNG", b"\x89PNG"), ("a.gif", b"GIF89a"), ("a.html", b"<!doctype html>")],
)
def test_a_picture_is_saved_by_its_ending(tmp_path, name, begin):
    path = Demo().save(tmp_path / name, theme="dark", step=1)
    assert path == tmp_path / name and path.read_bytes().startswith(begin)
    assert Demo().save(str(path)) == path


def test_a_place_to_save_that_cannot_be_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"expected a name that ends in .svg, .png, .gif or .html, but got 'a.jpg'"):
        Demo().save(tmp_path / "a.jpg")
    with pytest.raises(FileNotFoundError, match=r"there is no folder '.*none'; make it first"):
        Demo().save(tmp_path / "none" / "a.svg")
    with pytest.raises(ValueError, match="theme: expected 'light', 'dark', but got 'blue'"):
        Demo().save(tmp_path / "a.svg", theme="blue")
    with pytest.raises(ValueError, match="step: expected a position below 3"):
        Demo().save(tmp_path / "a.html", step=7)
    assert list(tmp_path.iterdir()) == []


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])


def test_a_page_holds_the_whole_scene_and_where_its_dials_stand():
    picture = Demo()
    held = {
        "scene": to_json(picture.scene),
        "scenes": {},
        "state": picture.state,
        "rest": {},
        "rests": {},
        "plays": False,
    }
    assert data_of(picture.html()) == held
    assert data_of(picture.html(step=2))["state"]["step"] == 2


def test_a_page_can_be_had_in_one_theme():
    opened = [
        re.search(r'<html lang="en" class="([^"]*)">', Demo().html(theme))[1] for theme in ("auto", "light", "dark")
    ]
    assert opened == ["alone", "alone light", "alone dark"]


def test_a_page_names_no_other_address():
    page = Demo().html()
    assert set(re.findall(r"\w+://[^\s\"'<>]+", page)) == {"http://www.w3.org/2000/svg"}  # the name of a format
    assert not re.search(r"<link|@import|\bsrc=|\bhref=|url\(|\bimport\b[^.]*?from|fetch\(", page)


def test_no_words_can_break_out_of_a_page():
    odd = "</script><script>alert(1)</script><!-- <script> & \" ' \u2028"
    scene = Scene(odd, odd, [], [Panel("p", odd, 10, 10, [text(1, 1, odd)])], notice=odd)
    page = Picture(scene).html()
    assert page.count("<script") == page.count("</script>") == 2
    assert data_of(page)["scene"] == to_json(scene)


def test_a_number_that_json_does_not_have_is_refused():
    scene = Scene("", "", [], [Panel("p", "", float("nan"), 10, [])])
    with pytest.raises(ValueError, match="JSON"):
        Picture(scene).html()


def test_a_page_holds_a_very_large_picture_once_and_its_words(monkeypatch):
    small = Demo().html()
    monkeypatch.setattr(module, "MAX_STILL_MARKS", 0)
    large = Demo().html()
    assert "<noscript><svg" in small and "<noscript><p>" in large and "takes JavaScript" in large
    assert Demo().describe().splitlines()[0] in large
