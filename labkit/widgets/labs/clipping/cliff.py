"""The cliff: gradient descent through a recurrent unit, whose loss has a wall, with and without clipping.

The unit is h = w h + b, TIMES times from 0, and should give TARGET. For w beyond 1 the result explodes, and with it the
gradient: one step lands on the wall, the next is thrown out of the picture (I. Goodfellow, Y. Bengio, A. Courville, "Deep
Learning", 2016, section 10.11.1). The training loop is the one of the PyTorch dialect.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .... import torch
from ...kit.scene import Ask, Caption, Dial, Panel, Scene
from ...kit.symbolic import Inputs, Quantity, either, words
from . import cliff_view as view
from .cliff_view import FRAME, STEPS

TIMES, TARGET, RATE = 8, 3.0, 0.05
START = {"w": 0.1, "b": 0.3, "max_norm": 1.0}
LOWEST, HIGHEST = 0.1, 10.0  # limits
GONE = 50.0  # w or b that far out: there the training has ended


def unit(w: Any, b: Any) -> Any:
    """What the recurrent unit gives; for numbers, arrays and tensors.

    >>> unit(0.5, 1.0)
    1.9921875
    """
    h = 0.0 * b
    for _ in range(TIMES):
        h = w * h + b
    return h


def loss(w: Any, b: Any) -> Any:
    """The squared distance of the unit's result from TARGET.

    >>> loss(0.0, 2.0)
    1.0
    """
    return (unit(w, b) - TARGET) ** 2


@dataclass(frozen=True)
class Point:
    """Where the training stands: `w`, `b`, the loss there, and the length of the gradient there before clipping."""

    w: float
    b: float
    loss: float
    norm: float


def train(limit: float = float("inf"), start: tuple[float, float] = (START["w"], START["b"])) -> list[Point]:
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


def thrown(points: Sequence[Point]) -> int:
    """The first step that is more than three times as long as the first one.

    >>> thrown(train())
    4
    """
    return next(i + 1 for i, point in enumerate(points) if point.norm > 3 * points[0].norm)


@dataclass(frozen=True)
class Stand:
    """As a `Point`, of quantities; `alive` is 1 as long as the training has not left the picture, `going` as long as it goes on
    at all, else 0."""

    w: Quantity
    b: Quantity
    loss: Quantity
    norm: Quantity
    alive: Quantity
    going: Quantity


def course(of: Inputs, limit: Quantity | None = None) -> list[Stand]:
    """The training of `train`, from the inputs "w" and "b", clipped at a limit.

    >>> stands = course(Inputs({"w": 0.1, "b": 0.3}))
    >>> round(stands[4].loss.value / train()[4].loss, 9)
    1.0
    """
    w, b, alive = of["w"], of["b"], _inside(of, of["w"], of["b"])
    found: list[Stand] = []
    while len(found) <= STEPS:
        going = of.of("less", of.of("maximum", of.of("absolute", w), of.of("absolute", b)), GONE)
        value, by_w, by_b = _slopes(of, *(of.of("maximum", of.of("minimum", v, GONE), -GONE) for v in (w, b)))
        norm = of.of("hypot", by_w, by_b)
        found.append(Stand(w, b, value, norm, alive, going))
        rate = going * RATE
        if limit is not None:
            rate = rate * of.of("minimum", limit / (norm + 1e-6), 1.0)
        w, b = w - by_w * rate, b - by_b * rate
        alive = alive * _inside(of, w, b)
    return found


def _inside(of, w, b):
    """1 inside the picture, 0 outside."""
    w_low, w_high, b_low, b_high = FRAME
    found = of.of("greater_equal", w, w_low) * of.of("less_equal", w, w_high)
    return found * of.of("greater_equal", b, b_low) * of.of("less_equal", b, b_high)


def _slopes(of, w, b):
    """The loss, and its derivatives by w and by b: forward through the unit, and back."""
    states = [b * 0.0]
    for _ in range(TIMES):
        states.append(w * states[-1] + b)
    off = states[-1] - TARGET
    g, by_w, by_b = off * 2.0, b * 0.0, b * 0.0
    for state in reversed(states[:-1]):
        by_w, by_b, g = by_w + g * state, by_b + g, g * w
    return off * off, by_w, by_b


def checked(inputs: Any) -> None:
    """Raises ValueError for what has no place in the picture."""
    for name, low, high in (("w", *FRAME[:2]), ("b", *FRAME[2:]), ("max_norm", LOWEST, HIGHEST)):
        if not low <= inputs[name] <= high:
            raise ValueError(f"{name}: expected a number from {low:g} to {high:g}, but got {inputs[name]:g}")


def scene(of: Inputs) -> Scene:
    """The picture, of the inputs "w" and "b", where the training starts, and "max_norm", the limit; dial `step` replays it."""
    free, clipped = course(of), course(of, of["max_norm"])
    plane = [
        *view.relief(TARGET, unit),
        *view.legend(of),
        *view.way(free, "inkvector", "inkhead"),
        *view.way(clipped, "edge", "head", view.FADES),
    ]
    plane += [*view.thrown_out(free), *view.start(of)]
    losses = [*view.losses_ground(), *view.losses(free, "inkvector"), *view.losses(clipped, "vector"), view.now()]
    return Scene(
        "Over a cliff",
        "Over a cliff: without clipping, one step onto the wall of a recurrent unit's loss throws the training far out.",
        _dials(free),
        [
            Panel("cliff", "Drag the start, or the limit; darker: a higher loss", *view.SIZE, plane),
            Panel("losses", "The loss after each step, on a log scale", *view.BELOW, losses),
        ],
        _captions(of, free, clipped),
        fields={name: words((of[name], "6")) for name in START},
        grips=list(view.grips(of, LOWEST, HIGHEST)),
    )  # fmt: skip


def _dials(free):
    before = free[(at := thrown(train())) - 1]
    ask = Ask(
        words(f"At step {at - 1} the gradient has length ", (before.norm, "3"), f"; the learning rate is {RATE}. How long is "
              "the next step without clipping?"),
        RATE * before.norm, "The learning rate times the length of the gradient.",
        ((before.norm, "That is the gradient. The step is the learning rate times it."),),
        otherwise="Not that: the learning rate times the length of the gradient.",
    )  # fmt: skip
    return [Dial("step", "Step", [str(i) for i in range(STEPS + 1)], asks={at: ask}, start=STEPS)]


def _captions(of, free, clipped):
    said = []
    for i, (one, other) in enumerate(zip(free, clipped, strict=True)):
        briefly = [
            f"Step {i}: without clipping ",
            _briefly(one),
            ", clipped at ",
            (of["max_norm"], "3"),
            " ",
            _briefly(other),
            ".\n",
        ]
        said.append(
            (i, words(*briefly, "Without: ", _standing(one), ". By nn.utils.clip_grad_norm_: ", _standing(other), "."))
        )
    return [Caption("step", said)]


def _briefly(stand):
    loss = words("the loss is ", (stand.loss, "3"))
    return either(
        stand.alive, loss, either(stand.going, words(*loss.parts, ", out of the picture"), "the training is gone")
    )


def _standing(stand):
    """Where a training stands, in words."""
    where = [
        (stand.w, "3"),
        ", b = ",
        (stand.b, "3"),
        ", loss ",
        (stand.loss, "3"),
        ", gradient of length ",
        (stand.norm, "3"),
    ]
    out = words("out of the picture, at w = ", (stand.w, "3"), ", b = ", (stand.b, "3"))
    return either(stand.alive, words("w = ", *where), out)
