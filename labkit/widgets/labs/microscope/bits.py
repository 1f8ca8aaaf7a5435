"""The bits of a result as boxes, and what they mean."""

from collections.abc import Iterator, Sequence

import numpy as np

from ....precision import FORMATS, Format
from ...kit.scene import Link, Mark, Panel, rect, text, width_of
from .ranges import BELOW, range_marks
from .ruler import DIAL
from .run import Landing, at_place, bits, last_place
from .training import TALL, training_marks
from .words import meaning

WIDTH, IN_A_ROW = 436.0, 16  # px, and bits
HIGH, LOWER = 36.0, 44.0  # px: a bit, and from one row of them to the next
ABOVE = 134.0 + TALL  # px: between the bits and the range of their format


def bits_panels(landings: dict[str, list[Landing]], clicked: bool) -> Iterator[Panel]:
    """For each format the bits of the result, with what they mean; below, its range. `clicked`: they toggle."""
    title = f"The bits of the result{': click one' if clicked else ''}"
    for i, (name, found) in enumerate(landings.items()):
        of = FORMATS[name]
        meant = training_marks(found, bits_end(of) + 96)
        marks = [*boxes(of, found, clicked), *meant, *range_marks(found, range_at(of))]
        yield Panel(f"bits {name}", title, WIDTH, range_at(of) + BELOW, marks, {"format": [i]})


def range_at(of: Format) -> float:
    """How high the range of a format stands below the bits, px."""
    return bits_end(of) + ABOVE


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


def boxes(of: Format, found: Sequence[Landing], clicked: bool = False) -> Iterator[Mark]:
    """The bits of each result, and in three lines what they mean."""
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
        yield text(6, bits_end(of) + 18 + 18 * k, "", "plain").following(DIAL, text=said)
    large = max(width_of(words, 18, bold=True) for words in values) < WIDTH - 12
    yield text(6, bits_end(of) + 66, "", "heading" if large else "name").following(DIAL, text=values)


def bits_end(of: Format) -> float:
    """Where the rows of bits end."""
    return 26 + -(-of.bits // IN_A_ROW) * LOWER
