"""Between two positions of a dial: what moves by itself, what a scene tells, and the same in Python and in the page."""

import random
import re
from math import prod

import javascript
import pytest

from labkit.widgets.kit.joint import key_of
from labkit.widgets.kit.motion import at, between, blend, part, point_on, token
from labkit.widgets.kit.page import script
from labkit.widgets.kit.scene import STEP, Dial, Mark, Motion, Panel, Scene, changes, circle, rect, text, to_json

MOTION = script("motion.js")
PATHS = [
    "M0 0",
    "M1 2L3 4",
    "M1 2L3 4L9 -9.5",
    "M4 4L5 5L6 6Z",
    "M0 0C1 2 3 4 5 6L7 7",
    "M2 9C0 0 0 0 9 9L1.5 0",
    "M1 1M3 3L4 4",
]
TEXTS = ["", "no", "h = 0.5", "h = 12", "−3.25", "+4", "‖5‖ of 3", "‖0.1‖ of 7", "1.5e−09", "2×1 ‖5‖", "conv1", "×(−2)"]
HALF = {"step": 0}, {"step": 1}


def in_page(function, *arguments):
    return javascript.call(f"(() => {{ {MOTION}; return {function}; }})()", *arguments)


def some_mark(draw, dials):
    """A mark with numbers, a path, a text and a state that follow some dials, some at a time of their own."""

    def found(values):
        return {d.name: changes(draw.choice(values) for _ in d.values) for d in dials if draw.random() < 0.7}

    numbers, names = [0, 1.5, -20, 300], ["", "now", "hidden"]
    vary = {
        dial.name: {key: how[dial.name] for key, how in
                    {"x": found(numbers), "opacity": found(numbers), "d": found(PATHS), "text": found(TEXTS),
                     "state": found(names), "fill": found(["none", "red"])}.items() if dial.name in how}
        for dial in dials
    }  # fmt: skip
    if draw.random() < 0.5:  # what follows all dials at once
        sizes = {d.name: len(d.values) for d in dials}
        joint = [draw.choice(numbers) for _ in range(prod(sizes.values()))]
        vary[key_of(sizes)] = {"y": changes(joint), "text": changes(map(str, joint))}
    properties = draw.sample(["x", "d", "text", "state", "appears"], 2)
    moves = [Motion(d.name, key, draw.choice([0, 250]), draw.choice([0, 500]), draw.choice([None, 1])) for key in properties
             for d in dials[:1]]  # fmt: skip
    when = {d.name: [0, 1] for d in dials if draw.random() < 0.2}
    return Mark(
        draw.choice(["text", "rect"]), "plain", {"x": 4, "d": draw.choice(PATHS)}, "words", vary, when, None, moves
    )


def some_token(draw):
    make = draw.choice([lambda **more: circle(1, 2, 3, "bar", **more), lambda **more: text(0, 4, "1", **more)])
    start, length = draw.choice([0, 130.0]), draw.choice([300, 600.0])
    along = Motion(
        "a", "along", start, length, draw.choice([1, 2]), *draw.choice([(0, 1), (1, 0)]), draw.choice(PATHS[1:])
    )
    words = Motion("a", "text", start + 200, draw.choice([0, 50]), along.position, *draw.sample(TEXTS, 2))
    return make(moves=[along, words])


def close(page, python):
    """The same, but for the last digit that is drawn."""
    if isinstance(python, str) and re.search(r"\d", python):
        pattern = r"\d+(?:\.\d+)?"
        numbers = [list(map(float, re.findall(pattern, words))) for words in (page, python)]
        return re.split(pattern, page) == re.split(pattern, python) and numbers[0] == pytest.approx(
            numbers[1], abs=0.11
        )
    return page == (python if isinstance(python, str) else pytest.approx(python, abs=0.006))


def same(page, python):
    return page.keys() == python.keys() and all(close(page[key], python[key]) for key in python)


def test_python_and_the_page_move_alike():
    draw, times = random.Random(1), [0.0, 0.1, 0.25, 0.4, 0.6, 0.9, 1.0]
    dials = [Dial("a", "", ["0", "1", "2"]), Dial("b", "", ["0", "1"])]
    marks, tokens = [some_mark(draw, dials) for _ in range(40)], [some_token(draw) for _ in range(30)]
    scene = Scene("", "", dials, [Panel("p", "", 10, 10, marks, tokens=tokens)])
    ways = [
        ("a", {"a": 0, "b": 1}, {"a": 1, "b": 1}),
        ("a", {"a": 2, "b": 0}, {"a": 1, "b": 0}),
        ("b", {"a": 1, "b": 0}, {"a": 1, "b": 1}),
    ]
    shown = in_page(
        """(panel, ways, times) => ways.map(([dial, before, after]) => times.map(p => [
            panel.marks.map(mark => (between(mark, dial, before, after) || (() => lookOf(mark, after)))(p)),
            panel.tokens.map(mark => token(mark, dial, after[dial], p))]))""",
        to_json(scene)["panels"][0], ways, times,
    )  # fmt: skip
    seen = 0
    for (dial, before, after), of_way in zip(ways, shown, strict=True):
        for p, (of_marks, of_tokens) in zip(times, of_way, strict=True):
            for mark, look in zip(marks, of_marks, strict=True):
                attributes, words, name = between(mark, dial, before, after)(p)
                assert look["name"] == name and same({**mark.at, **(look["at"] or {})}, attributes), (mark, p)
                assert close(look["text"], words), (mark, p)
            for mark, look in zip(tokens, of_tokens, strict=True):
                found, seen = token(mark, dial, after[dial], p), seen + (look is not None)
                assert (look is None) == (found is None)
                assert found is None or (same(look["at"], found[0]) and close(look["text"], found[1])), (mark, p)
    assert seen > 20


def test_at_its_ends_a_way_is_what_is_seen_there():
    draw, dial = random.Random(2), Dial("a", "", ["0", "1"])
    for mark in [some_mark(draw, [dial]) for _ in range(40)]:
        way, back = between(mark, "a", {"a": 0}, {"a": 1}), between(mark, "a", {"a": 1}, {"a": 0})
        if "hidden" not in (way(0)[2], way(1)[2]):
            assert (way(0), way(1)) == (back(1), back(0))


def test_what_is_said_goes_with_the_sentence_whichever_way_a_step_is_played():
    mark = text(0, 0, "", vary={"step": {"x": [(0, 0), (1, 90)], "text": [(0, "12.9%"), (1, "15.2%")],
                                         "opacity": [(0, 0.2), (1, 1.0)], "state": [(0, "now"), (1, "")]}})  # fmt: skip
    late = mark.moving("step", 500, 0, "text")
    seen = [between(mark, "step", *HALF)(p) for p in (1e-6, 0.5, 1)]
    assert [(words, name, look["opacity"]) for look, words, name in seen] == [("15.2%", "", 1.0)] * 3
    assert seen[1][0]["x"] == 45
    assert [between(late, "step", *HALF)(p)[1] for p in (0.4, 0.6)] == ["12.9%", "15.2%"]
    (panel,) = to_json(Scene("", "", [], [Panel("p", "", 1, 1, [mark])]))["panels"]
    function = "(mark, states, times) => times.map(p => between(mark, 'step', ...states, true)(p))"
    backwards = in_page(function, panel["marks"][0], HALF, [1 - 1e-6, 0.5])
    assert [(look["text"], look["name"], look["at"]["opacity"]) for look in backwards] == [("12.9%", "now", 0.2)] * 2
    assert backwards[1]["at"]["x"] == 45


def test_what_appears_late_disappears_at_once():
    vary = {"step": {"state": [(0, "hidden"), (1, "")]}}
    mark = rect(0, 0, 5, 5, "bar", vary=vary).moving("step", 500, 0, "appears")
    assert [between(mark, "step", *HALF)(p)[2] for p in (0.4, 0.6)] == ["hidden", ""]
    assert between(mark, "step", *HALF[::-1])(0.1)[2] == "hidden"


def test_what_is_not_seen_at_one_end_stays_where_it_is_seen():
    mark = rect(0, 0, 5, 5, "bar", vary={"step": {"x": [(0, 0), (1, 90)], "state": [(0, "hidden"), (1, "")]}})
    assert [between(mark, "step", *HALF)(p) for p in (0, 0.1, 1)] == [
        ({**mark.at, "x": 90}, "", name) for name in ("hidden", "", "")
    ]


@pytest.mark.parametrize(
    "a, b, half",
    [("M0 0L2 0", "M0 4L2 8", "M0 2L2 4"), ("M1 1", "M1 1L3 5", "M1 1L2 3"), ("M1 1L3 5", "M1 1", "M1 1L2 3"),
     ("M0 0", "M5 5L6 6", "M5 5L6 6"), ("M0 0L1 1Z", "M0 0L1 1ZL3 3", "M0 0L1 1ZL3 3"),
     ("M0 0C1 1 1 1 2 2", "M0 0L2 2", "M0 0L2 2")],
)  # fmt: skip
def test_paths_of_one_form_move_and_grow_and_others_change(a, b, half):
    assert blend("d", a, b)(0.5) == half


def test_a_way_never_goes_back_and_is_halfway_at_half():
    ways = [part(k / 50, 100, 600) for k in range(51)]
    assert ways == sorted(ways) and (ways[0], ways[-1]) == (0, 1) and part(0.4, 100, 600) == 0.5


def test_a_point_on_a_path_is_at_its_part_of_the_length():
    assert point_on("M0 0L10 0L10 30", 0.5) == (10, 10)
    x, y = point_on("M0 0C5 0 5 10 10 10", 0.5)
    assert (x, y) == pytest.approx((5, 5)) and point_on("M3 4", 0.7) == (3, 4)


def test_a_token_is_seen_only_while_it_moves():
    going = Motion("step", "along", 200, 400, 1, 0.0, 1.0, "M10 10L30 10")
    words = Motion("step", "text", 400, 0, 1, "1", "6")
    mark = text(0, 4, "1", "tokentext", moves=[going, words])
    panel = Panel("p", "", 40, 20, [], tokens=[mark])
    seen = {t: [(look["x"], look["y"], said) for _, look, said, _ in at(panel, {"step": 0}, "step", t / STEP)]
            for t in (0, 200, 400, 401, 600, 1000)}  # fmt: skip
    assert seen == {
        0: [],
        200: [],
        400: [(20, 14, "1")],
        401: [(pytest.approx(20, abs=0.2), 14, "6")],
        600: [],
        1000: [],
    }
    assert list(at(panel, {"step": 1}, "step", 0.4)) == []


def test_a_whole_play_takes_some_seconds_however_many_positions_there_are():
    pace = "(count) => new Playing({}).pace({values: Array(count)})"
    code = f"(() => {{ {script('playing.js')}; return {pace}; }})()"
    whole = {count: javascript.call(code, count) * (count - 1) for count in (2, 10, 31, 300)}
    assert whole == {2: 4000, 10: 9900, 31: 12000, 300: pytest.approx(12000)}
