"""Everything at once: what every scale does to the gradients, and how a training run went. What lies ahead is veiled."""

import numpy as np

from ...kit.scene import Mark, changes, line, path, px, rect, text, width_of
from ...kit.words import number
from .axes import LOOKS, Axis, Where, by_format, silhouette, stacked
from .outcome import Sweep
from .training import Training

HEIGHT = 190.0
LEFT, RIGHT = 42.0, 428.0
EVENTS = {"skipped": "badline", "grown": "savedbar"}


def every_scale(sweep: Sweep, dial: str) -> list[Mark]:
    """The shares of all fates over the scales, stacked, with the scale that is chosen."""
    top, base, count = 30.0, 150.0, len(next(iter(sweep.outcomes.values())))
    across, up = Axis.of_columns(0, count, LEFT, RIGHT), Axis(0, 1, base, top)
    marks: list[Mark] = []
    for found, _, where in by_format(sweep.formats, {of: _stacked(sweep, of, across, up) for of in sweep.formats}):
        marks += [path(d, role, when=where) for d, role in zip(found, LOOKS.values(), strict=True)]
    for safe, _, where in by_format(sweep.formats, sweep.safe):
        marks += _bracket(dial, safe, across, top - 6, where)
    marks += _percents(up)
    for power in range(0, count, 4):
        marks.append(text(across(power + 0.5), base + 15, str(power), "tick", "middle"))
    marks.append(text((LEFT + RIGHT) / 2, base + 32, "log2 of the scale", "note", "middle"))
    edges = [across(power + 1) for power in range(count)]
    marks += [_veil(dial, edges, top, base), line(LEFT, base, across.end, base, "axis")]
    chosen = changes(across(power) for power in range(count))
    marks.append(rect(0, top - 2, across(1) - across(0), base - top + 4, "inkline", 0, vary={dial: {"x": chosen}}))
    for power in range(count):
        x = across(power)
        marks.append(rect(x, top, across(1) - across(0), base - top, "row", 0, link=f"{dial} {power}"))
    return marks


def _stacked(sweep, of, across, up):
    shares = {i: o.counts.sum(axis=0) / o.size for i, o in enumerate(sweep.outcomes[of])}
    return stacked(across, up, shares)


def _bracket(dial, safe, across, y, where):
    hidden = {dial: {"state": [(0, "answer")]}}
    if safe is None:
        return [
            text(
                (LEFT + RIGHT) / 2,
                y - 6,
                "no scale is safe for all of them",
                "badtext",
                "middle",
                when=where,
                vary=hidden,
            )
        ]
    low, high = across(safe[0]), across(safe[1] + 1)
    words = f"safe: 2^{safe[0]} to 2^{safe[1]}" if safe[0] < safe[1] else f"safe: 2^{safe[0]} alone"
    half = width_of(words, 12.5) / 2
    middle = min(max((low + high) / 2, LEFT + half), RIGHT - half)
    d = f"M{px(low + 1)} {px(y + 5)}L{px(low + 1)} {px(y)}L{px(high - 1)} {px(y)}L{px(high - 1)} {px(y + 5)}"
    return [
        path(d, "ravine", when=where, vary=hidden),
        text(middle, y - 6, words, "plain", "middle", when=where, vary=hidden),
    ]


def _percents(up):
    return [text(LEFT - 5, up(share) + 4, f"{share:.0%}", "tick", "end") for share in (0.0, 0.5, 1.0)]


def _veil(dial, edges, top, base):
    """What lies to the right of each position."""
    width = changes(round(RIGHT - x + 2, 1) for x in edges)
    return rect(0, top - 2, 0, base - top + 3, "veil", 0, vary={dial: {"x": changes(edges), "width": width}})


# ---- training ----


def scale_over_steps(training: Training, dial: str) -> list[Mark]:
    """log2 of the scale over the steps: a cross where a step was skipped, a triangle where the scale grew."""
    top, base = 26.0, 150.0
    across, powers = _steps_axis(training), [o.power for found in training.outcomes.values() for o in found]
    up = Axis(min(powers) - 1, max(powers) + 1.5, base, top)
    marks = [text(LEFT - 5, top - 8, "log2", "note", "end")]
    for power in _ticks(min(powers), max(powers)):
        marks += [
            text(LEFT - 5, up(power) + 4, f"{power:g}", "tick", "end"),
            line(LEFT, up(power), RIGHT, up(power), "grid"),
        ]
    drawn = {of: _staircase_and_events(training.steps[of], across, up) for of in training.formats}
    for paths, _, where in by_format(training.formats, drawn):
        marks += [path(d, role, when=where) for d, role in zip(paths, ("before", *EVENTS.values()), strict=True)]
    return [
        *marks,
        *_cursor(dial, training, across, top, base),
        *_step_scale(across, base),
        *_key(),
        *_skips(training, across, up),
    ]


def _staircase_and_events(steps, across, up):
    """The path of the scale, and one for each kind of event."""
    paths = [_staircase(across, up, [s.outcome.power for s in steps])]
    for event in EVENTS:
        places = [(across(i + 0.5), up(s.outcome.power)) for i, s in enumerate(steps) if s.event == event]
        paths.append("".join(map(_sign(event), places)) or "M0 0")
    return paths


def _steps_axis(training):
    return Axis(0, max(map(len, training.steps.values())), LEFT, RIGHT)


def _step_scale(across, base):
    marks = [line(LEFT, base, RIGHT, base, "axis")]
    count = int(across.high)
    every = next(n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, count) if count / n <= 10)
    marks += [text(across(i - 0.5), base + 15, str(i), "tick", "middle") for i in range(every, count + 1, every)]
    return marks


def _ticks(low, high):
    step = next(s for s in (1, 2, 4, 5, 10, 20, 50) if (high - low) / s <= 6)
    return np.arange(np.ceil(low / step) * step, high + 1e-9, step)


def _staircase(across, up, values):
    """Level over each step, with a drop or rise between two; a gap where a value is not finite."""
    points = [
        f"{px(across(i))} {px(up(v))}L{px(across(i + 1))} {px(up(v))}" if np.isfinite(v) else ""
        for i, v in enumerate(values)
    ]
    drawn = [("L" if i and points[i - 1] else "M") + p for i, p in enumerate(points) if p]
    return "".join(drawn) or "M0 0"


def _sign(event):
    def cross(at):
        x, y = at
        a, b, c, d = px(x - 4), px(x + 4), px(y - 4), px(y + 4)
        return f"M{a} {c}L{b} {d}M{a} {d}L{b} {c}"

    def triangle(at):
        x, y = at
        return f"M{px(x - 4)} {px(y - 3)}L{px(x + 4)} {px(y - 3)}L{px(x)} {px(y - 10)}Z"

    return cross if event == "skipped" else triangle


def _key():
    y = HEIGHT - 8
    return [
        path(_sign("grown")((LEFT + 6, y + 2)), "savedbar"), text(LEFT + 16, y, "grown after good steps", "note"),
        path(_sign("skipped")((LEFT + 176, y - 4)), "badline"), text(LEFT + 186, y, "overflow: step skipped", "note"),
    ]  # fmt: skip


def _cursor(dial, training, across, top, base):
    edges = [across(i + 1) for i in range(int(across.high))]
    middles = changes(across(i + 0.5) - 0.7 for i in range(int(across.high)))
    return [
        _veil(dial, edges, top, base),
        rect(0, top - 3, 1.4, base - top + 6, "inkhead", 0, vary={dial: {"x": middles}}),
    ]


def _skips(training, across, up):
    marks = []
    for i, of in enumerate(training.formats):
        where = {"format": [i]} if len(training.formats) > 1 else {}
        for at, step in enumerate(training.steps[of]):
            if step.event == "skipped":
                place = across(at + 0.5) - 6, up(step.outcome.power) - 6
                marks.append(rect(*place, 12, 12, "row", 0, link=f"step {at + 1}", when=where))
    return marks


def flushed_and_loss(training: Training, dial: str) -> list[Mark]:
    """Over the steps: the share that is flushed, with the scale and without, and where it is known the loss, likewise."""
    known = bool(next(iter(training.without.values())))
    across, middle = _steps_axis(training), 68.0 if known else 150.0
    marks = [*_flushed(training, across, middle), *(_losses(training, across) if known else ())]
    marks += [*_cursor(dial, training, across, 20.0, 150.0), *_step_scale(across, 150.0)]
    marks.append(text(LEFT, 12, "share flushed to 0", "note"))
    if known:
        marks.append(text(LEFT, 85, "loss", "note"))
    y = HEIGHT - 8
    marks += [line(LEFT, y - 4, LEFT + 22, y - 4, "before"), text(LEFT + 28, y, "with this scale", "note")]
    return [*marks, line(LEFT + 176, y - 4, LEFT + 198, y - 4, "outline"), text(LEFT + 204, y, "with scale 1", "note")]


def _flushed(training, across, base):
    up, marks = Axis(0, 1, base, 20.0), [line(LEFT, base, RIGHT, base, "grid")]
    for share in (0.0, 1.0):
        marks.append(text(LEFT - 5, up(share) + 4, f"{share:.0%}", "tick", "end"))
    pairs = {of: [(s.outcome.share("flushed"), s.unscaled) for s in training.steps[of]] for of in training.formats}
    for found, _, where in by_format(training.formats, pairs):
        now, unscaled = zip(*found, strict=True)
        columns = [(i, base, up(share)) for i, share in enumerate(unscaled)]
        marks.append(path(silhouette(across, columns), "zone-zero", when=where))
        marks += _pair(across, up, now, unscaled, where)
    return marks


def _losses(training, across):
    every = [s.loss for steps in training.steps.values() for s in steps]
    every += [loss for losses in training.without.values() for loss in losses]
    finite = [v for v in every if np.isfinite(v)]
    low, high = min([*finite, 0.0]), max([*finite, 0.0])
    up, marks = Axis(low, high if high > low else low + 1, 150.0, 90.0), []
    for value in (up.low, up.high):
        marks.append(
            text(
                LEFT - 5,
                up(value) + 4,
                number(value) if len(number(value)) < 6 else f"{value:.0e}".replace("-", "−"),
                "tick",
                "end",
            )
        )
    pairs = {of: ([s.loss for s in training.steps[of]], training.without[of]) for of in training.formats}
    for (now, without), _, where in by_format(training.formats, pairs):
        marks += _pair(across, up, now, without, where)
    return marks


def _pair(across, up, scaled, unscaled, where: Where):
    return [
        path(_staircase(across, up, unscaled), "outline", when=where),
        path(_staircase(across, up, scaled), "before", when=where),
    ]
