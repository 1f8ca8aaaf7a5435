"""A grip goes to the nearest position, and a place is the number that its axis says: in the page as by hand."""

import random
from math import hypot

import javascript
import pytest
from widget_examples import EXAMPLES, made

from labkit.widgets.kit.axes import Axis
from labkit.widgets.kit.grips import Along, Grip
from labkit.widgets.kit.page import script
from labkit.widgets.kit.scene import to_json
from labkit.widgets.kit.words import briefly

PAGE = script("places.js") + script("look.js")
AWAY = {
    "x": lambda a, b: abs(a[0] - b[0]),
    "y": lambda a, b: abs(a[1] - b[1]),
    "xy": lambda a, b: hypot(a[0] - b[0], a[1] - b[1]),
    "r": lambda a, b: abs(hypot(a[0] - 50, a[1] - 50) - hypot(b[0] - 50, b[1] - 50)),
}


def in_page(function, *arguments):
    return javascript.call(f"(() => {{ {PAGE}; return {function}; }})()", *arguments)


def some_grip(draw, by):
    spots = [(draw.uniform(0, 100), draw.uniform(0, 100)) if draw.random() < 0.9 else None for _ in range(30)]
    return Grip("g", "p", "it", "d", spots, by, (50.0, 50.0) if by == "r" else None)


def as_json(grip):
    return to_json(grip)


@pytest.mark.parametrize("by", AWAY)
def test_it_goes_to_the_nearest_spot(by):
    draw = random.Random(1)
    for _ in range(25):
        grip, place = some_grip(draw, by), (draw.uniform(-20, 120), draw.uniform(-20, 120))
        seen = [i for i, spot in enumerate(grip.spots) if spot]
        wanted = min(seen, key=lambda i: AWAY[by](grip.spots[i], place))
        assert in_page("nearest", as_json(grip), place) == wanted


def test_arrow_keys_go_to_the_next_spot_and_come_back():
    spots = [(10.0 * i, 5.0) for i in range(6)]
    grip = as_json(Grip("g", "p", "it", "d", spots, "x"))
    right, left = [1, 0], [-1, 0]
    assert [in_page("neighbour", grip, i, spots[i], right) for i in range(5)] == [1, 2, 3, 4, 5]
    assert [in_page("neighbour", grip, i, spots[i], left) for i in range(1, 6)] == [0, 1, 2, 3, 4]
    assert in_page("neighbour", grip, 2, spots[2], [0, -1]) == 3  # up is more
    assert in_page("furthest", grip, left) == 0 and in_page("furthest", grip, right) == 5


@pytest.mark.parametrize(
    "axis", [Axis(-4, 4, 16.0, 400.0), Axis(-3, 3, 300.0, 20.0), Axis(-6, 0, 396.0, 52.0, log=True)]
)
def test_a_place_on_an_axis_is_its_number_as_exact_as_a_px(axis):
    along, draw = as_json(axis.sets("field")), random.Random(2)
    for _ in range(25):
        px = draw.uniform(*sorted((axis.start, axis.end)))
        assert axis(in_page("valueAt", along, px)) == pytest.approx(px, abs=0.6)
    outside = in_page("valueAt", along, axis.end + 3 * (axis.end - axis.start))
    assert axis(outside) == pytest.approx(axis.end)


def test_a_number_that_is_scrubbed_grows_by_a_hundredth_of_its_size_for_a_px():
    for value in (0.5, -30.0, 1e6):
        moved = in_page("valueAt", as_json(Along.scrubbed("x", value, 80.0)), 90.0)
        assert moved - value == pytest.approx(0.1 * max(abs(value), 1.0), rel=0.01)
    assert in_page("valueAt", as_json(Along.scrubbed("n", 3, 80.0, whole=True)), 90.0) == 5


@pytest.mark.parametrize("wrong", [
    {"by": "r"}, {"by": "z"}, {"dial": "d"}, {"spots": [(0, 0)]}, {},
    {"free": {"y": Along("f", 0, 1, 0, 1)}, "at": (0, 0), "by": "x"},
])  # fmt: skip
def test_a_grip_that_cannot_be_is_refused(wrong):
    with pytest.raises(ValueError, match="grip 'g': expected"):
        Grip("g", "p", "it", **wrong)


def test_the_page_says_as_much_as_python_thinks():
    draw = random.Random(3)
    for _ in range(60):
        told = " ".join(draw.choice(["one", "two.", "3.5", "‖x‖", "Why?", "a:"]) for _ in range(draw.randint(1, 70)))
        first, rest = briefly(told)
        assert in_page("briefly", told) == [first, rest]
        assert len([word for word in first.split(" ") if word != "…"]) <= 30
        assert f"{first} {rest}".strip().replace(" … … ", " ") == told


@pytest.mark.parametrize("name", [n for n in EXAMPLES if n != "demo"])
def test_no_ring_is_cut_by_the_border_of_its_panel(name):
    """Where a panel is drawn as small as it may be, a ring that is held has 13 px of the window to each side."""
    scene = made(name).scene
    panels = {panel.name: panel for panel in scene.panels}
    for grip in scene.grips:
        panel, found = panels.get(grip.panel), [*grip.spots, grip.at]
        if panel is None or grip.stays or grip.bare:
            continue
        for x, y in filter(None, found):
            room = min(x, panel.width - x, y, panel.height - y) * 0.82
            assert room >= 13, (grip.name, x, y, panel.width, panel.height)
