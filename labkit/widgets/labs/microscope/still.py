"""The still picture of the microscope, for readers without JavaScript: the numbers next to the result."""

from html import escape

import numpy as np

from ....palette import MONO, PALETTES, SANS
from .run import Landing, at_place, bits, digits, gap_at, last_place, place
from .words import sentence

WIDTH, HEIGHT, LINE = 820, 200, 120


def still(title: str, theme: str, f: Landing) -> str:
    """Plain SVG of a landing: the bits of the result, and seven numbers of the format."""
    ink, of = PALETTES[theme], f.of

    def text(x: float, y: float, said: str, size: int = 13, anchor: str = "middle", font: str = SANS) -> str:
        look = f'font-size="{size}" text-anchor="{anchor}" font-family="{escape(font)}" fill="{ink["ink"]}"'
        return f'<text x="{x:.1f}" y="{y}" {look}>{escape(said)}</text>'

    middle = place(0.0 if np.isnan(f.result) else f.result, of)
    places = [n for n in range(middle - 3, middle + 4) if abs(n) <= last_place(of)]
    values = [at_place(n, of) for n in places]
    across = lambda v: 50 + 720 * float((v - values[0]) / (values[-1] - values[0]))
    marks = [f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{ink["page"]}"/>', text(10, 20, title, 15, "start")]
    marks.append(text(10, 48, f"{of.name}  {' '.join(bits(f.result, of))}", 14, "start", MONO))
    marks.append(f'<path d="M50 {LINE}H770" stroke="{ink["muted"]}"/>')
    for n, value in zip(places, values, strict=True):
        fill = ink["page"] if n % 2 else ink["ink"]
        look = f'width="10" height="10" fill="{fill}" stroke="{ink["ink"]}"'
        marks.append(f'<rect x="{across(value) - 5:.1f}" y="{LINE - 5}" {look}/>')
        said = digits(value, gap_at(value, of)) if abs(n) < last_place(of) else "inf" if of.infinity else "nan"
        marks.append(text(across(value), LINE + 26, said))
    if f.target is not None and values[0] <= f.target <= values[-1]:
        x = across(f.target)
        marks.append(
            f'<path d="M{x:.1f} {LINE - 30}l7 8l-7 8l-7 -8z" fill="none" stroke="{ink["backward"]}" stroke-width="2"/>'
        )
        marks.append(text(x, LINE - 36, "exact"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
        f"<title>{escape(sentence(f))}</title>{''.join(marks)}</svg>"
    )
