"""What is drawn is what the data say, in every widget at every position of its dials; the marks are read back.

Bars are compared with the numbers at their ends; points, and the vertices of paths, with what they stand for, by the words
and places of the ticks alone. Some widgets in every run, all of them with `-m live`.
"""

import re
from math import log10

import pytest
import widget_examples
from numpy import linspace

from labkit.widgets.kit.axes import Axis
from labkit.widgets.kit.scene import Panel, circle, holds, path
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.kit.strokes import NOWHERE, Drawn, Placed, numbers
from labkit.widgets.kit.words import briefly

FEW = ("landscape",)
READ = ("landscape",)  # have axes
BARS = ("bar", "backbar", "savedbar", "leafbar", "badbar", "outline")
WIDGETS = [pytest.param(n, marks=() if n in FEW else pytest.mark.live) for n in widget_examples.EXAMPLES]


def positions(scene):
    """Every dial at each of its positions (of long ones some), the others as at first and as at last."""
    last = {dial.name: len(dial.values) - 1 for dial in scene.dials}
    for others in (scene.start(), last):
        for dial in scene.dials:
            for place in {round(p) for p in linspace(0, last[dial.name], 25)}:
                yield {**others, dial.name: place}


def seen(scene):
    """`(panel, its visible marks)` at every position."""
    for state in positions(scene):
        for panel in scene.panels:
            if holds(panel.when, state):
                yield panel, list(visible_marks(panel, state))


def number(words):
    """The number that a text is, or None."""
    found = re.fullmatch(r"−?[\d,]*\.?\d+", words)
    return found and float(found[0].replace("−", "-").replace(",", ""))


def beside(bar, marks):
    """The number that stands at the end of a bar, or None."""
    end, top, bottom = bar["x"] + bar["width"], bar["y"], bar["y"] + bar["height"]
    texts = [(at, words) for mark, at, words, _ in marks if mark.tag == "text" and mark.at["text-anchor"] == "start"]
    near = [number(words) for at, words in texts if 0 <= at["x"] - end <= 12 and top <= at["y"] - 2 <= bottom + 2]
    return next((n for n in near if n is not None), None)


@pytest.mark.parametrize("name", WIDGETS)
def test_a_bar_is_as_long_as_the_number_at_its_end(name):
    """In each panel one length stands for one, at every position, by what begins at one place."""
    scales = {}
    for panel, marks in seen(widget_examples.made(name).scene):
        for mark, at, _, _ in marks:
            if mark.tag == "rect" and mark.role in BARS and (value := beside(at, marks)):
                scales.setdefault((panel.name, mark.role, at["x"]), set()).add(at["width"] / value)
    for where, found in scales.items():
        assert max(found) <= min(found) * 1.01 + 0.02, where


# ---- points and paths, read by their ticks ----

PLAIN = ("grid", "axis", "area", "outline", "veil", "row")  # of the ground, or pointing at something
ROUNDED = 0.006  # of a number that is written with three digits
ARROWS = "←→↑↓"
SIGN = 4.0  # px that a sign may stand beside what it points at


def tick(words):
    """The number that a tick says."""
    try:
        return float(words.replace("−", "-").replace(",", ""))
    except ValueError:
        return None


class Ruler:
    """An axis as its ticks show it: `(level, px)` of two that are far apart; of a logarithmic one levels are powers of ten."""

    def __init__(self, axis, ticks):
        self.axis = axis
        found = sorted({(self.level(value), px) for value, px in ticks})
        self.low, self.high = found[0], found[-1]
        self.known = self.low[0] < self.high[0]

    def level(self, value):
        return log10(value) if self.axis.log else value

    def place(self, value):
        """Where a value belongs, px."""
        (a, start), (b, end) = self.low, self.high
        return start + (self.level(value) - a) / (b - a) * (end - start)

    @property
    def px_off(self):
        """px by which a place may be off: places are written to a tenth, and between far ticks that grows."""
        reach = abs(self.axis.end - self.axis.start) / abs(self.high[1] - self.low[1])
        return 0.11 + 0.1 * reach


def rulers(marks):
    """`{(axis, "x" or "y"): Ruler}` of the axes whose ticks are seen: numbers in one row, or one column. Each says the number
    that it stands for; where numbers are one wide, all may stand in their middle."""
    rows = {}
    for mark, at, words, _ in marks:
        for way, other in ("xy", "yx"):
            place = at.get(way)
            if mark.role == "tick" and isinstance(place, Placed) and (said := tick(words)) is not None:
                rows.setdefault((place.axis, way, at[other]), []).append((said, place))
    made, others = {}, {}
    for (axis, way, _), ticks in rows.items():
        if len(ticks) > 1:
            middle = next(
                (m for m in (0.0, 0.5, -0.5) if all(_near(said + m, place.value) for said, place in ticks)), None
            )
            if middle is None:
                others[axis, way] = [(said, place.value) for said, place in ticks]
            else:
                made[axis, way] = Ruler(axis, [(said + middle, float(place)) for said, place in ticks])
    assert others.keys() <= made.keys(), others  # such as the heights of contour lines, beside the ticks of their axes
    return {key: ruler for key, ruler in made.items() if ruler.known}


def _near(said, value):
    return said == pytest.approx(value, rel=ROUNDED, abs=1e-12)


def vertices(mark, at):
    """The points of a circle or a path as `(x, y)`; those of a path are those that are written, or the middle of a sign."""
    if mark.tag == "circle":
        return [(at["cx"], at["cy"])]
    d = at.get("d")
    if not isinstance(d, Drawn):
        return []
    written = numbers(d)
    pairs = list(zip(written[::2], written[1::2], strict=True))
    if d.endswith("Z"):
        for axis, middle in enumerate(d.points[0]):
            side = [pair[axis] for pair in pairs]
            assert min(side) - SIGN <= middle <= max(side) + SIGN, d
        return d.points
    assert d == NOWHERE or all(abs(a - b) < 0.06 for p, q in zip(pairs, d.points, strict=True) for a, b in zip(p, q)), d
    return d.points


def read_back(panel, marks):
    """How many places of a panel were read by its ticks and found where they belong."""
    known, read = rulers(marks), 0
    arrows = [at for _, at, words, _ in marks if words and words[-1] in ARROWS]
    for mark, at, _, _ in marks if known else ():
        for point in vertices(mark, at):
            for way, place in zip("xy", point, strict=True):
                ruler = known.get((getattr(place, "axis", None), way))
                if ruler is None:
                    continue
                if ruler.axis.holds(place.value):
                    off = abs(ruler.place(place.value) - place)
                    assert off <= ruler.px_off, (panel.name, mark.role, place.value, float(place))
                    read += 1
                else:  # what is beyond the end stands there with a sign of that
                    near = [a for a in arrows if abs(a["x"] - point[0]) < 24 and abs(a["y"] - point[1]) < 24]
                    assert near, f"{panel.name}: {mark.role} at {place.value} is drawn at the end of its axis"
    return read


@pytest.mark.parametrize("name", WIDGETS)
def test_a_point_and_every_vertex_stand_where_the_ticks_have_the_number_that_they_stand_for(name):
    read = sum(read_back(panel, marks) for panel, marks in seen(widget_examples.made(name).scene))
    assert read > 30 or name not in READ


def test_what_stands_elsewhere_is_noticed():
    axis = Axis(0, 4, 10.0, 110.0)
    ticks = [*axis.below(90, [0, 1, 2, 3, 4])]

    def read(*marks):
        panel = Panel("p", "", 120, 100, [*ticks, *marks])
        return read_back(panel, list(visible_marks(panel, {})))

    assert read(circle(axis(1.5), 5, 3, "bar"), path([(axis(0.5), 2), (axis(3.0), 8)], "edge")) == 3
    for wrong in (
        circle(Placed(axis(2.0), 3.0, axis), 5, 3, "bar"),  # another number's place
        path([(axis(0.5), 2), (axis(7.0), 8)], "edge"),  # at the end of the axis, without a sign
        path(Drawn("M10 2L20 8", [(axis(0.0), 2.0), (axis(2.0), 8.0)]), "edge"),  # not what is written
        axis.below(90, [1.0], name=lambda value: "2").__next__(),  # a tick that says another number
    ):
        with pytest.raises(AssertionError):
            read(wrong)


@pytest.mark.parametrize("name", WIDGETS)
def test_no_point_stands_between_ticks_without_a_number(name):
    """Within a plot, that is between the ends of its axes, circles and paths are of data, or of the ground."""
    for panel, marks in seen(widget_examples.made(name).scene):
        known = rulers(marks)
        ways = {way for _, way in known}
        for mark, at, _, state in marks:
            if mark.role in PLAIN or state == "pending":
                continue
            for point in vertices(mark, at):
                inside = [axis for axis, way in known if _between(axis, point["xy".index(way)])]
                if ways == {"x", "y"} and {way for axis, way in known if axis in inside} == ways:
                    loose = [way for way, place in zip("xy", point, strict=True) if not isinstance(place, Placed)]
                    assert not loose, (panel.name, mark.tag, mark.role, at)


def _between(axis, px):
    low, high = sorted((axis.start, axis.end))
    return low + 0.5 < px < high - 0.5


@pytest.mark.parametrize("name", WIDGETS)
def test_nothing_is_drawn_without_a_place_or_a_size(name):
    for panel, marks in seen(widget_examples.made(name).scene):
        for mark, at, _, _ in marks:
            sizes = [at[key] for key in ("width", "height", "r") if key in at]
            assert all(size > 0 for size in sizes), (panel.name, mark)
            assert "nan" not in str(at) and "inf" not in str(at).replace("inference", ""), (panel.name, mark)


MORE = ("demo", "wrong_engines")  # tell details under "more"
LABS = [w for w in WIDGETS if w.values[0] not in MORE]


@pytest.mark.parametrize("name", LABS)
def test_a_lab_says_at_once_all_that_it_has_to_say(name):
    scene = widget_examples.made(name).scene
    assert not [words for state in positions(scene) if (words := briefly(scene.caption(state))[1])]
