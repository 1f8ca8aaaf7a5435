"""What a pass does to a Jacobian: what goes in lights up its row or column, a cover draws back, and its numbers travel out."""

from collections.abc import Iterator

import numpy as np

from ...kit.heat import Grid
from ...kit.scene import STEP, Mark, Motion, arrow_head, only, rect, text
from ...kit.strokes import polyline
from ...kit.words import number
from .directions import DIAL, Directions
from .layout import ANY, HOLD, JVP, VJP, Layout

COVERED, ARRIVED = 0.45 * STEP, 0.9 * STEP  # when a cover is gone, and when the numbers have arrived
PUSHED = {"mode": [1, 2]}


def bands(on: Layout) -> Iterator[Mark]:
    """Up to the matrix, whose colours they leave alone: from what goes in, through the output or input that it belongs to."""
    m, n = on.m, on.n
    seen, every = [(0, "hidden"), (1, "lit")], [0] if m > 1 else []
    row = rect(HOLD + 4, 0, on.left - on.gap / 2 - HOLD - 4, on.h, "row", 6, when=VJP).varying("pulls", state=seen)
    tall = [on.h] * (m + 1) + [m * on.h for _ in every]
    yield row.following("pulls", y=[on.top + i * on.h for i in (0, *range(m), *every)], height=tall)
    column = rect(0, HOLD, on.w, on.top - on.gap / 2 - HOLD, "row", 6, when=JVP).varying("pushes", state=seen)
    yield column.following("pushes", x=[on.left + j * on.w for j in (0, *range(n))])


def covers(on: Layout) -> Iterator[Mark]:
    """What is not computed yet; a cover draws back along its row or column."""
    pulls, pushes, matrix = len(on.phrases.pulls), on.n + 1, on.grid(on.left, on.top)
    for i in range(on.m):
        gone = [k > i for k in range(pulls)]
        cover = matrix.block(i, 0, 1, on.n, "area", when=VJP)
        x, width = [on.right if g else on.left for g in gone], [0.0 if g else on.right - on.left for g in gone]
        yield cover.following("pulls", x=x, width=width).moving("pulls", 0.0, COVERED, "x", "width")
    for j in range(on.n):
        gone = [k > j for k in range(pushes)]
        cover = matrix.block(0, j, on.m, 1, "area", when=JVP)
        y, height = [on.bottom if g else on.top for g in gone], [0.0 if g else on.bottom - on.top for g in gone]
        yield cover.following("pushes", y=y, height=height).moving("pushes", 0.0, COVERED, "y", "height")


def tokens(on: Layout) -> Iterator[Mark]:
    """The numbers of a row go down to where it comes out, those of a column to the right."""
    for i, j in np.ndindex(on.m, on.n) if on.words else ():
        x, y = on.left + (j + 0.5) * on.w, on.top + (i + 0.5) * on.h + 4
        below, beside = (x, on.below + on.h / 2 + 4), (on.beside + on.w / 2, y)
        for dial, position, end, when in (("pulls", i + 1, below, VJP), ("pushes", j + 1, beside, JVP)):
            way = polyline([(x, y), end])
            going = Motion(dial, "along", COVERED, ARRIVED - COVERED, position, 0.0, 1.0, way)
            yield text(0, 0, number(on.tiles[i, j]), "tokentext", "middle", moves=[going], when=when)


def in_and_out(on: Layout) -> Iterator[Mark]:
    """The cotangent and the row that it gives; the tangent and the column."""
    m, n = on.m, on.n
    seeds, tangents = on.grid(HOLD + 8, on.top, on.seed, 1.0), on.grid(on.left, HOLD + 4, scale=1.0)
    below, beside = on.grid(on.left, on.below), on.grid(on.beside, on.top)
    sums = [1.0] if m > 1 else []
    yield from only(VJP, [seeds.lines(m, 1), below.lines(1, n)])
    yield from only(PUSHED, [tangents.lines(1, n), beside.lines(m, 1)])
    for i in range(m):
        yield from only(VJP, seeds.moving(i, 0, [None, *(float(i == k) for k in range(m)), *sums], "pulls"))
        yield from only(JVP, _arriving("pushes", beside.moving(i, 0, [None, *on.tiles[i]], "pushes")))
    for j in range(n):
        totals = [on.total[j]] if sums else []
        yield from only(VJP, _arriving("pulls", below.moving(0, j, [None, *on.tiles[:, j], *totals], "pulls")))
        yield from only(JVP, tangents.moving(0, j, [None, *(float(j == k) for k in range(n))], "pushes"))
    if on.directions:
        yield from only(ANY, _any_direction(on, on.directions, tangents, beside))
    yield from _names(on, seeds, below, tangents, beside)
    yield from _frames(on)


def _arriving(dial: str, marks: Iterator[Mark]) -> Iterator[Mark]:
    """Numbers that change when those that travel have arrived."""
    return (mark.moving(dial, ARRIVED, 0.0, "text", "opacity") for mark in marks)


def _any_direction(on, directions: Directions, tangents: Grid, beside: Grid) -> Iterator[Mark]:
    """The tangent that is turned round in the plane of two inputs, and what it gives."""
    t = np.zeros((len(directions.tangents), on.n))
    t[:, directions.columns] = directions.tangents
    for j in range(on.n):
        yield from tangents.moving(0, j, t[:, j].tolist(), DIAL)
    for i, values in enumerate(on.tiles.astype(float) @ t.T):
        yield from beside.moving(i, 0, values.round(12).tolist(), DIAL)


def _names(on, seeds, below, tangents, beside) -> list[Mark]:
    middle, row = (on.left + on.right) / 2, (on.top + on.bottom) / 2
    return [
        seeds.over(0, on.top - on.h - 6, "v", "slope", when=VJP),
        text(on.right + 8, row + 4, "J", "name", when=VJP),
        text(middle, on.bottom + 18, "J", "name", "middle", when=PUSHED),
        below.before(0, on.left - 8, "vᵀJ", "slope", when=VJP),
        arrow_head(middle, below.y - 2, 0, 1, "backhead", when=VJP),
        tangents.before(0, on.left - 8, "tangent t", "forwardtext", when=PUSHED),
        beside.over(0, on.top - 8, "J t", "forwardtext", when=PUSHED),
        arrow_head(beside.x - 2, row, 1, 0, "head", when=PUSHED),
    ]


def _frames(on) -> Iterator[Mark]:
    """Around the row or column that this pass fills."""
    m, n, edge = on.m, on.n, 2
    x, y, width, height = on.left - edge, on.top - edge, on.w + 2 * edge, on.h + 2 * edge
    whole = m * on.h + 2 * edge
    seen, again = [(0, "hidden"), (1, "now")], [0] if m > 1 else []
    row = rect(x, y, n * on.w + 2 * edge, height, "backedge", when=VJP).varying("pulls", state=seen)
    rows, heights = [0, *range(m), *again], [height] * (m + 1) + [whole for _ in again]
    yield row.following("pulls", y=[y + i * on.h for i in rows], height=heights)
    column = rect(x, y, width, whole, "edge", when=JVP).varying("pushes", state=seen)
    yield column.following("pushes", x=[x + j * on.w for j in (0, *range(n))])
