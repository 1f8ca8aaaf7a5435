"""What rounding explains: how far numbers move when every input and weight moves by one rounding error.

The rule: PyTorch's model is run three times more, each time with every input, every parameter and what every layer gives
multiplied by 1 + eps or 1 - eps at random, eps being that of the coarsest dtype in play. A number of MindSpore's agrees if it
is no further from PyTorch's than `TIMES` the largest such move (of this number, or the usual one in its tensor, whichever
is more) and `UNITS` in the last place. The real MindSpore on a CPU computes exp, softmax and tanh by polynomials that were
measured to be 70, 100 and 850 units off; where it runs, `ROUGH_TIMES` and `ROUGH_UNITS` hold.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

TIMES, ROUGH_TIMES = 10, 30
UNITS, ROUGH_UNITS = 2, 1024
RUNS = 3


@dataclass(frozen=True)
class Rule:
    """What is allowed where the coarsest dtype has this `eps`; `rough`: where the real MindSpore runs."""

    eps: float
    rough: bool = False

    @classmethod
    def of(cls, arrays, rough: bool) -> "Rule":
        """By the floating arrays that were seen; half precision hides how rough a polynomial is."""
        eps = max((float(np.finfo(a.dtype).eps) for a in arrays if a.dtype.kind == "f"), default=0.0)
        return cls(eps, rough and eps < 1e-5)

    def jitter(self, seed: int) -> Callable[[np.ndarray], np.ndarray]:
        """A function that multiplies each number of an array by 1 + eps or 1 - eps."""
        rng = np.random.default_rng(seed)

        def moved(array):
            if array.dtype.kind != "f":
                return array
            factor = np.where(rng.random(array.shape) < 0.5, 1 - self.eps, 1 + self.eps)
            return np.asarray(array * factor, array.dtype)

        return moved

    def allowed(self, array: np.ndarray, moved: list[np.ndarray]) -> np.ndarray:
        """How far a number may be from each in `array`, which became `moved` where everything moved."""
        with np.errstate(all="ignore"):
            wide = np.asarray(array, float)
            far = [np.abs(np.asarray(m, float) - wide) for m in moved if m.shape == array.shape]
            moves = np.nan_to_num(np.max(far, axis=0), nan=0.0, posinf=0.0) if far else np.zeros(array.shape)
            usual = float(np.sqrt(np.mean(moves**2))) if moves.size else 0.0
            units = ROUGH_UNITS if self.rough else UNITS
            times = ROUGH_TIMES if self.rough else TIMES
            return times * np.maximum(moves, usual) + units * self.eps * np.abs(np.nan_to_num(wide))


@dataclass
class Difference:
    """Two arrays, PyTorch's and MindSpore's, and how far apart their numbers may be.

    >>> made = Difference(np.array([1.0, 2.0]), np.array([1.0, 2.5]), np.array([1e-9, 1e-9]))
    >>> made.differs, made.index, made.max_abs, made.max_rel
    (True, (1,), 0.5, 0.25)
    """

    torch: np.ndarray
    mindspore: np.ndarray
    allowed: np.ndarray

    @property
    def same_shape(self) -> bool:
        return self.torch.shape == self.mindspore.shape

    @property
    def excess(self) -> np.ndarray:
        """How far apart, number by number, over what is allowed; above 1 it differs."""
        with np.errstate(all="ignore"):
            far = self._far()
            return np.where(far == 0, 0.0, far / np.maximum(self.allowed, np.finfo(float).tiny))

    def _far(self):
        a, b = np.asarray(self.torch, float), np.asarray(self.mindspore, float)
        with np.errstate(all="ignore"):
            far = np.abs(a - b)
        return np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.where(np.isnan(far), np.inf, far))

    @property
    def differs(self) -> bool:
        return not self.same_shape or bool((self.excess > 1).any())

    @property
    def index(self) -> tuple[int, ...]:
        """Where the difference is largest, relative to what rounding explains."""
        return tuple(int(i) for i in np.unravel_index(np.argmax(self.excess), self.torch.shape))

    @property
    def max_abs(self) -> float:
        return float(self._far().max(initial=0.0))

    @property
    def max_rel(self) -> float:
        """The largest difference over the largest number of PyTorch's."""
        size = float(np.max(np.abs(np.nan_to_num(np.asarray(self.torch, float))), initial=0.0))
        return self.max_abs / size if size else (float("inf") if self.max_abs else 0.0)
