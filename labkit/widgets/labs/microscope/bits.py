"""The other panels of the microscope: the bits of a result, and the same result in every format."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from ....precision import FORMATS, Format
from ...kit.axes import Axis
from ...kit.grips import Grip
from ...kit.scene import Link, Mark, Panel, circle, only, path, rect, text
from ...kit.strokes import NOWHERE
from ...kit.words import minus
from .ruler import DIAL, HEIGHT, WIDTH
from .run import Landing, at_place, bits, digits, exponent_of, gap_at, last_place

# ---- the bits ----


def bits_and_formats(landings: dict[str, list[Landing]], clicked: bool) -> Panel:
    """The bits of the result in boxes, with what they mean; below, the result in every format. `clicked`: they toggle."""
    marks: list[Mark] = []
    for i, (name, found) in enumerate(landings.items()):
        marks += only({"format": [i]}, _boxes(FORMATS[name], found, clicked))
    title = f"The bits of the result{': click one to toggle it' if clicked else ''}"
    return Panel("bits", title, WIDTH, HEIGHT, [*marks, *_everywhere(landings)])


def power_grip(landings: dict[str, list[Landing]]) -> Grip:
    """The number given, dragged along the powers of 2."""
    y = _given_at(landings)
    spots = [(POWERS(exponent_of(f.x)), y) if f.x else None for f in landings["float64"]]
    return Grip("power", "bits", "The number, along the powers of 2", DIAL, spots, "x")


def _given_at(landings) -> float:
    """The height of the number given: above the bars; below them where what is exact is another number."""
    return FIRST - 8 if not landings["float64"][0].ops else FIRST + STEP * len(landings) - 6


def toggled(value: float, of: Format, n: int) -> float:
    """A number of a format with its n-th bit from the left turned; infinite, or nan, where that is no number.

    >>> from labkit.precision import format_of
    >>> [toggled(1.5, format_of("float16"), n) for n in (0, 5, 6)]
    [-1.5, 0.75, 1.0]
    """
    written = "".join(bits(value, of))
    turned = written[:n] + str(1 - int(written[n])) + written[n + 1 :]
    there = int(turned[1:], 2)
    size = float(at_place(there, of)) if there < last_place(of) else np.inf if there == last_place(of) else np.nan
    return float(np.copysign(size, -1 if turned[0] == "1" else 1))


def bit_links() -> dict[str, Link]:
    """What a click on each bit does."""
    return {
        f"bit {n}": Link(f"bit {n + 1}: toggle it", ["Click to toggle this bit"], sets={"bit": n}) for n in range(64)
    }


def _boxes(of: Format, found, clicked) -> Iterator[Mark]:
    step = min(26.0, (WIDTH - 12) / min(of.bits, 32))
    size = min(step - 1.5, 22.0)
    all_bits = ["".join(bits(f.result, of)) for f in found]
    for n in range(of.bits):
        x, y, link = 6 + n % 32 * step, 26 + n // 32 * 30, f"bit {n}" if clicked else None
        yield rect(x, y, size, 24, "area" if n == 0 else "leaf" if n <= of.exponent_bits else "op", 2, link=link)
        digit = text(x + size / 2, y + 16, "", "tokentext", "middle")  # a click goes through it
        yield digit.following(DIAL, text=[b[n] for b in all_bits])
    narrow = of.bits < 16
    yield text(6, 18, "±", "note")
    yield text(6 + step, 18, "exponent" if narrow else f"exponent, {of.exponent_bits} bits", "note")
    then = 6 + step * (1 + of.exponent_bits)
    yield text(then, 18, "fraction" if narrow else f"fraction, {of.fraction_bits} bits", "note")
    y = 26 + -(-of.bits // 32) * 30 + 18
    for k, words in enumerate(zip(*(meaning(f.result, of) for f in found), strict=True)):
        yield text(6, y + 20 * k, "").following(DIAL, text=words)


def meaning(value: float, of: Format) -> tuple[str, str, str]:
    """What the bits of a number say, in three lines: exponent, fraction, value.

    >>> from labkit.precision import format_of
    >>> meaning(-1.5, format_of("float16"))[:2]
    ('exponent 01111 = 15, and 15 − 15 = 0', 'fraction 1 + 512/1024 = 1.5')
    """
    _, exponent, fraction = bits(value, of)
    field, part, whole = int(exponent, 2), int(fraction, 2), 2**of.fraction_bits
    if not np.isfinite(value):
        kind = "infinite" if np.isinf(value) else "nan, not a number"
        return f"exponent {exponent}: all ones", f"fraction {_shortened(fraction)}", f"that means {kind}"
    if not value:
        return f"exponent {exponent}: all zeros", f"fraction {_shortened(fraction)}", "that means 0"
    power = max(field, 1) - of.bias
    first = f"exponent {exponent} = {field}, and {field} − {of.bias} = {minus(str(power))}"
    if not field:
        first = f"exponent {exponent}: subnormal, the power is 1 − {of.bias} = {minus(str(power))}"
    size = Fraction(part, whole) + bool(field)
    counted = f"{part}/{whole}" if of.fraction_bits < 24 else f"{part}/2^{of.fraction_bits}"
    lead = "−" if np.signbit(value) else ""
    significand = digits(size, Fraction(1, whole))
    last = f"value {lead}2^{minus(str(power))} × {significand} = {digits(value, gap_at(Fraction(value), of))}"
    return first, f"fraction {bool(field):d} + {counted} = {significand}", last


def _shortened(fraction):
    return fraction if len(fraction) <= 23 else f"{fraction[:10]}…"


# ---- every format ----

LEFT, RIGHT, STEP, FIRST = 90.0, 320.0, 21.0, 216.0  # px
POWERS = Axis(-152, 130, LEFT, RIGHT)


def _everywhere(landings) -> Iterator[Mark]:
    """Each format's range as a bar, the place of what is exact, and what each format makes of it."""
    base = FIRST + STEP * len(landings)
    yield text(0, FIRST - 40, "The same in every format", "name")
    for x, role, words in ((LEFT, "leaf", "subnormal"), (LEFT + 86, "op", "normal")):
        yield rect(x, FIRST - 31, 12, 12, role, 2)
        yield text(x + 17, FIRST - 21, words, "note")
    yield text(RIGHT + 10, FIRST - 21, "result", "note")
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
    of = FORMATS[name]
    smallest, normal, end = map(POWERS, (exponent_of(Fraction(of.min_subnormal)), of.min_exponent, of.max_exponent + 1))
    for role, where in (("name", [i]), ("note", [n for n in range(count) if n != i])):
        yield text(6, y + 11, name, role, when={"format": where})
    for left, right, role in ((smallest, normal, "leaf"), (normal, end, "op")):
        if right > left:
            yield rect(left, y, right - left, 14, role, 0)
    for x, beyond, arrow, anchor in (
        (LEFT, not POWERS.holds(of.min_exponent), "←", "start"),
        (RIGHT, not POWERS.holds(of.max_exponent), "→", "end"),
    ):
        if beyond:  # the bar goes on
            yield text(x + (4 if anchor == "start" else -4), y + 11, arrow, "name", anchor)
    yield text(RIGHT + 10, y + 11, "", "code").following(DIAL, text=[_result(f, of) for f in found])


def _result(found: Landing, of: Format) -> str:
    if not np.isfinite(found.result):
        return minus(str(found.result))
    exact = digits(found.result, gap_at(Fraction(found.result), of))
    return exact if len(exact) <= 13 else minus(f"{found.result:.7g}")
