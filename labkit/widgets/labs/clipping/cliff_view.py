"""How the cliff looks: a relief of the loss, the ways of two trainings over it, and their losses."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...kit.axes import Axis, Plane
from ...kit.grips import Along, Grip
from ...kit.scene import Mark, circle, line, path, rect, text
from ...kit.strokes import NOWHERE, Point, polyline
from ...kit.symbolic import Inputs, Quantity, either, placed, through, words
from ...kit.words import number, raised

STEPS = 24
FRAME = (-1.4, 1.8, -0.3, 1.9)  # lowest and highest w, lowest and highest b
LEVELS = (1.0, 10.0, 100.0, 1e3, 1e4)  # of the contour lines
LEFT, TOP, WIDTH, HEIGHT, LOW = 30.0, 62.0, 392.0, 270.0, 240.0  # px; LOW is the height of the lower panel
PLANE = Plane(Axis(*FRAME[:2], LEFT, LEFT + WIDTH), Axis(*FRAME[2:], TOP + HEIGHT, TOP))
LOSSES = Plane(Axis(0, STEPS, LEFT + 8, LEFT + WIDTH - 8), Axis(-3, 4, LOW + 8, 8, log=True))
SIZE = LEFT + WIDTH + 12, TOP + HEIGHT + 22
BELOW = SIZE[0], LOW + 34
LIMIT = Axis(-1, 1, LEFT + 222, LEFT + WIDTH - 10, log=True)  # where the limit is dragged
FADES = 6  # steps after which a part of a way is pale


# ---- the relief ----


def relief(target: float, unit: Callable[[Any, Any], Any]) -> Iterator[Mark]:
    """The loss (unit(w, b) - target)^2 in steps of LEVELS, paler the lower; the unit is proportional to b."""
    ws = np.linspace(*FRAME[:2], 193)
    slopes = unit(ws, 1.0)
    yield rect(LEFT, TOP, WIDTH, HEIGHT, "norm5", 0)
    sides = list(_sides(ws, slopes))
    for k, level in sorted(enumerate(LEVELS), reverse=True):
        for side in sides:
            there = [
                [PLANE.at((w, end / s)) for w, s in side] for end in (target - np.sqrt(level), target + np.sqrt(level))
            ]
            yield path(polyline([*there[0], *reversed(there[1])]) + "Z", f"norm{k}")
    for side in sides:
        for level in LEVELS:
            yield from (
                path(_level((w, (target + sign * np.sqrt(level)) / s) for w, s in side), "contour") for sign in (-1, 1)
            )
        yield path(_level((w, target / s) for w, s in side), "ravine")
    for level in LEVELS:
        yield _name_of(
            ws, (target + np.sqrt(level)) / slopes, number(level) if level < 1000 else _power(np.log10(level))
        )
    yield _name_of(ws, target / slopes, "0")
    yield text(LEFT - 4, TOP + 8, "b", "code", "end")
    yield text(LEFT + WIDTH, TOP + HEIGHT + 14, "w", "code", "end")
    yield from PLANE.across.below(TOP + HEIGHT + 14, _halves(*FRAME[:2]))
    yield from PLANE.up.beside(LEFT - 4, _halves(*FRAME[2:]))


def _sides(ws, slopes) -> Iterator[list[tuple[float, float]]]:
    """`(w, slope)` where the slope is positive, and where it is negative, each up to where it is 0."""
    for sign in (1, -1):
        side = [(float(w), float(s)) for w, s in zip(ws, slopes, strict=True) if sign * s > 1e-9]
        for k in np.flatnonzero(np.diff(np.sign(slopes)) != 0):
            zero = float(ws[k] - slopes[k] * (ws[k + 1] - ws[k]) / (slopes[k + 1] - slopes[k]))
            side.append((zero, sign * 1e-9))
        if len(side) > 1:
            yield sorted(side)


def _halves(low, high):
    return [k / 2 for k in range(int(np.ceil(2 * low)), int(np.ceil(2 * high)))]


def _level(places):
    """A line as far as it is inside."""
    found: list[Point | None] = []
    for one, other in pairwise(places):
        ends = [PLANE.holds(one), PLANE.holds(other)]
        if all(ends):
            found += [PLANE.at(one), PLANE.at(other)]
        elif any(ends):
            inner, outer = (one, other) if ends[0] else (other, one)
            cut = [PLANE.at(inner), PLANE.leaving(inner, outer)]
            found += [*(cut if ends[0] else reversed(cut)), *([None] if ends[0] else [])]
    return polyline(found)


def _name_of(ws, bs, words):
    """The name of a contour line, where it leaves the picture at the top."""
    inside = [w for w, b in zip(ws, bs, strict=True) if 0 < b <= FRAME[3] and w > -1]
    return text(PLANE.across(inside[0]), TOP - 4, words, "tick", "middle")


def _power(power):
    return raised(10, round(power))


def legend(of: Inputs) -> Iterator[Mark]:
    """What the two ways are, and the limit as a knob on a line."""
    limit = of["max_norm"]
    yield line(LEFT, 12, LEFT + 34, 12, "inkvector")
    yield text(LEFT + 42, 16, "without clipping")
    yield line(LEFT, 32, LEFT + 34, 32, "vector")
    yield placed(text(LEFT + 42, 36, "", "forwardtext"), words("clipped at ", (limit, "3")))
    yield line(LIMIT.start, 32, LIMIT.end, 32, "axis")
    for value in (0.1, 1.0, 10.0):
        yield line(LIMIT(value), 28, LIMIT(value), 36, "axis")
        yield text(LIMIT(value), 20, number(value), "tick", "middle")
    yield placed(circle(0, 32, 6, "head"), cx=_on_limits(limit))


def _on_limits(limit: Quantity) -> Any:
    span = (LIMIT.end - LIMIT.start) / (LIMIT.high - LIMIT.low)
    return limit.among.of("log10", limit) * span + (LIMIT.start - LIMIT.low * span)


def grips(of: Inputs, low: float, high: float) -> Iterator[Grip]:
    """The start, and the limit: dragged, the whole way is seen."""
    seen = {"step": (STEPS, STEPS)}
    free = {"x": PLANE.across.sets("w"), "y": PLANE.up.sets("b")}
    yield Grip("start", "cliff", "The start", free=free, at=_at(of["w"], of["b"]), ends=seen)
    along = {"x": Along("max_norm", np.log10(low), np.log10(high), LIMIT.start, LIMIT.end, log=True)}
    yield Grip(
        "max_norm",
        "cliff",
        "The limit",
        by="x",
        free=along,
        at=(_on_limits(of["max_norm"]), 32.0),
        ends=seen,
        bare=True,
    )


# ---- the ways ----


def _at(w: Quantity, b: Quantity) -> Any:
    across, up = PLANE.across, PLANE.up
    wide, high = (across.end - across.start) / (across.high - across.low), (up.start - up.end) / (up.high - up.low)
    return w * wide + (across.start - across.low * wide), (up.end + up.high * high) - b * high


def way(stands: Sequence[Any], role: str, dot: str, fades: int = STEPS) -> Iterator[Mark]:
    """Step by step; what is `fades` steps past is pale, and it ends where it leaves the picture."""
    for i, (one, other) in enumerate(pairwise(stands), 1):
        start, end = _at(one.w, one.b), _leaving(one, other)
        ways = [(0, NOWHERE), (i - 1, _seen(one, through([start, start]))), (i, _seen(one, through([start, end])))]
        yield path(NOWHERE, role).varying("step", d=ways[i == 1 :], state=[(0, ""), (i + fades, "dim")])
    spot = _at(stands[0].w, stands[0].b)
    for i, stand in enumerate(stands):  # what has left the picture is on the last dot
        there = zip(_at(stand.w, stand.b), spot, strict=True)
        x, y = spot = tuple(stand.w.among.of("where", stand.alive, here, last) for here, last in there)
        yield placed(circle(0, 0, 2.6 if i else 3.5, dot), cx=x, cy=y).seen_from("step", i)


def _seen(stand, found):
    return either(stand.alive, found, NOWHERE)


def _leaving(one, other):
    """Where a step ends, or leaves the picture."""
    of, shares = one.w.among, []
    for a, b, axis in ((one.w, other.w, PLANE.across), (one.b, other.b, PLANE.up)):
        by = b - a
        far = of.of("where", of.of("less", of.of("absolute", by), 1e-12), 1e-12, by)
        ahead = of.of("where", of.of("greater", by, 0.0), axis.high - a, axis.low - a)
        shares.append(of.of("maximum", ahead / far, 0.0))
    part = of.of("minimum", of.of("minimum", *shares), 1.0)
    return _at(one.w + (other.w - one.w) * part, one.b + (other.b - one.b) * part)


def thrown_out(stands: Sequence[Any]) -> Iterator[Mark]:
    """Where the training without clipping has gone, beside where it leaves the picture."""
    for i, (one, other) in enumerate(pairwise(stands), 1):
        of, (x, y) = one.w.among, _leaving(one, other)
        said = words(f"{i}: out, to w = ", (other.w, "3"), ", b = ", (other.b, "3"))
        left = of.of("minimum", of.of("maximum", x, LEFT + 104), LEFT + WIDTH - 104)
        low = of.of("minimum", of.of("maximum", y + 18, TOP + 18), TOP + HEIGHT - 10)
        mark = placed(text(0, 0, "", "badtext", "middle"), either(one.alive - other.alive, said, ""), x=left, y=low)
        yield mark.seen_from("step", i)


def start(of: Inputs) -> Iterator[Mark]:
    """The name of the start."""
    x, y = _at(of["w"], of["b"])
    yield placed(text(0, 0, "start", "level", "middle"), x=x, y=y + 24)


# ---- the losses ----


def losses_ground() -> Iterator[Mark]:
    """The axes of the losses."""
    yield rect(LEFT, 8, WIDTH, LOW, "area", 0)
    powers = [10.0**power for power in range(-3, 5)]
    yield from LOSSES.up.beside(LEFT - 4, powers, lambda value: _power(np.log10(value)), (LEFT, LEFT + WIDTH))
    yield from LOSSES.across.below(LOW + 22, range(0, STEPS + 1, 4), str)


def losses(stands: Sequence[Any], role: str) -> Iterator[Mark]:
    """The loss step by step, as long as the training goes on."""
    for i, (one, other) in enumerate(pairwise(stands), 1):
        start, end = (LOSSES.across(i - 1), _up(one.loss)), (LOSSES.across(i), _up(other.loss))
        ways = [
            (0, NOWHERE),
            (i - 1, _going(other, through([start, start]))),
            (i, _going(other, through([start, end]))),
        ]
        yield path(NOWHERE, role).varying("step", d=ways[i == 1 :])


def _going(stand, found):
    return either(stand.going, found, NOWHERE)


def _up(loss: Quantity) -> Quantity:
    of, axis = loss.among, LOSSES.up
    span = (axis.start - axis.end) / (axis.high - axis.low)
    inside = of.of("minimum", of.of("maximum", loss, 10.0**axis.low), 10.0**axis.high)
    return (axis.start + axis.low * span) - of.of("log10", inside) * span


def now() -> Mark:
    """The step."""
    xs: list[list[Point]] = [[(x, 8.0), (x, 8 + LOW)] for x in map(LOSSES.across, range(STEPS + 1))]
    return path("", "axis").following("step", d=xs)
