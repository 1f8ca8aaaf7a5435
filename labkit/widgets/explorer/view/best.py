"""What would make a mean of squares of differences least: for each with each, one number for all; for each with its own, its own.

It is drawn only where the numbers of all pairs are known, and are such squares.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from ...kit.axes import Axis
from ...kit.scene import Mark, circle, line, path, rect, text, width_of
from ...kit.strokes import polyline
from ...kit.words import number
from ..run.forms import plain
from ..run.story import Pairs

HIGH, HEAD, NEAR = 140.0, 36.0, 1e-4  # px: the plot, the words above it; how near squares are

When = Mapping[str, Sequence[int]]


def best(found: Pairs, x: float, y: float, width: float, every: When, own: When) -> list[Mark]:
    """The plot, `width` px wide with its left upper corner at (x, y): each given number, what was met, and what would be best,
    where each meets each (`every`), and its own. [] where that is not known."""
    if not squares(found):
        return []
    left, top = np.asarray(found.left, float), np.asarray(found.top, float)
    n, low, high = len(top), float(min(left.min(), top.min())), float(max(left.max(), top.max()))
    across, up = Axis(-0.5, n - 0.5, x, x + width), Axis(low, high, y + HEAD + HIGH - 8, y + HEAD + 8)
    mean = float(top.mean())
    marks = [rect(x, y + HEAD, width, HIGH, "area", 0)]
    for when, role, look, goals, words in (
        (every, "badtext", "badline", [mean] * n, f"pulls all to the mean of {found.row}, {number(mean)}"),
        (own, "forwardtext", "", top, f"pulls each to its own {found.row}"),
    ):
        marks.append(text(x, y + 12, words, role, when=when))
        pulls = [part for i, goal in enumerate(goals) for part in ((i, left[i]), (i, goal), None)]
        points = [part and (across(part[0]), up(float(part[1]))) for part in pulls]
        marks.append(path(polyline(points), "axis", when=when))
        if look:
            marks.append(line(x, up(mean), x + width, up(mean), look, when=when))
    for i in range(n):
        marks.append(circle(across(i), up(float(top[i])), 3.5, "leaf", link=f"pair {i} {i}"))
        marks.append(rect(across(i) - 3, up(float(left[i])) - 3, 6, 6, "bar", 0, link=f"pair {i} {i}"))
    marks += [rect(x, y + 19, 8, 8, "bar", 0), text(x + 13, y + 27, found.column, "note")]
    aside = x + 30 + width_of(found.column, 13)
    return [*marks, circle(aside, y + 23, 4, "leaf"), text(aside + 9, y + 27, found.row, "note")]


def squares(found: Pairs) -> bool:
    """Whether all pairs are known, and what came of each is the square of its difference, perhaps times a number."""
    left, top, terms = found.left, found.top, found.terms
    if not all(map(plain, (left, top, terms))) or not len(left) == len(top) == found.count == len(terms):
        return False
    every = np.subtract.outer(np.asarray(left, float), np.asarray(top, float)) ** 2
    scale = np.vdot(every, terms) / max(np.vdot(every, every), 1e-300)
    return bool(scale > 0 and np.abs(terms - scale * every).max() <= NEAR * np.abs(terms).max())
