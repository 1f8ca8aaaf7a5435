"""The ground of a loss landscape: its frame, its contour lines, and between which losses it lies."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ....engine import value_and_grad
from ....mindspore import Tensor, float64
from ....program import Recording, recorded
from ....tracing import plain_function
from ...kit.reckoning import Const, Program
from ...kit.sketch import Point, polyline
from ...kit.words import number
from .run import Frame, Loss, Pair, heights

SQUARE_AT = 49  # places along each axis at which the ground is measured
APART = 34.0, 15.0  # px between the numbers of contour lines, across and down


@dataclass(frozen=True)
class Level:
    """A contour line: its number, its points in px (None between two pieces), and where the number is written, if anywhere."""

    name: str
    points: list[Point | None]
    spot: Point | None


@dataclass(frozen=True)
class Ground:
    """`lowest`: the place of the least loss, None at the edge of the frame; `least`, `most`: the losses there are."""

    frame: Frame
    levels: list[Level]
    lowest: Pair | None
    least: float
    most: float

    def holds(self, place: Pair) -> bool:
        """Whether a place is within the frame."""
        (x, y), (left, right, low, high) = place, self.frame
        return left <= x <= right and low <= y <= high

    def written(self) -> dict[str, Any]:
        """As the page reads it."""
        levels = [{"name": one.name, "path": polyline(one.points), "spot": one.spot} for one in self.levels]
        return vars(self) | {"levels": levels}


def ground(loss: Loss, frame: Frame, box: tuple[float, float, float, float]) -> Ground:
    """That of a loss, in a box of px: its left, top, right and base."""
    (left, right, low, high), (start, top, end, base) = frame, box
    xs, ys = np.linspace(left, right, SQUARE_AT), np.linspace(low, high, SQUARE_AT)
    found = heights(loss, xs, ys)
    finite = found[np.isfinite(found)]
    at_x, at_y = np.linspace(start, end, SQUARE_AT), np.linspace(base, top, SQUARE_AT)
    down, across = np.unravel_index(int(np.argmin(np.where(np.isnan(found), np.inf, found))), found.shape)
    inside = 0 < down < SQUARE_AT - 1 and 0 < across < SQUARE_AT - 1  # else it may go on beyond the frame
    lowest = (float(xs[across]), float(ys[down])) if inside and finite.min() < finite.max() else None
    levels, taken = [], [(float(at_x[across]), float(at_y[down]))]
    for value in reversed(levels_of(found)):
        pieces = contour(found, at_x, at_y, value)
        points = [point for piece in pieces for point in (*piece, None)]
        free = [(x, y + 4) for (x, y), _ in pieces if start + 16 < x < end - 16 and top + 8 < y < base - 12]
        spot = max((place for place in free if _away(place, taken)), key=lambda place: place[1], default=None)
        taken += [spot] if spot else []
        levels += [Level(number(value), points, spot)] if pieces else []
    return Ground(frame, levels, lowest, float(finite.min()), float(finite.max()))


def _away(place: Point, others: list[Point]) -> bool:
    return all(abs(place[0] - x) > APART[0] or abs(place[1] - y) > APART[1] for x, y in others)


def levels_of(ground: np.ndarray, most: int = 9) -> list[float]:
    """Round heights for contour lines: 1 and 3 times powers of ten; evenly spaced ones where the ground is not positive.

    >>> levels_of(np.array([0.02, 50.0]))
    [0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0]
    >>> levels_of(np.array([-1.0, 1.0]), most=3)
    [-0.5, 0.0, 0.5]
    """
    finite = ground[np.isfinite(ground)]
    if not finite.size or finite.min() == finite.max():
        return []
    low, high = float(finite.min()), float(finite.max())
    if low < 0:
        return [float(f"{v:.3g}") for v in np.linspace(low, high, most + 2)[1:-1]]
    top = int(np.floor(np.log10(high)))
    every = [float(f"{digit}e{power}") for power in range(top - 8, top + 1) for digit in (1, 3)]
    return [level for level in every if low < level < high][-most:]


def contour(values: np.ndarray, xs: np.ndarray, ys: np.ndarray, level: float) -> list[tuple[Point, Point]]:
    """Line segments along which `values` (rows at `ys`, columns at `xs`) equals `level`: marching squares.

    >>> contour(np.array([[0.0, 1.0], [0.0, 1.0]]), np.array([0.0, 1.0]), np.array([0.0, 1.0]), 0.5)
    [((0.5, 0.0), (0.5, 1.0))]
    """
    above = values >= level
    corner = above[:-1, :-1]
    mixed = (corner != above[:-1, 1:]) | (corner != above[1:, 1:]) | (corner != above[1:, :-1])
    finite = np.isfinite(values)
    mixed &= finite[:-1, :-1] & finite[:-1, 1:] & finite[1:, 1:] & finite[1:, :-1]
    segments = []
    for i, j in np.argwhere(mixed):
        corners = [(i, j), (i, j + 1), (i + 1, j + 1), (i + 1, j), (i, j)]
        found = []
        for (r, c), (r2, c2) in pairwise(corners):
            if above[r, c] != above[r2, c2]:
                t = (level - values[r, c]) / (values[r2, c2] - values[r, c])
                found.append((float(xs[c] + t * (xs[c2] - xs[c])), float(ys[r] + t * (ys[r2] - ys[r]))))
        segments += list(zip(found[::2], found[1::2]))
    return segments


def lines_of(loss: Loss) -> dict[str, Any] | None:
    """The loss and its gradient as scalar lines, and where they stand; None where the loss decides by its numbers, or uses an
    op that has no such lines."""
    try:
        start = [Tensor(np.array(value), float64) for value in (0.3, 0.7)]
        plain, values, _ = plain_function(lambda x, y: loss(x, y), start, {}, None)
        recording = Recording()
        x, y = (recording.input(value, name) for value, name in zip(values, "xy", strict=True))
        height, (across, up) = recording.run(value_and_grad(plain, (0, 1)), x, y)
        program, known = Program.of(recording.log, dict(zip("xy", values, strict=True)), ["x", "y"])
    except Exception:  # whatever it is, the descents themselves went well
        return None
    ops = [recorded(box) for box in (height, across, up)]
    ends = [Const(float(box)) if op is None else known[op] for op, box in zip(ops, (height, across, up), strict=True)]
    return program.written() | {"ends": [[end.value] if isinstance(end, Const) else end for end in ends]}
