"""The colours of boxes: how long the gradient is that arrives there, or how many bytes are kept there for the way back."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import accumulate
from math import ceil, floor, isfinite, log2, log10

from ...kit.scene import Dial, Mark, Panel, rect, text, width_of
from ...kit.theme import RAMP
from ...kit.words import norm, number, raised
from .cards import Gradients
from .placing import NARROW
from .units import Unit, Units

PLAIN, NORM, MEMORY = "plain", "gradient norm", "memory"
NAMES = {NORM: "gradient norm", MEMORY: "bytes kept for the way back"}
FAULTY = 0.4  # how strong that colour is
LEAST = -300  # the power of ten of the least colour
FEW, FEW_DRAGGED = 5, 12  # ops: the colours of fewer say nothing
SWATCH, BETWEEN, RIM = 30.0, 16.0, 0.8  # px: of a colour, between numbers, of a box that stays seen


@dataclass(frozen=True)
class Scale:
    """How numbers are coloured: one colour from each of the round numbers `edges` to the next."""

    role: str
    edges: Sequence[float]
    written: Callable[[float], str]

    def colour(self, value: float) -> str:
        """The role of a number's colour; 0 has one of its own, and what is not finite that of a fault.

        >>> scale = Scale("norm", (1e-6, 1e-4, 1e-2, 1.0), str)
        >>> [scale.colour(value) for value in (0.0, 1e-6, 1e-3, 1.0, float("nan"))]
        ['nil', 'norm0', 'norm2', 'norm5', 'badbar']

        The mean of several, some of them 0, may be less than the least.

        >>> scale.colour(1e-9)
        'norm0'
        """
        if not isfinite(value):
            return "badbar"
        if not value:
            return "nil" if self.role == "norm" else "blank"
        return self.roles[bisect_right(self.edges[1:-1], value)]

    @property
    def roles(self) -> list[str]:
        """The colours, as far apart as can be."""
        last = len(self.edges) - 2
        return [f"{self.role}{round(i * (RAMP - 1) / last) if last else RAMP - 1}" for i in range(last + 1)]


def decades(low: float, high: float) -> list[float]:
    """Round numbers from below one to above the other, at most one for each colour's end: 1, 2, 5; 1, 3; or powers of ten.

    >>> decades(0.04, 0.3), decades(6.81e-05, 5.66)[:3], decades(1e-30, 2.0)[:2]
    ([0.02, 0.05, 0.1, 0.2, 0.5], [1e-05, 0.0001, 0.001], [1e-30, 1e-24])
    """
    first = max(floor(log10(low)), LEAST)
    last = max(floor(log10(high)), first) + 1
    for digits in ((1, 2, 5), (1, 3)):
        every = [float(f"{digit}e{power}") for power in range(first, last + 1) for digit in digits]
        found = every[max(bisect_right(every, low) - 1, 0) : bisect_right(every, high) + 1]
        if len(found) <= RAMP + 1:
            return found
    step = ceil((last - first) / RAMP)
    return [float(f"1e{power}") for power in range(first, last + step, step)]


def doublings(low: float, high: float) -> list[float]:
    """The same of powers of two.

    >>> doublings(128, 768)
    [128.0, 256.0, 512.0, 1024.0]
    """
    first, last = floor(log2(low)), floor(log2(high)) + 1
    step = ceil((last - first) / RAMP)
    return [2.0**power for power in range(first, last + step, step)]


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
            NORM: _scale("norm", [value for _, value in self.norms.values()], decades, decade),
            MEMORY: _scale("bytes", list(self.kept.values()), doublings, size),
        }
        told = units.varies and not any(
            node.shape for node in units.story.nodes
        )  # single numbers, dragged: on their cards
        few = len(units.ops) < (FEW_DRAGGED if told else FEW)
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
            norms, when = [v for _, v in self.norms.values()], {"colour": [self.offered.index(name)]}
            besides = {"nil": ("0", 0.0 in norms), "badbar": ("nan or inf", not all(map(isfinite, norms)))}
            beside = {role: words for role, (words, there) in besides.items() if there and name == NORM}
            found = []
            for narrow in (False, True):
                marks, width, height = _legend(name, scale, beside, narrow)
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


def _scale(role, values, rounded, written):
    """None where all values are alike."""
    if len(set(values)) < 2:
        return None
    known = [value for value in values if isfinite(value) and value > 0]
    return Scale(role, rounded(min(known), max(known)), written) if known else None


def decade(value: float) -> str:
    """A round number, a far power of ten with its exponent.

    >>> decade(0.02), decade(1e-5)
    ('0.02', '10⁻⁵')
    """
    power = round(log10(value))
    return raised(10, power) if abs(power) > 3 and value == float(f"1e{power}") else number(value)


def _legend(
    name: str, scale: Scale, beside: Mapping[str, str], narrow: bool
) -> tuple[list[Mark], float, float]:  # fmt: skip
    """The colours side by side, their ends; how wide and how high that is. `beside`: other colours, by role what they mean.
    `narrow`: below their name."""
    words, told = NAMES[name], [scale.written(edge) for edge in scale.edges]
    count, longest = len(scale.roles), max(width_of(end, 11, mono=True) for end in told) + BETWEEN
    start = 4 if narrow else width_of(words, 11.5) + 14
    wide = max(SWATCH, longest)
    wide = min(wide, (NARROW - start - longest) / count) if narrow else wide
    every = next(n for n in range(1, count + 1) if n * wide >= longest or n == count)  # of the numbers that are written
    left, top = start + longest / 2, 20 if narrow else 0
    marks: list[Mark] = [text(4, 16, words, "note")]
    for i, role in enumerate(scale.roles):
        marks += [rect(left + i * wide, top + 5, wide, 14, look, 0) for look in ("area", role)]
    for i, end in list(enumerate(told))[::every]:
        marks.append(text(left + i * wide, top + 33, end, "tick", "middle"))
    x = right = left + count * wide + longest / 2
    if narrow and beside:
        x = width_of(words, 11.5) + 8
    for role, meaning in beside.items():
        x += 12
        marks += [rect(x, 5, 14, 14, "area", 0), rect(x, 5, 14, 14, role, 0), text(x + 19, 16, meaning, "note")]
        x += 19 + width_of(meaning, 11.5)
    return marks, max(x, right) + 4, top + 38
