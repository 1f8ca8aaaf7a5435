"""Descents over a loss of two numbers by the MindSpore dialect's own optimizers, and the heights below them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....mindspore import Parameter, Tensor, float64, jit, nn, value_and_grad

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


class Slope:
    """A loss of two numbers with its gradient at `point`, compiled when it is first asked for; where that cannot be, as it is."""

    def __init__(self, loss: Loss):
        self.point = x, y = [Parameter(Tensor(np.array(0.0), float64), name=name) for name in ("x", "y")]
        self._plain = value_and_grad(lambda: loss(x, y), None, self.point)
        self._fast: Callable[[], Any] | None = jit(self._plain)

    def __call__(self) -> tuple[Any, tuple[Tensor, ...]]:
        """`(loss, gradient)`; raises what the loss does."""
        if self._fast is not None:
            try:
                return self._fast()
            except Exception:  # whatever is wrong with it, the loss as it is tells better
                self._fast = None
        return self._plain()


def descend(loss: Loss | Slope, start: Pair, make: Maker, rate: float, steps: int) -> list[Waypoint]:
    """The moments of `steps` steps, the start included; fewer where something is not finite any more.

    `kept` has what changes of the optimizer's state per parameter, by the names that the optimizer gives it.

    >>> path = descend(line_fit, (0.0, 0.0), OPTIMIZERS["SGD"], 0.1, 1)
    >>> [round(float(v), 3) for v in path[1].place]
    [1.09, 0.4]
    """
    gradient = loss if isinstance(loss, Slope) else Slope(loss)
    point = gradient.point
    for parameter, level in zip(point, start, strict=True):
        parameter.set_data(Tensor(np.array(level, float), float64))
    optimizer = make(list(point), rate)
    found: list[Waypoint] = []
    with np.errstate(all="ignore"):
        for step in range(steps + 1):
            value, slope = gradient()
            _check_single(value)
            if not (np.isfinite(value.asnumpy()).all() and np.isfinite(_pair(slope)).all()):
                break
            kept = {name: _pair(getattr(optimizer, name)) for name in optimizer.slots}
            found.append(Waypoint(_pair(point), float(value.asnumpy()), _pair(slope), kept))
            if step < steps:
                optimizer(slope)
    return _what_changes(found)


def _check_single(value):
    if not isinstance(value, Tensor) or value.shape != ():
        came = f"a Tensor of shape {value.shape}" if isinstance(value, Tensor) else type(value).__name__
        raise ValueError(f"Landscape: expected a loss that is one number, a Tensor of shape (), but got {came}")


def _pair(tensors):
    first, second = (float(tensor.asnumpy()) for tensor in tensors)
    return first, second


def _what_changes(moments):
    names = [n for n in (moments[0].kept if moments else ()) if any(m.kept[n] != moments[0].kept[n] for m in moments)]
    return [Waypoint(m.place, m.loss, m.gradient, {n: m.kept[n] for n in names}) for m in moments]


def heights(loss: Loss, xs: np.ndarray, ys: np.ndarray) -> np.ndarray:
    """The loss at all places (x, y), rows at `ys`, columns at `xs`.

    >>> heights(lambda x, y: x + 10 * y, np.array([0.0, 1.0]), np.array([0.0, 1.0, 2.0])).tolist()
    [[0.0, 1.0], [10.0, 11.0], [20.0, 21.0]]
    """
    grid = np.meshgrid(xs, ys)
    with np.errstate(all="ignore"):
        at_once = _values(loss, *grid)
        if at_once is not None and at_once.shape == grid[0].shape:
            return at_once
        rows = [[float(_values(loss, np.array(x), np.array(y))) for x in xs] for y in ys]
    return np.array(rows)


def _values(loss, x, y):
    """The loss as an array; None where it does not take arrays of this shape."""
    try:
        found = loss(Tensor(x, float64), Tensor(y, float64))
    except Exception:  # the reader's function may be meant for single numbers only
        if np.ndim(x) == 0:
            raise
        return None
    return found.asnumpy() if isinstance(found, Tensor) else np.asarray(found, float)


def frame_of(paths: Iterable[Sequence[Waypoint]], width: float, height: float) -> Frame:
    """A frame around the paths as long as they do not climb far above their start, with one scale for both axes.

    >>> frame_of([descend(line_fit, (0.0, 0.0), OPTIMIZERS["SGD"], 0.1, 1)], 2.0, 1.0)
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

    After such a step, 1 − rate × curvature of the gradient along it is left: below 1 some is left, between 1 and 2 less than
    all has turned round, above 2 more than all.

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
