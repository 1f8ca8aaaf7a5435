"""The still picture of the step-size lab, for readers without JavaScript: the curve, and the error at every h.

It is drawn in Python, so a stored notebook needs neither a browser nor a JavaScript engine; the page draws its own panels.
"""

from html import escape
from typing import Any

import numpy as np

from ....palette import PALETTES, SANS
from ...kit.axes import Axis
from ...kit.strokes import polyline
from .run import REACH

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BASE = 820, 320, 16, 396, 60, 280
ACROSS, UP = Axis(-16, 0, 800, 460, log=True), Axis(-16, 2, BASE, TOP, log=True)


def still(lab: Any, theme: str, **at: Any) -> str:
    """Plain SVG of the errors."""
    ink = PALETTES[theme]
    steps = 10.0 ** -np.linspace(0, 16, 97)

    def spot(h: float) -> tuple[float, float] | None:
        error = lab.function.quotient(h, at["format"], at["rule"], at["x"]).error
        return (ACROSS(h), UP(min(max(error, 1e-16), 100.0))) if np.isfinite(error) else None

    def text(x: float, y: float, said: str, colour: str = "muted", anchor: str = "middle") -> str:
        return f'<text x="{x:g}" y="{y:g}" fill="{ink[colour]}" text-anchor="{anchor}" font-size="12">{escape(said)}</text>'

    *_, last = lab.describe(**at).splitlines()
    marks = [f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{ink["page"]}"/>']
    marks.append(f'<rect x="460" y="60" width="340" height="220" fill="{ink["panel"]}"/>')
    marks.append(text(16, 18, lab.title, "ink", "start"))
    marks.append(text(460, 50, f"error, {at['format']}, {at['rule']}", anchor="start"))
    marks += [text(ACROSS(10.0**-p), 296, f"1e−{p:02}" if p else "1") for p in (0, 4, 8, 12, 16)]
    marks += [text(454, UP(10.0**-p) + 4, f"1e−{p:02}" if p else "1", anchor="end") for p in (0, 4, 8, 12, 16)]
    marks.append(text(630, 312, "h, smaller to the right →"))
    d = polyline([spot(float(h)) for h in steps])
    marks.append(f'<path d="{d}" fill="none" stroke="{ink["ink"]}" stroke-width="2"/>')
    marks += _curve(lab.function, ink, text, **at)
    if here := spot(at["h"]):
        marks.append(f'<circle cx="{here[0]:.1f}" cy="{here[1]:.1f}" r="7" fill="{ink["forward"]}"/>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'font-family="{escape(SANS)}"><title>{escape(last)}</title>{"".join(marks)}</svg>'
    )


def _curve(function, ink, text, x, h, format, rule, zoom):
    """The curve around x, its tangent, and the secant of the quotient."""
    wide, q = REACH * (h if zoom else 1), function.quotient(h, format, rule, x)
    f, slope, bend = (function.at(x, order, form) for order, form in ((0, format), (1, "float64"), (2, "float64")))
    offsets = np.linspace(-wide, wide, 161)
    around = [
        d for t in (-wide, wide) for d in (slope * t, slope * t + (bend if np.isfinite(bend) else 0.0) * t * t / 2)
    ]
    low, high = (min(around), max(around)) if min(around) < max(around) else (-wide, wide)
    across, up = (
        Axis(-wide, wide, LEFT, RIGHT),
        Axis(low - 0.04 * (high - low), high + 0.04 * (high - low), BASE - 4, TOP + 4),
    )

    def line(values, colour, dashes=""):
        spots = [(across(float(t)), up(v)) if up.holds(v) else None for t, v in zip(offsets, values, strict=True)]
        return f'<path d="{polyline(spots)}" fill="none" stroke="{ink[colour]}" stroke-width="2"{dashes}/>'

    yield f'<rect x="{LEFT}" y="{TOP}" width="{RIGHT - LEFT}" height="{BASE - TOP}" fill="{ink["panel"]}"/>'
    yield line([function.at(x + float(t), 0, format) - f for t in offsets], "ink")
    yield line([slope * float(t) for t in offsets], "backward", ' stroke-dasharray="7 5"')
    start = h if rule == "central" else 0.0
    if np.isfinite(q.value):
        yield line([function.at(x - start, 0, format) - f + q.value * float(t + start) for t in offsets], "forward")
    yield text(LEFT, 36, f"tangent: slope {slope:.7g}", "backward-ink", "start")
    yield text(LEFT, 54, f"secant: slope {q.value:.7g}", "forward-ink", "start")
