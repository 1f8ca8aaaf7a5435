"""Everything at once: what every scale does to the gradients, and how a training run went. What lies ahead is veiled."""

from collections.abc import Iterator

import numpy as np

from ...kit.axes import Axis
from ...kit.grips import Grip
from ...kit.scene import Mark, When, line, only, path, rect, text, width_of
from ...kit.strokes import NOWHERE, polygon, polyline
from ...kit.words import minus, number
from .axes import LOOKS, at_formats, by_format, columns_axis, fate_key, lost_to, silhouette, stacked, two_to
from .outcome import Sweep
from .training import Training

HEIGHT = 226.0
LEFT, RIGHT = 42.0, 358.0
EVENTS = {"skipped": "badline", "grown": "savedbar"}


def every_scale(sweep: Sweep, dial: str) -> Iterator[Mark]:
    """The shares of all fates over the scales, stacked, with the scale that is chosen."""
    top, base, count, across = _scales_axis(sweep)
    up = Axis(0, 1, base, top)
    yield rect(LEFT, top, across.end - LEFT, base - top, "area", 0)
    yield text((LEFT + across.end) / 2, (top + base) / 2, "which of them are safe?", "note", "middle").asking(dial)
    for found, _, when in by_format(sweep.formats, {of: _layers(sweep, of, across, up) for of in sweep.formats}):
        yield from (mark.answering(dial) for mark in only(when, map(path, found, LOOKS.values())))
    for safe, _, when in by_format(sweep.formats, sweep.safe):
        yield from (mark.answering(dial) for mark in only(when, _bracket(safe, across, top - 6)))
    yield from up.beside(LEFT - 5, (0.0, 0.5, 1.0), "{:.0%}".format)
    for power in range(0, count, 4):
        yield text(across(power + 0.5), base + 15, str(power), "tick", "middle")
    yield text(LEFT - 5, base + 15, "log₂", "note", "end")
    for infinite, _, when in by_format(sweep.formats, {of: lost_to(of) for of in sweep.formats}):
        yield from only(when, fate_key(LEFT, base + 32, infinite))
    yield line(LEFT, base, across.end, base, "axis")
    places, width = [across(power) for power in range(count)], across(1) - across(0)
    mist = rect(LEFT - 2, top - 2, 0, base - top + 3, "mist", 0).answering(dial)
    yield mist.following(dial, width=[x - LEFT + 2 for x in places])
    yield mist.following(dial, x=[x + width for x in places], width=[across.end + 2 - x - width for x in places])
    yield rect(0, top - 2, width, base - top + 4, "before", 0).following(dial, x=places)
    for power, x in enumerate(places):
        yield rect(x, top, width, base - top, "row", 0, link=f"{dial} {power}")


def _scales_axis(sweep):
    """Top, base, the number of scales, and where each one lies."""
    count = len(next(iter(sweep.outcomes.values())))
    return 30.0, HEIGHT - 40, count, columns_axis(0, count, LEFT, RIGHT)


def chosen_scale(sweep: Sweep, dial: str) -> Grip:
    """The frame around the scale that is chosen, to be dragged."""
    top, base, count, across = _scales_axis(sweep)
    spots = [(across(power + 0.5), base) for power in range(count)]
    area = (LEFT, top, across.end - LEFT, base - top)
    return Grip(f"{dial} chosen", f"{dial} scales", "The scale", dial, spots, "x", area=area, bare=True, jumps=True)


def _layers(sweep, of, across, up):
    shares = {i: o.counts.sum(axis=0) / o.size for i, o in enumerate(sweep.outcomes[of])}
    return stacked(across, up, shares)


def _bracket(safe, across, y) -> Iterator[Mark]:
    if safe is None:
        yield text((LEFT + RIGHT) / 2, y - 6, "no scale is safe for all of them", "badtext", "middle")
        return
    low, high = across(safe[0]), across(safe[1] + 1)
    words = f"safe: {two_to(safe[0])} to {two_to(safe[1])}" if safe[0] < safe[1] else f"safe: {two_to(safe[0])} alone"
    half = width_of(words, 12.5) / 2
    yield path([(low + 1, y + 5), (low + 1, y), (high - 1, y), (high - 1, y + 5)], "ravine")
    yield text(min(max((low + high) / 2, LEFT + half), RIGHT - half), y - 6, words, "plain", "middle")


def _veil(dial, edges, top, base) -> Mark:
    """What lies to the right of each position."""
    veil = rect(0, top - 2, 0, base - top + 3, "veil", 0)
    return veil.following(dial, x=edges, width=[RIGHT - x + 2 for x in edges])


# ---- training ----


def scale_over_steps(training: Training, dial: str) -> Iterator[Mark]:
    """log2 of the scale over the steps: a cross where a step was skipped, a triangle where the scale grew."""
    top, base = 26.0, HEIGHT - 40
    across, powers = _steps_axis(training), [o.power for found in training.outcomes.values() for o in found]
    up = Axis(min(powers) - 1, max(powers) + 1.5, base, top)
    yield text(LEFT - 5, top - 8, "log2", "note", "end")
    for power in _ticks(min(powers), max(powers)):
        yield text(LEFT - 5, up(power) + 4, f"{power:g}", "tick", "end")
        yield line(LEFT, up(power), RIGHT, up(power), "grid")
    drawn = {of: _staircase_and_events(training.steps[of], across, up) for of in training.formats}
    for paths, _, when in by_format(training.formats, drawn):
        yield from only(when, map(path, paths, ("before", *EVENTS.values())))
    yield from _cursor(dial, across, top, base)
    yield from _step_scale(across, base)
    y = HEIGHT - 8
    yield path(_triangle(LEFT + 6, y + 2), "savedbar")
    yield text(LEFT + 16, y, "grown after good steps", "note")
    yield path(_cross(LEFT + 176, y - 4), "badline")
    yield text(LEFT + 186, y, "overflow: step skipped", "note")
    for of in training.formats:
        yield from only(at_formats(training.formats, of), _skips(training.steps[of], across, up))


def step_grip(training: Training, dial: str, panel: str) -> Grip:
    """The step, dragged over one of its charts, where nothing else stands."""
    across, base = _steps_axis(training), HEIGHT - 40
    free = 20.0 if panel.endswith("steps") else 85.0 if next(iter(training.without.values())) else base
    spots = [(across(i + 0.5), free) for i in range(int(across.high))]
    return Grip(
        panel, panel, "The training step", dial, spots, "x", area=(LEFT, 20.0, RIGHT - LEFT, base - 20.0), jumps=True
    )


def _staircase_and_events(steps, across, up):
    """The path of the scale, and one for each kind of event."""
    spots = {event: [(across(i + 0.5), up(s.outcome.power)) for i, s in enumerate(steps) if s.event == event]
             for event in EVENTS}  # fmt: skip
    signs = [
        "".join(sign(*spot) for spot in spots[event]) for event, sign in (("skipped", _cross), ("grown", _triangle))
    ]
    return [_staircase(across, up, [s.outcome.power for s in steps]), *(d or NOWHERE for d in signs)]


def _cross(x, y):
    return polyline([(x - 4, y - 4), (x + 4, y + 4), None, (x - 4, y + 4), (x + 4, y - 4)])


def _triangle(x, y):
    return polygon([(-4, -3), (4, -3), (0, -10)], x, y)


def _steps_axis(training):
    return Axis(0, max(map(len, training.steps.values())), LEFT, RIGHT)


def _step_scale(across, base) -> Iterator[Mark]:
    yield line(LEFT, base, RIGHT, base, "axis")
    count = int(across.high)
    every = next(n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, count) if count / n <= 10)
    for i in range(every, count + 1, every):
        yield text(across(i - 0.5), base + 15, str(i), "tick", "middle")


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


def _cursor(dial, across, top, base) -> Iterator[Mark]:
    steps = range(int(across.high))
    yield _veil(dial, [across(i + 1) for i in steps], top, base)
    line_now = rect(0, top - 3, 1.4, base - top + 6, "inkhead", 0)
    yield line_now.following(dial, x=[across(i + 0.5) - 0.7 for i in steps])


def _skips(steps, across, up) -> Iterator[Mark]:
    for at, step in enumerate(steps):
        if step.event == "skipped":
            yield rect(across(at + 0.5) - 6, up(step.outcome.power) - 6, 12, 12, "row", 0, link=f"step {at + 1}")


def flushed_and_loss(training: Training, dial: str) -> Iterator[Mark]:
    """Over the steps: the share that is flushed, with the scale and without, and where it is known the loss, likewise."""
    known = bool(next(iter(training.without.values())))
    across, middle = _steps_axis(training), 74.0 if known else HEIGHT - 40
    yield from _flushed(training, across, middle)
    if known:
        yield from _losses(training, across)
    yield from _cursor(dial, across, 20.0, HEIGHT - 40)
    yield from _step_scale(across, HEIGHT - 40)
    yield text(LEFT, 12, "share flushed to 0", "note")
    if known:
        yield text(LEFT - 5, 90, "loss", "note", "end")
    y = HEIGHT - 8
    for x, role, words in ((LEFT, "before", "with this scale"), (LEFT + 176, "outline", "with scale 1")):
        yield line(x, y - 4, x + 22, y - 4, role)
        yield text(x + 28, y, words, "note")


def _flushed(training, across, base) -> Iterator[Mark]:
    up = Axis(0, 1, base, 20.0)
    yield line(LEFT, base, RIGHT, base, "grid")
    yield from up.beside(LEFT - 5, (0.0, 1.0), "{:.0%}".format)
    pairs = {of: [(s.outcome.share("flushed"), s.unscaled) for s in training.steps[of]] for of in training.formats}
    for found, _, when in by_format(training.formats, pairs):
        now, unscaled = zip(*found, strict=True)
        columns = [(i, base, up(share)) for i, share in enumerate(unscaled)]
        yield path(silhouette(across, columns), "zone-zero", when=when)
        yield from _pair(across, up, now, unscaled, when)


def _losses(training, across) -> Iterator[Mark]:
    every = [s.loss for steps in training.steps.values() for s in steps]
    every += [loss for losses in training.without.values() for loss in losses]
    finite = [v for v in every if np.isfinite(v)]
    low, high = min([*finite, 0.0]), max([*finite, 0.0])
    up = Axis(low, high if high > low else low + 1, HEIGHT - 40, 98.0)
    yield from up.beside(LEFT - 5, (up.low, up.high), _short_number)
    pairs = {of: ([s.loss for s in training.steps[of]], training.without[of]) for of in training.formats}
    for (now, without), _, when in by_format(training.formats, pairs):
        yield from _pair(across, up, now, without, when)


def _short_number(value):
    """A number of less than six characters."""
    return number(value) if len(number(value)) < 6 else minus(f"{value:.0e}")


def _pair(across, up, scaled, unscaled, when: When):
    yield path(_staircase(across, up, unscaled), "outline", when=when)
    yield path(_staircase(across, up, scaled), "before", when=when)
