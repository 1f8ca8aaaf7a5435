"""The bits of a result as boxes, what they mean, and where in its format the number lies."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

import numpy as np

from ....precision import FORMATS, Format
from ...kit.axes import Axis
from ...kit.grips import Grip
from ...kit.scene import Link, Mark, Panel, circle, rect, text, width_of
from ...kit.words import raised
from .ruler import DIAL
from .run import Landing, at_place, bits, exponent_of, last_place
from .words import meaning

WIDTH, IN_A_ROW = 436.0, 16  # px, and bits
HIGH, LOWER = 36.0, 44.0  # px: a bit, and from one row of them to the next
STRIP, ABOVE = 20.0, 126.0  # px: how high the range of a format is, and what stands above it


def bits_panels(landings: dict[str, list[Landing]], clicked: bool) -> Iterator[Panel]:
    """For each format the bits of the result, with what they mean; below, its range. `clicked`: they toggle."""
    title = f"The bits of the result{': click one' if clicked else ''}"
    for i, (name, found) in enumerate(landings.items()):
        of = FORMATS[name]
        marks = [*_boxes(of, found, clicked), *_range(of, found)]
        yield Panel(f"bits {name}", title, WIDTH, _end(of) + ABOVE + STRIP + 26, marks, {"format": [i]})


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
    step = min(52.0, (WIDTH - 12) / min(of.bits, IN_A_ROW))
    all_bits = ["".join(bits(f.result, of)) for f in found]
    for n in range(of.bits):
        x, y, link = 6 + n % IN_A_ROW * step, 26 + n // IN_A_ROW * LOWER, f"bit {n}" if clicked else None
        role = "area" if n == 0 else "leaf" if n <= of.exponent_bits else "op"
        yield rect(x, y, step - 3, HIGH, role, 4, link=link)
        digit = text(x + (step - 3) / 2, y + 24, "", "heading", "middle", link=link)
        yield digit.following(DIAL, text=[b[n] for b in all_bits])
    yield text(6 + step / 2 - 2, 18, "±", "note", "middle")
    yield text(6 + step, 18, "exponent", "note")
    if of.exponent_bits < IN_A_ROW - 3:
        yield text(6 + step * (1 + of.exponent_bits), 18, "fraction", "note")
    *parts, values = zip(*(meaning(f.result, of) for f in found), strict=True)
    for k, said in enumerate(parts):
        yield text(6, _end(of) + 18 + 18 * k, "", "plain").following(DIAL, text=said)
    large = max(width_of(words, 18, bold=True) for words in values) < WIDTH - 12
    yield text(6, _end(of) + 66, "", "heading" if large else "name").following(DIAL, text=values)


def _end(of: Format) -> float:
    """Where the rows of bits end."""
    return 26 + -(-of.bits // IN_A_ROW) * LOWER


# ---- the range of the format ----


def _axis(of: Format) -> Axis:
    """The powers of 2 of a format, and some beyond both ends."""
    low, high = exponent_of(Fraction(of.min_subnormal)), of.max_exponent + 1
    beyond = (high - low) / 8
    return Axis(low - beyond, high + beyond, 6.0, WIDTH - 6)


def _range(of: Format, found) -> Iterator[Mark]:
    """From what becomes 0 to what is too large, with the place of the number given."""
    across, y = _axis(of), _end(of) + ABOVE
    low, normal, high = exponent_of(Fraction(of.min_subnormal)), of.min_exponent, of.max_exponent + 1
    ends = [*map(across, (across.low, low, normal, high, across.high))]
    roles = ("zone-zero", "leaf", "op", "zone-over")
    words = ("0", "subnormal", "normal", "inf" if of.infinity else "nan")
    for (left, right), role, said in zip(pairwise(ends), roles, words):
        yield rect(left, y, right - left, STRIP, role, 0)
        if width_of(said, 11.5) < right - left:
            yield text((left + right) / 2, y - 6, said, "note", "middle")
    yield from across.below(y + STRIP + 16, (low, 0, of.max_exponent), lambda power: raised(2, int(power)))
    xs = [across(exponent_of(f.x)) if _lies(f, across) else 0.0 for f in found]
    state = ["" if _lies(f, across) else "hidden" for f in found]
    yield circle(0, y + STRIP / 2, 5, "inkhead").following(DIAL, cx=xs, state=state)
    yield text(0, y - 22, found[0].name, "forwardtext", "middle").following(DIAL, x=xs, state=state)


def _lies(f: Landing, across: Axis) -> bool:
    return bool(f.x) and across.low <= exponent_of(f.x) <= across.high


def range_grips(landings: dict[str, list[Landing]]) -> Iterator[Grip]:
    """The number given, dragged along the range of each format."""
    for i, (name, found) in enumerate(landings.items()):
        of = FORMATS[name]
        across, y = _axis(of), _end(of) + ABOVE + STRIP / 2
        spots = [(across(exponent_of(f.x)), y) if _lies(f, across) else None for f in found]
        label = f"The number, along the powers of 2 of {name}"
        yield Grip(f"range {name}", f"bits {name}", label, DIAL, spots, "x", when={"format": [i], "beside": [0]})
