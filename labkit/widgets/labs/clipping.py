"""The clipping lab: what clipping does to a gradient, and to the path of training; and the order of the steps around a clip.

The order: two workers unscale, reduce, clip and check in all 24 orders, computed with real operations. Each worker holds a
gradient that still carries the loss scale. To unscale is to divide by it; to reduce is to take the mean of both workers; to
clip is to limit; to check is to look, on each worker, for what is not finite. A worker that finds something skips its step.

The cliff: gradient descent through a recurrent unit, whose loss has a wall. The unit is h = w h + b, TIMES times from 0, and
should give TARGET. For w beyond 1 the result explodes, and with it the gradient: one step lands on the wall, the next is
thrown out of the picture (I. Goodfellow, Y. Bengio, A. Courville, "Deep Learning", 2016, section 10.11.1). The training loop
is the one of the PyTorch dialect; `clipping.js` computes the same.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import permutations
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ... import torch
from ...messages.wrapping import Prose
from ...mindspore import Tensor, ops
from ...mindspore.amp import StaticLossScaler, all_finite
from ..kit.lab import Lab, digits, not_one_of
from ..kit.module import module, style
from ..kit.sketch import Sketch
from ..kit.traits import Trait, traits
from ..kit.words import number

ORDERS = list(permutations(("unscale", "reduce", "clip", "check")))
SCALE, LIMIT = 1024.0, 1.0
GRADIENTS = ((30.0, 0.0), (0.0, 0.3))  # of worker 1 and worker 2, without the scale


def clip(gradient: Tensor, rule: str) -> Tensor:
    """One worker's gradient at LIMIT, by `ops.clip_by_global_norm`, or if `rule` is "value" by `ops.clip_by_value`."""
    if rule == "value":
        return ops.clip_by_value(gradient, -LIMIT, LIMIT)
    return ops.clip_by_global_norm((gradient,), LIMIT)[0]


def flow(
    order: Sequence[str], overflow: bool = False, rule: str = "global norm"
) -> tuple[list[np.ndarray], list[bool]]:
    """The results of both workers, and which of them skip their step; an inf is in worker 2's gradient if `overflow`.

    >>> flow(("unscale", "clip", "reduce", "check"))[0][0]
    array([0.5 , 0.15], dtype=float32)
    """
    scaler = StaticLossScaler(SCALE)
    now = [scaler.scale(Tensor(np.array(g, np.float32))) for g in GRADIENTS]
    if overflow:
        now[1] = Tensor(np.array([0.0, np.inf], np.float32))
    skips = [False, False]
    for item in order:
        if item == "unscale":
            now = [scaler.unscale(gradient) for gradient in now]
        elif item == "reduce":
            now = [ops.add(*now) / 2.0] * 2
        elif item == "clip":
            now = [clip(gradient, rule) for gradient in now]
        else:
            skips = [not all_finite((gradient,)) for gradient in now]
    return [gradient.asnumpy() for gradient in now], skips


def wanted(rule: str) -> np.ndarray:
    """The right result: the mean of the gradients without a scale, clipped."""
    return clip(Tensor(np.mean(GRADIENTS, axis=0).astype(np.float32)), rule).asnumpy()


def faults(order: Sequence[str], overflow: bool, rule: str) -> list[str]:
    """What is wrong with this step, as sentences; none where it is right.

    Without overflow the result must be `wanted`, with it both workers must skip.

    >>> faults(("unscale", "reduce", "clip", "check"), False, "global norm")
    []
    """
    results, skips = flow(order, overflow, rule)
    if overflow:
        return _overflow_faults(results, skips)
    if np.allclose(results[0], wanted(rule), rtol=1e-4):
        return []
    said, place = [], tuple(order).index
    if place("clip") < place("unscale"):
        said.append(WORDS["clip unscale"].format(scale=f"{SCALE:g}"))
    if place("clip") < place("reduce"):
        said.append(WORDS["clip reduce"])
    return said


def _overflow_faults(results, skips):
    if all(skips):
        return []
    if any(skips):
        return [WORDS["check reduce"].format(update=", ".join(number(v) for v in results[0]))]
    return [WORDS["clip check"]]


def right(order: Sequence[str], rule: str) -> bool:
    """Whether an order is right without overflow and with it.

    >>> sum(right(order, "global norm") for order in ORDERS), sum(right(order, "value") for order in ORDERS)
    (5, 3)
    """
    return not faults(order, False, rule) and not faults(order, True, rule)


TIMES, TARGET, RATE, STEPS = 8, 3.0, 0.05, 24
FRAME = (-1.4, 1.8, -0.3, 1.9)  # lowest and highest w, lowest and highest b


def loss(w: Any, b: Any) -> Any:
    """The squared distance of the unit's result from TARGET, for numbers, arrays and tensors.

    >>> loss(0.0, 2.0)
    1.0
    """
    h = 0.0 * b
    for _ in range(TIMES):
        h = w * h + b
    return (h - TARGET) ** 2


@dataclass(frozen=True)
class Point:
    """A place of the training: `w`, `b`, the loss there, and the norm of the gradient there before clipping."""

    w: float
    b: float
    loss: float
    norm: float


def train(limit: float = float("inf"), start: tuple[float, float] = (0.1, 0.3)) -> list[Point]:
    """The points of STEPS steps from a start, clipped by `nn.utils.clip_grad_norm_` at `limit`; fewer where it overflows."""
    w, b = (torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in start)
    optimizer = torch.optim.SGD([w, b], lr=RATE)
    points: list[Point] = []
    with np.errstate(all="ignore"):
        while len(points) <= STEPS:
            optimizer.zero_grad()
            value = loss(w, b)
            value.backward()
            norm = torch.nn.utils.clip_grad_norm_([w, b], limit)
            points.append(Point(w.item(), b.item(), value.item(), norm.item()))
            if not np.isfinite(points[-1].norm):
                break
            optimizer.step()
    return points


PARTS = ("Three rules", "Over a cliff")
RULES = ("value", "norm", "global norm")
WORDS = {
    "about": "Three rules: the gradients g and h of two parameters, clipped by value into a box, each by its own norm into a "
    "ball, or both by their global norm. Over a cliff: a recurrent unit is trained from one start, without clipping and with it; "
    "darker is a higher loss.",
    "drag": "Which rule keeps direction? Drag g, h or the edge",
    "after": "What each rule makes of them",
    "drag start": "Does clipping save the training? Drag the start, or max_norm",
    "drag step": "The loss at each step, log scale: drag the step",
    "box": "box: elements ≤ {limit}",
    "ball": "ball: norm ≤ {limit}",
    "by value": "by value",
    "by norm": "each by norm",
    "by global norm": "by global norm",
    "each element": "each element",
    "each gradient": "each gradient alone",
    "all together": "all gradients together",
    "direction kept": "✓ direction",
    "direction lost": "✗ direction",
    "ratio kept": "✓ ratio",
    "ratio lost": "✗ ratio",
    "ratio": "norms of g and h before: {norms}",
    "given": "g = ({g1}, {g2}), h = ({h1}, {h2}), threshold {limit}.",
    "value kept": "Clipping by value keeps both directions.",
    "value turned": "Clipping by value turns g by {g}° and h by {h}°.",
    "norm kept": "Clipping each by norm keeps the directions and the ratio of the norms.",
    "norm changed": "Clipping each by norm changes the ratio of the norms from {before} to {after}.",
    "global clipped": "Clipping by global norm multiplies both by {factor}.",
    "global free": "Clipping by global norm changes nothing: the norm of all elements is {whole}.",
    "ask rule": "g is long; h lies inside the box and inside the ball. Which rule makes h shorter as well?",
    "none": "none of them",
    "rule right": "It multiplies all gradients by one factor, so that g and h keep their ratio.",
    "by value slip": "All elements of h are within the threshold.",
    "by norm slip": "The norm of h is within the threshold.",
    "none slip": "One of the rules looks at g and h together.",
    "clip unscale": "The clip comes before the unscale: it sees gradients {scale} times too large.",
    "clip reduce": "The clip comes before the reduce: each worker is clipped on its own, and the ratios change.",
    "check reduce": "The check comes before the reduce: worker 2 skips, but worker 1 updates by [{update}]. (all_finite checks "
    "one worker; MindSpore's loss-scale cell also shares the result.)",
    "clip check": "The clip turns inf into a finite number before the check, so the overflow goes unnoticed.",
    "free": "without clipping",
    "clipped": "max_norm {limit}",
    "start": "start",
    "leads": "step {step} leads to w = {w}, b = {b}",
    "step": "Step {step}.",
    "free there": "Without clipping: w = {w}, b = {b}, loss {loss}, gradient norm {norm}.",
    "free out": "Without clipping, the training has left the picture: w = {w}, b = {b}.",
    "free gone": "Without clipping, the training has diverged.",
    "clipped there": "Clipped to max_norm {limit}: w = {w}, b = {b}, loss {loss}, gradient norm {norm}.",
    "clipped out": "Clipped to max_norm {limit}, the training has left the picture: w = {w}, b = {b}.",
    "clipped gone": "Clipped to max_norm {limit}, the training has diverged.",
    "ask step": "At step {step} the gradient has norm {norm}; the learning rate is {rate}. How large is the next step "
    "without clipping?",
    "step right": "The learning rate times the norm of the gradient.",
    "step slip": "That is the norm of the gradient. The step is the learning rate times this norm.",
    "step otherwise": "Not that: the learning rate times the norm of the gradient.",
}


def within(start: float, low: float, high: float) -> Trait:
    """A number of the state within a range."""
    return traits.Float(default_value=start, min=low, max=high).tag(sync=True)


class ClippingLab(Lab):
    """Two parts, one shown at a time: `part` is the title of the one to start with.

    1. "Three rules": two gradients and a threshold to drag. Clipping by value turns them, clipping each by its norm changes their
       ratio, clipping by their global norm keeps both.
    2. "Over a cliff": training a recurrent unit with and without clipping, from a start and with a max_norm to drag.

    Traits: `part`; `g1`, `g2`, `h1`, `h2` and `limit` of the first part; `w`, `b`, `max_norm` and `step` (0 to 24) of the second.

    Raises ValueError where there is no such part.

    >>> print(ClippingLab("Over a cliff").describe(step=1.0).splitlines()[-1][:78])
    Step 1. Without clipping: w = 0.199, b = 0.596, loss 5.09, gradient norm 7.02.
    """

    path = Path(__file__).with_name("clipping.js")
    state_names = ("part", "g1", "g2", "h1", "h2", "limit", "w", "b", "max_norm", "step")
    words: ClassVar = WORDS
    _esm = module(path)
    _css = style()
    part: Trait = traits.Enum(PARTS, default_value=PARTS[0]).tag(sync=True)
    g1: Trait = within(3.5, -4.0, 4.0)
    g2: Trait = within(1.5, -3.0, 3.0)
    h1: Trait = within(-0.6, -4.0, 4.0)
    h2: Trait = within(1.2, -3.0, 3.0)
    limit: Trait = within(1.5, 0.1, 2.8)
    w: Trait = within(0.1, *FRAME[:2])
    b: Trait = within(0.3, *FRAME[2:])
    max_norm: Trait = within(1.0, 0.1, 10.0)
    step: Trait = within(float(STEPS), 0.0, float(STEPS))

    def __init__(self, part: str = PARTS[0]):
        if part not in PARTS:
            raise not_one_of("part", PARTS, part)
        data = {"parts": PARTS, "times": TIMES, "target": TARGET, "rate": RATE, "steps": STEPS}
        super().__init__("Gradient clipping: what does it change?", data, part=part)

    def describe(self, **state: Any) -> str:
        """The picture in words, with its numbers. `state`: other values of some traits."""
        at = self.state_with(**state)
        said = _rules(at) if at["part"] == PARTS[0] else _cliff(at)
        return Prose("\n".join((self.title, WORDS["about"], said)))

    def svg(self, theme: str = "light", **state: Any) -> str:
        """A small still picture: the gradients by each rule, or the losses of both trainings. `state`: some other values."""
        at = self.state_with(**state)
        sketch = Sketch(theme, 420, 330, self.describe(**state).splitlines()[-1])
        (_draw_rules if at["part"] == PARTS[0] else _draw_losses)(sketch, at)
        return str(sketch)


def clipped_by(rule: str, gradients: Sequence[Sequence[float]], limit: float) -> list[np.ndarray]:
    """Gradients clipped by "value", each by its "norm", or all by their "global norm".

    >>> [g.round(2).tolist() for g in clipped_by("global norm", [(3.0, 0.0), (0.0, 4.0)], 1.0)]
    [[0.6, 0.0], [0.0, 0.8]]
    """
    given = tuple(Tensor(np.array(g)) for g in gradients)
    if rule == "global norm":
        return [t.asnumpy() for t in ops.clip_by_global_norm(given, limit)]
    by_value = rule == "value"
    return [(ops.clip_by_value(t, -limit, limit) if by_value else ops.clip_by_norm(t, limit)).asnumpy() for t in given]


def turned(a: Any, b: Any) -> float:
    """The angle between two vectors of two elements, in degrees."""
    return float(np.degrees(np.arctan2(abs(a[0] * b[1] - a[1] * b[0]), a @ b)))


def _ratio(pair):
    with np.errstate(all="ignore"):
        return float(np.linalg.norm(pair[0]) / np.linalg.norm(pair[1]))


def _rules(at):
    before, limit = [(at["g1"], at["g2"]), (at["h1"], at["h2"])], at["limit"]
    value, norm, _ = (clipped_by(rule, before, limit) for rule in RULES)
    angles, ratio, after = [turned(a, b) for a, b in zip(before, value, strict=True)], _ratio(before), _ratio(norm)
    whole = float(np.linalg.norm(before))
    keys = ("value turned" if max(angles) >= 0.05 else "value kept",
            "norm changed" if abs(after - ratio) > 0.001 * ratio else "norm kept",
            "global clipped" if whole > limit else "global free")  # fmt: skip
    numbers = at | {"g": angles[0], "h": angles[1], "before": ratio, "after": after, "whole": whole}
    numbers = numbers | {"factor": limit / max(whole, limit)}
    given = {name: digits(number + 0.0, 3) for name, number in numbers.items() if name != "part"}
    return "\n".join((WORDS["given"].format(**given), " ".join(WORDS[key].format(**given) for key in keys)))


def _cliff(at):
    step, start = int(at["step"]), (at["w"], at["b"])
    ways = (("free", np.inf), ("clipped", at["max_norm"]))
    said = [_place(way, limit, train(limit, start), step) for way, limit in ways]
    return " ".join([WORDS["step"].format(step=step), *said])


def _place(way: str, limit: float, points: list[Point], step: int) -> str:
    numbers: dict[str, str] = {"limit": digits(limit, 3)}
    if step >= len(points) or not np.isfinite(points[step].norm):
        return WORDS[f"{way} gone"].format(**numbers)
    left, right, low, high = FRAME
    inside = all(left <= point.w <= right and low <= point.b <= high for point in points[: step + 1])
    numbers |= {name: digits(value, 3) for name, value in asdict(points[step]).items()}
    return WORDS[f"{way} there" if inside else f"{way} out"].format(**numbers)


def _draw_rules(sketch, at):
    before = [(at["g1"], at["g2"]), (at["h1"], at["h2"])]
    for k, (rule, colour) in enumerate(zip(RULES, ("backward", "forward", "saved"), strict=True)):
        x, y, size = 74 + 136 * k, 160, at["limit"] * 21
        if rule == "value":
            sketch.rect(x - size, y - size, 2 * size, 2 * size, "backward-fill")
        elif rule == "norm":
            sketch.circle(x, y, size, "forward-fill")
        for vectors, ink in ((before, "line"), (clipped_by(rule, before, at["limit"]), colour)):
            for a, b in vectors:
                tip = x + 21 * min(max(a, -3.1), 3.1), y - 21 * b
                sketch.path([(x, y), tip], ink)
        sketch.text(x, 260, WORDS[f"by {rule}"], colour)


def _draw_losses(sketch, at):
    for limit, colour in ((np.inf, "ink"), (at["max_norm"], "forward")):
        points = [p for p in train(limit, (at["w"], at["b"])) if 0 < p.loss < 1e4]
        sketch.path([(20 + 16 * i, 170 - 37 * np.log10(p.loss)) for i, p in enumerate(points)], colour)
    sketch.text(210, 325, "the loss of 24 steps, log scale: without clipping, and clipped (blue)")
