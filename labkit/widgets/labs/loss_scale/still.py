"""The still picture of the loss-scale lab, for readers without JavaScript: the dots over the numbers of a format."""

from typing import Any

import numpy as np

from ....precision import format_of
from ...kit.sketch import Axis, Sketch
from .outcome import FATES, fates
from .words import percent

WIDTH, HEIGHT, TOP, BASE, PITCH = 820, 230, 60, 190, 6
COLOURS = ("backward", "leaf", "forward", "bad")


def still(lab: Any, theme: str, format: str, power: int, **_: Any) -> str:
    """Plain SVG of the gradients at a loss scale."""
    form, sweep = format_of(format), lab.sweep
    size = np.log2(np.abs(sweep.dots)) + power
    low, high = min(size.min() - 2, np.log2(form.min_subnormal) - 4), max(size.max() + 2, np.log2(form.max) + 4)
    across, found = Axis(low, high, 10, WIDTH - 10), sweep.outcomes[format][power]
    said = lab.describe(view="gradients", format=format, power=power).splitlines()[-1]
    sketch = Sketch(theme, WIDTH, HEIGHT, said)
    sketch.text(10, 20, lab.title, "ink", "start")
    limits = [low, np.log2(form.min_subnormal) - 1, np.log2(form.min_normal), np.log2(form.max), high]
    edges = [across(edge) for edge in np.clip(limits, low, high)]
    for i, (fate, colour) in enumerate(zip(FATES, COLOURS, strict=True)):
        sketch.rect(edges[i], TOP, edges[i + 1] - edges[i], BASE - TOP, f"{colour}-fill")
        if found.count(fate):
            sketch.text((edges[i] + edges[i + 1]) / 2, TOP - 8, percent(found.share(fate)), "ink")
    met, places = fates(sweep.held[format][power], format), [across(value) for value in size]
    for x, fate, rank in zip(places, met, _ranks(places), strict=True):
        sketch.circle(x, BASE - 4 - min(rank * PITCH, 118), 2.5, COLOURS[fate], filled=fate in (1, 2))
    words = f"log₂ |gradient × 2^{power}| over the numbers of {format}: 0, subnormal, normal, too large"
    sketch.text(10, HEIGHT - 12, words, anchor="start")
    return str(sketch)


def _ranks(places):
    """How many dots are below each one in its column."""
    columns = [round(x) // PITCH for x in places]
    return [columns[:i].count(column) for i, column in enumerate(columns)]
