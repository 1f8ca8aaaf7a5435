"""Where gradients lie in a format: a histogram of their exponents over the bands zero, subnormal, normal, infinite."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np

from ....precision import format_of
from ...kit.axes import Axis
from ...kit.grips import Grip
from ...kit.scene import Mark, line, only, path, rect, text, width_of
from ...kit.strokes import NOWHERE, px
from ...kit.words import minus
from .axes import LOOKS, at_formats, by_format, columns_axis, lost_to, percent, silhouette, stacked, two_to
from .outcome import FATES, Outcome

HEIGHT = 270.0
LEFT, RIGHT, TOP, BASE = 34.0, 366.0, 74.0, 204.0  # of the plot
ZONES = TOP - 24  # where the bands begin
WIDEST = 38.0  # px of a share
LIFTED = 33.0  # px that the names of narrow bands stand above them


def histogram(
    formats: Sequence[str], dial: str, cases: Mapping[str, list[tuple[dict[int, int], Outcome]]], held: bool = False
) -> Iterator[Mark]:
    """Exponents of the gradients, unscaled as an outline, scaled as filled columns, against the bands of the format.

    `cases`: `{format: [(exponents of the unscaled gradients, Outcome)] by position of the dial}`; `held`: it can be dragged,
    and while the reader predicts all columns look alike.
    """
    across, most = _exponents(formats, cases)
    up = Axis(0, most, BASE, TOP + 4)
    for of in formats:
        yield from only(at_formats(formats, of), _bands(of, across))
    yield from _scales(across, up, most)
    if held:
        where = {of: [_outline(across, up, e, o.power) for e, o in cases[of]] for of in formats}
        for found, _, when in by_format(formats, where):
            yield path(NOWHERE, "inkhead", when=when).following(dial, d=found).asking(dial)
    fates = _fates(formats, dial, cases, across, up)
    yield from (mark.answering(dial) for mark in fates) if held else fates
    outlines = {of: [_outline(across, up, exponents) for exponents, _ in cases[of]] for of in formats}
    for found, _, when in by_format(formats, outlines):
        yield path(NOWHERE, "outline", when=when).following(dial, d=found)
    arrows = {of: [_arrow(across, *case) for case in cases[of]] for of in formats}
    for found, _, when in by_format(formats, arrows):
        yield from only(when, _arrow_marks(dial, found, "no scale: drag →" if held else "no scale"))
    yield from _key()


def _fates(formats, dial, cases, across, up) -> Iterator[Mark]:
    """What becomes of the gradients: columns by their fates, shares, and a verdict."""
    for found, _, when in by_format(formats, {of: [_columns(across, up, o) for _, o in cases[of]] for of in formats}):
        for layer, role in zip(zip(*found, strict=True), LOOKS.values(), strict=True):
            yield path(NOWHERE, role, when=when).following(dial, d=layer)
    for of in formats:
        here, infinite = [o for _, o in cases[of]], lost_to(of)
        said = [
            shares(of, across, dial, here, ZONES),
            verdict(dial, here, infinite, LEFT, HEIGHT - 8),
            _spoiled(dial, here, across, infinite),
        ]
        yield from only(at_formats(formats, of), chain.from_iterable(said))


def handle(
    formats: Sequence[str], dial: str, cases: Mapping[str, list[tuple[dict[int, int], Outcome]]]
) -> Iterator[Grip]:
    """The histogram, to be dragged to another scale by the tip of its arrow or anywhere in the plot."""
    across, _ = _exponents(formats, cases)
    area = (LEFT, TOP, across.end - LEFT, BASE - TOP)
    for spots, _, when in by_format(
        formats, {of: [(_arrow(across, *c)[1], TOP - 12.0) for c in cases[of]] for of in formats}
    ):
        yield Grip(f"{dial} histogram", f"{dial} exponents", "The histogram", dial, spots, "x", when=when, area=area)


def _exponents(formats, cases):
    """The axis of exponents, wide enough for all cases and the bands of the first format; and the tallest column."""
    first, every = format_of(formats[0]), [case for found in cases.values() for case in found]
    known = [e for exponents, _ in every for e in exponents] + [e for _, o in every for e in o.bins]
    low = min([*known, first.min_exponent - first.fraction_bits - 5])
    high = max([*known, first.max_exponent + 5])
    if high - low > 120:  # a format that is wider than the picture
        low, high = min(known), max(known)
    columns = [max(exponents.values()) / sum(exponents.values()) for exponents, _ in every if exponents]
    columns += [row.sum() / o.size for _, o in every for row in o.bins.values()]
    low, high = low - 1, high + 2
    wide = max(int((RIGHT - LEFT) / (high - low)), 1)
    spare = max(int((RIGHT - LEFT) / wide) - (high - low), 0)
    return columns_axis(low - spare // 2, high + spare - spare // 2, LEFT, RIGHT), max(columns)


def _columns(across, up, found):
    """The paths of the scaled gradients, by fate."""
    return stacked(across, up, {e: row / max(found.size, 1) for e, row in found.bins.items()})


def _outline(across, up, exponents, power=0.0):
    """The exact gradients, times a scale."""
    total, base, by = sum(exponents.values()), round(up(0)), round(power)
    return silhouette(
        across, [(e + by, base, min(base - 1, round(up(n / total)))) for e, n in sorted(exponents.items())]
    )


def ends(of: str, across: Axis) -> list[tuple[float, float]]:
    """Where the bands of a format begin and end, px."""
    f = format_of(of)
    ends = [across.low, np.log2(f.min_subnormal) - 1, f.min_exponent, np.log2(f.max), across.high]
    return list(pairwise(map(across, ends)))


def shares(of: str, across: Axis, dial: str, outcomes: Sequence[Outcome], top: float) -> Iterator[Mark]:
    """Under the name of each band that begins at `top`, how many met its fate; beside a name that is lifted."""
    roles = ("slope", "leaftext", "forwardtext", "badtext")
    for (band, fate), role in zip(zip(_named(of, across), FATES, strict=True), roles, strict=True):
        if band.wide >= 1:
            said = [percent(found.share(fate)) if found.count(fate) else "" for found in outcomes]
            said = [words.replace("under ", "<").replace("over ", ">") for words in said]
            place = (
                (band.middle + band.half + 5, top - LIFTED, "start")
                if band.lifted
                else (min(band.middle, across.end - WIDEST / 2), top - 5, "middle")
            )
            yield text(place[0], place[1], "", role, place[2]).following(dial, text=said)


class Band(NamedTuple):
    """Of a format: its name, its first px and how many there are, the middle of its name and half as wide as that is."""

    name: str
    low: float
    wide: float
    middle: float
    half: float

    @property
    def lifted(self) -> bool:
        """Where the band is narrower than its name, that stands higher."""
        return 2 * self.half > self.wide + 6


def _named(of, across) -> list[Band]:
    """The bands of a format."""
    found = []
    for (low, high), name in zip(ends(of, across), ("zero", "subnormal", "normal", lost_to(of)), strict=True):
        half = width_of(name, 11.5) / 2
        found.append(
            Band(name, low, high - low, min(max((low + high) / 2, across.start + half), across.end - half), half)
        )
    return found


def _bands(of, across) -> Iterator[Mark]:
    looks = ("zone-zero", "zone-subnormal", "zone-normal", "zone-over")
    for band, role in zip(_named(of, across), looks, strict=True):
        if band.wide >= 1:
            yield rect(band.low, ZONES, band.wide, BASE - ZONES, role, 0)
    yield from band_names(of, across, ZONES)


def band_names(of: str, across: Axis, top: float) -> Iterator[Mark]:
    """The names of the bands of a format, which begin at `top`."""
    for band in _named(of, across):
        if band.wide >= 1:
            yield text(band.middle, top - (LIFTED if band.lifted else 19), band.name, "note", "middle")
        if band.wide >= 1 and band.lifted:
            yield line(band.middle, top - LIFTED + 4, band.middle, top - 1, "grid")


def _scales(across, up, most) -> Iterator[Mark]:
    yield line(LEFT, BASE, across.end, BASE, "axis")
    step = 10 if across.high - across.low > 45 else 5
    for e in range(-(-int(across.low) // step) * step, int(across.high) + 1, step):
        if LEFT + 8 < across(e) < across.end - 8:
            yield line(across(e), BASE, across(e), BASE + 4, "axis")
            yield text(across(e), BASE + 15, minus(str(e)), "tick", "middle")
    share = _round_share(most)
    yield from up.beside(LEFT - 4, (0.0, share), "{:.0%}".format)
    yield line(LEFT, up(share), across.end, up(share), "grid")


def _round_share(most):
    """A round share just below the tallest column."""
    return max(s for s in (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0) if s <= max(most, 0.01))


def _arrow(across, exponents, found):
    """Where the middle of the outline lies, where the scale puts it, and what is written there; "": there is none."""
    counts = sorted(exponents.items()) or [(0, 0)]
    passed = np.cumsum([n for _, n in counts])
    middle = counts[int(np.searchsorted(passed, passed[-1] / 2))][0]
    words = f"× {two_to(found.power)}" if found.power else ""
    start, end = (float(px(across(middle + 0.5 + power))) for power in (0, found.power))
    return start, end, words


def _arrow_marks(dial, found, unscaled) -> Iterator[Mark]:
    y = TOP - 12
    yield path(NOWHERE, "inkline").following(dial, d=[f"M{px(a)} {y}L{px(b)} {y}" for a, b, _ in found])
    heads = [f"M{px(b)} {y}L{px(b - 7)} {y - 4}L{px(b - 7)} {y + 4}Z" if b != a else NOWHERE for a, b, _ in found]
    yield path(NOWHERE, "inkhead").following(dial, d=heads)
    beside = [(b + 20, "start") if b + 84 < RIGHT else (a - 6, "end") for a, b, _ in found]
    words = text(0, y + 4, "", "value").following(dial, text=[words or unscaled for *_, words in found])
    yield words.following(dial, x=[x for x, _ in beside], text_anchor=[anchor for _, anchor in beside])


def _key() -> Iterator[Mark]:
    """What the outline is; the colours are those of the bands."""
    y = BASE + 33
    yield rect(LEFT, y - 9, 11, 9, "outline", 0)
    yield text(LEFT + 16, y, "without a scale", "note")


def verdict(dial: str, outcomes: Sequence[Outcome], infinite: str, x: float, y: float) -> Iterator[Mark]:
    """What comes of it, in a few words."""
    said = [_said(found, infinite) for found in outcomes]
    for role, sign in (("verdict", "✓"), ("fault", "✗")):
        shown = [words if words.startswith(sign) else "" for words in said]
        yield text(x, y, "", role).following(dial, text=shown)


def _spoiled(dial, outcomes, across, infinite) -> Iterator[Mark]:
    """Beside hollow columns that would fit: what has become of them."""
    lines = ["most would fit:", f"spoiled by one {infinite}", "on the way back"]
    wide = max(width_of(words, 12, bold=True) for words in lines)
    where = [_beside_columns(found, across, wide) for found in outcomes]
    for k, words in enumerate(lines):
        said = text(0, BASE - 82 + 16 * k, "", "badtext").following(dial, x=[x for x, _ in where])
        shown = [words if not found.finite and found.spread else "" for found in outcomes]
        yield said.following(dial, text=shown, text_anchor=[anchor for _, anchor in where])


def _beside_columns(found, across, wide):
    """Left of nearly all columns, or right of them where there is no room; at the plot's edge where there is none either."""
    counts = sorted((e, int(row.sum())) for e, row in found.bins.items())
    passed, whole = np.cumsum([n for _, n in counts]), sum(n for _, n in counts)
    low, high = (counts[int(np.searchsorted(passed, part * whole))][0] if counts else 0 for part in (0.02, 0.98))
    left, right = across(low) - 8.0, across(high + 1) + 8.0
    if left - wide > LEFT:
        return left, "end"
    return (right, "start") if right + wide <= RIGHT else (RIGHT, "end")


def _said(found, infinite):
    if not found.finite:
        return f"✗ {percent(found.share('overflowed'))} → {infinite}: step skipped"
    if not found.count("flushed"):
        return "✓ all of them survive"
    return f"{'✓ safe' if found.safe else '✗'}{', ' if found.safe else ' '}{percent(found.share('flushed'))} → 0"
