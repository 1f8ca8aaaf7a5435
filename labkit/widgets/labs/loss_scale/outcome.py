"""Gradients in a format: at one loss scale (`Outcome`), and at the scales 1, 2, 4 ... (`Sweep`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....engine import getval
from ....precision import format_of, rounded, statistics
from .run import Gradients, Run

FATES = ("flushed", "subnormal", "normal", "overflowed")
FEWEST_POWERS, MOST_POWERS = 16, 40
TOLERATED = 0.001  # a scale counts as safe while no larger share is flushed
DOTS = 128


@dataclass(frozen=True)
class Outcome:
    """What became of gradients at `scale`. Those that are exactly 0 by themselves do not count: nothing of them is lost.

    `counts` (4,): how many met each of FATES. `large`: how many are too large for the format by themselves, as
    exact numbers times the scale; the others that overflowed were lost in the backward pass.
    """

    scale: float
    counts: np.ndarray
    large: int = 0

    @property
    def finite(self) -> bool:
        """Whether all are finite; if not, the step is skipped."""
        return not self.count("overflowed")

    @property
    def size(self) -> int:
        """How many gradients count."""
        return int(self.counts.sum())

    def count(self, fate: str) -> int:
        """How many gradients met a fate."""
        return int(self.counts[FATES.index(fate)])

    def share(self, fate: str) -> float:
        """The same as a share of all that count."""
        return self.count(fate) / max(self.size, 1)

    @property
    def safe(self) -> bool:
        """Whether all are finite, and hardly any is flushed."""
        return self.finite and self.share("flushed") <= TOLERATED


def fates(held: np.ndarray, of: str) -> np.ndarray:
    """Which of FATES each gradient met that is held in a format."""
    size = np.abs(held)
    return np.select([~np.isfinite(size), size >= format_of(of).min_normal, size > 0], [3, 2, 1], 0)


def outcome(exact: Gradients, held: Gradients, of: str, scale: float = 1.0) -> Outcome:
    """Compare `held`, gradients in a format at a scale, with the `exact` and unscaled ones.

    >>> found = outcome({"w": np.array([1.0, 2.0**-30])}, {"w": np.array([1.0, 0.0])}, "float16")
    >>> found.counts.tolist(), found.finite
    ([1, 0, 1, 0], True)
    """
    before = _flat(exact)
    met = fates(_flat({name: held[name] for name in exact}), of)
    counts = np.bincount(met[(before != 0) | (met == 3)], minlength=len(FATES))
    return Outcome(scale, counts, int(np.sum(np.abs(before) * scale > format_of(of).max)))


class Captured:
    """Gradients that were captured elsewhere, as a run that can be asked for them in a format: they are rounded to it."""

    def __init__(self, gradients: Mapping[str, Any]):
        self.parameters: Gradients = {}
        for name, given in gradients.items():
            inner = given.__engine_value__() if hasattr(given, "__engine_value__") else given
            array = np.asarray(getval(inner))
            if array.dtype.kind not in "fiu":
                raise TypeError(
                    f"LossScaleLab: expected an array or a tensor for {name!r}, but got {type(given).__name__}"
                )
            self.parameters[str(name)] = array.astype(np.float64)

    def gradients(self, of: str, scale: float = 1.0) -> Gradients:
        """`{name: gradient}` times the scale, rounded to the format `of`."""
        with np.errstate(over="ignore"):
            return {name: rounded(g * scale, of) for name, g in self.parameters.items()}


class Sweep:
    """The gradients of one run at the scales 1, 2, 4 ..., in each of `formats`.

    `exact`: the gradients. `outcomes`: `{format: [Outcome by power]}`. `dots` (n,): some that stand for all, evenly spaced by
    rank; `held`: `{format: (scales, n)}`, what is held of these. `safe`: `{format: (first, last)}` power at which nothing
    overflows and hardly anything is flushed, or None.

    Raises ValueError where gradients are infinite or nan before any format, or all 0.
    """

    def __init__(self, run: Run | Captured, formats: Sequence[str]):
        self.exact = run.gradients("float64")
        every = statistics(list(self.exact.values()))
        _check(self.exact, every)
        narrow = [of for of in formats if format_of(of).exponent_bits < format_of("float32").exponent_bits]
        wanted = max((np.log2(every.largest_scale(of)) + 3 for of in narrow), default=0)  # two after the first overflow
        places, powers = _places(_flat(self.exact)), range(int(np.clip(wanted, FEWEST_POWERS, MOST_POWERS)) + 1)
        self.dots = _flat(self.exact)[places]
        self.held: dict[str, np.ndarray] = {}
        self.outcomes: dict[str, list[Outcome]] = {}
        self.safe: dict[str, tuple[int, int] | None] = {}
        for of in formats:
            held = [run.gradients(of, 2.0**power) for power in powers]
            self.held[of] = np.array([_flat(g)[places] for g in held])
            found = [outcome(self.exact, g, of, 2.0**power) for power, g in enumerate(held)]
            safe = [power for power, o in enumerate(found) if o.safe]
            self.outcomes[of], self.safe[of] = found, (safe[0], safe[-1]) if safe else None


def _flat(gradients):
    return np.concatenate([np.ravel(g) for g in gradients.values()])


def _check(exact, found):
    if found.nans or found.infinite:
        where = ", ".join(name for name, g in exact.items() if not np.all(np.isfinite(g)))
        raise ValueError(
            f"LossScaleLab: expected finite gradients, but in {where} {found.nans} are nan and {found.infinite} infinite, "
            "already in float64: no loss scale helps; look for a division by 0 or the logarithm of 0"
        )
    if found.zeros == found.size:
        raise ValueError(f"LossScaleLab: all {found.size} gradients are 0, so there is nothing to scale")


def _places(flat):
    """Where the gradients are that stand for all."""
    order = np.argsort(np.abs(flat), kind="stable")[np.count_nonzero(flat == 0) :]
    count = min(DOTS, len(order))
    return order[((np.arange(count) + 0.5) * len(order) / count).astype(int)]
