"""The figures that a notebook stores, read back from their SVG: words, and what is drawn, as numbers of the axes."""

import base64
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html import unescape
from xml.etree import ElementTree

import numpy as np

from labkit.widgets.kit.theme import PALETTES

SVG = "{http://www.w3.org/2000/svg}"
STORED = re.compile(r'<img data-labkit="plot" class="lk-light" alt="([^"]*)"[^>]*base64,([^"]*)"')
PLACE = re.compile(r"[ML] (-?[\d.]+) (-?[\d.]+)")
DRAWN = ("line2d", "patch", "LineCollection", "PolyCollection", "PathCollection", "FillBetween")
FEW = 24  # places of a curve that are told one by one; of more, where it begins, ends, and is lowest and highest
GRID = re.compile(rf"stroke: {PALETTES['light']['line']}")
READ = 0.02  # of a point: how exactly a place is stored


@dataclass(frozen=True)
class Scale:
    """What stands at a place of an axis: `a * place + b`, or ten to the power of it."""

    a: float
    b: float
    log: bool

    def at(self, places):
        numbers = self.a * places + self.b
        return 10.0**numbers if self.log else numbers

    def slack(self, value: float) -> float:
        """How far off a number may be that is read from a place."""
        return READ * abs(self.a) * (abs(value) * math.log(10) if self.log else 1)


@dataclass(frozen=True)
class Figure:
    """A figure: its alternative text, the words in it, each number that can be read, with how far it may be off.

    `lines` says how lines are drawn: "solid", "dashed", "dotted", "dash-dot", and "dotted" or "hatched" for hatched bars;
    `panels` how many axes there are, `curves` how many lines one of them has, or its legend names.
    """

    words: str
    texts: tuple[str, ...]
    read: tuple[tuple[float, float], ...]
    lines: frozenset[str]
    panels: int
    curves: frozenset[int]


def of(cell) -> Iterator[Figure]:
    """The figures that a cell stores."""
    for output in cell.get("outputs", ()):
        for words, data in STORED.findall(output.get("data", {}).get("text/html", "")):
            yield _read(unescape(words), data)


@cache
def _read(words: str, data: str) -> Figure:
    root = ElementTree.fromstring(base64.b64decode(data))
    texts = tuple("".join(text.itertext()).strip() for text in root.iter(f"{SVG}text"))
    found: set[tuple[float, float]] = set()
    shared: dict[str, Scale] = {}  # axes without numbers share those of the ones before
    panels = _groups(root, "axes_")
    for axes in panels:
        shared |= {name: scale for name in "xy" if (scale := _scale(axes, name))}
        if len(shared) == 2:
            found |= set(_numbers(axes, shared["x"], shared["y"]))
    curves = {sum(group.get("id", "").startswith("line2d") for group in axes) for axes in panels}
    curves |= {len(list(legend.iter(f"{SVG}text"))) for legend in _groups(root, "legend_")}
    return Figure(words, texts, tuple(sorted(found)), frozenset(_lines(root)), len(panels), frozenset(curves))


def _groups(root, begin: str) -> list:
    """The groups of an SVG whose names begin so."""
    return [group for group in root.iter(f"{SVG}g") if group.get("id", "").startswith(begin)]


def _lines(root) -> Iterator[str]:
    """How the lines of a figure are drawn, without its grid."""
    for path in root.iter(f"{SVG}path"):
        style = path.get("style", "")
        dashes = [
            float(part) for part in re.findall(r"[\d.]+", (re.findall(r"dasharray: ([\d.,]+)", style) or [""])[0])
        ]
        if "clip-path" in path.attrib and not GRID.search(style):
            yield (
                ("dash-dot" if len(dashes) > 2 else "dashed" if dashes[0] > dashes[1] else "dotted")
                if dashes
                else "solid"
            )
    yield from ("hatched", "dotted") if next(root.iter(f"{SVG}pattern"), None) is not None else ()


def _numbers(axes, x: Scale, y: Scale) -> Iterator[tuple[float, float]]:
    """Of each thing that is drawn, lines and marks apart: how many places it has, and the numbers at some of them."""
    for group in (group for group in axes if group.get("id", "").startswith(DRAWN)):
        paths = " ".join(path.get("d") for path in group.findall(f"{SVG}path"))
        marks = [(float(use.get("x")), float(use.get("y"))) for use in group.iter(f"{SVG}use")]
        for places in (marks, [(float(a), float(b)) for a, b in PLACE.findall(paths)]):
            yield float(len(places)), 0.0
            for scale, way in zip((x, y), np.array(places).T if places else (), strict=False):
                told = way if len(way) <= FEW else np.array([way[0], way[-1], way.min(), way.max()])
                with np.errstate(over="ignore"):
                    yield from ((value, scale.slack(value)) for value in scale.at(np.unique(told)).tolist())


def _scale(axes, name: str) -> Scale | None:
    """The scale of an axis, from the first and the last of its ticks that have a number."""
    ticks = []
    for tick in _groups(axes, f"{name}tick"):
        text = re.sub(r"\s+", "", "".join("".join(t.itertext()) for t in tick.iter(f"{SVG}text"))).replace("−", "-")
        mark = next(tick.iter(f"{SVG}use"), None)
        if mark is not None and re.fullmatch(r"-?\d+(\.\d+)?|10-?\d+", text):
            ticks.append((float(mark.get(name)), text))
    log = len(ticks) > 1 and all(re.fullmatch(r"10-?\d+", text) for _, text in ticks)
    if len(ticks) < 2:
        return None
    (p, u), (q, v) = ((place, float(text[2:] if log else text)) for place, text in (ticks[0], ticks[-1]))
    a = (v - u) / (q - p)
    return Scale(a, u - a * p, log)
