"""What a pass does to a Jacobian: what goes in lights up its row or column, a cover draws back, and its numbers travel out."""

from collections.abc import Iterator

import numpy as np

from ...kit.scene import STEP, Mark, Motion, arrow_head, circle, line, only, rect, text
from ...kit.strokes import polyline
from ...kit.words import number
from .directions import Directions
from .layout import ANY, HOLD, JVP, SUM, VJP, Layout

WENT, COVERED, ARRIVED = (
    0.3 * STEP,
    0.6 * STEP,
    0.95 * STEP,
)  # when the 1 is there, a cover is gone, and the numbers have arrived
EDGE, CHIP = 2.0, 22.0  # px: around a row, and how high what carries a number is
SEEN = [(0, "hidden"), (1, "")]


def bands(on: Layout) -> Iterator[Mark]:
    """Up to the matrix, whose colours they leave alone: from what goes in, through the output or input that it belongs to."""
    seen = [(0, "hidden"), (1, "lit")]
    if on.pushed:
        column = rect(0, HOLD, on.w, on.top - on.gap / 2 - HOLD, "row", 6, when=JVP).varying("pushes", state=seen)
        yield column.following("pushes", x=[on.left + j * on.w for j in (0, *range(on.n))])
        return
    every = [0] if on.m > 1 else []
    row = rect(HOLD + 4, 0, on.left - on.gap / 2 - HOLD - 4, on.h, "row", 6, when=VJP).varying("pulls", state=seen)
    tall = [on.h] * (on.m + 1) + [on.m * on.h for _ in every]
    yield row.following("pulls", y=[on.top + i * on.h for i in (0, *range(on.m), *every)], height=tall)


def rail(on: Layout) -> Iterator[Mark]:
    """Along which what goes in is dragged, with its stops."""
    first, *_, last = stops = on.stops
    marks = [line(*first, *last, "axis"), *(circle(x, y, 2.5, "inkhead") for x, y in stops)]
    if not on.pushed and on.m > 1:
        marks.append(text(last[0] + 14, last[1] + 4, "all ones", "note", link="ones"))
    yield from only(JVP if on.pushed else VJP, marks)


def covers(on: Layout) -> Iterator[Mark]:
    """What is not computed yet; a cover draws back along its row or column."""
    pulls, matrix = len(on.phrases.pulls), on.grid(on.left, on.top)
    for i in range(0 if on.pushed else on.m):
        gone = [k > i for k in range(pulls)]
        cover = matrix.block(i, 0, 1, on.n, "area", when=VJP)
        x, width = [on.right if g else on.left for g in gone], [0.0 if g else on.right - on.left for g in gone]
        yield cover.following("pulls", x=x, width=width).moving("pulls", WENT, COVERED - WENT, "x", "width")
    for j in range(on.n if on.pushed else 0):
        gone = [k > j for k in range(on.n + 1)]
        cover = matrix.block(0, j, on.m, 1, "area", when=JVP)
        y, height = [on.bottom if g else on.top for g in gone], [0.0 if g else on.bottom - on.top for g in gone]
        yield cover.following("pushes", y=y, height=height).moving("pushes", WENT, COVERED - WENT, "y", "height")


def tokens(on: Layout) -> Iterator[Mark]:
    """The numbers of a row go down to where it comes out, those of a column to the right, each on a chip."""
    role = "valuetoken" if on.pushed else "token"
    for i, j in np.ndindex(on.m, on.n) if on.words else ():
        x, y = on.left + (j + 0.5) * on.w, on.top + (i + 0.5) * on.h
        dial, position, end, when = "pulls", i + 1, (x, on.below + on.h / 2), VJP
        if on.pushed:
            dial, position, end, when = "pushes", j + 1, (on.beside + on.w / 2, y), JVP
        way = polyline([(x, y), end])
        going = [Motion(dial, "along", COVERED, ARRIVED - COVERED, at, 0.0, 1.0, way) for at in _all_too(on, position)]
        yield rect(4 - on.w / 2, -CHIP / 2, on.w - 8, CHIP, role, CHIP / 2, moves=going, when=when)
        yield text(0, 4, number(on.tiles[i, j]), "tokentext", "middle", moves=going, when=when)
    yield from _ones_on_their_way(on) if on.words else ()


def _ones_on_their_way(on) -> Iterator[Mark]:
    """The 1 of what goes in, to the row or column that it picks."""
    for i in range(on.n if on.pushed else on.m):
        if on.pushed:
            x, dial, when = on.left + (i + 0.5) * on.w, "pushes", JVP
            way = [(x, HOLD + 4 + on.h / 2), (x, on.top)]
        else:
            y, dial, when = on.top + (i + 0.5) * on.h, "pulls", VJP
            way = [(HOLD + 8 + on.seed / 2, y), (on.left, y)]
        going = [Motion(dial, "along", 0.0, WENT, at, 0.0, 1.0, polyline(way)) for at in _all_too(on, i + 1)]
        yield rect(-12, -CHIP / 2, 24, CHIP, "valuetoken" if on.pushed else "token", CHIP / 2, moves=going, when=when)
        yield text(0, 4, "1", "tokentext", "middle", moves=going, when=when)


def _all_too(on, position):
    """The position of one row, and of all rows at once."""
    return [position, on.m + 1] if on.m > 1 and not on.pushed else [position]


def in_and_out(on: Layout) -> Iterator[Mark]:
    """What a pass takes in, and what it gives."""
    yield from _pushed(on) if on.pushed else _pulled(on)


def _pulled(on) -> Iterator[Mark]:
    """The cotangent on the left, the row that it gives below."""
    m, n = on.m, on.n
    seeds, below = on.grid(HOLD + 8, on.top, on.seed, 1.0), on.grid(on.left, on.below)
    sums = [1.0] if m > 1 else []
    yield from (seeds.lines(m, 1), below.lines(1, n))
    for i in range(m):
        yield from only(VJP, seeds.moving(i, 0, [None, *(float(i == k) for k in range(m)), *sums], "pulls"))
    for j in range(n):
        totals = [on.total[j]] if sums else []
        yield from only(VJP, _arriving("pulls", below.moving(0, j, [None, *on.tiles[:, j], *totals], "pulls")))
    if found := on.directions:
        v = _spread(found, m)
        for i in range(m):
            yield from only(SUM, seeds.moving(i, 0, v[:, i].tolist(), found.dial))
        for j, values in enumerate((v @ on.tiles.astype(float)).T):
            yield from only(SUM, below.moving(0, j, values.round(12).tolist(), found.dial))
        yield from only(SUM, _weighed(on, found))
    middle = (on.left + on.right) / 2
    yield seeds.over(0, on.top - 8, "v", "slope")
    yield text(on.right + 8, (on.top + on.bottom) / 2 + 4, "J", "name")
    yield below.before(0, on.left - 8, "vᵀJ", "slope")
    yield arrow_head(middle, below.y - 2, 0, 1, "backhead")
    again = [0] if m > 1 else []
    frame = _frame(on, 0).varying("pulls", state=SEEN)
    heights = [frame.at["height"]] * (m + 1) + [m * on.h + 2 * EDGE for _ in again]
    ys = [on.top - EDGE + i * on.h for i in (0, *range(m), *again)]
    yield from only(VJP, [frame.following("pulls", y=ys, height=heights)])


def _pushed(on) -> Iterator[Mark]:
    """The tangent above, the column that it gives on the right."""
    m, n = on.m, on.n
    tangents, beside = on.grid(on.left, HOLD + 4, scale=1.0), on.grid(on.beside, on.top)
    yield from (tangents.lines(1, n), beside.lines(m, 1))
    for i in range(m):
        yield from only(JVP, _arriving("pushes", beside.moving(i, 0, [None, *on.tiles[i]], "pushes")))
    for j in range(n):
        yield from only(JVP, tangents.moving(0, j, [None, *(float(j == k) for k in range(n))], "pushes"))
    if found := on.directions:
        t = _spread(found, n)
        for j in range(n):
            yield from only(ANY, tangents.moving(0, j, t[:, j].tolist(), found.dial))
        for i, values in enumerate(on.tiles.astype(float) @ t.T):
            yield from only(ANY, beside.moving(i, 0, values.round(12).tolist(), found.dial))
        yield from only(ANY, _weighed(on, found))
    yield text((on.left + on.right) / 2, on.bottom + 18, "J", "name", "middle")
    yield tangents.before(0, on.left - 8, "tangent t", "forwardtext")
    yield beside.over(0, on.top - 8, "J t", "forwardtext")
    yield arrow_head(beside.x - 2, (on.top + on.bottom) / 2, 1, 0, "head")
    frame = _frame(on, 0).varying("pushes", state=SEEN)
    xs = [on.left - EDGE + j * on.w for j in (0, *range(n))]
    yield from only(JVP, [frame.following("pushes", x=xs)])


def _arriving(dial: str, marks: Iterator[Mark]) -> Iterator[Mark]:
    """Numbers that change when those that travel have arrived."""
    return (mark.moving(dial, ARRIVED, 0.0, "text", "opacity") for mark in marks)


def _spread(found: Directions, count: int) -> np.ndarray:
    """The vector that is turned round, with all its elements, at each position."""
    whole = np.zeros((len(found.tangents), count))
    whole[:, found.columns] = found.tangents
    return whole


def _weighed(on, found: Directions) -> Iterator[Mark]:
    """Frames around both rows or columns that are added up, the stronger the more of it is taken."""
    for k, place in enumerate(found.columns):
        yield _frame(on, place).following(found.dial, opacity=np.abs(found.tangents[:, k]).round(3).tolist())


def _frame(on, place) -> Mark:
    """Around a row, or around a column of a matrix that is pushed through."""
    if on.pushed:
        x, height = on.left + place * on.w - EDGE, on.m * on.h + 2 * EDGE
        return rect(x, on.top - EDGE, on.w + 2 * EDGE, height, "edge")
    y, width = on.top + place * on.h - EDGE, on.n * on.w + 2 * EDGE
    return rect(on.left - EDGE, y, width, on.h + 2 * EDGE, "backedge")
