"""What a panel of marks looks like as geometry: boxes, lines, and texts, in a given state."""

import re
from itertools import pairwise

from labkit.widgets.kit.scene import width_of
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.kit.theme import MONO, ROLES


def boxes(panel, state):
    """`(x, y, width, height)` of each card that is seen; of a pile the front one."""
    cards = [
        (at["x"], at["y"], at["width"], at["height"])
        for mark, at, _, _ in visible_marks(panel, state)
        if mark.tag == "rect" and mark.role != "row"
    ]
    fronts = {(round(x + 4, 1), round(y - 4, 1)) for x, y, _, _ in cards}
    return [card for card in cards if card[:2] not in fronts]


def lines(panel, state):
    """Each line that is seen, as short straight pieces `(x, y, x, y)`; arrow heads are none."""
    for mark, at, _, _ in visible_marks(panel, state):
        if mark.tag == "path" and not mark.role.endswith("head"):
            yield mark, list(pieces(at["d"]))


def pieces(d):
    """An SVG path of M, L and C commands, in short straight pieces."""
    here = None
    for letter, numbers in re.findall(r"([MLC])([^MLCZ]*)", d):
        flat = [float(n) for n in re.findall(r"-?[\d.]+", numbers)]
        points = list(zip(flat[::2], flat[1::2], strict=True))
        if letter == "C":
            ts = [i / 12 for i in range(13)]
            corners = [here, *points]
            weights = [((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3) for t in ts]
            curve = [tuple(sum(w * c[k] for w, c in zip(ws, corners, strict=True)) for k in (0, 1)) for ws in weights]
            yield from ((*a, *b) for a, b in pairwise(curve))
        elif letter == "L":
            yield (*here, *points[0])
        here = points[-1]


def texts(panel, state):
    """`(mark, left, top, right, bottom)` of each text that is seen."""
    for mark, at, words, _ in visible_marks(panel, state):
        if mark.tag == "text" and words:
            look = ROLES[mark.role]
            size = look["font-size"]
            wide = width_of(words, size, look["font-family"] == MONO, "font-weight" in look)
            left = at["x"] - {"start": 0, "middle": wide / 2, "end": wide}[at["text-anchor"]]
            yield mark, left, at["y"] - size * 0.75, left + wide, at["y"] + size * 0.25


def overlap(a, b, slack=0.5):
    """Whether two boxes `(x, y, width, height)` share more than their rims."""
    return (
        a[0] < b[0] + b[2] - slack
        and b[0] < a[0] + a[2] - slack
        and a[1] < b[1] + b[3] - slack
        and b[1] < a[1] + a[3] - slack
    )


def enters(piece, box, slack=1.0):
    """Whether a short piece goes into a box by more than its rim."""
    x0, y0, x1, y1 = piece
    left, top, width, height = box
    return (
        max(x0, x1) > left + slack
        and min(x0, x1) < left + width - slack
        and max(y0, y1) > top + slack
        and min(y0, y1) < top + height - slack
    )
