"""What every panel is drawn with: an axis, columns as one path, shares in words, and marks that formats have in common."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ....precision import format_of
from ...kit.axes import Axis
from ...kit.scene import Mark, When, rect, text, width_of
from ...kit.strokes import NOWHERE, Point, polyline
from ...kit.words import minus, number, raised
from .outcome import FATES

WIDTH = 372.0  # of every panel: two stand side by side, and one fits a telephone
LOOKS = {"normal": "bar", "subnormal": "leafbar", "flushed": "back", "overflowed": "over"}  # from below


def percent(share: float) -> str:
    """A share in words that are never rounded to none or all.

    >>> percent(0.473), percent(0.0), percent(0.0004), percent(0.9996), percent(1.0)
    ('47.3%', '0%', 'under 0.1%', 'over 99.9%', '100%')
    """
    if share in (0.0, 1.0):
        return f"{share:.0%}"
    if 0.001 <= share < 0.9995:
        return f"{share:.1%}"
    return "under 0.1%" if share < 0.5 else "over 99.9%"


def lost_to(of: str) -> str:
    """What a number that is too large becomes."""
    return "inf" if format_of(of).infinity else "nan"


def fate_key(x: float, y: float, infinite: str) -> Iterator[Mark]:
    """What each look means, in a row."""
    for name, role in zip(("normal", "subnormal", "flushed to 0", infinite), LOOKS.values(), strict=True):
        yield rect(x, y - 9, 11, 10, role, 0)
        yield text(x + 16, y, name, "note")
        x += 16 + width_of(name, 11.5) + 11


def by_format(formats: Sequence[str], found: Mapping[str, Any]) -> Iterator[tuple[Any, str, When]]:
    """`(value, a format, where)` for each different value; `where` tells at which positions of the dial it is shown."""
    groups: dict[str, list[str]] = {}
    for of in formats:
        groups.setdefault(repr(found[of]), []).append(of)
    for first, *others in groups.values():
        yield found[first], first, at_formats(formats, first, *others)


def at_formats(formats: Sequence[str], *chosen: str) -> When:
    """The positions of the dial "format", if there is one."""
    return {"format": [formats.index(of) for of in chosen]} if len(formats) > 1 else {}


def figure(value: float) -> str:
    """A number in a table: a whole one in full, another with three digits.

    >>> figure(6144.0), figure(2.65e-9), figure(float("inf"))
    ('6,144', '2.65e−09', 'inf')
    """
    whole = abs(value) < 1e6 and float(value).is_integer()
    return minus(f"{value:,.0f}") if whole else number(value)


def power_of_two(scale: float) -> str:
    """A scale in words.

    >>> power_of_two(4096.0), power_of_two(2.0**33), power_of_two(1000.0)
    ('2¹² = 4,096', '2³³', '1,000')
    """
    power = np.log2(scale)
    if power != int(power):
        return f"{scale:,.6g}"
    return f"{two_to(power)} = {scale:,.0f}" if power <= 20 else two_to(power)


def two_to(power: float) -> str:
    """A power of two as it is written.

    >>> two_to(15), two_to(-3), two_to(0.5)
    ('2¹⁵', '2⁻³', '2^0.5')
    """
    return raised(2, int(power)) if power == int(power) else f"2^{power:g}"


def columns_axis(low: int, high: int, start: float, end: float) -> Axis:
    """An axis whose columns are whole pixels wide, where there is room for that."""
    width = (end - start) / (high - low)
    return Axis(low, high, start, start + (int(width) if width >= 1 else width) * (high - low))


def stacked(across: Axis, up: Axis, columns: Mapping[int, np.ndarray]) -> list[str]:
    """A path for each of LOOKS. `columns`: {position: shares by FATES}; in whole px, so what there is can be seen."""
    layers: list[list] = [[] for _ in LOOKS]
    base = round(up(0))
    for position, shares in sorted(columns.items()):
        low, total = base, 0.0
        for layer, fate in zip(layers, LOOKS, strict=True):
            share = shares[FATES.index(fate)]
            total += share
            high = min(low - 1, round(up(total))) if share else low
            layer.append((position, low, high))
            low = high
    return [silhouette(across, layer) for layer in layers]


def silhouette(across: Axis, columns: Sequence[tuple[int, float, float]]) -> str:
    """Columns `(position, px of the lower end, of the upper end)` that are one wide as one path; of neighbours those
    that touch have one outline."""
    parts: list[str] = []
    for run in _neighbours([c for c in columns if c[2] < c[1]]):
        over, under = ([(across(c[0] + side), c[k]) for c in run for side in (0, 1)] for k in (2, 1))
        parts.append(polyline([*_straight(over), *reversed(_straight(under))]) + "Z")
    return "".join(parts) or NOWHERE


def _neighbours(columns):
    runs: list[list] = []
    for column in columns:
        if runs and _touch(runs[-1][-1], column):
            runs[-1].append(column)
        else:
            runs.append([column])
    return runs


def _touch(before, after):
    """Whether columns side by side have some height in common: else the line that joins them would stand for nothing."""
    return before[0] + 1 == after[0] and max(before[2], after[2]) < min(before[1], after[1])


def _straight(points: list[Point]) -> list[Point]:
    """The points without those on a level line between two others."""
    inner = [b for a, b, c in zip(points, points[1:], points[2:], strict=False) if not a[1] == b[1] == c[1]]
    return [points[0], *inner, points[-1]]
