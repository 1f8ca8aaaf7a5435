"""Where gradients lie in a format: a histogram of their exponents over the bands zero, subnormal, normal, infinite."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from ....precision import format_of
from ...kit.scene import Mark, changes, line, path, px, rect, text, width_of
from .axes import LOOKS, Axis, by_format, lost_to, power_of_two, silhouette, stacked
from .outcome import Outcome

HEIGHT = 232.0
LEFT, RIGHT, TOP, BASE = 34.0, 430.0, 58.0, 190.0  # of the plot


def histogram(
    formats: Sequence[str], dial: str, cases: Mapping[str, list[tuple[dict[int, int], Outcome]]]
) -> list[Mark]:
    """Exponents of the gradients, unscaled as an outline, scaled as filled columns, against the bands of the format.

    `cases`: `{format: [(exponents of the unscaled gradients, Outcome)] by position of the dial}`.
    """
    across, most = _exponents(formats, cases)
    up = Axis(0, most, BASE, TOP + 4)
    marks = [m for of in formats for m in _bands(of, across, _where(formats, of))]
    marks += _scales(across, up, most)
    for found, _, where in by_format(formats, {of: [_columns(across, up, o) for _, o in cases[of]] for of in formats}):
        for layer, role in zip(zip(*found, strict=True), LOOKS.values(), strict=True):
            marks.append(path("M0 0", role, vary={dial: {"d": changes(layer)}}, when=where))
    outlines = {of: [_outline(across, up, *case) for case in cases[of]] for of in formats}
    for found, _, where in by_format(formats, outlines):
        marks.append(path("M0 0", "outline", vary={dial: {"d": changes(found)}}, when=where))
    arrows = {of: [_arrow(across, *case) for case in cases[of]] for of in formats}
    for found, _, where in by_format(formats, arrows):
        marks += _arrow_marks(dial, found, where)
    return marks + _legend()


def _where(formats, of):
    return {"format": [formats.index(of)]} if len(formats) > 1 else {}


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
    return Axis.of_columns(low - spare // 2, high + spare - spare // 2, LEFT, RIGHT), max(columns)


def _columns(across, up, found):
    """The paths of the scaled gradients, by fate."""
    return stacked(across, up, {e: row / max(found.size, 1) for e, row in found.bins.items()})


def _outline(across, up, exponents, _):
    total, base = sum(exponents.values()), round(up(0))
    return silhouette(across, [(e, base, min(base - 1, round(up(n / total)))) for e, n in sorted(exponents.items())])


def _bands(of, across, where):
    f = format_of(of)
    ends = [across.low, np.log2(f.min_subnormal) - 1, f.min_exponent, np.log2(f.max), across.high]
    looks = [
        ("zone-zero", "flushed to 0"),
        ("zone-subnormal", "subnormal"),
        ("zone-normal", "normal"),
        ("zone-over", lost_to(of)),
    ]
    marks, taken = [], [0.0, 0.0]
    for (low, high), (role, name) in zip(pairwise(map(across, ends)), looks, strict=True):
        if high - low < 1:
            continue
        marks.append(rect(low, TOP - 24, high - low, BASE - TOP + 24, role, 0, when=where))
        half = width_of(name, 11.5) / 2
        middle = min(max((low + high) / 2, LEFT + half), across.end - half)
        row = 0 if middle - half > taken[0] else 1
        taken[row] = middle + half + 4
        marks.append(text(middle, TOP - 28 - 14 * row, name, "note", "middle", when=where))
    return marks


def _scales(across, up, most):
    marks = [line(LEFT, BASE, across.end, BASE, "axis")]
    step = 10 if across.high - across.low > 45 else 5
    for e in range(-(-int(across.low) // step) * step, int(across.high) + 1, step):
        if LEFT + 8 < across(e) < across.end - 8:
            marks += [line(across(e), BASE, across(e), BASE + 4, "axis")]
            marks += [text(across(e), BASE + 15, str(e).replace("-", "−"), "tick", "middle")]
    for share in (0.0, _round_share(most)):
        marks.append(text(LEFT - 4, up(share) + 4, f"{share:.0%}", "tick", "end"))
    return [*marks, line(LEFT, up(_round_share(most)), across.end, up(_round_share(most)), "grid")]


def _round_share(most):
    """A round share just below the tallest column."""
    return max(s for s in (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0) if s <= max(most, 0.01))


def _arrow(across, exponents, found):
    """Where the middle of the outline lies, where the scale puts it, and what is written there."""
    counts = sorted(exponents.items()) or [(0, 0)]
    passed = np.cumsum([n for _, n in counts])
    middle = counts[int(np.searchsorted(passed, passed[-1] / 2))][0]
    words = f"× {power_of_two(found.scale).partition(' =')[0]}" if found.power else "no scale"
    return px(across(middle + 0.5)), px(across(middle + 0.5 + found.power)), words


def _arrow_marks(dial, found, where):
    y = TOP - 12
    lines = [f"M{a} {y}L{b} {y}" for a, b, _ in found]
    heads = [
        f"M{b} {y}L{px(float(b) - 7)} {y - 4}L{px(float(b) - 7)} {y + 4}Z" if b != a else "M0 0" for a, b, _ in found
    ]
    right = [float(b) + 70 < RIGHT for _, b, _ in found]
    beside = {
        "text": changes(words for *_, words in found),
        "x": changes(float(b) + 6 if fits else float(a) - 6 for (a, b, _), fits in zip(found, right, strict=True)),
        "text-anchor": changes("start" if fits else "end" for fits in right),
    }
    return [
        path("M0 0", "inkline", vary={dial: {"d": changes(lines)}}, when=where),
        path("M0 0", "inkhead", vary={dial: {"d": changes(heads)}}, when=where),
        text(0, y + 4, "", "value", vary={dial: beside}, when=where),
    ]


def _legend():
    y, marks = HEIGHT - 8, []
    x = LEFT
    for name, role in {"unscaled": "outline", **LOOKS}.items():
        marks += [rect(x, y - 9, 11, 9, role, 0), text(x + 15, y, name, "note")]
        x += 30 + width_of(name, 11.5)
    return marks
