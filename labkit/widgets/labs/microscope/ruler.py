"""The ruler of the microscope: the numbers of a format around the place where a result lands."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ...kit.scene import Mark, Panel, arrow_head, changes, line, path, px, rect, text
from .run import MOST, SHORT, Landing, at_place, bits, digits, exponent_of, gap_at, last_place, place

WIDTH, HEIGHT, NOWHERE = 436.0, 364.0, "M0 0"
ROWS, TOP, BASE, AXIS, NUMBERS, BITS = 7, 58.0, 338.0, 112.0, 130.0, 430.0  # of the ruler, px
MOST_BITS = 18  # characters in a row
DIAL = "power"


def varied(values, **more) -> dict[str, Any]:
    """The `vary` of a mark whose attributes are lists, one value for each position of the slider."""
    return {DIAL: {name: changes(found) for name, found in {**values, **more}.items()}}


class Window:
    """The seven neighbouring numbers around where a result lands, from the largest at the top; all None for a nan that
    lies nowhere. `rows`: their places in the format, `heights`: of the rows in px, `landed`: the row of the result."""

    def __init__(self, found: Landing):
        self.of, self.found, self.rows = found.of, found, range(0)
        last = last_place(found.of)
        lies = found.target is not None or np.isfinite(found.result) or np.isinf(found.result)
        if lies:
            beyond = last if found.target is None or found.target > 0 else -last
            here = place(found.result, found.of) if np.isfinite(found.result) else beyond
            low = min(max(here - ROWS // 2, -last), last - ROWS + 1)
            self.rows = range(low + ROWS - 1, low - 1, -1)
            self.landed = self.rows.index(here)
            self.low, self.high = at_place(low, found.of), at_place(low + ROWS - 1, found.of)
        self.heights = [self.height(at_place(n, found.of)) for n in self.rows]

    def height(self, value: Fraction) -> float:
        """Where a value stands, at most just outside the window."""
        share = (value - self.low) / (self.high - self.low)
        return BASE - float(min(max(share, Fraction(-8, 100)), Fraction(106, 100))) * (BASE - TOP)

    def holds(self, value: Fraction | None) -> bool:
        return bool(self.rows) and value is not None and self.low <= value <= self.high

    def name(self, row: int) -> str:
        """The number of a row, all with the same digits; infinity and nan by name."""
        n, value = self.rows[row], at_place(self.rows[row], self.of)
        if abs(n) == last_place(self.of):
            return ("−" * (n < 0) + "inf") if self.of.infinity else "nan"
        if not value or self.decimals is None:
            return digits(value, Fraction(1))
        return f"{float(value):.{self.decimals}{'f' if self.plain else 'e'}}".replace("-", "−")

    @property
    def plain(self) -> bool:
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
        if gap.denominator == 1 and self.plain:
            return None
        unit = Fraction(1) if self.plain else Fraction(10) ** int(np.floor(np.log10(float(self._largest))))
        enough = next(d for d in range(400) if 10 * unit <= gap * 10**d)
        full = (d for d in range(enough, SHORT - 2) if all((v / unit * 10**d).denominator == 1 for v in values))
        return next(full, enough)

    def bits(self, row: int) -> str:
        n = self.rows[row]
        beyond = np.copysign(np.inf if self.of.infinity else np.nan, n)
        sign, exponent, fraction = bits(
            beyond if abs(n) == last_place(self.of) else float(at_place(n, self.of)), self.of
        )
        room = MOST_BITS - len(exponent) - 3
        return f"{sign} {exponent} {fraction if len(fraction) <= room else '…' + fraction[1 - room :]}"


def ruler(landings: dict[str, list[Landing]]) -> Panel:
    """The numbers of the format around the result, from bottom to top, with what is exact between them."""
    marks = [
        text(NUMBERS + 12, 15, "numbers of the format", "note"),
        text(BITS, 15, "sign  exponent  fraction", "note", "end"),
        text(NUMBERS + 12, 32, "■ even: last bit 0   □ odd: last bit 1", "note"),
        text(82, 15, "exact ◇", "note", "end"),
    ]  # fmt: skip
    if any(f.ops for found in landings.values() for f in found):
        marks.append(text(10, 32, "input", "note"))
    for i, found in enumerate(landings.values()):
        marks += _ruler_of([Window(f) for f in found], {"format": [i]})
    return Panel("ruler", "The number line, magnified", WIDTH, HEIGHT, marks)


def _ruler_of(windows: Sequence[Window], where) -> list[Mark]:
    there = ["" if w.rows else "hidden" for w in windows]
    band = ["lit" if w.rows else "hidden" for w in windows]
    marks = [
        rect(AXIS - 14, 0, WIDTH - AXIS + 10, 22, "area", when=where,
             vary=varied({"y": [float(px(w.heights[w.landed] - 11)) if w.rows else 0.0 for w in windows], "state": band})),
        line(AXIS, TOP - 14, AXIS, BASE + 14, "axis", when=where, vary=varied({"state": there})),
        path(NOWHERE, "grid", when=where, vary=varied({"d": [_halves(w) for w in windows]})),
        path(NOWHERE, "inkhead", when=where, vary=varied({"d": [_squares(w, 0) for w in windows]})),
        path(NOWHERE, "inkline", when=where, vary=varied({"d": [_squares(w, 1) for w in windows]})),
    ]  # fmt: skip
    for row in range(ROWS):
        ys = [float(px(w.heights[row] + 4)) if w.rows else 0.0 for w in windows]
        for x, words, role, anchor in ((NUMBERS, Window.name, "code", "start"), (BITS, Window.bits, "tick", "end")):
            said = [words(w, row) if w.rows else "" for w in windows]
            marks.append(text(x, 0, "", role, anchor, when=where, vary=varied({"y": ys, "text": said})))
    return [*marks, *_gap(windows, where), *_input(windows, where), *_exact(windows, where)]


def _halves(window):
    """A short stroke halfway between neighbours: there rounding changes its mind."""
    pairs = zip(window.heights, window.heights[1:], strict=False)
    strokes = [f"M{px(AXIS - 5)} {px((a + b) / 2)}L{px(AXIS + 5)} {px((a + b) / 2)}" for a, b in pairs]
    return "".join(strokes) or NOWHERE


def _squares(window, odd):
    spots = [y for n, y in zip(window.rows, window.heights, strict=True) if n % 2 == odd]
    corners = ((-4, -4), (4, -4), (4, 4), (-4, 4))
    return "".join("M" + "L".join(f"{px(AXIS + x)} {px(y + d)}" for x, d in corners) + "Z" for y in spots) or NOWHERE


def _gap(windows, where):
    """How far apart the numbers are, between the result and the number above it."""
    said, ys = [], []
    for w in windows:
        above = max(w.landed - 1, 0) if w.rows else 0
        said.append(f"gap {_power(gap_at(at_place(w.rows[above + 1], w.of), w.of))}" if w.rows else "")
        ys.append(float(px((w.heights[above] + w.heights[above + 1]) / 2 + 4)) if w.rows else 0.0)
    return [text(NUMBERS + 12, 0, "", "note", when=where, vary=varied({"y": ys, "text": said}))]


def _power(value: Fraction) -> str:
    """A gap, which is always a power of two."""
    e = exponent_of(value)
    return f"2^−{-e} = {digits(value, value)}" if e < 0 else digits(value, value)


def _input(windows, where):
    """The row of the input of a function."""
    inside = [w.holds(_fraction(w.found.input)) and bool(w.found.ops) for w in windows]
    ys = [float(px(w.height(Fraction(w.found.input)))) if i else 0.0 for w, i in zip(windows, inside, strict=True)]
    state = ["" if i else "hidden" for i in inside]
    name = windows[0].found.name
    strokes = [f"M{px(16 + 8 * len(name))} {px(y)}L{px(AXIS - 18)} {px(y)}" if i else NOWHERE
               for y, i in zip(ys, inside, strict=True)]  # fmt: skip
    return [
        text(10, 0, name, "forwardtext", when=where, vary=varied({"y": [y + 4 for y in ys], "state": state})),
        path(NOWHERE, "edge", when=where, vary=varied({"d": strokes})),
    ]


def _fraction(value: float):
    return Fraction(value) if np.isfinite(value) else None


def _exact(windows, where):
    """What is exact, at its place between the numbers, and the way to where it lands."""
    inside = [w.holds(w.found.target) for w in windows]
    ys = [w.height(w.found.target) if w.rows and w.found.target is not None else 0.0 for w in windows]
    seen = ["" if w.rows and w.found.target is not None else "hidden" for w in windows]
    diamonds = [_diamond(AXIS, y) if i else NOWHERE for y, i in zip(ys, inside, strict=True)]
    ways = [_way(y, w.heights[w.landed]) if s == "" else NOWHERE for w, y, s in zip(windows, ys, seen, strict=True)]
    heads = [_head(y, w.heights[w.landed]) if s == "" else NOWHERE for w, y, s in zip(windows, ys, seen, strict=True)]
    said = [_said(w, i) for w, i in zip(windows, inside, strict=True)]
    high = [float(px(_clear(y, w, s) + 4)) for w, y, s in zip(windows, ys, seen, strict=True)]
    return [
        path(NOWHERE, "backedge", when=where, vary=varied({"d": ways})),
        path(NOWHERE, "backhead", when=where, vary=varied({"d": heads})),
        path(NOWHERE, "back", when=where, vary=varied({"d": diamonds})),
        text(78, 0, "", "slope", "end", when=where, vary=varied({"y": high, "text": said, "state": seen})),
    ]


def _clear(y, window, seen):
    """The height of the label of what is exact: beside it, but off the row of the input."""
    value = _fraction(window.found.input)
    if seen or not window.found.ops or not window.holds(value) or abs(y - window.height(value)) >= 14:
        return y
    return y - 15 if y <= window.height(value) else y + 15


def _said(window, inside):
    words = window.found.words if len(window.found.words) <= 9 else "exact"
    if inside or not window.rows or window.found.target is None:
        return words
    return f"{words} ↑" if window.found.target > window.high else f"{words} ↓"


def _diamond(x, y):
    corners = ((0, -6), (6, 0), (0, 6), (-6, 0))
    return "M" + "L".join(f"{px(x + a)} {px(y + b)}" for a, b in corners) + "Z"


def _way(start, end):
    if abs(end - start) < 5:
        return NOWHERE
    return (
        f"M{px(AXIS - 7)} {px(start)}C{px(AXIS - 30)} {px(start)} {px(AXIS - 30)} {px(end)} {px(AXIS - 12)} {px(end)}"
    )


def _head(start, end):
    return NOWHERE if abs(end - start) < 5 else arrow_head(AXIS - 6, end, 1, 0, "backhead").at["d"]
