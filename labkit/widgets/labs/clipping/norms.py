"""Dumbbells: the gradient norm of every parameter before and after clipping, for the three rules at once."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...kit.axes import Axis
from ...kit.grips import Grip
from ...kit.scene import Ask, Caption, Dial, Link, Mark, Panel, Scene, changes, line, only, path, rect, text, width_of
from ...kit.strokes import Point, polygon
from ...kit.words import listed, number, paragraph, shape
from .rules import Rule, angle, by_global_norm, by_value, each_by_norm, length

MOST = 40  # rows; of a larger network the longest gradients are shown
NAMES, PLOT, TURNS, ROW, TOP, BELOW = 116.0, 240.0, 70.0, 42.0, 38.0, 30.0  # px
WHOLE = "all together"
LIT = "lit"  # the dial of the rule that is looked at

RIGHT = NAMES + PLOT + TURNS
RULE = 74.0  # px: of a rule in the first panel
ANGLES = Axis(0, 90, 24, 292)
CORNERS: dict[str, list[Point]] = {  # px; a square for the global norm, a diamond for each, a triangle for values
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

    def each(measure: Callable[[Any, slice], float]) -> list[list[dict[str, float]]]:
        return [[{name: measure(g, part) for name, part in parts.items()} for g in row] for row in clipped]

    return Measured(
        limits,
        {name: length(arrays[part]) for name, part in parts.items()},
        each(lambda g, part: length(g[part])),
        each(lambda g, part: angle(arrays[part], list(g[part]))),
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
        notes = paragraph(notes, f"Shown are the {MOST} longest of {len(finite)} gradients.")
    links = {
        f"norm {n}": Link(f"{n}: norm {number(found.before[n])} before clipping", _facts(n, finite[n]))
        for n in names[1:]
    }
    panels, held = [_rules(found), _panel(found, names)], [_held(found, TOP + ROW * len(names))]
    links |= {
        f"rule {k}": Link(f"{look.name}: {look.operation}", [look.operation], go={LIT: k})
        for k, look in enumerate(LOOKS)
    }
    lit = Dial(LIT, "Rule", [look.name for look in LOOKS], "inside", start=len(LOOKS) - 1)
    return Scene(title, words, [_dial(found), lit], panels, [_caption(found)], links, notes, grips=held)


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


def _scale(found):
    """Where a norm stands, px: what is not positive at the left end."""
    norms = [v for look in found.after for row in look for v in row.values() if v > 0]
    high = np.log10(max(*found.before.values(), *found.limits)) + 0.05
    return Axis(np.floor(np.log10(min(norms))), high, NAMES, NAMES + PLOT, log=True)


def _panel(found, names):
    scale, bottom = _scale(found), TOP + ROW * len(names)
    every = int(np.ceil((scale.high - scale.low) / 6))  # at most seven powers of ten have a tick
    powers = [10.0**power for power in range(int(scale.low), int(np.floor(scale.high)) + 1, every)]
    marks = [rect(NAMES, TOP, PLOT, bottom - TOP, "area")]
    marks += [*scale.below(bottom + 14, powers, grid=(TOP, bottom)), *_limit(found, scale, bottom)]
    turns = [f"{look.name} turns" for look in LOOKS]
    marks.append(text(RIGHT, TOP - 20, "", "note", "end").following(LIT, text=turns))
    for row, name in enumerate(names):
        marks += _row(found, scale, name, TOP + ROW * (row + 0.5))
    marks.append(line(0, TOP + ROW, RIGHT, TOP + ROW, "axis"))
    return Panel("norms", "Gradient norms: drag the limit", RIGHT, bottom + BELOW, marks)


def _limit(found, scale, bottom) -> Iterator[Mark]:
    xs = [scale(limit) for limit in found.limits]
    yield path("M0 0", "outline").following("norm_limit", d=[[(x, TOP - 2), (x, bottom)] for x in xs])
    words = [f"limit {number(limit)}" for limit in found.limits]
    yield text(0, TOP - 6, "", "plain", "middle").following("norm_limit", x=xs, text=words)


def _held(found, bottom) -> Grip:
    """The limit, dragged anywhere in the plot."""
    scale, area = _scale(found), (NAMES, TOP, PLOT, bottom - TOP)
    return Grip(
        "norm_limit", "norms", "The limit", "norm_limit", [(scale(v), bottom) for v in found.limits], "x", area=area
    )


def _row(found, scale, name, y) -> Iterator[Mark]:
    link = None if name == WHOLE else f"norm {name}"
    if link:
        yield rect(0, y - ROW / 2, RIGHT, ROW, "row", link=link)
    yield text(NAMES - 8, y + 4, _fitting(name), "code" if link else "name", "end", link=link)
    if not found.before[name]:
        yield text(RIGHT, y + 4, "is zero", "note", "end", link=link)
        return
    start = scale(found.before[name])
    yield line(start, y - 16, start, y + 16, "before", link=link)
    for k, (look, after) in enumerate(zip(LOOKS, found.after, strict=True)):
        shown = ["" if one is look else "dim" for one in LOOKS]
        ends = [(scale(norms[name]), y + look.shift) for norms in after]
        lines = [[(start, y + look.shift), end] for end in ends]
        yield path("M0 0", look.line, link=link).following("norm_limit", d=lines).following(LIT, state=shown)
        signs = [polygon(CORNERS[look.mark], *end) for end in ends]
        yield path("M0 0", look.mark, link=link).following("norm_limit", d=signs).following(LIT, state=shown)
        turns = [f"{at[name]:.1f}°" for at in found.turned[k]]
        yield from only(
            {LIT: [k]}, [text(RIGHT, y + 4, "", "sum", "end", link=link).following("norm_limit", text=turns)]
        )


def _fitting(name):
    while width_of(name, 12, mono=True) > NAMES - 8:
        name = "…" + name[2:]
    return name


def _rules(found) -> Panel:
    """What each rule does to the whole gradient: its sign, how it shortens, and a bar for how it turns."""
    tops = [32 + RULE * k for k in range(len(LOOKS))]
    marks = [line(8, 8, 8, 22, "before"), text(24, 19, "before clipping")]
    marks.append(rect(0, tops[0], 300, RULE - 6, "area").following(LIT, y=tops))
    for k, look in enumerate(LOOKS):
        y, limits = 50 + RULE * k, range(len(found.limits))
        marks += [path(polygon(CORNERS[look.mark], 8, y - 4), look.mark), text(24, y, look.name, look.words)]
        effects = text(24, y + 17, "", "note").following("norm_limit", text=[_effect(found, k, i) for i in limits])
        turned = [float(np.nan_to_num(found.turned[k][i][WHOLE])) for i in limits]
        bar = rect(ANGLES.start, y + 25, 0, 13, look.mark, 0)
        marks += [effects, bar.following("norm_limit", width=[ANGLES(angle) - ANGLES.start for angle in turned])]
        marks.append(rect(0, tops[k], 300, RULE - 6, "row", 0, link=f"rule {k}"))
    return Panel("rules", "Tap a rule: how it turns all of it", 300, 50 + RULE * len(LOOKS), marks)


def _effect(found, k, i):
    """What a rule does at a limit."""
    return f"{_shortened(found, k, i)}, {_turned(found, k, i)}"


def _shortened(found, k, i):
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
        effects = [f"{look.operation}: {_effect(found, k, i)}." for k, look in enumerate(LOOKS)]
        after = listed(_spread(norms[i]) for norms in found.after)
        ratios = f"Longest over shortest norm: {_spread(found.before)} before; {after} after."
        said.append(f"{_headline(found, i)}\n{' '.join([f'Limit {number(limit)}.', *effects, ratios])}")
    return Caption("norm_limit", changes(said))


def _headline(found, i):
    """What matters at a limit, in a sentence."""
    _, each, value = (_turned(found, k, i) for k in range(len(LOOKS)))
    limit = number(found.limits[i])
    if {each, value} == {"not turned"}:
        return f"At limit {limit}, no rule turns the gradient."
    return f"At limit {limit}, one factor for all keeps the direction; each by its norm is {each}, by value {value}."


def _spread(norms):
    parts = [norm for name, norm in norms.items() if name != WHOLE and norm > 0]
    return f"{max(parts) / min(parts):.1f}" if parts else "none"
