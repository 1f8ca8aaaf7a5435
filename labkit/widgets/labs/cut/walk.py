"""The walk back, step by step, for every cut: what has arrived where, and the tokens that travel; at a cut they fall away."""

from collections.abc import Iterator, Sequence
from math import hypot

import numpy as np

from ...kit.layout import Point, path
from ...kit.motion import kept_between, point_on
from ...kit.scene import STEP, Mark, Motion, rect, text
from ...kit.strokes import polyline
from ...kit.words import brief, clipped
from .run import Cut, Cuts, Use

WALK = "walk"
ARRIVES, FALLS = 0.75 * STEP, 0.45 * STEP  # when a token is there; when one that falls has come to the cut
LATER, DROP = 0.13 * STEP, 46.0  # between tokens on one edge; px that one falls
HEIGHT, PAD, LETTER = 19.0, 12.0, 7.3  # of a token, px
PIECES = 12


class Walk:
    """In which order the nodes are walked, `order`, and at which position of the dial each is, `at`."""

    def __init__(self, found: Cuts):
        self.found, self.nodes = found, found.story.nodes
        self.order = [node.index for node in reversed(self.nodes) if node.parents]
        self.at = {index: position for position, index in enumerate(self.order, 1)}

    @property
    def joint(self) -> dict[str, int]:
        """The dials of the cut and of the walk, whose last position comes when all has arrived."""
        return {"cut": len(self.found.runs), WALK: self.last + 1}

    @property
    def last(self) -> int:
        return len(self.order) + 1

    def each(self) -> Iterator[tuple[Cut, int]]:
        """Every run with every position of the walk."""
        return ((run, walk) for run in self.found.runs for walk in range(self.last + 1))

    def over(self, walk: int) -> bool:
        return walk == self.last

    def arrived(self, run: Cut, index: int, walk: int) -> np.ndarray | None:
        """What has arrived at a node, as a sum; None before anything has."""
        node = self.nodes[index]
        known = [u for u in run.sent if self.at[u.node] <= walk and self.nodes[u.node].parents[u.place] == index]
        if not known:
            return np.asarray(node.seed) if node.output else None
        return run.sent[max(known, key=lambda u: (self.at[u.node], u.place))][1]

    def levels(self, index: int) -> list[float]:
        """How much has arrived at a node in every run at every step, as a part of the most that ever does."""
        found = [self.arrived(run, index, walk) for run, walk in self.each()]
        sizes = [0.0 if g is None else float(np.linalg.norm(np.ravel(g).astype(float))) for g in found]
        most = max([size for size in sizes if np.isfinite(size)], default=0.0)
        return [1.0 if not np.isfinite(size) else size / most if most else 0.0 for size in sizes]

    def passed(self, run: Cut, uses: Sequence[Use], walk: int) -> bool:
        """Whether something has gone back along one of these uses."""
        return any(use in run.sent and self.at[use.node] <= walk for use in uses)

    # ---- tokens ----

    def tokens(
        self, uses: Sequence[Use], route: Sequence[Point | None], rings: Sequence[Point], wide: float
    ) -> Iterator[Mark]:
        """What travels back along an edge of several uses, in every run. `rings`: where each use is cut. They stay in a
        panel that is `wide`."""
        points = [point for point in route if point]
        if len(points) < len(route):
            return
        back = path(points)
        for i, (use, ring) in enumerate(zip(uses, rings, strict=True)):
            groups: dict[tuple[str, str, bool], list[int]] = {}
            for k, run in enumerate(self.found.runs):
                gradient = run.gradients[use.node]
                if gradient is not None and (use in run.sent or run.use == use):
                    falls = run.use == use
                    then = "0" if falls else brief(run.sent[use][0])
                    groups.setdefault((brief(gradient), then, falls), []).append(k)
            for (first, then, falls), cuts in groups.items():
                words = clipped(first, 22), clipped(then, 22)
                half = (max(map(len, words)) * LETTER + PAD) / 2
                along = kept_between(_falling(back, ring) if falls else back, half + 2, wide - half - 2)
                yield from _token(along, falls, self.at[use.node], words, cuts, i * LATER)


def _token(along, falls, position, words, cuts, start) -> Iterator[Mark]:
    first, then = words
    width, when = max(map(len, words)) * LETTER + PAD, {"cut": cuts}
    ends = (0.0, 1.0) if falls else (1.0, 0.0)
    going = [Motion(WALK, "along", start, STEP - start if falls else ARRIVES - start, position, *ends, along)]
    if falls:
        going.append(Motion(WALK, "opacity", FALLS, STEP - FALLS, position, 1.0, 0.0))
    change = [Motion(WALK, "text", FALLS if falls else ARRIVES / 2, 0.0, position, first, then)]
    yield rect(-width / 2, -HEIGHT / 2, width, HEIGHT, "bad" if falls else "token", HEIGHT / 2, moves=going, when=when)
    yield text(0, 4, first, "tokentext", "middle", moves=going + change * (first != then), when=when)


def _falling(back: str, ring: Point) -> str:
    """The way from the end of an edge to where it is cut, and down."""
    shares = [k / (4 * PIECES) for k in range(4 * PIECES + 1)]
    stop = min(shares, key=lambda share: hypot(*(a - b for a, b in zip(point_on(back, share), ring))))
    way = [point_on(back, 1 - (1 - stop) * k / PIECES) for k in range(PIECES + 1)]
    return polyline([*way, (way[-1][0], way[-1][1] + DROP)])
