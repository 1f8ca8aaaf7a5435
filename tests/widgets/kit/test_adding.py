"""What several dials add up is the same sum in Python and in the page, written alike."""

import random

import javascript
import numpy as np
import pytest

from labkit.widgets.kit.adding import part_of
from labkit.widgets.kit.page import script
from labkit.widgets.kit.scene import Panel, Scene, line, looks, path, text, to_json
from labkit.widgets.kit.words import number

LOOK = script("look.js")
SIZES = {"a": 3, "b": 2}


def in_page(function, *arguments):
    return javascript.call(f"(() => {{ {LOOK}; return {function}; }})()", *arguments)


def test_a_number_is_written_in_the_page_as_in_python():
    draw = random.Random(0)
    values = [
        0.0,
        -0.0,
        1.125,
        2.375,
        -0.5,
        99.95,
        999.5,
        1000.0,
        123456.0,
        1e-4,
        9.9999e-5,
        -3e-9,
        12e20,
        0.1 + 0.2,
        2.5e-5,
    ]
    values += [draw.gauss(0, 1) * 10.0 ** draw.randint(-8, 8) for _ in range(300)] + [k / 32 for k in range(-200, 200)]
    assert in_page("values => values.map((v) => number(v))", values) == [number(v) for v in values]
    assert in_page("() => [NaN, Infinity, -Infinity].map((v) => number(v))") == ["nan", "inf", "−inf"]


def test_parts_are_added_alike_in_python_and_in_the_page():
    draw = random.Random(1)
    marks = []
    for made in (line(0, 4, 7.3, 4, "edge"), path("M1 2L3 4L5 6Z", "head"), text(3, 4, "", "value")):
        for dials in ({"a": 3}, {"b": 2}, SIZES):
            count = int(np.prod(list(dials.values())))
            spots = 2 * (made.at.get("d", "").count("L") + 1)
            if made.tag == "path":
                made = made.adding(dials, d=[[round(draw.gauss(0, 9), 2) for _ in range(spots)] for _ in range(count)])
            else:
                words = [part_of(draw.choice([draw.gauss(0, 9), float("inf"), float("nan")])) for _ in range(count)]
                made = made.adding(dials, x=[draw.gauss(0, 9) for _ in range(count)], text=words)
        marks.append(made)
    states = [{"a": a, "b": b} for a in range(3) for b in range(2)]
    shown = in_page(
        "(marks, states) => marks.map(m => states.map(s => lookOf(m, s)))", [to_json(m) for m in marks], states
    )
    for mark, found in zip(marks, shown, strict=True):
        for state, look in zip(states, found, strict=True):
            at, words, _ = looks(mark, state)
            assert look["text"] == words and look["at"] == {key: at[key] for key in look["at"]}
    assert looks(marks[0], states[0]) != looks(marks[0], states[1]) and "nan" in {looks(marks[2], s)[1] for s in states}


def test_a_part_is_a_number_that_json_has():
    assert [part_of(v) for v in (1, np.float32(0.5), -np.inf)] == [1.0, 0.5, "-Infinity"]
    with pytest.raises(ValueError, match="zip"):
        looks(
            path("M0 0L1 1", "edge").adding({"a": 1}, d=[[1, 2]]).adding({"b": 1}, d=[[1, 2, 3, 4]]), {"a": 0, "b": 0}
        )


def test_of_parts_that_cancel_nothing_is_left_and_a_tie_is_one():
    for parts, words in (
        ([0.1, 0.2, -0.3], "0"),
        ([8.0, 0.525 - 1e-15], number(8.525)),
        ([1e-8, -1e-8, 3e-9], "3e−09"),
    ):
        mark = text(3, 4, "", "value")
        for i, part in enumerate(parts):
            mark = mark.adding({f"d{i}": 1}, text=[part])
        state = {f"d{i}": 0 for i in range(len(parts))}
        assert looks(mark, state)[1] == words
        (shown,) = to_json(Scene("t", "t", [], [Panel("p", "", 9, 9, [mark])]))["panels"][0]["marks"]
        assert in_page("(mark, state) => lookOf(mark, state).text", shown, state) == words
