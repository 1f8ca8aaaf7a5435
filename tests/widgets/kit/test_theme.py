"""Words and lines stand out from their ground in both themes, and the page's style has the colours of the palettes."""

import re
from itertools import pairwise

import pytest

from labkit.palette import PALETTES
from labkit.widgets.kit.module import palettes, style

THEMES = sorted(PALETTES)
WORDS = ("ink", "muted", "forward-ink", "backward-ink", "leaf-ink", "saved", "bad")  # colours of words
LINES = ("forward", "backward", "leaf", "saved", "bad", "ink", "muted")
FILLS = ("forward-fill", "backward-fill", "leaf-fill", "saved-fill", "bad-fill", "lit")  # with words in `ink`
RAMPS = {ramp: [f"{ramp}{i}" for i in range(6)] for ramp in ("norm", "bytes")}


def luminance(colour):
    """Of an sRGB colour "#rrggbb", by WCAG 2.2."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear))


def contrast(one, other):
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_computed_as_wcag_says():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("name", THEMES)
def test_words_and_lines_stand_out_from_the_page(name):
    palette = PALETTES[name]
    for ground in ("page", "panel"):
        assert min(contrast(palette[colour], palette[ground]) for colour in WORDS) >= 4.5
        assert min(contrast(palette[colour], palette[ground]) for colour in LINES) >= 3
    assert min(contrast(palette["ink"], palette[ground]) for ground in FILLS) >= 4.5


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("ramp", RAMPS)
def test_the_colours_of_a_ramp_are_told_apart_and_written_on(ramp, name):
    colours = [PALETTES[name][colour] for colour in RAMPS[ramp]]
    assert min(contrast(PALETTES[name]["ink"], colour) for colour in colours) >= 4.5
    assert min(contrast(one, other) for one, other in pairwise(colours)) >= 1.09
    rising = [luminance(colour) for colour in colours]
    assert contrast(colours[0], colours[-1]) >= 2.2 and rising == sorted(rising, reverse=name == "light")


def test_both_themes_have_the_same_colours_and_native_controls_follow_the_theme():
    assert len({tuple(palette) for palette in PALETTES.values()}) == 1
    schemes = re.findall(r"(\S+) {color-scheme:(\w+);--lk-page:(#\w+);", palettes())
    assert {(scheme, ground) for _, scheme, ground in schemes} == {(name, PALETTES[name]["page"]) for name in THEMES}


def test_every_colour_of_the_style_is_in_the_palettes():
    used = set(re.findall(r"var\(--lk-([\w-]+?\d?)[,)]", style()))
    assert used - set(PALETTES["light"]) == set()
