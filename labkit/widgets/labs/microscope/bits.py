"""The other panels of the microscope: the bits of a result, and the same result in every format."""

from fractions import Fraction

import numpy as np

from ....precision import FORMATS, Format
from ...kit.scene import Mark, Panel, circle, line, path, px, rect, text
from .ruler import HEIGHT, NOWHERE, WIDTH, varied
from .run import Landing, bits, digits, exponent_of, gap_at

# ---- the bits ----


def bits_and_formats(landings: dict[str, list[Landing]]) -> Panel:
    """The bits of the result in boxes, with what they mean; below, the result in every format."""
    marks: list[Mark] = []
    for i, (name, found) in enumerate(landings.items()):
        marks += _boxes(FORMATS[name], found, {"format": [i]})
    return Panel("bits", "The bits of the result", WIDTH, HEIGHT, [*marks, *_everywhere(landings)])


def _boxes(of: Format, found, where) -> list[Mark]:
    step = min(26.0, (WIDTH - 12) / min(of.bits, 32))
    size, marks = min(step - 1.5, 22.0), []
    rows = [bits(f.result, of) for f in found]
    all_bits = ["".join(parts) for parts in rows]
    for n in range(of.bits):
        x, y = 6 + n % 32 * step, 26 + n // 32 * 30
        role = "area" if n == 0 else "leaf" if n <= of.exponent_bits else "op"
        marks.append(rect(x, y, size, 24, role, 2, when=where))
        said = varied({"text": [b[n] for b in all_bits]})
        marks.append(text(x + size / 2, y + 16, "", "tick" if step < 20 else "value", "middle", when=where, vary=said))
    marks += _heads(of, step, where)
    y = 26 + -(-of.bits // 32) * 30 + 18
    lines = [meaning(f.result, of) for f in found]
    for k in range(3):
        said = varied({"text": [words[k] for words in lines]})
        marks.append(text(6, y + 20 * k, "", "plain", when=where, vary=said))
    return marks


def _heads(of, step, where):
    first, then = 6 + step, 6 + step * (1 + of.exponent_bits)
    names = ((6, "±"), (first, f"exponent, {of.exponent_bits} bits"), (then, f"fraction, {of.fraction_bits} bits"))
    if of.bits < 16:
        names = ((6, "±"), (first, "exponent"), (then, "fraction"))
    return [text(x, 18, words, "note", when=where) for x, words in names]


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
        return f"exponent {exponent}: all ones", f"fraction {_short(fraction)}", f"that means {kind}"
    if not value:
        return f"exponent {exponent}: all zeros", f"fraction {_short(fraction)}", "that means 0"
    power = max(field, 1) - of.bias
    first = f"exponent {exponent} = {field}, and {field} − {of.bias} = {power}".replace(" -", " −")
    if not field:
        first = f"exponent {exponent}: subnormal, the power is 1 − {of.bias} = {power}".replace(" -", " −")
    size = Fraction(part, whole) + bool(field)
    counted = f"{part}/{whole}" if of.fraction_bits < 24 else f"{part}/2^{of.fraction_bits}"
    lead = "−" if np.signbit(value) else ""
    ends = f"value {lead}2^{power} × {digits(size, Fraction(1, whole))} = {digits(value, gap_at(Fraction(value), of))}"
    return first, f"fraction {bool(field):d} + {counted} = {digits(size, Fraction(1, whole))}", ends.replace("^-", "^−")


def _short(fraction):
    return fraction if len(fraction) <= 23 else f"{fraction[:10]}…"


# ---- every format ----

LEFT, RIGHT, LOW, HIGH, STEP, FIRST = 90.0, 320.0, -152, 130, 21.0, 216.0  # px and powers of two


def _everywhere(landings) -> list[Mark]:
    """Each format's range as a bar, the place of what is exact, and what each format makes of it."""
    names = list(landings)
    base = FIRST + STEP * len(names)
    marks = [text(0, FIRST - 40, "The same in every format", "name"), *_legend(), *_axis(base)]
    for i, name in enumerate(names):
        marks += _bar(name, landings[name], FIRST + STEP * i, i, len(names))
    targets = [f.target for f in landings["float64"]]
    spots = [_across(exponent_of(t)) if t else 0.0 for t in targets]
    there = ["" if t else "hidden" for t in targets]
    lines = [f"M{px(x)} {px(FIRST - 6)}L{px(x)} {px(base - 4)}" for x in spots]
    marks.append(path(NOWHERE, "outline", vary=varied({"d": lines, "state": there})))
    dots = varied({"cx": [float(px(x)) for x in spots], "state": there})
    return [*marks, circle(0, FIRST - 8, 4, "inkhead", vary=dots)]


def _across(power: float) -> float:
    return LEFT + (min(max(power, LOW), HIGH) - LOW) / (HIGH - LOW) * (RIGHT - LEFT)


def _legend():
    marks = []
    for x, role, words in ((LEFT, "leaf", "subnormal"), (LEFT + 86, "op", "normal")):
        marks += [rect(x, FIRST - 31, 12, 12, role, 2), text(x + 17, FIRST - 21, words, "note")]
    return [*marks, text(RIGHT + 10, FIRST - 21, "result", "note")]


def _axis(base):
    marks = []
    for power in range(-150, HIGH, 50):
        marks += [line(_across(power), FIRST - 6, _across(power), base - 4, "grid")]
        marks.append(text(_across(power), base + 12, str(power).replace("-", "−"), "tick", "middle"))
    return [*marks, text(6, base + 12, "power of 2", "note")]


def _bar(name, found, y, i, count):
    of = FORMATS[name]
    smallest, normal = exponent_of(Fraction(of.min_subnormal)), of.min_exponent
    ends = [_across(p) for p in (smallest, normal, of.max_exponent + 1)]
    others = [n for n in range(count) if n != i]
    marks = [text(6, y + 11, name, role, when={"format": where}) for role, where in (("name", [i]), ("note", others))]
    marks += [rect(a, y, b - a, 14, role, 0) for a, b, role in
              ((ends[0], ends[1], "leaf"), (ends[1], ends[2], "op")) if b > a]  # fmt: skip
    said = [_result(f, of) for f in found]
    return [*marks, text(RIGHT + 10, y + 11, "", "code", vary=varied({"text": said}))]


def _result(found: Landing, of: Format) -> str:
    if not np.isfinite(found.result):
        return str(found.result).replace("-", "−")
    exact = digits(found.result, gap_at(Fraction(found.result), of))
    return exact if len(exact) <= 13 else f"{found.result:.7g}".replace("-", "−")
