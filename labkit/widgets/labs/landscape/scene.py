"""The loss landscape: how SGD, Momentum and Adam walk down the same slope."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import numpy as np

from ...kit.axes import Plane
from ...kit.page import packed
from ...kit.picture import Picture
from ...kit.scene import Caption, Dial, Scene
from ...kit.words import number
from .asks import asks, questions
from .drawn import Following, How, Walks, followed
from .gauge import WHY, plain
from .lines import lines_of
from .run import OPTIMIZERS, Frame, Maker, Slope, Waypoint, descend, frame_of, line_fit
from .view import (
    HEIGHT,
    LOOKS,
    RATE,
    WIDTH,
    Ground,
    beside,
    contours,
    grips,
    links,
    losses_plane,
    losses_top,
    plane,
    plane_of,
)

RATES, STEPS, START = (0.02, 0.1, 0.2, 0.25), 30, (-0.5, 3.0)
MOST_STEPS = 60
PLAY = 7500.0  # ms that the whole training plays


class Landscape(Picture):
    """The contour lines of a loss of two numbers, and the paths of optimizers over them: dial `step` replays the training,
    `show` chooses one of the optimizers or all. The start and the learning rate are dragged.

    `loss(x, y)` is written with arithmetic or MindSpore's ops and returns one number; `start` is where all begin.
    `optimizers`: names out of "SGD", "Momentum" (0.9) and "Adam", or `{name: make}` where `make(parameters, rate)` gives an
    optimizer of the MindSpore dialect; at most four. `rates` are learning rates to choose from, `steps` how many steps to take
    (up to 60), `frame` what is shown: lowest and highest x, lowest and highest y. Without a loss a line is fitted to four points.

    `runs[name][i]` has the moments of an optimizer at `rates[i]`: place, loss, gradient, and what the optimizer keeps. `rate` is
    the one that is shown, at first the largest at which no path leaves the picture.

    Raises TypeError for what is not a function of two numbers, ValueError for a start where the loss is not a finite number,
    for rates and steps that are not positive, for unknown optimizers; and whatever `loss` raises.

    >>> scene = Landscape()
    >>> {name: round(by_rate[3][-1].loss, 1) for name, by_rate in scene.runs.items()}
    {'SGD': 425.1, 'Momentum': 0.2, 'Adam': 0.2}
    """

    plays_at_once = True

    def __init__(
        self, loss: Callable[[Any, Any], Any] | None = None, start: Sequence[float] | None = None,
        optimizers: Sequence[str] | Mapping[str, Maker] = tuple(OPTIMIZERS), *, rates: Sequence[float] = RATES,
        steps: int = STEPS, frame: Frame | None = None,
    ):  # fmt: skip
        if (loss is None) != (start is None):
            raise TypeError("Landscape: expected a loss and its start, Landscape(loss, (x, y)), or neither")
        self._loss = line_fit if loss is None else loss
        self._axes = _axes_of(self._loss)
        self._start = _checked_start(START if start is None else start)
        self._makers, self._steps = _makers(optimizers, rates, steps), steps
        self.rates, self._slope = [float(rate) for rate in rates], Slope(self._loss)
        self.runs = self._runs()
        self._draw_ground(frame or frame_of(self._paths(), WIDTH, HEIGHT))
        self.rate = self._calmest()
        super().__init__(self._scene_of(self._start, self.rate))

    @property
    def inputs(self) -> Mapping[str, float]:
        """Where all begin, and the learning rate."""
        return dict(zip(self._axes, self._start, strict=True)) | {RATE: self.rate}

    def fill(self, inputs: Mapping[str, float], at: Mapping[str, int] | None = None) -> None:
        """The same from another start, or at another learning rate. Raises ValueError where the loss is not finite there."""
        start, rate = self._checked(inputs)
        scene = self._scene_of(start, rate, at and at["step"])
        self._start, self.rate = start, rate
        if at is None:
            self.runs = self._runs()
            if not plane_of(self._frame).holds(start):
                self._draw_ground(frame_of(self._paths(), WIDTH, HEIGHT))
                scene = self._scene_of(start, rate)
        self.scene = scene

    def scene_at(self, inputs: Mapping[str, float]) -> Scene:
        """The scene from another start. Raises ValueError where the loss is not a finite number there."""
        return self._scene_of(*self._checked(inputs))

    def reach(self) -> str:
        """A saved page computes the descents itself, where they are made of lines; else it begins at some places."""
        lines = lines_of(self._loss, self._makers, self._steps)
        if lines is None or not lines.agrees(self._descents, self._frame, self.rates):
            return super().reach()
        walks = self._walks(self._start, self.rate)
        asked = [(q.position, asdict(q)) for q in questions(walks, self._axes[0])]
        places = [[p for p, _ in asked[:k]].count(asked[k][0]) for k in range(len(asked))]
        drawn = [*followed(self._scene)]
        drawn += [
            (("dials", 0, "asks", p, k), {"kind": "ask", "given": q}) for (p, q), k in zip(asked, places, strict=True)
        ]
        planes = {"plane": _written(walks.plane), "losses": _written(walks.losses)}
        fields = {"fields": [*self._axes, RATE], "steps": self._steps}
        return str(packed({"walks": lines.written(), "drawn": drawn, **planes, **fields}))

    # ---- descents ----

    def _checked(self, inputs):
        rate = float(inputs[RATE])
        if not (np.isfinite(rate) and rate > 0):
            raise ValueError(f"Landscape: expected a learning rate above 0, but got {rate!r}")
        return _checked_start([inputs[name] for name in self._axes]), rate

    def _descents(self, start, rate) -> dict[str, list[Waypoint]]:
        """The moments of every optimizer."""
        found = {name: descend(self._slope, start, make, rate, self._steps) for name, make in self._makers.items()}
        if not all(found.values()):
            raise ValueError(
                f"Landscape: expected a finite loss and gradient at the start {pair(start)}; choose another start"
            )
        return found

    def _runs(self):
        """The moments of every optimizer at each of the given rates."""
        found = [self._descents(self._start, rate) for rate in self.rates]
        return {name: [by_name[name] for by_name in found] for name in self._makers}

    def _paths(self):
        return [moments for by_rate in self.runs.values() for moments in by_rate]

    def _calmest(self):
        """The largest learning rate at which no path leaves the picture; else the largest."""
        holds = plane_of(self._frame).holds
        inside = [
            rate
            for i, rate in enumerate(self.rates)
            if all(holds(m.place) for by_rate in self.runs.values() for m in by_rate[i])
        ]
        return max(inside, default=max(self.rates))

    # ---- the scene ----

    def _draw_ground(self, frame):
        """The contour lines, and the axis of the losses."""
        self._frame, drawn = frame, plane_of(frame)
        tracks = [drawn.track([m.place for m in moments]) for moments in self._paths()]
        ways = [np.linspace(a, b, 9) for track in tracks for a, b in pairwise(track)]
        self._lines, (least, most) = contours(drawn, self._loss, np.concatenate([np.zeros((0, 2)), *ways]))
        self._plain = [name for name, by_rate in self.runs.items() if all(map(plain, by_rate, self.rates))]
        self._losses = losses_plane(self._steps, least, most, losses_top(bool(self._plain)))

    def _walks(self, start, rate, now=None):
        return Walks(self._descents(start, rate), rate, self._steps, plane_of(self._frame), self._losses, now)

    def _scene_of(self, start, rate, now=None) -> Scene:
        return _scene(self._ground_of(self._walks(start, rate, now)), self._lines, start)

    def _ground_of(self, walks):
        return Ground(walks, self._axes, self.rates, self._plain)

    @property
    def ground(self) -> Ground:
        """What the panels share."""
        return self._ground_of(self._walks(self._start, self.rate))


def _written(drawn: Plane):
    return {"across": asdict(drawn.across), "up": asdict(drawn.up)}


def pair(values: Sequence[float]) -> str:
    """Two numbers in brackets.

    >>> pair((1.0, -0.25))
    '(1, −0.25)'
    """
    return f"({', '.join(map(number, values))})"


def _axes_of(loss):
    if not callable(loss):
        raise TypeError(f"Landscape: expected a function of two numbers, but got {type(loss).__name__}")
    try:
        parameters = list(inspect.signature(loss).parameters.values())
    except ValueError:  # a builtin that does not show its signature
        return "x", "y"
    names = [p.name for p in parameters if p.default is p.empty]
    if len(names) == 2:
        return names[0], names[1]
    if len(names) == 1 and parameters[0].kind is inspect.Parameter.VAR_POSITIONAL:
        return "x", "y"
    raise TypeError(f"Landscape: expected a function of two numbers, but yours takes {len(names)}: {', '.join(names)}")


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
            raise ValueError(f"Landscape: expected optimizers out of {', '.join(OPTIMIZERS)}, but got {unknown[0]!r}")
        optimizers = {name: OPTIMIZERS[name] for name in optimizers}
    if not 1 <= len(optimizers) <= len(LOOKS):
        raise ValueError(f"Landscape: expected one to {len(LOOKS)} optimizers, but got {len(optimizers)}")
    return dict(optimizers)


# ---- the scene ----


def _scene(shared: Ground, lines, start) -> Scene:
    names, steps = list(shared.walks.moments), shared.walks.steps
    description = (
        f"The loss of {' and '.join(shared.axes)} as contour lines, and the paths of {', '.join(names)} from one start."
    )
    found = list(questions(shared.walks, shared.axes[0]))
    values, pace = [str(i) for i in range(steps + 1)], min(PLAY / steps, 900.0)
    dials = [
        Dial("step", "Step", values, start=steps, asks=asks(found, shared.walks), pace=pace),
        Dial("show", "Show", ["all", *names] if len(names) > 1 else ["all"], "choice"),
    ]
    panels = [plane(shared, lines), beside(shared)]
    fields = {name: number(v) for name, v in zip(shared.axes, start, strict=True)} | {RATE: number(shared.walks.rate)}
    title = f"Loss landscape{': who gets down?' if len(names) > 1 else ''}"
    held, said = list(grips(shared, start)), list(_captions(shared))
    return Scene(title, description, dials, panels, said, links(shared), fields=fields, grips=held)


def _captions(shared):
    yield Caption("step", [(s, f"Step {s}.") for s in range(shared.walks.steps + 1)])
    for when, _, name in shared.each():
        yield Caption("step", Following(How("standing", name), shared.walks), when)
    for when, _, name in shared.each():
        if name in shared.plain:
            yield Caption("step", Following(How("reason", name, {"why": WHY}), shared.walks), when)
