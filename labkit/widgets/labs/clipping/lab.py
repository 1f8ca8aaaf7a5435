"""The clipping lab: what clipping does to a gradient, and to the path of training."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ....messages.wrapping import Prose
from ....mindspore import Tensor, ops
from ...kit.lab import Lab, digits
from ...kit.module import module, style
from ...kit.sketch import Sketch
from ...kit.traits import Trait, traits
from .training import FRAME, RATE, STEPS, TARGET, TIMES, Point, train

PARTS = ("Ball and box", "Over a cliff")
WORDS = {
    "about": "Ball and box: clipping by norm moves a gradient g of two elements into the ball, clipping by value into the box. "
    "With all gradients joined in g, the ball is that of ops.clip_by_global_norm. Over a cliff: a recurrent unit is trained "
    "from one start, without clipping and with it; darker is a higher loss.",
    "ball": "g = ({g}) has norm {norm}, the threshold is {limit}. By norm: ({by_norm}), norm {norm_norm}, same direction. "
    "By value: ({by_value}), norm {value_norm}, {turned}.",
    "turned": "turned by {angle}°",
    "kept": "same direction",
    "cliff": "Step {step}. Without clipping: {free}. Clipped to max_norm {limit}: {clipped}.",
    "there": "w = {w}, b = {b}, loss {loss}, gradient norm {norm}",
    "out": "out of the picture at w = {w}, b = {b}",
    "gone": "diverged",
    "ask turn": "g keeps its norm and goes once around. In which direction does clipping by value turn it most?",
    "axis": "along an axis",
    "diagonal": "along a diagonal",
    "between": "in between",
    "nowhere": "nowhere: it is not clipped",
    "turn right": "On an axis one element is 0, on a diagonal both are cut alike. In between, one is cut more than the other.",
    "inside": "Its norm is below the threshold.",
    "turn otherwise": "Not there. When does cutting both elements to the threshold change the direction?",
    "ask step": "At step {step} the gradient has norm {norm}; the learning rate is {rate}. How large is the next step "
    "without clipping?",
    "step right": "The learning rate times the norm of the gradient.",
    "step slip": "That is the norm of the gradient. The step is the learning rate times this norm.",
    "step otherwise": "Not that: the learning rate times the norm of the gradient.",
}


def number(start: float, low: float, high: float) -> Trait:
    """A number of the state within a range."""
    return traits.Float(default_value=start, min=low, max=high).tag(sync=True)


class ClippingLab(Lab):
    """Two parts, one shown at a time: `part` is the title of the one to start with.

    1. "Ball and box": a gradient and a threshold to drag. Clipping by norm keeps its direction, by value turns it.
    2. "Over a cliff": training a recurrent unit with and without clipping, from a start and with a max_norm to drag.

    Traits: `part`; `g1`, `g2` and `limit` of the first part; `w`, `b`, `max_norm` and `step` (0 to 24) of the second.

    Raises ValueError where there is no such part.

    >>> print(ClippingLab("Over a cliff").describe(step=1.0).splitlines()[-1][:78])
    Step 1. Without clipping: w = 0.199, b = 0.596, loss 5.09, gradient norm 7.02.
    """

    path = Path(__file__).with_name("clipping.js")
    state_names = ("part", "g1", "g2", "limit", "w", "b", "max_norm", "step")
    words: ClassVar = WORDS
    _esm = module(path)
    _css = style()
    part: Trait = traits.Enum(PARTS, default_value=PARTS[0]).tag(sync=True)
    g1: Trait = number(3.5, -4.0, 4.0)
    g2: Trait = number(1.5, -3.0, 3.0)
    limit: Trait = number(1.5, 0.1, 2.8)
    w: Trait = number(0.1, *FRAME[:2])
    b: Trait = number(0.3, *FRAME[2:])
    max_norm: Trait = number(1.0, 0.1, 10.0)
    step: Trait = number(float(STEPS), 0.0, float(STEPS))

    def __init__(self, part: str = PARTS[0]):
        if part not in PARTS:
            raise ValueError(f"part: expected one of {', '.join(map(repr, PARTS))}, but got {part!r}")
        data = {"parts": PARTS, "times": TIMES, "target": TARGET, "rate": RATE, "steps": STEPS}
        super().__init__("Clipping a gradient: shorter, or turned as well", data, part=part)

    def describe(self, **state: Any) -> str:
        """The picture in words, with its numbers. `state`: other values of some traits."""
        at = self.state_with(**state)
        said = _ball(at) if at["part"] == PARTS[0] else _cliff(at)
        return Prose("\n".join((f"{self.title}.", WORDS["about"], said)))

    def svg(self, theme: str = "light", **state: Any) -> str:
        """A small still picture: the three arrows, or the losses of both trainings. `state`: other values of some traits."""
        at = self.state_with(**state)
        sketch = Sketch(theme, 420, 330, self.describe(**state).splitlines()[-1])
        (_draw_ball if at["part"] == PARTS[0] else _draw_losses)(sketch, at)
        return str(sketch)


def both_rules(g: Sequence[float], limit: float) -> list[Any]:
    """g, g clipped by norm, and g clipped by value."""
    given = Tensor(np.array(g))
    return [t.asnumpy() for t in (given, ops.clip_by_norm(given, limit), ops.clip_by_value(given, -limit, limit))]


def turned(a: Any, b: Any) -> float:
    """The angle between two vectors of two elements, in degrees."""
    return float(np.degrees(np.arctan2(abs(a[0] * b[1] - a[1] * b[0]), a @ b)))


def _ball(at):
    vectors = both_rules((at["g1"], at["g2"]), at["limit"])
    pairs = [", ".join(digits(v, 3) for v in vector) for vector in vectors]
    norms = [digits(float(np.linalg.norm(vector)), 3) for vector in vectors]
    angle = turned(vectors[0], vectors[2])
    return WORDS["ball"].format(
        g=pairs[0], by_norm=pairs[1], by_value=pairs[2], norm=norms[0], norm_norm=norms[1], value_norm=norms[2],
        limit=digits(at["limit"], 3), turned=WORDS["turned" if angle > 0.05 else "kept"].format(angle=digits(angle, 3)),
    )  # fmt: skip


def _cliff(at):
    step, start = int(at["step"]), (at["w"], at["b"])
    free, clipped = (_place(train(limit, start), step) for limit in (np.inf, at["max_norm"]))
    return WORDS["cliff"].format(step=step, limit=digits(at["max_norm"], 3), free=free, clipped=clipped)


def _place(points: list[Point], step: int) -> str:
    if step >= len(points) or not np.isfinite(points[step].norm):
        return WORDS["gone"]
    left, right, low, high = FRAME
    inside = all(left <= point.w <= right and low <= point.b <= high for point in points[: step + 1])
    numbers = {name: digits(value, 3) for name, value in asdict(points[step]).items()}
    return WORDS["there" if inside else "out"].format(**numbers)


def _draw_ball(sketch, at):
    size = at["limit"] * 48
    sketch.rect(210 - size, 160 - size, 2 * size, 2 * size, "backward-fill")
    sketch.circle(210, 160, size, "forward-fill")
    colours = ("ink", "forward", "backward")
    for k, (colour, (x, y)) in enumerate(zip(colours, both_rules((at["g1"], at["g2"]), at["limit"]), strict=True)):
        tip = 210 + 48 * x, 160 - 48 * y
        sketch.path([(210, 160), tip], colour)
        sketch.circle(*tip, 4, colour)
        sketch.text(70 + 130 * k, 325, ("g", "clipped by norm", "clipped by value")[k], colour)


def _draw_losses(sketch, at):
    for limit, colour in ((np.inf, "ink"), (at["max_norm"], "forward")):
        points = [p for p in train(limit, (at["w"], at["b"])) if 0 < p.loss < 1e4]
        sketch.path([(20 + 16 * i, 170 - 37 * np.log10(p.loss)) for i, p in enumerate(points)], colour)
    sketch.text(210, 325, "the loss of 24 steps, log scale: without clipping, and clipped (blue)")
