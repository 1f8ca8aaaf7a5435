"""The colours of boxes: how long the gradient is that arrives there, or how many bytes are kept there for the way back."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import accumulate
from math import isfinite, log10

from ...kit.scene import Dial, Mark, Panel, path, rect, text, width_of
from ...kit.theme import RAMP
from ...kit.words import norm, number
from .cards import Gradients
from .placing import NARROW
from .units import Unit, Units

PLAIN, NORM, MEMORY = "plain", "gradient norm", "memory"
NAMES = {NORM: "gradient norm", MEMORY: "bytes kept for the way back"}
FAULTY = 0.4  # how strong that colour is
FEW = 5  # ops: the colours of fewer say nothing
SWATCH, BETWEEN, RIM = 30.0, 16.0, 0.8  # px: of a colour, between numbers, of a box that stays seen


@dataclass(frozen=True)
class Scale:
    """How numbers are coloured: by their order of magnitude between the least and the most that are finite and not 0."""

    role: str
    low: float
    high: float
    written: Callable[[float], str]

    def colour(self, value: float) -> str:
        """The role of a number's colour; 0 has none, and what is not finite that of a fault.

        >>> scale = Scale("norm", 1e-6, 1.0, str)
        >>> [scale.colour(value) for value in (0.0, 1e-6, 1e-3, 1.0, float("nan"))]
        ['blank', 'norm0', 'norm3', 'norm5', 'badbar']

        The mean of several, some of them 0, may be less than the least.

        >>> scale.colour(1e-9)
        'norm0'
        """
        if not isfinite(value):
            return "badbar"
        if not value:
            return "blank"
        low, high = log10(self.low), log10(self.high)
        part = (log10(value) - low) / (high - low) if low < high else 1.0
        return f"{self.role}{max(0, min(int(part * RAMP), RAMP - 1))}"

    def edges(self) -> list[float]:
        """Where each colour begins."""
        if self.low == self.high:
            return [self.low]
        low, high = log10(self.low), log10(self.high)
        return [10 ** (low + (high - low) * i / RAMP) for i in range(RAMP)]


class Colours:
    """The colours that the boxes of a graph may have; `offered`: their names, "plain" first, if there is more than that."""

    def __init__(self, units: Units):
        self.units = units
        gradients = Gradients(units)
        totals = {unit: gradients.totals(unit) for unit in units.units}
        self.norms = {unit: (found[-1][0], norm(found[-1][1])) for unit, found in totals.items() if found}
        knows = units.story.steps or any(node.held for node in units.story.nodes)
        self.kept = {unit: kept(units, unit) for unit in units.ops} if knows else {}
        scales = {
            NORM: _scale("norm", [value for _, value in self.norms.values()], number),
            MEMORY: _scale("bytes", list(self.kept.values()), size),
        }
        dragged = units.varies and not any(node.shape for node in units.story.nodes)  # single numbers, told on their cards
        few = len(units.ops) < FEW or dragged
        self.scales: Mapping[str, Scale] = {} if few else {k: s for k, s in scales.items() if s}

    @cached_property
    def offered(self) -> list[str]:
        """The names of the colours; empty where there is no choice."""
        return [PLAIN, *self.scales] if self.scales else []

    def dials(self) -> Iterator[Dial]:
        """The choice, where there is one."""
        if self.offered:
            start = self.offered.index(NORM) if self.units.story.coloured and NORM in self.scales else 0
            yield Dial("colour", "Colour", self.offered, "choice", start)

    def over(self, shape: Mark, name: str, value: float, since: int) -> Iterator[Mark]:
        """A shape of a box again, in the colour of a value that is known since a step."""
        if name not in self.scales:
            return
        when = {"colour": [self.offered.index(name)]}
        role, at = self.scales[name].colour(value), {k: v for k, v in shape.at.items() if k != "stroke"}
        if "width" in at:  # the edge says what kind of box it is
            at |= {k: at[k] + RIM for k in ("x", "y")} | {k: at[k] - 2 * RIM for k in ("width", "height")}
        at |= {"fill-opacity": FAULTY} if role == "badbar" else {}
        mark = Mark(shape.tag, role, at, when=when, link=shape.link, scale=shape.scale)
        yield mark.seen_from("step", since)

    def of_value(self, unit: Unit, box: Mark) -> Iterator[Mark]:
        """Over the first card of a box: the bytes that are kept there."""
        if unit in self.kept:
            yield from self.over(box, MEMORY, self.kept[unit], self.units.ran[unit])

    def of_gradient(self, unit: Unit, box: Mark) -> Iterator[Mark]:
        """Over the card of a box's gradient: how long that is in the end."""
        if unit in self.norms:
            when, value = self.norms[unit]
            yield from self.over(box, NORM, value, when)

    def panels(self) -> Iterator[Panel]:
        """What the colours mean, each shown with them."""
        for name, scale in self.scales.items():
            faulty, when = any(not isfinite(v) for _, v in self.norms.values()), {"colour": [self.offered.index(name)]}
            found = []
            for narrow in (False, True):
                marks, width, height = _legend(name, scale, faulty, narrow)
                marks = [mark.answering("step") for mark in marks] if name == NORM else marks
                called = f"colours of {name}{', narrow' if narrow else ''}"
                found.append(Panel(called, "", width, height, marks, when))
            yield replace(found[0], narrow=found[1])


def kept(units: Units, unit: Unit) -> int:
    """The bytes that stay for the way back: what a tape says that the nodes of a box hold, or else those results of the box
    that a derivative reads."""
    nodes, read = units.story.nodes, units.read
    if units.story.retained:
        return sum(dict(pair for i in unit.nodes for pair in nodes[i].held).values())
    return sum(nbytes(nodes[i].shape, nodes[i].dtype) for i in unit.nodes if i in read and not nodes[i].leaf)


@cache
def nbytes(shape: tuple[int, ...], dtype: str) -> int:
    """The bytes of an array.

    >>> nbytes((2, 3), "float32"), nbytes((), "bool"), nbytes((4,), "bfloat16")
    (24, 1, 8)
    """
    bits = re.findall(r"\d+", dtype)
    *_, count = accumulate(shape, lambda a, b: a * b, initial=1)
    return count * (int(bits[0]) // 8 if bits else 1)


def size(count: float) -> str:
    """A number of bytes in words.

    >>> size(8), size(20480), size(3e9)
    ('8 B', '20 KiB', '2.79 GiB')
    """
    units = ("B", "KiB", "MiB", "GiB")
    power = min(int(log10(count) / log10(1024)) if count >= 1 else 0, 3)
    return f"{count / 1024**power:.3g} {units[power]}"


def _scale(role, values, written):
    """None where all values are alike."""
    if len(set(values)) < 2:
        return None
    known = [value for value in values if isfinite(value) and value > 0]
    return Scale(role, min(known), max(known), written) if known else None


def _legend(name: str, scale: Scale, faulty: bool, narrow: bool) -> tuple[list[Mark], float, float]:
    """The colours side by side, their ends; how wide and how high that is. `narrow`: below their name."""
    words, ends = NAMES[name], scale.edges()
    single = len(ends) == 1
    told = [scale.written(end) for end in (ends if single else [*ends, scale.high])]
    longest = max(width_of(end, 11, mono=True) for end in told) + BETWEEN
    start = 4 if narrow else width_of(words, 11.5) + 14
    wide = max(SWATCH, (NARROW - start - longest) / RAMP if narrow else longest)
    every = next(n for n in (1, 2, 3, RAMP) if n * wide >= longest or n == RAMP)  # of the numbers that are written
    left = start + (0 if single else longest / 2)
    top = 20 if narrow else 0
    marks: list[Mark] = [text(4, 16, words, "note")]
    for i in range(len(ends)):
        role = f"{scale.role}{RAMP - 1 if single else i}"
        marks += [
            rect(left + i * wide, top + 5, wide, 14, "area", 0),
            rect(left + i * wide, top + 5, wide, 14, role, 0),
        ]
    for i, end in list(enumerate(told))[::every]:
        marks.append(text(left + (i + 0.5 * single) * wide, top + 33, end, "tick", "middle"))
    x = left + len(ends) * wide + longest / 2 + 10
    if name == NORM and faulty:
        at = width_of(words, 11.5) + 20 if narrow else x
        marks += [
            path([(at, 6), (at + 12, 6), (at + 12, 18), (at, 18)], "badbar"),
            text(at + 16, 16, "nan or inf", "note"),
        ]
        x = max(x, at + 16 + width_of("nan or inf", 11.5))
    return marks, x, top + 38
