"""What becomes of gradients in a format: at one loss scale (`Outcome`), and at the scales 1, 2, 4 ... (`Sweep`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ....engine import getval
from ....precision import format_of, rounded, statistics
from .run import Gradients, HeldRun

FATES = ("flushed", "subnormal", "normal", "overflowed")
FEWEST_POWERS, MOST_POWERS = 16, 40
TOLERATED = 0.001  # a scale counts as safe while no larger share is flushed
MOSTLY = 0.9
DOTS = 128


@dataclass(frozen=True)
class Outcome:
    """What became of gradients at `scale`. Those that are exactly 0 by themselves do not count: nothing of them is lost.

    `counts`: (parameters, 4), how many met each of FATES; `bins`: {exponent of gradient times scale: 4 counts};
    `finite`: whether all are finite, for else the step is skipped. `large`: how many are too large for the format by
    themselves, as exact numbers times the scale; the others that overflowed were lost on the way to them.
    """

    scale: float
    counts: np.ndarray
    bins: dict[int, np.ndarray]
    finite: bool
    large: int = 0

    @property
    def spread(self) -> bool:
        """Whether most of those that overflowed would fit by themselves: an inf on the way back has reached them."""
        return self.large < self.count("overflowed") / 2

    @property
    def spoiled(self) -> int:
        """How many would fit by themselves and are lost all the same."""
        return max(self.count("overflowed") - self.large, 0)

    @property
    def power(self) -> float:
        """log2 of the scale."""
        return float(np.log2(self.scale))

    @property
    def size(self) -> int:
        """How many gradients count."""
        return int(self.counts.sum())

    def count(self, fate: str) -> int:
        """How many gradients met a fate."""
        return int(self.counts[:, FATES.index(fate)].sum())

    def share(self, fate: str) -> float:
        """The same as a share of all that count."""
        return self.count(fate) / max(self.size, 1)

    @property
    def safe(self) -> bool:
        """Whether all are finite, and hardly any is flushed."""
        return self.finite and self.share("flushed") <= TOLERATED


def outcome(exact: Gradients, held: Gradients, of: str, scale: float = 1.0) -> Outcome:
    """Compare `held`, gradients in a format at a scale, with the `exact` and unscaled ones.

    >>> found = outcome({"w": np.array([1.0, 2.0**-30])}, {"w": np.array([1.0, 0.0])}, "float16")
    >>> found.counts.tolist(), found.finite
    ([[1, 0, 1, 0]], True)
    """
    before = np.concatenate([np.ravel(g) for g in exact.values()])
    after = np.abs(np.concatenate([np.ravel(held[name]) for name in exact]))
    lost = ~np.isfinite(after)
    fate = np.select([lost, after >= format_of(of).min_normal, after > 0], [3, 2, 1], 0)
    counted = (before != 0) | lost
    rows = np.repeat(np.arange(len(exact)), [g.size for g in exact.values()])
    exponents = np.frexp(before * scale)[1] - 1
    low = int(exponents.min(initial=0))
    return Outcome(
        scale,
        _table(rows[counted], fate[counted], len(exact)),
        {low + i: row for i, row in enumerate(_table(exponents[before != 0] - low, fate[before != 0])) if row.any()},
        not lost.any(),
        int((np.abs(before) * scale > format_of(of).max).sum()),
    )


def _table(rows, fate, height=0):
    """How often each fate occurs in each row: (rows, 4)."""
    height = max(height, int(rows.max(initial=-1)) + 1)
    return np.bincount(rows * 4 + fate, minlength=height * 4).reshape(-1, 4)


class Captured:
    """Gradients that were captured elsewhere, as a run that can be asked for them in a format: they are rounded to it."""

    loss = None

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


class Dots(NamedTuple):
    """Gradients that stand for all, evenly spaced by rank: `exact` (n,), and what is held of them, `{format: (scales, n)}`."""

    exact: np.ndarray
    held: dict[str, np.ndarray]


class Sweep:
    """The gradients of one run at the scales 1, 2, 4 ..., in each of `formats`.

    `about`: a sentence on where they come from. `outcomes`: `{format: [Outcome by power]}`. `exact`: the gradients,
    `largest` the largest magnitude among them, `exponents` how many there are of each.
    `dots`: some that stand for all. `safe`: `{format: (first, last)}` power at which nothing
    overflows and hardly anything is flushed, or None. `start`: the power to which it plays: the first that is safe and leaves
    nearly all normal. `remark`: what has to be known to read them.
    """

    def __init__(
        self, title, about, run: HeldRun | Captured, formats: Sequence[str], remark: str = ""
    ):  # fmt: skip
        self.remark = remark
        self.title, self.about, self.loss, self.formats = title, about, run.loss, tuple(formats)
        self.names = list(run.parameters)
        self.exact = run.gradients("float64")
        check_gradients(self.exact)
        found = statistics(list(self.exact.values()))
        self.exponents, self.largest = found.exponents, found.largest
        powers = range(_top(self.exact, formats) + 1)
        held = {of: [run.gradients(of, 2.0**p) for p in powers] for of in formats}
        self.outcomes = {
            of: [outcome(self.exact, g, of, 2.0**p) for p, g in enumerate(found)] for of, found in held.items()
        }
        self.dots = _dots(self.exact, held)
        self.safe = {of: _safe(found) for of, found in self.outcomes.items()}
        self.start = _start(self.outcomes[self.formats[0]])


def check_gradients(exact: Gradients) -> None:
    """Raise ValueError where gradients are infinite or nan before any format, or all 0."""
    found = statistics(list(exact.values()))
    if found.nans or found.infinite:
        where = ", ".join(name for name, g in exact.items() if not np.all(np.isfinite(g)))
        raise ValueError(
            f"LossScaleLab: expected finite gradients, but in {where} {found.nans} are nan and {found.infinite} infinite, "
            "already in float64: no loss scale helps; look for a division by 0 or the logarithm of 0"
        )
    if found.zeros == found.size:
        raise ValueError(f"LossScaleLab: all {found.size} gradients are 0, so there is nothing to scale")


def _top(exact, formats):
    """The largest power worth showing: two after the first overflow, in the formats that do not have float32's range."""
    found = statistics(list(exact.values()))
    narrow = [of for of in formats if format_of(of).exponent_bits < format_of("float32").exponent_bits]
    powers = [np.log2(found.largest_scale(of)) + 3 for of in narrow]
    return int(np.clip(max(powers, default=0), FEWEST_POWERS, MOST_POWERS))


def _safe(outcomes):
    found = [i for i, o in enumerate(outcomes) if o.safe]
    return (found[0], found[-1]) if found else None


def _start(outcomes):
    safe = _safe(outcomes) or (0, 0)
    good = (i for i in range(safe[0], safe[1] + 1) if outcomes[i].share("normal") >= MOSTLY)
    return next(good, safe[0])


def _dots(exact, held):
    flat = np.concatenate([np.ravel(g) for g in exact.values()])
    order = np.argsort(np.abs(flat), kind="stable")[np.count_nonzero(flat == 0) :]
    count = min(DOTS, len(order))
    places = order[((np.arange(count) + 0.5) * len(order) / count).astype(int)]
    each = {of: [np.concatenate([np.ravel(g[name]) for name in exact]) for g in found] for of, found in held.items()}
    return Dots(flat[places], {of: np.array(found)[:, places] for of, found in each.items()})
