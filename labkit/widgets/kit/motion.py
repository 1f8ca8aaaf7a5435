"""The motion between two positions of a dial: bars and paths on their way, tokens that travel along paths.

Nothing has to be declared: attributes that are numbers and paths of the same commands go evenly from what they are at one
position to what they are at the next; a path that goes on where it ended grows out of its last point, and what cannot be in
between changes half way. What is said never moves: the texts of marks, and whether and how a mark is seen, change together
with the sentence, at the start. So a number in a picture is always one that was computed, and goes with the sentence.
`Mark.moves` tells another time. The page (`page/motion.js`) evaluates the same, and a test holds the two together.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from itertools import pairwise
from math import hypot
from typing import Any

from .scene import STEP, Mark, Motion, Panel, holds, looks
from .still import Seen
from .strokes import NOWHERE, Point, numbers, px

SPOT = {"rect": ("x", "y"), "text": ("x", "y"), "circle": ("cx", "cy")}
POINTS = {"M": 2, "L": 2, "C": 6, "Z": 0}  # numbers that a command of a path takes
SAID = ("text", "state")  # what changes with the sentence
Way = Callable[[float], Any]  # from 0 to 1


def part(progress: float, start: float = 0.0, length: float = STEP) -> float:
    """How far a motion is, from 0 to 1, when a part `progress` of the step is over: slow at first and at last.

    >>> part(0.25), part(0.25, 250, 500), part(0.5, 250, 500), part(0.1, 0, 0)
    (0.15625, 0.0, 0.5, 1.0)
    """
    at = progress * STEP - start
    if length <= 0 or progress >= 1:
        return 1.0 if at > 0 or progress >= 1 else 0.0
    p = min(1.0, max(0.0, at / length))
    return p * p * (3 - 2 * p)


def blend(name: str, a: Any, b: Any) -> Way:
    """From one value of a property to another, as a function of the part.

    >>> blend("x", 0, 4)(0.5), blend("fill", "red", "none")(0.4), blend("text", "loss 1", "loss 0.50")(0.1)
    (2.0, 'red', 'loss 0.50')
    >>> blend("d", "M0 0L4 0", "M0 4L4 8L9 9")(0.5)
    'M0 2L4 4L6.5 4.5'
    """
    found: Way | None = None
    if _is_number(a) and _is_number(b):
        found = partial(_mixed, a, b)
    elif isinstance(a, str) and isinstance(b, str):
        found = _paths(a, b) if name == "d" else None
    half = 0.0 if name in SAID else 0.5
    way: Way = found or (lambda p: a if p < half else b)
    return lambda p: a if p <= 0 else b if p >= 1 else way(p)


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _mixed(a, b, p):
    return a + (b - a) * p


def _parsed(d) -> tuple[str, list[float]] | None:
    letters, found = re.sub("[^MLCZ]", "", d), numbers(d)
    return (letters, found) if 1 < len(found) == sum(POINTS[letter] for letter in letters) else None


def _paths(a, b) -> Way | None:
    """Two paths of the same commands; or the one goes on where the other ends, and grows out of its last point."""
    from_, to = _parsed(a), _parsed(b)
    if not from_ or not to or NOWHERE in (a, b):
        return None
    (letters, short), (all_letters, _) = sorted((from_, to), key=lambda parsed: len(parsed[0]))
    more = all_letters.removeprefix(letters)
    if not all_letters.startswith(letters) or more.strip("L") or (more and letters.endswith("Z")):
        return None
    short += short[-2:] * len(more)

    def path(p):
        found = [px(_mixed(*pair, p)) for pair in zip(from_[1], to[1])]
        words, i = [], 0
        for letter in all_letters:
            words.append(letter + " ".join(found[i : i + POINTS[letter]]))
            i += POINTS[letter]
        return "".join(words)

    return path


# ---- marks on their way ----


def between(mark: Mark, dial: str, before: Mapping[str, int], after: Mapping[str, int]) -> Way:
    """How a mark looks on the way from one state to another, as `looks` says it, as a function of the progress."""
    (at, words, name), (at_end, words_end, name_end) = (_looks(mark, state) for state in (before, after))
    one = "hidden" in (name, name_end)  # what is not seen at one end does not move
    ways = {"state": _timed(mark, "state", dial, after[dial], name, name_end)}
    if one:
        at, words = (at_end, words_end) if name == "hidden" else (at, words)
    else:
        ends = {"text": (words, words_end), **{key: (at.get(key), at_end.get(key)) for key in {**at, **at_end}}}
        ways |= {key: _timed(mark, key, dial, after[dial], *pair) for key, pair in ends.items()}

    def look(progress):
        now = {key: way(progress) for key, way in ways.items()}
        state, text = now.pop("state"), now.pop("text", words)
        return {key: value for key, value in (at | now).items() if value is not None}, text, state

    return look


def _looks(mark, state):
    at, words, name = looks(mark, state)
    return at, words, name if holds(mark.when, state) else "hidden"


def _timed(mark, name, dial, position, a, b):
    """From a to b, in the time that this mark's property has on the way to a position."""
    usual = Motion(dial, name, length=0.0 if name in SAID or (mark.tag == "text" and name == "opacity") else STEP)
    names = ("appears", name) if name == "state" and a == "hidden" else (name,)
    fitting = (
        m for n in names for m in mark.moves if (m.dial, m.property) == (dial, n) and m.position in (None, position)
    )
    move, way = next(fitting, usual), blend(name, a, b)
    return lambda progress: way(part(progress, move.start, move.length))


def token(mark: Mark, dial: str, position: int, progress: float) -> tuple[dict[str, Any], str] | None:
    """`(attributes, text)` of a token on the way to a position; None before it starts and after it has arrived."""
    moves, now = [m for m in mark.moves if (m.dial, m.position) == (dial, position)], progress * STEP
    if not any(m.start < now < m.start + m.length for m in moves):
        return None
    at, words = dict(mark.at), mark.text
    for move in moves:
        value = blend(move.property, move.begin, move.end)(part(progress, move.start, move.length))
        if move.property == "text":
            words = value
        elif move.property != "along":
            at[move.property] = value
        else:
            for key, n in zip(SPOT[mark.tag], point_on(move.path, value)):
                at[key] = mark.at.get(key, 0.0) + n
    return at, words


def at(
    panel: Panel, state: Mapping[str, int], dial: str, progress: float, after: Mapping[str, int] | None = None
) -> Iterator[Seen]:
    """What is seen of a panel on the way from a state to the one `after`, by default at the next position of `dial`, as
    `still.visible_marks` says it."""
    after = after or {**state, dial: state[dial] + 1}
    for mark in panel.marks:
        look, words, name = between(mark, dial, state, after)(progress)
        if name != "hidden":
            yield mark, look, words, name
    for mark in panel.tokens:
        if holds(mark.when, after) and (found := token(mark, dial, after[dial], progress)):
            yield mark, *found, ""


# ---- a point on a path ----


def point_on(d: str, share: float) -> Point:
    """The point of a path at a part of its length.

    >>> point_on("M0 0L4 0L4 4", 0.75)
    (4.0, 2.0)
    """
    points, lengths = _flat(d)
    if len(points) < 2:
        return points[0]
    wanted = share * lengths[-1]
    k = next((k for k in range(1, len(points)) if lengths[k] >= wanted), len(points) - 1)
    length = lengths[k] - lengths[k - 1]
    p = min(1.0, max(0.0, (wanted - lengths[k - 1]) / length)) if length else 0.0
    (x, y), (x_end, y_end) = points[k - 1], points[k]
    return _mixed(x, x_end, p), _mixed(y, y_end, p)


def kept_between(d: str, low: float, high: float) -> str:
    """A path none of whose points lies left of `low` or right of `high`.

    >>> kept_between("M0 0L50 5L99 9", 10, 90)
    'M10 0L50 5L90 9'
    """
    places = iter(range(len(numbers(d))))
    return re.sub(r"-?[\d.]+", lambda n: n[0] if next(places) % 2 else px(min(max(float(n[0]), low), high)), d)


@cache
def _flat(d):
    """A path as points, and how long it is up to each of them."""
    letters, rest = _parsed(d) or ("M", [0.0, 0.0])
    points: list[Point] = []
    for letter in letters:
        found, rest = rest[: POINTS[letter]], rest[POINTS[letter] :]
        if letter == "C":
            points += _curve(points[-1], *zip(found[::2], found[1::2]))
        elif found:
            points.append((found[0], found[1]))
    lengths = [0.0]
    for (x, y), (x_end, y_end) in pairwise(points):
        lengths.append(lengths[-1] + hypot(x_end - x, y_end - y))
    return points, lengths


def _curve(a, b, c, d):
    for k in range(1, 13):
        t, u = k / 12, 1 - k / 12
        yield tuple(u**3 * i + 3 * u * u * t * j + 3 * u * t * t * m + t**3 * n for i, j, m, n in zip(a, b, c, d))
