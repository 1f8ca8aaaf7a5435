"""What follows several dials as a sum: each dial adds a part of its own, so few parts make very many pictures.

A property of `Mark.vary` that begins with "+" holds parts: of a text and of a coordinate numbers, of a path a number for each
of its coordinates. What a dial adds is added to what the mark has; a text is the sum of its parts alone, as exact as the
largest of them. `page/adding.js` does the same.
"""

import re
from collections.abc import Mapping, Sequence
from math import floor, isfinite, log10
from typing import Any

from .strokes import px
from .words import number

DIGITS = 10  # of the largest part: what of a sum lies beyond is rounding
Part = float | str | Sequence[float]  # a text stands for what JSON has not: "NaN", "Infinity", "-Infinity"


def part_of(value: float) -> float | str:
    """A number as JSON has it.

    >>> part_of(0.5), part_of(float("-inf")), part_of(float("nan"))
    (0.5, '-Infinity', 'NaN')
    """
    found = float(value)
    return found if isfinite(found) else "NaN" if found != found else "Infinity" if found > 0 else "-Infinity"


def added(attributes: dict[str, Any], words: str, sums: Mapping[str, Sequence[Part]]) -> tuple[dict[str, Any], str]:
    """Attributes and text of a mark, with the parts of each property added.

    >>> added({"x": 4, "d": "M0 1L2 1"}, "", {"x": [1.25, 2], "d": [[1, 0, 2, 0], [0.5, 0, 0.5, 0]], "text": [0.5, -2]})
    ({'x': 7.3, 'd': 'M1.5 1L4.5 1'}, '−1.5')
    """
    for name, parts in sums.items():
        if name == "text":
            words = number(_sum([float(part) for part in parts]))  # type: ignore[arg-type]
        elif name == "d":
            attributes["d"] = _moved(attributes["d"], [sum(at) for at in zip(*parts, strict=True)])  # type: ignore[arg-type]
        else:
            attributes[name] = _tenth(attributes[name] + sum(parts))  # type: ignore[arg-type]
    return attributes, words


def _sum(parts):
    total, largest = sum(parts), max(map(abs, parts))
    if not largest or not isfinite(largest) or not isfinite(total):
        return total
    places = DIGITS - 1 - floor(log10(largest))
    return round(total, places) if 0 <= places <= 100 else total


def _moved(d, offsets):
    """A path with something added to each coordinate."""
    left = iter(offsets)
    return re.sub(r"-?[\d.]+", lambda n: px(_tenth(float(n[0]) + next(left))), d)


def _tenth(value):
    return floor(value * 10 + 0.5) / 10
