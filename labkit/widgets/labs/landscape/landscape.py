"""The loss landscape: how SGD, Momentum and Adam go down the same slope.

Its ground: a frame, contour lines, and between which losses it lies.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ....engine import value_and_grad
from ....messages.wrapping import Prose
from ....mindspore import Tensor, float64
from ....program import Recording, recorded
from ....tracing import plain_function
from ...kit.lab import Lab, digits
from ...kit.module import module, style
from ...kit.reckoning import Const, Program
from ...kit.sketch import Axis, Point, Sketch, polyline
from ...kit.traits import Trait, traits
from ...kit.words import number
from .descent import OPTIMIZERS, Frame, Loss, Maker, Pair, Slope, Waypoint, curved, descend, frame_of, heights, line_fit

SQUARE_AT = 49  # places along each axis at which the ground is measured
APART = 34.0, 15.0  # px between the numbers of contour lines, across and down


@dataclass(frozen=True)
class Level:
    """A contour line: its number, its points in px (None between two pieces), and where the number is written, if anywhere."""

    name: str
    points: list[Point | None]
    spot: Point | None


@dataclass(frozen=True)
class Ground:
    """`lowest`: the place of the least loss, None at the edge of the frame; `least`, `most`: the losses there are."""

    frame: Frame
    levels: list[Level]
    lowest: Pair | None
    least: float
    most: float

    def holds(self, place: Pair) -> bool:
        """Whether a place is within the frame."""
        (x, y), (left, right, low, high) = place, self.frame
        return left <= x <= right and low <= y <= high

    def written(self) -> dict[str, Any]:
        """As the page reads it."""
        levels = [{"name": one.name, "path": polyline(one.points), "spot": one.spot} for one in self.levels]
        return vars(self) | {"levels": levels}


def ground(loss: Loss, frame: Frame, box: tuple[float, float, float, float]) -> Ground:
    """That of a loss, in a box of px: its left, top, right and base."""
    (left, right, low, high), (start, top, end, base) = frame, box
    xs, ys = np.linspace(left, right, SQUARE_AT), np.linspace(low, high, SQUARE_AT)
    found = heights(loss, xs, ys)
    finite = found[np.isfinite(found)]
    at_x, at_y = np.linspace(start, end, SQUARE_AT), np.linspace(base, top, SQUARE_AT)
    down, across = np.unravel_index(int(np.argmin(np.where(np.isnan(found), np.inf, found))), found.shape)
    inside = 0 < down < SQUARE_AT - 1 and 0 < across < SQUARE_AT - 1  # else it may go on beyond the frame
    lowest = (float(xs[across]), float(ys[down])) if inside and finite.min() < finite.max() else None
    levels, taken = [], [(float(at_x[across]), float(at_y[down]))]
    for value in reversed(levels_of(found)):
        pieces = contour(found, at_x, at_y, value)
        points = [point for piece in pieces for point in (*piece, None)]
        free = [(x, y + 4) for (x, y), _ in pieces if start + 16 < x < end - 16 and top + 8 < y < base - 12]
        spot = max((place for place in free if _away(place, taken)), key=lambda place: place[1], default=None)
        taken += [spot] if spot else []
        levels += [Level(number(value), points, spot)] if pieces else []
    return Ground(frame, levels, lowest, float(finite.min()), float(finite.max()))


def _away(place: Point, others: list[Point]) -> bool:
    return all(abs(place[0] - x) > APART[0] or abs(place[1] - y) > APART[1] for x, y in others)


def levels_of(ground: np.ndarray, most: int = 9) -> list[float]:
    """Round heights for contour lines: 1 and 3 times powers of ten; evenly spaced ones where the ground is not positive.

    >>> levels_of(np.array([0.02, 50.0]))
    [0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0]
    >>> levels_of(np.array([-1.0, 1.0]), most=3)
    [-0.5, 0.0, 0.5]
    """
    finite = ground[np.isfinite(ground)]
    if not finite.size or finite.min() == finite.max():
        return []
    low, high = float(finite.min()), float(finite.max())
    if low < 0:
        return [float(f"{v:.3g}") for v in np.linspace(low, high, most + 2)[1:-1]]
    top = int(np.floor(np.log10(high)))
    every = [float(f"{digit}e{power}") for power in range(top - 8, top + 1) for digit in (1, 3)]
    return [level for level in every if low < level < high][-most:]


def contour(values: np.ndarray, xs: np.ndarray, ys: np.ndarray, level: float) -> list[tuple[Point, Point]]:
    """Line segments along which `values` (rows at `ys`, columns at `xs`) equals `level`: marching squares.

    >>> contour(np.array([[0.0, 1.0], [0.0, 1.0]]), np.array([0.0, 1.0]), np.array([0.0, 1.0]), 0.5)
    [((0.5, 0.0), (0.5, 1.0))]
    """
    above = values >= level
    corner = above[:-1, :-1]
    mixed = (corner != above[:-1, 1:]) | (corner != above[1:, 1:]) | (corner != above[1:, :-1])
    finite = np.isfinite(values)
    mixed &= finite[:-1, :-1] & finite[:-1, 1:] & finite[1:, 1:] & finite[1:, :-1]
    segments = []
    for i, j in np.argwhere(mixed):
        corners = [(i, j), (i, j + 1), (i + 1, j + 1), (i + 1, j), (i, j)]
        found = []
        for (r, c), (r2, c2) in pairwise(corners):
            if above[r, c] != above[r2, c2]:
                t = (level - values[r, c]) / (values[r2, c2] - values[r, c])
                found.append((float(xs[c] + t * (xs[c2] - xs[c])), float(ys[r] + t * (ys[r2] - ys[r]))))
        segments += list(zip(found[::2], found[1::2]))
    return segments


def lines_of(loss: Loss) -> dict[str, Any] | None:
    """The loss and its gradient as scalar lines, and where they stand; None where the loss decides by its numbers, or uses an
    op that has no such lines."""
    try:
        start = [Tensor(np.array(value), float64) for value in (0.3, 0.7)]
        plain, values, _ = plain_function(lambda x, y: loss(x, y), start, {}, None)
        recording = Recording()
        x, y = (recording.input(value, name) for value, name in zip(values, "xy", strict=True))
        height, (across, up) = recording.run(value_and_grad(plain, (0, 1)), x, y)
        program, known = Program.of(recording.log, dict(zip("xy", values, strict=True)), ["x", "y"])
    except Exception:  # whatever it is, the descents themselves went well
        return None
    ops = [recorded(box) for box in (height, across, up)]
    ends = [Const(float(box)) if op is None else known[op] for op, box in zip(ops, (height, across, up), strict=True)]
    return program.written() | {"ends": [[end.value] if isinstance(end, Const) else end for end in ends]}


RATES, STEPS, START = (0.02, 0.1, 0.2, 0.25), 30, (-0.5, 3.0)
MOST_STEPS, MOST_OPTIMIZERS = 60, 4
BOX = (46, 46, 412, 352)  # px: left, top, right and base of the plane
COLOURS = ("ink", "forward", "backward", "leaf")
MOST_LOSS = 1e4  # that is written as a number
WORDS = {
    "about": "The loss of {axes} as contour lines, and the paths of {names} from one start.",
    "plane": "Drag the start over the contour lines of the loss",
    "fixed": "The contour lines of the loss",
    "losses": "Drag the learning rate, or the step",
    "rate": "learning rate",
    "loss": "loss after each step",
    "log": "loss after each step, log scale",
    "head": "Step {step} at learning rate {rate}.",
    "inside": "{name}: loss {loss}.",
    "outside": "{name}: outside the picture.",
    "gone": "{name}: not finite since step {step}.",
    "why": "{name}'s rate × curvature is {times}, {why}.",
    "steeper": "below 0: the ground gets steeper on the way",
    "short": "below 1: it stops short",
    "zigzag": "between 1 and 2: it zigzags",
    "flies": "above 2: it flies off",
    "downhill": "rate × gradient, downhill",
    "adds": "what {name} adds to that",
    "otherwise": "Not that.",
    "Adam": "The gradient of {axis} is {gradient}, the learning rate {rate}. By how much does Adam's first step change {axis}?",
    "Adam right": "Adam divides the gradient by its own size: the first step is the learning rate, whatever the slope.",
    "Adam slip": "So would SGD. Adam divides by the size of the gradient.",
    "SGD": "The gradient of {axis} is {gradient}, the learning rate {rate}. By how much does SGD's first step change {axis}?",
    "SGD right": "Less the learning rate times the gradient.",
    "SGD slip": "That is the gradient alone.",
    "up": "That is the way up: a step goes against the gradient.",
    "Momentum": "Momentum (0.9) keeps {kept} for {axis}; the new gradient is {gradient}. What does it keep after this step?",
    "Momentum right": "0.9 times what it kept, plus the new gradient.",
    "Momentum slip": "That is the gradient alone. What was kept counts 0.9 times.",
    "Momentum sum": "What was kept fades: it counts 0.9 times.",
}


class Landscape(Lab):
    """The contour lines of a loss of two numbers, and the paths of optimizers over them from one start.

    `loss(x, y)` is written with arithmetic or MindSpore's ops and returns one number; `start` is where all begin.
    `optimizers`: names out of "SGD", "Momentum" (0.9) and "Adam", or `{name: make}` where `make(parameters, rate)` gives an
    optimizer of the MindSpore dialect; at most four. `rates` are learning rates to choose from, `steps` how many steps to take
    (up to 60), `frame` what is shown: lowest and highest x, lowest and highest y. Without a loss a line is fitted to four points.
    `runs[name][i]` has the waypoints of an optimizer at `rates[i]`: place, loss, gradient, and what the optimizer keeps.

    Traits: `x` and `y`, the start; `rate`, at first the largest of `rates` at which no path leaves the picture; `step`; `show`,
    "all" or the name of an optimizer. A loss that scalar formulas cannot express, and an optimizer of yours, have one start, and
    `rates` only.

    Raises TypeError for what is not a function of two numbers, ValueError for a start where the loss is not a finite number,
    for rates and steps that are not positive, for unknown optimizers; and whatever `loss` raises.

    >>> lab = Landscape()
    >>> {name: round(by_rate[3][-1].loss, 1) for name, by_rate in lab.runs.items()}
    {'SGD': 425.1, 'Momentum': 0.2, 'Adam': 0.2}
    """

    path = Path(__file__).with_name("landscape.js")
    state_names = ("x", "y", "rate", "step", "show")
    words: ClassVar = WORDS
    _esm = module(path)
    _css = style(path)
    x: Trait = traits.Float().tag(sync=True)
    y: Trait = traits.Float().tag(sync=True)
    rate: Trait = traits.Float(default_value=0.1).tag(sync=True)
    step: Trait = traits.Float().tag(sync=True)
    show: Trait = traits.Unicode(default_value="all").tag(sync=True)

    def __init__(
        self, loss: Callable[[Any, Any], Any] | None = None, start: Sequence[float] | None = None,
        optimizers: Sequence[str] | Mapping[str, Maker] = tuple(OPTIMIZERS), *, rates: Sequence[float] = RATES,
        steps: int = STEPS, frame: Frame | None = None,
    ):  # fmt: skip
        if (loss is None) != (start is None):
            raise TypeError("Landscape: expected a loss and its start, Landscape(loss, (x, y)), or neither")
        loss = loss or line_fit
        axes, place = _axes_of(loss), _checked_start(START if start is None else start)
        makers, slope = _makers(optimizers, rates, steps), Slope(loss)
        self.rates, self.names, self.steps = [float(rate) for rate in rates], list(makers), steps
        self.descents = lru_cache(32)(lambda place, rate: _descents(slope, makers, place, rate, steps))
        found = [self.descents(place, rate) for rate in self.rates]
        self.runs = {name: [by_name[name] for by_name in found] for name in makers}
        paths = [moments for by_rate in self.runs.values() for moments in by_rate]
        self.ground = ground(loss, frame or frame_of(paths, BOX[2] - BOX[0], BOX[3] - BOX[1]), BOX)
        asked = [name for name in makers if makers[name] is OPTIMIZERS.get(name)]
        lines = lines_of(loss) if len(asked) == len(makers) else None
        several = ": who gets down?" if len(makers) > 1 else ""
        super().__init__(f"Loss landscape{several}", {
            "about": WORDS["about"].format(axes=" and ".join(axes), names=", ".join(makers)), "axes": axes, "names": self.names,
            "steps": steps, "rates": self.rates, "asked": asked, "box": BOX, "ground": self.ground.written(),
            "lines": lines, "runs": None if lines else _as_read(self.runs), "most": MOST_LOSS,
        }, x=place[0], y=place[1], rate=self._calmest(), step=float(steps))  # fmt: skip

    def _calmest(self):
        """The largest learning rate at which no path leaves the picture; else the largest."""
        inside = [
            rate
            for i, rate in enumerate(self.rates)
            if all(self.ground.holds(moment.place) for by_rate in self.runs.values() for moment in by_rate[i])
        ]
        return max(inside, default=max(self.rates))

    def describe(self, **state: Any) -> str:
        """Where the optimizers are at the step. `state`: other values of some traits."""
        return Prose(
            "\n".join(
                (
                    f"{self.title}{'' if self.title.endswith('?') else '.'}",
                    self.data["about"],
                    self._sentence(**self.state_with(**state)),
                )
            )
        )

    def _sentence(self, x, y, rate, step, show):
        walks, names = self.descents((x, y), rate), [show] if show in self.names else self.names
        said = [WORDS["head"].format(step=int(step), rate=digits(rate, 3))]
        said += [self._standing(name, walks[name], int(step)) for name in names]
        times = curved(walks[names[0]], rate, min(int(step), len(walks[names[0]]) - 1)) if len(names) == 1 else None
        if times is not None:
            why = "steeper" if times < 0 else "short" if times < 1 else "zigzag" if times < 2 else "flies"
            said.append(WORDS["why"].format(name=names[0], times=digits(times, 3), why=WORDS[why]))
        return " ".join(said)

    def _standing(self, name, moments, step):
        if step >= len(moments):
            return WORDS["gone"].format(name=name, step=len(moments))
        moment = moments[step]
        inside = self.ground.holds(moment.place) and moment.loss <= MOST_LOSS
        return WORDS["inside" if inside else "outside"].format(name=name, loss=digits(moment.loss, 3))

    def svg(self, theme: str = "light", **state: Any) -> str:
        """The contour lines and the paths as a still picture. `state`: other values of some traits."""
        at = self.state_with(**state)
        walks, (left, right, low, high) = self.descents((at["x"], at["y"]), at["rate"]), self.ground.frame
        across, up = Axis(left, right, BOX[0], BOX[2]), Axis(low, high, BOX[3], BOX[1])
        sketch = Sketch(theme, 420, 380, self._sentence(**at))
        sketch.rect(BOX[0], BOX[1], BOX[2] - BOX[0], BOX[3] - BOX[1], "panel")
        for level in self.ground.levels:
            sketch.path(level.points, "muted", 0.8)
            if level.spot:
                sketch.text(*level.spot, level.name)
        for k, (name, colour) in enumerate(zip(self.names, COLOURS, strict=False)):
            places = [moment.place for moment in walks[name][: int(at["step"]) + 1]]
            held = next((i for i, place in enumerate(places) if not self.ground.holds(place)), len(places))
            spots = [(float(across(x)), float(up(y))) for x, y in places[:held]]
            sketch.path(spots, colour)
            for spot in spots[-1:]:
                sketch.circle(*spot, 4, colour)
            sketch.text(BOX[0] + 120 * k, 24, name, f"{colour}-ink" if k else colour, "start")
        sketch.circle(float(across(at["x"])), float(up(at["y"])), 7, "forward")
        for axis, x, y in zip(self.data["axes"], (BOX[2], BOX[0] - 12), (BOX[3] + 16, BOX[1] + 10), strict=True):
            sketch.text(x, y, axis, "ink")
        return str(sketch)


def _descents(
    slope: Slope, makers: Mapping[str, Maker], start: Pair, rate: float, steps: int
) -> dict[str, list[Waypoint]]:
    """The waypoints of every optimizer."""
    if not (np.isfinite(rate) and rate > 0):
        raise ValueError(f"Landscape: expected a learning rate above 0, but got {rate!r}")
    found = {name: descend(slope, start, make, rate, steps) for name, make in makers.items()}
    if not all(found.values()):
        place = ", ".join(digits(value, 3) for value in start)
        raise ValueError(f"Landscape: expected a finite loss and gradient at the start ({place}); choose another start")
    return found


def _as_read(runs):
    """The waypoints, at each rate, and what is kept of each axis."""
    return {
        name: [
            [vars(m) | {"kept": [[pair[i] for pair in m.kept.values()] for i in (0, 1)]} for m in moments]
            for moments in by_rate
        ]
        for name, by_rate in runs.items()
    }


def _axes_of(loss):
    if not callable(loss):
        raise TypeError(f"Landscape: expected a function of two numbers, but got {type(loss).__name__}")
    try:
        parameters = list(inspect.signature(loss).parameters.values())
    except ValueError:  # a builtin that does not show its signature
        return ["x", "y"]
    names = [p.name for p in parameters if p.default is p.empty]
    if len(names) == 1 and parameters[0].kind is inspect.Parameter.VAR_POSITIONAL:
        return ["x", "y"]
    if len(names) != 2:
        raise TypeError(
            f"Landscape: expected a function of two numbers, but yours takes {len(names)}: {', '.join(names)}"
        )
    return names


def _checked_start(start):
    try:
        x, y = (float(v) for v in start)
    except (TypeError, ValueError):
        raise TypeError(f"Landscape: expected a start of two numbers such as (1.0, 2.0), but got {start!r}") from None
    if not np.isfinite([x, y]).all():
        raise ValueError(f"Landscape: expected a start of two finite numbers, but got {start!r}")
    return x, y


def _makers(optimizers, rates, steps) -> dict[str, Maker]:
    if not rates or not all(isinstance(r, (int, float)) and r > 0 and np.isfinite(r) for r in rates):
        raise ValueError(f"Landscape: expected learning rates above 0, such as (0.01, 0.1), but got {rates!r}")
    if not isinstance(steps, int) or not 1 <= steps <= MOST_STEPS:
        raise ValueError(f"Landscape: expected between 1 and {MOST_STEPS} steps, but got {steps!r}")
    if not isinstance(optimizers, Mapping):
        unknown = [name for name in optimizers if name not in OPTIMIZERS]
        if unknown:
            raise ValueError(f"Landscape: expected names from {', '.join(OPTIMIZERS)}, but got {unknown[0]!r}")
        optimizers = {name: OPTIMIZERS[name] for name in optimizers}
    if not 1 <= len(optimizers) <= MOST_OPTIMIZERS:
        raise ValueError(f"Landscape: expected one to {MOST_OPTIMIZERS} optimizers, but got {len(optimizers)}")
    return dict(optimizers)
