"""What is in sight of a panel is found by its place: all of it, nothing else, in the order in which it is painted."""

import random

import javascript

from labkit.widgets.kit.page import script
from labkit.widgets.kit.scene import circle, line, path, rect, text, to_json

CULLING = script("culling.js")


def in_page(function, *arguments):
    return javascript.call(f"(() => {{ {CULLING}; return {function}; }})()", *arguments)


def test_the_index_finds_what_a_look_at_every_mark_finds():
    draw = random.Random(1)

    def spot():
        return draw.uniform(0, 9000), draw.uniform(0, 5000)

    marks = [rect(*spot(), draw.choice([3, 80, 6000]), draw.choice([3, 40, 4000]), "op") for _ in range(400)]
    marks += [line(*spot(), *spot(), "edge") for _ in range(200)] + [text(*spot(), "words", "name") for _ in range(200)]
    draw.shuffle(marks)
    looks = [([x, y, x + w, y + w], scale) for (x, y), w, scale in
             ((spot(), draw.choice([300, 3000]), draw.choice([0.05, 0.5, 1.0])) for _ in range(40))]  # fmt: skip
    found = in_page(
        """(marks, near, looks) => {
          const places = new Places(marks.map((mark, i) => ({mark, i})), near);
          const inside = ([left, top, right, bottom], scale, i) => {
            const box = places.boxes[i], [from, below] = places.scales[i];
            return box[0] <= right && box[2] >= left && box[1] <= bottom && box[3] >= top && from <= scale && scale < below;
          };
          return looks.map(([box, scale]) => [places.within(box, scale).map(item => item.i),
            marks.map((_, i) => i).filter(i => inside(box, scale, i))]);
        }""",
        [to_json(mark) for mark in marks], 0.1, looks,
    )  # fmt: skip
    assert all(indexed == seen for indexed, seen in found)
    assert any(indexed for indexed, _ in found) and not any(
        seen for (_, seen), (_, scale) in zip(found, looks) if scale < 0.1
    )


def test_where_marks_are():
    moving = circle(5, 5, 2, "bar").following("step", cx=[1.0, 90.0])
    boxes = in_page(
        "marks => marks.map(mark => extentOf(mark).map(String))",
        [
            to_json(m)
            for m in (rect(1, 2, 10, 20, "op"), circle(5, 5, 2, "bar"), path("M 0 -5 L 7.5 9", "edge"), moving)
        ],
    )
    assert [[float(side) for side in box] for box in boxes] == [
        [1, 2, 11, 22], [3, 3, 7, 7], [0, -5, 7.5, 9], [float("-inf")] * 2 + [float("inf")] * 2
    ]  # fmt: skip


def test_marks_are_drawn_at_their_own_scales_or_at_those_of_their_panel_and_texts_where_they_can_be_read():
    marks = [
        rect(0, 0, 90, 40, "op"),
        rect(0, 0, 90, 40, "cover", scale=(0.0, 0.3)),
        text(0, 0, "0.5", "value"),
        text(0, 0, "tanh", "name"),
    ]
    ranges = in_page(
        "marks => marks.map(mark => scalesOf(mark, extentOf(mark), 0.3).map(Number))", [to_json(mark) for mark in marks]
    )
    (op, _), (_, below), (value, _), (name, _) = ranges
    assert op == 0.3 and below == 0.3 and op < name < value
