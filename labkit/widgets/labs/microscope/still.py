"""The still picture of the microscope, for readers without JavaScript: the numbers next to the result."""

import numpy as np

from ...kit.sketch import Axis, Sketch
from .run import Landing, at_place, bits, digits, gap_at, last_place, place
from .words import sentence

WIDTH, HEIGHT, LINE = 820, 180, 120


def still(title: str, theme: str, f: Landing) -> str:
    """Plain SVG of a landing: the bits of the result, and seven numbers of the format."""
    of, sketch = f.of, Sketch(theme, WIDTH, HEIGHT, sentence(f))
    sketch.text(10, 20, title, "ink", "start")
    sketch.text(10, 46, f"{of.name}: {' '.join(bits(f.result, of))}", "ink", "start")
    middle = place(0.0 if np.isnan(f.result) else f.result, of)
    places = [n for n in range(middle - 3, middle + 4) if abs(n) <= last_place(of)]
    first, *_, last = values = [at_place(n, of) for n in places]
    across = Axis(0, 1, 50, WIDTH - 50)
    sketch.path([(50, LINE), (WIDTH - 50, LINE)], "muted", 1)
    for n, value in zip(places, values, strict=True):
        x = across(float((value - first) / (last - first)))
        sketch.circle(x, LINE, 5, "ink", filled=not n % 2)
        said = digits(value, gap_at(value, of)) if abs(n) < last_place(of) else "inf" if of.infinity else "nan"
        sketch.text(x, LINE + 26, said, "ink" if n == middle else "muted")
    if f.target is not None and first <= f.target <= last:
        x = across(float((f.target - first) / (last - first)))
        sketch.circle(x, LINE - 22, 6, "backward", filled=False)
        sketch.text(x, LINE - 36, "exact", "backward-ink")
    return str(sketch)
