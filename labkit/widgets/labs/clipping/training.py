"""The cliff: gradient descent through a recurrent unit, whose loss has a wall, with and without clipping.

The unit is h = w h + b, TIMES times from 0, and should give TARGET. For w beyond 1 the result explodes, and with it the
gradient: one step lands on the wall, the next is thrown out of the picture (I. Goodfellow, Y. Bengio, A. Courville, "Deep
Learning", 2016, section 10.11.1). The training loop is the one of the PyTorch dialect; `clipping.js` computes the same.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .... import torch

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
