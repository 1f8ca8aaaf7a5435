"""What comes out of a call, piece by piece: first in a row, above the empty boxes of the structure, then each in its box."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from ...kit.motion import SPOT
from ...kit.scene import STEP, Mark, Motion, Panel, rect, text, width_of
from ...kit.strokes import polyline
from .nested import Failure, Tree

SHOW, VALUES = "show", 2  # the dial, and its position at which the pieces are in their boxes
HEAD, HIGH, GAP = 34.0, 22.0, 8.0  # px: the row of pieces, a piece, and between two
GOES, LATER = 0.6 * STEP, 0.4 * STEP  # how long a piece is on its way, and when the last one starts


def with_pieces(panel: Panel, result: Tree | Failure) -> Panel:
    """The panel of a result with the row of its pieces above it; an exception as it is."""
    if isinstance(result, Failure):
        return panel
    marks = [_lower(mark) for mark in panel.marks]
    boxes = [(box, name) for box, name in pairwise(marks) if _holds_value(box) and name.role == "name"]
    row, tokens = _row_and_tokens(boxes)
    return replace(panel, marks=[*row, *map(_appearing, marks)], tokens=tokens, height=panel.height + HEAD)


def _lower(mark: Mark) -> Mark:
    """Below the row, and at its place once the row is empty."""
    key = SPOT[mark.tag][1]
    return mark.varying(SHOW, **{key: [(0, mark.at[key] + HEAD), (VALUES, mark.at[key])]})


def _holds_value(mark: Mark) -> bool:
    return mark.tag == "rect" and mark.role in ("op", "back")


def _appearing(mark: Mark) -> Mark:
    """The boxes of values are empty at first; the places in the structure are written from the start."""
    if _holds_value(mark):
        return mark.varying(SHOW, state=[(0, "pending"), (VALUES, "")]).moving(SHOW, STEP, 0.0, "state")
    return mark.seen_from(SHOW, VALUES) if mark.role in ("name", "note", "value") else mark


def _row_and_tokens(boxes: Sequence[tuple[Mark, Mark]]) -> tuple[list[Mark], list[Mark]]:
    gone = [(VALUES, "hidden")]
    row, x = [text(2, 17, "comes out:", "note").varying(SHOW, state=gone)], 74.0
    tokens: list[Mark] = []
    for i, (box, name) in enumerate(boxes):
        width = width_of(name.text, 12, True) + 14
        row.append(rect(x, 2, width, HIGH, box.role, 10).varying(SHOW, state=gone))
        row.append(text(x + width / 2, 17, name.text, "code", "middle").varying(SHOW, state=gone))
        end = box.at["x"] + width / 2 + 4, box.at["y"] + 14
        tokens += _token(name.text, box.role, width, (x + width / 2, 2 + HIGH / 2), end, LATER * i / len(boxes))
        x += width + GAP
    return row, tokens


def _token(words, role, width, start, end, when) -> Iterator[Mark]:
    going = [Motion(SHOW, "along", when, GOES, VALUES, 0.0, 1.0, polyline([start, end]))]
    yield rect(-width / 2, -HIGH / 2, width, HIGH, "token" if role == "back" else "valuetoken", 10, moves=going)
    yield text(0, 4, words, "tokentext", "middle", moves=going)
