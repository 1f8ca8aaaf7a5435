"""The range of a format, along which the number given is dragged."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from ....precision import FORMATS, Format
from ...kit.axes import Axis
from ...kit.grips import Grip
from ...kit.scene import Mark, circle, rect, text, width_of
from ...kit.words import raised
from .ruler import DIAL
from .run import Landing, exponent_of

WIDTH, STRIP, BELOW = 436.0, 20.0, 46.0  # px: the range, how high it is, and what it takes from its upper edge on
EDGE = 10.0  # px from an end, where stands what lies beyond


def _axis(of: Format) -> Axis:
    """The powers of 2 of a format, and some beyond both ends."""
    low, high = exponent_of(Fraction(of.min_subnormal)), of.max_exponent + 1
    beyond = (high - low) / 8
    return Axis(low - beyond, high + beyond, 6.0, WIDTH - 6)


def range_marks(found: Sequence[Landing], y: float) -> Iterator[Mark]:
    """From what becomes 0 to what is too large, with the place of the number given; its upper edge at `y`."""
    of = found[0].of
    across = _axis(of)
    low, normal, high = exponent_of(Fraction(of.min_subnormal)), of.min_exponent, of.max_exponent + 1
    ends = [*map(across, (across.low, low, normal, high, across.high))]
    roles = ("zone-zero", "leaf", "op", "zone-over")
    words = ("0", "subnormal", "normal", "inf" if of.infinity else "nan")
    for (left, right), role, said in zip(pairwise(ends), roles, words):
        yield rect(left, y, right - left, STRIP, role, 0)
        if width_of(said, 11.5) < right - left:
            yield text((left + right) / 2, y - 9, said, "note", "middle")
    yield from across.below(y + STRIP + 18, (low, 0, of.max_exponent), lambda power: raised(2, int(power)))
    xs = [_place(f, across) for f in found]
    state = ["" if f.x else "hidden" for f in found]
    yield circle(0, y + STRIP / 2, 5, "inkhead").following(DIAL, cx=xs, state=state)
    yield text(0, y - 25, found[0].name, "forwardtext", "middle").following(DIAL, x=xs, state=state)


def _place(f: Landing, across: Axis) -> float:
    """Where the number given stands; what lies beyond an end stands there."""
    if not f.x:
        return 0.0
    x, low, high = across(exponent_of(f.x)), across.start + EDGE, across.end - EDGE
    return x if low <= x <= high else min(max(float(x), low), high)


def range_grips(
    landings: Mapping[str, Sequence[Landing]], kind: str, beside: int, heights: Mapping[str, float]
) -> Iterator[Grip]:
    """The number given, dragged along the range of each format, in the panels of a `kind`, with the edge at these heights."""
    for i, (name, found) in enumerate(landings.items()):
        across = _axis(FORMATS[name])
        spots = [(_place(f, across), heights[name] + STRIP / 2) if f.x else None for f in found]
        label = f"The number, along the powers of 2 of {name}"
        yield Grip(
            f"{kind} range {name}", f"{kind} {name}", label, DIAL, spots, "x", when={"format": [i], "beside": [beside]}
        )
