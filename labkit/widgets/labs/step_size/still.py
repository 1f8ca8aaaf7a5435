"""The still picture of the step-size lab, for readers without JavaScript: the curve, and the error at every h."""

from typing import Any

import numpy as np

from ...kit.sketch import Axis, Sketch
from .run import REACH

LEFT, RIGHT, TOP, BASE = 16, 396, 60, 280
ACROSS, UP = Axis(-16, 0, 800, 460, log=True), Axis(-16, 2, BASE, TOP, log=True)


def still(lab: Any, theme: str, **at: Any) -> str:
    """Plain SVG of the errors."""
    sketch = Sketch(theme, 820, 320, lab.describe(**at).splitlines()[-1])

    def spot(h: float) -> tuple[float, float] | None:
        error = lab.function.quotient(h, at["format"], at["rule"], at["x"]).error
        return (ACROSS(h), UP(min(max(error, 1e-16), 100.0))) if np.isfinite(error) else None

    sketch.rect(460, TOP, 340, BASE - TOP, "panel")
    sketch.text(16, 18, lab.title, "ink", "start")
    sketch.text(460, 50, f"error, {at['format']}, {at['rule']}", anchor="start")
    for p in (0, 4, 8, 12, 16):
        sketch.text(ACROSS(10.0**-p), 296, f"1e−{p:02}" if p else "1")
        sketch.text(454, UP(10.0**-p) + 4, f"1e−{p:02}" if p else "1", anchor="end")
    sketch.text(630, 312, "h, smaller to the right →")
    sketch.path([spot(float(h)) for h in 10.0 ** -np.linspace(0, 16, 97)])
    _draw_curve(sketch, lab.function, **at)
    if here := spot(at["h"]):
        sketch.circle(*here, 7, "forward")
    return str(sketch)


def _draw_curve(sketch, function, x, h, format, rule, zoom):
    """The curve around x, its tangent, and the secant of the quotient."""
    wide, q = REACH * (h if zoom else 1), function.quotient(h, format, rule, x)
    f, slope, bend = (function.at(x, order, form) for order, form in ((0, format), (1, "float64"), (2, "float64")))
    offsets, bend = np.linspace(-wide, wide, 161), bend if np.isfinite(bend) else 0.0
    around = [d for t in (-wide, wide) for d in (slope * t, slope * t + bend * t * t / 2)]
    low, high = (min(around), max(around)) if min(around) < max(around) else (-wide, wide)
    spare = 0.04 * (high - low)
    across, up = Axis(-wide, wide, LEFT, RIGHT), Axis(low - spare, high + spare, BASE - 4, TOP + 4)

    def draw(values, colour, dashes="none"):
        pairs = zip(offsets, values, strict=True)
        sketch.path([(across(float(t)), up(v)) if up.holds(v) else None for t, v in pairs], colour, dashes=dashes)

    sketch.rect(LEFT, TOP, RIGHT - LEFT, BASE - TOP, "panel")
    draw([function.at(x + float(t), 0, format) - f for t in offsets], "ink")
    draw([slope * float(t) for t in offsets], "backward", "7 5")
    start = h if rule == "central" else 0.0
    if np.isfinite(q.value):
        draw([function.at(x - start, 0, format) - f + q.value * float(t + start) for t in offsets], "forward")
    sketch.text(LEFT, 36, f"tangent: slope {slope:.7g}", "backward-ink", "start")
    sketch.text(LEFT, 54, f"secant: slope {q.value:.7g}", "forward-ink", "start")
