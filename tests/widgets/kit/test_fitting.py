"""What a saved page makes of the numbers that it computes is what Python would show for the same inputs."""

import json
import random

import autograd.numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from javascript import call, unpacked
from small_programs import programs

import labkit
import labkit.torch as torch
from labkit.widgets.kit import reach
from labkit.widgets.kit.fitting import Fit, aligned
from labkit.widgets.kit.page import script
from labkit.widgets.kit.reckoning import Const, Program
from labkit.widgets.kit.scene import to_json
from labkit.widgets.kit.words import joined, number

TURNED = (
    f"(held, scene, row) => {{ {script('reckoning.js')}; return new Reckoning(held).turn(scene, row) ? scene : null; }}"
)
TENTHS = ("x", "y", "cx", "cy", "width", "height")


def held(picture):
    """What the page of a picture computes with, and the scene that it starts with."""
    known = json.loads(picture.html().partition('id="data">')[2].partition("</script>")[0])
    return [
        unpacked(known[key]) if isinstance(known.get(key), str) else known.get(key, {}) for key in ("reach", "scene")
    ]


def others(names, count=6):
    """Rows of inputs: random ones, and some at which something may be otherwise."""
    draw = random.Random(7)
    yield from ({name: float(f"{draw.uniform(-4, 4):.3g}") for name in names} for _ in range(count))
    yield from (dict.fromkeys(names, level) for level in (0.0, 1.0, -2.0))
    yield {name: 0.7 * i for i, name in enumerate(names)}


def differences(wanted, found, path=()):
    """Where two scenes differ, but for lists of changes with equal ones in a row, tenths of px, and how paths are written."""
    if isinstance(wanted, list) and isinstance(found, list):
        wanted, found = aligned([wanted, found])
        wanted, found = (dict(enumerate(one)) for one in (wanted, found))
    if isinstance(wanted, dict) and isinstance(found, dict):
        for key in wanted | found:
            yield from differences(wanted.get(key), found.get(key), (*path, key))
    elif isinstance(wanted, (int, float)) and isinstance(found, (int, float)):
        if found != pytest.approx(wanted, rel=1e-6, abs=0.16 if path[-1] in TENTHS else 1e-12):
            yield path, wanted, found
    elif wanted != found and path[-1] != "d":
        yield path, wanted, found


def compared(picture):
    """How many other inputs the page can show, each as Python does; None where it does not compute."""
    held_, first = held(picture)
    if "program" not in held_:
        return None
    assert held_["without"] == []
    count = 0
    for row in others(picture.inputs):
        found = call(TURNED, held_, first, row)
        if found is not None:
            wanted = json.loads(json.dumps(to_json(picture.scene_at(row))))
            assert list(differences(wanted, found)) == [], row
            count += 1
    return count


@pytest.mark.parametrize("fun, args", [
    (lambda x, w, b: np.tanh(x * w + b) ** 2, (0.5, -1.0, 0.25)), (lambda x, y: np.maximum(x, y) * x, (3.0, 2.0)),
    (lambda x: np.where(x > 0, np.exp(x), x), (0.5,)), (lambda x, y: (x * y, x + y), (1.5, 2.0)),
    (lambda x, w: torch.sigmoid(x * w) + torch.relu(x), (torch.tensor(0.5), torch.tensor(2.0))),
], ids=["usual", "ties", "where", "two results", "torch"])  # fmt: skip
def test_at_other_inputs_the_page_shows_what_python_would(fun, args):
    assert compared(labkit.show(fun, *args)) > 6


@settings(max_examples=6, suppress_health_check=list(HealthCheck))
@given(programs(most=4))
def test_so_it_is_for_random_programs(program):
    names = ["x", "w", "b"][: len(program.leaves)]
    fun = eval(f"lambda {', '.join(names)}: program({', '.join(names)})", {"program": program})
    assert compared(labkit.show(fun, *program.leaves)) in (None, *range(5, 11))


def test_what_is_not_finite_is_not_shown():
    held_, first = held(labkit.show(lambda x: np.log(x), 2.0))
    assert call(TURNED, held_, first, {"x": -1.0}) is None and call(TURNED, held_, first, {"x": 0.5}) is not None


def test_a_page_that_computes_is_lighter_and_one_that_cannot_holds_scenes():
    held_, _ = held(labkit.show(lambda x, w: np.tanh(x * w), 0.5, 2.0))
    assert "points" not in held_ and len(json.dumps(held_)) < 60_000
    assert "points" in held(labkit.show(lambda x: x**3 if x > 0 else x, 1.0))[0]


# ---- parts ----


def fitted(values, scenes):
    """What is fitted to scenes at values of x, with x³ as a quantity; and what is left."""
    program = Program(["x"])
    program.line("power", 0, Const(3.0))
    fit = Fit(program, [{"x": value} for value in values])
    return fit.of(scenes), fit, program


VALUES = [0.5, -0.25, 2.0, -3.0, 0.0, 1.0, 17.5, 0.004]


@pytest.mark.parametrize("of", [
    lambda x: f"x³ is {x**3:.3g} at last".replace("-", "−"), lambda x: "below" if x < 0 else f"at {x:.3g}",
    lambda x: x**3 + x, lambda x: [[0, ""], [3, f"{x:.3g}".replace("-", "−")]] if x else [[0, ""], [3, "0"]],
    lambda x: {"label": "zero"} if x == 0 else {"label": f"{x:.3g}".replace("-", "−"), "tip": ["other"]},
    lambda x: f"{x:.6g}", lambda x: words if len(words := joined(["1", number(x**3)])) < 10 else "1 and more",
])  # fmt: skip
def test_texts_numbers_kinds_and_lists_of_changes_follow(of):
    made, fit, program = fitted(VALUES, [{"it": of(x), "same": 1} for x in VALUES])
    assert not fit.left
    for x in VALUES:
        page = call(
            TURNED,
            {"program": program.written(), "made": made},
            {"it": of(VALUES[0]), "same": 1, "panels": []},
            {"x": x},
        )
        assert list(differences(json.loads(json.dumps(of(x))), page["it"], ("it",))) == []


def test_what_does_not_follow_is_said_to_be_left():
    _, fit, _ = fitted(VALUES, [{"it": f"{hash(x) % 977}", "panels": [{"x": x}]} for x in VALUES])
    assert fit.left == [("it",)]


def test_a_comparison_that_is_in_doubt_is_asked_for():
    _, fit, _ = fitted([0.5, 2.0, -3.0], ["up", "up", "down"])
    asked = fit.doubtful([{"x": 0.5}, {"x": -0.5}, {"x": 0.0}])
    assert asked and {"x": 0.5} not in asked


def test_a_panel_that_does_not_follow_is_named(monkeypatch):
    monkeypatch.setattr(reach, "_undrawn", lambda scene, curves: scene)  # then close-ups are all to be fitted
    held_, first = held(labkit.show(lambda x, w: np.tanh(x * w), 0.5, 2.0))
    assert [first["panels"][i]["name"] for i in held_["without"]] == ["slopes"]
