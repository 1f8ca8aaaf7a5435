"""A widget shows itself where it can: live, else a still picture, else words; and it saves itself to a file."""

import importlib
import json
import os
import pkgutil
import re
import subprocess
import sys

import pytest
from widget_examples import LABS

import labkit.widgets
from labkit.widgets import CutEdge, Explorer
from labkit.widgets.kit import shown as module
from labkit.widgets.kit.lab import Lab

WIDGET, STILL = "application/vnd.jupyter.widget-view+json", {"text/plain", "text/html"}


def small():
    return CutEdge(lambda x: x * x, 3.0)


class Shell:
    """A notebook's shell while a cell runs."""

    kernel = object()

    def __init__(self, cell=None, execution="1"):
        self.parent = {"header": {"msg_id": execution}, "metadata": {"cellId": cell} if cell else {}}

    def get_parent(self):
        return self.parent


@pytest.fixture
def shown(monkeypatch):
    """What is displayed in a notebook, `[(data, metadata)]`."""
    import IPython
    import IPython.display

    found = []
    monkeypatch.setattr(IPython, "get_ipython", Shell)
    show = lambda data, metadata=None, raw=False: found.append((data, metadata))
    monkeypatch.setattr(IPython.display, "display", show)
    return found


def test_every_widget_is_tried_in_a_browser():
    for found in pkgutil.walk_packages(labkit.widgets.__path__, "labkit.widgets."):
        importlib.import_module(found.name)
    called = " ".join(LABS.values()).replace("labkit.show(", "Explorer(")
    assert [lab.__name__ for lab in Lab.__subclasses__() if f"{lab.__name__}(" not in called] == []


def test_a_notebook_shows_the_widget_at_once_and_then_the_still_picture_that_it_hides(shown):
    lab = small()
    lab._ipython_display_()
    (live, _), (still, metadata) = shown
    assert set(still) == STILL and live[WIDGET]["model_id"] == lab.model_id and metadata == {}
    assert f'<img data-labkit="{lab.still}" alt="Stop the gradient at an edge' in still["text/html"]
    assert "data:image/svg+xml;base64," in still["text/html"] and still["text/plain"] == lab.describe()
    assert len({small().still for _ in range(20)}) == 20


def test_without_anywidget_a_notebook_shows_the_still_picture_alone(shown, monkeypatch):
    monkeypatch.setattr(module, "player_installed", lambda: False)
    small()._ipython_display_()
    ((still, _),) = shown
    assert set(still) == STILL and "data-labkit" not in still["text/html"]


def test_the_explorer_has_a_png_beside_it_where_it_can_be_painted(shown):
    labkit.show(lambda x: x * x, 3.0)._ipython_display_()
    still, metadata = shown[-1]
    assert still["text/plain"] == metadata["image/png"]["alt"]


def test_without_a_kernel_it_prints_words(capsys):
    small()._ipython_display_()
    assert capsys.readouterr().out == f"{small().describe()}\n" and repr(small()) == small().describe()


def test_nothing_but_numpy_is_needed_for_svg_html_and_words():
    program = """
import sys
for name in ("anywidget", "ipywidgets", "matplotlib", "IPython", "traitlets"):
    sys.modules[name] = None
from widget_examples import LABS, of_code
for code in LABS.values():
    lab = of_code(code)
    assert lab.svg() and lab.html() and lab.describe()
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# ---- files ----


@pytest.mark.parametrize("name, begin", [("a.svg", b"<svg "), ("a.HTML", b"<!doctype html>")])
def test_a_widget_is_saved_by_its_ending(tmp_path, name, begin):
    path = small().save(tmp_path / name, theme="dark", cut="x → × (1 of 2)")
    assert path == tmp_path / name and path.read_bytes().startswith(begin)
    assert small().save(str(path)) == path


def test_a_place_to_save_that_cannot_be_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"expected a name that ends in \.svg or \.html, but got 'a.jpg'"):
        small().save(tmp_path / "a.jpg")
    with pytest.raises(FileNotFoundError, match=r"there is no folder '.*none'; make it first"):
        small().save(tmp_path / "none" / "a.svg")
    with pytest.raises(ValueError, match="theme: expected one of 'auto', 'light', 'dark', but got 'blue'"):
        small().save(tmp_path / "a.html", theme="blue")
    assert list(tmp_path.iterdir()) == []


def values_of(page):
    return json.loads(re.search(r'<script type="application/json" id="values">(.*?)</script>', page, re.S)[1])


def test_a_page_holds_data_and_state_in_one_theme_or_that_of_the_reader_and_names_no_other_address():
    lab = small()
    assert values_of(lab.html(cut="x → × (2 of 2)")) == json.loads(
        json.dumps({"data": lab.data, "still": "", "cut": "x → × (2 of 2)", "inputs": {}})
    )
    themes = [re.search(r'<html lang="en" class="([^"]*)">', lab.html(theme))[1] for theme in ("auto", "light", "dark")]
    assert themes == ["alone", "alone light", "alone dark"]
    page = lab.html()
    assert set(re.findall(r"\w+://[^\s\"'<>]+", page)) == {"http://www.w3.org/2000/svg"}  # the name of a format
    assert not re.search(r"<link|@import|\bsrc=|url\((?!#)|\bimport\b[^.]*?from|fetch\(", page)


def test_no_words_can_break_out_of_a_page():
    def odd(x):
        return x * x

    odd.__name__ = "</script><script>alert(1)</script><!-- <script> & \" ' \u2028"
    page = CutEdge(odd, 3.0).html()
    assert page.count("<script") == page.count("</script>") == 2
    assert values_of(page)["data"]["title"].startswith("Stop the gradient at an edge of </script>")


# ---- cells that run again ----


@pytest.fixture
def show(monkeypatch):
    """`show(lab, cell, execution)`: what displaying it in a cell does."""
    monkeypatch.setattr(module, "_shown", {})
    return lambda lab, cell, execution: module.close_previous(lab, Shell(cell, execution))


def test_running_a_cell_again_closes_what_it_has_shown_unless_it_is_shown_again_or_in_another_cell(show):
    first, several, held, last = small(), small(), small(), small()
    for lab in (first, several, held):
        show(lab, "a", "1")
    show(held, "b", "2")
    show(last, "a", "3")
    show(last, "a", "4")
    assert [lab.closed for lab in (first, several, held, last)] == [True, True, False, False]
    assert first.layout.comm is None


def test_a_notebook_that_does_not_name_its_cells_closes_nothing(show):
    labs = [small(), small()]
    for i, lab in enumerate(labs):
        show(lab, None, str(i))
    assert not any(lab.closed for lab in labs) and isinstance(labkit.show(lambda x: x, 1.0), Explorer)
