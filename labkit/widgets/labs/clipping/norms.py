"""Dumbbells: the gradient norm of every parameter before and after clipping, for the three rules at once."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...kit.scene import (
    Ask,
    Caption,
    Changes,
    Dial,
    Link,
    Mark,
    Panel,
    Scene,
    changes,
    line,
    path,
    px,
    rect,
    text,
    width_of,
)
from ...kit.words import number, shape
from .rules import Rule, angle, by_global_norm, by_value, each_by_norm, length

MOST = 40  # rows; of a larger network the longest gradients are shown
NAMES, PLOT, TURNS, ROW, TOP, BELOW = 116.0, 240.0, 70.0, 42.0, 118.0, 30.0  # px
WHOLE = "all together"

CORNERS: dict[
    str, list[tuple[float, float]]
] = {  # px; a square for the global norm, a diamond for each, a triangle for values
    "bar": [(-4, -4), (4, -4), (4, 4), (-4, 4)],
    "leafbar": [(-5.5, 0), (0, -5.5), (5.5, 0), (0, 5.5)],
    "backbar": [(-5, 4), (5, 4), (0, -5)],
}


@dataclass(frozen=True)
class Look:
    """How one rule is drawn: `name` and `operation` say what it is; `line`, `mark` and `words` are roles; `shift` is the
    place of its line in a row, px."""

    rule: Rule
    name: str
    operation: str
    line: str
    mark: str
    words: str
    shift: float


LOOKS = (
    Look(by_global_norm, "global norm", "ops.clip_by_global_norm", "edge", "bar", "forwardtext", -10),
    Look(each_by_norm, "each by its norm", "ops.clip_by_norm of each", "leafline", "leafbar", "leaftext", 0),
    Look(by_value, "by value", "ops.clip_by_value", "backedge", "backbar", "slope", 10),
)


@dataclass(frozen=True)
class Measured:
    """Norms and turns of the rows, WHOLE and then the parameters: `before[name]`, and for each look (in the order of LOOKS)
    and each limit `after[look][limit][name]` and `turned[look][limit][name]`, in degrees."""

    limits: list[float]
    before: dict[str, float]
    after: list[list[dict[str, float]]]
    turned: list[list[dict[str, float]]]


def round_limits(total: float) -> list[float]:
    """Limits for a gradient of length `total`: 1, 2 and 5 times powers of ten, from a hundredth of it to just above it.

    >>> round_limits(11.9)
    [0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0]
    """
    power = int(np.floor(np.log10(total)))
    every = [float(f"{digit}e{p}") for p in range(power - 2, power + 2) for digit in (1, 2, 5)]
    above = next(limit for limit in every if limit >= total)
    return [limit for limit in every if total / 100 <= limit <= above]


def measured(gradients: Mapping[str, np.ndarray], limits: list[float]) -> Measured:
    """Clip the finite `gradients` by all rules at all limits, and measure."""
    arrays = list(gradients.values())
    parts: dict[str, slice] = {WHOLE: slice(None)} | {name: slice(i, i + 1) for i, name in enumerate(gradients)}
    clipped = [[look.rule(arrays, limit) for limit in limits] for look in LOOKS]
    return Measured(
        limits,
        {name: length(arrays[part]) for name, part in parts.items()},
        [[{name: length(g[part]) for name, part in parts.items()} for g in row] for row in clipped],
        [[{name: angle(arrays[part], g[part]) for name, part in parts.items()} for g in row] for row in clipped],
    )


def scene(gradients: Mapping[str, np.ndarray]) -> Scene:
    """The picture of `{name: gradient}`: dial `norm_limit` is the limit of all three rules. What is not finite is named."""
    finite = {name: np.asarray(g) for name, g in gradients.items() if np.isfinite(g).all()}
    notes = _notes(gradients, finite)
    title = "Every parameter"
    words = "Every parameter: the norms of all gradients before and after clipping by three rules, on a log scale."
    if not any(g.any() for g in finite.values()):
        panel = Panel("norms", "", 430, 30, [text(8, 18, "There is no gradient to clip: see the message.", "note")])
        return Scene(title, words, [], [panel], notice=notes or "Every gradient is zero: there is nothing to clip.")
    found = measured(finite, round_limits(length(list(finite.values()))))
    shown = sorted(finite, key=found.before.__getitem__, reverse=True)[:MOST]
    names = [WHOLE, *(name for name in finite if name in shown)]
    if len(shown) < len(finite):
        notes = " ".join(filter(None, [notes, f"Shown are the {MOST} longest of {len(finite)} gradients."]))
    links = {
        f"norm {n}": Link(f"{n}: norm {number(found.before[n])} before clipping", _facts(n, finite[n]))
        for n in names[1:]
    }
    return Scene(title, words, [_dial(found)], [_panel(found, names)], [_caption(found)], links, notes)


def _notes(gradients, finite):
    ill = [name for name in gradients if name not in finite]
    return f"The gradient of {', '.join(ill)} is not finite: a step to skip, not to clip." if ill else ""


def _facts(name, gradient):
    largest = np.abs(gradient).max(initial=0.0)
    return [name, f"shape {shape(gradient.shape) or 'of a number'}", f"largest element {number(largest)} in magnitude"]


def _dial(found):
    total = found.before[WHOLE]
    asked = {i: _ask(found, limit) for i, limit in enumerate(found.limits) if i and limit < total}
    start = max(i for i, limit in enumerate(found.limits) if i == 0 or limit <= total / 20)
    return Dial("norm_limit", "Limit", [number(v) for v in found.limits], start=start, asks=asked)


def _ask(found, limit):
    total = found.before[WHOLE]
    norm, name = min((norm, name) for name, norm in found.before.items() if norm and name != WHOLE)
    return Ask(
        f"The whole gradient has length {number(total)}, {name} {number(norm)}. By which factor does the global norm at "
        f"limit {number(limit)} shorten {name}?",
        limit / total, f"{number(limit)} divided by {number(total)}, the same for every parameter.",
        ((min(1.0, limit / norm), f"So its own norm would: {name} alone. The global norm has one factor for all."),),
        otherwise="Not that: the limit divided by the length of the whole gradient.",
    )  # fmt: skip


class _Scale:
    """Where a norm stands on the log axis, px: what is not positive at its left end."""

    def __init__(self, found):
        norms = [v for look in found.after for row in look for v in row.values() if v > 0]
        self.low = np.floor(np.log10(min(norms)))
        self.high = np.log10(max(*found.before.values(), *found.limits)) + 0.05

    def __call__(self, norm):
        if not norm > 0:
            return NAMES
        return float(NAMES + PLOT * (np.log10(norm) - self.low) / (self.high - self.low))

    def powers(self):
        """The powers of ten with a tick: at most seven."""
        return range(int(self.low), int(np.floor(self.high)) + 1, int(np.ceil((self.high - self.low) / 6)))


def _panel(found, names):
    scale, bottom = _Scale(found), TOP + ROW * len(names)
    marks = [rect(NAMES, TOP, PLOT, bottom - TOP, "area"), *_legend(found)]
    for power in scale.powers():
        marks += [line(scale(10.0**power), TOP, scale(10.0**power), bottom, "grid")]
        marks += [text(scale(10.0**power), bottom + 14, number(10.0**power), "tick", "middle")]
    marks += _limit(found, scale, bottom)
    marks += [text(NAMES + PLOT + TURNS, TOP - 20, "by value turns", "note", "end")]
    for row, name in enumerate(names):
        marks += _row(found, scale, name, TOP + ROW * (row + 0.5))
    marks += [line(0, TOP + ROW, NAMES + PLOT + TURNS, TOP + ROW, "axis")]
    return Panel("norms", "Gradient norms before and after clipping", NAMES + PLOT + TURNS, bottom + BELOW, marks)


def _limit(found, scale, bottom):
    places = [scale(limit) for limit in found.limits]
    words = [f"limit {number(limit)}" for limit in found.limits]
    moves = {"d": changes(f"M{px(x)} {px(TOP - 2)}L{px(x)} {px(bottom)}" for x in places)}
    names = {"x": changes(float(px(x)) for x in places), "text": changes(words)}
    return [
        path("M0 0", "outline", vary={"norm_limit": moves}),
        text(0, TOP - 6, "", "plain", "middle", vary={"norm_limit": names}),
    ]


def _row(found, scale, name, y) -> list[Mark]:
    link = None if name == WHOLE else f"norm {name}"
    back = [] if link is None else [rect(0, y - ROW / 2, NAMES + PLOT + TURNS, ROW, "row", link=link)]
    words = text(NAMES - 8, y + 4, _fitting(name), "name" if link is None else "code", "end", link=link)
    if not found.before[name]:
        return [*back, words, text(NAMES + PLOT + TURNS, y + 4, "is zero", "note", "end", link=link)]
    start = scale(found.before[name])
    marks = [*back, words, line(start, y - 16, start, y + 16, "before", link=link)]
    for k, look in enumerate(LOOKS):
        ends = [scale(after[name]) for after in found.after[k]]
        level = y + look.shift
        strokes = [f"M{px(start)} {px(level)}L{px(x)} {px(level)}" for x in ends]
        marks.append(path("M0 0", look.line, vary={"norm_limit": {"d": changes(strokes)}}, link=link))
        marks.append(path("M0 0", look.mark, vary={"norm_limit": {"d": _signs(look, ends, level)}}, link=link))
    turns = [f"{after[name]:.1f}°" for after in found.turned[-1]]
    shown = {"norm_limit": {"text": changes(turns)}}
    return [*marks, text(NAMES + PLOT + TURNS, y + 4, "", "sum", "end", vary=shown, link=link)]


def _signs(look, xs, y) -> Changes:
    return changes(_sign(look.mark, x, y) for x in xs)


def _sign(mark, x, y) -> str:
    return "M" + "L".join(f"{px(x + dx)} {px(y + dy)}" for dx, dy in CORNERS[mark]) + "Z"


def _fitting(name):
    while width_of(name, 12, mono=True) > NAMES - 8:
        name = "…" + name[2:]
    return name


def _legend(found):
    marks = [line(8, 4, 8, 18, "before"), text(24, 15, "before clipping", "plain")]
    for k, look in enumerate(LOOKS):
        y = 33 + 18 * k
        words = [f"{look.name}: {_told(found, k, i)}, {_turned(found, k, i)}" for i in range(len(found.limits))]
        marks.append(path(_sign(look.mark, 8, y - 4), look.mark))
        marks.append(text(24, y, "", look.words, vary={"norm_limit": {"text": changes(words)}}))
    return marks


def _told(found, k, i):
    """What a rule does at a limit."""
    limit = found.limits[i]
    if LOOKS[k].rule is by_global_norm:
        return f"all × {number(found.after[k][i][WHOLE] / found.before[WHOLE])}"
    if LOOKS[k].rule is each_by_norm:
        parts = [norm for name, norm in found.before.items() if name != WHOLE]
        return f"{sum(norm > limit for norm in parts)} of {len(parts)} shortened"
    return f"each element at most {number(limit)}"


def _turned(found, k, i):
    turned = found.turned[k][i][WHOLE]
    if not np.isfinite(turned):
        return "not finite"
    return f"turned by {turned:.1f}°" if turned else "not turned"


def _caption(found):
    said = []
    for i, limit in enumerate(found.limits):
        told = [f"{look.operation}: {_told(found, k, i)}, {_turned(found, k, i)}." for k, look in enumerate(LOOKS)]
        after = [_spread(norms[i]) for norms in found.after]
        ratios = (
            f"Longest over shortest norm: {_spread(found.before)} before; {after[0]}, {after[1]} and {after[2]} after."
        )
        said.append(" ".join([f"Limit {number(limit)}.", *told, ratios]))
    return Caption("norm_limit", changes(said))


def _spread(norms):
    parts = [norm for name, norm in norms.items() if name != WHOLE and norm > 0]
    return f"{max(parts) / min(parts):.1f}" if parts else "none"
