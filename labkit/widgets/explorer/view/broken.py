"""An edge that is not there: where a path may have been cut, and how backward would go on without the cut."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from ...kit.boxes import arrow
from ...kit.layout import Point
from ...kit.layout import path as route
from ...kit.scene import Dial, Link, Mark, altered, circle, line, only, path, rect, text
from ...kit.words import listed
from .units import Units

HALF_GAP, LEAST, NEAR = 13.0, 32.0, 24.0  # px
TOUCH = 44.0  # px
MEND = "mend"  # the dial
JOINED = "would get one"  # what is said of a box then


def broken(points: Sequence[Point | None], words: str, cut: bool) -> Iterator[Mark]:
    """A route in two pieces, and over the gap what is known of it, if anything; `cut`: with scissors, for something is
    wrong: upright pieces beside each other share those at the words."""
    k, (x, y), (right, down) = _longest(points)
    off = right * HALF_GAP, down * HALF_GAP
    pieces = [*points[: k + 1], (x - off[0], y - off[1])], [(x + off[0], y + off[1]), *points[k + 1 :]]
    for piece in pieces:
        yield altered(
            drawn := path(route(piece), "badline" if cut else "axis"), at={**drawn.at, "stroke-dasharray": "3 4"}
        )
    if cut and (words or not down):
        yield from _scissors(x, y, upright=bool(down))
    if words:
        low = y + (20 if cut else -12)  # what can be done stands above, where no tip of the boxes covers it
        place, anchor = ((x + 16, y + (15 if cut else -2)), "start") if down else ((x, low), "middle")
        yield text(*place, words, "badtext" if cut else "note", anchor)


def gap(points: Sequence[Point | None], marks: Iterable[Mark], units: Units) -> Iterator[Mark]:
    """The marks of a cut, and how backward would go on there: a click on the scissors leads from the one to the other."""
    _, (x, y), (_, down) = _longest(points)
    sides = {"cut": ("join it", marks), "joined": ("cut it", arrow(points, "backedge", "backhead", back=True))}
    for state, (name, (words, drawn)) in enumerate(sides.items()):
        spot = rect(x - TOUCH / 2, y - TOUCH / 2, TOUCH, TOUCH, "row", link=f"{MEND} {name}")
        place, anchor = ((x + 16, y - 2), "start") if down else ((x, y - 12), "middle")
        offer = text(*place, words, "forwardtext", anchor, link=f"{MEND} {name}")
        yield from (later(mark, units) for mark in only({MEND: [state]}, [*drawn, offer, spot]))


def later(mark: Mark, units: Units) -> Mark:
    """A mark that tells who gets no gradient: for who predicts, only at the end."""
    told = [change for change in mark.vary.get("step", {}).get("state", []) if change[0] >= units.last]
    return mark.varying("step", state=[(0, "answer"), *(told or [(units.last, "")])])


def before(mark: Mark, units: Units) -> Mark:
    """A mark that stands in the place of such ones, for who predicts, until the end."""
    return mark.varying("step", state=[(0, "asked"), (units.last, "hidden")])


def mending(units: Units) -> tuple[list[Dial], dict[str, Link], str, str]:
    """What turns a cut into a path, what is said of it then, and told first; nothing where nothing is cut."""
    if not units.cuts:
        return [], {}, "", ""
    ends = listed(dict.fromkeys(edge.end.lead.title.partition(":")[0].partition(",")[0] for edge in units.cuts))
    names = list(dict.fromkeys(name for edge in units.cuts for name in edge.start.lead.names))
    goes = listed(names, 4)
    sure = all(not edge.words.endswith("?") for edge in units.cuts)
    if_so = "Without the cut" if sure else "If it was cut here: without the cut"
    told = f"{if_so} backward would go on from {ends} to {goes}."
    told += f" Write {units.story.mended}" if units.story.mended else " Only the way is known, no numbers."
    ways = {"cut": ("And without the cut? Click to join the line.", 1), "joined": ("Click to cut the line again.", 0)}
    links = {
        f"{MEND} {name}": Link(
            words, [words], go={MEND: to, "step": units.last}, name="The line", known={"step": units.last}
        )
        for name, (words, to) in ways.items()
    }
    instead = f"Joined: {goes} would {'each ' if len(names) > 1 else ''}get a gradient{'' if sure else ', if it was cut here'}."
    return [Dial(MEND, "The line", list(ways), "inside")], links, told, instead


def _scissors(middle_x, middle_y, upright):
    """A pair that cuts across."""

    def at(along, across):
        return (middle_x + across, middle_y + along) if upright else (middle_x + along, middle_y + across)

    for side in (-1, 1):
        (x0, y0), (x1, y1), (x2, y2) = at(-7, side * 4.5), at(-4.4, side * 3), at(10, -side * 5)
        yield circle(x0, y0, 3, "badline")
        yield line(x1, y1, x2, y2, "badline")


def _longest(points):
    """Of the longest straight part of a route, a level one where one is long enough: its number, middle and direction."""
    parts = [(k, a, b) for k, (a, b) in enumerate(pairwise(points)) if a and b]
    level = [part for part in parts if abs(part[1][1] - part[2][1]) < 1 and abs(part[1][0] - part[2][0]) > LEAST]
    k, a, b = max(level or parts, key=lambda part: abs(part[1][0] - part[2][0]) + abs(part[1][1] - part[2][1]))
    sign = 1 if (b > a if level else b[1] > a[1]) else -1
    if level:
        return k, ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2), (sign, 0)
    near = min(NEAR, abs(b[1] - a[1]) / 2)  # what leads to one box is cut at one height
    return k, (b[0], b[1] - sign * near), (0, sign)
