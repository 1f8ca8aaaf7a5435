"""The two panels of the step-size widget: the curve with its secant, and the errors over all steps."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...kit.axes import Axis
from ...kit.grips import Along, Grip
from ...kit.labels import Label, Line, beside_points
from ...kit.scene import Mark, Panel, When, circle, line, only, path, rect, text, width_of
from ...kit.strokes import NOWHERE, Point, polygon
from ...kit.words import minus, number
from .lens import lens
from .run import NAMES, RULES, STEPS, Case, Quotient
from .window import BASE, HEIGHT, LEFT, REACH, RIGHT, SAMPLES, TOP, WIDTH, Window, at_spots, point_of

APART = 4.0  # px from x to x + h, where these can still be told apart
BESIDE = 8.0  # px between two names
RING = 7.0  # the radius of the mark at the chosen step
DOT = [(0, -3), (3, 0), (0, 3), (-3, 0)]  # px, of a diamond at every step
Cases = Mapping[tuple[str, str], Case]


# ---- the curve ----


@dataclass(frozen=True)
class Shown:
    """What is seen at a position of dial `x`, `at`; None: at each. `zooms`: positions of dial `zoom` that are told apart there.
    `asked`: whether there are questions, so that the curve of errors is seen only as far as it was come."""

    cases: Cases
    at: int | None
    zooms: Sequence[int] = ()
    asked: bool = False

    @property
    def when(self) -> When:
        return {} if self.at is None else {"x": [self.at]}


def curve_panel(shown: Sequence[Shown], frame: Cases, count: int) -> tuple[Panel, list[Grip]]:
    """The curve, its tangent and the secant; dial `zoom`: off, three wide around the case of `frame`; on, three steps wide.
    And what can be dragged: the point x, to `count` places, and x + h where it is not zoomed."""
    marks: list[Mark] = [rect(LEFT, TOP, RIGHT - LEFT, BASE - TOP, "area")]
    grips: list[Grip] = []
    for of in dict.fromkeys(of for of, _ in shown[0].cases):
        window = Window(frame[of, RULES[0]], 1.0)
        spots = [point_of(window, one.cases[of, RULES[0]]) for one in shown]
        for one, zoom in [(each, zoom) for each in shown for zoom in each.zooms or (None,)]:
            rules = {rule: case for (name, rule), case in one.cases.items() if name == of}
            windows = [Window(next(iter(rules.values())), h) for h in STEPS] if zoom else [window] * len(STEPS)
            when = {**one.when, "format": [NAMES.index(of)], **({} if zoom is None else {"zoom": [zoom]})}
            marks += only(when, _lines(rules, windows, windows if zoom else windows[:1]))
            if zoom == 0:
                marks += only(when, lens(rules, window))
            if not zoom:
                grips += only(when, _held(rules, window, spots if len(spots) == count else spots * count))
    for one in shown:
        marks += only(one.when, _slopes(one.cases))
    marks += [line(LEFT, 12, LEFT + 34, 12, "backvector"), line(LEFT, 34, LEFT + 34, 34, "vector")]
    return Panel("curve", "The curve, its tangent and the secant: drag x", WIDTH, HEIGHT, marks), grips


def _held(rules, window, spots) -> Iterator[Grip]:
    """The point x; and the other end of the secant, for as long as both are apart."""
    across = Along("x", window.x - REACH, window.x + REACH, LEFT, RIGHT)
    yield Grip("x", "curve", "The point x", "x", spots, "x", free={"x": across}, moves="x")
    for rule, case in rules.items():
        spot, ends = point_of(window, case), [window.spot(q.high) for q in case.quotients]
        places = [
            end or (min(window.across(q.high[0]), RIGHT - APART), BASE)
            for end, q in zip(ends, case.quotients, strict=True)
        ]
        apart = [i for i, (x, _) in enumerate(places) if x - spot[0] > APART] or [0]
        held = [place if i in apart or i == apart[-1] + 1 else None for i, place in enumerate(places)]
        yield Grip("h", "curve", "x + h", "h", held, "x", when={"rule": [RULES.index(rule)]})


def _lines(rules, windows, different) -> Iterator[Mark]:
    """In one format and zoom: the curve, the secants of the rules, the tangent. `different`: windows that show another curve."""
    case = next(iter(rules.values()))
    across = np.linspace(-REACH, REACH, SAMPLES)
    curves = [w.curve([(float(x), case.fn(x)) for x in w.x + w.width * across]) for w in different]
    yield path(NOWHERE, "before").following("h", d=curves)
    for rule, of_rule in rules.items():
        yield from only({"rule": [RULES.index(rule)]}, _secant(of_rule, windows))
    tangents = [w.straight((case.x, case.fn(case.x)), case.slope) for w in windows]
    yield path(NOWHERE, "backvector").following("h", d=tangents)
    widths = [f"this window is {number(2 * REACH * w.width)} wide" for w in windows]
    yield text(RIGHT, BASE + 31, "", "note", "end").following("h", text=widths)


def _secant(case: Case, windows: list[Window]) -> Iterator[Mark]:
    both = list(zip(windows, case.quotients, strict=True))
    yield path(NOWHERE, "vector").following("h", d=[w.straight(q.low, q.value) for w, q in both])
    for end in ("low", "high"):
        spots = [w.spot(getattr(q, end)) for w, q in both]
        yield at_spots(circle(0, 0, 5, "bar", link="x" if end == "low" and case.rule == RULES[0] else None), spots)
        feet = [[spot, (spot[0], BASE)] if spot else NOWHERE for spot in spots]
        yield path(NOWHERE, "inkvector").following("h", d=feet)
    low, high = ([w.across(getattr(q, end)[0]) for w, q in both] for end in ("low", "high"))
    first, second = (
        "x" if case.rule == "forward" else "x − h",
        "x + h",
    )  # below, beside each other where both places are one
    half, other = (width_of(words, 12, mono=True) / 2 for words in (first, second))
    left = [min(max(x, LEFT + half), RIGHT - half - 2 * other - BESIDE) for x in low]
    right = [min(max(x, a + half + other + BESIDE), RIGHT - other) for x, a in zip(high, left, strict=True)]
    one = [stored_alike(q) for q in case.quotients]
    alike = f"{first} = {second}, as stored"
    wide = width_of(alike, 12, mono=True) / 2
    together = [min(max(x, LEFT + wide), RIGHT - wide) for x in low]
    xs, said = zip(
        *((b, alike) if same else (a, first) for same, a, b in zip(one, left, together, strict=True)), strict=True
    )
    yield text(0, BASE + 16, "", "code", "middle").following("h", x=xs, text=said)
    hidden = ["hidden" if same else "" for same in one]
    yield text(0, BASE + 16, second, "code", "middle").following("h", x=right, state=hidden)


def _slopes(cases) -> Iterator[Mark]:
    """The legend: the slopes of both lines."""
    for (of, rule), case in cases.items():
        when = {"format": [NAMES.index(of)], "rule": [RULES.index(rule)]}
        said = [
            f"secant, {rule} difference: slope {digits(q.value)}" if np.isfinite(q.value) else "no secant: not a number"
            for q in case.quotients
        ]
        yield text(LEFT + 42, 16, f"tangent: slope {digits(case.slope)}", "slope", when=when)
        yield text(LEFT + 42, 38, "", "forwardtext", when=when).following("h", text=said)


def digits(value: float, most: int = 7) -> str:
    """A number with at most so many digits, and a true minus sign.

    >>> digits(0.54030230586), digits(-2.0)
    ('0.5403023', '−2')
    """
    return minus(f"{value:.{most}g}")


# ---- the errors ----


@dataclass(frozen=True)
class Errors:
    """The log-log axes: steps from 1 on the left to the smallest on the right, errors upwards."""

    across: Axis
    up: Axis
    relative: bool
    left, right, top, base = 52.0, 396.0, 30.0, 282.0

    @classmethod
    def of(cls, cases: Cases) -> "Errors":
        """Axes that have room for the errors of all cases."""
        found = [q.error for case in cases.values() for q in case.quotients if np.isfinite(q.error) and q.error > 0]
        powers = np.log10([*found, 1.0])
        low, high = max(int(np.floor(powers.min())) - 2, -18), min(int(np.ceil(powers.max())) + 1, 5)
        across = Axis(np.log10(STEPS[-1]), 0, cls.right, cls.left, log=True)
        return cls(across, Axis(low, high, cls.base, cls.top, log=True), all(case.relative for case in cases.values()))

    def spots(self, errors: Sequence[float]) -> list[Point | None]:
        """Where the errors of the first steps stand; None where there is none."""
        return [(self.across(h), self.up(e)) if np.isfinite(e) else None for h, e in zip(STEPS, errors, strict=False)]

    def guide(self, errors: Sequence[float]) -> list[Point]:
        """The part of a falling or rising straight line that lies between the axes."""
        inside = [
            (self.across(h), self.up(e)) for h, e in zip(STEPS, errors, strict=True) if e > 0 and self.up.holds(e)
        ]
        return [inside[0], inside[-1]] if len(inside) > 1 else []


def errors_panel(shown: Sequence[Shown], axes: "Errors") -> tuple[Panel, list[Grip]]:
    """The error of every step, with what to expect: truncation falls with h, round-off grows. And the step that is dragged."""
    marks = [rect(axes.left, axes.top, axes.right - axes.left, axes.base - axes.top, "area"), *_ticks(axes)]
    grips: list[Grip] = []
    area = (axes.left, axes.top, axes.right - axes.left, axes.base - axes.top)
    for one in shown:
        for (of, rule), case in one.cases.items():
            i, where = NAMES.index(of), {**one.when, "rule": [RULES.index(rule)]}
            others = [k for k in range(len(NAMES)) if k != i]
            spots = axes.spots([q.error for q in case.quotients])
            other = [path(spots, "axis").answering("h"), *_format_name(case, axes, spots, "level")]
            marks += only({**where, "format": others}, other)
            marks += only({**where, "format": [i]}, _error_curve(case, axes, spots, one.asked))
            held = [spot or (axes.across(h), axes.base) for h, spot in zip(STEPS, spots, strict=True)]
            where["format"] = [i]
            grips.append(
                Grip("error", "errors", "The step h", "h", held, "x", when=where, area=area, bare=True, jumps=True)
            )
    return Panel("errors", "The error at every h: drag the step", WIDTH, HEIGHT, marks), grips


def _ticks(axes) -> Iterator[Mark]:
    steps = [10.0**-power for power in range(0, 17, 4)]
    yield from axes.across.below(axes.base + 15, steps, grid=(axes.top, axes.base))
    low, high = axes.up.low, axes.up.high
    every = -(-(high - low) // 6)
    powers = [10.0**power for power in range(high - high % every, low - 1, -every)]
    yield from axes.up.beside(axes.left - RING - 4, powers, grid=(axes.left, axes.right))
    yield text((axes.left + axes.right) / 2, axes.base + 34, "h, smaller to the right →", "note", "middle")
    yield text(4, 16, "relative error" if axes.relative else "error", "note")
    yield line(100, 12, 122, 12, "backedge")
    yield line(210, 12, 232, 12, "badline")
    yield text(127, 16, "truncation", "slope")
    yield text(237, 16, "round-off", "badtext")
    xs = [axes.across(h) for h in STEPS]
    yield path(NOWHERE, "outline").following("h", d=[[(x, axes.top), (x, axes.base)] for x in xs])


def _format_name(case, axes, spots, role) -> Iterator[Mark]:
    """The name of the format where its digits run out: the first error of nearly 1, or the last one."""
    if case.best is not None:
        known = [i for i, spot in enumerate(spots) if spot and i >= case.best]
        at = next((i for i in known if case.quotients[i].error > 0.3), known[-1])
        x = min(max(axes.across(STEPS[at]), axes.left + 30), axes.right - 34)
        y = min(axes.up(1.0), *(spots[i][1] for i in known)) - 9
        yield text(x, y, case.of.name, role, "middle").answering("h")


def _error_curve(case: Case, axes: Errors, spots: list[Point | None], asked: bool) -> Iterator[Mark]:
    for outline, role in (
        (axes.guide(case.truncation), "backedge"),
        (axes.guide(case.roundoff), "badline"),
        (spots, "before"),
    ):
        yield path(outline, role).answering("h")
    dots = "".join(polygon(DOT, *spot) for spot in spots if spot)
    yield path(dots or NOWHERE, "inkhead").answering("h")
    if asked:
        yield path(NOWHERE, "before").following("h", d=[spots[: i + 1] for i in range(len(STEPS))])
    none = ["hidden" if spot else "" for spot in spots]  # of what is no number the ring stands on the border
    there = [spot or (axes.across(h), axes.base) for h, spot in zip(STEPS, spots, strict=True)]
    yield at_spots(circle(0, 0, RING, "vector"), there)
    if "" in none:
        xs = [x - RING - 4 for x, _ in there]
        yield text(0, axes.base - 8, "0/0 is no number", "badtext", "end").following("h", x=xs, state=none)
    yield from _format_name(case, axes, spots, "forwardtext")
    if case.best is not None and (best := spots[case.best]):
        words, drawn = (
            f"best {number(STEPS[case.best])}",
            (spots, axes.guide(case.truncation), axes.guide(case.roundoff)),
        )
        lines = [Line([spot for spot in outline if spot]) for outline in drawn if outline]
        label = Label(best, width_of(words, bold=True), (0.0, 1.0))
        ((x, y),) = beside_points([label], lines, axes.left, axes.top, axes.right, axes.base)
        yield text(x, y, words, "forwardtext", "middle").answering("h")


def stored_alike(quotient: Quotient) -> bool:
    """Whether the two places of a quotient are one and the same number in the format."""
    return quotient.low[0] == quotient.high[0]
