"""How a training went: its loss, and below it the scale, with one line for the step. What lies ahead is veiled."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...kit.axes import Axis
from ...kit.grips import Grip
from ...kit.scene import Mark, When, circle, line, only, path, rect, text
from ...kit.strokes import NOWHERE, polygon, polyline
from ...kit.words import minus, number
from .axes import at_formats, by_format, two_to
from .training import Start, Training

LEFT, RIGHT = 46.0, 358.0
TOP, MIDDLE, UPPER, BASE = 30.0, 118.0, 158.0, 268.0  # of the plot of the loss, and of that of the scale
HEIGHT = BASE + 40
EVENTS = {"skipped": "badline", "grown": "savedbar"}


def course(training: Training, dial: str) -> Iterator[Mark]:
    """Loss and scale over the steps: a cross where a step was skipped, a triangle where the scale grew."""
    across, up, known = _steps_axis(training), _powers_axis(training), _known(training)
    if known:
        yield from _losses(training, across)
    yield text(LEFT, _top(training) - 10, "loss scale", "name")
    for power in _ticks(up.low + 1, up.high - 1):
        yield text(LEFT - 5, up(power) + 4, two_to(power), "tick", "end")
        yield line(LEFT, up(power), RIGHT, up(power), "grid")
    yield from _ghosts(training, across, up)
    own = {of: _staircase_and_events(training.steps[of], across, up) for of in training.formats}
    for paths, of, when in by_format(training.formats, own):
        for where in _where(training, of, when):
            yield from only(where, map(path, paths, ("before", *EVENTS.values())))
    for start, steps in training.others.items():
        if start != training.start:
            paths = _staircase_and_events(steps, across, up)
            yield from only(at_start(training, start), map(path, paths, ("before", *EVENTS.values())))
    yield from _cursor(training, dial, across)
    yield from _step_scale(across)
    yield path(_triangle(LEFT + 6, HEIGHT - 6), "savedbar")
    yield text(LEFT + 16, HEIGHT - 8, "grown after good steps", "note")
    yield path(_cross(LEFT + 176, HEIGHT - 12), "badline")
    yield text(LEFT + 186, HEIGHT - 8, "overflow: step skipped", "note")
    yield from _beginnings(training, up)
    for of in training.formats:
        for where in _where(training, of, at_formats(training.formats, of)):
            yield from only(where, _skips(training.steps[of], across, up))


def grips(training: Training, dial: str, panel: str) -> Iterator[Grip]:
    """The step, dragged anywhere over both plots; and where the scale begins, dragged up and down."""
    across, up = _steps_axis(training), _powers_axis(training)
    if training.others:
        spots = [(LEFT, float(up(power))) for power in training.powers]
        first = at_formats(training.formats, training.formats[0])
        yield Grip("begins", panel, "The scale of the first step", "begins", spots, "y", when=first)
    area = (LEFT + 14, TOP - 10, RIGHT - LEFT - 14, BASE - TOP + 10)
    steps = [(across(i + 0.5), BASE) for i in range(int(across.high))]
    yield Grip(panel, panel, "The training step", dial, steps, "x", area=area, jumps=True)


def at_start(training: Training, start: Start) -> When:
    """The positions of the dials that stand for a start."""
    where = {"begins": [training.powers.index(start.power)], "window": [training.windows.index(start.window)]}
    return {**at_formats(training.formats, training.formats[0]), **where}


def _where(training, of, when) -> Iterator[When]:
    """Where the training itself is seen in the formats that `when` says: in the first one, where no other start is chosen."""
    if not training.others or of != training.formats[0]:
        yield when
        return
    others = [place for place in when.get("format", ()) if place]
    if others:
        yield {"format": others}
    yield at_start(training, training.start)


def elsewhere(training: Training, width: float, height: float) -> Iterator[Mark]:
    """Over a panel that knows the training from its own start alone, at the others."""
    if not training.others:
        return
    own, first = training.start, at_formats(training.formats, training.formats[0])
    begins = [i for i, power in enumerate(training.powers) if power != own.power]
    windows = [i for i, window in enumerate(training.windows) if window != own.window]
    words = f"drawn for the start at {two_to(own.power)}, growing after {own.window}"
    for where in ({"begins": begins}, {"window": windows}):
        cover = [rect(0, 0, width, height, "blank", 0), text(width / 2, height / 2, words, "note", "middle")]
        yield from only({**first, **where}, cover)


# ---- the scale ----


def _known(training):
    return bool(next(iter(training.without.values())))


def _top(training):
    return UPPER if _known(training) else TOP


def _powers_axis(training):
    powers = [o.power for found in training.outcomes.values() for o in found]
    powers += [step.power for steps in training.others.values() for step in steps]
    return Axis(min(powers) - 1, max(powers) + 1.5, BASE, _top(training))


def _ghosts(training, across, up) -> Iterator[Mark]:
    """The scale from all starts, pale, at each window."""
    first = at_formats(training.formats, training.formats[0])
    for j, window in enumerate(training.windows):
        found = [
            _staircase(across, up, [s.power for s in steps])
            for start, steps in training.others.items()
            if start.window == window
        ]
        yield path("".join(found), "contour", when={**first, "window": [j]})


def _beginnings(training, up) -> Iterator[Mark]:
    if not training.others:
        return
    ys = [up(power) for power in training.powers]
    first = at_formats(training.formats, training.formats[0])
    yield circle(LEFT, ys[0], 5, "inkhead", when=first).following("begins", cy=ys)


def _staircase_and_events(steps, across, up):
    """The path of the scale, and one for each kind of event."""
    powers = [_power(step) for step in steps]
    spots = {
        event: [(across(i + 0.5), up(powers[i])) for i, s in enumerate(steps) if s.event == event] for event in EVENTS
    }
    signs = [
        "".join(sign(*spot) for spot in spots[event]) for event, sign in (("skipped", _cross), ("grown", _triangle))
    ]
    return [_staircase(across, up, powers), *(d or NOWHERE for d in signs)]


def _power(step: Any) -> float:
    return step.outcome.power if hasattr(step, "outcome") else step.power


def _cross(x, y):
    return polyline([(x - 4, y - 4), (x + 4, y + 4), None, (x - 4, y + 4), (x + 4, y - 4)])


def _triangle(x, y):
    return polygon([(-4, -3), (4, -3), (0, -10)], x, y)


def _ticks(low, high):
    step = next(s for s in (1, 2, 4, 5, 10, 20, 50) if (high - low) / s <= 6)
    return np.arange(np.ceil(low / step) * step, high + 1e-9, step)


def _staircase(across, up, values):
    """Level over each step, with a drop or rise between two; a gap where a value is not finite."""
    finite = [np.isfinite(v) for v in values]
    return polyline(
        point
        for i, v in enumerate(values)
        for point in ([(across(i), up(v)), (across(i + 1), up(v))] if finite[i] else [None])
    )


def _skips(steps, across, up) -> Iterator[Mark]:
    for at, step in enumerate(steps):
        if step.event == "skipped":
            yield rect(across(at + 0.5) - 6, up(step.outcome.power) - 6, 12, 12, "row", 0, link=f"step {at + 1}")


# ---- the steps ----


def _steps_axis(training):
    return Axis(0, max(map(len, training.steps.values())), LEFT, RIGHT)


def _step_scale(across) -> Iterator[Mark]:
    yield line(LEFT, BASE, RIGHT, BASE, "axis")
    count = int(across.high)
    every = next(n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, count) if count / n <= 10)
    for i in range(every, count + 1, every):
        yield text(across(i - 0.5), BASE + 15, str(i), "tick", "middle")


def _cursor(training, dial, across) -> Iterator[Mark]:
    steps, top = range(int(across.high)), TOP - 2
    edges = [across(i + 1) for i in steps]
    veil = rect(0, top, 0, BASE - top + 1, "veil", 0)
    yield veil.following(dial, x=edges, width=[RIGHT - x + 2 for x in edges])
    now = rect(0, top, 1.4, BASE - top + 4, "inkhead", 0)
    yield now.following(dial, x=[across(i + 0.5) - 0.7 for i in steps])


# ---- the loss ----


def _losses(training, across) -> Iterator[Mark]:
    every = [s.loss for steps in training.steps.values() for s in steps]
    every += [loss for losses in training.without.values() for loss in losses]
    every += [s.loss for steps in training.others.values() for s in steps]
    finite = [v for v in every if np.isfinite(v)]
    low, high = min([*finite, 0.0]), max([*finite, 0.0])
    up = Axis(low, high if high > low else low + 1, MIDDLE, TOP)
    yield text(LEFT, TOP - 14, "loss", "name")
    for x, role, words in ((LEFT + 96, "before", "with the scale"), (LEFT + 214, "outline", "without")):
        yield line(x, TOP - 18, x + 22, TOP - 18, role)
        yield text(x + 28, TOP - 14, words, "note")
    yield line(LEFT, MIDDLE, RIGHT, MIDDLE, "axis")
    yield from up.beside(LEFT - 5, (up.low, up.high), _short_number)
    without = {of: _staircase(across, up, training.without[of]) for of in training.formats}
    for d, _, when in by_format(training.formats, without):
        yield path(d, "outline", when=when)
    own = {of: _line(training.steps[of], across, up) for of in training.formats}
    for d, of, when in by_format(training.formats, own):
        yield from (path(d, "before", when=where) for where in _where(training, of, when))
    for start, steps in training.others.items():
        if start != training.start:
            yield path(_line(steps, across, up), "before", when=at_start(training, start))


def _line(steps: Sequence[Any], across, up):
    return _staircase(across, up, [s.loss for s in steps])


def _short_number(value):
    """A number of less than six characters."""
    return number(value) if len(number(value)) < 6 else minus(f"{value:.0e}")
