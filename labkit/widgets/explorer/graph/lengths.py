"""The points of the curve of norms: how long the gradients of boxes and of weights are; the mean factor from layer to layer."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from ....engine import Summary
from ...kit.words import norm, number
from ..run.story import Node
from .cards import short
from .units import Unit, Units

FEWEST_LAYERS = 3


@dataclass(frozen=True)
class Point:
    """The norm that is at a box from the step `when` on, in the column of the step `at`, in which the box is walked: of what
    arrives there, or of a `leaf`. `single`: of one number, which has no length that others could be compared with. `main`: on
    the longest way."""

    unit: Unit
    at: int
    when: int
    norm: float
    single: bool
    main: bool
    leaf: Node | None = None
    total: Any = None

    @property
    def title(self) -> str:
        """Of its leaf, or of its box."""
        return self.leaf.title if self.leaf else short(self.unit)

    @property
    def weight(self) -> bool:
        """Whether it is of a matrix, or of more, which is not what the curve leads to."""
        return self.leaf is not None and len(self.leaf.shape) > 1 and self.known and not self.main

    @property
    def known(self) -> bool:
        """Whether it has a place on the axis."""
        return isfinite(self.norm) and self.norm > 0


def points_of(units: Units, known: Sequence[tuple[Unit, int, Any]]) -> list[Point]:
    """Of boxes, from what is known there, and of the weights inside them."""
    main = _main(units)
    columns = {unit: units.walked.get(unit, at) for unit, at, _ in known}
    behind = max([*units.walked.values(), *columns.values()]) + 1  # of what the curve leads to, which is not walked
    columns |= {unit: behind for unit in columns if unit.lead.leaf and unit in main}
    points = [
        Point(u, columns[u], at, norm(v), np.size(v) == 1, u in main, None, v) for u, at, v in known if not u.lead.leaf
    ]
    points += [
        Point(u, _column_of(units, u, main, columns), at, norm(v), np.size(v) == 1, u in main, u.lead, v)
        for u, at, v in known
        if u.lead.leaf
    ]
    points += _inside(units, columns, main)
    return points


def _main(units: Units) -> set[Unit]:
    """The boxes on the longest way, from an input of the user's if it can be."""
    order = [u.index for u in sorted(units.units, key=lambda unit: min(unit.nodes))]
    edges = [(edge.start.index, edge.end.index) for edge in units.edges if units.sent_along(edge)]
    found = spine_of(order, edges)
    return {unit for unit in units.units if unit.index in found}


def spine_of(order: Sequence[int], edges: Iterable[tuple[int, int]]) -> set[int]:
    """The boxes on the longest path.

    >>> sorted(spine_of([0, 1, 2, 3], [(0, 1), (1, 2), (3, 2)]))
    [0, 1, 2]
    """
    parents: dict[int, list[int]] = {v: [] for v in order}
    for u, v in edges:
        parents[v].append(u)
    history = dict.fromkeys(order, 0)
    for v in order:
        history[v] = max((history[u] + 1 for u in parents[v]), default=0)
    found = set[int]()
    at = max(order, key=lambda v: history[v], default=None)
    while at is not None:
        found.add(at)
        at = max(parents[at], key=lambda v: history[v], default=None)
    return found


def _column_of(units: Units, leaf: Unit, main: set[Unit], columns: Mapping[Unit, int]) -> int:
    """Where a leaf's dot stands: with the box that uses it, perhaps turned around before, if the curve leads there."""
    user = next(iter(units.users.get(leaf, ())), leaf)
    if user not in main and len(user.lead.parents) == 1:
        user = next(iter(units.users.get(user, ())), user)
    return columns.get(user if user in main and leaf not in main else leaf, columns[leaf])


def _inside(units: Units, columns: Mapping[Unit, int], main: set[Unit]) -> Iterator[Point]:
    """The weights that folded blocks alone hold, each in the column of its block; of several where its sum is complete."""
    found: dict[int, Point] = {}
    for unit, when in units.walked.items():
        sent = {each.parent: each.total for step in units.steps_of[unit] for each in step.sent}
        for i in set(unit.inside) - units.home.keys() if unit in columns else ():
            leaf, total = units.story.nodes[i], sent.get(i)
            if len(leaf.shape) > 1 and total is not None and not (isinstance(total, Summary) and total.norm is None):
                found[i] = Point(unit, columns[unit], when, norm(total), False, False, leaf, total)
    yield from found.values()


class Trend(NamedTuple):
    """The weights with the longest and the shortest gradient, as the way back reaches them; how many `layers` lie between, 0
    where the curve does not lead from one to the other."""

    first: Point
    last: Point
    layers: int

    @property
    def words(self) -> str:
        """What the norm is multiplied by from one layer to the next on the way back, on average."""
        return f"weights × {number((self.last.norm / self.first.norm) ** (1 / self.layers))} per layer"

    @property
    def when(self) -> int:
        """From when on it is known."""
        return max(self.first.when, self.last.when)


def trend_of(points: Sequence[Point]) -> Trend | None:
    """None where there are not several layers with weights, or the ends are in one."""
    weights = [p for p in points if p.weight]
    curve = {p.at for p in points if p.main and not p.leaf}
    columns = sorted({p.at for p in weights} & curve)
    if len(columns) < FEWEST_LAYERS:
        return None
    least, most = (find(weights, key=lambda p: p.norm) for find in (min, max))
    first, last = sorted((least, most), key=lambda p: p.at)
    both = first.at in columns and last.at in columns
    return Trend(first, last, columns.index(last.at) - columns.index(first.at) if both else 0)
