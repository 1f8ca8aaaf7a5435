"""A small array is drawn with all its numbers in few marks; what is too large, or not known, by its shape."""

import re

import numpy as np
import pytest

from labkit.widgets.kit.arrays import CELL, DOT, MOST_ROWS, ROW, Tiles, written


def marks(value, **more):
    return list(Tiles("w", value, np.shape(value), **more).marks(10, 20))


def bars(found, role):
    """The places of tiles: where each stroke begins, followed from one to the next."""
    for mark in found:
        if mark.role == role:
            x, y = map(float, re.match(r"M(\S+) ([^m]+)", mark.at["d"]).groups())
            for dx, dy, long in re.findall(r"m(\S+) ([^h]+)h([^m]+)", mark.at["d"]):
                x, y = x + float(dx), y + float(dy)
                yield round(x), round(y)
                x += float(long)


def test_each_number_has_its_tile_by_its_sign_and_is_written():
    value = np.array([[1.0, -2.0, 0.0], [0.5, np.nan, 4.0]])
    found = marks(value)
    columns = {role: sorted((y, x) for x, y in bars(found, role)) for role in ("tiles", "backtiles", "badtiles")}
    assert [len(places) for places in columns.values()] == [3, 1, 1]
    (y, x), *_ = columns["tiles"]
    assert (columns["tiles"][2][0] - y, columns["tiles"][2][1] - x) == (ROW, 2 * CELL)
    assert [mark.text.split() for mark in found if "textLength" in mark.at] == [
        ["1.00", "−2.00", "0"],
        ["0.50", "nan", "4.00"],
    ]


def test_of_many_numbers_there_are_tiles_alone_and_of_more_the_shape():
    few, many = marks(np.ones((MOST_ROWS, 3))), marks(np.ones((MOST_ROWS + 1, 3)))
    assert len(list(bars(few, "tiles"))) == 3 * MOST_ROWS and not any("textLength" in mark.at for mark in few)
    assert Tiles("w", np.ones((4, 3)), words=False).size == (3 * DOT, 4 * DOT)
    assert not list(bars(many, "tiles")) and any(mark.text == "17×3 ‖7.14‖" for mark in many)
    assert [m.text for m in Tiles("w", None, (2, 3)).marks(0, 0) if m.tag == "text"] == ["w", "2×3", "not kept"]


def test_a_single_number_is_written_as_everywhere():
    assert [mark.text for mark in marks(np.array(-0.12345)) if mark.tag == "text"] == ["w", "−0.123"]


def test_the_power_of_ten_is_told():
    assert Tiles("w", np.array([[0.001, 0.002]])).told == "1×2 ‖0.00224‖, in 10⁻³"


@pytest.mark.parametrize("reach", [1e-300, 1e-7, 0.02, 0.5, 7.0, 99.99, 999.9, 1e5, 1e300])
def test_numbers_are_short_and_right_to_what_is_written(reach):
    rows = np.array([[reach, -reach, 0.6 * reach]])
    words, power = written(rows)
    assert all(len(word) <= 5 for word in words[0])
    said = [float(word.replace("−", "-")) * 10.0**power for word in words[0]]
    assert said == pytest.approx(rows[0], abs=0.06 * reach)
