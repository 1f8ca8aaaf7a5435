"""A tangent or a cotangent turned round: beside the circle of its tip what the Jacobian makes of it, an ellipse."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...kit.axes import Axis, Plane
from ...kit.grips import Grip
from ...kit.passes import Passes
from ...kit.scene import Mark, Panel, path, text
from ...kit.strokes import Point, polygon
from ...kit.words import joined, number, paragraph

TURNS, FINE = 24, 5  # positions of a turn, and points of the circle between two of them
SIDE, TOP, LEFT, RIGHT = 176.0, 36.0, 34.0, 256.0  # of the two planes, px
HEIGHT = 262.0  # px, of what stands beside the matrix
HEAD = ((0.0, 0.0), (-10.0, -5.0), (-10.0, 5.0))


@dataclass(frozen=True)
class Directions:
    """The two inputs with the largest columns, and where they move the outputs: `part` makes two coordinates of two.

    These are two outputs if no other one moves; else coordinates in the plane that both columns span (`spanned`), so that
    lengths are those of all outputs. `back`: the same of the transposed Jacobian, for what is pulled; then `columns` are
    places of outputs."""

    columns: tuple[int, int]
    part: np.ndarray
    names: tuple[Sequence[str], Sequence[str]]
    others: Sequence[str] = ()
    spanned: bool = False
    back: bool = False

    @classmethod
    def of(cls, passes: Passes, back: bool = False) -> "Directions | None":
        """None where there are no two inputs and two outputs that can be drawn."""
        matrix = passes.matrix.T if back else passes.matrix
        ins, outs = (passes.rows, passes.columns) if back else (passes.columns, passes.rows)
        if min(matrix.shape) < 2 or not np.isfinite(matrix).all() or not matrix.any():
            return None
        columns = _largest(np.abs(matrix).max(0))
        moved = matrix[:, columns].astype(float)
        rows = _largest(np.abs(moved).max(1))
        spanned = bool(np.delete(moved, rows, 0).any())
        part = _within(moved) if spanned else moved[list(rows)]
        others = [name for j, name in enumerate(ins) if j not in columns]
        return cls(columns, part, ([ins[j] for j in columns], [outs[i] for i in rows]), others, spanned, back)

    @property
    def dial(self) -> str:
        """The dial that turns it."""
        return "weights" if self.back else "direction"

    @property
    def letter(self) -> str:
        """What goes in."""
        return "v" if self.back else "t"

    @property
    def made(self) -> str:
        """What comes out."""
        return "vᵀJ" if self.back else "J t"

    @property
    def tangents(self) -> np.ndarray:
        """At each position (cos, sin) of its angle; the last is the first again."""
        return _circle(TURNS)

    @property
    def images(self) -> np.ndarray:
        """What the part of the Jacobian makes of each."""
        return self.tangents @ self.part.T

    def values(self) -> list[str]:
        """The names of the positions."""
        return [f"{k * 360 // TURNS}°" for k in range(TURNS + 1)]

    def captions(self) -> list[str]:
        """What is said at each."""
        sizes, line = np.linalg.norm(self.images, axis=1), "row" if self.back else "column"
        names = [f"{line} of {name}" for name in self.names[0]]
        return [
            paragraph(
                f"{self.made} = {joined(f'{number(weight)} × {name}' for weight, name in zip(t, names) if weight)}.",
                f"{number(size)} times as long as {self.letter}.", self._about(k, sizes),
            )
            for k, (t, size) in enumerate(zip(self.tangents, sizes, strict=True))
        ]  # fmt: skip

    def _about(self, k, sizes):
        if not sizes[k]:
            return f"The {'inputs get nothing from there' if self.back else 'outputs do not move this way'}."
        if np.isclose(sizes[k], sizes.max()):
            return "The longest of these."
        return "The shortest of these." if np.isclose(sizes[k], sizes.min()) else ""

    # ---- the panel ----

    def panel(self) -> Panel:
        """Two planes: what goes in, on its circle, which is dragged, and what comes out, on the ellipse."""
        marks = [*self._plane(self._from, self.names[0], self.letter), *self._plane(self._to, self.names[1], self.made)]
        marks += [text((LEFT + RIGHT + SIDE) / 2 - 6, TOP + SIDE / 2 + 4, "→", "name", "middle")]
        circle = _circle(TURNS * FINE)
        roles = (
            (("backedge", "backhead"), ("backvector", "backhead"))
            if self.back
            else (("edge", "head"), ("vector", "head"))
        )
        marks += self._shapes(self._from, circle, np.eye(2), self.tangents, *roles[0])
        marks += self._shapes(self._to, circle @ self.part.T, self.part.T, self.images, *roles[1])
        title = f"Drag the tip of {self.letter}: what was a circle becomes an ellipse"
        if self.others:
            marks += [text(LEFT, TOP + SIDE + 40, words, "note") for words in [self._left_out()]]
        return Panel(self.dial, title, RIGHT + SIDE + 12, HEIGHT, marks)

    def _left_out(self) -> str:
        """Why some elements of what goes in stay at 0."""
        line = "rows" if self.back else "columns"
        stay = f"{self.others[0]} stays" if len(self.others) == 1 else f"the {len(self.others)} others stay"
        return f"{joined(self.names[0], ' and ')} have the largest {line}; {stay} at 0"

    @property
    def _from(self) -> Plane:
        return _plane(LEFT, 1.25)

    @property
    def _to(self) -> Plane:
        return _plane(RIGHT, 1.15 * float(np.linalg.norm(self.part, 2)))

    def _plane(self, plane, names, what) -> Iterator[Mark]:
        x, (low, high) = plane.across, (TOP, TOP + SIDE)
        yield plane.ground()
        yield from plane.across.below(high + 14, plane.across.ticks(5), grid=(low, high))
        yield from plane.up.beside(x.start - 5, plane.up.ticks(5), grid=(x.start, x.end))
        yield text(x.start, 14, what, "name")
        spanned = f"in the plane of both {'rows' if self.back else 'columns'}"
        words = spanned if self.spanned and what == self.made else f"across {names[0]}, up {names[1]}"
        yield text(x.start + 34, 14, words, "note")

    def _shapes(self, plane: Plane, curve, basis, tips, role, head) -> Iterator[Mark]:
        """A closed curve, the two basis vectors or their images, and the vector that turns."""
        middle = plane.at((0, 0))
        yield path([plane.at(p) for p in curve], "grid")
        yield path([plane.at(p) for p in curve], role).following(
            self.dial, d=[[plane.at(p) for p in curve[: k * FINE + 1]] for k in range(TURNS + 1)]
        )
        for vector in basis:
            yield path([middle, plane.at(vector)], "axis")
        spots = [plane.at(tip) for tip in tips]
        yield path([middle], "inkline").following(self.dial, d=[[middle, spot] for spot in spots])
        yield path([middle], head).following(self.dial, d=[_head(middle, spot) for spot in spots])

    def grip(self) -> Grip:
        """The tip of what goes in."""
        name = f"The tip of the {'cotangent' if self.back else 'tangent'} {self.letter}"
        return Grip(f"tip of {self.letter}", self.dial, name, self.dial, [self._from.at(t) for t in self.tangents])


def _plane(left: float, reach: float) -> Plane:
    return Plane(Axis(-reach, reach, left, left + SIDE), Axis(-reach, reach, TOP + SIDE, TOP))


def _head(start: Point, end: Point) -> str:
    """The head of an arrow; for one of no length a point."""
    along = np.subtract(end, start)
    size = float(np.hypot(*along))
    (ux, uy), short = along / (size or 1.0), min(1.0, size / 10)
    return polygon([((dx * ux - dy * uy) * short, (dx * uy + dy * ux) * short) for dx, dy in HEAD], *end)


def _circle(count: int) -> np.ndarray:
    angles = 2 * np.pi * np.arange(count + 1) / count
    return np.round(np.stack([np.cos(angles), np.sin(angles)], 1), 12) + 0.0


def _largest(sizes) -> tuple[int, int]:
    """The places of the two largest, in order."""
    first, second = sorted(np.argsort(-sizes, kind="stable")[:2].tolist())
    return first, second


def _within(moved: np.ndarray) -> np.ndarray:
    """Two columns in coordinates of the plane that they span: the first lies along the first axis."""
    _, part = np.linalg.qr(moved)
    return part * np.where(np.diag(part) < 0, -1.0, 1.0)[:, None]
