"""Why a step down the gradient lands where it does: the learning rate times the curvature along it, against 1 and 2.

After such a step, 1 − rate × curvature of the gradient along it is left: below 1 some is left and it goes on, between 1 and 2
less than all has turned round, above 2 more than all.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ...kit.axes import Axis
from ...kit.scene import Mark, path, rect, text
from ...kit.strokes import NOWHERE
from ...kit.words import number
from .run import Waypoint

LEAST, MOST = -0.5, 3.0
ZONES = (
    (0.0, 1.0, "zone-normal", "stops short"),
    (1.0, 2.0, "zone-subnormal", "zigzags"),
    (2.0, MOST, "zone-over", "flies off"),
)
LIMITS = ("below 1", "above 1", "above 2")
HIGH, BAR = 58.0, 14.0  # px: of the gauge, and of its bar


def curved(moments: Sequence[Waypoint], rate: float, step: int) -> float | None:
    """The rate times the mean curvature along the last step; None where that was no step of rate × gradient.

    >>> walk = [Waypoint((1.0, 0.0), 5.0, (10.0, 0.0), {}), Waypoint((-0.5, 0.0), 1.25, (-5.0, 0.0), {})]
    >>> curved(walk, 0.15, 1), curved(walk, 0.1, 1)
    (1.5, None)
    """
    if not 0 < step < len(moments):
        return None
    before, after = moments[step - 1], moments[step]
    slope, moved = np.array(before.gradient), np.subtract(after.place, before.place)
    if not slope.any() or not np.allclose(moved, -rate * slope, rtol=1e-4, atol=1e-12):
        return None
    return float(1 - np.dot(after.gradient, slope) / np.dot(slope, slope))


def plain(moments: Sequence[Waypoint], rate: float) -> bool:
    """Whether all steps are those of rate × gradient, as far as they are."""
    return len(moments) > 1 and all(curved(moments, rate, i) is not None for i in range(1, min(len(moments), 4)))


WHY = [
    (-1e300, "below 0: the ground gets steeper on the way"),
    *((low, f"{limit}: it {does}") for (low, _, _, does), limit in zip(ZONES, LIMITS, strict=True)),
]


def reason(name: str, found: float | None) -> str:
    """Why, in a sentence; "" before the first step."""
    if found is None:
        return ""
    _, why = next(zone for zone in reversed(WHY) if found >= zone[0])
    return f"{name}'s rate × curvature is {number(found)}, {why}."


def gauge(x: float, y: float, width: float, name: str, follow: Callable[..., Mark]) -> Iterator[Mark]:
    """A bar with its zones, and a pointer that follows the step."""
    across = Axis(LEAST, MOST, x, x + width)
    yield follow(text(x, y + 10, "", "name"), "text", "measured", name)
    top = y + 26
    for low, high, role, does in ZONES:
        yield rect(across(low), top, across(high) - across(low), BAR, role, 0)
        yield text((across(low) + across(high)) / 2, top + 11, does, "note", "middle")
    for limit in (0.0, 1.0, 2.0):
        yield text(across(limit), top + BAR + 13, number(limit), "tick", "middle")
    given = {"low": LEAST, "high": MOST, "start": x, "end": x + width, "top": top}
    yield follow(path(NOWHERE, "inkhead"), "d", "pointer", name, corners=[[-6, -9], [6, -9], [0, 3]], **given)
