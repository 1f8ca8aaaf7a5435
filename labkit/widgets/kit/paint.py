"""Shapes and words as SVG has them, painted by matplotlib."""

import logging
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from ...messages.install_hints import how_to_install, in_browser
from .strokes import numbers
from .theme import MONO

Box = tuple[float, float, float, float]  # left, top, right, bottom, px
NOT_XML = dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF], "\ufffd")


class Thing(NamedTuple):
    """An element of SVG with its attributes, moved by `offset`, cut off at `clip`."""

    tag: str
    at: Mapping[str, Any]
    words: str = ""
    offset: tuple[float, float] = (0.0, 0.0)
    clip: Box | None = None


@contextmanager
def legible() -> Iterator[None]:
    """While a canvas is painted: letters that the font does not have are drawn as boxes, without a warning."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph", UserWarning)
        yield


def figure_class(what: str) -> Any:
    """matplotlib's Figure. Raises ImportError without matplotlib, which `what` needs.

    In a browser matplotlib looks for its fonts in every visit; its red line about that would be in every notebook.
    """
    if in_browser():
        logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError(f"{what} needs matplotlib: {how_to_install('notebooks')}") from None
    return Figure


def sheet(part: Box, things: Iterable[Thing], page: str, scale: float) -> Any:
    """A part of a picture as a canvas of matplotlib, on a ground of the colour `page`, `scale` pixels to a px.

    Raises ImportError where matplotlib is not installed.
    """
    figures = figure_class("a PNG or a GIF")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.transforms import Affine2D, Bbox, TransformedBbox

    left, top, right, bottom = part
    width, height = right - left, bottom - top
    scale = min(scale, 30_000 / max(width, height))  # Agg draws at most 65,535 pixels a side
    figure = figures(figsize=(width / 72, height / 72), dpi=72 * scale, facecolor=page)
    pixels = Affine2D().translate(-left, -bottom).scale(scale, -scale)
    clips: dict[Box, Any] = {}
    for thing in things:
        artist = _text(thing) if thing.tag == "text" else _shape(thing)
        artist.set_transform(pixels)
        if thing.clip:
            box = clips.setdefault(thing.clip, TransformedBbox(Bbox.from_extents(*thing.clip), pixels))
            artist.set_clip_box(box)
        figure.add_artist(artist)
    return FigureCanvasAgg(figure)


def _shape(thing):
    from matplotlib import patches

    at, (x, y) = thing.at, thing.offset
    colours = {
        "facecolor": at.get("fill", "none"), "edgecolor": at.get("stroke", "none"),
        "linewidth": at.get("stroke-width", 1), "alpha": at.get("opacity"), "zorder": 2,
    }  # fmt: skip
    if dash := at.get("stroke-dasharray"):
        colours["linestyle"] = (0, [float(n) / float(at.get("stroke-width", 1)) for n in dash.split()])
    if thing.tag == "rect":
        r = max(min(at.get("rx", 0), at["width"] / 2, at["height"] / 2), 0)
        style = f"round,pad=0,rounding_size={r}" if r else "square,pad=0"
        return patches.FancyBboxPatch((at["x"] + x, at["y"] + y), at["width"], at["height"], boxstyle=style, **colours)
    if thing.tag == "circle":
        return patches.Circle((at["cx"] + x, at["cy"] + y), at["r"], **colours)
    return patches.PathPatch(_path(at["d"], thing.offset), **colours)


def _path(d, offset):
    from matplotlib.path import Path

    codes, points = [], []
    for letter, rest in re.findall(r"([MLCZ])([^MLCZ]*)", d):
        flat = numbers(rest)
        pairs = [(flat[i] + offset[0], flat[i + 1] + offset[1]) for i in range(0, len(flat), 2)]
        kind = {"M": Path.MOVETO, "L": Path.LINETO, "C": Path.CURVE4, "Z": Path.CLOSEPOLY}[letter]
        codes += [kind] * max(len(pairs), 1)
        points += pairs or [(0, 0)]
    return Path(points, codes)


def _text(thing):
    from matplotlib import patheffects
    from matplotlib.text import Text

    at, (x, y) = thing.at, thing.offset
    family = "DejaVu Sans Mono" if at["font-family"] == MONO else "DejaVu Sans"
    words = thing.words.translate(NOT_XML).replace("$", r"\$")
    align = {"start": "left", "middle": "center", "end": "right"}[at.get("text-anchor", "start")]
    artist = Text(
        at["x"] + x, at["y"] + y, words, fontsize=at["font-size"] * 0.94, color=at["fill"], family=family,
        weight=at.get("font-weight", "normal"), ha=align, va="baseline", alpha=at.get("opacity"), zorder=2, clip_on=True,
    )  # fmt: skip
    if "stroke" in at:
        artist.set_path_effects([patheffects.withStroke(linewidth=at["stroke-width"], foreground=at["stroke"])])
    return artist
