"""A lens over the point of a curve: what lies around it, three steps wide, with the numbers that the format has there."""

from collections.abc import Iterator

import numpy as np

from ...kit.scene import Mark, circle, line, only, path, rect, text
from ...kit.strokes import NOWHERE, polyline
from ...kit.words import counted, number
from .run import RULES, STEPS, Case, stored_around
from .window import BASE, LEFT, REACH, RIGHT, SAMPLES, TOP, Box, Window, at_spots, point_of

LENS = 162.0, 96.0  # px: how large it is
GLASS = 8.0  # px: of the square that it shows larger, and between it and the border


def lens(rules, window: Window) -> Iterator[Mark]:
    """In the corner that is freest, what lies around the point, three steps wide: there the secant is seen at every step."""
    case = next(iter(rules.values()))
    if not np.isfinite(case.fn(case.x)):
        return
    box = _corner(window, case)
    left, right, top, base = box
    windows, across = [Window(case, h, box) for h in STEPS], np.linspace(-REACH, REACH, SAMPLES // 2 + 1)
    x, y = point_of(window, case)
    ends = [(end, side) for end in (left, right) for side in (top, base)]
    yield from (
        line(x, y, *end, "grid") for end in sorted(ends, key=lambda end: abs(np.hypot(end[0] - x, end[1] - y)))[1:3]
    )
    yield rect(x - GLASS / 2, y - GLASS / 2, GLASS, GLASS, "axis", 0)
    yield rect(left, top, right - left, base - top, "cover", 3)
    yield from _stored(case, windows)
    yield path(NOWHERE, "before").following(
        "h", d=[w.curve([(float(t), case.fn(t)) for t in w.x + w.width * across]) for w in windows]
    )
    for rule, of_rule in rules.items():
        both = list(zip(windows, of_rule.quotients, strict=True))
        secant = path(NOWHERE, "vector").following("h", d=[w.straight(q.low, q.value) for w, q in both])
        dots = [at_spots(circle(0, 0, 4, "bar"), [w.spot(getattr(q, end)) for w, q in both]) for end in ("low", "high")]
        yield from only({"rule": [RULES.index(rule)]}, [secant, *dots])
    yield path(NOWHERE, "backvector").following(
        "h", d=[w.straight((case.x, case.fn(case.x)), case.slope) for w in windows]
    )
    at, anchor = (left + 6, "start") if case.slope >= 0 else (right - 6, "end")  # where the line does not go
    yield text(at, top + 14, "", "level", anchor).following("h", text=[f"{number(2 * REACH * h)} wide" for h in STEPS])


def _stored(case: Case, windows) -> Iterator[Mark]:
    """A line at each number that the format has, where they are far enough from each other to be told apart."""
    left, right, top, base = windows[0].box
    found = [stored_around(case, REACH * w.width) for w in windows]
    places = [[w.across(x) for x in xs] for w, xs in zip(windows, found, strict=True)]
    lines = [polyline(end for x in xs for end in ((x, top), (x, base), None)) for xs in places]
    yield path(NOWHERE, "axis").following("h", d=[d or NOWHERE for d in lines])
    said = [f"{counted(len(xs), 'stored number')}" if xs else "" for xs in found]
    at, anchor = (right - 6, "end") if case.slope >= 0 else (left + 6, "start")  # where the line does not go
    yield text(at, base - 6, "", "level", anchor).following("h", text=said)


def _corner(window, case) -> Box:
    """The corner of the window in which least of the curve and its tangent lies."""
    xs = np.linspace(window.x - REACH * window.width, window.x + REACH * window.width, SAMPLES)
    spots = [window.spot((float(x), y)) for x in xs for y in (case.fn(x), case.fn(case.x) + case.slope * (x - case.x))]
    lefts, tops = (LEFT + GLASS, RIGHT - GLASS - LENS[0]), (TOP + GLASS, BASE - GLASS - LENS[1])
    boxes = [(left, left + LENS[0], top, top + LENS[1]) for left in lefts for top in tops]
    inside = [sum(s is not None and b[0] <= s[0] <= b[1] and b[2] <= s[1] <= b[3] for s in spots) for b in boxes]
    return boxes[inside.index(min(inside))]
