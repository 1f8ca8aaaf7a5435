"""The same result in every format: what each can hold, and what each makes of it."""

from collections.abc import Iterable, Iterator
from fractions import Fraction

import numpy as np

from ....precision import FORMATS, Format
from ...kit.axes import Axis
from ...kit.grips import Grip
from ...kit.scene import Link, Mark, Panel, circle, path, rect, text
from ...kit.strokes import NOWHERE
from ...kit.words import minus
from .ruler import DIAL, HEIGHT
from .run import Landing, digits, exponent_of, gap_at

LEFT, RIGHT, STEP, FIRST, BAR = 100.0, 326.0, 44.0, 52.0, 26.0  # px
POWERS = Axis(-152, 130, LEFT, RIGHT)
WIDTH = 436.0


def formats_panel(landings: dict[str, list[Landing]]) -> Panel:
    """A bar for the range of each format, and beside it what the format makes of the number."""
    return Panel("formats", "The same in every format", WIDTH, HEIGHT, list(_everywhere(landings)))


def format_links(names: Iterable[str]) -> dict[str, Link]:
    """A click on a format takes it."""
    return {f"format {name}": Link(name, go={"format": i}) for i, name in enumerate(names)}


def power_grip(landings: dict[str, list[Landing]]) -> Grip:
    """The number given, dragged along the powers of 2."""
    y = _given_at(landings)
    spots = [(POWERS(exponent_of(f.x)), y) if f.x else None for f in landings["float64"]]
    return Grip("power", "formats", "The number, along the powers of 2", DIAL, spots, "x", when={"beside": [1]})


def _given_at(landings) -> float:
    """The height of the number given: above the bars; below them where what is exact is another number."""
    return FIRST - 8 if not landings["float64"][0].ops else FIRST + STEP * len(landings) - 6


def _everywhere(landings) -> Iterator[Mark]:
    """Each format's range as a bar, the place of what is exact, and what each format makes of it."""
    base = FIRST + STEP * len(landings)
    for x, role, words in ((LEFT, "leaf", "subnormal"), (LEFT + 86, "op", "normal")):
        yield rect(x, FIRST - 42, 12, 12, role, 2)
        yield text(x + 17, FIRST - 32, words, "note")
    yield text(RIGHT + 10, FIRST - 32, "result", "note")
    yield from POWERS.below(base + 12, range(-150, 130, 50), lambda power: minus(str(power)), (FIRST - 6, base - 4))
    yield text(6, base + 12, "power of 2", "note")
    for i, (name, found) in enumerate(landings.items()):
        yield from _bar(name, found, FIRST + STEP * i, i, len(landings))
    targets = [f.target for f in landings["float64"]]
    xs = [POWERS(exponent_of(t)) if t else 0.0 for t in targets]
    there = ["" if t else "hidden" for t in targets]
    yield path(NOWHERE, "outline").following(DIAL, d=[[(x, FIRST - 6), (x, base - 4)] for x in xs], state=there)
    yield circle(0, FIRST - 8, 4, "inkhead").following(DIAL, cx=xs, state=there)
    if landings["float64"][0].ops:
        given = [POWERS(exponent_of(f.x)) if f.x else 0.0 for f in landings["float64"]]
        hidden = ["" if f.x else "hidden" for f in landings["float64"]]
        yield circle(0, _given_at(landings), 4, "bar").following(DIAL, cx=given, state=hidden)


def _bar(name, found, y, i, count) -> Iterator[Mark]:
    of, link = FORMATS[name], f"format {name}"
    smallest, normal, end = map(POWERS, (exponent_of(Fraction(of.min_subnormal)), of.min_exponent, of.max_exponent + 1))
    for role, where in (("name", [i]), ("note", [n for n in range(count) if n != i])):
        yield text(6, y + BAR / 2 + 4, name, role, when={"format": where}, link=link)
    for left, right, role in ((smallest, normal, "leaf"), (normal, end, "op")):
        if right > left:
            yield rect(left, y, right - left, BAR, role, 0, link=link)
    for x, beyond, arrow, anchor in (
        (LEFT, not POWERS.holds(of.min_exponent), "←", "start"),
        (RIGHT, not POWERS.holds(of.max_exponent), "→", "end"),
    ):
        if beyond:  # the bar goes on
            yield text(x + (4 if anchor == "start" else -4), y + BAR / 2 + 4, arrow, "name", anchor)
    yield text(RIGHT + 10, y + BAR / 2 + 4, "", "code").following(DIAL, text=[_result(f, of) for f in found])


def _result(found: Landing, of: Format) -> str:
    if not np.isfinite(found.result):
        return minus(str(found.result))
    exact = digits(found.result, gap_at(Fraction(found.result), of))
    return exact if len(exact) <= 13 else minus(f"{found.result:.7g}")
