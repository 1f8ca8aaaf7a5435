"""What follows the step along a descent: each a `How`, from which the values at all steps are made here, and in a saved page by
`kit/page/walking.js`, which draws the same kinds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ...kit.axes import Axis, Plane
from ...kit.scene import arrow_head, changes
from ...kit.strokes import NOWHERE, Point, polygon, polyline, tenth
from ...kit.words import number
from .gauge import curved, reason
from .run import Waypoint

HEAD = 8.0  # px: of an arrow


@dataclass(frozen=True)
class Walks:
    """The descents that are shown: their moments by name, at one learning rate, and over which axes they are drawn. `now`: the
    only step that is seen, None for all."""

    moments: Mapping[str, Sequence[Waypoint]]
    rate: float
    steps: int
    plane: Plane
    losses: Plane
    now: int | None = None

    @cached_property
    def tracks(self) -> dict[str, list[Point]]:
        """The ways of the paths in px, up to where they leave the plane."""
        return {name: self.plane.track([m.place for m in moments]) for name, moments in self.moments.items()}

    @cached_property
    def spots(self) -> dict[str, list[Point]]:
        """The places up to there, px."""
        return {name: self.plane.inner([m.place for m in moments]) for name, moments in self.moments.items()}

    def at(self, name: str, step: int) -> Waypoint:
        """Where one stands at a step; after its last one there."""
        return self.moments[name][min(step, len(self.moments[name]) - 1)]


@dataclass(frozen=True)
class How:
    """`kind`: one of `KINDS`; `of`: an optimizer; `given`: what the kind takes besides."""

    kind: str
    of: str = ""
    given: dict[str, Any] = field(default_factory=dict)

    def values(self, walks: Walks) -> list[Any]:
        """One for each step that is seen."""
        steps = range(walks.steps + 1) if walks.now is None else [walks.now]
        return [KINDS[self.kind](walks, self.of, step, **self.given) for step in steps]


class Following(list):
    """Changes that follow the step, with how they are made."""

    def __init__(self, how: How, walks: Walks):
        super().__init__(changes(how.values(walks)))
        self.how = how


class Spots(list):
    """Places of a handle that follow the step, with how they are made."""

    def __init__(self, how: How, walks: Walks):
        found = how.values(walks)
        super().__init__(found if walks.now is None else found * (walks.steps + 1))
        self.how = how


def followed(thing: Any, path: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Where something in a scene follows the step, and how."""
    if isinstance(thing, (Following, Spots)):
        return [(path, asdict(thing.how) | {"spots": isinstance(thing, Spots)})]
    if isinstance(thing, (str, int, float, type(None))):
        return []
    items = (
        thing.items()
        if isinstance(thing, Mapping)
        else enumerate(thing)
        if isinstance(thing, Sequence)
        else vars(thing).items()
    )
    return [one for key, inside in items for one in followed(inside, (*path, key))]


# ---- what is drawn ----


def _way(walks, of, step, last=None):
    """The line of a path up to a step, or its last steps; it ends where it leaves the plane."""
    track = walks.tracks[of]
    end = min(step, len(track) - 1)
    return polyline(track[0 if last is None else max(0, end - last) : end + 1])


def _signs(walks, of, step, corners, ages):
    """A sign for each of some steps, by how long ago they were."""
    spots = walks.spots[of]
    seen = [step - age for age in range(ages[1], ages[0] - 1, -1) if 0 <= step - age < len(spots)]
    return "".join(polygon(corners, *spots[i]) for i in seen) or NOWHERE


def _arrow(walks, of, step, adds, head):
    """The rate times the gradient, downhill; or what is added to that, which ends where the next step does."""
    moments = walks.moments[of]
    if step >= len(moments) or (adds and step + 1 >= len(moments)):
        return NOWHERE
    moment = moments[step]
    downhill = tuple(np.subtract(moment.place, walks.rate * np.array(moment.gradient)))
    start, end = (downhill, moments[step + 1].place) if adds else (moment.place, downhill)
    if not walks.plane.holds(start) or not walks.plane.holds(end):
        return NOWHERE if head or not walks.plane.holds(start) else polyline(walks.plane.track([start, end]))
    (x, y), (u, v) = walks.plane.at(start), walks.plane.at(end)
    size = min(HEAD, float(np.hypot(u - x, v - y)))
    if head:
        return arrow_head(u, v, u - x, v - y, "", size).at["d"] if size > 1 else NOWHERE
    return polyline([(x, y), (u, v)])


def _curve(walks, of, step):
    """The losses up to a step. The curve goes to the edge where they go beyond, and not along it."""
    losses = [m.loss for m in walks.moments[of][: step + 1]]
    inside = [walks.losses.up.holds(loss) for loss in losses]
    seen = (here or (i > 0 and inside[i - 1]) for i, here in enumerate(inside))
    return polyline(walks.losses.at((i, losses[i])) if drawn else None for i, drawn in enumerate(seen))


def _lost(walks, of, step, corners):
    """The sign at the end of the curve of losses."""
    last = min(step, len(walks.moments[of]) - 1)
    return polygon(corners, *walks.losses.at((last, walks.moments[of][last].loss)))


def _pointer(walks, of, step, corners, low, high, start, end, top):
    """Where the rate times the curvature stands on the gauge."""
    found = curved(walks.moments[of], walks.rate, min(step, len(walks.moments[of]) - 1))
    return NOWHERE if found is None else polygon(corners, Axis(low, high, start, end)(found), top)


# ---- what is written ----


def _loss(walks, of, step):
    if step >= len(walks.moments[of]):
        return "not finite"
    return number(walks.at(of, step).loss)


def _standing(walks, of, step):
    """A sentence of where it stands."""
    if step >= (count := len(walks.moments[of])):
        return f"{of}: not finite since step {count}."
    moment = walks.at(of, step)
    return f"{of}: loss {number(moment.loss)}{'' if walks.plane.holds(moment.place) else ', outside the picture'}."


def _measured(walks, of, step):
    found = curved(walks.moments[of], walks.rate, min(step, len(walks.moments[of]) - 1))
    return f"{of}'s last step: rate × curvature{'' if found is None else f' = {number(found)}'}"


def _reason(walks, of, step, why):
    return reason(of, curved(walks.moments[of], walks.rate, min(step, len(walks.moments[of]) - 1)))


# ---- what is dragged ----


def _rated(walks, _, step, **axis):
    """Where the learning rate stands."""
    return tenth(Axis(**axis)(walks.rate))


def _named(walks, _, step):
    return number(walks.rate)


def _spot(walks, of, step) -> Point | None:
    place = walks.at(of, step).place
    return walks.plane.at(place) if step and walks.plane.holds(place) else None


KINDS: dict[str, Callable[..., Any]] = {
    "way": _way, "signs": _signs, "arrow": _arrow, "curve": _curve, "lost": _lost, "pointer": _pointer, "loss": _loss,
    "standing": _standing, "measured": _measured, "reason": _reason, "spot": _spot,
    "rated": _rated, "named": _named,
}  # fmt: skip
