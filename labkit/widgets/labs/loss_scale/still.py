"""The still picture of the loss-scale lab, for readers without JavaScript: the dots over the numbers of a format."""

from html import escape
from typing import Any

import numpy as np

from ....palette import PALETTES, SANS
from ....precision import format_of
from ...kit.axes import Axis
from .outcome import FATES, fates
from .words import percent

WIDTH, HEIGHT, TOP, BASE, PITCH = 820, 230, 60, 190, 6
COLOURS = ("backward", "leaf", "forward", "bad")


def still(lab: Any, theme: str, format: str, power: int, **_: Any) -> str:
    """Plain SVG of the gradients at a loss scale."""
    ink, form, sweep = PALETTES[theme], format_of(format), lab.sweep
    size = np.log2(np.abs(sweep.dots)) + power
    low, high = min(size.min() - 2, np.log2(form.min_subnormal) - 4), max(size.max() + 2, np.log2(form.max) + 4)
    across, found = Axis(low, high, 10, WIDTH - 10), sweep.outcomes[format][power]

    def text(x: float, y: float, said: str, colour: str = "ink", anchor: str = "middle") -> str:
        return f'<text x="{x:.1f}" y="{y}" fill="{ink[colour]}" text-anchor="{anchor}" font-size="13">{escape(said)}</text>'

    edges = np.clip(
        [low, np.log2(form.min_subnormal) - 1, np.log2(form.min_normal), np.log2(form.max), high], low, high
    )
    marks = [f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{ink["page"]}"/>', text(10, 20, lab.title, anchor="start")]
    for i, (fate, colour) in enumerate(zip(FATES, COLOURS, strict=True)):
        start, end = across(edges[i]), across(edges[i + 1])
        marks.append(
            f'<rect x="{start:.1f}" y="{TOP}" width="{end - start:.1f}" height="{BASE - TOP}" fill="{ink[colour + "-fill"]}"/>'
        )
        marks.append(text((start + end) / 2, TOP - 8, percent(found.share(fate))) if found.count(fate) else "")
    for x, met, rank in zip(
        map(across, size), fates(sweep.held[format][power], format), _ranks(size, across), strict=True
    ):
        look = f'fill="{ink[COLOURS[met]]}"' if met in (1, 2) else f'fill="none" stroke="{ink[COLOURS[met]]}"'
        marks.append(f'<circle cx="{x:.1f}" cy="{BASE - 4 - min(rank * PITCH, 118)}" r="2.5" {look}/>')
    marks.append(
        text(
            10,
            HEIGHT - 12,
            f"log₂ |gradient × 2^{power}| over the numbers of {format}: 0, subnormal, normal, too large",
            "muted",
            "start",
        )
    )
    *_, said = lab.describe(view="gradients", format=format, power=power).splitlines()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'font-family="{escape(SANS)}"><title>{escape(said)}</title>{"".join(marks)}</svg>'
    )


def _ranks(size, across):
    """How many dots are below each one in its column."""
    columns = [round(across(value)) // PITCH for value in size]
    return [columns[:i].count(column) for i, column in enumerate(columns)]
