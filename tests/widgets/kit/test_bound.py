"""A dial that puts others in their places shows what they are."""

import random

import javascript

from labkit.widgets.kit.bound import turned
from labkit.widgets.kit.page import script
from labkit.widgets.kit.scene import Dial, Scene, to_json

PLACES = [str(i) for i in range(6)]
DIALS = [
    Dial("sizes", "Sizes", ["low", "high", "other", "yours"], "choice",
         puts=[{"a": 0, "b": 1}, {"a": 4, "b": 5}, {"a": 2, "b": 2}, {}]),
    Dial("free", "Free", PLACES),
    Dial("a", "A", PLACES, "inside", 0),
    Dial("b", "B", PLACES, "inside", 1),
    Dial("c", "C", PLACES, "inside", 5),
]  # fmt: skip
SCENE = Scene("Bound", "Dials.", DIALS, [])


def test_what_is_put_goes_along_and_what_is_turned_away_says_so():
    assert SCENE.state(sizes="high") == {"sizes": 1, "free": 0, "a": 4, "b": 5, "c": 5}
    assert SCENE.state(free=3) == {**SCENE.start(), "free": 3}
    assert SCENE.state(a=1)["sizes"] == 3 and SCENE.state(a=1, sizes="low")["sizes"] == 3
    assert SCENE.turning(SCENE.state(a=1), {"a": 0})["sizes"] == 0  # it is as it was


def test_the_page_does_the_same():
    draw, states = random.Random(2), [SCENE.start()]
    for _ in range(60):
        wanted = {dial.name: draw.randrange(len(dial.values)) for dial in draw.sample(DIALS, draw.randint(1, 3))}
        states.append(turned(DIALS, states[-1], wanted))
        dials = to_json(SCENE)["dials"]
        code = f"(() => {{ {script('bound.js')}; return turned; }})()"
        assert javascript.call(code, dials, states[-2], wanted) == states[-1]
