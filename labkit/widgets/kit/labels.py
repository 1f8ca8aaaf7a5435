"""Where words stand beside points that move: clear of each other, of lines, and of the border."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, hypot

import numpy as np

from .strokes import Point

HIGH, BASELINE = 13.0, 4.0  # px: of words, and from their middle down to the baseline
APART, EDGE, EVERY = (
    3.0,
    2.0,
    8.0,
)  # px around words, to the border, and between the points of a line that they keep away from
WAYS, FAR = 16, (12.0, 20.0, 32.0)  # directions from a point, and px from it to the nearest edge of the words
HIDDEN, NEARER, AHEAD = (
    100.0,
    0.12,
    3.0,
)  # what it costs to stand on words, a px further away, in the opposite direction


@dataclass(frozen=True)
class Label:
    """Words that are `wide` px, for a point. `toward`: the direction from it in which they stand best, y downwards."""

    spot: Point
    wide: float
    toward: Point = (0.0, -1.0)


@dataclass(frozen=True)
class Line:
    """What words keep away from: a line through points; `weight`: how much, if there is not room for all."""

    points: Sequence[Point]
    weight: float = 1.0


def beside_points(
    labels: Sequence[Label], lines: Iterable[Line], left: float, top: float, right: float, bottom: float
) -> list[Point]:
    """Where the middle of each label's baseline stands, px; the first label chooses first.

    >>> beside_points([Label((50.0, 50.0), 20.0)], [Line([(50.0, 10.0), (50.0, 50.0)])], 0, 0, 100, 100)
    [(64.0, 40.0)]
    """
    points, weights = _sampled(lines)
    taken: list[np.ndarray] = []
    found: list[Point] = []
    for label in labels:
        boxes, costs = _candidates(label, left, top, right, bottom)
        costs = costs + _inside(boxes, points) @ weights
        for other in taken:
            costs += HIDDEN * _overlapping(boxes, other)
        best = boxes[int(np.argmin(costs))]
        taken.append(best)
        found.append((2.0 * round((best[0] + best[2]) / 4), 2.0 * round((best[1] + best[3]) / 4) + BASELINE))
    return found


def _sampled(lines):
    """Points close together on all lines, and their weights."""
    points, weights = [np.zeros((0, 2))], [np.zeros(0)]
    for line in lines:
        for (x, y), (x_end, y_end) in zip(line.points, line.points[1:], strict=False):
            share = np.linspace(0, 1, ceil(hypot(x_end - x, y_end - y) / EVERY) + 1)[:, None]
            points.append(np.array([x, y]) * (1 - share) + np.array([x_end, y_end]) * share)
            weights.append(np.full(len(share), line.weight))
    return np.concatenate(points), np.concatenate(weights)


def _candidates(label, left, top, right, bottom):
    """Boxes (left, top, right, bottom) around the point, moved inside the border, and what each costs by itself."""
    turns = np.arange(WAYS) * 2 * np.pi / WAYS
    ways = np.stack([np.cos(turns), np.sin(turns)], axis=1).repeat(len(FAR), axis=0)
    far = np.tile(FAR, WAYS)[:, None]
    half = np.array([label.wide / 2, HIGH / 2])
    middles = np.array(label.spot) + ways * (far + np.minimum(half, np.abs(ways) * half.max()))
    low, high = np.array([left, top]) + half + EDGE, np.array([right, bottom]) - half - EDGE
    kept = np.clip(middles, low, np.maximum(low, high))
    toward = np.array(label.toward) / (np.hypot(*label.toward) or 1.0)
    costs = NEARER * far[:, 0] + AHEAD * (1 - ways @ toward) + np.hypot(*(kept - middles).T)
    return np.concatenate([kept - half, kept + half], axis=1), costs


def _inside(boxes, points):
    """Which points (columns) lie in which boxes (rows), or nearly."""
    x, y = points.T
    across = (x > boxes[:, :1] - APART) & (x < boxes[:, 2:3] + APART)
    return (across & (y > boxes[:, 1:2] - APART) & (y < boxes[:, 3:4] + APART)).astype(float)


def _overlapping(boxes, other):
    return (
        (boxes[:, 0] < other[2] + APART)
        & (boxes[:, 2] > other[0] - APART)
        & (boxes[:, 1] < other[3] + APART)
        & (boxes[:, 3] > other[1] - APART)
    )
