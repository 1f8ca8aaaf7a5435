"""Single gradients as dots in three lanes: as they are; times the scale, over the numbers of a format; divided by it again."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ....precision import Format, format_of
from ...kit.axes import Axis
from ...kit.grips import Grip
from ...kit.scene import STEP, Mark, circle, line, only, path, rect, text, width_of
from ...kit.strokes import polyline, tenth
from ...kit.words import minus
from .axes import WIDTH, at_formats, by_format, lost_to, percent, two_to
from .histogram import band_names, ends, shares, verdict
from .outcome import Sweep

LEFT, RIGHT = 10.0, WIDTH - 6
LANES = (76.0, 190.0, 282.0)  # where the dots of each stand at most: px from the top
HIGH, PITCH = 62.0, 2.2  # px; from one dot to the next, of its radius
SIZES = (4.0, 3.2, 2.5, 2.0, 1.5)
FLOOR = 4.5  # px from the middle of the lowest dots to what they stand on
TOP = 124.0  # of the bands
BOTTOM = LANES[2] + 22
HEIGHT = BOTTOM + 8
BESIDE = 176.0  # px that the verdict needs beside the dots
FINEST = 0.9  # px between two numbers of a format that are drawn
SEEN = 0.4  # px: a dot that comes back nearer is where it was


def dots(sweep: Sweep, dial: str) -> Iterator[Mark]:
    """The marks of all three lanes; what comes back is out of sight while the reader predicts."""
    across, formats = axis_of(sweep), sweep.formats
    piles = piled(sweep, across)
    xs = piles.xs
    for of in formats:
        yield from only(at_formats(formats, of), _format(of, across))
    yield from _lanes(sweep, dial, across)
    yield _times(sweep, dial, across, xs)
    yield from (circle(x, LANES[0] - y, piles.r, "inkhead") for x, y in zip(xs, piles.up, strict=True))
    yield from _scaled(sweep, dial, across, piles)
    yield from _back(sweep, dial, across, piles)
    cover = rect(LEFT - 4, LANES[2] - HIGH - 15, RIGHT - LEFT + 8, HIGH + 17, "blank", 0)
    yield cover.asking(dial)
    yield text((LEFT + RIGHT) / 2, LANES[2] - HIGH + 8, "which of them come back?", "note", "middle").asking(dial)
    for of in formats:
        found, where = sweep.outcomes[of], at_formats(formats, of)
        said = [*shares(of, across, dial, found, TOP), *verdict(dial, found, lost_to(of), *_free(xs))]
        said += _spoiled(dial, found, lost_to(of), *_free(xs))
        yield from (mark.answering(dial) for mark in only(where, said))


def height(sweep: Sweep) -> float:
    """Of the panel: where the verdict has no room beside the dots, it stands below."""
    return HEIGHT + (26 if _free(piled(sweep, axis_of(sweep)).xs)[1] > BOTTOM else 0)


def _free(xs):
    """Where the verdict stands: beside the dots that come back, or below them."""
    if max(xs) + 14 + BESIDE < RIGHT:
        return max(xs) + 14, LANES[2] - HIGH / 2 - 4
    return (LEFT, LANES[2] - HIGH / 2) if min(xs) > LEFT + 14 + BESIDE else (LEFT, HEIGHT + 14)


def _spoiled(dial, outcomes, infinite, x, y) -> Iterator[Mark]:
    """Below the verdict: that some of what is lost would fit by itself."""
    many = [
        "" if not found.spoiled else "most" if found.spread else percent(found.spoiled / found.size)
        for found in outcomes
    ]
    lines = (
        [f"{part} would fit: spoiled" if part else "" for part in many],
        [f"by {infinite} on the way back" if part else "" for part in many],
    )
    for k, said in enumerate(lines, 1):
        yield text(x, y + 2 + 15 * k, "", "badtext").following(dial, text=said)


def handle(sweep: Sweep, dial: str) -> Grip:
    """The dots over the format, dragged to another scale anywhere in their lane."""
    across, middle = axis_of(sweep), float(np.log2(np.median(np.abs(sweep.dots.exact))))
    spots = [(float(across(middle + power)), LANES[1] + 1) for power in range(len(sweep.outcomes[sweep.formats[0]]))]
    area = (LEFT, LANES[0] + 8, RIGHT - LEFT, BOTTOM - LANES[0] - 8)
    return Grip(f"{dial} dots", f"{dial} dots", "The dots", dial, spots, "x", area=area)


def axis_of(sweep: Sweep) -> Axis:
    """Exponents, from those of the gradients to where all formats but the widest end."""
    powers, size = len(sweep.outcomes[sweep.formats[0]]) - 1, np.log2(np.abs(sweep.dots.exact))
    first = format_of(sweep.formats[0])
    low = min(size.min() - 1, np.log2(first.min_subnormal) - 4)
    high = max(size.max() + powers + 0.5, np.log2(first.max) + 3)
    if high - low > 120:
        low, high = size.min() - 1, size.max() + powers + 0.5
    return Axis(float(np.floor(low)), float(np.ceil(high)), LEFT, RIGHT)


class Piles(NamedTuple):
    """Where the dots stand, piled up where there are many: px across, px above the floor, and how large each is."""

    xs: np.ndarray
    up: np.ndarray
    r: float


def piled(sweep: Sweep, across: Axis) -> Piles:
    """As large as there is room for."""
    xs = np.array([float(across(v)) for v in np.log2(np.abs(sweep.dots.exact))])
    for r in SIZES:
        columns = np.floor(xs / (PITCH * r)).astype(int)
        rank = np.zeros(len(xs))
        for column in np.unique(columns):
            rank[columns == column] = np.arange(np.count_nonzero(columns == column))
        if rank.max() * PITCH * r <= HIGH:
            break
    return Piles(xs, rank * min(PITCH * r, HIGH / max(rank.max(), 1)), r)


def _lanes(sweep, dial, across) -> Iterator[Mark]:
    """The names of the lanes, their floors, and the way between them."""
    powers = [o.power for o in sweep.outcomes[sweep.formats[0]]]
    size = len(sweep.dots.exact)
    every = f"{size} of {sum(len(np.flatnonzero(g)) for g in sweep.exact.values()):,} gradients, as they are"
    yield text(LEFT, LANES[0] - HIGH - 2, every, "note")
    yield text(LEFT, LANES[2] - HIGH - 2, "", "note").following(
        dial, text=[f"held, and ÷ {two_to(power)} again" if power else "held" for power in powers]
    )
    for y in (LANES[0], LANES[2]):
        yield line(LEFT, y + FLOOR, across.end, y + FLOOR, "axis")
    step = 10 if across.high - across.low > 45 else 5
    for e in range(-(-int(across.low) // step) * step, int(across.high) + 1, step):
        if LEFT + 8 < across(e) < across.end - 8:
            yield line(across(e), LANES[2] + FLOOR, across(e), LANES[2] + FLOOR + 4, "axis")
            yield text(across(e), LANES[2] + FLOOR + 15, minus(str(e)), "tick", "middle")


def _times(sweep, dial, across, xs) -> Mark:
    """The scale, beside the dots that it has moved."""
    powers = [o.power for o in sweep.outcomes[sweep.formats[0]]]
    said = [f"× {two_to(power)}" if power else "no scale: drag →" for power in powers]
    moved = [power * (across(across.low + 1) - across.start) for power in powers]
    right = [max(xs) + by + 10 for by in moved]
    wide = width_of(max(said[1:], key=len), 13, mono=True)
    places = [x if x + wide < RIGHT else min(xs) + by - 10 - wide for x, by in zip(right, moved, strict=True)]
    return text(0, LANES[1] - HIGH / 2, "", "value").following(dial, text=said, x=places)


def _format(of, across) -> Iterator[Mark]:
    """The bands of a format, and where its numbers lie, as long as they can be told apart."""
    f = format_of(of)
    looks = ("zone-zero", "zone-subnormal", "zone-normal", "zone-over")
    for (start, end), role in zip(ends(of, across), looks, strict=True):
        if end - start >= 1:
            yield rect(start, TOP, end - start, LANES[1] + FLOOR - TOP, role, 0)
    yield from band_names(of, across, TOP)
    found = _numbers(f, across)
    yield path(polyline(point for x in found for point in ((x, TOP), (x, LANES[1] + FLOOR), None)), "axis")
    yield line(LEFT, LANES[1] + FLOOR, across.end, LANES[1] + FLOOR, "axis")


def _numbers(f: Format, across: Axis) -> list[float]:
    """The places of the smallest numbers of a format up to where two of them are too near to each other."""
    xs: list[float] = []
    for k in range(1, 4096):
        value = np.log2(f.min_subnormal * k)
        if not across.holds(value) or k > 2**f.fraction_bits:
            continue
        if xs and across(value) - xs[-1] < FINEST:
            break
        xs.append(float(across(value)))
    return xs


def _scaled(sweep, dial, across, piles) -> Iterator[Mark]:
    powers = len(sweep.outcomes[sweep.formats[0]])
    moved = [tenth(power * (across(across.low + 1) - across.start)) for power in range(powers)]
    for exact, y in zip(sweep.dots.exact, piles.up, strict=True):
        yield circle(across(float(np.log2(abs(exact)))), LANES[1] - y, piles.r, "inkhead").adding(
            {dial: powers}, cx=moved
        )


def _back(sweep, dial, across, piles) -> Iterator[Mark]:
    """What is left of each dot: where it comes back to, or a hole where it was."""
    for i, y in enumerate(piles.up):
        for (xs, states), _, when in by_format(
            sweep.formats, {of: _returns(sweep, of, i, across) for of in sweep.formats}
        ):
            mark = circle(xs[0], LANES[2] - y, piles.r, "bar", when=when).following(dial, cx=xs, state=states)
            yield mark.moving(dial, STEP / 2, 0.0, "cx")


def _returns(sweep, of, i, across):
    """At each scale where a dot comes back to, if that can be seen, and its state."""
    exact, normal = abs(float(sweep.dots.exact[i])), format_of(of).min_normal
    start = float(across(np.log2(exact)))
    xs, states = [], []
    for power, held in enumerate(np.abs(sweep.dots.held[of][:, i])):
        came = 0 < held < np.inf
        back = float(across(np.log2(held) - power)) if came else start
        xs.append(tenth(back if abs(back - start) > SEEN else start))
        states.append("over" if not np.isfinite(held) else "hole" if not held else "coarse" if held < normal else "")
    return xs, states
