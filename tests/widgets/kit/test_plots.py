"""A plot is drawn in the theme's colours, says what it shows, and is the same at every run."""

import base64
import re
import subprocess
import sys

import pytest

from labkit.palette import PALETTES
from labkit.widgets import plot
from labkit.widgets.kit import plots

WORDS = "Two curves that climb, and four squares."


def draw():
    with plot(WORDS, columns=2) as (left, right):
        left.plot([0, 1, 2], label="slow")
        left.plot([0, 2, 4], label="fast")
        left.legend()
        right.pcolormesh([[0, 1], [1, 0]])


@pytest.fixture
def shown(monkeypatch):
    """`shown()`: what a notebook is given, data and metadata."""
    found = []
    monkeypatch.setattr(plots, "notebook_shell", object)
    monkeypatch.setattr("IPython.display.display", lambda data, metadata, raw: found.append((data, metadata)))

    def show():
        draw()
        return found.pop()

    return show


def pictures(html):
    """The SVG of each theme."""
    found = re.findall(r'class="lk-(\w+)"[^>]*base64,([^"]*)"', html)
    return {name: base64.b64decode(text).decode() for name, text in found}


def test_light_and_dark_are_one_drawing_in_two_palettes(shown):
    drawn = pictures(shown()[0]["text/html"])
    light, dark = (PALETTES[name] for name in ("light", "dark"))
    used = {name: re.findall(r"#[0-9a-f]{6}\b", picture) for name, picture in drawn.items()}
    assert set(used["light"]) <= set(light.values()) and set(used["dark"]) <= set(dark.values())
    assert {light["page"], light["ink"], light["forward"], light["backward"]} <= set(used["light"])
    names = [[key for key in light if (light[key], dark[key]) == pair] for pair in zip(*used.values(), strict=True)]
    assert all(names)


def test_curves_differ_in_dash_and_not_in_colour_alone(shown):
    curves = re.findall(r'id="line2d_\d+">\s*<path [^>]*style="([^"]*)"', pictures(shown()[0]["text/html"])["light"])
    assert any("stroke-dasharray" in look and PALETTES["light"]["backward"] in look for look in curves)


def test_it_says_what_it_shows_wherever_it_is_shown(shown):
    data, metadata = shown()
    assert data["text/plain"] == metadata["image/png"]["alt"] == WORDS
    assert data["text/html"].count(f'alt="{WORDS}"') == 2
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")


def test_two_runs_give_the_same_to_the_letter(shown):
    assert shown()[0] == shown()[0]


def test_outside_of_a_notebook_the_words_are_printed(capsys):
    draw()
    assert capsys.readouterr().out == f"{WORDS}\n"


def test_the_settings_of_matplotlib_are_as_before():
    import matplotlib

    before = dict(matplotlib.rcParams)
    draw()
    assert dict(matplotlib.rcParams) == before


def test_without_matplotlib_it_is_said_what_to_install():
    code = "import sys\nsys.modules['matplotlib'] = None\nfrom labkit.widgets import plot\nwith plot('x') as ax: pass"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "a plot needs matplotlib" in done.stderr and "pip install" in done.stderr
