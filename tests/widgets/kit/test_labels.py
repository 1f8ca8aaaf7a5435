"""Words beside points stand clear of each other, of lines and of the border."""

import numpy as np
import pytest

from labkit.widgets.kit.labels import BASELINE, HIGH, Label, Line, beside_points

SIZE = (200.0, 150.0)


def boxes(labels, lines=()):
    for label, (x, y) in zip(labels, beside_points(labels, lines, 0, 0, *SIZE), strict=True):
        middle = y - BASELINE
        yield np.array([x - label.wide / 2, middle - HIGH / 2, x + label.wide / 2, middle + HIGH / 2])


@pytest.mark.parametrize("seed", range(20))
def test_words_cover_neither_each_other_nor_their_points_and_stay_inside(seed):
    draw = np.random.default_rng(seed)
    labels = [Label((draw.uniform(0, SIZE[0]), draw.uniform(0, SIZE[1])), draw.uniform(10, 60)) for _ in range(4)]
    lines = [Line([label.spot, label.spot], 8.0) for label in labels]
    found = list(boxes(labels, lines))
    for i, (left, top, right, bottom) in enumerate(found):
        assert left >= 0 and top >= 0 and right <= SIZE[0] and bottom <= SIZE[1]
        assert not any(left < label.spot[0] < right and top < label.spot[1] < bottom for label in labels)
        for other in found[:i]:
            assert right <= other[0] or left >= other[2] or bottom <= other[1] or top >= other[3]


def test_where_there_is_room_words_stand_where_they_are_wanted_near_their_point():
    ((left, top, _, bottom),) = boxes([Label((100.0, 75.0), 30.0, (1.0, 0.0))])
    assert 5 < left - 100 < 16 and top < 75 < bottom
