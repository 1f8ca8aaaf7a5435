"""Descents over a loss of two numbers by the MindSpore dialect's own optimizers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....engine import value_and_grad
from ....mindspore import Parameter, Tensor, float64, nn
from ....program import Recording, recorded
from ....tracing import plain_function
from ...kit.reckoning import Const, Program

Loss = Callable[[Any, Any], Any]
Pair = tuple[float, float]
Frame = tuple[float, float, float, float]  # lowest and highest x, lowest and highest y
Maker = Callable[[list[Parameter], float], nn.Optimizer]

OPTIMIZERS: dict[str, Maker] = {
    "SGD": nn.SGD,
    "Momentum": lambda parameters, rate: nn.Momentum(parameters, rate, 0.9),
    "Adam": nn.Adam,
}
XS, YS = (0.0, 1.0, 2.0, 3.0), (-1.0, 1.2, 2.8, 5.0)


def line_fit(w: Any, b: Any) -> Any:
    """The mean squared error of the line w x + b at four points near 2 x - 1: a long valley.

    >>> round(line_fit(2.0, -1.0), 3)
    0.02
    """
    return sum((w * x + b - y) ** 2 for x, y in zip(XS, YS, strict=True)) / len(XS)


@dataclass(frozen=True)
class Waypoint:
    """Where an optimizer stands after some steps: the place, the loss and the gradient there, and what it keeps."""

    place: Pair
    loss: float
    gradient: Pair
    kept: Mapping[str, Pair]


class Hill:
    """A loss of two numbers with its gradient, as scalar lines: `program`, in which `ends` are the places of the three.

    Raises ValueError for a loss that has no such lines, and whatever the loss raises.

    >>> [float(one) for one in Hill(lambda x, y: x**2 + 3.0 * y).at(2.0, 1.0)]
    [7.0, 4.0, 3.0]
    """

    def __init__(self, loss: Loss):
        start = [Tensor(np.array(value), float64) for value in (0.3, 0.7)]
        if getattr(loss(*start), "shape", None) != ():
            raise ValueError("Landscape: expected a loss that is one number, a Tensor of shape ()")
        plain, values, _ = plain_function(lambda x, y: loss(x, y), start, {}, None)
        recording = Recording()
        x, y = (recording.input(value, name) for value, name in zip(values, "xy", strict=True))
        try:
            height, (across, up) = recording.run(value_and_grad(plain, (0, 1)), x, y)
            self.program, known = Program.of(recording.log, dict(zip("xy", values, strict=True)), ["x", "y"])
        except Exception as error:  # whatever it is, the loss itself went well
            raise ValueError(
                "Landscape: expected a loss of scalar operations that does not branch on its inputs"
            ) from error
        boxes = [(box, recorded(box)) for box in (height, across, up)]
        self.ends = [Const(float(box)) if op is None else known[op] for box, op in boxes]

    def at(self, x: Any, y: Any) -> list[np.ndarray]:
        """The loss and its derivatives by x and by y, in the shape of `x` and `y`."""
        rows = [{"x": a, "y": b} for a, b in zip(np.ravel(x), np.ravel(y), strict=True)]
        found = self.program.values(rows)
        whole = [np.full(len(rows), end.value) if isinstance(end, Const) else found[end] for end in self.ends]
        return [one.reshape(np.shape(x)) for one in whole]

    def written(self) -> dict[str, Any]:
        """As the page reads it."""
        return self.program.written() | {"ends": [[e.value] if isinstance(e, Const) else e for e in self.ends]}


def descend(hill: Hill, start: Pair, make: Maker, rate: float, steps: int) -> list[Waypoint]:
    """The moments of `steps` steps, the start included; fewer where something is not finite any more.

    `kept` has the optimizer's state per parameter, by the names that the optimizer gives it.

    >>> path = descend(Hill(line_fit), (0.0, 0.0), OPTIMIZERS["SGD"], 0.1, 1)
    >>> [round(float(v), 3) for v in path[1].place]
    [1.09, 0.4]
    """
    point = [Parameter(Tensor(np.array(v, float), float64), name=name) for v, name in zip(start, "xy", strict=True)]
    optimizer, found = make(point, rate), list[Waypoint]()
    with np.errstate(all="ignore"):
        for step in range(steps + 1):
            place = _pair(point)
            loss, *gradient = map(float, hill.at(*place))
            if not np.isfinite([loss, *gradient]).all():
                break
            kept = {name: _pair(getattr(optimizer, name)) for name in optimizer.slots}
            found.append(Waypoint(place, loss, (gradient[0], gradient[1]), kept))
            if step < steps:
                optimizer(tuple(Tensor(np.array(g), float64) for g in gradient))
    return found


def _pair(tensors):
    first, second = (float(tensor.asnumpy()) for tensor in tensors)
    return first, second


def frame_of(paths: Iterable[Sequence[Waypoint]], width: float, height: float) -> Frame:
    """A frame around the paths as long as they do not climb far above their start, with one scale for both axes.

    >>> frame_of([descend(Hill(line_fit), (0.0, 0.0), OPTIMIZERS["SGD"], 0.1, 1)], 2.0, 1.0)
    (-0.109, 1.2, -0.127, 0.527)
    """
    seen = [m.place for path in paths for m in path if m.loss <= path[0].loss + 0.3 * abs(path[0].loss)]
    (left, low), (right, high) = np.min(seen, axis=0), np.max(seen, axis=0)
    across, up = 1.2 * (right - left), 1.2 * (high - low)
    unit = max(across / width, up / height) or 1.0 / height
    x, y = (left + right) / 2, (low + high) / 2
    sides = (x - unit * width / 2, x + unit * width / 2, y - unit * height / 2, y + unit * height / 2)
    return tuple(float(f"{v:.3g}") for v in sides)  # type: ignore[return-value]


def curved(moments: Sequence[Waypoint], rate: float, step: int) -> float | None:
    """The rate times the mean curvature along the last step; None where that was no step of rate × gradient.

    After such a step, 1 − rate × curvature of the gradient along it is left: below 1 some is left, between 1 and 2 a part
    of it is reversed, above 2 more than all of it.

    >>> walk = [Waypoint((1.0, 0.0), 5.0, (10.0, 0.0), {}), Waypoint((-0.5, 0.0), 1.25, (-5.0, 0.0), {})]
    >>> curved(walk, 0.15, 1), curved(walk, 0.1, 1)
    (1.5, None)
    """
    if not 0 < step < len(moments):
        return None
    before, after = moments[step - 1], moments[step]
    slope, moved = np.array(before.gradient), np.subtract(after.place, before.place)
    if not slope.any() or not np.allclose(moved, -rate * slope, rtol=1e-4, atol=1e-12):
        return None
    return float(1 - np.dot(after.gradient, slope) / np.dot(slope, slope))
