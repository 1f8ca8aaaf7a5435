"""The paths of a cut graph: each gives the product of its slopes, a gradient is the sum of those that are open."""

from collections.abc import Iterator, Sequence
from math import floor, log10, prod
from typing import NamedTuple

import numpy as np

from ...kit.axes import Axis
from ...kit.boxes import value_width
from ...kit.scene import STEP, Mark, Panel, rect, text, width_of
from ...kit.strokes import Point
from ...kit.words import in_full, joined, number
from .names import changing, gradient_name, slopes, ways
from .run import Cuts, Use
from .walk import ARRIVES, WALK, Walk

ROW, BAR, WIDE, GAP = 32.0, 18.0, 120.0, 1.5  # px: from one path to the next, a bar, and between its parts
MOST_FACTORS = 4  # of a product that is written out
TITLE = "Sums over open paths: point at one"


class Row(NamedTuple):
    """What stands in a row, `texts`, `states` and `numbers` (None of tensors) for each cut; `role`: its look; `known`: from
    which position of the walk on it is shown what it gives; `link`: of the path in the graph; `parts`: of a sum, where each part
    begins and how large it is, for each cut."""

    words: str
    texts: list[str]
    states: list[str]
    role: str
    numbers: list[float] | None
    known: int
    link: str | None = None
    parts: list[tuple[list[float], list[float]]] | None = None


def paths_panel(found: Cuts) -> Panel | None:
    """Every path between an output and an input, with its product of slopes, and a bar for each; a path with a cut on it
    gives nothing."""
    walk = Walk(found)
    rows = [row for leaf, known in found.paths.items() if known for row in _rows(found, walk, leaf)]
    if not rows:
        return None
    across = _axis(rows)
    marks = [mark for i, row in enumerate(rows) for mark in _row(walk, (_ends(rows)[0], 4 + ROW * i), row, across)]
    return Panel("paths", TITLE, (across.end if across else _ends(rows)[1]) + 8, 4 + ROW * len(rows), marks)


def _ends(rows: Sequence[Row]) -> tuple[float, float]:
    """Where the names of the paths end, and what they give, px."""
    left = max(width_of(row.words, 12.5, True) for row in rows) + 28
    return left, left + max(value_width(words) for row in rows for words in row.texts) + 10


def _axis(rows: Sequence[Row]) -> Axis | None:
    """Of the bars; None where no row has a number."""
    values = [number for row in rows for number in row.numbers or ()]
    _, start = _ends(rows)
    return Axis(-_round(-min(0.0, *values)), _round(max(0.0, *values)), start, start + WIDE) if any(values) else None


def _round(most: float) -> float:
    """The next of 1, 2, 3, 5 times a power of ten, so that bars grow where a value is dragged.

    >>> _round(3.0), _round(0.0), _round(0.61)
    (3.0, 0.0, 1.0)
    """
    power = 10.0 ** floor(log10(most)) if most else 0.0
    return next((round(power * digit, 12) for digit in (1, 2, 3, 5) if power * digit >= most), 10 * power)


def _row(walk: Walk, spot: Point, row: Row, across: Axis | None) -> Iterator[Mark]:
    """A path, or the sum of them; what it gives is known when the walk has come to its input, the sum when it is over."""
    total, (left, y) = row.role == "name", spot
    yield text(8 if total else 20, y + 17, row.words, row.role, link=row.link).varying(
        "cut", **changing(state=row.states)
    )
    each = [(walk.found.runs.index(run), at >= row.known) for run, at in walk.each()]
    texts, states = ([found[k] if known else otherwise for k, known in each]
                     for found, otherwise in ((row.texts, "?"), (row.states, "")))  # fmt: skip
    value = text(left, y + 17, "", "value").following(walk.joint, text=texts, state=states)
    yield value.moving(WALK, STEP, 0.0, "text", "state")  # once its bar is as long
    if not across or row.numbers is None:
        return
    for before, part in row.parts or [([0.0] * len(row.numbers), row.numbers)]:
        ends = [
            sorted((across(before[k]), across(before[k] + part[k]))) if known else [across(0)] * 2 for k, known in each
        ]
        bar = rect(across(0), y + 3, 0, BAR, "backbar" if total else "back", 2)
        bar = bar.following(walk.joint, x=[a for a, _ in ends], width=[max(b - a - GAP, 0.0) for a, b in ends])
        yield bar.moving(WALK, ARRIVES, STEP - ARRIVES, "x", "width")


def _rows(found, walk, leaf) -> Iterator[Row]:
    """One input: its gradient, then its paths."""
    node, known = found.story.nodes[leaf], slopes(found)
    gradients = [run.gradients[leaf] for run in found.runs]
    totals = ["0" if g is None else in_full(g) for g in gradients]
    sums = _numbers([0.0 if g is None else g for g in gradients])
    mine = [one for one in ways(found) if one[2] == leaf]
    yield Row(
        gradient_name(node), totals, [""] * len(totals), "name", sums, walk.last, None, _parts(found, known, mine)
    )
    for link, words, _, way in mine:
        gives, open_ = product_words(found, known, way), [run.use not in way for run in found.runs]
        value = product(found, known, way)
        parts = None if value is None else _numbers([value * o for o in open_])
        texts, states = ([yes if o else no for o in open_] for yes, no in ((gives, "cut: 0"), ("", "dim")))
        yield Row(words, texts, states, "plain", parts, walk.at[way[0].node], link)


def _parts(found, known, mine) -> list[tuple[list[float], list[float]]] | None:
    """Where what each path gives begins in the sum, and how much it is, for each cut; None where one takes away from another."""
    values = [product(found, known, way) for *_, way in mine]
    given = [np.zeros(len(found.runs))]
    for value, (*_, way) in zip(values, mine, strict=True):
        if value is None or not np.isfinite(value):
            return None
        given.append(np.array([value * (run.use not in way) for run in found.runs]))
    if not mine or min(map(np.min, given)) < 0 < max(map(np.max, given)):
        return None
    starts = np.cumsum(given, axis=0)
    return [(list(map(float, a)), list(map(float, b))) for a, b in zip(starts, given[1:], strict=False)]


def _numbers(values) -> list[float] | None:
    """As numbers; None where one is a tensor, or not finite."""
    return (
        [float(np.ravel(v)[0]) for v in values]
        if all(np.size(v) == 1 and np.isfinite(v).all() for v in values)
        else None
    )


def product_words(found: Cuts, known: dict[Use, float | None], way: Sequence[Use]) -> str:
    """The product of the slopes on a path, from the leaf to the output: `3 × 1 = 3`; "open" where they are no numbers."""
    value = product(found, known, way)
    if value is None:
        return "open"
    factors = [number(known[use]) for use in way]
    if len(factors) == 1 or len(factors) > MOST_FACTORS:
        return number(value)
    return f"{joined(factors, ' × ')} = {number(value)}"


def product(found: Cuts, known: dict[Use, float | None], way: Sequence[Use]) -> float | None:
    """What a path adds to the gradient: its slopes multiplied, times what the output starts with; None for tensors."""
    seed = np.ravel(found.story.nodes[way[-1].node].seed)
    factors = [float(f) for use in way if (f := known.get(use)) is not None]
    return prod([float(seed[0]), *factors]) if len(factors) == len(way) and len(seed) == 1 else None
