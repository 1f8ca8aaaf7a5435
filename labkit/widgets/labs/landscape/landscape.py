"""The loss landscape: how SGD, Momentum and Adam go down the same slope.

Its ground: a frame, contour lines, and between which losses it lies.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ....messages.wrapping import Prose
from ...kit.lab import Lab, digits
from ...kit.module import module, style
from ...kit.sketch import Axis, Point, Sketch, polyline
from ...kit.traits import Trait, traits
from ...kit.words import number
from .descent import OPTIMIZERS, Frame, Hill, Pair, Waypoint, curved, descend, frame_of, line_fit

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


def ground(hill: Hill, frame: Frame, box: tuple[float, float, float, float]) -> Ground:
    """That of a loss, in a box of px: its left, top, right and base."""
    (left, right, low, high), (start, top, end, base) = frame, box
    xs, ys = np.linspace(left, right, SQUARE_AT), np.linspace(low, high, SQUARE_AT)
    with np.errstate(all="ignore"):
        found = hill.at(*np.meshgrid(xs, ys))[0]
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


RATES, STEPS, START = (0.02, 0.1, 0.2, 0.25), 30, (-0.5, 3.0)
MOST_STEPS, OPENS = 60, 6  # the step that is shown at first
BOX = (46, 46, 412, 352)  # px: left, top, right and base of the plane
COLOURS = ("ink", "forward", "backward")
MOST_LOSS = 1e4  # that is written as a number
WORDS = {
    "title": "Loss landscape: which optimizer reaches the minimum?",
    "about": "The loss of {axes} as contour lines, and the paths of {names} from one start.",
    "plane": "Drag the start over the contour lines of the loss",
    "losses": "Drag the learning rate, or the step",
    "start": "start",
    "rate": "learning rate",
    "loss": "loss after each step",
    "log": "loss after each step, log scale",
    "step": "step {step}",
    "now": "loss {loss}",
    "beyond": "outside",
    "not finite": "not finite",
    "head": "Step {step} at learning rate {rate}.",
    "inside": "{name}: loss {loss}.",
    "outside": "{name}: outside the picture.",
    "gone": "{name}: not finite since step {step}.",
    "steeper": "Learning rate × curvature is {times}, below 0: the gradient grows along the step.",
    "short": "Learning rate × curvature is {times}, below 1: SGD approaches the minimum from one side.",
    "zigzag": "Learning rate × curvature is {times}, between 1 and 2: SGD oscillates and converges.",
    "flies": "Learning rate × curvature is {times}, above 2: SGD diverges.",
    "downhill": "− learning rate × gradient",
    "adds": "what {name} adds to that",
    "otherwise": "Not that.",
    "Adam": "The gradient of {axis} is {gradient}, the learning rate {rate}. By how much does Adam's first step change {axis}?",
    "Adam right": "Adam divides the gradient by its own magnitude: the first step is the learning rate, whatever the gradient.",
    "Adam slip": "SGD would make that step. Adam divides by the magnitude of the gradient.",
    "SGD": "The gradient of {axis} is {gradient}, the learning rate {rate}. By how much does SGD's first step change {axis}?",
    "SGD right": "Minus the learning rate times the gradient.",
    "SGD slip": "That is the gradient alone.",
    "up": "In that direction the loss grows: a step goes against the gradient.",
    "Momentum": "The velocity of {axis} is {kept}, the new gradient is {gradient}, the momentum 0.9. What is the new velocity?",
    "Momentum right": "0.9 times the velocity, plus the new gradient.",
    "Momentum slip": "That is the gradient alone. The velocity counts 0.9 times.",
    "Momentum sum": "The velocity decays: it counts 0.9 times.",
    "bad start": "Landscape: expected a finite loss and gradient at the start ({place}); choose another start",
    "bad rates": "Landscape: expected learning rates above 0, such as (0.01, 0.1), but got {rates!r}",
    "bad steps": "Landscape: expected between 1 and {most} steps, but got {steps!r}",
    "two numbers": "Landscape: expected a start of two numbers such as (1.0, 2.0), but got {start!r}",
    "two finite": "Landscape: expected a start of two finite numbers, but got {start!r}",
    "no function": "Landscape: expected a function of two numbers, but got {kind}",
    "one number": "Landscape: expected a function of two numbers, but yours takes {count}: {names}",
}


class Landscape(Lab):
    """The contour lines of a loss of two numbers, and the paths of optimizers over them from one start.

    `loss(x, y)` is written with arithmetic or MindSpore's ops, does not branch, and returns one number; all begin at `start`.
    `rates` are learning rates that are marked, `steps` how many steps to take (up to 60), `frame` what is shown: lowest and
    highest x, lowest and highest y. Without a loss a line is fitted to four points. `descents(start, rate)[name]` has the
    waypoints of "SGD", "Momentum" (0.9) or "Adam": place, loss, gradient, and what the optimizer keeps.

    Traits: `x` and `y`, the start; `rate`, at first the largest of `rates` at which no path leaves the picture; `step`; `show`,
    "all" or the name of an optimizer.

    Raises TypeError for what is not a function of two numbers, ValueError for a start where the loss is not a finite number,
    for rates and steps that are not positive, for a loss that branches on its inputs; and whatever `loss` raises.

    >>> {name: round(path[-1].loss, 1) for name, path in Landscape().descents((-0.5, 3.0), 0.25).items()}
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
        self, loss: Callable[[Any, Any], Any] | None = None, start: Sequence[float] | None = None, *,
        rates: Sequence[float] = RATES, steps: int = STEPS, frame: Frame | None = None,
    ):  # fmt: skip
        if (loss is None) != (start is None):
            raise TypeError("Landscape: expected a loss and its start, Landscape(loss, (x, y)), or neither")
        loss = loss or line_fit
        axes, place = _axes_of(loss), _checked(START if start is None else start, rates, steps)
        hill, self.names = Hill(loss), [*OPTIMIZERS]
        self.descents = lru_cache(32)(lambda place, rate: _descents(hill, place, rate, steps))
        found = [self.descents(place, float(rate)) for rate in rates]
        paths = [moments for by_name in found for moments in by_name.values()]
        self.ground = ground(hill, frame or frame_of(paths, BOX[2] - BOX[0], BOX[3] - BOX[1]), BOX)
        calm = [all(self.ground.holds(m.place) for path in paths.values() for m in path) for paths in found]
        rate = max([one for one, stays in zip(rates, calm, strict=True) if stays], default=max(rates))
        super().__init__(WORDS["title"], {
            "about": WORDS["about"].format(axes=" and ".join(axes), names=", ".join(self.names)), "axes": axes,
            "names": self.names, "steps": steps, "rates": [float(rate) for rate in rates], "box": BOX,
            "ground": self.ground.written(), "lines": hill.written(), "most": MOST_LOSS,
        }, x=place[0], y=place[1], rate=float(rate), step=float(min(OPENS, steps)))  # fmt: skip

    def describe(self, **state: Any) -> str:
        """Where the optimizers are at the step. `state`: other values of some traits."""
        return Prose("\n".join((self.title, self.data["about"], self._sentence(**self.state_with(**state)))))

    def _sentence(self, x, y, rate, step, show):
        walks, names = self.descents((x, y), rate), [show] if show in self.names else self.names
        said = [WORDS["head"].format(step=int(step), rate=digits(rate, 3))]
        said += [self._standing(name, walks[name], int(step)) for name in names]
        times = curved(walks[show], rate, min(int(step), len(walks[show]) - 1)) if show in self.names else None
        if times is not None:
            why = "steeper" if times < 0 else "short" if times < 1 else "zigzag" if times < 2 else "flies"
            said.append(WORDS[why].format(times=digits(times, 3)))
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


def _descents(hill: Hill, start: Pair, rate: float, steps: int) -> dict[str, list[Waypoint]]:
    """The waypoints of every optimizer."""
    if not (np.isfinite(rate) and rate > 0):
        raise ValueError("Landscape: expected a learning rate above 0, but got {rate!r}".format(rate=rate))
    found = {name: descend(hill, start, make, rate, steps) for name, make in OPTIMIZERS.items()}
    if not all(found.values()):
        place = ", ".join(digits(value, 3) for value in start)
        raise ValueError(WORDS["bad start"].format(place=place))
    return found


def _axes_of(loss):
    if not callable(loss):
        raise TypeError(WORDS["no function"].format(kind=type(loss).__name__))
    try:
        parameters = list(inspect.signature(loss).parameters.values())
    except ValueError:  # a builtin that does not show its signature
        return ["x", "y"]
    names = [p.name for p in parameters if p.default is p.empty]
    if len(names) == 1 and parameters[0].kind is inspect.Parameter.VAR_POSITIONAL:
        return ["x", "y"]
    if len(names) != 2:
        raise TypeError(WORDS["one number"].format(count=len(names), names=", ".join(names)))
    return names


def _checked(start, rates, steps) -> Pair:
    """The start."""
    if not rates or not all(isinstance(r, (int, float)) and r > 0 and np.isfinite(r) for r in rates):
        raise ValueError(WORDS["bad rates"].format(rates=rates))
    if not isinstance(steps, int) or not 1 <= steps <= MOST_STEPS:
        raise ValueError(WORDS["bad steps"].format(most=MOST_STEPS, steps=steps))
    try:
        x, y = (float(v) for v in start)
    except (TypeError, ValueError):
        raise TypeError(WORDS["two numbers"].format(start=start)) from None
    if not np.isfinite([x, y]).all():
        raise ValueError(WORDS["two finite"].format(start=start))
    return x, y
