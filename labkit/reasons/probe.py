"""Properties of an op's derivative at its input and elsewhere, found from numbers, not from its name."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

GRID = np.concatenate(
    [np.linspace(-60.0, -6.0, 109)[:-1], np.linspace(-6.0, 6.0, 241), np.linspace(6.0, 60.0, 109)[1:]]
)
_USUAL = np.abs(GRID) <= 6
_SMALL = 0.05  # of the largest slope: below, an op is saturated
_HUGE = 1e20
_SOME = slice(3, None, 37)


@dataclass(frozen=True)
class Probe:
    """A function of one number, on the grid: `values` and `slopes`, arrays. `here`: its slopes at the numbers that went in."""

    values: np.ndarray
    slopes: np.ndarray
    here: np.ndarray | None = None

    @property
    def usual(self) -> float:
        """The largest slope that it has for numbers of usual size."""
        slopes = np.abs(self.slopes[_USUAL])
        return float(np.max(slopes[np.isfinite(slopes)], initial=0.0))

    @property
    def grows(self) -> bool:
        """Whether its values are huge somewhere on the grid, though finite: a few times as far, and it overflows."""
        return bool(np.isfinite(self.values).all() and np.max(np.abs(self.values)) > _HUGE)

    @property
    def kind(self) -> str:
        """ "step": flat wherever one looks; "bent": made of straight pieces, one of them flat; "squashing": smooth, and flat at
        both ends or at one; "" for anything else."""
        slopes, values = self.slopes, self.values
        if not np.isfinite(slopes).any() or not np.isfinite(values[_USUAL]).any():
            return ""
        if not np.any(slopes[np.isfinite(slopes)]):
            return "step"
        pieces = np.unique(np.round(slopes[np.isfinite(slopes)], 6))
        if len(pieces) <= 4 and np.sum(slopes == 0) > 4:
            return "bent"
        ends = [abs(slopes[0]) < _SMALL * self.usual, abs(slopes[-1]) < _SMALL * self.usual]
        flat = [abs(values[i] - values[j]) < _SMALL * self.usual for i, j in ((0, 20), (-1, -21))]
        return "squashing" if any(e and f for e, f in zip(ends, flat, strict=True)) else ""

    def word(self, here: np.ndarray) -> str:
        """What the op is where its slopes are `here`: "flat", "dead", "saturated", or "" for none of these."""
        most = float(np.max(np.abs(here), initial=0.0))
        if most > _SMALL * self.usual and self.usual:
            return ""
        kind = self.kind
        if kind == "step":
            return "flat"
        if kind == "bent":
            return "dead" if most == 0 else ""
        return "saturated" if kind == "squashing" else ""


def on_grid(function: Callable[[np.ndarray], tuple[Any, Any]]) -> Probe | None:
    """`function(grid)` gives values and slopes there; None where it is not a function of one number, element by element."""
    try:
        with np.errstate(all="ignore"):
            values, slopes = (np.asarray(a, float) for a in function(GRID))
            fewer, _ = function(GRID[_SOME])
    except Exception:  # an op that takes no array of this shape, or none alone
        return None
    if values.shape != GRID.shape or slopes.shape != GRID.shape:
        return None
    alone = np.allclose(values[_SOME], np.asarray(fewer, float), equal_nan=True)
    return Probe(values, slopes) if alone else None
