"""What is said of a landing: a sentence for every position, and questions to answer before it is shown."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

import numpy as np

from ....precision import Format
from ...kit.scene import Ask, by_position, only
from ...kit.words import minus, paragraph, raised
from .run import Landing, bits, digits, exponent_of, gap_at


def sentence(f: Landing) -> str:
    """What happens to a number or a result in a format.

    >>> from labkit.precision import FORMATS
    >>> from labkit.widgets.labs.microscope.run import landing
    >>> said = sentence(landing(lambda a: a + 1, Fraction(2048), FORMATS["float16"], "a"))
    >>> print(said.replace(". ", ".\\n"))
    a + 1 is exactly 2049.
    Halfway between 2048 and 2050: the tie goes to 2048, whose last bit is 0.
    Absorbed: adding 1 changes nothing.
    float16, a = 2048.
    The bits: exponent 11010 = 26, and 26 − 15 = 11; fraction 1 + 0/1024 = 1.
    """
    head, end = f"{f.of.name}, {f.name} = {_input_words(f)}.", digits(f.result, _gap(f))
    if not f.ops:
        said = [head, _neighbour_words(f, end)]
    elif not np.isfinite(f.input):
        said = [_too_large(f), f"So {f.words} is {end}."]
    elif f.exact is None:
        said = [f"{f.words} is {end}."]
    else:
        about = "exactly" if isinstance(f.exact, Fraction) else "in float64"
        said = [f"{f.words} is {about} {_exact_words(f, end)}.", _neighbour_words(f, end), _absorption_words(f)]
    if f.ops and np.isfinite(f.input) and Fraction(f.input) != f.x:  # it is rounded before anything is done with it
        said.insert(0, f"{f.name} = {_input_words(f)}.")
    exponent, fraction, _ = meaning(f.result, f.of)
    return paragraph(*said) + "\n" + paragraph(head if f.ops else "", f"The bits: {exponent}; {fraction}.")


def fate(f: Landing) -> tuple:
    """What becomes of a result, as far as that is a kind of thing: such as to be rounded, absorbed, subnormal or infinite."""
    if not np.isfinite(f.result):
        return "beyond", f.input == f.result
    size = "0" if not f.result else "subnormal" if abs(f.result) < f.of.min_normal else "normal"
    return size, f.absorbed, f.tie, bool(f.input)


def _exact_words(f: Landing, end: str) -> str:
    """What is exact, with digits that tell it from the result."""
    if not np.isfinite(f.result) or f.target == Fraction(f.result):
        return digits(f.target, _gap(f) / 20)
    off = f.target - Fraction(f.result)
    written = digits(f.target, abs(off))
    far = abs(off) * 2**40 < abs(f.target)
    return f"{end} {'−' if off < 0 else '+'} {digits(abs(off), abs(off))}" if far else written


def _number(value: float | Fraction, of: Format) -> str:
    """A number of a format, with digits that tell it from its neighbours."""
    return digits(value, gap_at(Fraction(value), of))


def _gap(f: Landing) -> Fraction:
    return gap_at(Fraction(f.result), f.of) if np.isfinite(f.result) else Fraction(f.of.max) / 1000


def _input_words(f: Landing) -> str:
    """The number given; for the input of a function also what the format stores."""
    shown = digits(f.x, min(gap_at(f.x, f.of), abs(f.x) / 1000) if f.x else Fraction(1))
    if not f.ops or (np.isfinite(f.input) and Fraction(f.input) == f.x):
        return shown
    return f"{shown}, stored as {_number(f.input, f.of) if np.isfinite(f.input) else digits(f.input, Fraction(1))}"


def _too_large(f: Landing) -> str:
    """That the number given is too large for its format."""
    whole, most = digits(f.x, abs(f.x) / 1000), _number(f.of.max, f.of)
    return (
        f"{f.name} = {whole} is beyond {most}, the largest {f.of.name}: it is stored as {digits(f.input, Fraction(1))}."
    )


def _neighbour_words(f: Landing, end: str) -> str:
    """Which neighbour it goes to, and why."""
    if f.around is None or not np.isfinite(f.result):
        lost = "infinite" if f.of.infinity else "nan, for this format has no infinity"
        if np.isfinite(f.nearest):
            return f"An operation on the way left the format: the result is {end}."
        return f"Beyond {_number(f.of.max, f.of)}, the largest number: {lost}."
    low, high = (_number(n, f.of) for n in f.around)
    if Fraction(f.result) != Fraction(f.nearest):
        steps = abs(Fraction(f.result) - Fraction(f.nearest)) / gap_at(Fraction(f.nearest), f.of)
        nearest = digits(f.nearest, _gap(f))
        return (
            f"Each of {f.ops} operations was rounded: the result is {end}, {_count(steps)} from the nearest, {nearest}."
        )
    if f.around[0] == f.around[1]:
        return f"That is a number of the format: nothing is rounded{_subnormal(f)}."
    if f.tie:
        return f"Halfway between {low} and {high}: the tie goes to {end}, whose last bit is 0."
    if not f.result:
        return f"Nearer to 0 than to {high if f.target > 0 else low}, the smallest number: it becomes 0."
    off = digits(abs(f.target - Fraction(f.result)), _gap(f) / 4)
    return f"Between {low} and {high}: {end} is nearer, off by {off}{_subnormal(f)}."


def _subnormal(f: Landing) -> str:
    if not 0 < abs(f.result) < f.of.min_normal:
        return ""
    kept = exponent_of(Fraction(f.result)) - exponent_of(Fraction(f.of.min_subnormal))
    return f"; subnormal, fraction bits left: {kept} of {f.of.fraction_bits}"


def _count(steps: Fraction) -> str:
    return "1 gap" if steps == 1 else f"{digits(steps, steps / 100)} gaps"


def _absorption_words(f: Landing) -> str:
    verb = "adding" if "+" in f.words else "subtracting"
    return f"Absorbed: {verb} {f.absorbed} changes nothing." if f.absorbed else ""


def meaning(value: float, of: Format) -> tuple[str, str, str]:
    """What the bits of a number say, in three lines: exponent, fraction, value.

    >>> from labkit.precision import format_of
    >>> meaning(-1.5, format_of("float16"))[:2]
    ('exponent 01111 = 15, and 15 − 15 = 0', 'fraction 1 + 512/1024 = 1.5')
    """
    _, exponent, fraction = bits(value, of)
    field, part, whole = int(exponent, 2), int(fraction, 2), 2**of.fraction_bits
    if not np.isfinite(value):
        infinite, only = np.isinf(value), not of.infinity  # where there is no infinity, one fraction alone is nan
        mark = "all ones, too" if only else "all zeros, the mark of inf" if infinite else "not 0, the mark of nan"
        kind = f"{'−' * bool(np.signbit(value))}inf: larger than any number" if infinite else "nan: no number at all"
        return f"exponent {exponent}: all ones", f"fraction {_shortened(fraction)}: {mark}", f"that means {kind}"
    if not value:
        return f"exponent {exponent}: all zeros", f"fraction {_shortened(fraction)}", "that means 0"
    power = max(field, 1) - of.bias
    first = f"exponent {exponent} = {field}, and {field} − {of.bias} = {minus(str(power))}"
    if not field:
        first = f"exponent {exponent}: subnormal, the power is 1 − {of.bias} = {minus(str(power))}"
    size = Fraction(part, whole) + bool(field)
    counted = f"{part}/{whole}" if of.fraction_bits < 24 else f"{part}/{raised(2, of.fraction_bits)}"
    lead = "−" if np.signbit(value) else ""
    significand = digits(size, Fraction(1, whole))
    last = f"{lead}{raised(2, power)} × {significand} = {digits(value, gap_at(Fraction(value), of))}"
    return first, f"fraction {bool(field):d} + {counted} = {significand}", last


def _shortened(fraction):
    return fraction if len(fraction) <= 23 else f"{fraction[:10]}…"


# ---- predict first ----


def questions(landings: dict[str, list[Landing]]) -> dict[int, list[Ask]]:
    """Questions by position: about the gap, the largest number, and an addition that is absorbed."""
    asks: list[tuple[int, Ask]] = []
    for i, found in enumerate(landings.values()):
        here = dict([*_gaps(found), *_largest(found), *_absorbed(found)])
        asks += zip(here, only({"format": [i]}, here.values()))
    return by_position(asks)


def _gaps(found: list[Landing]) -> Iterator[tuple[int, Ask]]:
    """What becomes of the gap when the number doubles: once among the normal numbers, once among the subnormal ones."""
    choices = ("it stays", "it doubles", "it is halved")
    doubled = [i for i, (a, b) in enumerate(pairwise(found), 1) if not b.ops and a.x and b.x == 2 * a.x and b.around]
    normal = next((i for i in doubled if abs(found[i - 1].x) >= Fraction(found[i].of.min_normal)), None)
    smaller = next((i for i in doubled if 0 < abs(found[i].result) < found[i].of.min_normal), None)
    if normal is not None:
        yield normal, Ask(
            "The number doubles. What does the gap between neighbours do?", choices[1],
            "There are as many numbers from 1 to 2 as from 2 to 4: the gap grows with the number.",
            ((choices[0], "So it is with integers. Here the number of fraction bits is fixed, not the gap."),
             (choices[2], "The other way round: close to 0 the numbers are dense.")), choices,
        )  # fmt: skip
    if smaller is not None:
        yield smaller, Ask(
            "The number doubles, and stays subnormal. What does the gap between neighbours do?", choices[0],
            "Subnormal numbers share one exponent, the smallest: their gap is the same down to 0.",
            ((choices[1], "That is so for normal numbers. These share one exponent."),
             (choices[2], "The gap is never smaller than here.")), choices,
        )  # fmt: skip


def _largest(found: list[Landing]) -> Iterator[tuple[int, Ask]]:
    """The first number that is too large."""
    i = next((i for i, f in enumerate(found) if not f.ops and i and f.around is None), None)
    if i is not None and np.isfinite(found[i - 1].result):
        of, largest = found[i].of, _number(found[i].of.max, found[i].of)
        lost = "inf" if of.infinity else "nan"
        yield i, Ask(
            f"The largest {of.name} is {largest}. What is stored next, for {_input_words(found[i])}?", lost,
            "Nothing larger fits.",
            ((largest, "Numbers do not stop at the largest one: there is a mark for what is too large."),
             ("0", "That happens at the other end.")), (largest, lost, "0"),
        )  # fmt: skip


def _absorbed(found: list[Landing]) -> Iterator[tuple[int, Ask]]:
    """The first two results that are the input again."""
    absorbed = [i for i, f in enumerate(found) if i and f.absorbed and f.ops == 1 and f.result == f.input]
    for i in absorbed[:2]:
        f = found[i]
        exact, others = float(f.target), [float(n) for n in f.around or () if float(n) != f.result]
        if others and exact != f.result:
            why = "Halfway, and the tie goes to the even one." if f.tie else "It is nearer than the other neighbour."
            yield i, Ask(
                f"Next, {f.name} = {_input_words(f)}. What is {f.words} in {f.of.name}?", f.result, why,
                ((exact, "So it is exactly. But is that a number of the format? Look at the gap."),
                 (others[0], "That is the other neighbour. " + why)),
                tolerance=1e-12, otherwise="Not that. Which two neighbours are there?",
            )  # fmt: skip
