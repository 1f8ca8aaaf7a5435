"""Everything that is drawn can be seen: by contrast in both themes, and in the page as in a still picture."""

import re
from itertools import chain, pairwise

import pytest

from labkit.widgets.kit import theme

THEMES = sorted(theme.PALETTES)
WORDS = [role for role, look in theme.ROLES.items() if "font-size" in look]
FAINT = {
    "area",
    "grid",
    "row",
    "way",
    "veil",
    "blank",
    "nil",
    "cell",
}  # grounds, lines one may overlook, places to point at
RAMPS = {ramp: [f"{ramp}{i}" for i in range(theme.RAMP)] for ramp in ("norm", "bytes")}  # over a box that has an edge
SEEN = [
    role
    for role in theme.ROLES
    if role not in {*WORDS, *FAINT, *chain(*RAMPS.values())} and not role.startswith("zone-")
]


def luminance(colour):
    """Of an sRGB colour "#rrggbb", by WCAG 2.2."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return sum(
        w * (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4)
        for w, c in zip((0.2126, 0.7152, 0.0722), parts)
    )


def contrast(one, other):
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_computed_as_wcag_says():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("state", theme.STATES)
@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("role", WORDS)
def test_words_stand_out_from_the_page_in_every_state(role, name, state):
    look, palette = theme.attributes(role, state, name), theme.PALETTES[name]
    if state in ("lit", "wrong", "hidden"):  # looks of boxes; not seen
        return
    assert "opacity" not in look
    grounds = ["page", "panel"]
    if "stroke" in look:
        assert look["stroke"] == palette["page"]  # a rim of the page's colour: the ground behind does not matter
    else:
        grounds += [colour for colour in palette if colour.endswith("-fill")]
    assert min(contrast(look["fill"], palette[ground]) for ground in grounds) >= 4.5


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("state", ["pending", "dim", "released"])
def test_words_of_what_is_to_come_or_over_stay_legible(state, name):
    look, palette = theme.attributes("name", state, name), theme.PALETTES[name]
    grounds = [colour for colour in palette if colour.endswith("-fill") or colour in ("page", "panel")]
    box = theme.attributes("op", state, name)
    assert "opacity" not in look and (box["fill"] == "none" if state == "released" else "opacity" in box)
    assert min(contrast(look["fill"], palette[ground]) for ground in grounds) >= 4.5
    assert (
        f".labkit .is-{state}:not(text) {{" in theme.css()
    )  # what makes a box faint or dashed does not reach its words
    assert "opacity" not in re.search(rf"\.labkit text\.is-{state} {{(.*?)}}", theme.css())[1]


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("role", SEEN)
def test_shapes_and_lines_stand_out_from_the_page(role, name):
    look, page = theme.attributes(role, "", name), theme.PALETTES[name]["page"]
    edge = look["stroke"] if look["stroke"] != "none" else look["fill"]
    assert contrast(edge, page) >= 3


@pytest.mark.parametrize("name", THEMES)
def test_controls_stand_out_from_the_page(name):
    palette = theme.PALETTES[name]
    for ground in ("page", "panel"):
        assert min(contrast(palette[c], palette[ground]) for c in ("ink", "muted")) >= 4.5
        assert contrast(palette["forward"], palette[ground]) >= 3  # what has the focus
    assert contrast(palette["ink"], palette["bad-fill"]) >= 4.5
    assert contrast(palette["ink"], palette["lit"]) >= 4.5


def test_both_themes_have_the_same_colours():
    assert len({tuple(palette) for palette in theme.PALETTES.values()}) == 1


def test_the_page_and_the_still_picture_look_the_same():
    css = theme.css()
    for classes in ("lk-" + role for role in theme.ROLES), ("is-" + state for state in theme.STATES if state):
        for name in classes:
            declared = dict(
                re.findall(r"([\w-]+):([^;]+);", re.search(rf"\.labkit \.{name}(?::not\(text\))? {{(.*?)}}", css)[1])
            )
            table = theme.ROLES if name.startswith("lk-") else theme.STATES
            for key, value in table[name[3:]].items():
                shown = re.sub(r"var\(--lk-([\w-]+)\)", r"$\1", declared.pop(key)).removeprefix("lk-raised, ")
                assert shown == (f"max({value}px,var(--lk-least,0px))" if key == "font-size" else str(value))
            assert not declared


def test_native_controls_follow_the_theme():
    """Fields, check boxes and lists that the browser draws itself."""
    schemes = re.findall(r"(\S+) {color-scheme:(\w+);--lk-page:(#\w+);", theme.css())
    found = {(scheme, ground) for _, scheme, ground in schemes}
    assert found == {(name, theme.PALETTES[name]["page"]) for name in THEMES}


def test_an_unknown_role_or_state_is_named():
    with pytest.raises(KeyError, match=r"labkit\.widgets\.theme, but got 'opp' and ''"):
        theme.attributes("opp", "", "light")
    with pytest.raises(KeyError, match="'op' and 'soon'"):
        theme.attributes("op", "soon", "light")


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("ramp", RAMPS)
def test_the_colours_of_a_ramp_are_told_apart_and_written_on(ramp, name):
    palette = theme.PALETTES[name]
    colours = [theme.attributes(role, "", name)["fill"] for role in RAMPS[ramp]]
    assert min(contrast(palette["ink"], colour) for colour in colours) >= 4.5
    apart = [contrast(one, other) for one, other in pairwise(colours)]
    assert min(apart) >= 1.09 and contrast(colours[0], colours[-1]) >= 2.2
    rising = [luminance(colour) for colour in colours]
    assert rising == sorted(rising, reverse=name == "light")  # from that of the page on
