"""The two panels of the step-size widget: the curve with its secant, and the errors over all steps."""

from collections.abc import Sequence

import numpy as np

from ...kit.scene import Mark, Panel, changes, circle, line, path, px, rect, text
from ...kit.words import number
from .run import NAMES, RULES, STEPS, Case, Quotient

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BASE = 420.0, 336.0, 12.0, 408.0, 56.0, 300.0  # px
SAMPLES = 121
REACH = 1.5  # widths of the window on either side of x
RING = 7.0  # the radius of the mark at the chosen step
NOWHERE = "M0 0"
ANSWER = {"h": {"state": [(0, "answer")]}}  # out of sight while the reader predicts
Point = tuple[float, float]


class Window:
    """A part of the plane around (x, y), `width` in x standing for a third of the panel; places in px."""

    def __init__(self, case: Case, width: float):
        self.x, self.y, self.width = case.x, case.fn(case.x), width
        half = REACH * width
        self.up = abs(case.slope) * half + abs(case.bend) * half**2 / 2 or half

    def across(self, x: float) -> float:
        return (LEFT + RIGHT) / 2 + (x - self.x) / self.width * (RIGHT - LEFT) / (2 * REACH)

    def height(self, y: float) -> float:
        return (TOP + BASE) / 2 - (y - self.y) / self.up * (BASE - TOP) / 2

    def holds(self, point: Point) -> bool:
        """Whether a point of the plane is inside."""
        inside = LEFT - 1 <= self.across(point[0]) <= RIGHT + 1
        return bool(inside and TOP - 1 <= self.height(point[1]) <= BASE + 1)

    def curve(self, points: Sequence[Point]) -> str:
        """A path through the points that are inside; where one is not, it is interrupted."""
        parts, drawing = [], False
        for point, flat in zip(points, _level(points), strict=True):
            inside = self.holds(point)
            if inside and not (drawing and flat):
                place = f"{px(self.across(point[0]))} {px(self.height(point[1]))}"
                parts.append(f"{'L' if drawing else 'M'}{place}")
            drawing = inside
        return "".join(parts) or NOWHERE

    def straight(self, point: Point, slope: float) -> str:
        """The line through a point with a slope, from edge to edge of the window; none without a slope."""
        x, y = self.across(point[0]), self.height(point[1])
        steep = -slope * self.width * 2 * REACH / (RIGHT - LEFT) * (BASE - TOP) / (2 * self.up)  # px per px
        if not np.isfinite([steep, x, y]).all():
            return NOWHERE
        ends = [(LEFT - x, RIGHT - x)]
        if steep:
            low, high = sorted(((TOP - y) / steep, (BASE - y) / steep))
            ends.append((low, high))
        start, end = max(low for low, _ in ends), min(high for _, high in ends)
        if start >= end or not TOP - 1 <= y + steep * start <= BASE + 1:
            return NOWHERE
        return f"M{px(x + start)} {px(y + steep * start)}L{px(x + end)} {px(y + steep * end)}"


def _level(points):
    """Whether each point lies between two of the same height."""
    heights = [y for _, y in points]
    inner = [a == b == c for a, b, c in zip(heights, heights[1:], heights[2:], strict=False)]
    return [False, *inner, False]


# ---- the curve ----


def curve_panel(cases: dict[tuple[str, str], Case]) -> Panel:
    """The curve, its tangent and the secant; dial `zoom`: off, three wide; on, three steps wide."""
    marks: list[Mark] = [rect(LEFT, TOP, RIGHT - LEFT, BASE - TOP, "area")]
    for i, of in enumerate(NAMES):
        for zoom in (0, 1):
            case, where = cases[of, RULES[0]], {"format": [i], "zoom": [zoom]}
            windows = [Window(case, h if zoom else 1.0) for h in STEPS]
            marks.append(_curve(case, windows if zoom else windows[:1], where))
            for j, rule in enumerate(RULES):
                marks += _secant(cases[of, rule], windows, {**where, "rule": [j]})
            marks += _tangent(case, windows, where)
    return Panel("curve", "The curve, its tangent and the secant", WIDTH, HEIGHT, [*marks, *_slopes(cases)])


def _curve(case, windows, where) -> Mark:
    across = np.linspace(-REACH, REACH, SAMPLES)
    curves = [w.curve([(float(x), case.fn(x)) for x in case.x + w.width * across]) for w in windows]
    return path(NOWHERE, "before", when=where, vary={"h": {"d": changes(curves)}})


def _tangent(case, windows, where) -> list[Mark]:
    tangents = changes(w.straight((case.x, w.y), case.slope) for w in windows)
    widths = changes(f"this window is {number(2 * REACH * w.width)} wide" for w in windows)
    return [
        path(NOWHERE, "backvector", when=where, vary={"h": {"d": tangents}}),
        text(RIGHT, BASE + 31, "", "note", "end", when=where, vary={"h": {"text": widths}}),
    ]


def _secant(case: Case, windows: list[Window], where) -> list[Mark]:
    lines, marks = [w.straight(q.low, q.value) for w, q in zip(windows, case.quotients, strict=True)], []
    marks.append(path(NOWHERE, "vector", when=where, vary={"h": {"d": changes(lines)}}))
    for end in ("low", "high"):
        points = [getattr(q, end) for q in case.quotients]
        shown = ["" if w.holds(p) else "hidden" for w, p in zip(windows, points, strict=True)]
        spots = [(w.across(p[0]), w.height(p[1])) if s == "" else (0.0, 0.0)
                 for w, p, s in zip(windows, points, shown, strict=True)]  # fmt: skip
        moves = {"cx": changes(float(px(x)) for x, _ in spots), "cy": changes(float(px(y)) for _, y in spots)}
        marks.append(circle(0, 0, 5, "bar", when=where, vary={"h": {**moves, "state": changes(shown)}}))
        feet = [f"M{px(x)} {px(y)}L{px(x)} {px(BASE)}" if s == "" else NOWHERE
                for (x, y), s in zip(spots, shown, strict=True)]  # fmt: skip
        marks.append(path(NOWHERE, "inkvector", when=where, vary={"h": {"d": changes(feet)}}))
    return [*marks, *_names(case, windows, where)]


def _names(case, windows, where):
    """`x` and `x + h` below the picture, side by side where the two places are one."""
    low = [w.across(q.low[0]) for w, q in zip(windows, case.quotients, strict=True)]
    high = [w.across(q.high[0]) for w, q in zip(windows, case.quotients, strict=True)]
    left = [float(px(min(max(x, LEFT + 36), RIGHT - 50) + 4)) for x in low]
    right = [float(px(min(max(x - 6, a + 14), RIGHT - 40))) for x, a in zip(high, left, strict=True)]
    first = "x" if case.rule == "forward" else "x − h"
    return [
        text(0, BASE + 16, first, "code", "end", when=where, vary={"h": {"x": changes(left)}}),
        text(0, BASE + 16, "x + h", "code", when=where, vary={"h": {"x": changes(right)}}),
    ]


def _slopes(cases) -> list[Mark]:
    """The legend: the slopes of both lines."""
    marks = [line(LEFT, 12, LEFT + 34, 12, "backvector"), line(LEFT, 34, LEFT + 34, 34, "vector")]
    for (of, rule), case in cases.items():
        where = {"format": [NAMES.index(of)], "rule": [RULES.index(rule)]}
        said = [
            f"secant, {rule} difference: slope {digits(q.value)}" if np.isfinite(q.value) else "no secant: not a number"
            for q in case.quotients
        ]
        marks.append(text(LEFT + 42, 16, f"tangent: slope {digits(case.slope)}", "slope", when=where))
        marks.append(text(LEFT + 42, 38, "", "forwardtext", when=where, vary={"h": {"text": changes(said)}}))
    return marks


def digits(value: float, most: int = 7) -> str:
    """A number with at most so many digits, and a true minus sign.

    >>> digits(0.54030230586), digits(-2.0)
    ('0.5403023', '−2')
    """
    return f"{value:.{most}g}".replace("-", "−")


# ---- the errors ----


class Errors:
    """The log-log axes: steps from 1 on the left to the smallest on the right, errors upwards."""

    left, right, top, base = 52.0, 396.0, 30.0, 282.0

    def __init__(self, cases: dict[tuple[str, str], Case]):
        found = [q.error for case in cases.values() for q in case.quotients if np.isfinite(q.error) and q.error > 0]
        powers = np.log10([*found, 1.0])
        self.low, self.high = max(int(np.floor(powers.min())) - 2, -18), min(int(np.ceil(powers.max())) + 1, 5)
        self.relative = all(case.relative for case in cases.values())

    def across(self, h: float) -> float:
        return self.left + np.log10(h) / np.log10(STEPS[-1]) * (self.right - self.left)

    def height(self, error: float) -> float:
        power = np.log10(error) if error > 0 else self.low
        return float(self.base - (np.clip(power, self.low, self.high) - self.low) / (self.high - self.low) * self.tall)

    @property
    def tall(self) -> float:
        return self.base - self.top

    def run(self, errors: Sequence[float]) -> str:
        """A line through the errors of the first steps; interrupted where there is none."""
        known = [bool(np.isfinite(e)) for e in errors]
        places = [f"{px(self.across(h))} {px(self.height(e))}" if k else ""
                  for h, e, k in zip(STEPS, errors, known, strict=False)]  # fmt: skip
        return "".join(f"{'L' if i and known[i - 1] else 'M'}{p}" for i, p in enumerate(places) if p) or NOWHERE

    def guide(self, errors: Sequence[float]) -> str:
        """The part of a falling or rising straight line that lies between the axes."""
        places = [(self.across(h), np.log10(e)) for h, e in zip(STEPS, errors, strict=True) if e > 0]
        inside = [(x, 10.0**power) for x, power in places if self.low <= power <= self.high]
        ends = [inside[0], inside[-1]] if len(inside) > 1 else []
        return "L".join(f"{px(x)} {px(self.height(e))}" for x, e in ends).join(["M", ""]) if ends else NOWHERE


def errors_panel(cases: dict[tuple[str, str], Case]) -> Panel:
    """The error of every step, with what to expect: truncation falls with h, round-off grows."""
    axes = Errors(cases)
    marks = [rect(axes.left, axes.top, axes.right - axes.left, axes.tall, "area"), *_ticks(axes)]
    for (of, rule), case in cases.items():
        i, where = NAMES.index(of), {"rule": [RULES.index(rule)]}
        others = [k for k in range(len(NAMES)) if k != i]
        errors = [q.error for q in case.quotients]
        marks += _other(case, axes, errors, {**where, "format": others})
        marks += _chosen(case, axes, errors, {**where, "format": [i]})
    return Panel("errors", "The error at every h", WIDTH, HEIGHT, marks)


def _ticks(axes) -> list[Mark]:
    marks = []
    for power in range(0, 17, 4):
        x = axes.across(10.0**-power)
        marks += [line(x, axes.top, x, axes.base, "grid")]
        marks.append(text(x, axes.base + 15, number(10.0**-power), "tick", "middle"))
    every = -(-(axes.high - axes.low) // 6)
    for power in range(axes.high - axes.high % every, axes.low - 1, -every):
        y = axes.height(10.0**power)
        marks += [line(axes.left, y, axes.right, y, "grid")]
        marks.append(text(axes.left - RING - 4, y + 4, number(10.0**power), "tick", "end"))
    middle = (axes.left + axes.right) / 2
    marks.append(text(middle, axes.base + 34, "h, smaller to the right →", "note", "middle"))
    return [*marks, text(4, 16, "relative error" if axes.relative else "error", "note")]


def _other(case: Case, axes: Errors, errors: list[float], where) -> list[Mark]:
    return [path(axes.run(errors), "axis", when=where, vary=ANSWER), *_called(case, axes, errors, "note", where)]


def _called(case, axes, errors, role, where) -> list[Mark]:
    """The name of the format where its digits run out: the first error of nearly 1, or the last one."""
    if case.best is None:
        return []
    known = [i for i, e in enumerate(errors) if np.isfinite(e) and i >= case.best]
    at = next((i for i in known if errors[i] > 0.3), known[-1])
    x = min(max(axes.across(STEPS[at]), axes.left + 30), axes.right - 34)
    y = axes.height(max(1.0, *(errors[i] for i in known))) - 9
    return [text(x, y, case.of.name, role, "middle", when=where, vary=ANSWER)]


def _chosen(case: Case, axes: Errors, errors: list[float], where) -> list[Mark]:
    xs = [axes.across(h) for h in STEPS]
    rings = [(x, axes.height(e)) if np.isfinite(e) else None for x, e in zip(xs, errors, strict=True)]
    moves = {
        "cx": changes(float(px(r[0])) if r else 0.0 for r in rings),
        "cy": changes(float(px(r[1])) if r else 0.0 for r in rings),
        "state": changes("" if r else "hidden" for r in rings),
    }
    now = [f"M{px(x)} {px(axes.top)}L{px(x)} {px(axes.base)}" for x in xs]
    sofar = [axes.run(errors[: i + 1]) for i in range(len(STEPS))]
    marks = [path(axes.guide(case.truncation), "backedge", when=where, vary=ANSWER)]
    marks += [path(axes.guide(case.roundoff), "badline", when=where, vary=ANSWER)]
    marks += [path(axes.run(errors), "before", when=where, vary=ANSWER)]
    marks += [circle(r[0], r[1], 2.6, "inkhead", when=where, vary=ANSWER) for r in rings if r]
    marks += [path(NOWHERE, "before", when=where, vary={"h": {"d": changes(sofar)}})]
    marks += [path(NOWHERE, "outline", when=where, vary={"h": {"d": changes(now)}})]
    marks += [circle(0, 0, RING, "vector", when=where, vary={"h": moves})]
    return [*marks, *_named(case, axes, errors, where)]


def _named(case, axes, errors, where) -> list[Mark]:
    y = 16.0
    marks = _called(case, axes, errors, "forwardtext", where)
    marks += [line(100, y - 4, 122, y - 4, "backedge", when=where), line(210, y - 4, 232, y - 4, "badline", when=where)]
    marks += [text(127, y, "truncation", "slope", when=where), text(237, y, "round-off", "badtext", when=where)]
    if case.best is None:
        return marks
    x = min(max(axes.across(STEPS[case.best]), axes.left + 36), axes.right - 36)
    y = min(axes.height(errors[case.best]) + 24, axes.base - 6)
    words = f"best {number(STEPS[case.best])}"
    return [*marks, text(x, y, words, "forwardtext", "middle", when=where, vary=ANSWER)]


def stored_alike(quotient: Quotient) -> bool:
    """Whether the two places of a quotient are one and the same number in the format."""
    return quotient.low[0] == quotient.high[0]
