"""The ruler of the microscope: the numbers of a format around the place where a result lands."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np

from ....precision import Format
from ...kit.grips import Along, Grip
from ...kit.scene import STEP, Mark, Panel, arrow_head, line, only, path, rect, text
from ...kit.strokes import NOWHERE, polygon, polyline, spot
from ...kit.words import minus, raised
from .run import MOST, SHORT, Landing, at_place, digits, exponent_of, gap_at, last_place, place

WIDTH, HEIGHT = 430.0, 364.0
ROWS, TOP, BASE, AXIS, NUMBERS = 7, 46.0, 338.0, 218.0, 236.0  # of the ruler, px
LEFT = AXIS - 102.0  # px: where what is written before the ruler begins
OCTAVES, OVER, LEAST = (
    6,
    60.0,
    3.0,
)  # of the line that is magnified: how many are marked; where it stands, and its window, px
TELLING = Fraction(1, 10**9)  # of a number: what is less is not dragged
DIAL = "power"


class Window:
    """The seven neighbouring numbers around where a result lands, from the largest at the top. `rows`: their places in the
    format, `heights`: of the rows in px, `landed`: the row of the result, None of a nan that lies nowhere, for which they are
    the last ones; `first`: the place of the lowest row where the result is seen between others then."""

    def __init__(self, found: Landing, first: int | None = None):
        self.of, self.found = found.of, found
        last = last_place(found.of)
        beyond = -last if (found.x if found.target is None else found.target) < 0 else last
        here = place(found.result, found.of) if np.isfinite(found.result) else beyond
        stays = first is not None and first < here < first + ROWS - 1
        low = first if stays and first is not None else min(max(here - ROWS // 2, -last), last - ROWS + 1)
        self.rows = range(low + ROWS - 1, low - 1, -1)
        nowhere = np.isnan(found.result) and found.of.infinity
        self.landed = None if nowhere else self.rows.index(here)
        self.low, self.high = at_place(low, found.of), at_place(low + ROWS - 1, found.of)
        self.heights = [self.height(at_place(n, found.of)) for n in self.rows]

    def height(self, value: Fraction) -> float:
        """Where a value stands, at most just outside the window."""
        share = (value - self.low) / (self.high - self.low)
        return BASE - float(min(max(share, Fraction(-8, 100)), Fraction(106, 100))) * (BASE - TOP)

    def holds(self, value: Fraction | None) -> bool:
        return value is not None and self.low <= value <= self.high

    def name(self, row: int) -> str:
        """The number of a row, all with the same digits; infinity and nan by name."""
        n, value = self.rows[row], at_place(self.rows[row], self.of)
        if abs(n) == last_place(self.of):
            return ("−" * (n < 0) + "inf") if self.of.infinity else "nan"
        if not value or self.decimals is None:
            return digits(value, Fraction(1))
        return minus(f"{float(value):.{self.decimals}{'f' if self.without_power else 'e'}}")

    @property
    def without_power(self) -> bool:
        """Whether the numbers are written without a power of ten."""
        return Fraction(1, 10**4) <= self._largest < 10**7

    @cached_property
    def _largest(self):
        return min(max(abs(self.low), abs(self.high)), MOST)

    @cached_property
    def decimals(self) -> int | None:
        """Decimals that place each row within a twentieth of a gap, or in full where that is short; None for integers."""
        values = [at_place(k, self.of) for k in self.rows]
        gap = min(gap_at(v, self.of) for v in values)
        if gap.denominator == 1 and self.without_power:
            return None
        unit = Fraction(1) if self.without_power else Fraction(10) ** int(np.floor(np.log10(float(self._largest))))
        enough = next(d for d in range(400) if 10 * unit <= gap * 10**d)
        full = (d for d in range(enough, SHORT - 2) if all((v / unit * 10**d).denominator == 1 for v in values))
        return next(full, enough)


def neighbours(value: float, of: Format) -> Iterator[Fraction]:
    """The numbers of a format that are seen around one of them."""
    here, last = place(value, of), last_place(of)
    yield from (at_place(n, of) for n in range(here - ROWS // 2, here + ROWS // 2 + 1) if abs(n) < last)


def ruler(
    landings: dict[str, list[Landing]], firsts: Mapping[str, int], here: int, field: str, near: Sequence[int]
) -> tuple[Panel, list[Grip], dict[str, int]]:
    """The numbers of the format around the result, from bottom to top, with what is exact between them; before it the line of
    which this is a part.

    `firsts`: the lowest place that was seen before, by format, for the position `here`. There what is exact can be dragged, if
    there is a `field` to set; else the input, to the positions `near`, where the same numbers are seen. Also given: the lowest
    places that are seen now.
    """
    grips: list[Grip] = []
    marks = [text(10, 16, "■ last bit 0  □ last bit 1  yellow: rounds to the result", "note")]
    seen = {}
    for i, (name, found) in enumerate(landings.items()):
        seen[name] = Window(found[here], firsts.get(name)).rows[-1]
        windows = [Window(f, seen[name] if k in near else None) for k, f in enumerate(found)]
        marks += only({"format": [i]}, [*_whole(windows), *_ruler_of(windows)])
        grips += only({"format": [i], DIAL: [here]}, _held(windows[here], field))
        grips += only({"format": [i]}, _taken(windows, here, near))
    title = f"The number line, magnified: drag {'the diamond' if field else landings[name][0].name}"
    return Panel("ruler", title, WIDTH, HEIGHT, marks), grips, seen


def _taken(windows: Sequence[Window], here: int, near: Sequence[int]) -> Iterator[Grip]:
    """The input of a function, dragged along the line."""
    if len(near) < 2 or not windows[0].found.ops:
        return
    same = [k in near and w.rows == windows[here].rows for k, w in enumerate(windows)]
    heights = [_height(w, _fraction(w.found.input)) if stays else None for w, stays in zip(windows, same, strict=True)]
    spots = [None if y is None else (AXIS - 30, y) for y in heights]
    if len({spot for spot in spots if spot}) > 1:
        area = (LEFT, TOP - 14, WIDTH - LEFT, BASE - TOP + 28)
        yield Grip(
            "input", "ruler", f"{windows[0].found.name}, along the line", DIAL, spots, "y", area=area, jumps=True
        )


# ---- the line that is magnified ----


def _whole(windows: Sequence[Window]) -> Iterator[Mark]:
    """From 0 to the next power of two but one: each doubling has as many numbers; and which part is magnified."""
    of, powers = windows[0].of, [_octave(w) for w in windows]
    yield line(OVER, TOP, OVER, BASE, "axis")
    marks = [BASE - (BASE - TOP) / 2**k for k in range(OCTAVES)]
    yield path([point for y in marks for point in ((OVER - 5, y), (OVER + 5, y), None)], "axis")
    for k in (0, 1, 2):
        said = [("−" if _negative(w) else "") + _shown(p + 1 - k) for w, p in zip(windows, powers, strict=True)]
        yield text(OVER - 10, marks[k] + 4, "", "tick", "end").following(DIAL, text=said)
    yield text(OVER - 10, BASE + 4, "0", "tick", "end")
    count = raised(2, of.fraction_bits)
    for k, role in ((0, "note"), (1, "note")):
        y = (marks[k] + marks[k + 1]) / 2
        yield text(OVER + 8, y, count, role)
        if not k:
            yield text(OVER + 8, y + 14, "numbers", role)
    spans = [_span(w, p) for w, p in zip(windows, powers, strict=True)]
    boxes = [[(OVER - 5, a), (OVER + 5, a), (OVER + 5, b), (OVER - 5, b), (OVER - 5, a)] for a, b in spans]
    fans = [[(OVER + 5, a), (AXIS - 8, TOP - 10), None, (OVER + 5, b), (AXIS - 8, BASE + 10)] for a, b in spans]
    there = ["" if np.isfinite(w.found.result) else "hidden" for w in windows]
    yield path(NOWHERE, "grid").following(DIAL, d=fans, state=there)
    yield path(NOWHERE, "lens").following(DIAL, d=boxes, state=there)


def _octave(w) -> int:
    """The power of two below the result."""
    size = abs(Fraction(w.found.result)) if np.isfinite(w.found.result) else Fraction(w.of.max)
    return max(exponent_of(size), w.of.min_exponent) if size else w.of.min_exponent


def _negative(w) -> bool:
    return bool(w.found.result < 0)


def _span(w, power) -> tuple[float, float]:
    """Where the window begins and ends on that line, px; it is seen, however small."""
    top = Fraction(2) ** (power + 1)
    low, high = sorted(float(min(max(abs(v) / top, Fraction(0)), Fraction(1))) for v in (w.low, w.high))
    a, b = (BASE - share * (BASE - TOP) for share in (high, low))
    middle, half = (a + b) / 2, max((b - a) / 2, LEAST)
    return middle - half, middle + half


def _shown(power) -> str:
    """A power of two: in full where that is short."""
    return str(2**power) if 0 <= power <= 13 else raised(2, power)


def _held(window: Window, field: str) -> Iterator[Grip]:
    """What is exact, dragged along the line; not where a px is less than a float can tell."""
    low, high = window.low, window.high
    most = max(abs(low), abs(high))
    if field and window.holds(window.found.target) and TELLING * most < high - low and most < MOST:
        spot = (AXIS, window.height(window.found.target))
        yield Grip(
            "exact",
            "ruler",
            "The exact number",
            at=spot,
            by="y",
            free={"y": Along(field, float(low), float(high), BASE, TOP)},
        )


def _ruler_of(windows: Sequence[Window]) -> Iterator[Mark]:
    band = rect(AXIS - 44, 0, WIDTH - AXIS + 40, 22, "area")
    tops, bottoms = zip(*map(_basin, windows), strict=True)
    sizes = [bottom - top for top, bottom in zip(tops, bottoms, strict=True)]
    lit = ["hidden" if w.landed is None else "lit" for w in windows]
    yield band.following(DIAL, y=tops, height=sizes, state=lit)
    yield line(AXIS, TOP - 14, AXIS, BASE + 14, "axis")
    nowhere = ["nan lies nowhere on this line" if w.landed is None else "" for w in windows]
    if any(nowhere):
        yield text(WIDTH - 10, TOP - 10, "", "slope", "end").following(DIAL, text=nowhere)
    yield path(NOWHERE, "grid").following(DIAL, d=map(_halves, windows))
    yield path(NOWHERE, "inkhead").following(DIAL, d=[_squares(w, 0) for w in windows])
    yield path(NOWHERE, "inkline").following(DIAL, d=[_squares(w, 1) for w in windows])
    for row in range(ROWS):
        ys, said = [w.heights[row] + 4 for w in windows], [w.name(row) for w in windows]
        yield text(NUMBERS, 0, "", "code").following(DIAL, y=ys, text=said)
    yield from _gap_marks(windows)
    yield from _input_marks(windows)
    yield from _exact_marks(windows)


def _basin(window) -> tuple[float, float]:
    """From where to where everything becomes the result: half way to its neighbours, px."""
    if window.landed is None:
        return 0.0, 22.0
    ends = [TOP - 14, *(sum(pair) / 2 for pair in pairwise(window.heights)), BASE + 14]
    return ends[window.landed], ends[window.landed + 1]


def _halves(window):
    """A short stroke halfway between neighbours: there rounding changes its mind."""
    middles = [(a + b) / 2 for a, b in zip(window.heights, window.heights[1:], strict=False)]
    return polyline(point for y in middles for point in ((AXIS - 5, y), (AXIS + 5, y), None))


def _squares(window, odd):
    spots = [y for n, y in zip(window.rows, window.heights, strict=True) if n % 2 == odd]
    return "".join(polygon(((-4, -4), (4, -4), (4, 4), (-4, 4)), AXIS, y) for y in spots) or NOWHERE


def _gap_marks(windows) -> Iterator[Mark]:
    """How far apart the numbers are, off the band: between the next two above the result, and below it where that differs."""
    places = [{} if w.landed is None else _gaps(w) for w in windows]
    for beside in (-2, 1):
        said = [
            f"↕ gap {_power(_gap_below(w, w.landed + beside))}" if beside in p else "" for w, p in zip(windows, places)
        ]
        ys = [p.get(beside, 0.0) for p in places]
        gap = text(WIDTH - 14, 0, "", "note", "end").following(DIAL, y=ys, text=said)
        yield gap.moving(DIAL, STEP, 0.0, "y", "text")  # on the way one would run over the other


def _gaps(w) -> dict[int, float]:
    """Where the gap above the number that is so many rows below the result is told, and the height of its words."""
    there = [k for k in (-2, 1) if 0 <= w.landed + k <= ROWS - 2]
    gaps = {k: _gap_below(w, w.landed + k) for k in there}
    shown = there if len(set(gaps.values())) > 1 else there[:1]
    return {k: (w.heights[w.landed + k] + w.heights[w.landed + k + 1]) / 2 + 4 for k in shown}


def _gap_below(w, row) -> Fraction:
    """Between the numbers of a row and the next."""
    return abs(at_place(w.rows[row], w.of) - at_place(w.rows[row + 1], w.of))


def _power(value: Fraction) -> str:
    """A gap, which is always a power of two."""
    e = exponent_of(value)
    return f"{raised(2, e)} = {digits(value, value)}" if e < 0 else digits(value, value)


def _input_marks(windows) -> Iterator[Mark]:
    """The row of the input of a function."""
    ys = [_height(w, _fraction(w.found.input)) if w.found.ops else None for w in windows]
    name = windows[0].found.name
    words = text(LEFT, 0, name, "forwardtext")
    yield words.following(DIAL, y=[4.0 if y is None else y + 4 for y in ys], state=_states(ys))
    start, end = LEFT + 6 + 8 * len(name), AXIS - 18
    strokes = [NOWHERE if y is None else [(start, y), (end, y)] for y in ys]
    yield path(NOWHERE, "edge").following(DIAL, d=strokes)


def _height(window, value) -> float | None:
    """Where a value stands that is in the window."""
    return window.height(value) if window.holds(value) else None


def _states(ys):
    return ["hidden" if y is None else "" for y in ys]


def _fraction(value: float):
    return Fraction(value) if np.isfinite(value) else None


def _exact_marks(windows) -> Iterator[Mark]:
    """What is exact, at its place between the numbers, and the way to where it lands."""
    ys = [w.height(w.found.target) if w.landed is not None and w.found.target is not None else None for w in windows]
    ways = [NOWHERE if y is None else _way(y, w.heights[w.landed]) for w, y in zip(windows, ys, strict=True)]
    heads = [NOWHERE if y is None else _head(y, w.heights[w.landed]) for w, y in zip(windows, ys, strict=True)]
    yield path(NOWHERE, "backedge").following(DIAL, d=ways)
    yield path(NOWHERE, "backhead").following(DIAL, d=heads)
    inside = [_height(w, w.found.target) for w in windows]
    corners = ((0, -6), (6, 0), (0, 6), (-6, 0))
    diamonds = [NOWHERE if y is None else polygon(corners, AXIS, y) for y in inside]
    yield path(NOWHERE, "back").following(DIAL, d=diamonds)
    said = [_exact_label(w, y is not None) for w, y in zip(windows, inside, strict=True)]
    high = [0.0 if y is None else _clear(y, w) for y, w in zip(ys, windows, strict=True)]
    words = text(AXIS - 34, 0, "", "slope", "end")
    yield words.following(DIAL, y=[y + 4 for y in high], text=said, state=_states(ys))


def _clear(y, window):
    """The height of the label of what is exact: beside it, but off the row of the input."""
    row = _height(window, _fraction(window.found.input)) if window.found.ops else None
    if row is None or abs(y - row) >= 14:
        return y
    return y - 15 if y <= row else y + 15


def _exact_label(window, inside):
    words = window.found.words if len(window.found.words) <= 9 else "exact"
    if inside or window.found.target is None:
        return words
    return f"{words} ↑" if window.found.target > window.high else f"{words} ↓"


def _way(start, end):
    if abs(end - start) < 5:
        return NOWHERE
    begin, *bend = map(spot, ((AXIS - 7, start), (AXIS - 30, start), (AXIS - 30, end), (AXIS - 12, end)))
    return f"M{begin}C{' '.join(bend)}"


def _head(start, end):
    return NOWHERE if abs(end - start) < 5 else arrow_head(AXIS - 6, end, 1, 0, "backhead").at["d"]
