"""The loss landscape: how SGD, Momentum and Adam walk down the same slope."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...kit.picture import Picture
from ...kit.scene import Ask, Caption, Dial, Scene, changes
from ...kit.words import number
from .gauge import curved, plain, reason
from .run import OPTIMIZERS, Frame, Maker, Slope, descend, frame_of, line_fit
from .view import HEIGHT, LOOKS, WIDTH, Ground, beside, contours, grips, losses_axis, pair, plane

RATES, STEPS, START = (0.02, 0.1, 0.2, 0.25), 30, (-0.5, 3.0)
MOST_STEPS = 60
PLAY = 7500.0  # ms that the whole training plays


class Landscape(Picture):
    """The contour lines of a loss of two numbers, and the paths of optimizers over them: dial `step` replays the training,
    `rate` chooses the learning rate, `show` one of the optimizers or all.

    `loss(x, y)` is written with arithmetic or MindSpore's ops and returns one number; `start` is where all begin.
    `optimizers`: names out of "SGD", "Momentum" (0.9) and "Adam", or `{name: make}` where `make(parameters, rate)` gives an
    optimizer of the MindSpore dialect; at most four. `rates` are the learning rates, `steps` how many steps to take (up to
    60), `frame` what is shown: lowest and highest x, lowest and highest y. Without a loss: a line is fitted to four points.

    `runs[name][i]` has the moments of an optimizer at `rates[i]`: place, loss, gradient, and what the optimizer keeps.

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
        self.runs = self._runs_from(self._start)
        self._shared = self._ground(frame)
        super().__init__(self._scene_of(self._shared))

    @property
    def inputs(self) -> Mapping[str, float]:
        """Where all begin."""
        return dict(zip(self._axes, self._start, strict=True))

    def fill(self, inputs: Mapping[str, float], at: Mapping[str, int] | None = None) -> None:
        """The same from another start. Raises ValueError where the loss is not a finite number there."""
        start = _checked_start([inputs[name] for name in self._axes])
        runs = self._runs_from(start, None if at is None else at["rate"])
        self._start = start
        if at is not None:
            self.scene = self._scene_of(replace(self._shared, runs=runs, now=at["step"]))
            return
        self.runs = runs
        self._shared = self._ground(self._shared.frame if self._shared.plane.holds(start) else None)
        self.scene = self._scene_of(self._shared)

    def scene_at(self, inputs: Mapping[str, float]) -> Scene:
        """The scene from another start. Raises ValueError where the loss is not a finite number there."""
        start = _checked_start([inputs[name] for name in self._axes])
        return _scene(replace(self._shared, runs=self._runs_from(start)), self._lines, self.rates, start)

    def _runs_from(self, start, only: int | None = None):
        """The moments of every optimizer at every rate, or at one of them alone."""
        wanted = [only is None or only == i for i in range(len(self.rates))]
        runs = {
            name: [
                descend(self._slope, start, make, rate, self._steps) if here else []
                for rate, here in zip(self.rates, wanted, strict=True)
            ]
            for name, make in self._makers.items()
        }
        if not all(moments for by_rate in runs.values() for moments, here in zip(by_rate, wanted, strict=True) if here):
            raise ValueError(
                f"Landscape: expected a finite loss and gradient at the start {pair(start)}; choose another start"
            )
        return runs

    def _ground(self, frame):
        """What is drawn upon; its contour lines are drawn once."""
        before = getattr(self, "_shared", None)
        frame = frame or frame_of([m for by_rate in self.runs.values() for m in by_rate], WIDTH, HEIGHT)
        shared = Ground(self.runs, self._steps, frame, self._axes, self.rates)
        if before is None or frame != before.frame:
            self._lines = contours(shared, self._loss)
        return replace(shared, losses=losses_axis(shared))

    def _scene_of(self, shared):
        return _scene(shared, self._lines, self.rates, self._start)


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


def _scene(shared: Ground, lines, rates, start) -> Scene:
    names = list(shared.runs)
    first = next(shared.each())[-1][0].place
    description = (
        f"The loss of {' and '.join(shared.axes)} as contour lines, and the paths of {', '.join(names)} from "
        f"{pair(first)} on, at {len(rates)} learning rates."
    )
    dials = [
        Dial(
            "step",
            "Step",
            [str(i) for i in range(shared.steps + 1)],
            start=shared.steps,
            asks=_asks(shared, rates),
            pace=min(PLAY / shared.steps, 900.0),
        ),
        Dial("rate", "Learning rate", [number(rate) for rate in rates], "choice", _calmest(shared, len(rates))),
    ]
    dials.append(Dial("show", "Show", ["all", *names] if len(names) > 1 else ["all"], "choice"))
    panels, fields = [plane(shared, lines), beside(shared)], {name: number(v) for name, v in zip(shared.axes, start)}
    held = list(grips(shared, start))
    title = f"Loss landscape{': who gets down?' if len(names) > 1 else ''}"
    return Scene(title, description, dials, panels, list(_captions(shared, rates)), fields=fields, grips=held)


def _calmest(shared, count):
    """The largest learning rate at which no path leaves the picture, to begin with; else the largest."""
    out = {
        when["rate"][0] for when, *_, moments in shared.each() if not all(shared.plane.holds(m.place) for m in moments)
    }
    return max((i for i in range(count) if i not in out), default=count - 1)


def _captions(shared, rates):
    for i, rate in enumerate(rates):
        said = [f"Step {s}, learning rate {number(rate)}." for s in range(shared.steps + 1)]
        yield Caption("step", changes(said), {"rate": [i]})
    for when, _, name, moments in shared.each():
        for show, places in ((0, len(shared.runs) == 1), (when["show"][1], True)):
            standing = (f"{name}: {_standing(shared, moments, s, places)}." for s in range(shared.steps + 1))
            yield Caption("step", changes(standing), {**when, "show": [show]})
    for when, _, name, moments in shared.each():
        rate = rates[when["rate"][0]]
        if plain(moments, rate):
            said = [reason(name, curved(moments, rate, step)) for step in range(shared.steps + 1)]
            yield Caption("step", changes(said), when)


def _standing(shared, moments, step, places):
    """Where an optimizer stands, in words; of several the loss alone."""
    if step >= len(moments):
        return f"not finite since step {len(moments)}"
    moment = moments[step]
    where = ", ".join(f"{axis} = {number(v)}" for axis, v in zip(shared.axes, moment.place, strict=True))
    away = "" if shared.plane.holds(moment.place) else ", outside the picture"
    return f"{f'{where}, ' if places else ''}loss {number(moment.loss)}{away}"


def _asks(shared, rates):
    """Before step 1: how far Adam goes; before step 2: the velocity of Momentum."""
    asked: dict[int, list[Ask]] = {1: [], 2: []}
    for i, rate in enumerate(rates):
        when = {"rate": [i], "show": [0]}
        if "Adam" in shared.runs and len(shared.runs["Adam"][i]) > 1:
            asked[1].append(_adam_ask(shared, shared.runs["Adam"][i], rate, when))
        moments = shared.runs["Momentum"][i] if "Momentum" in shared.runs else []
        if len(moments) > 2 and list(moments[0].kept) == ["moments"]:
            asked[2].append(_momentum_ask(shared, moments, when))
    return {step: asks for step, asks in asked.items() if asks}


def _adam_ask(shared, moments, rate, when):
    slope, moved = moments[0].gradient[0], moments[1].place[0] - moments[0].place[0]
    return Ask(
        f"The gradient of {shared.axes[0]} is {number(slope)}, the learning rate {number(rate)}. By how much does Adam's first "
        f"step change {shared.axes[0]}?",
        moved, "Adam divides the gradient by its own size: the first step is the learning rate, whatever the gradient.",
        ((-rate * slope, "So would SGD. Adam divides by the size of the gradient."),
         (-moved, "That is the way up: against the gradient.")),
        otherwise="Not that. At step 1 Adam knows one gradient, and divides it by its own size.", when=when,
    )  # fmt: skip


def _momentum_ask(shared, moments, when):
    before, slope, after = moments[1].kept["moments"][0], moments[1].gradient[0], moments[2].kept["moments"][0]
    return Ask(
        f"Momentum keeps {number(before)} for {shared.axes[0]}; the new gradient is {number(slope)}. What does it keep after "
        "this step (momentum 0.9)?",
        after, "0.9 times what it kept, plus the new gradient.",
        ((slope, "That is the gradient alone. What was kept counts 0.9 times."),
         (before + slope, "What was kept fades: it counts 0.9 times.")),
        otherwise="Not that: 0.9 times what was kept, plus the new gradient.", when=when,
    )  # fmt: skip
