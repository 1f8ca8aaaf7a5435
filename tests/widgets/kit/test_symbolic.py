"""What follows from inputs is the same in Python and in what a page is given to compute."""

import numpy as np

from labkit.widgets.kit.scene import Panel, Scene, circle, path, text
from labkit.widgets.kit.symbolic import Either, Inputs, placed, resolved, through, words


def of(x, y):
    return Inputs({"x": x, "y": y})


def test_arithmetic_is_a_line_each_and_has_its_value():
    q = of(3.0, 4.0)
    made = (2 * q["x"] - q["y"]) / (1 - q["y"]) + -q["x"]
    assert made.value == (6 - 4) / (1 - 4) - 3
    inputs = [{"x": 3.0, "y": 4.0}, {"x": 1.5, "y": -2.0}]
    assert q.program.values(inputs)[made.place].tolist() == [made.value, (3 + 2) / 3 - 1.5]


def test_equal_lines_are_one():
    q = of(3.0, 4.0)
    assert q.of("hypot", q["x"], q["y"]).place == q.of("hypot", q["x"], q["y"]).place


def test_a_scene_is_resolved_to_values_and_to_what_makes_them():
    q = of(3.0, 4.0)
    dot, name = (
        placed(circle(0, 0, 2, "op"), cx=q["x"] * 10),
        placed(text(0, 0, "", "note"), words("x ", (q["x"], "f1"))),
    )
    scene = Scene("", "", [], [Panel("p", "", 9, 9, [circle(1, 1, 1, "op"), dot, name])])
    plain, made = resolved(scene)
    assert plain.panels[0].marks[1].at["cx"] == 30 and plain.panels[0].marks[2].text == "x 3.0"
    assert plain.panels[0].marks[0] is scene.panels[0].marks[0]
    marks = made["in"]["panels"]["in"]["0"]["in"]["marks"]["in"]
    assert marks == {
        "1": {"in": {"at": {"in": {"cx": {"level": [2, "6"]}}}}},
        "2": {"in": {"text": {"words": ["x ", [0, "f1"]]}}},
    }


def test_one_of_two_holds_as_a_quantity_is_above_0_or_not():
    for x, said in ((2.0, "above: 2.0"), (0.0, "not"), (-1.0, "not")):
        q = of(x, 0.0)
        found = Either(q["x"], words("above: ", (q["x"], "f1")), "not")
        assert found.value == said
        assert found.made()["one of"][0][0] == [">", 0, [0.0]] and found.made()["one of"][1] == [None, "not", None]


def test_a_path_goes_through_places_in_tenths_of_a_px():
    q = of(1.0, 2.0)
    d = through([(q["x"] / 3, 0.25), (q["x"], q["y"])], closed=True)
    assert d.value == "M0.3 0.2L1 2Z" and resolved(placed(path("M0 0", "edge"), d=d))[0].at["d"] == d.value


def test_what_is_constant_is_no_line():
    q = of(1.0, 2.0)
    both = words("a ", (q["x"], "3"), words(" b ", (q["y"], "3")))
    assert both.value == "a 1 b 2" and len(q.program.lines) == 0
    assert np.isfinite(q.of("log10", 10.0).value) and q.of("log10", 10.0).made() is None
